/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file report.h  A report that sets what a paper claims beside what results say. The claims are an
 * XML file: what each says, the paper's value, and how to compute it from the CSV files.
 */
#ifndef WEFT_RUNNER_REPORT_H
#define WEFT_RUNNER_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "columns.h"
#include "csv.h"
#include "distribution.h"
#include "document.h"
#include "textbuf.h"

/** Reports what a claims file must not hold: unknown elements and attributes, missing ones. */
void claims_check(const struct element *root, struct diagnostics *d);

/** The value of a name in an expression, or false if there is none of that name. */
typedef bool (*lookup_fn)(void *user, const char *name, double *value);

/**
 * Computes "100 * (1 - a / b)": numbers, names, + - * / and parentheses. False with a sentence in
 * *why (the caller frees it). Dividing by zero gives what IEEE 754 says.
 */
bool expression_value(const char *text, lookup_fn lookup, void *user, double *value, char **why);

/** A CSV file of results that was looked for. */
struct report_file
{
    char *path;
    struct csv *csv; /**< NULL: it is not there, or */
    char *why;       /**< it cannot be read, for this reason */
};

/** Where numbers come from: the results of one section of the report. */
struct report_source
{
    const char *results;          /**< folder of all results */
    const char *folder;           /**< results/NAME; NULL: the section has none */
    const char *scenario;         /**< what makes them, for messages; may be NULL */
    const struct element *claims; /**< the whole file: it may say what makes other results */
    bool allow_missing;           /**< what is not there is no error */
    struct diagnostics *d;
    struct report_file *files; /**< so far */
    size_t nfiles;
};

void report_source_free(struct report_source *s);

/** The file that a <value> names by data="qps" or "flows", one in each run's folder; NULL: it reads
 * a file of the results. */
const struct column_table *value_table(const struct element *value);

/** How a <value> reduces its numbers to one: the name after of="p99.9" in millionths, -1 if it is
 * no percentile. */
long percentile_ppm(const char *of);

/** Of rows that were asked for, how many had a value. */
struct report_rows
{
    size_t have, of;
    const char *what; /**< they are: "runs" */
};

/** Whether rows are there, but none of them has a value. */
bool none_has(struct report_rows rows);

/** Numbers of a <claim> or <table>: one row per group, one column per <measured>. */
struct report_numbers
{
    char **groups; /**< [group * nkeys + key]: the cells that name it */
    size_t nkeys, ngroups, nmeasured;
    double *values;           /**< [group * nmeasured + measured]; NAN where there is none */
    bool *present;            /**< likewise: whether the results have it */
    struct report_rows *rows; /**< likewise: those that it rests on; 0 of 0: one was not run */
};

/** Computes them; what is wrong or missing is reported to the source's diagnostics. */
struct report_numbers *report_numbers(struct report_source *s, const struct element *e);
void report_numbers_free(struct report_numbers *n);

/** Whether numbers of a <claim> are those of a scheme that <claims former=""> names. */
bool is_former_claim(const struct element *root, const struct element *claim);

/** The same for the rows of a <table> in which @p key is @p cell. */
bool is_former_cell(const struct element *root, const char *key, const char *cell);

/** The same for a column of a <table>: of a <value> that it is computed from, or of all rows. */
bool is_former_column(const struct element *root, const struct element *table,
                      const struct element *measured);

/** Reads and checks a claims file; NULL after printing what is wrong. */
struct document *claims_read(const char *path);

/** Writes one report of @p n claims files as Markdown; @p results: folder of all results. NULL
 * after printing what is wrong or missing. */
char *report_write(struct document *const *claims, size_t n, const char *results,
                   bool allow_missing);

/** Puts a report into a file, or on standard output if @p output is NULL. An exit status. */
int report_deliver(const char *text, const char *output);

#endif

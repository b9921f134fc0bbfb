/* SPDX-License-Identifier: GPL-2.0-only */
/** @file report-query.h  The <query> of a <claim> or <table>, asked of its section's results. */
#ifndef WEFT_RUNNER_REPORT_QUERY_H
#define WEFT_RUNNER_REPORT_QUERY_H

#include "report.h"

/** A column of an answer that says which rows are of former code, and is not shown. */
#define FORMER_COLUMN "former"

/** A column of an answer whose name is not shown. */
#define UNNAMED_COLUMN "value"

/** The results of one section. */
struct report_source
{
    const struct report_options *options;
    const struct element *claims; /**< the whole file: it says what makes other results */
    const struct element *section;
    struct diagnostics *d;
    struct database *db; /**< NULL: not opened yet, or */
    char *missing;       /**< results that are not there, or */
    char *why;           /**< that cannot be read, for this reason */
};

/** Lets go of the section's results. */
void report_source_close(struct report_source *s);

enum report_column_kind
{
    REPORT_KEY,    /**< names the row */
    REPORT_VALUE,  /**< a number */
    REPORT_FORMER, /**< FORMER_COLUMN */
};

struct report_column
{
    enum report_column_kind kind;
    const char *label; /**< NULL: none */
    const char *unit;  /**< NULL: none */
    int decimals;
    bool former; /**< its numbers are of former code */
};

/** What a query says. */
struct report_numbers
{
    struct query_rows *rows;       /**< NULL: it was not run */
    struct query_hole *holes;      /**< as database_holes() */
    struct report_column *columns; /**< [column] */
};

/** Asks; NULL if @p e has no query. What is wrong or missing is reported to the source's
 * diagnostics. */
struct report_numbers *report_numbers(struct report_source *s, const struct element *e);
void report_numbers_free(struct report_numbers *n);

/** The child of a name that comes after another one (NULL: the first); NULL: there is none. */
const struct element *report_next(const struct element *parent, const char *name,
                                  const struct element *after);

/** Whether a row is of former code. */
bool report_is_former(const struct report_numbers *n, size_t row);

#endif

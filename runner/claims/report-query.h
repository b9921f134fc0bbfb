/* SPDX-License-Identifier: GPL-2.0-only */
/** @file report-query.h  The <query> of a <claim> or <table>, asked of its section's results. */
#ifndef WEFT_RUNNER_REPORT_QUERY_H
#define WEFT_RUNNER_REPORT_QUERY_H

#include "page.h"
#include "report.h"

/** Name of the query's answer in a <headline>. */
#define ANSWER "answer"

/** A column of an answer that says which rows are of former code, and is not shown. */
#define FORMER_COLUMN "former"

/** A column of an answer, beside spaces: half of the interval of the column before it. */
#define INTERVAL_COLUMN "+-"

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
    char *why;           /**< that cannot be read, for this reason, or */
    bool bad;            /**< with a mistake in a <view>, which has been reported */
};

/** Whether there are results of a name. */
bool report_has_results(const struct report_options *options, const char *results);

/** Opens what a section's queries read, once; whether it can be read. */
bool report_source_open(struct report_source *s);

/** report-views.c: asks the <view>s of a section, whose rows its queries read as tables. False
 * after a message. */
bool report_views_make(struct report_source *s);

/** Lets go of the section's results. */
void report_source_close(struct report_source *s);

enum report_column_kind
{
    REPORT_KEY,      /**< names the row */
    REPORT_VALUE,    /**< a number */
    REPORT_INTERVAL, /**< INTERVAL_COLUMN */
    REPORT_FORMER,   /**< FORMER_COLUMN */
};

struct report_column
{
    enum report_column_kind kind;
    const char *label; /**< NULL: none */
    const char *unit;  /**< NULL: none */
    int decimals;
    bool former; /**< its numbers are of former code */
};

/** Answer of a query. */
struct report_numbers
{
    struct query_rows *rows;       /**< NULL: it was not run */
    struct query_hole *holes;      /**< as database_holes() */
    struct report_column *columns; /**< [column] */
};

/** Returns the SQL for the <query> of @p e, or for its <headline>, which asks the query's answer.
 * The caller frees it. */
char *report_query_text(const struct element *e, const struct element *query);

/** Asks the <query> of @p e, or its <headline>; NULL if it has none. What is wrong or missing is
 * reported to the source's diagnostics. */
struct report_numbers *report_numbers(struct report_source *s, const struct element *e,
                                      const char *which);
void report_numbers_free(struct report_numbers *n);

/** The names of the paper's figures that a section is about. */
struct words report_shows(const struct element *section);

/* --- in words, as parts of a page's tree: report-numbers.c -------------------------------------
 */

/** Behind what was made by an algorithm's former code. */
#define REPORT_FORMER_MARK " †"

/** Numbers that a cell of a report may hold; more of them are a table. */
#define REPORT_MOST_NUMBERS 3

/** How many numbers a cell with all of them would hold, those of intervals as well. */
size_t report_count(const struct element *e, const struct report_numbers *n);

/** Adds a <value> for each number that Weft has beside a claim of the paper. */
void report_add_values(xmlNode *claim, const struct element *e, const struct report_numbers *n);

/** Adds the columns and rows of a table; that of a FORMER_COLUMN is not shown. */
void report_add_rows(xmlNode *table, const struct report_numbers *n);

/** Adds a <cell>, which is sorted by the cell's number or that of its text. @p number: it is set as
 * one. */
xmlNode *report_add_cell(xmlNode *row, const char *text, const struct query_cell *cell,
                         bool number);

/** Whether a claim has a number of former code; @p n may be NULL. */
bool report_claim_is_former(const struct element *claim, const struct report_numbers *n);

#endif

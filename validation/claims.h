/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file claims.h  Reports that set what a paper claims beside what results say. The claims are an
 * XML file: what each says, the paper's value, and a query of the results that gives Weft's.
 */
#ifndef WEFT_VALIDATION_CLAIMS_H
#define WEFT_VALIDATION_CLAIMS_H

#include <libxml/tree.h>
#include <stdbool.h>
#include <stddef.h>

#include "diagnostics.h"
#include "page.h"
#include "query.h"
#include "textbuf.h"

/** Ends the name and the command of a scenario's quick version. */
#define QUICK_NAME    "-quick"
#define QUICK_COMMAND " --quick"

enum claims_status
{
    CLAIMS_GOOD,
    CLAIMS_FAILED,    /**< something was not run, or cannot be written */
    CLAIMS_BAD_INPUT, /**< a mistake in a file or on the command line */
    CLAIMS_NO_FIGURE, /**< all was run, and a figure could not be drawn */
};

/** Prints a sentence as an error and frees it. Returns @p status. */
int claims_refuse(char *why, int status);

struct claims_options
{
    char *results; /**< folder of all results */
    char *data;    /**< folder of open data, which is read in place of results; or NULL */
    char *output;  /**< file of the report, from which it links to figures; NULL: none */
    char *save_data;
    const char *only, *jobs;
    bool html, quick, alone, list, no_figures;
    bool allow_missing; /**< results that are not there are no error */
    struct query_limits limits;
};

/* --- claims-file.c: what is in a file ----------------------------------------------------------
 */

struct claims
{
    char *path;
    xmlDoc *doc;
};

/** Reads and checks a file of claims; NULL after printing what is wrong. */
struct claims *claims_read(const char *path);
/** Checks claims in memory; mistakes are in @p d. */
struct claims *claims_parse(const char *path, const char *bytes, size_t n, struct diagnostics *d);
void claims_free(struct claims *claims);

/** Lets the claims look at results of the quick version of a scenario, NAME-quick, in place of the
 * full ones, for which verdicts and pictures were made. */
void claims_use_quick(struct claims *claims, const char *scenario, const char *name);

/** Returns an attribute's value, or NULL. */
const char *value_of(const xmlNode *e, const char *attribute);
/** Returns the first child of a name (@p after: behind that one), or NULL. */
xmlNode *child_of(const xmlNode *e, const char *name);
xmlNode *child_after(const xmlNode *e, const char *name, const xmlNode *after);
/** Returns the line of an element, where its text begins. */
int line_of(const xmlNode *e);

/* --- claims-source.c: the results of a section -------------------------------------------------
 */

struct source
{
    const struct claims_options *options;
    const xmlNode *claims, *section; /**< the root of the file, and what is asked */
    struct diagnostics *d;
    struct database *db; /**< NULL: not opened yet, or */
    char *missing;       /**< results that are not there, or */
    char *why;           /**< that cannot be read, for this reason, or */
    bool bad;            /**< with a mistake in a <view>, which has been reported */
};

/** Whether there are results of a name. */
bool results_are_there(const struct claims_options *options, const char *results);
/** Opens what a section's queries read, with its views, once; whether it can be read. */
bool source_open(struct source *s);
void source_close(struct source *s);
/** Returns the SQL of a <query>, or of a <headline>, which asks the answer of the query beside it.
 * The caller frees it. */
char *query_text(const xmlNode *query);
/** Makes rows a table; false: SQLite says why. */
bool rows_store(const struct query_rows *rows, struct sqlite3 *db, const char *schema,
                const char *name);

/** Rows that a view may have, and a table that open data keep. */
#define VIEW_MOST_ROWS 20000
/** Begins what `columns` of open data say of a view's columns; its query follows. */
#define VIEW_DOC "of: "

/* --- answers.c: queries and what they give -----------------------------------------------------
 */

/** Ends what was made by an algorithm's former code. */
#define FORMER_MARK " †"
/** Numbers that a cell of a report may hold; more of them are a table. */
#define MOST_NUMBERS 3

enum column_kind
{
    COLUMN_KEY,      /**< names the row */
    COLUMN_VALUE,    /**< a number */
    COLUMN_INTERVAL, /**< "+-": half of the interval of the column before it */
    COLUMN_FORMER,   /**< "former": which rows are of former code */
};

struct column
{
    enum column_kind kind;
    const char *label, *unit; /**< NULL: none */
    int decimals;
    bool former;
};

struct answer
{
    const xmlNode *query;
    struct query_rows *rows; /**< NULL: it was not run */
    struct query_hole *holes;
    struct column *columns;
};

/** Asks a <query> or <headline>; an empty answer if that is NULL. What is wrong or missing is
 * reported to the source's diagnostics. */
struct answer answer_of(struct source *s, const xmlNode *query);
void answer_drop(struct answer *a);
/** Counts the numbers that a cell with all of them would hold, those of intervals as well. */
size_t answer_count(const struct answer *a);
/** Whether there is no query, or it has numbers and none is lacking for want of rows. */
bool answer_was_run(const struct answer *a);
/** Whether a row of it is of former code. */
bool answer_row_is_former(const struct answer *a, size_t row);

/* --- answer-page.c: answers on a page ----------------------------------------------------------
 */

/** Adds a <value> for each number. */
void answer_add_values(xmlNode *claim, const struct answer *a);
/** Adds the columns and rows of a table. */
void answer_add_rows(xmlNode *table, const struct answer *a);

/* --- claims-page.c -----------------------------------------------------------------------------
 */

/** Asks all queries, and makes a page's tree of the answers, which xmlFreeDoc() frees. NULL after
 * printing what is wrong or missing. */
xmlDoc *claims_page(struct claims *const *claims, size_t n, const struct claims_options *options);
/** The tree as a file; @p form: "html", "markdown" or "summary". The caller frees it. */
char *claims_write(xmlDoc *page, const char *form);

/** Makes a text that is Markdown elements: <code>, <strong>, <a href>, <escaped>. */
void markdown_fill(xmlNode *e);
/** Puts a <p> for each paragraph of a text in its place. */
void markdown_split(xmlNode *e);

/* --- data-save.c -------------------------------------------------------------------------------
 */

/** Saves open data of results, those of these names that are there: the whole table `summary`,
 * provenance, and of other tables what any query names. A status, after a line for each file. */
int data_save(struct claims *const *claims, size_t n, const struct words *names,
              const struct claims_options *options);

/* --- reproduce.c -------------------------------------------------------------------------------
 */

/** Runs all that a paper's claims rest on, and writes its report; a status. */
int reproduce(struct claims_options *options, const char *wanted);

#endif

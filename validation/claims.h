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

enum claims_status
{
    CLAIMS_GOOD,
    CLAIMS_FAILED,    /**< something cannot be written */
    CLAIMS_BAD_INPUT, /**< a mistake in a file or on the command line */
};

/** Prints a sentence as an error and frees it. Returns @p status. */
int claims_refuse(char *why, int status);

struct claims_options
{
    const char *results;    /**< folder of all results */
    const char *data;       /**< folder of open data, which is read in place of results; or NULL */
    const char *outputs[2]; /**< files of the report, which links to figures from the first */
    const char *save_data;
    bool html, summary, list;
    bool allow_missing; /**< results that are not there are no error */
    bool some;          /**< unless all are not */
    bool quick;         /**< those of quick versions, of scenarios that have one */
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

/** Returns what an attribute of the sections says, each once. */
struct words claims_values(const struct claims *claims, const char *attribute);

/** Whether the results of a name are those of a scenario that has a quick version. */
bool claims_have_quick(const xmlNode *root, const char *results);

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

/** Returns the name of results that are read for a name: with --quick perhaps NAME-quick. The
 * caller frees it. */
char *results_read(const struct source *s, const char *results);
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

/** Names of <column> and <headline> in a report's tree, in which answers have elements of these
 * names. */
#define ASKED_COLUMN   "asked-column"
#define ASKED_HEADLINE "asked-headline"

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

/** Saves open data of the results that are there: the whole table `summary`, provenance, and of
 * other tables what any query names. A status, after a line for each file. */
int data_save(struct claims *const *claims, size_t n, const struct claims_options *options);

#endif

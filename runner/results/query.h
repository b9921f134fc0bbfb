/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file query.h  SQL that reads results.sqlite. A query may come from a file that somebody else has
 * written: it can read tables and call functions, and nothing else. It ends at limits of time, rows
 * and memory, in a process of its own. Functions that give another answer every time (random(),
 * now) are not there.
 */
#ifndef WEFT_RUNNER_QUERY_H
#define WEFT_RUNNER_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "textbuf.h"

enum query_kind
{
    QUERY_NULL,
    QUERY_INTEGER,
    QUERY_REAL,
    QUERY_TEXT,
};

struct query_cell
{
    enum query_kind kind;
    int64_t integer; /**< QUERY_INTEGER */
    double real;     /**< QUERY_REAL, QUERY_INTEGER; NAN of the others */
    char *text;      /**< QUERY_TEXT */
};

struct query_rows
{
    char **columns;
    size_t ncolumns;
    struct query_cell *cells; /**< [row * ncolumns + column] */
    size_t nrows;
};

struct query_limits
{
    double seconds;
    size_t rows;
    size_t bytes;   /**< each of SQLite's memory and of the answer */
    uint64_t steps; /**< of SQLite's machine, more or less; 0: as many as time allows */
    double spent;   /**< of the seconds, before the query begins */
};

/** Limits of claims and figures: 60 s, a million rows, 1 GiB. */
#define QUERY_LIMITS ((struct query_limits){60, 1000000, (size_t)1 << 30, 0, 0})

/** Message of a query that meets its limit of bytes, which are in MB here. */
#define QUERY_TOO_LARGE "it takes more than %zu MB of memory"

/** Mistake of a query. */
struct query_mistake
{
    char *message;
    int line; /**< of the query, from 0 */
};

struct database;

/** Opens results.sqlite of a results folder, or a file of open-data.h. NULL with a sentence in
 * *why; also if its bytes are not those that were written. */
struct database *database_open(const char *out, char **why);

/** Opens results, and what is attached later, within @p seconds from now. */
struct database *database_open_within(const char *out, double seconds, char **why);

/** Opens the results of a folder where results_file_is_whole() has been asked. */
struct database *database_open_whole(const char *out, char **why);

struct sqlite3;

/** An open database of results, which is closed with it. NULL with a sentence in *why. */
struct database *database_of(struct sqlite3 *own, char **why);

/** Lends a database that stays open when it is given back, and may be written then. */
struct database *database_lend(struct sqlite3 *own, char **why);
void database_give_back(struct database *db);

/** Makes the results in another folder or file available as @p name.TABLE; false with a sentence,
 * as database_open(). At most 10 of them. */
bool database_attach(struct database *db, const char *name, const char *out, char **why);

/** Puts the runs of other results, a folder or a file or name of open data, into the tables of
 * these, behind their runs. What both have is taken from these, and a warning says if it is
 * something else there. False with a sentence: they are not of one scenario, for example. */
bool database_put_beside(struct database *db, const char *results, char **why);

void database_close(struct database *db);
/** For CLEANUP(). */
void database_drop(struct database **db);

/** The rows of one SELECT; NULL with what was wrong, whose message the caller frees. */
struct query_rows *database_query(struct database *db, const char *sql, struct query_limits limits,
                                  struct query_mistake *mistake);
/** The rows of a SELECT of Weft's own on whole results; none after a message. */
struct query_rows *results_ask(struct database *db, const char *sql);
bool query_cell_same(const struct query_cell *a, const struct query_cell *b);
void query_rows_free(struct query_rows *rows);
/** For CLEANUP(). */
void query_rows_drop(struct query_rows **rows);

/** A SELECT whose rows are taken one by one, so that not all of them are kept. */
struct query
{
    char **columns;
    size_t ncolumns;
    struct query_cell *cells; /**< of the row in hand */
    size_t left;              /**< bytes that it may still give */
    /* its own */
    struct query_limits limits;
    struct query_mistake *mistake;
    FILE *answer; /**< what the process `child` says */
    pid_t child;
};

/** Begins one; NULL with what was wrong. */
struct query *query_begin(struct database *db, const char *sql, struct query_limits limits,
                          struct query_mistake *mistake);
/** The next row: a cell for each column, until the next call. NULL: there is no more, or a mistake.
 */
const struct query_cell *query_next(struct query *q);
/** Ends it, wherever it is. False if there was a mistake. NULL: it has not begun. */
bool query_end(struct query *q);

/** Whether the results themselves have a table, view or index of that name. */
bool database_has(struct database *db, const char *name);

/** Names and meanings of all tables and columns. */
#define QUERY_OF_TABLES                                                                            \
    "select \"table\", \"column\", doc from columns order by \"table\" <> 'summary', rowid"

enum query_format
{
    QUERY_AS_TEXT,
    QUERY_AS_CSV,
    QUERY_AS_MARKDOWN,
    QUERY_AS_JSON,
};

/** Adds rows as a table. JSON is an array with an object for each row; a number that JSON does not
 * have is null. */
void query_print(struct text *t, const struct query_rows *rows, enum query_format format);

/** Adds a cell as it is shown: the shortest digits that read back as the same number. */
void query_cell_add(struct text *t, const struct query_cell *cell);
/** Returns the text of a cell alone; the caller frees it. */
char *query_cell_text(const struct query_cell *cell);

/* --- rows without a value --------------------------------------------------------------------- */

/* Cells of a query's answer that rest on rows without a value. A mean over the runs of ten seeds of
 * which two have no value is a mean of eight, and SQL does not say so. The query is asked once more
 * with aggregates that count, and if any lacked values once more for each such count, with NULL as
 * the result of the aggregates that have it: what changes rests on them, whatever the query does
 * with their results. */

/** Ground that a cell rests on. */
enum query_ground
{
    QUERY_WHOLE,   /**< all rows that were asked for have a value, or no aggregate was asked */
    QUERY_PARTLY,  /**< only some have: `have` of `of` */
    QUERY_NO_ROWS, /**< there is no such row, so that the cell is NULL */
};

struct query_hole
{
    enum query_ground ground;
    size_t have, of; /**< of that aggregate which lacks most; QUERY_PARTLY */
};

/**
 * For each cell of the answer, which has @p nrows rows, [row * ncolumns + column]; the caller frees
 * it. NULL
 * with what was wrong: avg(), sum(), total(), min() and max() cannot be window functions here.
 */
struct query_hole *database_holes(struct database *db, const char *sql, struct query_limits limits,
                                  size_t nrows, struct query_mistake *mistake);

#endif

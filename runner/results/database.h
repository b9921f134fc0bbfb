/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file database.h  All results of a scenario as one SQLite file, results.sqlite: the tables of its
 * runs' files (run-file.h) together. docs/results.md has its tables.
 *
 * It is written under another name and renamed, so that who reads it sees all of it or all of the
 * former one.
 */
#ifndef WEFT_RUNNER_DATABASE_H
#define WEFT_RUNNER_DATABASE_H

#include <stdbool.h>
#include <stddef.h>

#include "sql-file.h"
#include "textbuf.h"

#define DATABASE_FILE "results.sqlite"

/** A column that varies in a sweep. */
struct database_key
{
    const char *name;
    const char *unit; /**< of its cells, as csv_unit(); NULL: they are not all of one */
    bool is_exact;    /**< they are numbers that SQL shows as they are written; 1.10 is not */
    bool is_seed;
};

/** A key with these cells. The name stays the caller's. 0 is of any unit. */
struct database_key database_key_of(const char *name, const char *const *cells, size_t n);

/** The name of the column of `summary` that has a key's values as numbers, which the caller frees;
 * NULL: they are none, or of several units. */
char *database_number_column(const struct database_key *key);

/** Functions that return bool return true, or false with a sentence in *why. */

struct database_writer
{
    struct sql_file file; /**< rows are taken from its schema `run`, as run_file_state() sets it */
    const struct folder *top;
    char *temporary; /**< the file's name until it is whole; NULL: it has none */
    const struct database_key *keys;
    size_t nkeys;
};

/** Starts a file in the results folder @p top, which must stay open; NULL: in none, to be read and
 * closed. After a failure nothing is left to be closed. */
bool database_begin(struct database_writer *w, const struct folder *top,
                    const struct database_key *keys, size_t nkeys, char **why);

/** Adds the tables in the schema `run` as those of run @p number. @p cells: one per key. */
bool database_add_run(const struct database_writer *w, size_t number, const char *name,
                      const char *const *cells, char **why);

/** A SELECT of a table of all runs, behind their names, `run`, and what varies; the caller frees
 * it.
 */
char *database_select(const struct database_writer *w, const char *table);

/** Adds `aggregate`, where there are seeds, and indices, when all runs are there. */
bool database_complete(const struct database_writer *w, char **why);

/** Ends the file and puts it in its place; it is closed, also after a failure. */
bool database_finish(struct database_writer *w, char **why);

/** Leaves the former file as it was. */
void database_abandon(struct database_writer *w);

/** Whether there are seeds among the keys. */
bool database_has_seeds(const struct database_writer *w);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file database.h  All results of a scenario as one SQLite file, results.sqlite: written when its
 * runs are, or by `weft collect`, from the CSV files. docs/results.md has its tables.
 *
 * It is written under another name in one transaction and renamed, so that who reads it sees all of
 * it or all of the former one.
 */
#ifndef WEFT_RUNNER_DATABASE_H
#define WEFT_RUNNER_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "columns.h"
#include "csv.h"
#include "files.h"

#define DATABASE_FILE "results.sqlite"

/** Of its tables; in the file as `pragma user_version`. Another number: columns or tables have gone
 * or mean something else. */
#define DATABASE_VERSION 1

/** A column that varies in a sweep. */
struct database_key
{
    const char *name;
    const char *unit; /**< of its cells, as csv_unit(); NULL: they are not all of one */
    bool is_exact;    /**< they are numbers that SQL shows as they are written; 1.10 is not */
};

/** A key with these cells. The name stays the caller's. 0 is of any unit. */
struct database_key database_key_of(const char *name, const char *const *cells, size_t n);

/** The name of the column of `summary` that has a key's values as numbers, which the caller frees;
 * NULL: they are none, or of several units. */
char *database_number_column(const struct database_key *key);

struct database_writer;

/** Starts a file in the results folder @p top, which must stay open. NULL with a sentence in *why.
 */
struct database_writer *database_begin(const struct folder *top, const struct database_key *keys,
                                       size_t nkeys, char **why);

/** Adds finished run @p number; rows added later are of it. @p cells: one per key. False with a
 * sentence. */
bool database_add_run(struct database_writer *w, size_t number, const char *name,
                      const char *const *cells, char **why);

/** Removes the rows of the run that was added last. False with a sentence. */
bool database_drop_run(struct database_writer *w, char **why);

/** Adds rows of a run's CSV file, which has the columns of @p table. False with a sentence. */
bool database_add_table(struct database_writer *w, const struct column_table *table,
                        const struct csv *csv, char **why);

/** Adds a row of `parameters`: attribute @p name ("balancer.name") of the scenario's element number
 * @p number of that name. */
bool database_add_parameter(struct database_writer *w, const char *name, size_t number,
                            const char *text, char **why);

/** Adds a row of `provenance`. */
bool database_add_provenance(struct database_writer *w, const char *key, const char *text,
                             char **why);

/** Adds a table as it is, such as aggregate.csv; nothing if @p csv is NULL. */
bool database_add_csv(struct database_writer *w, const char *name, const struct csv *csv,
                      char **why);

/** Ends the file, writes tables.txt (file-list.h) with @p list, to which its line is added, and
 * puts it in its place. Frees @p w, also after a failure. False with a sentence. */
bool database_finish(struct database_writer *w, struct text *list, char **why);

struct sqlite3;

/** The tables of such results in memory, without rows, and `aggregate` with the columns of @p
 * aggregate. NULL with a sentence. */
struct sqlite3 *database_make_empty(const struct database_key *keys, size_t nkeys,
                                    const struct csv *aggregate, char **why);

/** Leaves the former file as it was. */
void database_abandon(struct database_writer *w);

#endif

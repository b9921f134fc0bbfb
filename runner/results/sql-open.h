/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file sql-open.h  Every database of Weft's is opened and attached here. It may be a stranger's: a
 * view may have rows without end, and what SQLite reads of a file may lead back to itself. So
 * nothing that a file brings with it may do what only programs may, and there are limits.
 */
#ifndef WEFT_RUNNER_SQL_OPEN_H
#define WEFT_RUNNER_SQL_OPEN_H

#include <stdbool.h>
#include <stdint.h>

struct sqlite3;

/** Opens @p where (":memory:", "" or an address, as sql_file_address()), runs @p start unless it is
 * NULL, and leaves no database that is attached later more rights than its own rows need. SQLite's
 * result code; the caller closes *db whatever it is. */
int sql_open(struct sqlite3 **db, const char *where, int flags, const char *start);

/** Attaches @p where as a schema; SQLite's result code. */
int sql_attach(struct sqlite3 *db, const char *where, const char *schema);

/** Steps of SQLite's machine that are left. */
struct sql_steps
{
    uint64_t left;
};

/** Ends what takes more steps, with SQLITE_INTERRUPT; @p steps NULL: nothing is ended any more. */
void sql_limit_steps(struct sqlite3 *db, struct sql_steps *steps);

/** Content of a schema beside ordinary tables. */
enum sql_schema
{
    SQL_TABLES,      /**< nothing: the file of a run */
    SQL_RESULTS,     /**< the view `messages` and indices: results.sqlite */
    SQL_AND_QUERIES, /**< any views and indices, where queries with limits are all that reads: open
                      * data */
};

/** Whether all in a schema is that; no table computes anything. Else a sentence in *why that begins
 * with "its". */
bool sql_schema_fits(struct sqlite3 *db, const char *schema, enum sql_schema expected, char **why);

/** Statement that makes the view `messages` of results.sqlite. */
#define SQL_MESSAGES_VIEW "CREATE VIEW messages AS SELECT * FROM flows"

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file sql-file.h  SQLite files that are written once, in one go, and then only read. SQLite takes
 * numbers of a damaged file as they are, so the file has a checksum of its other bytes: where
 * SQLite keeps its application_id, which it makes no use of.
 */
#ifndef WEFT_RUNNER_SQL_FILE_H
#define WEFT_RUNNER_SQL_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "files.h"
#include "textbuf.h"

/** Version of the tables of results; in each file as `pragma user_version`. Another number: columns
 * or tables have gone or mean something else. */
#define RESULTS_VERSION 2

struct sqlite3;
struct sqlite3_stmt;

/** Functions that return bool return true, or false with a sentence in *why (the caller frees it).
 * */

struct sql_file
{
    struct sqlite3 *db;
    const struct folder *folder; /**< NULL: it is in none, and goes when it is closed */
    const char *name;            /**< for messages; the caller's */
};

/** Opens an empty file that is there, to write it in pages of @p page bytes. Nobody else may be at
 * it: no locks are asked for. @p temporary: its name until it is whole; the caller's. */
bool sql_file_open(struct sql_file *f, const struct folder *folder, const char *temporary,
                   const char *name, int page, char **why);
/** Opens a file without a name, which SQLite keeps in memory as long as it is small. */
bool sql_file_open_unnamed(struct sql_file *f, char **why);

/** Runs statements. */
bool sql_file_run(const struct sql_file *f, const char *sql, char **why);
bool sql_file_prepare(const struct sql_file *f, const char *sql, struct sqlite3_stmt **statement,
                      char **why);
/** Does what has been prepared and bound, for the next time too. */
bool sql_file_step(const struct sql_file *f, struct sqlite3_stmt *statement, char **why);

/** Ends it: its version, its checksum. It is closed, also after a failure. */
bool sql_file_end(struct sql_file *f, const char *temporary, char **why);
void sql_file_close(struct sql_file *f);

struct sqlite3_stmt;
/** For CLEANUP(). */
void statement_drop(struct sqlite3_stmt **statement);

enum sql_file_state
{
    SQL_FILE_WHOLE,
    SQL_FILE_DAMAGED,    /**< its bytes are not those that were written */
    SQL_FILE_UNREADABLE, /**< nobody can say */
    SQL_FILE_TOO_LARGE, /**< nobody has the time to look, or it has more than SQL_FILE_MOST bytes */
};

/** Bytes of a file, at most. */
#define SQL_FILE_MOST ((uint64_t)16 << 30)

/** The state of a plain file of the folder, and its bytes unless it is unreadable; a sentence in
 * *why unless it is whole. @p deadline of clock_seconds(), which --timeout sets, or INFINITY. */
enum sql_file_state sql_file_look(const struct folder *folder, const char *name, double deadline,
                                  uint64_t *size, char **why);

/** Returns the address that opens a file for reading; the caller frees it. The file never changes
 * once it is in its place, so no locks are needed, which some network folders do not have. */
char *sql_file_address(const char *path);

/** Adds a name of a table or column, in quotes where SQL needs them. */
void sql_add_name(struct text *t, const char *name);

/** Adds a text in quotes. */
void sql_add_literal(struct text *t, const char *s);

#endif

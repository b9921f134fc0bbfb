/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file run-file.h  The file of one run, runs/NAME.sqlite: its tables, its resolved scenario with
 * what that reads, and what made it. A file of that name is a finished run: it is written as
 * .tmp-NAME.sqlite beside it and renamed when it is whole. The lock that keeps two processes off
 * one run is one on that file, so that it dies with its process.
 *
 * Beside the tables of results-tables.h that have rows, there are in it `parameters` and
 * `provenance`, as in results.sqlite but without the column `run`, and `files` (name, bytes):
 * scenario.xml and the files that it names.
 */
#ifndef WEFT_RUNNER_RUN_FILE_H
#define WEFT_RUNNER_RUN_FILE_H

#include <stdbool.h>

#include "files.h"
#include "results.h"
#include "scenario.h"
#include "sql-file.h"

struct run_file
{
    const struct folder *runs; /**< results/<scenario>/runs */
    char *name;                /**< of the file */
    char *temporary;           /**< its name until it is whole */
    char *aside;               /**< results/<scenario>/unfinished/<name>, for messages */
    int lock;                  /**< the open temporary file; -1: not held */
    struct sql_file file;      /**< the same for SQLite, until it is written */
    bool busy;                 /**< run_file_open() failed as another process works on this run */
};

/** Whether the run may take the places of its files: else something that no run made is there, and
 * a sentence in *why. */
bool run_file_may_be_made(const struct folder *runs, const char *name, char **why);

/** Makes, locks and opens the temporary file of run @p name. False with a sentence in *why: it
 * cannot be written, or another process works on this run. */
bool run_file_open(struct run_file *f, const struct folder *runs, const char *name, char **why);

/** Writes all that is known of the run. @p seconds: its wall-clock time. */
bool run_file_write(struct run_file *f, const struct scenario *s, const char *resolved,
                    const struct run_results *results, double seconds, char **why);

/** Renames it into place; an older file of that name goes only then. Whoever finishes many runs
 * flushes their folder for all of them. */
bool run_file_finish(struct run_file *f, char **why);

/** Removes what an earlier attempt at this run has set aside. */
bool run_file_forget_aside(const struct run_file *f, char **why);

/** Renames the results of a run that was cut to `aside`, where they count for nothing. */
bool run_file_set_aside(struct run_file *f, char **why);

/** Removes what is unfinished and frees. */
void run_file_close(struct run_file *f);

/** The name of the file of run @p name, which the caller frees. */
char *run_file_name(const char *name);

/** Removes what a dead process left of one run. */
void run_file_forget(const struct folder *runs, const char *name);

/** Removes temporary files whose processes are dead; for who has all runs alone, as others may just
 * have made one and not have locked it. */
void run_files_clean(const struct folder *runs);

/* Statements that make the tables that all runs have, whatever is measured; SQLite keeps them word
 * by word. */
#define RUN_FILES_TABLE      "CREATE TABLE files (name TEXT NOT NULL, bytes BLOB NOT NULL)"
#define RUN_PROVENANCE_TABLE "CREATE TABLE provenance (key TEXT NOT NULL, text TEXT NOT NULL)"

/* --- reading ---------------------------------------------------------------------------------- */

enum run_state
{
    RUN_TO_DO,
    RUN_STALE,   /**< another resolved scenario or other code made it, or its tables are not today's
                  */
    RUN_DAMAGED, /**< its bytes are not those that were written */
    RUN_UNREADABLE,
    RUN_FINISHED,
};

struct sqlite3;

/** A database in memory whose schema `run` run_file_state() sets; NULL: there is no memory. The
 * caller closes it. */
struct sqlite3 *run_file_reader(void);

/** Whether run @p name has a file, whatever its state. */
bool run_file_is_there(const struct folder *runs, const char *name);

/** The state of run @p name, which is to be made of a scenario, @p resolved as scenario_write()
 * gives it, by @p code, as built_code(). Its tables are the schema `run` of @p db afterwards if it
 * is finished or stale. A sentence in *why if it is anything else but to do. */
enum run_state run_file_state(struct sqlite3 *db, const struct folder *runs, const char *name,
                              const char *resolved, const char *code, char **why);

/** Makes the tables of a whole file the schema `run`; of another one, or one whose tables are not
 * such as runs write (run_tables_look()), a sentence in *why. */
enum sql_file_state run_file_attach(struct sqlite3 *db, const struct folder *folder,
                                    const char *file, char **why);

/** Does so by a path. Returns the name of the run, which the caller frees, or NULL with a sentence
 * in *why. */
char *run_file_attach_path(struct sqlite3 *db, const char *path, char **why);

/* --- parameters ------------------------------------------------------------------------------- */

/* A resolved scenario as rows of SQL. */

#define PARAMETERS_COLUMNS                                                                         \
    "name TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL, value REAL, unit TEXT"
#define RUN_PARAMETERS_TABLE "CREATE TABLE parameters (" PARAMETERS_COLUMNS ")"

/** Makes a table `parameters` in a schema, with every attribute of a resolved scenario. False with
 * a sentence in *why. */
bool parameters_add(struct sqlite3 *db, const char *schema, const char *resolved, char **why);

/** Says what differs between the parameters in the schemas `run` and `temp`: "transport.rto changed
 * (100us, now 150us)". The caller frees it. */
char *parameters_changed(struct sqlite3 *db);

#endif

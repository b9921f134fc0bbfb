/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the file of a run is what it is to be. */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "provenance.h"
#include "run-file.h"
#include "run-tables.h"
#include "sql-file.h"
#include "sql-open.h"
#include "textbuf.h"

/** Steps of SQLite's machine for opening a file: what it has of tables' names. */
#define OPENING_STEPS 10000000

sqlite3 *
run_file_reader(void)
{
    sqlite3 *db = NULL;
    if (sql_open(&db, ":memory:", SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
        sql_attach(db, ":memory:", "run") != SQLITE_OK)
    {
        on_out_of_memory();
    }
    return db;
}

/** Makes a file the schema `run`; an empty one after a failure, with a sentence. */
static bool
replace_run(sqlite3 *db, const char *path, char **why)
{
    struct sql_steps steps = {OPENING_STEPS};
    OWNED char *address = sql_file_address(path);
    sqlite3_exec(db, "DETACH run;", NULL, NULL, NULL);
    sql_limit_steps(db, &steps);
    const bool good = sql_attach(db, address, "run") == SQLITE_OK;
    sql_limit_steps(db, NULL);
    if (!good)
    {
        *why = xformat("%s cannot be read: %s", path, sqlite3_errmsg(db));
        sql_attach(db, ":memory:", "run");
    }
    return good;
}

enum sql_file_state
run_file_attach(sqlite3 *db, const struct folder *folder, const char *file, char **why)
{
    OWNED char *path = xformat("%s/%s", folder->path, file), *wrong = NULL;
    uint64_t size;
    const enum sql_file_state state = sql_file_look(folder, file, INFINITY, &size, why);
    if (state != SQL_FILE_WHOLE || !replace_run(db, path, why))
    {
        return state == SQL_FILE_WHOLE ? SQL_FILE_DAMAGED : state;
    }
    if (!run_tables_look(db, size, &wrong))
    {
        *why = xformat("%s is not the file of a run: %s", path, wrong);
    }
    return *why ? SQL_FILE_DAMAGED : SQL_FILE_WHOLE;
}

char *
run_file_attach_path(sqlite3 *db, const char *path, char **why)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path,
               *dot = strrchr(file, '.');
    const int length = slash ? (int)(slash - path) : 0;
    CLEANUP(folder_close) struct folder from = NO_FOLDER;
    OWNED char *folder = slash ? xformat("%.*s", length ? length : 1, path) : xstrdup(".");
    if (!dot || dot == file || strcmp(dot, ".sqlite") != 0)
    {
        *why = xformat("%s is not the file of a run; expected one of runs/*.sqlite in a results "
                       "folder",
                       path);
        return NULL;
    }
    const bool good =
        folder_open(&from, folder, why) && run_file_attach(db, &from, file, why) == SQL_FILE_WHOLE;
    return good ? xformat("%.*s", (int)(dot - file), file) : NULL;
}

/** The first column of the first row, which the caller frees; NULL: there is none. */
static char *
ask(sqlite3 *db, const char *sql)
{
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    char *answer = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW &&
        sqlite3_column_text(s, 0))
    {
        answer = xstrdup((const char *)sqlite3_column_text(s, 0));
    }
    return answer;
}

/** Whether the tables of a run have the columns of this version, and those that every run has are
 * there; else a sentence in *why. */
static bool
tables_fit(sqlite3 *db, char **why)
{
    size_t n;
    const struct column_table *const *tables = column_tables(&n);
    sqlite3_stmt *s = NULL;
    sqlite3_prepare_v2(db, "SELECT sql FROM run.sqlite_master WHERE name = ?;", -1, &s, NULL);
    for (size_t i = 0; s && i < n && !*why; i++)
    {
        const struct column_table *t = tables[i];
        const bool always =
            t == &summary_table || t == &qps_table || t == &groups_table || t == &layers_table;
        sqlite3_bind_text(s, 1, t->name, -1, SQLITE_STATIC);
        const bool is = sqlite3_step(s) == SQLITE_ROW;
        if (is ? strcmp((const char *)sqlite3_column_text(s, 0), run_table_statements()[i]) != 0
               : always)
        {
            *why = xformat(is ? "its table %s does not have the columns of this version of Weft"
                              : "it has no table %s, which this version of Weft writes",
                           t->name);
        }
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    return s && !*why;
}

/** Whether the resolved scenario is the same; else what has changed. */
static bool
scenario_fits(sqlite3 *db, const char *resolved, char **why)
{
    OWNED char *is =
        ask(db, "SELECT CAST(bytes AS TEXT) FROM run.files WHERE name = 'scenario.xml';");
    const bool fits = is && strcmp(is, resolved) == 0;
    if (!fits && parameters_add(db, "temp", resolved, why))
    {
        *why = parameters_changed(db);
        sqlite3_exec(db, "DROP TABLE temp.parameters;", NULL, NULL, NULL);
    }
    return fits;
}

static bool
code_fits(sqlite3 *db, const char *code, char **why)
{
    OWNED char *was = ask(db, "SELECT text FROM run.provenance WHERE key = 'code';");
    *why = was ? built_code_changed(was, code)
               : xstrdup("an earlier Weft made it, which did not say by what code");
    return !*why;
}

bool
run_file_is_there(const struct folder *runs, const char *name)
{
    OWNED char *file = run_file_name(name);
    return runs->fd >= 0 && file_is_there(runs, file);
}

enum run_state
run_file_state(sqlite3 *db, const struct folder *runs, const char *name, const char *resolved,
               const char *code, char **why)
{
    OWNED char *file = run_file_name(name);
    *why = NULL;
    if (!run_file_is_there(runs, name))
    {
        return RUN_TO_DO;
    }
    const enum sql_file_state is = run_file_attach(db, runs, file, why);
    return is == SQL_FILE_UNREADABLE || is == SQL_FILE_TOO_LARGE ? RUN_UNREADABLE
           : is == SQL_FILE_DAMAGED                              ? RUN_DAMAGED
           : scenario_fits(db, resolved, why) && tables_fit(db, why) && code_fits(db, code, why)
               ? RUN_FINISHED
               : RUN_STALE;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "sql-open.h"

#include <sqlite3.h>
#include <string.h>

#include "textbuf.h"

/** Steps between two looks at how many are left. */
#define STEPS_PER_LOOK 100

int
sql_open(sqlite3 **db, const char *where, int flags, const char *start)
{
    static const char careful[] = "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;";
    const int ours = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX; /* one thread has it */
    int status = sqlite3_open_v2(where, db, flags | ours, NULL);
    if (status == SQLITE_OK && start)
    {
        status = sqlite3_exec(*db, start, NULL, NULL, NULL);
    }
    if (status == SQLITE_OK)
    {
        sqlite3_db_config(*db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        sqlite3_db_config(*db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        sqlite3_db_config(*db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
        sqlite3_db_config(*db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
        status = sqlite3_exec(*db, careful, NULL, NULL, NULL);
    }
    return status;
}

int
sql_attach(sqlite3 *db, const char *where, const char *schema)
{
    sqlite3_stmt *s = NULL;
    const bool good = sqlite3_prepare_v2(db, "ATTACH ? AS ?", -1, &s, NULL) == SQLITE_OK &&
                      sqlite3_bind_text(s, 1, where, -1, SQLITE_STATIC) == SQLITE_OK &&
                      sqlite3_bind_text(s, 2, schema, -1, SQLITE_STATIC) == SQLITE_OK &&
                      sqlite3_step(s) == SQLITE_DONE;
    sqlite3_finalize(s);
    return good ? SQLITE_OK : sqlite3_errcode(db);
}

/* --- limits ----------------------------------------------------------------------------------- */

static int
is_over(void *user)
{
    struct sql_steps *steps = user;
    const bool over = steps->left < STEPS_PER_LOOK;
    steps->left -= over ? 0 : STEPS_PER_LOOK;
    return over;
}

void
sql_limit_steps(sqlite3 *db, struct sql_steps *steps)
{
    sqlite3_progress_handler(db, steps ? STEPS_PER_LOOK : 0, steps ? is_over : NULL, steps);
}

/* --- schemas ---------------------------------------------------------------------------------- */

/** Whether a statement has one list in parentheses, and in that names, types and constraints of one
 * word alone: no expression. */
static bool
has_one_list(const char *sql)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789 ,()\n\"";
    int lists = 0;
    for (; *sql && strchr(plain, *sql); sql++)
    {
        const char *quote = *sql == '"' ? strchr(sql + 1, '"') : sql;
        if (!quote)
        {
            return false;
        }
        sql = quote;
        lists += *sql == '(';
    }
    return lists == 1 && !*sql;
}

/** Says what a row of sqlite_master should not be; NULL: it is as expected. */
static const char *
complaint(const char *type, const char *sql, int root, enum sql_schema expected)
{
    const bool ordinary = sql && root > 0 && has_one_list(sql);
    if (strcmp(type, "table") == 0)
    {
        return ordinary && strncmp(sql, "CREATE TABLE ", 13) == 0 ? NULL
               : root > 0 ? "a table with expressions; expected columns of values"
                          : "a virtual table; expected an ordinary one";
    }
    if (strcmp(type, "view") == 0)
    {
        const bool may = expected == SQL_AND_QUERIES ||
                         (expected == SQL_RESULTS && sql && strcmp(sql, SQL_MESSAGES_VIEW) == 0);
        return may ? NULL : "a view; expected a table";
    }
    const bool may = strcmp(type, "index") == 0 && expected != SQL_TABLES;
    return may && (!sql || ordinary) ? NULL : "no table; expected tables and nothing else";
}

bool
sql_schema_fits(sqlite3 *db, const char *schema, enum sql_schema expected, char **why)
{
    sqlite3_stmt *s = NULL;
    OWNED char *sql = xformat("SELECT type, name, sql, rootpage FROM \"%s\".sqlite_master", schema);
    int status = sqlite3_prepare_v2(db, sql, -1, &s, NULL);
    const char *wrong = NULL;
    while (!wrong && (status == SQLITE_OK || status == SQLITE_ROW) &&
           (status = sqlite3_step(s)) == SQLITE_ROW)
    {
        const char *type = (const char *)sqlite3_column_text(s, 0);
        const char *made = (const char *)sqlite3_column_text(s, 2);
        wrong = complaint(type ? type : "", made, sqlite3_column_int(s, 3), expected);
    }
    *why = wrong ? xformat("its %s is %s", (const char *)sqlite3_column_text(s, 1), wrong)
           : status != SQLITE_DONE ? xformat("its tables cannot be read: %s",
                                             status == SQLITE_INTERRUPT ? "there is no end of them"
                                                                        : sqlite3_errmsg(db))
                                   : NULL;
    sqlite3_finalize(s);
    return !*why;
}

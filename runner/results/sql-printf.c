/* SPDX-License-Identifier: GPL-2.0-only */
#include "sql-printf.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "sql-open.h"
#include "textbuf.h"

/** Arguments of a function, at most. Since 3.48 SQLite may take 1000. */
#define MOST_ARGUMENTS 127

/** Bytes that are put before a format: an empty text is NULL to some versions of SQLite, as one is
 * that is too long. */
#define BEFORE 1

/** Database, an empty one, that is asked what SQLite's own printf() gives. */
struct asked
{
    sqlite3 *db;
    sqlite3_stmt *with[MOST_ARGUMENTS + 1]; /**< [number of arguments]: SELECT printf(?, ...) */
};

/** Returns the statement that asks with so many arguments; NULL: there is no memory. */
static sqlite3_stmt *
statement_of(struct asked *a, int n, int most)
{
    CLEANUP(text_drop) struct text sql = {0};
    if (!a->db && sql_open(&a->db, ":memory:", SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
    {
        return NULL;
    }
    sqlite3_limit(a->db, SQLITE_LIMIT_LENGTH, BEFORE + most + 1); /* a NUL is behind it */
    text_add(&sql, "SELECT printf(");
    for (int i = 0; i < n; i++)
    {
        text_add(&sql, i ? ",?" : "'.' || ?");
    }
    text_add(&sql, ")");
    return a->with[n] || sqlite3_prepare_v2(a->db, sql.s, -1, &a->with[n], NULL) == SQLITE_OK
               ? a->with[n]
               : NULL;
}

static void
ask(sqlite3_context *context, int n, sqlite3_value **args)
{
    sqlite3 *db = sqlite3_context_db_handle(context);
    sqlite3_stmt *s =
        statement_of(sqlite3_user_data(context), n, sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1));
    bool good = s != NULL;
    for (int i = 0; good && i < n; i++)
    {
        good = sqlite3_bind_value(s, i + 1, args[i]) == SQLITE_OK;
    }
    if (!good || sqlite3_step(s) != SQLITE_ROW)
    {
        sqlite3_result_error_nomem(context);
    }
    else if (sqlite3_column_type(s, 0) == SQLITE_NULL && n > 0 &&
             sqlite3_value_type(args[0]) != SQLITE_NULL)
    {
        sqlite3_result_error_toobig(context);
    }
    else
    {
        const char *text = (const char *)sqlite3_column_text(s, 0);
        sqlite3_result_text(context, text ? text + BEFORE : NULL, -1, SQLITE_TRANSIENT);
    }
    sqlite3_reset(s);
}

static void
drop(void *user)
{
    struct asked *a = user;
    for (int i = 0; i <= MOST_ARGUMENTS; i++)
    {
        sqlite3_finalize(a->with[i]);
    }
    sqlite3_close(a->db);
    free(a);
}

int
sql_printf_register(sqlite3 *db)
{
    static const char *const names[] = {"printf", "format"};
    int status = SQLITE_OK;
    sqlite3_limit(db, SQLITE_LIMIT_FUNCTION_ARG, MOST_ARGUMENTS);
    for (size_t i = 0; i < sizeof names / sizeof *names && status == SQLITE_OK; i++)
    {
        status = sqlite3_create_function_v2(
            db, names[i], -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
            xcalloc(1, sizeof(struct asked)), ask, NULL, NULL, drop);
    }
    return status;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "sql-printf.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "textbuf.h"

/** SQLite's own function, in a connection of its own, and the call that was made last. */
struct original
{
    sqlite3 *db;
    sqlite3_stmt *call;
    int n; /**< its arguments */
};

/** Reads a width or a precision, a number or the next argument; whether it is in bounds. */
static bool
take_size(const char **format, int n, sqlite3_value **args, int *arg)
{
    sqlite3_int64 size = 0;
    if (**format == '*')
    {
        ++*format;
        size = *arg < n ? sqlite3_value_int64(args[*arg]) : 0;
        ++*arg;
        return size >= -SQL_PRINTF_MOST && size <= SQL_PRINTF_MOST;
    }
    for (; **format >= '0' && **format <= '9'; ++*format)
    {
        size = size > SQL_PRINTF_MOST ? size : 10 * size + (**format - '0');
    }
    return size <= SQL_PRINTF_MOST;
}

/** Whether all widths and precisions are in bounds. */
static bool
is_bounded(const char *format, int n, sqlite3_value **args)
{
    int arg = 1;
    bool good = true;
    while (good && format && (format = strchr(format, '%')) != NULL)
    {
        format += 1 + strspn(format + 1, "-+ 0#!,");
        good = take_size(&format, n, args, &arg);
        if (good && *format == '.')
        {
            format++;
            good = take_size(&format, n, args, &arg);
        }
        format += strspn(format, "l");
        arg += *format != '%' && *format != 'n';
        format += *format != '\0';
    }
    return good;
}

/** Prepares "SELECT printf(?, ...)" with @p n arguments. */
static int
prepare(struct original *o, int n)
{
    struct text t = {0};
    if (o->call && o->n == n)
    {
        return SQLITE_OK;
    }
    sqlite3_finalize(o->call);
    o->n = n;
    for (int i = 0; i < n; i++)
    {
        text_add(&t, i ? ",?" : "SELECT printf(?");
    }
    text_add(&t, n ? ")" : "SELECT printf()");
    const int status = sqlite3_prepare_v2(o->db, t.s, -1, &o->call, NULL);
    free(t.s);
    return status;
}

static void
print(sqlite3_context *context, int n, sqlite3_value **args)
{
    struct original *o = sqlite3_user_data(context);
    if (n > 0 && !is_bounded((const char *)sqlite3_value_text(args[0]), n, args))
    {
        sqlite3_result_error(context, "a width or precision in printf() above 1000", -1);
        return;
    }
    bool good = prepare(o, n) == SQLITE_OK;
    for (int i = 0; good && i < n; i++)
    {
        good = sqlite3_bind_value(o->call, i + 1, args[i]) == SQLITE_OK;
    }
    if (good && sqlite3_step(o->call) == SQLITE_ROW)
    {
        sqlite3_result_value(context, sqlite3_column_value(o->call, 0));
    }
    else
    {
        sqlite3_result_error(context, sqlite3_errmsg(o->db), -1);
    }
    sqlite3_reset(o->call);
}

static void
close_original(void *user)
{
    struct original *o = user;
    sqlite3_finalize(o->call);
    sqlite3_close(o->db);
    free(o);
}

int
sql_printf_register(sqlite3 *db)
{
    static const char *const names[] = {"printf", "format"};
    int status = SQLITE_OK;
    for (size_t i = 0; status == SQLITE_OK && i < sizeof names / sizeof *names; i++)
    {
        struct original *o = xcalloc(1, sizeof *o);
        status = sqlite3_open_v2(":memory:", &o->db, SQLITE_OPEN_READWRITE, NULL);
        if (status != SQLITE_OK)
        {
            close_original(o);
            return status;
        }
        sqlite3_limit(o->db, SQLITE_LIMIT_LENGTH, sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1));
        status = sqlite3_create_function_v2(db, names[i], -1,
                                            SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                            o, print, NULL, NULL, close_original);
    }
    return status;
}

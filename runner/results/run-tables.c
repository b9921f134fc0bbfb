/* SPDX-License-Identifier: GPL-2.0-only */
#include "run-tables.h"

#include <ctype.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "run-file.h"
#include "sql-open.h"

/** Bytes that a row takes at least: its place in the page, its length, its number, its header. */
#define ROW_BYTES 6

/** Steps of SQLite's machine for a byte of the file, of which each column of a row has one: two, if
 * it is REAL, and a few for the row. And those for the schema. */
#define STEPS_PER_BYTE 4
#define SCHEMA_STEPS   10000000

/** The longest text that SQLite takes is as long as the file, within these bounds. */
#define LEAST_TEXT ((uint64_t)1 << 24)
#define MOST_TEXT  ((uint64_t)1000000000)

/** Bound of results: columns_bind(). A parameter is a count of 64 bits at most. */
#define MOST_NUMBER    9e12
#define MOST_PARAMETER 1e20

/** The whole of its files: a scenario with those that it names. */
#define MOST_FILES 10000

/** While the tables are looked at. */
struct look
{
    sqlite3 *db;
    sqlite3_stmt *statement; /**< asks for the one that makes a table */
    uint64_t bytes_left;     /**< of the file, for the rows that are still to come */
    char **why;
};

/** A table, and the kinds of its columns: t text, i whole number, r number, p number of a
 * parameter, b bytes; a capital: not NULL. NULL: any. */
struct expected
{
    const char *name, *sql, *kinds;
    size_t least, most; /**< rows */
};

char *const *
run_table_statements(void)
{
    static char **made;
    size_t n;
    const struct column_table *const *tables = column_tables(&n);
    for (size_t i = made ? n : 0; i < n; i++)
    {
        struct text t = {0};
        made = i ? made : xcalloc(n, sizeof *made);
        columns_add_create(&t, tables[i]);
        made[i] = text_take(&t);
    }
    return made;
}

/* --- rows ------------------------------------------------------------------------------------- */

static double
most_of(int kind)
{
    return tolower(kind) == 'p' ? MOST_PARAMETER : MOST_NUMBER;
}

/** Names what a cell has in the place of what its column has; NULL: it fits. */
static const char *
wrong_cell(sqlite3_stmt *s, int i, int type, int kind)
{
    switch (type)
    {
    case SQLITE_NULL:
        return isupper(kind) ? "no value" : NULL;
    case SQLITE_INTEGER:
        return kind == '*' || tolower(kind) == 'i' ? NULL : "a whole number";
    case SQLITE_FLOAT:
        return !strchr("*rRpP", kind)                              ? "a number"
               : fabs(sqlite3_column_double(s, i)) < most_of(kind) ? NULL
                                                                   : "a number without bounds";
    case SQLITE_TEXT:
        return kind == '*' || tolower(kind) == 't' ? NULL : "a text";
    default:
        return kind == '*' || tolower(kind) == 'b' ? NULL : "bytes";
    }
}

static const char *
name_of_kind(int kind)
{
    return tolower(kind) == 't'   ? "a text"
           : tolower(kind) == 'i' ? "a whole number"
           : tolower(kind) == 'b' ? "bytes"
           : tolower(kind) == 'p' ? "a number below 1e20"
                                  : "a number below 9e12";
}

/** Whether the row that a step has made fits; else a sentence. */
static bool
row_fits(struct look *l, const struct expected *e, sqlite3_stmt *s)
{
    uint64_t bytes = ROW_BYTES;
    const int n = sqlite3_column_count(s);
    for (int i = 0; i < n; i++)
    {
        const int kind = e->kinds ? e->kinds[i] : '*', type = sqlite3_column_type(s, i);
        const char *wrong = wrong_cell(s, i, type, kind);
        if (wrong)
        {
            *l->why = xformat("its table %s has %s as %s; expected %s", e->name, wrong,
                              sqlite3_column_name(s, i), name_of_kind(kind));
            return false;
        }
        bytes +=
            type == SQLITE_TEXT || type == SQLITE_BLOB ? (uint64_t)sqlite3_column_bytes(s, i) : 0;
    }
    if (bytes > l->bytes_left)
    {
        *l->why = xformat("its table %s has more rows than the file has room for", e->name);
        return false;
    }
    l->bytes_left -= bytes;
    return true;
}

static bool
rows_fit(struct look *l, const struct expected *e)
{
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    OWNED char *sql = xformat("SELECT * FROM run.\"%s\"", e->name);
    int status = sqlite3_prepare_v2(l->db, sql, -1, &s, NULL);
    size_t rows = 0;
    while ((status == SQLITE_OK || status == SQLITE_ROW) &&
           (status = sqlite3_step(s)) == SQLITE_ROW && rows <= e->most)
    {
        rows++;
        if (!row_fits(l, e, s))
        {
            return false;
        }
    }
    const bool read = status == SQLITE_DONE || status == SQLITE_ROW;
    if (!read)
    {
        *l->why = status == SQLITE_INTERRUPT
                      ? xformat("its table %s takes more steps than a file of its size", e->name)
                      : xformat("its table %s cannot be read: %s", e->name, sqlite3_errmsg(l->db));
    }
    else if (rows < e->least || rows > e->most)
    {
        *l->why = xformat("its table %s has %s rows; expected %zu%s", e->name,
                          rows < e->least ? "fewer" : "more", rows < e->least ? e->least : e->most,
                          rows < e->least ? " or more" : " at most");
    }
    return !*l->why;
}

/* --- tables ----------------------------------------------------------------------------------- */

/** Returns the statement that makes a table; NULL: it is not there. The caller frees it. */
static char *
statement_of(const struct look *l, const char *name)
{
    sqlite3_stmt *s = l->statement;
    const bool is = sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC) == SQLITE_OK &&
                    sqlite3_step(s) == SQLITE_ROW;
    char *sql = is ? xstrdup((const char *)sqlite3_column_text(s, 0)) : NULL;
    sqlite3_reset(s);
    return sql;
}

/** Looks at tables that have the same columns in all versions. */
static bool
look_at_fixed(struct look *l)
{
    static const struct expected fixed[] = {
        {"files", RUN_FILES_TABLE, "TB", 1, MOST_FILES},
        {"parameters", RUN_PARAMETERS_TABLE, "TITpt", 0, SIZE_MAX},
        {"provenance", RUN_PROVENANCE_TABLE, "TT", 0, SIZE_MAX},
    };
    bool good = true;
    for (size_t i = 0; good && i < sizeof fixed / sizeof *fixed; i++)
    {
        OWNED char *sql = statement_of(l, fixed[i].name);
        good = sql && strcmp(sql, fixed[i].sql) == 0;
        if (!good)
        {
            *l->why = xformat(sql ? "its table %s has other columns than those of a run"
                                  : "its table %s is not there",
                              fixed[i].name);
        }
        good = good && rows_fit(l, &fixed[i]);
    }
    return good;
}

/** A table of results; one of another version may have any columns. */
static bool
look_at(struct look *l, const struct column_table *t, const char *made)
{
    OWNED char *sql = statement_of(l, t->name), *kinds = xcalloc(t->n + 1, 1);
    for (size_t c = 0; c < t->n; c++)
    {
        const enum column_kind kind = t->columns[c].kind;
        const bool whole = kind == COLUMN_U64 || kind == COLUMN_U32 || kind == COLUMN_INDEX;
        kinds[c] = kind == COLUMN_TEXT ? 't' : whole ? 'i' : 'r';
    }
    const bool same = sql && strcmp(sql, made) == 0, one = t == &summary_table;
    const struct expected e = {t->name, made, same ? kinds : NULL, one, one ? 1 : SIZE_MAX};
    return !sql || rows_fit(l, &e);
}

bool
run_tables_look(sqlite3 *db, uint64_t size, char **why)
{
    struct sql_steps steps = {SCHEMA_STEPS + STEPS_PER_BYTE * size};
    CLEANUP(statement_drop) sqlite3_stmt *statement = NULL;
    const uint64_t text = size < LEAST_TEXT ? LEAST_TEXT : size > MOST_TEXT ? MOST_TEXT : size;
    size_t n;
    const struct column_table *const *tables = column_tables(&n);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, (int)text);
    sql_limit_steps(db, &steps);
    bool good = sql_schema_fits(db, "run", SQL_TABLES, why);
    sqlite3_prepare_v2(db, "SELECT sql FROM run.sqlite_master WHERE name = ?", -1, &statement,
                       NULL);
    struct look l = {db, statement, size, why};
    good = good && look_at_fixed(&l);
    for (size_t i = 0; good && i < n; i++)
    {
        good = look_at(&l, tables[i], run_table_statements()[i]);
    }
    sql_limit_steps(db, NULL);
    return good;
}

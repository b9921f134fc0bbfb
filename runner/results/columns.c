/* SPDX-License-Identifier: GPL-2.0-only */
#include "columns.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

/** In the place of where the number of rows is. */
#define ONE_ROW SIZE_MAX

/* Each line of results-tables.h as a column, and those of a file as a table. */
#define COLUMN(kind, name, member, sent, resent, doc)                                              \
    {name, kind, AT(member), AT(sent), AT(resent), doc},
#define AT(member)                           offsetof(struct ROW, member)
#define AS(kind, name, member, doc)          COLUMN(kind, name, member, member, member, doc)
#define TIME(name, member, doc)              AS(COLUMN_TIME, name, member, doc)
#define RATE(name, member, doc)              AS(COLUMN_RATE, name, member, doc)
#define RATIO(name, member, doc)             AS(COLUMN_RATIO, name, member, doc)
#define REAL(name, member, doc)              AS(COLUMN_REAL, name, member, doc)
#define TEXT(name, member, doc)              AS(COLUMN_TEXT, name, member, doc)
#define U32(name, member, doc)               AS(COLUMN_U32, name, member, doc)
#define U64(name, member, doc)               AS(COLUMN_U64, name, member, doc)
#define INDEX(name, member, doc)             AS(COLUMN_INDEX, name, member, doc)
#define COUNTER(member, doc)                 U64(#member, member, doc)
#define COUNTED(of, member, doc)             U64(#member, of.member, doc)
#define SHARE(name, part, sent, resent, doc) COLUMN(COLUMN_SHARE, name, part, sent, resent, doc)
#define ALSO(declaration)
#define TABLE_BEGIN(table) static const struct column table##_columns[] = {
#define TABLE_OF(table, doc, nrows)                                                                \
    }                                                                                              \
    ;                                                                                              \
    const struct column_table table##_table = {#table,                                             \
                                               #table ".csv",                                      \
                                               doc,                                                \
                                               table##_columns,                                    \
                                               COUNT_OF(table##_columns),                          \
                                               sizeof(struct ROW),                                 \
                                               offsetof(struct run_results, table),                \
                                               nrows};
#define TABLE_END(table, doc)   TABLE_OF(table, doc, offsetof(struct run_results, n##table))
#define ONE_ROW_END(table, doc) TABLE_OF(table, doc, ONE_ROW)
#include "results-tables.h"

const struct column_table *const *
column_tables(size_t *n)
{
    static const struct column_table *const tables[] = {
#define TABLE_END(table, doc) &table##_table,
#include "results-tables.h"
    };
    *n = COUNT_OF(tables);
    return tables;
}

const void *
column_row(const struct column_table *table, const struct run_results *r, size_t i)
{
    const char *rows = (const char *)r + table->rows;
    size_t n = 1;
    if (table->nrows != ONE_ROW)
    {
        memcpy(&n, (const char *)r + table->nrows, sizeof n);
        memcpy(&rows, rows, sizeof(void *)); /* a row elsewhere */
    }
    return i < n ? rows + i * table->row_size : NULL;
}

void
run_results_free(struct run_results *r)
{
    size_t n;
    const struct column_table *const *tables = column_tables(&n);
    for (size_t i = 0; i < n; i++)
    {
        void *rows;
        memcpy(&rows, (const char *)r + tables[i]->rows, sizeof rows);
        free(tables[i]->nrows == ONE_ROW ? NULL : rows);
    }
    free(r->link_names);
    for (size_t i = 0; i < r->nlanes; i++)
    {
        free(r->lanes[i]);
    }
    free(r->lanes);
    free(r->path_names);
    *r = (struct run_results){.nqps = 0};
}

const struct column *
columns_find(const struct column_table *table, const char *name)
{
    for (size_t i = 0; i < table->n; i++)
    {
        if (strcmp(table->columns[i].name, name) == 0)
        {
            return &table->columns[i];
        }
    }
    return NULL;
}

void
add_micro(struct text *t, int64_t units)
{
    uint64_t size = units < 0 ? -(uint64_t)units : (uint64_t)units;
    text_add(t, "%s%" PRIu64 ".%06" PRIu64, units < 0 ? "-" : "", size / 1000000, size % 1000000);
}

static bool
is_whole(enum column_kind kind)
{
    return kind == COLUMN_U64 || kind == COLUMN_U32 || kind == COLUMN_INDEX;
}

void
columns_add_types(struct text *t, const struct column_table *table)
{
    for (size_t i = 0; i < table->n; i++)
    {
        const enum column_kind kind = table->columns[i].kind;
        text_add(t, "%s\"%s\" %s", i ? "," : "", table->columns[i].name,
                 kind == COLUMN_TEXT ? "TEXT"
                 : is_whole(kind)    ? "INTEGER"
                                     : "REAL");
    }
}

void
columns_add_create(struct text *t, const struct column_table *table)
{
    text_add(t, "CREATE TABLE \"%s\" (", table->name);
    columns_add_types(t, table);
    text_add(t, ")");
}

/** A number of six decimals: @p value of 10^-6. */
static void
bind_micro(sqlite3_stmt *insert, int at, double value)
{
    if (isfinite(value) && fabs(value) < 9e18)
    {
        sqlite3_bind_double(insert, at, (double)llround(value) / 1e6);
    }
    else
    {
        sqlite3_bind_null(insert, at);
    }
}

static void
bind_whole(sqlite3_stmt *insert, int at, int64_t value)
{
    value < 0 ? sqlite3_bind_null(insert, at) : sqlite3_bind_int64(insert, at, value);
}

static uint64_t
count_at(const void *row, size_t offset)
{
    uint64_t count;
    memcpy(&count, (const char *)row + offset, sizeof count);
    return count;
}

static void
bind_value(sqlite3_stmt *insert, int at, const struct column *c, const void *row)
{
    union
    {
        int64_t time;
        uint64_t u64;
        uint32_t u32;
        double real;
        const char *text;
    } is;
    memcpy(&is, (const char *)row + c->offset,
           c->kind == COLUMN_U32    ? sizeof is.u32
           : c->kind == COLUMN_TEXT ? sizeof is.text
                                    : sizeof is.u64);
    switch (c->kind)
    {
    case COLUMN_TIME:
        bind_micro(insert, at, is.time < 0 ? NAN : (double)is.time);
        break;
    case COLUMN_INDEX:
    case COLUMN_U64:
        bind_whole(insert, at, is.time);
        break;
    case COLUMN_U32:
        bind_whole(insert, at, is.u32);
        break;
    case COLUMN_RATE:
        bind_micro(insert, at, is.real * 1e-3);
        break;
    case COLUMN_REAL:
    case COLUMN_RATIO:
        bind_micro(insert, at, is.real * 1e6);
        break;
    case COLUMN_TEXT:
        sqlite3_bind_text(insert, at, is.text, -1, SQLITE_STATIC);
        break;
    case COLUMN_SHARE:
    {
        const uint64_t whole = count_at(row, c->sent) + count_at(row, c->resent);
        bind_micro(insert, at, whole ? (double)is.u64 / (double)whole * 1e6 : 0);
        break;
    }
    }
}

void
columns_bind(sqlite3_stmt *insert, const struct column_table *table, const void *row)
{
    for (size_t i = 0; i < table->n; i++)
    {
        bind_value(insert, (int)i + 1, &table->columns[i], row);
    }
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "columns.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

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
#define COUNTED(member, doc)                 U64(#member, counted.member, doc)
#define SHARE(name, part, sent, resent, doc) COLUMN(COLUMN_SHARE, name, part, sent, resent, doc)
#define ALSO(declaration)
#define TABLE_BEGIN(table) static const struct column table##_columns[] = {
#define TABLE_END(table, doc)                                                                      \
    }                                                                                              \
    ;                                                                                              \
    const struct column_table table##_table = {#table ".csv", doc, table##_columns,                \
                                               COUNT_OF(table##_columns)};
#include "results-tables.h"

const struct column_table *const *
column_tables(size_t *n)
{
    static const struct column_table *const tables[] = {
        &summary_table,   &qps_table,        &groups_table, &layers_table, &steps_table,
        &workloads_table, &flows_table,      &series_table, &queues_table, &ports_table,
        &balance_table,   &reordering_table, &tors_table,   &trims_table,  &stuck_table,
    };
    *n = COUNT_OF(tables);
    return tables;
}

char *
column_table_name(const struct column_table *table)
{
    return xformat("%.*s", (int)strcspn(table->file, "."), table->file);
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
columns_header(struct text *t, const struct column_table *table)
{
    for (size_t i = 0; i < table->n; i++)
    {
        text_add(t, "%s%s", i ? "," : "", table->columns[i].name);
    }
    text_add(t, "\n");
}

void
add_micro(struct text *t, int64_t units)
{
    uint64_t size = units < 0 ? -(uint64_t)units : (uint64_t)units;
    text_add(t, "%s%" PRIu64 ".%06" PRIu64, units < 0 ? "-" : "", size / 1000000, size % 1000000);
}

static void
add_double(struct text *t, double value, double per_micro)
{
    double scaled = value * per_micro;
    if (isfinite(scaled) && fabs(scaled) < 9e18)
    {
        add_micro(t, llround(scaled));
    }
    else
    {
        text_add(t, "nan");
    }
}

static uint64_t
count_at(const void *row, size_t offset)
{
    uint64_t count;
    memcpy(&count, (const char *)row + offset, sizeof count);
    return count;
}

static void
add_value(struct text *t, const struct column *c, const void *row)
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
        if (is.time >= 0)
        {
            add_micro(t, is.time);
        }
        break;
    case COLUMN_INDEX:
        if (is.time >= 0)
        {
            text_add(t, "%" PRId64, is.time);
        }
        break;
    case COLUMN_U64:
        text_add(t, "%" PRIu64, is.u64);
        break;
    case COLUMN_U32:
        text_add(t, "%" PRIu32, is.u32);
        break;
    case COLUMN_RATE:
        add_double(t, is.real, 1e-3);
        break;
    case COLUMN_REAL:
        if (isnan(is.real))
        {
            break;
        }
        /* fall through */
    case COLUMN_RATIO:
        add_double(t, is.real, 1e6);
        break;
    case COLUMN_TEXT:
        text_add(t, "%s", is.text);
        break;
    case COLUMN_SHARE:
    {
        const uint64_t whole = count_at(row, c->sent) + count_at(row, c->resent);
        add_double(t, whole ? (double)is.u64 / (double)whole : 0.0, 1e6);
        break;
    }
    }
}

void
columns_row(struct text *t, const struct column_table *table, const void *row)
{
    for (size_t i = 0; i < table->n; i++)
    {
        if (i)
        {
            text_add(t, ",");
        }
        add_value(t, &table->columns[i], row);
    }
    text_add(t, "\n");
}

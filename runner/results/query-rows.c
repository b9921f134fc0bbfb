/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of a query, all of them kept. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query.h"
#include "shown-text.h"
#include "sql-file.h"

struct query_rows *
database_query(struct database *db, const char *sql, struct query_limits limits,
               struct query_mistake *mistake)
{
    struct query *q = query_begin(db, sql, limits, mistake);
    struct query_rows *rows = xcalloc(1, sizeof *rows);
    rows->ncolumns = q ? q->ncolumns : 0;
    rows->columns = xcalloc(rows->ncolumns + 1, sizeof *rows->columns);
    for (size_t i = 0; i < rows->ncolumns; i++)
    {
        rows->columns[i] = xstrdup(q->columns[i]);
    }
    while (q && query_next(q))
    {
        const size_t n = rows->ncolumns, at = rows->nrows++ * n;
        const size_t bytes = 2 * n * sizeof *rows->cells; /* in an array that grows by doubling */
        if (bytes > q->left)
        {
            mistake->message = xformat(QUERY_TOO_LARGE, limits.bytes >> 20);
            break;
        }
        q->left -= bytes;
        for (size_t i = 0; i < n; i++)
        {
            ARRAY_GROW(rows->cells, at + i);
            rows->cells[at + i] = q->cells[i];
            q->cells[i].text = NULL; /* taken */
        }
    }
    if (!query_end(q))
    {
        query_rows_free(rows);
        rows = NULL;
    }
    return rows;
}

/** Results are whole and the questions Weft's own. */
#define LIMITS ((struct query_limits){3600, 10000000, SIZE_MAX / 2, 0, 0})

struct query_rows *
results_ask(struct database *db, const char *sql)
{
    struct query_mistake m;
    struct query_rows *rows = database_query(db, sql, LIMITS, &m);
    if (!rows)
    {
        print_shown(stderr, "weft: error: the results cannot be read: %s\n", m.message);
        free(m.message);
        rows = xcalloc(1, sizeof *rows);
    }
    return rows;
}

void
query_rows_free(struct query_rows *rows)
{
    if (!rows)
    {
        return;
    }
    for (size_t i = 0; i < rows->nrows * rows->ncolumns; i++)
    {
        free(rows->cells[i].text);
    }
    for (size_t i = 0; i < rows->ncolumns; i++)
    {
        free(rows->columns[i]);
    }
    free(rows->columns);
    free(rows->cells);
    free(rows);
}

bool
query_cell_same(const struct query_cell *a, const struct query_cell *b)
{
    return a->kind == b->kind &&
           (a->kind == QUERY_NULL ||
            (a->kind == QUERY_TEXT   ? strcmp(a->text, b->text) == 0
             : a->kind == QUERY_REAL ? !(a->real < b->real) && !(a->real > b->real)
                                     : a->integer == b->integer));
}

void
query_rows_drop(struct query_rows **rows)
{
    query_rows_free(*rows);
}

bool
database_has(struct database *db, const char *name)
{
    struct query_mistake m;
    CLEANUP(text_drop) struct text sql = {0};
    text_add(&sql, "SELECT 1 FROM main.sqlite_master WHERE name = ");
    sql_add_literal(&sql, name);
    text_add(&sql, " COLLATE NOCASE");
    CLEANUP(query_rows_drop)
    struct query_rows *rows = database_query(db, sql.s, QUERY_LIMITS, &m);
    free(m.message);
    return rows && rows->nrows;
}

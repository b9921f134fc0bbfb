/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of a query, all of them kept. */
#include <stdlib.h>
#include <string.h>

#include "query.h"

/** Rows that are kept. */
struct kept
{
    struct query_rows *rows;
    size_t room;
    size_t left; /**< bytes that more rows may have */
    bool full;   /**< a row had more */
};

static bool
keep_columns(void *user, char *const *names, size_t n)
{
    struct query_rows *rows = ((struct kept *)user)->rows;
    rows->ncolumns = n;
    rows->columns = xcalloc(n, sizeof *rows->columns);
    for (size_t i = 0; i < n; i++)
    {
        rows->columns[i] = xstrdup(names[i]);
    }
    return true;
}

static bool
keep_row(void *user, const struct query_cell *cells)
{
    struct kept *k = user;
    struct query_rows *rows = k->rows;
    size_t bytes = 2 * rows->ncolumns * sizeof *rows->cells;
    for (size_t i = 0; i < rows->ncolumns; i++)
    {
        bytes += cells[i].text ? strlen(cells[i].text) : 0;
    }
    k->full = bytes > k->left;
    if (k->full)
    {
        return false;
    }
    k->left -= bytes;
    if (rows->nrows == k->room)
    {
        k->room = k->room ? 2 * k->room : 16;
        rows->cells = xrealloc(rows->cells, k->room * rows->ncolumns, sizeof *rows->cells);
    }
    for (size_t i = 0; i < rows->ncolumns; i++)
    {
        struct query_cell *cell = &rows->cells[rows->nrows * rows->ncolumns + i];
        *cell = cells[i];
        cell->text = cell->text ? xstrdup(cell->text) : NULL;
    }
    rows->nrows++;
    return true;
}

struct query_rows *
database_query(struct database *db, const char *sql, struct query_limits limits,
               struct query_mistake *mistake)
{
    struct kept kept = {.rows = xcalloc(1, sizeof *kept.rows), .left = limits.bytes};
    const struct query_reader reader = {keep_columns, keep_row, &kept};
    if (!database_read(db, sql, limits, &reader, mistake))
    {
        if (kept.full)
        {
            mistake->message = xformat(QUERY_TOO_LARGE, limits.bytes >> 20);
        }
        query_rows_free(kept.rows);
        kept.rows = NULL;
    }
    return kept.rows;
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

void
query_rows_drop(struct query_rows **rows)
{
    query_rows_free(*rows);
}

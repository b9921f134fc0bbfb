/* SPDX-License-Identifier: GPL-2.0-only */
#include "plan-tables.h"

#include <stdlib.h>

#include "textbuf.h"

struct database_key
plan_key(const struct plan_dimension *dim, size_t column)
{
    const char **cells = xcalloc(dim->npoints, sizeof *cells);
    for (size_t i = 0; i < dim->npoints; i++)
    {
        cells[i] = dim->points[i].cells[column];
    }
    struct database_key key = database_key_of(dim->columns[column], cells, dim->npoints);
    key.is_seed = dim->is_seeds;
    free(cells);
    return key;
}

struct database_key *
plan_keys(const struct plan *plan, size_t *n)
{
    struct database_key *keys = NULL;
    *n = 0;
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        const struct plan_dimension *dim = &plan->dimensions[k];
        for (size_t c = 0; c < dim->ncolumns; c++)
        {
            ARRAY_GROW(keys, *n);
            keys[(*n)++] = plan_key(dim, c);
        }
    }
    return keys;
}

const char **
plan_cells(const struct plan *plan, size_t i)
{
    size_t n = 0;
    const char **cells = NULL;
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        for (size_t c = 0; c < plan->dimensions[k].ncolumns; c++)
        {
            ARRAY_GROW(cells, n);
            cells[n++] = plan_point(plan, i, k)->cells[c];
        }
    }
    return cells;
}

struct database *
plan_tables(const struct plan *plan)
{
    size_t nkeys;
    OWNED struct database_key *keys = plan_keys(plan, &nkeys);
    struct database_writer w;
    OWNED char *why = NULL;
    return database_begin(&w, NULL, keys, nkeys, &why) && database_complete(&w, &why)
               ? database_of(w.file.db, &why)
               : NULL;
}

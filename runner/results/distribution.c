/* SPDX-License-Identifier: GPL-2.0-only */
#include "distribution.h"

#include <stdlib.h>
#include <string.h>

#include "textbuf.h"

#define BODY_STEPS 256 /* over the whole distribution */
#define TAIL_STEPS 16  /* over what is left above */

void
pool_add(struct pool *p, double value)
{
    ARRAY_GROW(p->values, p->n);
    p->values[p->n++] = value;
}

static int
ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void
pool_sort(struct pool *p)
{
    if (p->n)
    {
        qsort(p->values, p->n, sizeof *p->values, ascending);
    }
}

void
pool_free(struct pool *p)
{
    free(p->values);
    *p = (struct pool){NULL, 0};
}

double
pool_quantile(const struct pool *p, uint32_t share_ppm)
{
    uint64_t rank = ((uint64_t)p->n * share_ppm + 999999) / 1000000;
    return p->values[rank ? rank - 1 : 0];
}

size_t
pool_cdf(const struct pool *p, struct cdf_point **points)
{
    size_t n = 0, rank = 0;
    *points = NULL;
    while (rank < p->n)
    {
        size_t body = p->n / BODY_STEPS, tail = (p->n - rank) / TAIL_STEPS;
        size_t step = body < tail ? body : tail;
        rank += rank && step ? step : 1;
        while (rank < p->n && p->values[rank] <= p->values[rank - 1])
        {
            rank++;
        }
        ARRAY_GROW(*points, n);
        (*points)[n++] = (struct cdf_point){p->values[rank - 1], (double)rank / (double)p->n};
    }
    return n;
}

bool
number_column_find(const struct csv *csv, const struct column_table *table, const char *name,
                   struct number_column *column)
{
    const struct derived_column *derived = table->derived;
    if (derived && strcmp(derived->name, name) == 0)
    {
        column->minuend = csv_column(csv, derived->minuend);
        column->subtrahend = csv_column(csv, derived->subtrahend);
        return column->minuend >= 0 && column->subtrahend >= 0;
    }
    *column = (struct number_column){csv_column(csv, name), -1};
    return column->minuend >= 0;
}

enum cell_kind
number_column_value(const struct csv *csv, size_t row, const struct number_column *column,
                    double *value)
{
    enum cell_kind kind = csv_number(csv_cell(csv, row, (size_t)column->minuend), value);
    if (column->subtrahend >= 0 && kind == CELL_NUMBER)
    {
        double less;
        kind = csv_number(csv_cell(csv, row, (size_t)column->subtrahend), &less);
        *value -= less;
    }
    return kind;
}

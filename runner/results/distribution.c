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

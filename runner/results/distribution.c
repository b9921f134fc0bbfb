/* SPDX-License-Identifier: GPL-2.0-only */
#include "distribution.h"

#include <math.h>
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

/* --- several numbers -------------------------------------------------------------------------- */

/** Mean of y where x is the same. */
struct fit_point
{
    double x, sum;
    size_t n;
};

void
moments_add(struct moments *m, double x, double y)
{
    const double dx = x - m->x, dy = y - m->y;
    m->n += 1;
    m->x += dx / m->n;
    m->y += dy / m->n;
    m->xx += dx * (x - m->x);
    m->yy += dy * (y - m->y);
    m->xy += dx * (y - m->y);
}

/** By x, then by y: sums do not depend on how the sort treats equal points. */
static int
by_place(const void *a, const void *b)
{
    const struct fit_point *p = a, *q = b;
    return p->x < q->x || p->x > q->x ? (p->x > q->x) - (p->x < q->x)
                                      : (p->sum > q->sum) - (p->sum < q->sum);
}

/** Puts points of the same x together; how many are left. */
static size_t
merge(struct fit_point *points, size_t n)
{
    size_t merged = 0;
    qsort(points, n, sizeof *points, by_place);
    for (size_t i = 0; i < n; i++)
    {
        if (i > 0 && points[i].x <= points[merged - 1].x)
        {
            points[merged - 1].sum += points[i].sum;
            points[merged - 1].n++;
        }
        else
        {
            points[merged++] = points[i];
        }
    }
    return merged;
}

static bool
slope(const struct fit_point *points, size_t n, double *value)
{
    struct moments m = {0};
    for (size_t i = 0; i < n; i++)
    {
        moments_add(&m, log(points[i].x), log(points[i].sum / (double)points[i].n));
    }
    *value = m.xy / m.xx;
    return isfinite(*value);
}

bool
fit_exponent(const struct pool *x, const struct pool *y, double *value)
{
    OWNED struct fit_point *points = xcalloc(x->n + 1, sizeof *points);
    bool good = true;
    for (size_t i = 0; i < x->n; i++)
    {
        good = good && x->values[i] > 0;
        points[i] = (struct fit_point){x->values[i], y->values[i], 1};
    }
    const size_t n = good ? merge(points, x->n) : 0;
    good = n > 1 && slope(points, n, value);
    return good;
}

double
moments_mean(const struct moments *m)
{
    return m->n < 1 ? NAN : m->y;
}

double
moments_stddev(const struct moments *m)
{
    return m->n < 2 ? NAN : sqrt(m->yy / (m->n - 1));
}

/** The 97.5 % quantile of Student's t distribution with that many degrees of freedom, a whole
 * number from 1; above 30 by Fisher's expansion, right to 1e-5. */
static double
student_975(double freedom)
{
    static const double exact[] = {
        12.706204736, 4.302652730, 3.182446305, 2.776445105, 2.570581836, 2.446911851,
        2.364624252,  2.306004135, 2.262157163, 2.228138852, 2.200985160, 2.178812830,
        2.160368656,  2.144786688, 2.131449546, 2.119905299, 2.109815578, 2.100922040,
        2.093024054,  2.085963447, 2.079613845, 2.073873068, 2.068657610, 2.063898562,
        2.059538553,  2.055529439, 2.051830516, 2.048407142, 2.045229642, 2.042272456};
    const double z = 1.959963984540054, z3 = z * z * z, z5 = z3 * z * z, n = freedom;
    if (n <= 30)
    {
        return exact[(size_t)n - 1];
    }
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
           (3 * z5 * z * z + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

double
moments_ci95(const struct moments *m)
{
    return m->n < 2 ? NAN : student_975(m->n - 1) * moments_stddev(m) / sqrt(m->n);
}

double
moments_correlation(const struct moments *m)
{
    return m->xy / sqrt(m->xx * m->yy);
}

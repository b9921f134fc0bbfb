/* SPDX-License-Identifier: GPL-2.0-only */
/* How one column of results goes with another: y ~ x^exponent, or Pearson's correlation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/** Mean of y where x is the same. */
struct fit_point
{
    double x, sum;
    size_t n;
};

/** Moments of points (x, y) about their means, added up one by one (Welford): differences of raw
 * sums would lose the digits of long queues. */
struct moments
{
    double n, x, y, xx, xy, yy;
};

static void
add_moments(struct moments *m, double x, double y)
{
    const double dx = x - m->x, dy = y - m->y;
    m->n += 1;
    m->x += dx / m->n;
    m->y += dy / m->n;
    m->xx += dx * (x - m->x);
    m->yy += dy * (y - m->y);
    m->xy += dx * (y - m->y);
}

static void
add_point(struct fit_point *points, size_t *n, double x, double y)
{
    size_t i = 0;
    while (i < *n && points[i].x != x)
    {
        i++;
    }
    if (i == *n)
    {
        points[(*n)++] = (struct fit_point){x, 0, 0};
    }
    points[i].sum += y;
    points[i].n++;
}

static bool
slope(const struct fit_point *points, size_t n, double *value)
{
    struct moments m = {0};
    for (size_t i = 0; i < n; i++)
    {
        add_moments(&m, log(points[i].x), log(points[i].sum / (double)points[i].n));
    }
    *value = m.xy / m.xx;
    return isfinite(*value);
}

static bool
fit_exponent(const struct pool *x, const struct pool *y, double *value)
{
    struct fit_point *points = xcalloc(x->n + 1, sizeof *points);
    size_t n = 0;
    bool good = true;
    for (size_t i = 0; i < x->n; i++)
    {
        good = good && x->values[i] > 0;
        add_point(points, &n, x->values[i], y->values[i]);
    }
    good = good && n > 1 && slope(points, n, value);
    free(points);
    return good;
}

static bool
fit_correlation(const struct pool *x, const struct pool *y, double *value)
{
    struct moments m = {0};
    for (size_t i = 0; i < x->n; i++)
    {
        add_moments(&m, x->values[i], y->values[i]);
    }
    *value = m.xy / sqrt(m.xx * m.yy);
    return isfinite(*value);
}

bool
fit(const char *of, const struct pool *x, const struct pool *y, double *value)
{
    return strcmp(of, "correlation") == 0 ? fit_correlation(x, y, value)
                                          : fit_exponent(x, y, value);
}

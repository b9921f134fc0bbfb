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

/** The number in a cell; all cells must have the same unit behind it. */
static bool
read_x(const char *cell, const char **unit, double *x)
{
    char *end;
    *x = strtod(cell, &end);
    bool same = !*unit || strcmp(*unit, end) == 0;
    *unit = end;
    return same && end != cell && *x > 0;
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
fit_exponent(const struct csv *csv, size_t x, size_t y, const bool *row, double *value)
{
    struct fit_point *points = xcalloc(csv->nrows + 1, sizeof *points);
    const char *unit = NULL;
    size_t n = 0;
    bool good = true;
    for (size_t r = 0; r < csv->nrows && good; r++)
    {
        const char *cell = csv_cell(csv, r, y);
        double at = 0;
        if (row[r] && *cell)
        {
            good = read_x(csv_cell(csv, r, x), &unit, &at);
            add_point(points, &n, at, strtod(cell, NULL));
        }
    }
    good = good && n > 1 && slope(points, n, value);
    free(points);
    return good;
}

static bool
fit_correlation(const struct csv *csv, size_t x, size_t y, const bool *row, double *value)
{
    struct moments m = {0};
    for (size_t r = 0; r < csv->nrows; r++)
    {
        const char *a = csv_cell(csv, r, x), *b = csv_cell(csv, r, y);
        if (row[r] && *a && *b)
        {
            add_moments(&m, csv_number(a), csv_number(b));
        }
    }
    *value = m.xy / sqrt(m.xx * m.yy);
    return isfinite(*value);
}

bool
fit(const char *of, const struct csv *csv, size_t x, size_t y, const bool *row, double *value)
{
    return strcmp(of, "correlation") == 0 ? fit_correlation(csv, x, y, row, value)
                                          : fit_exponent(csv, x, y, row, value);
}

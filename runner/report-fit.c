/* SPDX-License-Identifier: GPL-2.0-only */
/* The order of growth that results show: y ~ x^exponent. */
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

/** Sums of a straight line through (log x, log y). */
struct line
{
    double n, x, y, xx, xy;
};

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
    struct line l = {0};
    for (size_t i = 0; i < n; i++)
    {
        double x = log(points[i].x), y = log(points[i].sum / (double)points[i].n);
        l.n += 1;
        l.x += x;
        l.y += y;
        l.xx += x * x;
        l.xy += x * y;
    }
    *value = (l.n * l.xy - l.x * l.y) / (l.n * l.xx - l.x * l.x);
    return isfinite(*value);
}

bool
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

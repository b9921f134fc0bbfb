/* SPDX-License-Identifier: GPL-2.0-only */
/* Ends of axes, found here as all panels have the same; and where a value stands between them. */
#include <math.h>

#include "figure-layout.h"

void
axis_extend(struct figure_axis *a, double value)
{
    if (!isfinite(value) || (a->log && value <= 0))
    {
        return;
    }
    a->least = !a->any || value < a->least ? value : a->least;
    a->most = !a->any || value > a->most ? value : a->most;
    a->any = true;
}

void
axis_set_ends(struct figure_axis *a, double from, double to, bool decade, double room)
{
    const double least = a->any ? a->least : 1, most = a->any ? a->most : 10;
    const double margin = a->log ? fmax(pow(most / least, 0.05), 1.1) : 1;
    const double start = !a->log  ? (least < 0 ? least * 1.05 : 0)
                         : decade ? pow(10, floor(log10(least / 1.01)))
                                  : least / margin;
    a->from = isnan(from) ? start : from;
    a->to = to > 0 ? to : a->log ? most * margin * (1 + room) : most + room * (most - a->from);
    a->to = a->to > a->from ? a->to : a->log ? a->from * 10 : a->from + 1;
}

double
axis_place(const struct figure_axis *a, double value)
{
    return a->log ? log(value / a->from) / log(a->to / a->from)
                  : (value - a->from) / (a->to - a->from);
}

/* Ends of the axis of n categories. */
#define CATEGORY_FROM  (-0.6)
#define CATEGORY_TO(n) ((double)(n)-0.4)

double
category_place(size_t i, size_t n)
{
    return ((double)i - CATEGORY_FROM) / (CATEGORY_TO(n) - CATEGORY_FROM);
}

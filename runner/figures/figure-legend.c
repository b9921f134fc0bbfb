/* SPDX-License-Identifier: GPL-2.0-only */
/* How large the legend of a figure is, and whether a corner of the first plot has room for it.
 * gnuplot puts its key where it is told, whatever is drawn there; and above panels, which have one
 * in common, it keeps no room for it. */
#include <math.h>
#include <string.h>

#include "figure-layout.h"
#include "figure-markup.h"

#define ENTRY_EM  4.2 /* of an entry besides its text */
#define INSIDE_EM 0.8 /* around a legend in a plot */
#define STEPS     8   /* places looked at between two points of a line */

static void
count_entry(struct figure_layout *l, const char *name)
{
    size_t letters = 0;
    l->legend_wide = fmax(l->legend_wide, text_width(name, strlen(name)));
    for (; *name; name++)
    {
        letters += ((unsigned char)*name & 0xC0U) != 0x80U;
    }
    l->legend_letters = letters > l->legend_letters ? letters : l->legend_letters;
    l->legend_entries++;
}

void
legend_count(struct figure_layout *l, const struct figure *figure, const struct figure_data *data)
{
    const bool named = figure_is(figure, FIGURES_OF_SERIES) && figure_data_has_series(data);
    for (size_t i = 0; named && i < data->series.n; i++)
    {
        count_entry(l, data->series.names[i]);
    }
    if (data->line)
    {
        count_entry(l, figure_line_label(figure));
    }
    for (size_t i = 0; i < figure->nreferences; i++)
    {
        count_entry(l, figure->references[i].label);
    }
    l->legend_at = l->legend_entries ? (enum legend_place)figure->legend : LEGEND_NONE;
}

double
legend_width(const struct figure_layout *l)
{
    return l->legend_wide + ENTRY_EM;
}

/** A legend in the first plot, as shares of it: what it covers. */
struct corner
{
    double left, right, low, high;
};

/** Whether what is drawn from (x, from) to (x, to) reaches into it. */
static bool
is_in(const struct corner *c, double x, double from, double to)
{
    return x >= c->left && x <= c->right && to >= c->low && from <= c->high;
}

/** How much of a curve of categories a legend would cover: bars stand on the axis. */
static size_t
covered_bars(const struct figure_layout *l, const struct corner *c,
             const struct figure_point *points, size_t n, bool box)
{
    size_t covered = 0;
    for (size_t k = 0; k < n; k++)
    {
        const struct figure_point *p = &points[k];
        const double top = axis_place(&l->y, box ? p->most : fmax(p->y, p->high));
        covered +=
            p->n && is_in(c, category_place(k, n), box ? axis_place(&l->y, p->least) : 0, top);
    }
    return covered;
}

/** Counts what a corner covers of a line, or of its dots. */
static size_t
covered_line(const struct figure_layout *l, const struct corner *c,
             const struct figure_point *points, size_t n)
{
    size_t covered = 0;
    for (size_t k = 0; k < n; k++)
    {
        const struct figure_point *p = &points[k], *last = &points[k ? k - 1 : 0];
        for (int i = 1; i <= STEPS; i++)
        {
            const double share = (double)i / STEPS;
            const double x = last->x + share * (p->x - last->x);
            const double y = last->y + share * (p->y - last->y);
            const double up = axis_place(&l->y, y);
            covered += is_in(c, axis_place(&l->x, x), up, up);
        }
    }
    return covered;
}

static size_t
covered_by(const struct figure_layout *l, const struct corner *c, const struct figure *figure,
           const struct figure_data *data)
{
    size_t covered = 0;
    for (size_t i = 0; i < data->series.n; i++)
    {
        const struct figure_point *points = &data->points[data->first[i]];
        const size_t n = data->first[i + 1] - data->first[i];
        covered += figure_has_categories(figure)
                       ? covered_bars(l, c, points, n, figure->kind == FIGURE_BOX)
                       : covered_line(l, c, points, n);
    }
    return covered;
}

/** Finds the corner of the first plot in which it covers least; whether that is nothing. */
static bool
fits_inside(struct figure_layout *l, const struct figure *figure, const struct figure_data *data,
            double wide, double high)
{
    size_t least = SIZE_MAX;
    for (unsigned i = 0; i < 4; i++)
    {
        const bool left = i & 1U, low = i & 2U;
        const struct corner c = {left ? 0 : 1 - wide, left ? wide : 1, low ? 0 : 1 - high,
                                 low ? high : 1};
        const size_t covered = covered_by(l, &c, figure, data);
        if (covered < least)
        {
            least = covered;
            l->legend_left = left;
            l->legend_low = low;
        }
    }
    return least == 0 && wide <= 1 && high <= 1;
}

void
legend_place(struct figure_layout *l, const struct figure *figure, const struct figure_data *data,
             bool titled)
{
    const double high = LINE_EM * (double)(l->legend_entries + titled) + INSIDE_EM;
    const bool fits =
        l->legend_at == LEGEND_RIGHT
            ? l->height <= 0 || high <= l->plot_high * (double)l->rows
            : l->legend_at != LEGEND_INSIDE ||
                  fits_inside(l, figure, data, legend_width(l) / l->plot_wide, high / l->plot_high);
    l->legend_at = fits ? l->legend_at : LEGEND_TOP;
}

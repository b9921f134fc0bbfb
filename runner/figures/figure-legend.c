/* SPDX-License-Identifier: GPL-2.0-only */
/* How large the legend of a figure is, and where it stands. */
#include <math.h>
#include <string.h>

#include "figure-layout.h"
#include "figure-markup.h"

#define ENTRY_EM    4.2  /* of an entry besides its text */
#define LETTER_EM   0.65 /* what gnuplot takes a letter for */
#define LETTER_SVG  0.7  /* the same in SVG */
#define KEY_LETTERS 6    /* of an entry besides its text, for gnuplot */
#define INSIDE_EM   0.4  /* between a plot's edge and a legend in it */
#define STEPS       8    /* places looked at between two points of a line */

/* --- entries ---------------------------------------------------------------------------------- */

static size_t
letters(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
    {
        n += ((unsigned char)*s & 0xC0U) != 0x80U;
    }
    return n;
}

/** The entries of a legend. */
struct entries
{
    size_t n, letters; /**< letters: most in an entry */
    double wide;
};

static void
count_entry(struct entries *e, const char *name)
{
    const size_t count = letters(name);
    e->wide = fmax(e->wide, text_width(name, strlen(name)));
    e->letters = count > e->letters ? count : e->letters;
    e->n++;
}

static struct entries
count_entries(const struct figure *figure, const struct figure_data *data)
{
    const unsigned unnamed = FIGURE_SET(FIGURE_BARS) | FIGURE_SET(FIGURE_HEATMAP);
    const bool named = !figure_is(figure, unnamed) && figure_data_has_series(data);
    struct entries e = {0};
    for (size_t i = 0; named && i < data->series.n; i++)
    {
        count_entry(&e, data->series.names[i]);
    }
    if (data->line)
    {
        count_entry(&e, figure_line_label(figure));
    }
    for (size_t i = 0; i < figure->nreferences; i++)
    {
        count_entry(&e, figure->references[i].label);
    }
    return e;
}

void
legend_lay_out(struct figure_layout *l, const struct figure *figure, const struct figure_data *data,
               bool titled)
{
    const struct entries e = count_entries(figure, data);
    const double room = l->wide - 2 * EDGE_EM, entry = e.wide + ENTRY_EM;
    const size_t n = e.n;
    l->legend_at = n ? (enum legend_place)figure->legend : LEGEND_NONE;
    if (l->legend_at && l->legend_has_no_room)
    {
        l->legend_at = LEGEND_TOP;
    }
    const bool column = l->legend_at == LEGEND_RIGHT || l->legend_at == LEGEND_INSIDE;
    size_t fit = column ? 1 : (size_t)(room / entry);
    fit = fit < 1 ? 1 : fit > n ? n : fit;
    l->legend_rows = l->legend_at ? (n + fit - 1) / fit : 0;
    l->legend_columns = l->legend_rows ? (n + l->legend_rows - 1) / l->legend_rows : 1;
    l->legend_pad = entry / LETTER_EM - (double)e.letters - KEY_LETTERS;
    l->legend_pad_svg = entry / LETTER_SVG - (double)e.letters - KEY_LETTERS;
    l->legend_font = fmax(entry > room ? l->font * room / entry : l->font, LEAST_FONT);
    l->legend_wide = entry;
    l->legend_titled = titled && l->legend_rows;
}

double
legend_height(const struct figure_layout *l)
{
    const size_t rows = l->legend_rows + l->legend_titled;
    return (double)rows * LINE_EM * l->legend_font / l->font + (rows ? 0.8 : 0);
}

/* --- a corner of the plot --------------------------------------------------------------------- */

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

/** Puts the legend into the corner of the first plot in which it covers least, if that is nothing.
 */
static bool
place_inside(struct figure_layout *l, const struct figure *figure, const struct figure_data *data)
{
    const double wide = l->legend_wide / l->plot_wide, high = legend_height(l) / l->plot_high;
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
    const double from = l->left + l->panel_left, top = l->top + l->panel_above;
    l->legend_x = from + (l->legend_left ? INSIDE_EM : l->plot_wide - INSIDE_EM);
    l->legend_y = top + (l->legend_low ? l->plot_high - INSIDE_EM : INSIDE_EM);
    return least == 0 && wide <= 1 && high <= 1;
}

bool
legend_place(struct figure_layout *l, const struct figure *figure, const struct figure_data *data)
{
    l->legend_left = l->legend_at == LEGEND_RIGHT;
    l->legend_low = false;
    switch (l->legend_at)
    {
    case LEGEND_INSIDE:
        l->legend_has_no_room = !place_inside(l, figure, data);
        return !l->legend_has_no_room;
    case LEGEND_RIGHT:
        l->legend_x = l->wide - l->legend_wide - EDGE_EM;
        l->legend_y = l->top + l->panel_above;
        l->legend_has_no_room = l->legend_y + legend_height(l) > l->high;
        return !l->legend_has_no_room;
    default:
        l->legend_x = l->wide / 2;
        l->legend_y = 0.8 + l->title_high;
        break;
    }
    return true;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings by which plots/frame.gp places everything in a figure. How names along an axis are
 * written is found here: gnuplot neither goes on in another line nor turns what has no room. */
#include "figure-layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure-markup.h"
#include "figure-script.h"

#define MM_PER_POINT  (25.4 / 72)
#define DEFAULT_WIDTH 170.0 /* mm: a page's */
#define PROPORTION    0.45  /* height of a plot by its width, where nobody says */
#define LEAST_PLOT    4.0   /* em: a plot less high shows nothing */
#define LEAST_PANEL   16.0  /* em: width of a panel */
#define NUMBERS_EM    3.0   /* about, of the numbers of an axis with its tics */
#define BYTES_EM      5.5   /* with units */
#define COLOURS_EM    8.0   /* the bar of colours with its numbers */
#define TITLE_EM      1.4
#define LEGEND_EM     2.1  /* of one row */
#define PANEL_EM      2.5  /* about, above and below each plot */
#define PANEL_GAP     1.2  /* between two panels */
#define SHARED_EM     0.8  /* left of a panel without numbers */
#define VALUE_EM      2.4  /* a number above a bar */
#define NAME_GAP      0.7  /* between two names side by side */
#define MOST_NAME     12.0 /* em: width of one line of a name */
#define MOST_LINES    3    /* of a name that lies flat */
#define WHISKER_ROOM  3.0  /* times the greatest mean, of intervals of few values */
#define SLANT         35.0 /* degrees */
#define SLANTED_APART 2.2  /* em between slanted names: a line's height / sin(SLANT) */
#define UPRIGHT_APART 1.3

/* --- names along the axis --------------------------------------------------------------------- */

/** The lines of all names at a width: the most lines, and the widest. @p one_row: the rows of a
 * name follow one another. */
static double
measure_names(char *const *names, size_t n, double width, bool one_row, double *widest)
{
    double lines = 0;
    *widest = 0;
    for (size_t i = 0; i < n; i++)
    {
        double wide;
        OWNED char *name = one_row ? text_in_one_row(names[i]) : xstrdup(names[i]);
        lines = fmax(lines, (double)text_lines(name, width, &wide));
        *widest = fmax(*widest, wide);
    }
    return lines;
}

/** Names in their places, which are shares of an axis @p length long, ascending: side by side, in
 * lines; else slanted; else upright. @p skip: or some of them are left out. */
static struct name_layout
lay_out_names(char *const *names, const double *places, size_t n, double length, bool skip)
{
    struct name_layout l = {0};
    double apart = length, widest, lines;
    for (size_t i = 1; i < n; i++)
    {
        apart = fmin(apart, length * (places[i] - places[i - 1]));
    }
    l.width = fmin(apart - NAME_GAP, MOST_NAME);
    lines = measure_names(names, n, l.width, false, &widest);
    const bool flat = (widest <= apart - NAME_GAP || n < 2) && lines <= MOST_LINES;
    if (!flat)
    {
        l.width = MOST_NAME * 2;
        l.one_row = true;
        lines = measure_names(names, n, l.width, true, &widest);
    }
    l.below = lines * LINE_EM;
    if (flat || skip)
    {
        l.beyond = n ? widest / 2 - length * (1 - places[n - 1]) : 0;
        l.apart = flat ? 0 : widest + NAME_GAP;
        return l;
    }
    l.turn = apart >= SLANTED_APART * lines ? SLANT : 90;
    const double angle = l.turn * acos(-1) / 180;
    l.apart = apart < UPRIGHT_APART * lines ? UPRIGHT_APART * lines : 0;
    l.below = widest * sin(angle) + lines * LINE_EM * cos(angle);
    /* what stands out makes the plot narrower */
    l.left = n ? (widest * cos(angle) - length * places[0]) / (1 - places[0]) : 0;
    return l;
}

/** The names of the values of x, where there are any. */
static void
lay_out_tics(struct figure_layout *l, const struct figure_data *data)
{
    OWNED double *places = xcalloc(data->ntics + 1, sizeof *places);
    OWNED char **names = xcalloc(data->ntics + 1, sizeof *names);
    bool labelled = false;
    for (size_t i = 0; i < data->ntics; i++)
    {
        const double x = data->tics[i].x;
        places[i] = l->x.log && x <= 0 ? 0 : axis_place(&l->x, x);
        names[i] = data->tics[i].name;
        labelled = labelled || data->tics[i].labelled;
    }
    l->names = lay_out_names(names, places, data->ntics, l->plot_wide, !labelled);
    l->names.beyond = labelled || l->x.log ? l->names.beyond : 0; /* else numbers stand there */
    l->names.below = fmax(l->names.below, LINE_EM);
}

const char *
second_row(const char *name)
{
    const char *end = strchr(name, ROW_END);
    return end ? end + 1 : name;
}

/** The name at a place along the axis. */
static const char *
name_at(const struct figure_names *names, const size_t *places, size_t place)
{
    size_t i = 0;
    while (places[i] != place)
    {
        i++;
    }
    return names->names[i];
}

/** Whether two names have the same first row, of two. */
static bool
same_group(const char *a, const char *b)
{
    const size_t n = strcspn(a, ROW_END_TEXT);
    return a[n] && strncmp(a, b, n) == 0 && b[n] == ROW_END; /* b may end before n */
}

size_t
group_length(const struct figure_names *names, const size_t *places, size_t from)
{
    const char *first = name_at(names, places, from);
    size_t n = 1;
    while (from + n < names->n && same_group(first, name_at(names, places, from + n)))
    {
        n++;
    }
    return n;
}

/** Whether names fall into groups of neighbours, each of which has room for its own name. */
static bool
are_grouped(const struct figure_names *names, const size_t *places, double apart)
{
    size_t ngroups = 0, n;
    for (size_t at = 0; at < names->n; at += n, ngroups++)
    {
        const char *name = name_at(names, places, at);
        const size_t length = strcspn(name, ROW_END_TEXT);
        n = group_length(names, places, at);
        if (names->parts != 2 || !name[length] ||
            text_width(name, length) + NAME_GAP > apart * (double)n)
        {
            return false;
        }
        for (size_t k = 0; k < at; k++)
        {
            if (same_group(name, name_at(names, places, k)))
            {
                return false;
            }
        }
    }
    return ngroups < names->n;
}

static void
lay_out_categories(struct figure_layout *l, const struct figure *figure,
                   const struct figure_data *data)
{
    const struct figure_names *c = &data->categories;
    OWNED size_t *order = figure_category_places(figure, data);
    OWNED double *places = xcalloc(c->n + 1, sizeof *places);
    OWNED char **names = xcalloc(c->n + 1, sizeof *names);
    const double apart = l->plot_wide * (category_place(1, c->n) - category_place(0, c->n));
    const bool grouped = are_grouped(c, order, apart);
    for (size_t i = 0; i < c->n; i++)
    {
        places[i] = category_place(i, c->n);
        names[i] = xstrdup(grouped ? second_row(c->names[i]) : c->names[i]);
    }
    l->names = lay_out_names(names, places, c->n, l->plot_wide, false);
    l->names.grouped = grouped;
    l->names.below += grouped ? LINE_EM : 0;
    for (size_t i = 0; i < c->n; i++)
    {
        free(names[i]);
    }
}

/* --- what stands on the axes ------------------------------------------------------------------ */

static void
extend_points(struct figure_layout *l, const struct figure_point *points, size_t n,
              enum figure_kind kind)
{
    for (size_t i = 0; i < n; i++)
    {
        const struct figure_point *p = &points[i];
        if (!p->n || (l->x.log && p->x <= 0))
        {
            continue;
        }
        axis_extend(&l->x, p->x);
        axis_extend(&l->x, fmax(p->x, p->end));
        axis_extend(kind == FIGURE_HEATMAP ? &l->z : &l->y, p->y);
        if (kind != FIGURE_HEATMAP)
        {
            /* what cannot be negative keeps its axis, however long the whisker is */
            axis_extend(&l->y, p->y >= 0 ? fmax(p->low, 0) : p->low);
            axis_extend(&l->y, fmin(p->high, l->longest_whisker));
        }
        if (kind == FIGURE_BOX)
        {
            axis_extend(&l->y, p->least);
            axis_extend(&l->y, p->first); /* least may have no place */
            axis_extend(&l->y, p->most);
        }
    }
}

/** An interval of a few values is so wide that an axis with room for it would show nothing else. */
static void
limit_whiskers(struct figure_layout *l, const struct figure *figure, const struct figure_data *data)
{
    double most = 0, high = 0;
    const bool is_short = figure_has_short_intervals(figure, data);
    for (size_t i = 0; i < data->npoints && is_short; i++)
    {
        const struct figure_point *p = &data->points[i];
        most = p->n ? fmax(most, p->y) : most;
        high = p->n ? fmax(high, p->high) : high;
    }
    l->longest_whisker = !l->y.log && high > WHISKER_ROOM * most ? WHISKER_ROOM * most : INFINITY;
}

static void
extend_axes(struct figure_layout *l, const struct figure *figure, const struct figure_data *data)
{
    const enum figure_kind kind = figure->kind;
    l->x.log = figure->x.log != 0;
    l->y.log = figure->y.log != 0;
    l->z.log = figure->z.log != 0;
    limit_whiskers(l, figure, data);
    extend_points(l, data->points, data->npoints, kind);
    if (data->line)
    {
        extend_points(l, data->line, data->categories.n, kind);
    }
    for (size_t i = 0; i < figure->nreferences; i++)
    {
        const struct figure_reference *r = &figure->references[i];
        axis_extend(&l->y, r->y);
        if (figure_is_mark(r))
        {
            axis_extend(&l->x, r->x);
        }
    }
}

static void
end_axes(struct figure_layout *l, const struct figure *figure)
{
    const bool bars = figure_is(figure, FIGURES_OF_BARS);
    const double above = bars && figure->values ? (l->values_upright ? 3 : 1.8) / l->plot_high : 0;
    axis_set_ends(&l->x, figure->x.from, figure->x.to, false, 0.02);
    axis_set_ends(&l->y, figure->y.from, figure->y.to, bars,
                  figure->kind == FIGURE_CDF ? 0 : fmax(0.05, above));
    axis_set_ends(&l->z, l->z.log ? NAN : l->z.least, l->z.most, false, 0);
}

/* --- the whole -------------------------------------------------------------------------------- */

static double
length_of(const char *text, double otherwise)
{
    double mm;
    return text && length_parse(text, &mm) ? mm : otherwise;
}

/** Places without a panel in so many columns. */
static size_t
empty_places(size_t n, size_t columns)
{
    return (columns - n % columns) % columns;
}

/** Rows and columns of panels, as many side by side as the scenario says or as make a block in
 * which few places are empty. */
static void
arrange_panels(struct figure_layout *l, const struct figure *figure, size_t n)
{
    const size_t given = (size_t)figure->panel_columns;
    const size_t fit = fmax(l->wide / LEAST_PANEL, 1);
    size_t columns = (size_t)fmax(ceil(sqrt((double)n)), 1);
    columns = columns > fit ? fit : columns;
    if (columns < fit && empty_places(n, columns + 1) < empty_places(n, columns))
    {
        columns++;
    }
    columns = 4 * empty_places(n, columns) >= n && n < 4 ? 1 : columns;
    l->columns = given ? (given > n ? n : given) : columns;
    l->rows = (n + l->columns - 1) / l->columns;
    l->rows = l->rows ? l->rows : 1;
    l->shared = n > 1 && figure->panel_axes == 0;
}

/** About how large a plot is. */
static void
estimate_plots(struct figure_layout *l, const struct figure *figure, const struct figure_data *data,
               const struct figure_texts *t)
{
    const bool heat = figure->kind == FIGURE_HEATMAP;
    const struct figure_names *names = figure_rows(figure, data);
    const double columns = (double)l->columns, rows = (double)l->rows;
    for (size_t i = 0; i < names->n; i++)
    {
        l->rows_wide = fmax(l->rows_wide, text_width(names->names[i], strlen(names->names[i])));
    }
    const double numbers = names->n ? l->rows_wide + 1 : l->y.bytes ? BYTES_EM : NUMBERS_EM;
    const double right = heat                           ? COLOURS_EM + (*t->z ? LINE_EM : 0)
                         : l->legend_at == LEGEND_RIGHT ? legend_width(l) + EDGE_EM
                                                        : 0;
    const double around = 2 * EDGE_EM + (*t->y ? LINE_EM + LINE_GAP : 0) + right;
    const double gap = l->columns > 1 ? PANEL_GAP : 0, left = l->shared ? SHARED_EM : numbers;
    l->plot_wide = (l->wide - around - (numbers - left) + gap) / columns - left - gap;
    l->plot_wide = fmax(l->plot_wide, LEAST_PLOT);
    const double above = 2 * EDGE_EM + (*t->title ? TITLE_EM : 0) +
                         (*t->x ? LINE_EM + LINE_GAP : 0) + (*t->note ? LINE_EM : 0) +
                         (l->legend_at == LEGEND_TOP ? LEGEND_EM : 0);
    l->plot_high =
        fmax(l->height > 0 ? (l->height / l->font / MM_PER_POINT - above) / rows - PANEL_EM
                           : PROPORTION * l->plot_wide,
             LEAST_PLOT);
}

void
figure_layout_make(const struct figure *figure, const struct figure_data *data,
                   const struct figure_texts *texts, struct figure_layout *l)
{
    const size_t bars = data->categories.n * (data->series.n ? data->series.n : 1);
    *l = (struct figure_layout){.font = figure->font_size, .height = length_of(figure->height, 0)};
    l->width = length_of(figure->width, DEFAULT_WIDTH);
    l->wide = l->width / (l->font * MM_PER_POINT);
    l->x.bytes = texts->x_bytes;
    l->y.bytes = texts->y_bytes;
    l->z.bytes = texts->z_bytes;
    legend_count(l, figure, data);
    arrange_panels(l, figure, data->panels.n);
    extend_axes(l, figure, data);
    estimate_plots(l, figure, data, texts);
    l->values_upright = bars && 0.8 * l->plot_wide / (double)bars < VALUE_EM;
    end_axes(l, figure);
    figure_has_categories(figure) ? lay_out_categories(l, figure, data) : lay_out_tics(l, data);
    legend_place(l, figure, data, *texts->legend != '\0');
}

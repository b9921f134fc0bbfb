/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the plots of a figure stand, and what is around them. */
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
#define NOTE_EM       1.1   /* a line of the note */
#define TITLE_EM      1.4   /* a line of the title */
#define TIC_EM        0.7   /* between an axis and its tics' names */
#define VALUE_EM      2.4   /* a number above a bar */
#define COLOURS_EM    2.6   /* the bar of colours and its distance */
#define NAME_GAP      0.7   /* between two names side by side */
#define MOST_NAME     12.0  /* em: width of one line of a name */
#define MOST_LINES    3     /* of a name that lies flat */
#define WHISKER_ROOM  3.0   /* times the greatest mean, of intervals of few values */
#define PANEL_GAP     0.8   /* beside a panel whose numbers stand at another one */
#define LINE_GAP      0.3   /* between lines of text that are no paragraph */
#define LEAST_BEYOND  0.2   /* right of a plot: half of what a line's end or a bar's edge is wide */
#define SLANT         35.0  /* degrees */
#define SLANTED_APART 2.2   /* em between slanted names: a line's height / sin(SLANT) */
#define UPRIGHT_APART 1.3

/* --- names along the axis --------------------------------------------------------------------- */

/** The lines of all names at a width: the most lines, and the widest. @p one_row: the rows of a
 * name follow one another. */
static size_t
measure_names(char *const *names, size_t n, double width, bool one_row, double *widest)
{
    size_t lines = 0;
    *widest = 0;
    for (size_t i = 0; i < n; i++)
    {
        double wide;
        OWNED char *name = one_row ? text_in_one_row(names[i]) : xstrdup(names[i]);
        const size_t count = text_lines(name, width, &wide);
        lines = count > lines ? count : lines;
        *widest = wide > *widest ? wide : *widest;
    }
    return lines;
}

/** Names in their places, which are shares of an axis @p length long, ascending: side by side, in
 * lines; else slanted; else upright. @p skip: or some of them are left out. */
static struct name_layout
lay_out_names(char *const *names, const double *places, size_t n, double length, bool skip)
{
    struct name_layout l = {0};
    double apart = length, widest;
    for (size_t i = 1; i < n; i++)
    {
        const double gap = length * (places[i] - places[i - 1]);
        apart = gap < apart ? gap : apart;
    }
    l.width = apart - NAME_GAP < MOST_NAME ? apart - NAME_GAP : MOST_NAME;
    l.longest = measure_names(names, n, l.width, false, &widest);
    l.beyond = n ? widest / 2 - length * (1 - places[n - 1]) : 0;
    if ((widest <= apart - NAME_GAP || n < 2) && l.longest <= MOST_LINES)
    {
        l.below = (double)l.longest * LINE_EM;
        return l;
    }
    l.width = MOST_NAME * 2;
    l.one_row = true;
    l.longest = measure_names(names, n, l.width, true, &widest);
    l.beyond = n && skip ? widest / 2 - length * (1 - places[n - 1]) : 0;
    if (skip)
    {
        l.apart = widest + NAME_GAP;
        l.below = (double)l.longest * LINE_EM;
        return l;
    }
    l.turn = apart >= SLANTED_APART * (double)l.longest ? SLANT : 90;
    const double angle = l.turn * acos(-1) / 180, thick = (double)l.longest * LINE_EM;
    l.apart = apart < UPRIGHT_APART * (double)l.longest ? UPRIGHT_APART * (double)l.longest : 0;
    l.below = widest * sin(angle) + thick * cos(angle);
    l.left = widest * cos(angle) - (n ? length * places[0] : 0);
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

/** Ends of an axis as the scenario has them, and of what stands there. */
static void
end_axis(struct figure_axis *a, const struct axis_attributes *said, bool decade, double room)
{
    axis_set_ends(a, isnan(said->from) ? NULL : &said->from, said->to > 0 ? &said->to : NULL,
                  decade, room);
}

static void
end_axes(struct figure_layout *l, const struct figure *figure)
{
    const enum figure_kind kind = figure->kind;
    const bool bars = figure_is(figure, FIGURES_OF_BARS);
    const bool written = bars && figure->values;
    const double above = written ? (l->values_upright ? 3 : 1.8) / l->plot_high : 0;
    end_axis(&l->x, &figure->x, false, 0.02);
    end_axis(&l->y, &figure->y, bars, kind == FIGURE_CDF ? 0 : fmax(0.05, above));
    axis_set_ends(&l->z, l->z.log ? NULL : &l->z.least, &l->z.most, false, 0);
}

/* --- the whole -------------------------------------------------------------------------------- */

static double
length_of(const char *text, double otherwise)
{
    double mm;
    return text && length_parse(text, &mm) ? mm : otherwise;
}

/** The height of a text in lines @p width wide. */
static double
height_of(const char *text, double width, double line)
{
    double widest;
    return (double)text_lines(text, width, &widest) * line;
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

/** Lays out what stands above and beside the plots and needs no more than the figure's width. */
static void
lay_out_margins(struct figure_layout *l, const struct figure *figure,
                const struct figure_data *data, const struct figure_texts *t)
{
    const double room = l->wide - 2 * EDGE_EM;
    legend_lay_out(l, figure, data, *t->legend != '\0');
    l->title_high = height_of(t->title, room / 1.1, TITLE_EM);
    l->top = EDGE_EM + l->title_high;
    l->top += l->legend_at == LEGEND_TOP ? legend_height(l) : 0;
    l->note_high = height_of(t->note, room / NOTE_SIZE, NOTE_EM);
}

/** Returns the room to the right of the plots: for the colours of a heat map, with their numbers
 * and name. */
static double
room_to_the_right(struct figure_layout *l, const struct figure *figure,
                  const struct figure_texts *t)
{
    const double beyond = fmax(fmax(l->x.beyond, l->names.beyond), LEAST_BEYOND);
    l->panel_right = l->columns > 1 ? fmax(1.2, beyond) : beyond;
    if (figure->kind != FIGURE_HEATMAP)
    {
        return EDGE_EM + beyond - l->panel_right +
               (l->legend_at == LEGEND_RIGHT ? l->legend_wide + EDGE_EM : 0);
    }
    l->z_high = height_of(t->z, l->plot_high * (double)l->rows, LINE_EM);
    const double numbers = axis_tics(&l->z, l->plot_high, true);
    return EDGE_EM + COLOURS_EM + TIC_EM + numbers + l->z_high;
}

/** Lays out the name above each panel, in lines of the width of a plot. */
static void
lay_out_panel_names(struct figure_layout *l, const struct figure_texts *t)
{
    double widest;
    l->panel_wrap = l->plot_wide;
    const size_t lines = measure_names(t->panels, t->npanels, l->panel_wrap, false, &widest);
    const size_t most = lines > 1 ? lines : 1;
    l->panel_above = t->npanels > 1 ? (double)most * LINE_EM + 0.9 : 0.4;
}

/** Makes the tics and names along both axes. Returns the room that those of the vertical one need.
 */
static double
lay_out_tics_of_axes(struct figure_layout *l, const struct figure *figure,
                     const struct figure_data *data)
{
    double widest = 0;
    if (figure_has_categories(figure))
    {
        lay_out_categories(l, figure, data);
    }
    else
    {
        axis_tics(&l->x, l->plot_wide, false);
        lay_out_tics(l, data);
        l->names.below = fmax(l->names.below, LINE_EM);
    }
    if (figure->kind != FIGURE_HEATMAP)
    {
        return axis_tics(&l->y, l->plot_high, true);
    }
    for (size_t i = 0; i < data->series.n; i++)
    {
        widest = fmax(widest, text_width(data->series.names[i], strlen(data->series.names[i])));
    }
    return widest;
}

/** Numbers and names that stand at the outer panels alone take no room at the others. */
static void
share_axes(struct figure_layout *l)
{
    l->left += l->panel_left - PANEL_GAP;
    l->panel_left = PANEL_GAP;
    l->bottom += l->panel_below - PANEL_GAP;
    l->panel_below = PANEL_GAP;
}

/** The axes' tics and names, given the size of a plot; and what stands below and to the left. */
static void
lay_out_axes(struct figure_layout *l, const struct figure *figure, const struct figure_data *data,
             const struct figure_texts *t)
{
    const size_t bars = data->categories.n * (data->series.n ? data->series.n : 1);
    l->x_wrap = l->plot_wide * (double)l->columns;
    l->y_wrap = l->plot_high * (double)l->rows;
    lay_out_panel_names(l, t);
    l->values_upright = bars && 0.8 * l->plot_wide / (double)bars < VALUE_EM;
    end_axes(l, figure);
    l->panel_left = lay_out_tics_of_axes(l, figure, data) + TIC_EM + 0.4;
    l->panel_below = l->names.below + TIC_EM;
    l->y_high = height_of(t->y, l->y_wrap, LINE_EM) + (*t->y ? 0.3 : 0);
    l->left = EDGE_EM + fmax(l->y_high, l->names.left - l->panel_left);
    l->right = room_to_the_right(l, figure, t);
    const double note = l->note_high + (*t->note ? LINE_GAP : 0);
    l->bottom = EDGE_EM + note + height_of(t->x, l->x_wrap, LINE_EM) + (*t->x ? LINE_GAP : 0);
    l->y_at = l->left - l->y_high + 0.3;
    l->x_at = l->bottom - 0.9;
    if (l->shared)
    {
        share_axes(l);
    }
}

/** Returns how much of the figure's height is no plot. */
static double
height_around(const struct figure_layout *l)
{
    return l->top + l->bottom + (double)l->rows * (l->panel_above + l->panel_below);
}

/** The height of a plot where nobody says: with room for a heat map's rows, or for the legend. */
static double
height_of_plot(const struct figure_layout *l, const struct figure *figure,
               const struct figure_data *data)
{
    const bool heat = figure->kind == FIGURE_HEATMAP;
    const double beside = l->legend_at == LEGEND_RIGHT ? legend_height(l) / (double)l->rows
                          : heat                       ? LINE_EM * (double)data->series.n
                                                       : 0;
    return fmax(fmax(l->plot_wide * PROPORTION, 1.5 * LEAST_PLOT), beside);
}

/** Lays out what has its axes. False with a sentence in *why: its height leaves no room. */
static bool
lay_out_all(struct figure_layout *l, const struct figure *figure, const struct figure_data *data,
            const struct figure_texts *texts, char **why)
{
    const double em = l->font * MM_PER_POINT, given = length_of(figure->height, 0);
    lay_out_margins(l, figure, data, texts);
    /* Tics depend on the size of the plot, and that on the tics. */
    for (int i = 0; i < 4; i++)
    {
        const double columns = (double)l->columns, rows = (double)l->rows;
        lay_out_axes(l, figure, data, texts);
        l->plot_wide = (l->wide - l->left - l->right) / columns - l->panel_left - l->panel_right;
        l->plot_wide = fmax(l->plot_wide, LEAST_PLOT);
        l->plot_high =
            given > 0 ? (given / em - height_around(l)) / rows : height_of_plot(l, figure, data);
        if (l->plot_high < LEAST_PLOT)
        {
            *why = xformat("its height leaves no room for the plot; expected at least %.0fmm",
                           ceil(em * (height_around(l) + rows * LEAST_PLOT)));
            return false;
        }
    }
    l->high = height_around(l) + (double)l->rows * l->plot_high;
    l->height = l->high * em;
    return true;
}

bool
figure_layout_make(const struct figure *figure, const struct figure_data *data,
                   const struct figure_texts *texts, struct figure_layout *l, char **why)
{
    *l = (struct figure_layout){.font = figure->font_size};
    const double em = l->font * MM_PER_POINT;
    l->width = length_of(figure->width, DEFAULT_WIDTH);
    l->wide = l->width / em;
    l->x.bytes = texts->x_bytes;
    l->y.bytes = texts->y_bytes;
    l->z.bytes = texts->z_bytes;
    arrange_panels(l, figure, data->panels.n);
    extend_axes(l, figure, data);
    l->plot_wide = l->wide * 0.8 / (double)l->columns;
    l->plot_high = l->plot_wide * PROPORTION;
    end_axes(l, figure);
    lay_out_panel_names(l, texts);
    do
    {
        if (!lay_out_all(l, figure, data, texts, why))
        {
            return false;
        }
    } while (!legend_place(l, figure, data));
    return true;
}

void
figure_layout_free(struct figure_layout *l)
{
    free(l->x.tics.s);
    free(l->y.tics.s);
    free(l->z.tics.s);
    free(l->x.bare.s);
    free(l->y.bare.s);
    free(l->z.bare.s);
}

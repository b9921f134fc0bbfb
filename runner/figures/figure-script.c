/* SPDX-License-Identifier: GPL-2.0-only */
#include "figure-script.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure-layout.h"
#include "figure-markup.h"
#include "figure-style.h"

#define MOST_TICS 12 /* names of values on one axis */

#define DEFAULT_FONT "DejaVu Sans"

/** A script while it is written: the settings, which are Weft's own, and the texts of the scenario
 * and of the results, which stand in a block of data and are only referred to. */
struct script
{
    const struct figure *figure;
    const struct figure_data *data;
    struct figure_layout layout;
    struct text settings;
    struct text texts; /**< one per line, each behind a '|', so that none ends the block */
    size_t ntexts;
};

/* --- texts ------------------------------------------------------------------------------------ */

/** Adds the first @p n bytes of a text; the number of its line, from 1. */
static size_t
add_text(struct script *t, const char *s, size_t n)
{
    text_add(&t->texts, "|");
    text_add_markup(&t->texts, s, n);
    text_add(&t->texts, "\n");
    return ++t->ntexts;
}

/** Adds a text in lines of that width; the number of the first, and how many they are. */
static size_t
add_lines(struct script *t, const char *text, double width, size_t *n)
{
    const size_t first = t->ntexts + 1;
    for (const char *s = text; *s || t->ntexts < first;)
    {
        const size_t length = text_line(s, width);
        add_text(t, s, length);
        s += length + (s[length] != '\0');
    }
    *n = t->ntexts + 1 - first;
    return first;
}

/** Adds a variable that is a text in lines of that width, and how many they are. */
static void
add_wrapped(struct script *t, const char *name, const char *text, double width)
{
    size_t n;
    const size_t first = add_lines(t, text, width, &n);
    text_add(&t->settings, "%s = lines_of(%zu, %zu)\n%s_lines = %zu\n", name, first, n, name,
             *text ? n : 0);
}

static void
add_variable(struct script *t, const char *name, const char *value)
{
    const size_t line = add_text(t, value ? value : "", value ? strlen(value) : 0);
    text_add(&t->settings, "%s = text_of(%zu)\n", name, line);
}

static void
add_array(struct script *t, const char *name, char *const *values, size_t n)
{
    text_add(&t->settings, "array %s[%zu] = [", name, n);
    for (size_t i = 0; i < n; i++)
    {
        const size_t line = add_text(t, values[i], strlen(values[i]));
        text_add(&t->settings, "%stext_of(%zu)", i ? ", " : "", line);
    }
    text_add(&t->settings, "]\n");
}

/** Adds where a tic stands to a block of data, and its name in lines; @p one_row: its rows follow
 * one another. */
static void
add_tic(struct script *t, struct text *places, double x, const char *name, double width,
        bool one_row)
{
    size_t n;
    OWNED char *row = one_row ? text_in_one_row(name) : xstrdup(name);
    const size_t first = add_lines(t, row, width, &n);
    text_add(places, "%.9g %zu %zu\n", x, first, n);
}

/* --- names along the axes --------------------------------------------------------------------- */

/** Whether the values of a swept parameter stand along x by their names: where the scenario gives
 * names, or a logarithmic axis would show its own numbers only. */
static bool
has_named_tics(const struct script *t)
{
    const struct figure_data *data = t->data;
    bool named = t->layout.x.log && data->ntics > 0 && data->ntics <= MOST_TICS;
    for (size_t i = 0; i < data->ntics; i++)
    {
        named = named || data->tics[i].labelled;
    }
    return named;
}

/** Adds those names that have room. */
static void
add_tics(struct script *t)
{
    const struct figure_layout *l = &t->layout;
    const struct figure_data *data = t->data;
    CLEANUP(text_drop) struct text places = {0};
    double free_from = -INFINITY;
    for (size_t i = 0; has_named_tics(t) && i < data->ntics; i++)
    {
        const double x = data->tics[i].x;
        const double at = l->x.log && x <= 0 ? -INFINITY : axis_place(&l->x, x) * l->plot_wide;
        const double wide = text_width(data->tics[i].name, strlen(data->tics[i].name));
        const double half = l->names.turn > 0 ? l->names.apart / 2 : wide / 2 + 0.35;
        if (at >= 0 && at - half >= free_from)
        {
            add_tic(t, &places, x, data->tics[i].name, l->names.width, true);
            free_from = l->names.apart > 0 ? at + half : -INFINITY;
        }
    }
    text_add(&t->settings, "has_tics = %d\n$tics << END\n%sEND\n$groups << END\nEND\n",
             places.len > 0, places.s ? places.s : "");
}

/** Adds the names of groups of categories, each in the middle of its own. */
static void
add_groups(struct script *t, const size_t *at)
{
    const struct figure_names *names = &t->data->categories;
    CLEANUP(text_drop) struct text places = {0};
    size_t n;
    for (size_t from = 0; t->layout.names.grouped && from < names->n; from += n)
    {
        size_t i = 0;
        n = group_length(names, at, from);
        while (at[i] != from)
        {
            i++;
        }
        const char *name = names->names[i];
        text_add(&places, "%.9g %zu\n", (double)from + (double)(n - 1) / 2,
                 add_text(t, name, strcspn(name, ROW_END_TEXT)));
    }
    text_add(&t->settings, "$groups << END\n%sEND\n", places.s ? places.s : "");
}

/** Adds the names of categories at their places, those that have room. */
static void
add_categories(struct script *t)
{
    const struct figure_layout *l = &t->layout;
    const struct figure_names *names = &t->data->categories;
    OWNED size_t *at = figure_category_places(t->figure, t->data);
    const double apart = l->plot_wide * (category_place(1, names->n) - category_place(0, names->n));
    const size_t every = l->names.apart > apart ? (size_t)ceil(l->names.apart / apart) : 1;
    CLEANUP(text_drop) struct text places = {0};
    for (size_t i = 0; i < names->n; i++)
    {
        const char *name = l->names.grouped ? second_row(names->names[i]) : names->names[i];
        if (at[i] % every == 0)
        {
            add_tic(t, &places, (double)at[i], name, l->names.width, l->names.one_row);
        }
    }
    text_add(&t->settings, "has_tics = 1\n$tics << END\n%sEND\n", places.s ? places.s : "");
    add_groups(t, at);
}

/** Adds the names of rows. */
static void
add_rows(struct script *t)
{
    const struct figure_names *rows = figure_rows(t->figure, t->data);
    const bool by_number = t->figure->kind == FIGURE_HEATMAP;
    OWNED size_t *at = figure_places(rows);
    CLEANUP(text_drop) struct text places = {0};
    for (size_t i = 0; i < rows->n; i++)
    {
        add_tic(t, &places, (double)(by_number ? at[i] : i), rows->names[i], INFINITY, true);
    }
    text_add(&t->settings, "n_rows = %zu\nhas_rows = %d\n$rows << END\n%sEND\n", rows->n,
             rows->n > 0, places.s ? places.s : "");
}

/** The <level>s or <mark>s: arrays of heights and labels, which in gnuplot have one member at
 * least, and a block of places. */
static void
add_references(struct script *t, const char *kind, bool marks)
{
    CLEANUP(text_drop) struct text places = {0}, members = {0};
    size_t n = 0;
    for (size_t i = 0; i < t->figure->nreferences; i++)
    {
        const struct figure_reference *r = &t->figure->references[i];
        if (figure_is_mark(r) == marks)
        {
            n++;
            text_add(&places, "%.9g %.9g\n", r->x, r->y);
            text_add(&members, "%s_y[%zu] = %.9g\n%s_label[%zu] = text_of(%zu)\n", kind, n, r->y,
                     kind, n, add_text(t, r->label, strlen(r->label)));
        }
    }
    text_add(&t->settings,
             "n_%ss = %zu\narray %s_y[%zu]\narray %s_label[%zu]\n%s$%ss << END\n%sEND\n", kind, n,
             kind, n + 1, kind, n + 1, members.s ? members.s : "", kind, places.s ? places.s : "");
}

/* --- styles ----------------------------------------------------------------------------------- */

/** Adds an array of what lies at @p offset in each look, an unsigned. */
static void
add_looks(struct script *t, const char *name, size_t offset, const struct figure_look *looks,
          size_t n)
{
    text_add(&t->settings, "array s_%s[%zu] = [", name, n);
    for (size_t i = 0; i < n; i++)
    {
        unsigned part;
        memcpy(&part, (const char *)&looks[i] + offset, sizeof part);
        text_add(&t->settings, "%s%u", i ? ", " : "", part);
    }
    text_add(&t->settings, "]\n");
}

/** The styles of series; of bars and boxes without series those of the categories, if these are
 * balancers, else one for all. */
static void
add_styles(struct script *t, const struct plan *plan)
{
    const struct figure_data *data = t->data;
    const enum figure_kind kind = t->figure->kind;
    const bool single =
        kind == FIGURE_BARS || (kind == FIGURE_BOX && !figure_data_has_series(data));
    const struct figure_names *names = single ? &data->categories : &data->series;
    const size_t n = names->n;
    OWNED struct figure_look *looks = xcalloc(n + 1, sizeof *looks);
    if (!figure_looks(plan, names, looks) && single)
    {
        for (size_t i = 1; i < n; i++)
        {
            looks[i] = looks[0];
        }
    }
    add_looks(t, "colour", offsetof(struct figure_look, colour), looks, n);
    add_looks(t, "dash",
              figure_is_dense(t->figure, data) ? offsetof(struct figure_look, dense_dash)
                                               : offsetof(struct figure_look, dash),
              looks, n);
    add_looks(t, "marker", offsetof(struct figure_look, marker), looks, n);
    add_looks(t, "pattern", offsetof(struct figure_look, pattern), looks, n);
    text_add(&t->settings, "styled_categories = %d\n", single);
}

/* --- the whole -------------------------------------------------------------------------------- */

/** Sizes, and what stands where. */
static void
add_layout(struct script *t)
{
    static const char *const places[] = {"none", "top", "right"};
    const struct figure_layout *l = &t->layout;
    const char *font = t->figure->font;
    text_add(&t->settings,
             "width = %.6g\nheight = %.6g\nfont_name = '%s'\nfont_size = %.4g\nnote_size = %.4g\n"
             "n_panels = %zu\npanel_columns = %zu\npanel_rows = %zu\nshared = %d\n"
             "names_turn = %g\nnames_below = %.4g\nnames_left = %.4g\nnames_beyond = %.4g\n"
             "rows_wide = %.4g\nvalues_upright = %d\n",
             l->width, l->height, font ? font : DEFAULT_FONT, l->font,
             fmax(NOTE_SIZE * l->font, LEAST_FONT), t->data->panels.n, l->columns, l->rows,
             l->shared, l->names.turn, l->names.below, l->names.left, l->names.beyond, l->rows_wide,
             l->values_upright);
    text_add(&t->settings,
             "legend_at = '%s%s%s'\nlegend_entries = %zu\nlegend_letters = %zu\n"
             "legend_wide = %.6g\n",
             l->legend_at != LEGEND_INSIDE ? places[l->legend_at]
             : l->legend_left              ? "left"
                                           : "right",
             l->legend_at != LEGEND_INSIDE ? "" : " ",
             l->legend_at != LEGEND_INSIDE ? ""
             : l->legend_low               ? "bottom"
                                           : "top",
             l->legend_entries, l->legend_letters, l->legend_wide);
}

static void
add_axis(struct script *t, const char *axis, const struct figure_axis *a)
{
    text_add(&t->settings, "%s_min = %.9g\n%s_max = %.9g\n%s_log = %d\n%s_bytes = %d\n", axis,
             a->from, axis, a->to, axis, a->log, axis, a->bytes);
}

/** The digits behind the point that a number needs, at most @p room. */
static int
digits_of(double y, int room)
{
    int n = 0;
    for (double m = y; n < room && fabs(m - round(m)) > 1e-6 * fmax(m, 1); m *= 10)
    {
        n++;
    }
    return n;
}

/** The digits behind the point that all numbers in bars or fields have: as many as some of them
 * need, while the greatest, whatever the signs, has no more than three in all, or four with one
 * behind the point. */
static int
decimals_of(const struct figure_data *data)
{
    double most = 0;
    for (size_t i = 0; i < data->npoints; i++)
    {
        most = data->points[i].n ? fmax(most, fabs(data->points[i].y)) : most;
    }
    const int before = most > 0 ? (int)floor(log10(most)) + 1 : 0;
    const int room = before < 3 ? 3 - before : before == 3;
    int need = 0;
    for (size_t i = 0; i < data->npoints; i++)
    {
        const struct figure_point *p = &data->points[i];
        const int digits = p->n ? digits_of(fabs(p->y), room) : 0;
        need = digits > need ? digits : need;
    }
    return need;
}

/** The names of panels, in lines. */
static void
add_panel_names(struct script *t, const struct figure_texts *texts)
{
    CLEANUP(text_drop) struct text lines = {0};
    size_t most = 0;
    text_add(&t->settings, "array panel_name[%zu] = [", texts->npanels);
    for (size_t i = 0; i < texts->npanels; i++)
    {
        size_t n;
        const size_t first = add_lines(t, texts->panels[i], t->layout.plot_wide, &n);
        text_add(&t->settings, "%slines_of(%zu, %zu)", i ? ", " : "", first, n);
        text_add(&lines, "%s%zu", i ? ", " : "", n);
        most = n > most ? n : most;
    }
    text_add(&t->settings, "]\narray panel_lines[%zu] = [%s]\nmost_panel_lines = %zu\n",
             texts->npanels, lines.s ? lines.s : "", most);
}

static void
add_settings(struct script *t, const struct plan *plan, const struct figure_texts *texts)
{
    const struct figure *figure = t->figure;
    const struct figure_data *data = t->data;
    const struct figure_layout *l = &t->layout;
    size_t least, most;
    const double plots_wide = l->plot_wide * (double)l->columns;
    const double plots_high = l->plot_high * (double)l->rows, room = l->wide - 2 * EDGE_EM;
    add_layout(t);
    add_wrapped(t, "title", texts->title, room / 1.1);
    add_wrapped(t, "x_label", texts->x, plots_wide);
    add_wrapped(t, "y_label", texts->y, plots_high);
    add_wrapped(t, "z_label", texts->z, plots_high);
    add_wrapped(t, "note", texts->note, room / NOTE_SIZE);
    add_variable(t, "legend_title", l->legend_at ? texts->legend : "");
    text_add(&t->settings, "n_series = %zu\nn_categories = %zu\n", data->series.n,
             data->categories.n);
    add_array(t, "series", data->series.names, data->series.n);
    add_panel_names(t, texts);
    add_styles(t, plan);
    const enum figure_spread spread = figure_spread(figure, data);
    text_add(&t->settings, "has_spread = %d\nspread_bars = %d\nhas_line = %d\n",
             figure_has_spread(data, &least, &most) && data->whiskers && spread != SPREAD_NONE,
             spread == SPREAD_BARS, data->line != NULL);
    add_variable(t, "line_label", data->line ? figure_line_label(figure) : NULL);
    add_axis(t, "x", &l->x);
    add_axis(t, "y", &l->y);
    add_axis(t, "z", &l->z);
    text_add(&t->settings, "is_heatmap = %d\n", figure->kind == FIGURE_HEATMAP);
    figure_has_categories(figure) ? add_categories(t) : add_tics(t);
    add_rows(t);
    text_add(&t->settings, "show_values = %d\nvalue_format = '%%.%df'\nshow_points = %d\n",
             figure->values != 0, decimals_of(data), figure->points != 0);
    add_references(t, "level", false);
    add_references(t, "mark", true);
}

/** The script of a figure that has its layout. */
static char *
whole_script(struct script *t, const char *name, const char *template)
{
    struct text all = {0};
    text_add(&all,
             "# Draws %s.svg, %s.png and %s.pdf from %s.dat: run 'gnuplot %s.gp' in this folder.\n"
             "# Written by 'weft plot'; the settings come from the scenario's <figure>.\n"
             "set encoding utf8\n"
             "name = '%s'\n"
             "if (!exists('svg_file')) { svg_file = name.'.svg' }\n"
             "if (!exists('png_file')) { png_file = name.'.png' }\n"
             "if (!exists('pdf_file')) { pdf_file = name.'.pdf' }\n"
             "# Texts are data: gnuplot shows them and evaluates nothing in them.\n"
             "$texts << END\n%sEND\n"
             "text_of(i) = $texts[i][2:*]\n"
             "lines_of(i, n) = n > 1 ? lines_of(i, n - 1).\"\\n\".text_of(i + n - 1) : text_of(i)\n"
             "%s\n%s",
             name, name, name, name, name, name, t->texts.s, t->settings.s, template);
    return text_take(&all);
}

char *
figure_script(const struct plan *plan, const struct figure *figure, const struct figure_data *data,
              char **why)
{
    char *template = figure_template(plan, figure, why), *all = NULL;
    struct script script = {.figure = figure, .data = data};
    struct figure_texts texts = figure_texts_make(plan, figure, data);
    if (template)
    {
        figure_layout_make(figure, data, &texts, &script.layout);
        add_settings(&script, plan, &texts);
        all = whole_script(&script, figure->name, template);
    }
    figure_texts_free(&texts);
    free(script.texts.s);
    free(script.settings.s);
    free(template);
    return all;
}

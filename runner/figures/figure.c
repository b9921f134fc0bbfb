/* SPDX-License-Identifier: GPL-2.0-only */
#include "figure.h"

#include <stdlib.h>
#include <string.h>

#include "figure-rows.h"
#include "results-folder.h"

#define MOST_DOTS 50000 /* of a scatter plot: more make a drawing that nothing opens */

union attribute_value
figure_value(const struct element *figure, const char *name)
{
    const struct attribute_spec *spec = vocabulary_attribute(figure->spec, name);
    union attribute_value value = {0};
    const char *text = element_value(figure, name);
    if (!text || attribute_parse(spec, text, &value) < 0)
    {
        value = (union attribute_value){0};
        if (spec->param.def)
        {
            attribute_parse(spec, spec->param.def, &value);
        }
    }
    return value;
}

const struct column_table *
figure_table(const struct element *figure)
{
    static const struct column_table *const tables[] = {
        &summary_table, &series_table, &queues_table, &layers_table,
        &steps_table,   &qps_table,    &flows_table,  &workloads_table,
    };
    return tables[figure_value(figure, "data").integer];
}

const char *
figure_own_template(const struct element *figure)
{
    const char *name = element_value(figure, "template");
    size_t n = name ? strlen(name) : 0;
    return n > 3 && strcmp(name + n - 3, ".gp") == 0 ? name : NULL;
}

enum figure_kind
figure_kind(const struct element *figure)
{
    static const char *const kinds[] = {"bars",    "grouped-bars", "lines",  "cdf",
                                        "heatmap", "box",          "scatter"};
    if (figure_own_template(figure))
    {
        return (enum figure_kind)figure_value(figure, "like").integer;
    }
    const char *name = element_value(figure, "template");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    {
        if (strcmp(kinds[i], name) == 0)
        {
            return (enum figure_kind)i;
        }
    }
    return FIGURE_LINES;
}

bool
figure_has_categories(const struct element *figure)
{
    const enum figure_kind kind = figure_kind(figure);
    return kind != FIGURE_LINES && kind != FIGURE_CDF && kind != FIGURE_SCATTER;
}

const char *
figure_series(const struct element *figure)
{
    return element_value(figure, figure_kind(figure) == FIGURE_HEATMAP ? "y" : "series");
}

const char *
figure_shown(const struct element *figure)
{
    const enum figure_kind kind = figure_kind(figure);
    return element_value(figure, kind == FIGURE_CDF ? "x" : kind == FIGURE_HEATMAP ? "z" : "y");
}

const struct plan_dimension *
plan_column(const struct plan *plan, const char *name, size_t *cell)
{
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        for (size_t c = 0; c < plan->dimensions[k].ncolumns; c++)
        {
            if (strcmp(plan->dimensions[k].columns[c], name) == 0)
            {
                *cell = c;
                return &plan->dimensions[k];
            }
        }
    }
    return NULL;
}

/** Adds a cell's number to what a category has; an empty one says nothing. */
static void
bar_add(struct figure_point **points, size_t *n, size_t category, const char *cell, double scale)
{
    if (*cell)
    {
        point_add(point_at(points, n, category), strtod(cell, NULL) * scale);
    }
}

static bool
take_bar(struct collecting *c, const struct row *r)
{
    const char *line = element_value(c->figure, "line");
    const char *const names[] = {c->y, line};
    if (!has_columns(c, r, names, 2))
    {
        return false;
    }
    size_t curve = curve_of_row(c, r), category = category_of_row(c, r);
    note_value(c, *cell_of(c, r, c->y));
    bar_add(&c->data->points[curve], &c->data->npoints[curve], category, cell_of(c, r, c->y),
            c->y_scale);
    if (line)
    {
        point_at(&c->data->line, &c->nline, category);
        bar_add(&c->data->line, &c->nline, category, cell_of(c, r, line), c->y_scale);
    }
    return true;
}

static int
by_tic(const void *a, const void *b)
{
    double x = ((const struct figure_tic *)a)->x, y = ((const struct figure_tic *)b)->x;
    return (x > y) - (x < y);
}

/** Remembers what the sweep calls a value of x. */
static void
note_tic(struct collecting *c, const struct row *r, double x)
{
    struct figure_data *data = c->data;
    size_t cell;
    const struct plan_dimension *dim = plan_column(c->plan, c->x.word[0], &cell);
    bool known = !dim || (r->file && csv_column(r->file, c->x.word[0]) >= 0);
    for (size_t i = 0; i < data->ntics; i++)
    {
        known = known || data->tics[i].x == x;
    }
    if (!known)
    {
        const char *label = label_of(c->plan, c->x.word[0], c->summary, r->run);
        ARRAY_GROW(data->tics, data->ntics);
        data->tics[data->ntics++] = (struct figure_tic){
            x, xstrdup(label ? label : cell_of(c, r, c->x.word[0])), label != NULL};
        qsort(data->tics, data->ntics, sizeof *data->tics, by_tic);
    }
}

static bool
take_line_point(struct collecting *c, const struct row *r)
{
    struct figure_data *data = c->data;
    enum cell_kind x_kind, y_kind;
    double x, y;
    if (!number_of_row(c, r, c->x.word[0], &x_kind, &x) || !number_of_row(c, r, c->y, &y_kind, &y))
    {
        return false;
    }
    size_t curve = curve_of_row(c, r);
    note_value(c, y_kind == CELL_NUMBER);
    if (x_kind == CELL_TEXT || y_kind == CELL_TEXT)
    {
        return refuse_text(c, x_kind == CELL_TEXT ? c->x.word[0] : c->y);
    }
    if (x_kind == CELL_NUMBER && y_kind == CELL_NUMBER)
    {
        struct figure_point *p =
            point_at(&data->points[curve], &data->npoints[curve], data->npoints[curve]);
        p->x = x * c->x_scale;
        note_tic(c, r, p->x);
        point_add(p, y * c->y_scale);
    }
    return true;
}

/* --- bars and lines --------------------------------------------------------------------------- */

static bool
collect_bars(struct collecting *c)
{
    bool good = collect_rows(c, take_bar);
    for (size_t i = 0; i < c->data->ncurves; i++)
    {
        if (c->data->ncategories)
        {
            point_at(&c->data->points[i], &c->data->npoints[i], c->data->ncategories - 1);
        }
    }
    return good;
}

static int
by_x(const void *a, const void *b)
{
    double x = ((const struct figure_point *)a)->x, y = ((const struct figure_point *)b)->x;
    return (x > y) - (x < y);
}

/** Points of several seeds at one place become one. */
static void
merge_points(struct figure_point *points, size_t *n)
{
    size_t kept = 0;
    if (*n)
    {
        qsort(points, *n, sizeof *points, by_x);
    }
    for (size_t i = 0; i < *n; i++)
    {
        if (kept && points[kept - 1].x == points[i].x)
        {
            point_add(&points[kept - 1], points[i].moments.y);
        }
        else
        {
            points[kept++] = points[i];
        }
    }
    *n = kept;
}

static bool
collect_lines(struct collecting *c)
{
    bool good = collect_rows(c, take_line_point);
    for (size_t i = 0; i < c->data->ncurves; i++)
    {
        merge_points(c->data->points[i], &c->data->npoints[i]);
    }
    return good;
}

static bool
collect_dots(struct collecting *c)
{
    bool good = collect_rows(c, take_line_point);
    size_t n = 0;
    for (size_t i = 0; i < c->data->ncurves; i++)
    {
        n += c->data->npoints[i];
    }
    if (good && n > MOST_DOTS)
    {
        *c->why = xformat("it would have %zu dots; expected at most %d (a cdf or a box plot shows "
                          "any number)",
                          n, MOST_DOTS);
        good = false;
    }
    return good;
}

/* --- panels ----------------------------------------------------------------------------------- */

/** Puts the curves in the order of their panels and series, and an empty one where there is none.
 */
static void
order_curves(struct collecting *c)
{
    struct figure_data *d = c->data;
    const size_t n = d->npanels * d->nseries;
    struct figure_point **points = xcalloc(n + 1, sizeof *points);
    struct figure_box **boxes = d->boxes ? xcalloc(n + 1, sizeof *boxes) : NULL;
    size_t *npoints = xcalloc(n + 1, sizeof *npoints);
    for (size_t i = 0; i < d->ncurves; i++)
    {
        const size_t to = c->places[i].panel * d->nseries + c->places[i].series;
        points[to] = d->points[i];
        npoints[to] = d->npoints[i];
        if (boxes)
        {
            boxes[to] = d->boxes[i];
        }
    }
    for (size_t i = 0; i < n; i++)
    {
        if (boxes && !boxes[i])
        {
            boxes[i] = xcalloc(d->ncategories + 1, sizeof **boxes);
        }
        else if (!boxes && figure_has_categories(c->figure) && d->ncategories)
        {
            point_at(&points[i], &npoints[i], d->ncategories - 1);
        }
    }
    free(d->points);
    free(d->npoints);
    free(d->boxes);
    d->points = points;
    d->npoints = npoints;
    d->boxes = boxes;
    d->ncurves = n;
}

/* --- relative values -------------------------------------------------------------------------- */

static void
divide(struct figure_point *p, double by)
{
    p->moments.y /= by;
    p->moments.yy /= by * by;
    p->least /= by;
    p->most /= by;
}

static double
mean_of(const struct figure_point *p)
{
    return p->n ? p->moments.y : 0;
}

/** The divisor of a bar of a panel: the same category of that series, or that category if there is
 * one series only. 0: not there. */
static double
divisor(const struct collecting *c, size_t panel, size_t category, const char *key)
{
    const struct figure_data *data = c->data;
    struct figure_point *const *points = data->points + panel * data->nseries;
    for (size_t i = 0; c->series && i < data->nseries; i++)
    {
        if (strcmp(data->series_keys[i], key) == 0)
        {
            return mean_of(&points[i][category]);
        }
    }
    for (size_t i = 0; !c->series && i < data->ncategories; i++)
    {
        if (strncmp(data->category_keys[i], key, strlen(key)) == 0 &&
            data->category_keys[i][strlen(key)] == '\n')
        {
            return mean_of(&points[0][i]);
        }
    }
    return 0;
}

static bool
make_relative(struct collecting *c, const char *key)
{
    struct figure_data *data = c->data;
    double *by = xcalloc(data->npanels * data->ncategories + 1, sizeof *by);
    bool good = true;
    for (size_t i = 0; i < data->npanels * data->ncategories; i++)
    {
        by[i] = divisor(c, i / data->ncategories, i % data->ncategories, key);
        good = good && by[i] > 0;
    }
    for (size_t i = 0; good && i < data->ncurves; i++)
    {
        for (size_t k = 0; k < data->ncategories; k++)
        {
            divide(&data->points[i][k], by[i / data->nseries * data->ncategories + k] / c->y_scale);
        }
    }
    if (!good)
    {
        *c->why = xformat("no finished run of '%s' to relate to", key);
    }
    free(by);
    return good;
}

/* --- the whole -------------------------------------------------------------------------------- */

static void
free_keys(char **keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        free(keys[i]);
    }
    free(keys);
}

static bool
collect(struct collecting *c)
{
    switch (figure_kind(c->figure))
    {
    case FIGURE_LINES:
        return collect_lines(c);
    case FIGURE_CDF:
        return collect_cdf(c);
    case FIGURE_BOX:
        return collect_boxes(c);
    case FIGURE_SCATTER:
        return collect_dots(c);
    default:
        return collect_bars(c);
    }
}

static bool
shows_anything(const struct figure_data *data)
{
    for (size_t i = 0; i < data->ncurves; i++)
    {
        for (size_t k = 0; k < data->npoints[i]; k++)
        {
            if (data->points[i][k].n)
            {
                return true;
            }
        }
        for (size_t k = 0; data->boxes && k < data->ncategories; k++)
        {
            if (data->boxes[i][k].n)
            {
                return true;
            }
        }
    }
    return false;
}

struct figure_data *
figure_read(const struct plan *plan, const struct element *figure, const char *out, char **why)
{
    struct csv *summary = results_table(out, "summary.csv", why);
    if (!summary)
    {
        return NULL;
    }
    const char *where = element_value(figure, "where");
    const char *relative = element_value(figure, "relative-to");
    const bool heat = figure_kind(figure) == FIGURE_HEATMAP;
    struct collecting c = {.plan = plan,
                           .figure = figure,
                           .out = out,
                           .table = figure_table(figure),
                           .summary = summary,
                           .data = xcalloc(1, sizeof(struct figure_data)),
                           .x = words_split(element_value(figure, "x")),
                           .where = words_split(where ? where : ""),
                           .y = figure_shown(figure),
                           .series = figure_series(figure),
                           .panel = element_value(figure, "panels"),
                           .x_scale = figure_value(figure, "x-scale").real,
                           .y_scale = figure_value(figure, heat ? "z-scale" : "y-scale").real,
                           .why = why};
    bool good = collect(&c);
    order_curves(&c);
    good = good && (!relative || make_relative(&c, relative));
    if (good && !shows_anything(c.data))
    {
        *why = xformat(c.data->nseries ? "column '%s' of the results is empty"
                                       : "no finished run has results for '%s'",
                       figure_shown(figure));
        good = false;
    }
    free(c.places);
    words_free(&c.x);
    words_free(&c.where);
    csv_free(summary);
    if (!good)
    {
        figure_data_free(c.data);
        return NULL;
    }
    return c.data;
}

void
figure_data_free(struct figure_data *data)
{
    for (size_t i = 0; data && i < data->ncurves; i++)
    {
        free(data->points[i]);
        free(data->boxes ? data->boxes[i] : NULL);
    }
    if (data)
    {
        free_keys(data->series, data->nseries);
        free_keys(data->series_keys, data->nseries);
        free_keys(data->panels, data->npanels);
        free_keys(data->panel_keys, data->npanels);
        free_keys(data->categories, data->ncategories);
        free_keys(data->category_keys, data->ncategories);
        free(data->points);
        free(data->npoints);
        free(data->boxes);
        free(data->line);
        for (size_t i = 0; i < data->ntics; i++)
        {
            free(data->tics[i].name);
        }
        free(data->tics);
        free(data);
    }
}

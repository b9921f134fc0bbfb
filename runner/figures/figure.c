/* SPDX-License-Identifier: GPL-2.0-only */
#include "figure.h"

#include <stdlib.h>
#include <string.h>

#include "figure-rows.h"
#include "results-folder.h"

#define JUMP 0.006 /* a share: more than between the steps of a large pool */

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
figure_shown(const struct element *figure)
{
    bool cdf = strcmp(element_value(figure, "template"), "cdf") == 0;
    return element_value(figure, cdf ? "x" : "y");
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

/** "(900us, 4us)", or the label that a <zip> gives to both at once. */
static size_t
category_of_row(struct collecting *c, const struct row *r)
{
    struct text key = {0}, label = {0};
    bool whole = false;
    for (size_t i = 0; i < c->x.n; i++)
    {
        const char *found = cell_of(c, r, c->x.word[i]), *cell = found ? found : "";
        const char *name = label_of(c->plan, c->x.word[i], c->summary, r->run);
        text_add(&key, "%s\n", cell);
        whole = whole || (i == 0 && name);
        if (i == 0 || !whole)
        {
            text_add(&label, "%s%s", i ? ", " : "", name ? name : cell);
        }
    }
    char *all = c->x.n > 1 && !whole ? xformat("(%s)", label.s) : xstrdup(label.s);
    size_t i = place_of(&c->category_keys, &c->data->categories, &c->data->ncategories, key.s, all);
    free(all);
    free(key.s);
    free(label.s);
    return i;
}

static void
point_add(struct figure_point *p, double value)
{
    p->least = p->n == 0 || value < p->least ? value : p->least;
    p->most = p->n == 0 || value > p->most ? value : p->most;
    p->sum += value;
    p->squares += value * value;
    p->n++;
}

/** The point of a category in a list that grows with the categories. */
static struct figure_point *
point_at(struct figure_point **points, size_t *n, size_t category)
{
    if (category >= *n)
    {
        *points = xrealloc(*points, category + 1, sizeof **points);
        memset(*points + *n, 0, (category + 1 - *n) * sizeof **points);
        *n = category + 1;
    }
    return &(*points)[category];
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
    size_t series = series_of_row(c, r), category = category_of_row(c, r);
    note_value(c, *cell_of(c, r, c->y));
    bar_add(&c->data->points[series], &c->data->npoints[series], category, cell_of(c, r, c->y),
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

/** x must be numbers. */
static bool
refuse_text(struct collecting *c)
{
    *c->why = xformat("column '%s' of the results holds text; expected numbers", c->x.word[0]);
    return false;
}

static bool
take_line_point(struct collecting *c, const struct row *r)
{
    const char *const names[] = {c->x.word[0], c->y};
    if (!has_columns(c, r, names, 2))
    {
        return false;
    }
    struct figure_data *data = c->data;
    size_t series = series_of_row(c, r);
    const char *y = cell_of(c, r, c->y);
    double x;
    enum cell_kind kind = csv_number(cell_of(c, r, c->x.word[0]), &x);
    note_value(c, *y);
    if (kind == CELL_TEXT)
    {
        return refuse_text(c);
    }
    if (kind == CELL_NUMBER && *y)
    {
        struct figure_point *p =
            point_at(&data->points[series], &data->npoints[series], data->npoints[series]);
        p->x = x * c->x_scale;
        note_tic(c, r, p->x);
        point_add(p, strtod(y, NULL) * c->y_scale);
    }
    return true;
}

/* --- bars and lines --------------------------------------------------------------------------- */

static bool
collect_bars(struct collecting *c)
{
    bool good = collect_rows(c, take_bar);
    for (size_t i = 0; i < c->data->nseries; i++)
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
            point_add(&points[kept - 1], points[i].sum);
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
    for (size_t i = 0; i < c->data->nseries; i++)
    {
        merge_points(c->data->points[i], &c->data->npoints[i]);
    }
    return good;
}

/* --- distributions ---------------------------------------------------------------------------- */

/** Adds a row's number to the pool of its series. */
static bool
take_number(struct collecting *c, const struct row *r)
{
    const struct csv *csv = r->file ? r->file : c->summary;
    struct number_column column;
    double value;
    if (!number_column_find(csv, c->table, c->x.word[0], &column))
    {
        *c->why = xformat("the results have no column '%s'", c->x.word[0]);
        return false;
    }
    size_t series = series_of_row(c, r);
    if (series >= c->npools)
    {
        c->pools = xrealloc(c->pools, series + 1, sizeof *c->pools);
        c->pools[series] = (struct pool){NULL, 0};
        c->npools = series + 1;
    }
    enum cell_kind kind = number_column_value(csv, r->file ? r->at : r->run, &column, &value);
    note_value(c, kind == CELL_NUMBER);
    if (kind == CELL_TEXT)
    {
        return refuse_text(c);
    }
    if (kind == CELL_NUMBER)
    {
        pool_add(&c->pools[series], value * c->x_scale);
    }
    return true;
}

static void
add_step(struct collecting *c, size_t series, double x, double share)
{
    size_t n = c->data->npoints[series];
    struct figure_point *p = point_at(&c->data->points[series], &c->data->npoints[series], n);
    p->x = x;
    point_add(p, share * c->y_scale);
}

/** The curve of one series: shares up to x, or above it, where an axis without 0 ends with the last
 * value. Jumps stand upright; between close steps it is straight. A single step stands on an axis
 * without 0 as well, down to the share of one value. */
static void
add_curve(struct collecting *c, size_t series, bool above)
{
    struct cdf_point *steps;
    pool_sort(&c->pools[series]);
    size_t n = pool_cdf(&c->pools[series], &steps);
    double before = 0;
    for (size_t i = 0; i < n; i++)
    {
        double x = steps[i].x, share = steps[i].share;
        bool last = above && i + 1 == n;
        if (i == 0 || last || share - before > JUMP)
        {
            add_step(c, series, x, above ? 1 - before : before);
        }
        if (!last)
        {
            add_step(c, series, x, above ? 1 - share : share);
        }
        before = share;
    }
    if (above && n == 1)
    {
        add_step(c, series, steps[0].x, 1 / (double)c->pools[series].n);
    }
    free(steps);
}

static bool
collect_cdf(struct collecting *c)
{
    bool good = collect_rows(c, take_number);
    bool above = figure_value(c->figure, "y-log").integer != 0;
    for (size_t i = 0; i < c->npools; i++)
    {
        if (good)
        {
            add_curve(c, i, above);
        }
        pool_free(&c->pools[i]);
    }
    free(c->pools);
    return good;
}

/* --- relative values -------------------------------------------------------------------------- */

static void
divide(struct figure_point *p, double by)
{
    p->sum /= by;
    p->squares /= by * by;
    p->least /= by;
    p->most /= by;
}

static double
mean_of(const struct figure_point *p)
{
    return p->n ? p->sum / (double)p->n : 0;
}

/** The divisor of a bar: the same category of that series, or that category if there is one series
 * only. 0: not there. */
static double
divisor(const struct collecting *c, size_t category, const char *key)
{
    const struct figure_data *data = c->data;
    for (size_t i = 0; c->series && i < data->nseries; i++)
    {
        if (strcmp(c->series_keys[i], key) == 0)
        {
            return mean_of(&data->points[i][category]);
        }
    }
    for (size_t i = 0; !c->series && i < data->ncategories; i++)
    {
        if (strncmp(c->category_keys[i], key, strlen(key)) == 0 &&
            c->category_keys[i][strlen(key)] == '\n')
        {
            return mean_of(&data->points[0][i]);
        }
    }
    return 0;
}

static bool
make_relative(struct collecting *c, const char *key)
{
    struct figure_data *data = c->data;
    double *by = xcalloc(data->ncategories, sizeof *by);
    bool good = true;
    for (size_t k = 0; k < data->ncategories; k++)
    {
        by[k] = divisor(c, k, key);
        good = good && by[k] > 0;
    }
    for (size_t i = 0; good && i < data->nseries; i++)
    {
        for (size_t k = 0; k < data->ncategories; k++)
        {
            divide(&data->points[i][k], by[k] / c->y_scale);
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
    const char *template = element_value(c->figure, "template");
    const char *relative = element_value(c->figure, "relative-to");
    if (strcmp(template, "lines") == 0)
    {
        return collect_lines(c);
    }
    if (strcmp(template, "cdf") == 0)
    {
        return collect_cdf(c);
    }
    return collect_bars(c) && (!relative || make_relative(c, relative));
}

static bool
shows_anything(const struct figure_data *data)
{
    for (size_t i = 0; i < data->nseries; i++)
    {
        for (size_t k = 0; k < data->npoints[i]; k++)
        {
            if (data->points[i][k].n)
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
    struct collecting c = {.plan = plan,
                           .figure = figure,
                           .out = out,
                           .table = figure_table(figure),
                           .summary = summary,
                           .data = xcalloc(1, sizeof(struct figure_data)),
                           .x = words_split(element_value(figure, "x")),
                           .where = words_split(where ? where : ""),
                           .y = element_value(figure, "y"),
                           .series = element_value(figure, "series"),
                           .x_scale = figure_value(figure, "x-scale").real,
                           .y_scale = figure_value(figure, "y-scale").real,
                           .why = why};
    bool good = collect(&c);
    if (good && !shows_anything(c.data))
    {
        *why = xformat(c.data->nseries ? "column '%s' of the results is empty"
                                       : "no finished run has results for '%s'",
                       figure_shown(figure));
        good = false;
    }
    free_keys(c.series_keys, c.data->nseries);
    free_keys(c.category_keys, c.data->ncategories);
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
    for (size_t i = 0; data && i < data->nseries; i++)
    {
        free(data->points[i]);
    }
    if (data)
    {
        free_keys(data->series, data->nseries);
        free_keys(data->categories, data->ncategories);
        free(data->points);
        free(data->npoints);
        free(data->line);
        for (size_t i = 0; i < data->ntics; i++)
        {
            free(data->tics[i].name);
        }
        free(data->tics);
        free(data);
    }
}

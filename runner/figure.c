/* SPDX-License-Identifier: GPL-2.0-only */
#include "figure.h"

#include <stdlib.h>
#include <string.h>

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

/** Whether a row of summary.csv has the values of this point in all the columns of its dimension.
 */
static bool
is_at_point(const struct plan_dimension *dim, const struct plan_point *point,
            const struct csv *summary, size_t row)
{
    for (size_t c = 0; c < dim->ncolumns; c++)
    {
        long column = csv_column(summary, dim->columns[c]);
        if (column < 0 || strcmp(csv_cell(summary, row, (size_t)column), point->cells[c]) != 0)
        {
            return false;
        }
    }
    return true;
}

/** The label of what varies in that column of a row, or NULL. */
static const char *
label_of(const struct plan *plan, const char *column, const struct csv *summary, size_t row)
{
    size_t c;
    const struct plan_dimension *dim = plan_column(plan, column, &c);
    for (size_t p = 0; dim && p < dim->npoints; p++)
    {
        if (dim->points[p].label && is_at_point(dim, &dim->points[p], summary, row))
        {
            return dim->points[p].label;
        }
    }
    return NULL;
}

/* --- collecting ------------------------------------------------------------------------------- */

struct collecting
{
    const struct plan *plan;
    const struct element *figure;
    const char *out;
    struct csv *summary;
    struct figure_data *data;
    char **series_keys, **category_keys;
    struct words x, where;
    const char *y, *series;
    double x_scale, y_scale;
    char **why;
};

/** Whether a row has the values that "where" asks for; columns that it lacks do not count. */
static bool
row_passes(const struct collecting *c, const struct csv *csv, size_t row)
{
    for (size_t i = 0; i < c->where.n; i++)
    {
        const char *equals = strchr(c->where.word[i], '=');
        char *name = xformat("%.*s", (int)(equals - c->where.word[i]), c->where.word[i]);
        long column = csv_column(csv, name);
        free(name);
        if (column >= 0 && strcmp(csv_cell(csv, row, (size_t)column), equals + 1) != 0)
        {
            return false;
        }
    }
    return true;
}

/** The number of @p key in a list; it is added with @p label where it is new. */
static size_t
number_of(char ***keys, char ***labels, size_t *n, const char *key, const char *label)
{
    for (size_t i = 0; i < *n; i++)
    {
        if (strcmp((*keys)[i], key) == 0)
        {
            return i;
        }
    }
    size_t n_keys = *n;
    ARRAY_GROW(*keys, n_keys);
    ARRAY_GROW(*labels, *n);
    (*keys)[*n] = xstrdup(key);
    (*labels)[*n] = xstrdup(label);
    return (*n)++;
}

static size_t
series_of_row(struct collecting *c, size_t row)
{
    struct figure_data *data = c->data;
    size_t before = data->nseries;
    long column = c->series ? csv_column(c->summary, c->series) : -1;
    const char *key = column >= 0 ? csv_cell(c->summary, row, (size_t)column) : "";
    const char *label = column >= 0 ? label_of(c->plan, c->series, c->summary, row) : NULL;
    size_t i = number_of(&c->series_keys, &data->series, &data->nseries, key, label ? label : key);
    if (data->nseries > before)
    {
        data->points = xrealloc(data->points, data->nseries, sizeof *data->points);
        data->npoints = xrealloc(data->npoints, data->nseries, sizeof *data->npoints);
        data->points[i] = NULL;
        data->npoints[i] = 0;
    }
    return i;
}

/** "(900us, 4us)", or the label that a <zip> gives to both at once. */
static size_t
category_of_row(struct collecting *c, size_t row)
{
    struct text key = {0}, label = {0};
    bool whole = false;
    for (size_t i = 0; i < c->x.n; i++)
    {
        long column = csv_column(c->summary, c->x.word[i]);
        const char *cell = column < 0 ? "" : csv_cell(c->summary, row, (size_t)column);
        const char *name = label_of(c->plan, c->x.word[i], c->summary, row);
        text_add(&key, "%s\n", cell);
        whole = whole || (i == 0 && name);
        if (i == 0 || !whole)
        {
            text_add(&label, "%s%s", i ? ", " : "", name ? name : cell);
        }
    }
    char *all = c->x.n > 1 && !whole ? xformat("(%s)", label.s) : xstrdup(label.s);
    size_t i =
        number_of(&c->category_keys, &c->data->categories, &c->data->ncategories, key.s, all);
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

static bool
need_column(const struct collecting *c, const struct csv *csv, const char *name, size_t *column)
{
    long found = csv_column(csv, name);
    if (found < 0)
    {
        *c->why = xformat("the results have no column '%s'", name);
        return false;
    }
    *column = (size_t)found;
    return true;
}

static bool
collect_bars(struct collecting *c)
{
    size_t y, line = 0, nline = 0;
    const char *line_name = element_value(c->figure, "line");
    if (!need_column(c, c->summary, c->y, &y) ||
        (line_name && !need_column(c, c->summary, line_name, &line)))
    {
        return false;
    }
    for (size_t row = 0; row < c->summary->nrows; row++)
    {
        if (!row_passes(c, c->summary, row))
        {
            continue;
        }
        size_t series = series_of_row(c, row), category = category_of_row(c, row);
        double value = strtod(csv_cell(c->summary, row, y), NULL) * c->y_scale;
        point_add(point_at(&c->data->points[series], &c->data->npoints[series], category), value);
        if (line_name)
        {
            value = strtod(csv_cell(c->summary, row, line), NULL) * c->y_scale;
            point_add(point_at(&c->data->line, &nline, category), value);
        }
    }
    for (size_t i = 0; i < c->data->nseries; i++)
    {
        if (c->data->ncategories)
        {
            point_at(&c->data->points[i], &c->data->npoints[i], c->data->ncategories - 1);
        }
    }
    return true;
}

/* --- lines ------------------------------------------------------------------------------------ */

static void
add_line_point(struct figure_data *data, size_t series, double x, double y)
{
    struct figure_point *p =
        point_at(&data->points[series], &data->npoints[series], data->npoints[series]);
    p->x = x;
    point_add(p, y);
}

static bool
collect_run(struct collecting *c, size_t row, const char *file)
{
    size_t series = series_of_row(c, row), x, y;
    char *path = xformat("%s/runs/%s/%s.csv", c->out, csv_cell(c->summary, row, 0), file);
    struct csv *csv = csv_read(path, c->why);
    free(path);
    bool good = csv && need_column(c, csv, c->x.word[0], &x) && need_column(c, csv, c->y, &y);
    for (size_t i = 0; good && i < csv->nrows; i++)
    {
        if (row_passes(c, csv, i))
        {
            add_line_point(c->data, series, strtod(csv_cell(csv, i, x), NULL) * c->x_scale,
                           strtod(csv_cell(csv, i, y), NULL) * c->y_scale);
        }
    }
    csv_free(csv);
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
collect_lines(struct collecting *c, const char *file)
{
    bool good = true;
    size_t x = 0, y = 0;
    if (!file)
    {
        good = need_column(c, c->summary, c->x.word[0], &x) && need_column(c, c->summary, c->y, &y);
    }
    for (size_t row = 0; good && row < c->summary->nrows; row++)
    {
        if (!row_passes(c, c->summary, row))
        {
            continue;
        }
        if (file)
        {
            good = collect_run(c, row, file);
        }
        else
        {
            add_line_point(c->data, series_of_row(c, row),
                           strtod(csv_cell(c->summary, row, x), NULL) * c->x_scale,
                           strtod(csv_cell(c->summary, row, y), NULL) * c->y_scale);
        }
    }
    for (size_t i = 0; i < c->data->nseries; i++)
    {
        merge_points(c->data->points[i], &c->data->npoints[i]);
    }
    return good;
}

/* --- relative values -------------------------------------------------------------------------- */

static void
divide(struct figure_point *p, double by)
{
    p->sum /= by;
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
    static const char *const files[] = {NULL, "series", "queues"};
    const char *template = element_value(c->figure, "template");
    const char *relative = element_value(c->figure, "relative-to");
    if (strcmp(template, "lines") == 0)
    {
        return collect_lines(c, files[figure_value(c->figure, "data").integer]);
    }
    return collect_bars(c) && (!relative || make_relative(c, relative));
}

struct figure_data *
figure_read(const struct plan *plan, const struct element *figure, const char *out, char **why)
{
    char *path = xformat("%s/summary.csv", out);
    struct csv *summary = csv_read(path, why);
    free(path);
    if (!summary)
    {
        return NULL;
    }
    const char *where = element_value(figure, "where");
    struct collecting c = {.plan = plan,
                           .figure = figure,
                           .out = out,
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
    if (good && c.data->nseries == 0)
    {
        *why = xformat("no finished run has results for it");
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
        free(data);
    }
}

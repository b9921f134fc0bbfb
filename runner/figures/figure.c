/* SPDX-License-Identifier: GPL-2.0-only */
#include "figure.h"

#include <stdlib.h>
#include <string.h>

const struct column_table *
figure_table(const struct element *figure)
{
    static const struct column_table *const tables[] = {
        &summary_table, &series_table, &queues_table, &layers_table,
        &steps_table,   &qps_table,    &flows_table,  &workloads_table,
    };
    return tables[element_number(figure, "data").integer];
}

const char *
figure_own_template(const struct element *figure)
{
    const char *name = element_value(figure, "template");
    return name && template_is_file(name) ? name : NULL;
}

enum figure_kind
figure_kind(const struct element *figure)
{
    const char *chooses = figure_own_template(figure) ? "like" : "template";
    return (enum figure_kind)element_number(figure, chooses).integer;
}

bool
figure_is(const struct element *figure, unsigned kinds)
{
    return (FIGURE_SET(figure_kind(figure)) & kinds) != 0;
}

bool
figure_has_categories(const struct element *figure)
{
    return !figure_is(figure, FIGURES_OF_NUMBERS);
}

const struct element *
figure_own_query(const struct element *figure)
{
    return element_child(figure, "query");
}

const char *
figure_series(const struct element *figure)
{
    return element_value(figure, figure_kind(figure) == FIGURE_HEATMAP ? "y" : "series");
}

const char *
figure_line_label(const struct element *figure)
{
    const char *label = element_value(figure, "line-label"), *line = element_value(figure, "line");
    return label ? label : line ? line : "line";
}

const char *
figure_shown(const struct element *figure)
{
    const enum figure_kind kind = figure_kind(figure);
    return element_value(figure, kind == FIGURE_CDF ? "x" : kind == FIGURE_HEATMAP ? "z" : "y");
}

bool
figure_draws(const struct element *child)
{
    return strcmp(child->name, "level") == 0 || strcmp(child->name, "mark") == 0;
}

static void
free_names(struct figure_names *names)
{
    for (size_t i = 0; i < names->n * names->parts; i++)
    {
        free(names->keys[i]);
    }
    for (size_t i = 0; names->names && i < names->n; i++)
    {
        free(names->names[i]);
    }
    free(names->keys);
    free(names->names);
}

void
figure_add_point(struct figure_data *d, struct figure_point p)
{
    ARRAY_GROW(d->points, d->npoints);
    d->points[d->npoints++] = p;
}

void
figure_data_free(struct figure_data *data)
{
    if (!data)
    {
        return;
    }
    for (size_t i = 0; i < data->ntics; i++)
    {
        free(data->tics[i].name);
    }
    free_names(&data->series);
    free_names(&data->panels);
    free_names(&data->categories);
    free(data->points);
    free(data->first);
    free(data->line);
    free(data->tics);
    free(data);
}

bool
figure_data_has_series(const struct figure_data *data)
{
    return data->series.n > 1 || (data->series.n == 1 && *data->series.keys[0]);
}

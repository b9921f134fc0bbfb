/* SPDX-License-Identifier: GPL-2.0-only */
/* Mistakes of figures that would take means over unlike runs. */
#include "figure.h"

#include <stdlib.h>
#include <string.h>

/** Whether the figure tells the values of a column apart. */
static bool
shows(const struct figure *figure, const char *column)
{
    const bool cdf = figure->kind == FIGURE_CDF;
    const char *series = figure_series(figure), *panels = figure->panels;
    return (!cdf && words_have(&figure->x_columns, column)) ||
           (series && strcmp(series, column) == 0) || (panels && strcmp(panels, column) == 0);
}

/** The value that "where" asks of a column; NULL: none. */
static const char *
wanted(const struct figure *figure, const char *column)
{
    const char *value = NULL;
    for (size_t i = 0; !value && i < figure->nconditions; i++)
    {
        const struct figure_condition *c = &figure->conditions[i];
        value = strcmp(c->column, column) == 0 ? c->value : NULL;
    }
    return value;
}

bool
figure_shows_point(const struct figure *figure, const struct plan_dimension *dim, size_t p)
{
    bool shown = true;
    for (size_t c = 0; shown && c < dim->ncolumns; c++)
    {
        const char *value = wanted(figure, dim->columns[c]);
        shown = !value || strcmp(value, dim->points[p].cells[c]) == 0;
    }
    return shown;
}

/** Whether the figure tells two points of a dimension apart. */
static bool
tells_apart(const struct figure *figure, const struct plan_dimension *dim, size_t p, size_t q)
{
    for (size_t c = 0; c < dim->ncolumns; c++)
    {
        if (strcmp(dim->points[p].cells[c], dim->points[q].cells[c]) != 0 &&
            shows(figure, dim->columns[c]))
        {
            return true;
        }
    }
    return false;
}

/** Whether points of a dimension fall together. */
static bool
pools(const struct figure *figure, const struct plan_dimension *dim)
{
    for (size_t p = 0; p < dim->npoints; p++)
    {
        for (size_t q = 0; q < p && figure_shows_point(figure, dim, p); q++)
        {
            if (figure_shows_point(figure, dim, q) && !tells_apart(figure, dim, p, q))
            {
                return true;
            }
        }
    }
    return false;
}

/** Whether a dimension is but another way to write seeds. */
static bool
is_randomness(const struct plan_dimension *dim)
{
    bool all = true;
    for (size_t c = 0; c < dim->ncolumns; c++)
    {
        all = all && strncmp(dim->columns[c], "seed.", 5) == 0;
    }
    return dim->is_seeds || all;
}

/** The column that tells the rows of one run apart, where a mean over them is none of seeds; NULL:
 * there is no such. */
static const char *
row_column(const struct plan *plan, const struct figure *figure)
{
    const struct element *measure = element_child(plan->doc->root, "measure");
    const char *qps = measure ? element_value(measure, "qps") : NULL;
    CLEANUP(words_free) struct words sampled = words_split(qps ? qps : "");
    const bool several = sampled.n > 1;
    switch (figure->data)
    {
    case DATA_SERIES:
        return several ? "qp" : NULL;
    case DATA_LAYERS:
        return "layer";
    case DATA_STEPS:
        return "step";
    case DATA_WORKLOADS:
        return "workload";
    default:
        return NULL;
    }
}

/** Rows of a run of which a mean is drawn. */
static void
check_rows(const struct plan *plan, const struct figure *figure, struct diagnostics *d)
{
    const char *column = row_column(plan, figure);
    if (column && !figure_is(figure, FIGURES_OF_ROWS) && !wanted(figure, column) &&
        !shows(figure, column))
    {
        diag_error(d, figure->e->line,
                   "<figure %s> shows means over all values of %s in %s; expected it as x, series "
                   "or panels, where=\"%s=...\", or pool=\"on\"",
                   figure->name, column, figure_table(figure)->file, column);
    }
}

void
figure_check_pooling(const struct plan *plan, const struct figure *figure, struct diagnostics *d)
{
    const bool alone = figure_is(figure, FIGURE_SET(FIGURE_SCATTER) | FIGURES_OF_SPANS);
    if (figure->pool || alone)
    {
        return;
    }
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        const struct plan_dimension *dim = &plan->dimensions[k];
        if (!is_randomness(dim) && pools(figure, dim))
        {
            const char *column = dim->columns[0];
            diag_error(d, figure->e->line,
                       "<figure %s> pools the runs of all values of %s, which varies as well; "
                       "expected it as x, series or panels, where=\"%s=...\", or pool=\"on\"",
                       figure->name, column, column);
        }
    }
    check_rows(plan, figure, d);
}

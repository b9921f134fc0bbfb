/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of series, panels and places: what the sweep calls the values that a query gives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "figure-layout.h"
#include "figure-markup.h"
#include "figure-rows.h"
#include "figure-style.h"

/** Whether a point has the values of all of @p n columns that are of its dimension. */
static bool
has_values(const struct plan_dimension *dim, size_t p, const struct plan_column *const *columns,
           char *const *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        if (columns[i] && columns[i]->dim == dim && strcmp(plan_cell(columns[i], p), keys[i]) != 0)
        {
            return false;
        }
    }
    return true;
}

/** The point of a column's dimension that has the values @p keys of @p n columns, one of those that
 * the figure shows if there is any; NULL: none. */
static const struct plan_point *
point_of(const struct figure *figure, const struct plan_column *column,
         const struct plan_column *const *columns, char *const *keys, size_t n)
{
    const struct plan_point *found = NULL;
    for (size_t p = 0; column && p < column->dim->npoints; p++)
    {
        if (has_values(column->dim, p, columns, keys, n))
        {
            if (figure_shows_point(figure, column->dim, p))
            {
                return &column->dim->points[p];
            }
            found = found ? found : &column->dim->points[p];
        }
    }
    return found;
}

/* --- which column it is ----------------------------------------------------------------------- */

/** Whether all values of a part are values of a column, and not plain numbers without labels. */
static bool
are_cells(const struct figure *figure, const struct plan_column *column,
          const struct figure_names *names, size_t part)
{
    for (size_t i = 0; i < names->n; i++)
    {
        char *const *key = &names->keys[i * names->parts + part];
        const char *unit = csv_unit(*key);
        const struct plan_point *point = point_of(figure, column, &column, key, 1);
        if (!point || (unit && !*unit && !point->label))
        {
            return false;
        }
    }
    return true;
}

/** The column of that name; of a query's values without one the first that has all of them. */
static const struct plan_column *
column_of(const struct plan *plan, const struct figure *figure, const char *name,
          const struct figure_names *names, size_t part)
{
    size_t i = 0;
    if (!figure->query)
    {
        return name ? plan_column(plan, name) : NULL;
    }
    while (i < plan->ncolumns && !are_cells(figure, &plan->columns[i], names, part))
    {
        i++;
    }
    return i < plan->ncolumns ? &plan->columns[i] : NULL;
}

/* --- names ------------------------------------------------------------------------------------ */

/** Whether a column has sizes in powers of two beside sizes in powers of ten. */
static bool
mixes_sizes(const struct plan_column *column)
{
    bool two = false, ten = false;
    for (size_t p = 0; p < column->dim->npoints; p++)
    {
        const char *cell = plan_cell(column, p), *unit = csv_unit(cell);
        const bool size = unit && strcmp(unit, "bytes") == 0, binary = size && strchr(cell, 'i');
        two = two || binary;
        ten = ten || (size && !binary);
    }
    return two && ten;
}

static void
add_bytes(struct text *t, double value)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
    size_t i = 0;
    while (value >= 1000 && i + 1 < sizeof units / sizeof *units)
    {
        value /= 1000;
        i++;
    }
    text_add(t, "%g %s", value, units[i]);
}

char *
figure_value_name(const struct plan *plan, const struct plan_column *column, const char *value)
{
    const char *unit = column ? csv_unit(value) : NULL;
    const size_t digits = strcspn(value, "kKMGTPBbnumsp"), bits = strcspn(value, "p");
    double number;
    struct text t = {0};
    if (!unit || !*unit)
    {
        return xstrdup(column && figure_is_balancer(plan, column, value) ? figure_short_name(value)
                                                                         : value);
    }
    csv_number(value, &number);
    if (strcmp(unit, "bytes") == 0 && mixes_sizes(column))
    {
        add_bytes(&t, number);
    }
    else if (strcmp(unit, "gbps") == 0 && value[bits])
    {
        text_add(&t, "%.*s %.*s/s", (int)digits, value, (int)(bits - digits), value + digits);
    }
    else
    {
        text_add(&t, "%.*s %s", (int)digits, value, value + digits);
    }
    return text_take(&t);
}

/** The name of a value of @p n parts, each in a row of its own, or the label that a <zip> gives to
 * several of them at once. Puts the sweep's own spelling into its parts. */
static char *
name_value(const struct plan *plan, const struct figure *figure,
           const struct plan_column *const *columns, char **parts, size_t n)
{
    const struct plan_point *points[FIGURE_MOST_X];
    const struct plan_dimension *labelled = NULL;
    struct text t = {0};
    for (size_t i = 0; i < n; i++)
    {
        points[i] = point_of(figure, columns[i], columns, parts, n);
    }
    for (size_t i = 0; i < n; i++)
    {
        const struct plan_dimension *dim = columns[i] ? columns[i]->dim : NULL;
        const char *label = points[i] ? points[i]->label : NULL;
        if (points[i])
        {
            free(parts[i]);
            parts[i] = xstrdup(points[i]->cells[columns[i]->cell]);
        }
        if (i == 0 || !dim || dim != labelled)
        {
            OWNED char *value = figure_value_name(plan, columns[i], parts[i]);
            text_add(&t, "%s%s", i ? ROW_END_TEXT : "", label ? label : value);
        }
        labelled = label ? dim : labelled;
    }
    return text_take(&t);
}

/** Names all values of the columns @p given, which a figure without <query> has. */
static void
name_all(const struct plan *plan, const struct figure *figure, const char *given,
         struct figure_names *names)
{
    CLEANUP(words_free) struct words w = words_split(given ? given : "");
    const struct plan_column *columns[FIGURE_MOST_X];
    for (size_t i = 0; i < names->parts; i++)
    {
        columns[i] = column_of(plan, figure, i < w.n ? w.word[i] : NULL, names, i);
    }
    names->column = columns[0];
    names->names = xcalloc(names->n, sizeof *names->names);
    for (size_t i = 0; i < names->n; i++)
    {
        names->names[i] =
            name_value(plan, figure, columns, &names->keys[i * names->parts], names->parts);
    }
}

/* --- values of a numeric axis ----------------------------------------------------------------- */

static int
by_tic(const void *a, const void *b)
{
    double x = ((const struct figure_tic *)a)->x, y = ((const struct figure_tic *)b)->x;
    return (x > y) - (x < y);
}

/** The value of x among the points that is @p x but for rounding; NAN: none. */
static double
value_near(const struct figure_data *d, double x)
{
    for (size_t i = 0; i < d->npoints; i++)
    {
        if (fabs(d->points[i].x - x) <= 1e-12 * fabs(x))
        {
            return d->points[i].x;
        }
    }
    return NAN;
}

/** The value of x that a value of a column is; false: it is no number. */
static bool
x_of(const struct figure *figure, const struct plan_column *column, size_t p, double *x)
{
    const bool number = csv_number(plan_cell(column, p), x) == CELL_NUMBER;
    *x *= figure->query ? 1 : figure->x.scale;
    return number;
}

/** Whether all values of x among the points are values of a column that have labels. */
static bool
are_labelled(const struct figure *figure, const struct plan_column *column,
             const struct figure_data *d)
{
    size_t found = 0;
    for (size_t i = 0; i < d->npoints; i++)
    {
        double x;
        for (size_t p = 0; p < column->dim->npoints; p++)
        {
            found += column->dim->points[p].label && x_of(figure, column, p, &x) &&
                     fabs(x - d->points[i].x) <= 1e-12 * fabs(x);
        }
    }
    return found > 0 && found == d->npoints;
}

/** The column of the sweep that x is; of a query's numbers one that has labels for all of them. */
static const struct plan_column *
column_of_x(const struct plan *plan, const struct figure *figure, const struct figure_data *d)
{
    const char *x = figure->x.column;
    size_t i = 0;
    if (!figure->query)
    {
        return x && !columns_find(figure_table(figure), x) ? plan_column(plan, x) : NULL;
    }
    while (i < plan->ncolumns && !are_labelled(figure, &plan->columns[i], d))
    {
        i++;
    }
    return i < plan->ncolumns ? &plan->columns[i] : NULL;
}

/** Remembers what the sweep calls the values of x. */
static void
name_values(const struct plan *plan, const struct figure *figure, struct figure_data *d)
{
    const struct plan_column *column = column_of_x(plan, figure, d);
    for (size_t p = 0; column && p < column->dim->npoints; p++)
    {
        const char *label = column->dim->points[p].label;
        double value;
        if (!figure_shows_point(figure, column->dim, p) || !x_of(figure, column, p, &value))
        {
            continue;
        }
        value = value_near(d, value);
        bool known = isnan(value);
        for (size_t i = 0; i < d->ntics; i++)
        {
            known = known || !(d->tics[i].x < value || d->tics[i].x > value);
        }
        if (!known)
        {
            ARRAY_GROW(d->tics, d->ntics);
            d->tics[d->ntics++] = (struct figure_tic){
                value,
                label ? xstrdup(label) : figure_value_name(plan, column, plan_cell(column, p)),
                label != NULL};
        }
    }
    if (d->ntics)
    {
        qsort(d->tics, d->ntics, sizeof *d->tics, by_tic);
    }
}

void
figure_name_all(const struct plan *plan, const struct figure *figure, struct figure_data *data)
{
    name_all(plan, figure, figure_series(figure), &data->series);
    name_all(plan, figure, figure->panels, &data->panels);
    name_all(plan, figure, figure->y.column, &data->lanes);
    if (figure_has_categories(figure))
    {
        name_all(plan, figure, figure->x.column, &data->categories);
    }
    else if (figure->kind != FIGURE_CDF)
    {
        name_values(plan, figure, data);
    }
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of series, panels and places: what the sweep calls the values that a query gives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "figure-read.h"

/** A column of the sweep. */
struct swept
{
    const struct plan_dimension *dim; /**< NULL: it is none */
    size_t cell;
};

/** Whether a point has the values of all of @p n columns that are of its dimension. */
static bool
has_values(const struct plan_dimension *dim, size_t p, const struct swept *columns,
           char *const *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        if (columns[i].dim == dim && strcmp(dim->points[p].cells[columns[i].cell], keys[i]) != 0)
        {
            return false;
        }
    }
    return true;
}

/** The point of a dimension that has the values @p keys of @p n columns, one of those that the
 * figure shows if there is any; NULL: none. */
static const struct plan_point *
point_of(const struct element *figure, const struct plan_dimension *dim,
         const struct swept *columns, char *const *keys, size_t n)
{
    const struct plan_point *found = NULL;
    for (size_t p = 0; dim && p < dim->npoints; p++)
    {
        if (has_values(dim, p, columns, keys, n))
        {
            if (figure_shows_point(figure, dim, p))
            {
                return &dim->points[p];
            }
            found = found ? found : &dim->points[p];
        }
    }
    return found;
}

/* --- which column it is ----------------------------------------------------------------------- */

static bool
are_cells(const struct element *figure, struct swept s, char *const *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        const char *unit = csv_unit(keys[i]);
        if ((unit && !*unit) || !point_of(figure, s.dim, &s, &keys[i], 1))
        {
            return false;
        }
    }
    return n > 0;
}

/** The column of that name; of a query's values without one the first that has all of them. */
static struct swept
column_of(const struct plan *plan, const struct element *figure, const char *name,
          char *const *keys, size_t n)
{
    struct swept s = {NULL, 0};
    if (!figure_own_query(figure))
    {
        s.dim = name ? plan_column(plan, name, &s.cell) : NULL;
        return s;
    }
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        for (size_t c = 0; c < plan->dimensions[k].ncolumns; c++)
        {
            s = (struct swept){&plan->dimensions[k], c};
            if (are_cells(figure, s, keys, n))
            {
                return s;
            }
        }
    }
    return (struct swept){NULL, 0};
}

static const char *
column_name(struct swept s)
{
    return s.dim ? s.dim->columns[s.cell] : NULL;
}

/* --- series and panels ------------------------------------------------------------------------ */

/** Puts the sweep's own spelling into @p keys and returns the names of all. */
static char **
name_keys(const struct element *figure, struct swept s, char **keys, size_t n)
{
    char **names = xcalloc(n + 1, sizeof *names);
    for (size_t i = 0; i < n; i++)
    {
        const struct plan_point *point = point_of(figure, s.dim, &s, &keys[i], 1);
        if (point)
        {
            free(keys[i]);
            keys[i] = xstrdup(point->cells[s.cell]);
        }
        names[i] = xstrdup(point && point->label ? point->label : keys[i]);
    }
    return names;
}

/* --- places ----------------------------------------------------------------------------------- */

/** Part @p part of a category's key. */
static char *
part_of(const char *key, size_t part)
{
    for (; part > 0; part--)
    {
        key += strcspn(key, "\n") + 1;
    }
    return xformat("%.*s", (int)strcspn(key, "\n"), key);
}

/** The columns of the sweep that the parts of all categories are; how many parts there are. */
static size_t
columns_of_parts(const struct plan *plan, const struct element *figure, const struct figure_data *d,
                 struct swept columns[FIGURE_MOST_X])
{
    const char *x = element_value(figure, "x"), *first = d->ncategories ? d->category_keys[0] : "";
    struct words w = words_split(x ? x : "");
    char **keys = xcalloc(d->ncategories + 1, sizeof *keys);
    size_t n = 0;
    for (; *first && n < FIGURE_MOST_X; first += strcspn(first, "\n") + 1)
    {
        for (size_t i = 0; i < d->ncategories; i++)
        {
            keys[i] = part_of(d->category_keys[i], n);
        }
        columns[n] = column_of(plan, figure, n < w.n ? w.word[n] : NULL, keys, d->ncategories);
        n++;
        for (size_t i = 0; i < d->ncategories; i++)
        {
            free(keys[i]);
        }
    }
    words_free(&w);
    free(keys);
    return n;
}

/** "(900us, 4us)", or the label that a <zip> gives to both at once. */
static void
name_category(const struct element *figure, const struct swept *columns, char *const *parts,
              size_t n, struct text *key, char **name)
{
    const struct plan_dimension *labelled = NULL;
    struct text t = {0};
    bool whole = true;
    for (size_t i = 0; i < n; i++)
    {
        const struct swept s = columns[i];
        const struct plan_point *point = point_of(figure, s.dim, columns, parts, n);
        const char *cell = point ? point->cells[s.cell] : parts[i];
        const char *label = point ? point->label : NULL;
        text_add(key, "%s\n", cell);
        if (i == 0 || !s.dim || s.dim != labelled)
        {
            text_add(&t, "%s%s", i ? ", " : "", label ? label : cell);
            whole = i == 0;
        }
        labelled = label ? s.dim : labelled;
    }
    *name = n > 1 && !whole ? xformat("(%s)", t.s) : xstrdup(t.s);
    free(t.s);
}

static void
name_categories(const struct plan *plan, const struct element *figure, struct figure_data *d)
{
    struct swept columns[FIGURE_MOST_X];
    const size_t n = columns_of_parts(plan, figure, d, columns);
    d->x_column = n ? column_name(columns[0]) : NULL;
    d->categories = xcalloc(d->ncategories + 1, sizeof *d->categories);
    for (size_t i = 0; i < d->ncategories; i++)
    {
        char *parts[FIGURE_MOST_X];
        struct text key = {0};
        for (size_t k = 0; k < n; k++)
        {
            parts[k] = part_of(d->category_keys[i], k);
        }
        name_category(figure, columns, parts, n, &key, &d->categories[i]);
        for (size_t k = 0; k < n; k++)
        {
            free(parts[k]);
        }
        free(d->category_keys[i]);
        d->category_keys[i] = text_take(&key);
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
    for (size_t i = 0; i < d->ncurves; i++)
    {
        for (size_t k = 0; k < d->npoints[i]; k++)
        {
            if (fabs(d->points[i][k].x - x) <= 1e-12 * fabs(x))
            {
                return d->points[i][k].x;
            }
        }
    }
    return NAN;
}

/** Remembers what the sweep calls the values of x. */
static void
name_values(const struct plan *plan, const struct element *figure, struct figure_data *d)
{
    const char *x = element_value(figure, "x");
    size_t cell = 0;
    const struct plan_dimension *dim =
        x && !columns_have(figure_table(figure), x) ? plan_column(plan, x, &cell) : NULL;
    d->x_column = dim ? dim->columns[cell] : NULL;
    for (size_t p = 0; dim && p < dim->npoints; p++)
    {
        const struct plan_point *point = &dim->points[p];
        double value;
        if (!figure_shows_point(figure, dim, p) ||
            csv_number(point->cells[cell], &value) != CELL_NUMBER)
        {
            continue;
        }
        value = value_near(d, value * figure_value(figure, "x-scale").real);
        bool known = isnan(value);
        for (size_t i = 0; i < d->ntics; i++)
        {
            known = known || !(d->tics[i].x < value || d->tics[i].x > value);
        }
        if (!known)
        {
            ARRAY_GROW(d->tics, d->ntics);
            d->tics[d->ntics++] = (struct figure_tic){
                value, xstrdup(point->label ? point->label : point->cells[cell]),
                point->label != NULL};
        }
    }
    if (d->ntics)
    {
        qsort(d->tics, d->ntics, sizeof *d->tics, by_tic);
    }
}

void
figure_name_all(const struct plan *plan, const struct element *figure, struct figure_data *data)
{
    const struct swept series =
        column_of(plan, figure, figure_series(figure), data->series_keys, data->nseries);
    const struct swept panels =
        column_of(plan, figure, element_value(figure, "panels"), data->panel_keys, data->npanels);
    data->series = name_keys(figure, series, data->series_keys, data->nseries);
    data->panels = name_keys(figure, panels, data->panel_keys, data->npanels);
    data->series_column = column_name(series);
    data->panel_column = column_name(panels);
    if (figure_has_categories(figure))
    {
        name_categories(plan, figure, data);
    }
    else if (figure_kind(figure) != FIGURE_CDF)
    {
        name_values(plan, figure, data);
    }
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "figure-rows.h"

#include <stdlib.h>
#include <string.h>

#include "results-folder.h"

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

const char *
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

const char *
cell_of(const struct collecting *c, const struct row *r, const char *name)
{
    long column = r->file ? csv_column(r->file, name) : -1;
    if (column >= 0)
    {
        return csv_cell(r->file, r->at, (size_t)column);
    }
    column = csv_column(c->summary, name);
    return column < 0 ? NULL : csv_cell(c->summary, r->run, (size_t)column);
}

/** Whether a row has the values that "where" asks for. Columns that it lacks do not count, nor, of
 * a row of summary.csv, those that the run's file has as well: the file's are meant. */
static bool
row_passes(const struct collecting *c, const struct row *r)
{
    for (size_t i = 0; i < c->where.n; i++)
    {
        const char *equals = strchr(c->where.word[i], '=');
        char *name = xformat("%.*s", (int)(equals - c->where.word[i]), c->where.word[i]);
        bool of_file = !r->file && c->table != &summary_table && columns_have(c->table, name);
        const char *cell = of_file ? NULL : cell_of(c, r, name);
        free(name);
        if (cell && strcmp(cell, equals + 1) != 0)
        {
            return false;
        }
    }
    return true;
}

size_t
place_of(char ***keys, char ***labels, size_t *n, const char *key, const char *label)
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

/** The place in @p keys of what a row has in @p column; no column: one place without a name. */
static size_t
place_of_cell(struct collecting *c, const struct row *r, const char *column, char ***keys,
              char ***labels, size_t *n)
{
    const char *cell = column ? cell_of(c, r, column) : NULL;
    const char *key = cell ? cell : "";
    const char *label = cell ? label_of(c->plan, column, c->summary, r->run) : NULL;
    return place_of(keys, labels, n, key, label ? label : key);
}

size_t
curve_of_row(struct collecting *c, const struct row *r)
{
    struct figure_data *d = c->data;
    const struct curve_place at = {
        place_of_cell(c, r, c->panel, &d->panel_keys, &d->panels, &d->npanels),
        place_of_cell(c, r, c->series, &d->series_keys, &d->series, &d->nseries)};
    for (size_t i = 0; i < d->ncurves; i++)
    {
        if (c->places[i].panel == at.panel && c->places[i].series == at.series)
        {
            return i;
        }
    }
    c->places = xrealloc(c->places, d->ncurves + 1, sizeof *c->places);
    d->points = xrealloc(d->points, d->ncurves + 1, sizeof *d->points);
    d->npoints = xrealloc(d->npoints, d->ncurves + 1, sizeof *d->npoints);
    c->places[d->ncurves] = at;
    d->points[d->ncurves] = NULL;
    d->npoints[d->ncurves] = 0;
    return d->ncurves++;
}

/** "(900us, 4us)", or the label that a <zip> gives to both at once. */
size_t
category_of_row(struct collecting *c, const struct row *r)
{
    struct text key = {0}, label = {0};
    const struct plan_dimension *labelled = NULL;
    bool whole = true;
    for (size_t i = 0; i < c->x.n; i++)
    {
        size_t in;
        const struct plan_dimension *dim = plan_column(c->plan, c->x.word[i], &in);
        const char *found = cell_of(c, r, c->x.word[i]), *cell = found ? found : "";
        const char *name = label_of(c->plan, c->x.word[i], c->summary, r->run);
        text_add(&key, "%s\n", cell);
        if (i == 0 || !dim || dim != labelled)
        {
            text_add(&label, "%s%s", i ? ", " : "", name ? name : cell);
            whole = i == 0;
        }
        labelled = name ? dim : labelled;
    }
    char *all = c->x.n > 1 && !whole ? xformat("(%s)", label.s) : xstrdup(label.s);
    size_t i =
        place_of(&c->data->category_keys, &c->data->categories, &c->data->ncategories, key.s, all);
    free(all);
    free(key.s);
    free(label.s);
    return i;
}

bool
number_of_row(struct collecting *c, const struct row *r, const char *name, enum cell_kind *kind,
              double *value)
{
    const char *cell = cell_of(c, r, name);
    if (cell)
    {
        *kind = csv_number(cell, value);
        return true;
    }
    *c->why = xformat("the results have no column '%s'", name);
    return false;
}

struct figure_point *
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

void
point_add(struct figure_point *p, double value)
{
    p->least = p->n == 0 || value < p->least ? value : p->least;
    p->most = p->n == 0 || value > p->most ? value : p->most;
    moments_add(&p->moments, 0, value);
    p->n++;
}

bool
refuse_text(struct collecting *c, const char *column)
{
    *c->why = xformat("column '%s' of the results holds text; expected numbers", column);
    return false;
}

bool
has_columns(const struct collecting *c, const struct row *r, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        if (names[i] && !cell_of(c, r, names[i]))
        {
            *c->why = xformat("the results have no column '%s'", names[i]);
            return false;
        }
    }
    return true;
}

void
note_value(struct collecting *c, bool has_value)
{
    c->took = true;
    c->lacked = c->lacked || !has_value;
}

/** Takes the rows of one run's file. */
static bool
collect_run(struct collecting *c, size_t run, take_fn take)
{
    const char *name = csv_cell(c->summary, run, 0);
    char *why = NULL;
    struct csv *csv = results_run_table(c->out, name, c->table->file, &why);
    bool good = csv != NULL;
    if (!good)
    {
        const struct document *doc = c->plan->doc;
        *c->why = xformat("run %s cannot be used: %s; 'weft run %s%s --out %s' repeats it", name,
                          why, doc->path, document_option(doc), c->out);
    }
    free(why);
    for (size_t i = 0; good && i < csv->nrows; i++)
    {
        struct row r = {run, csv, i};
        good = !row_passes(c, &r) || take(c, &r);
    }
    csv_free(csv);
    return good;
}

bool
collect_rows(struct collecting *c, take_fn take)
{
    bool of_runs = c->table != &summary_table, good = true;
    for (size_t i = 0; good && i < c->summary->nrows; i++)
    {
        struct row r = {i, NULL, 0};
        c->took = c->lacked = false;
        if (row_passes(c, &r))
        {
            good = of_runs ? collect_run(c, i, take) : take(c, &r);
        }
        c->data->nruns += c->took;
        c->data->nlacking += c->lacked;
    }
    return good;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* From the CSV files of results to the numbers of a claim. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

void
report_source_free(struct report_source *s)
{
    for (size_t i = 0; i < s->nfiles; i++)
    {
        csv_free(s->files[i]);
        free(s->paths[i]);
    }
    free(s->files);
    free(s->paths);
}

static void
report_absent(struct report_source *s, int line, const char *what)
{
    if (!s->allow_missing)
    {
        diag_error(s->d, line, "%s in %s; '%s%s' makes it", what,
                   s->folder ? s->folder : "no results folder", s->scenario ? "./weft run " : "",
                   s->scenario ? s->scenario : "a scenario");
    }
}

/** A CSV file of the results; NULL if it is not there. Read once. */
static const struct csv *
source_file(struct report_source *s, const struct element *value)
{
    const char *name = element_value(value, "file");
    char *path = xformat("%s/%s", s->folder ? s->folder : "", name ? name : "summary.csv");
    for (size_t i = 0; i < s->nfiles; i++)
    {
        if (strcmp(s->paths[i], path) == 0)
        {
            free(path);
            return s->files[i];
        }
    }
    char *why = NULL;
    size_t n = s->nfiles;
    struct csv *csv = s->folder ? csv_read(path, &why) : NULL;
    ARRAY_GROW(s->paths, n);
    ARRAY_GROW(s->files, n);
    s->paths[n] = path;
    s->files[n] = csv;
    s->nfiles++;
    free(why);
    return csv;
}

static long
column_of(struct report_source *s, const struct csv *csv, const char *name, int line)
{
    long column = csv_column(csv, name);
    if (column < 0)
    {
        struct nearest near = nearest_start(name);
        for (size_t i = 0; i < csv->ncolumns; i++)
        {
            nearest_try(&near, csv->header[i]);
        }
        diag_error(s->d, line, "the results have no column '%s'%s", name, did_you_mean(near.best));
    }
    return column;
}

/** Keeps in @p row the rows for which every "column=value" of @p where holds. */
static void
filter(struct report_source *s, const struct csv *csv, const struct element *e, bool *row)
{
    const char *where = element_value(e, "where");
    struct words w = words_split(where ? where : "");
    for (size_t i = 0; i < w.n; i++)
    {
        char *equals = strchr(w.word[i], '=');
        if (!equals)
        {
            diag_error(s->d, element_line(e, "where"), "where '%s'; expected column=value",
                       w.word[i]);
            continue;
        }
        *equals = '\0';
        long column = column_of(s, csv, w.word[i], element_line(e, "where"));
        for (size_t r = 0; r < csv->nrows && column >= 0; r++)
        {
            row[r] = row[r] && strcmp(csv_cell(csv, r, (size_t)column), equals + 1) == 0;
        }
    }
    words_free(&w);
}

/* --- groups ----------------------------------------------------------------------------------- */

struct keys
{
    struct words names; /**< columns of "each" */
    const struct element *element;
};

/** Keeps the rows of one group. */
static void
filter_group(struct report_source *s, const struct csv *csv, const struct keys *keys,
             char *const *cells, bool *row)
{
    for (size_t k = 0; k < keys->names.n; k++)
    {
        long column = column_of(s, csv, keys->names.word[k], element_line(keys->element, "each"));
        for (size_t r = 0; r < csv->nrows && column >= 0; r++)
        {
            row[r] = row[r] && strcmp(csv_cell(csv, r, (size_t)column), cells[k]) == 0;
        }
    }
}

static void
add_group(struct report_numbers *n, const struct csv *csv, const long *columns, size_t row)
{
    for (size_t g = 0; g < n->ngroups; g++)
    {
        size_t same = 0;
        while (same < n->nkeys && strcmp(n->groups[g * n->nkeys + same],
                                         csv_cell(csv, row, (size_t)columns[same])) == 0)
        {
            same++;
        }
        if (same == n->nkeys)
        {
            return;
        }
    }
    n->groups = xrealloc(n->groups, (n->ngroups + 1) * n->nkeys, sizeof *n->groups);
    for (size_t k = 0; k < n->nkeys; k++)
    {
        n->groups[n->ngroups * n->nkeys + k] = xstrdup(csv_cell(csv, row, (size_t)columns[k]));
    }
    n->ngroups++;
}

/** The groups in the order in which the results have them; one without cells if there is no "each".
 */
static void
find_groups(struct report_source *s, const struct csv *csv, const struct keys *keys,
            struct report_numbers *n)
{
    n->nkeys = keys->names.n;
    if (n->nkeys == 0)
    {
        n->ngroups = 1;
        return;
    }
    long *columns = xcalloc(n->nkeys, sizeof *columns);
    bool good = csv != NULL, *row = xcalloc(csv ? csv->nrows : 0, sizeof *row);
    for (size_t k = 0; good && k < n->nkeys; k++)
    {
        columns[k] = column_of(s, csv, keys->names.word[k], element_line(keys->element, "each"));
        good = columns[k] >= 0;
    }
    if (good)
    {
        memset(row, true, csv->nrows * sizeof *row);
        filter(s, csv, keys->element, row);
    }
    for (size_t r = 0; good && r < csv->nrows; r++)
    {
        if (row[r])
        {
            add_group(n, csv, columns, r);
        }
    }
    free(row);
    free(columns);
}

/* --- values ----------------------------------------------------------------------------------- */

struct named_value
{
    const char *name;
    double value;
    bool present;
    struct report_rows rows;
};

struct named_values
{
    struct named_value *values;
    size_t n;
    bool incomplete;         /**< an expression asked for one that is not there */
    struct report_rows rows; /**< of that value in it which lacks most */
};

static bool
look_up(void *user, const char *name, double *value)
{
    struct named_values *v = user;
    for (size_t i = 0; i < v->n; i++)
    {
        if (strcmp(v->values[i].name, name) == 0)
        {
            *value = v->values[i].value;
            v->incomplete = v->incomplete || !v->values[i].present;
            const struct report_rows *rows = &v->values[i].rows;
            const size_t most = v->rows.of - v->rows.have;
            v->rows = v->rows.of == 0 || rows->of - rows->have > most ? *rows : v->rows;
            return true;
        }
    }
    return false;
}

/** Mean, least or greatest of a column over the rows; false if there is no number. */
static bool
reduce(const struct csv *csv, size_t column, const bool *row, const char *of, double *value)
{
    double sum = 0, least = INFINITY, most = -INFINITY;
    size_t n = 0;
    for (size_t r = 0; r < csv->nrows; r++)
    {
        const char *cell = csv_cell(csv, r, column);
        if (row[r] && *cell)
        {
            double x = strtod(cell, NULL);
            sum += x;
            least = x < least ? x : least;
            most = x > most ? x : most;
            n++;
        }
    }
    *value = !of || strcmp(of, "mean") == 0 ? sum / (double)n
             : strcmp(of, "min") == 0       ? least
                                            : most;
    return n > 0;
}

/** Counts rows with and without a value; some without are worth a warning. */
static struct report_rows
count_rows(const struct report_source *s, const struct element *value, const struct csv *csv,
           size_t column, const bool *row)
{
    struct report_rows n = {0, 0};
    for (size_t r = 0; r < csv->nrows; r++)
    {
        n.of += row[r];
        n.have += row[r] && *csv_cell(csv, r, column);
    }
    if (n.have && n.have < n.of)
    {
        fprintf(stderr, "%s:%d: warning: %zu of %zu rows in %s have no %s\n", s->d->file,
                value->line, n.of - n.have, n.of, s->folder, element_value(value, "column"));
    }
    return n;
}

/** One <value> in one group. */
static struct named_value
read_value(struct report_source *s, const struct element *value, const struct keys *keys,
           char *const *cells)
{
    struct named_value v = {element_value(value, "name"), 0, false, {0, 0}};
    const struct csv *csv = source_file(s, value);
    if (!csv)
    {
        report_absent(s, value->line, "there are no results");
        return v;
    }
    long column = column_of(s, csv, element_value(value, "column"), element_line(value, "column"));
    bool *row = xcalloc(csv->nrows, sizeof *row);
    memset(row, true, csv->nrows * sizeof *row);
    filter(s, csv, keys->element, row);
    filter(s, csv, value, row);
    filter_group(s, csv, keys, cells, row);
    const char *of = element_value(value, "of"), *against = element_value(value, "against");
    long x = against ? column_of(s, csv, against, element_line(value, "against")) : 0;
    if (column >= 0 && x >= 0)
    {
        v.rows = count_rows(s, value, csv, (size_t)column, row);
        v.present = against ? fit_exponent(csv, (size_t)x, (size_t)column, row, &v.value)
                            : reduce(csv, (size_t)column, row, of, &v.value);
        if (!v.present)
        {
            report_absent(s, value->line,
                          against ? "there is nothing to fit" : "there is no such row");
        }
    }
    free(row);
    return v;
}

static void
measure_group(struct report_source *s, const struct element *e, const struct keys *keys,
              struct report_numbers *n, size_t group)
{
    struct named_values v = {xcalloc(e->nchildren, sizeof *v.values), 0, false, {0, 0}};
    char *const *cells = n->nkeys ? n->groups + group * n->nkeys : NULL;
    for (size_t i = 0; i < e->nchildren; i++)
    {
        if (strcmp(e->children[i]->name, "value") == 0)
        {
            v.values[v.n++] = read_value(s, e->children[i], keys, cells);
        }
    }
    size_t at = group * n->nmeasured;
    for (size_t i = 0; i < e->nchildren; i++)
    {
        const struct element *m = e->children[i];
        if (strcmp(m->name, "measured") != 0)
        {
            continue;
        }
        char *why;
        v.incomplete = false;
        v.rows = (struct report_rows){0, 0};
        if (!expression_value(element_value(m, "is"), look_up, &v, &n->values[at], &why))
        {
            diag_error(s->d, element_line(m, "is"), "is '%s': %s", element_value(m, "is"), why);
        }
        n->rows[at] = v.rows;
        n->present[at++] = !v.incomplete;
        free(why);
    }
    free(v.values);
}

struct report_numbers *
report_numbers(struct report_source *s, const struct element *e)
{
    struct report_numbers *n = xcalloc(1, sizeof *n);
    const char *each = element_value(e, "each");
    struct keys keys = {words_split(each ? each : ""), e};
    const struct element *first = element_child(e, "value");
    for (size_t i = 0; i < e->nchildren; i++)
    {
        n->nmeasured += strcmp(e->children[i]->name, "measured") == 0;
    }
    const struct csv *csv = first ? source_file(s, first) : NULL;
    if (first && !csv)
    {
        report_absent(s, first->line, "there are no results");
    }
    find_groups(s, csv, &keys, n);
    n->values = xcalloc(n->ngroups * n->nmeasured, sizeof *n->values);
    n->present = xcalloc(n->ngroups * n->nmeasured, sizeof *n->present);
    n->rows = xcalloc(n->ngroups * n->nmeasured, sizeof *n->rows);
    for (size_t g = 0; g < n->ngroups; g++)
    {
        measure_group(s, e, &keys, n, g);
    }
    words_free(&keys.names);
    return n;
}

void
report_numbers_free(struct report_numbers *n)
{
    for (size_t i = 0; i < n->ngroups * n->nkeys; i++)
    {
        free(n->groups[i]);
    }
    free(n->groups);
    free(n->values);
    free(n->present);
    free(n->rows);
    free(n);
}

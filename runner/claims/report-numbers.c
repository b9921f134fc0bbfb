/* SPDX-License-Identifier: GPL-2.0-only */
/* From the CSV files of results to the numbers of a claim. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report-rows.h"
#include "report.h"
#include "results-folder.h"
#include "statistics.h"

/* --- groups ----------------------------------------------------------------------------------- */

struct keys
{
    struct words names; /**< columns of "each" */
    const struct element *element;
};

/** Keeps the rows of one group that the claim and the value ask for. */
static void
filter_all(struct report_source *s, struct selection *rows, const struct element *value,
           const struct keys *keys, char *const *cells)
{
    filter(s, rows, keys->element);
    filter(s, rows, value);
    for (size_t k = 0; k < keys->names.n; k++)
    {
        const struct condition same = {keys->names.word[k], '=', cells[k], 0,
                                       element_line(keys->element, "each")};
        keep(s, rows, &same);
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

/** Where "each" stands in a file; false after reporting a column that it lacks. */
static bool
key_columns(struct report_source *s, const struct csv *csv, const struct keys *keys, long *columns)
{
    bool good = true;
    for (size_t k = 0; good && k < keys->names.n; k++)
    {
        columns[k] =
            column_of(s, csv, NULL, keys->names.word[k], element_line(keys->element, "each"));
        good = columns[k] >= 0;
    }
    return good;
}

/** The groups in the order in which the results have them; one without cells if there is no "each".
 */
static void
find_groups(struct report_source *s, const struct csv *csv, const struct column_table *table,
            const struct keys *keys, struct report_numbers *n)
{
    n->nkeys = keys->names.n;
    n->ngroups = n->nkeys == 0;
    if (!csv || n->nkeys == 0)
    {
        return;
    }
    long *columns = xcalloc(n->nkeys, sizeof *columns);
    if (key_columns(s, csv, keys, columns))
    {
        struct selection rows = select_all(csv, table, false);
        filter(s, &rows, keys->element);
        for (size_t r = 0; r < csv->nrows; r++)
        {
            if (rows.row[r])
            {
                add_group(n, csv, columns, r);
            }
        }
        free(rows.row);
    }
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
    bool unrun;              /**< and whose rows are not there, or too few */
    struct report_rows rows; /**< of that value in it which lacks most */
};

bool
none_has(struct report_rows rows)
{
    return rows.of > 0 && rows.have == 0;
}

/** Whether an expression says more about its rows by those of @p a than by those of @p b. */
static bool
lacks_more(struct report_rows a, struct report_rows b)
{
    return none_has(a) != none_has(b) ? none_has(a) : b.of == 0 || a.of - a.have > b.of - b.have;
}

static bool
look_up(void *user, const char *name, double *value)
{
    struct named_values *v = user;
    for (size_t i = 0; i < v->n; i++)
    {
        const struct named_value *found = &v->values[i];
        if (strcmp(found->name, name) == 0)
        {
            *value = found->value;
            v->incomplete = v->incomplete || !found->present;
            v->unrun = v->unrun || (!found->present && !none_has(found->rows));
            v->rows = lacks_more(found->rows, v->rows) ? found->rows : v->rows;
            return true;
        }
    }
    return false;
}

/** Mean, least, greatest or a percentile; false if there is no number. */
static bool
reduce(struct pool *pool, const char *of, double *value)
{
    if (pool->n == 0)
    {
        return false;
    }
    double sum = 0;
    for (size_t i = 0; i < pool->n; i++)
    {
        sum += pool->values[i];
    }
    *value = sum / (double)pool->n;
    if (of && strcmp(of, "mean") != 0)
    {
        pool_sort(pool);
        *value = pool_quantile(pool, strcmp(of, "min") == 0   ? 0
                                     : strcmp(of, "max") == 0 ? 1000000
                                                              : (uint32_t)percentile_ppm(of));
    }
    return true;
}

/** A <value> while the rows of one group are read. */
struct reading
{
    struct report_source *s;
    const struct element *value;
    const struct column_table *table; /**< NULL: it reads a file of the results */
    const char *against;              /**< column of x; NULL: none */
    const struct keys *keys;
    char *const *cells; /**< of the group */
    struct number_column y, x;
    struct pool ys, xs;
    struct report_rows rows;
    bool good; /**< all that was asked for was there and a number */
};

/** Some rows without a value are worth a warning. */
static void
warn_of_holes(const struct reading *v)
{
    if (v->rows.have && v->rows.have < v->rows.of)
    {
        char *folder = value_folder(v->s, v->value);
        fprintf(stderr, "%s:%d: warning: %zu of %zu rows in %s have no %s%s%s\n", v->s->d->file,
                v->value->line, v->rows.of - v->rows.have, v->rows.of, folder,
                element_value(v->value, "column"), v->against ? " or no " : "",
                v->against ? v->against : "");
        free(folder);
    }
}

/** The number of a row in the column that an attribute names; false if it has none. */
static bool
read_number(struct reading *v, const struct csv *csv, size_t row,
            const struct number_column *column, const char *attribute, double *number)
{
    enum cell_kind kind = number_column_value(csv, row, column, number);
    if (kind == CELL_TEXT)
    {
        diag_error(v->s->d, element_line(v->value, attribute),
                   "column '%s' holds text ('%s'); expected numbers",
                   element_value(v->value, attribute), csv_cell(csv, row, (size_t)column->minuend));
        v->good = false;
    }
    return kind == CELL_NUMBER;
}

/** Adds the numbers of the selected rows, until one holds text. */
static void
pool_rows(struct reading *v, const struct selection *rows)
{
    for (size_t r = 0; v->good && r < rows->csv->nrows; r++)
    {
        double x, y;
        v->rows.of += rows->row[r];
        if (rows->row[r] && read_number(v, rows->csv, r, &v->y, "column", &y) &&
            (!v->against || read_number(v, rows->csv, r, &v->x, "against", &x)))
        {
            v->rows.have++;
            pool_add(&v->ys, y);
            if (v->against)
            {
                pool_add(&v->xs, x);
            }
        }
    }
}

/** One run's file; NULL after reporting that it is not there or cannot be read. */
static struct csv *
run_file(struct reading *v, const char *run)
{
    const char *column = element_value(v->value, "column");
    char *folder = value_folder(v->s, v->value), *why = NULL;
    char *path = xformat("%s/runs/%s/%s", folder, run, v->table->file);
    struct csv *csv = NULL;
    if (access(path, F_OK) != 0)
    {
        char *what = xformat("the run %s has no %s%s", run, v->table->file,
                             v->table == &flows_table ? " (measure flows=\"on\" writes it)" : "");
        report_absent(v->s, v->value, what);
        free(what);
    }
    else if ((csv = results_run_table(folder, run, v->table->file, &why)) == NULL)
    {
        report_unusable(v->s, v->value, run, why);
    }
    else if (!number_column_find(csv, v->table, column, &v->y))
    {
        diag_error(v->s->d, v->value->line, "%s is no result of this version: it cannot give %s",
                   path, column);
        csv_free(csv);
        csv = NULL;
    }
    free(folder);
    free(path);
    free(why);
    return csv;
}

/** Adds what one run's file has. */
static void
pool_run(struct reading *v, const char *run)
{
    struct csv *csv = run_file(v, run);
    v->good = csv != NULL;
    if (csv)
    {
        struct selection rows = select_all(csv, v->table, true);
        filter_all(v->s, &rows, v->value, v->keys, v->cells);
        pool_rows(v, &rows);
        free(rows.row);
    }
    csv_free(csv);
}

/** Adds the rows of all runs that are selected, one run after the other. */
static void
pool_runs(struct reading *v, const struct selection *runs)
{
    long name = column_of(v->s, runs->csv, NULL, "run", v->value->line);
    v->good = name >= 0;
    for (size_t r = 0; v->good && r < runs->csv->nrows; r++)
    {
        if (runs->row[r])
        {
            pool_run(v, csv_cell(runs->csv, r, (size_t)name));
        }
    }
}

/** Adds the selected rows of a file of the results. */
static void
pool_results(struct reading *v, const struct selection *rows)
{
    const struct element *e = v->value;
    v->y.minuend =
        column_of(v->s, rows->csv, NULL, element_value(e, "column"), element_line(e, "column"));
    v->x.minuend =
        v->against ? column_of(v->s, rows->csv, NULL, v->against, element_line(e, "against")) : 0;
    v->good = v->y.minuend >= 0 && v->x.minuend >= 0;
    pool_rows(v, rows);
}

/** How y goes with x: its exponent, or their correlation. */
static bool
fit(const struct reading *v, const char *of, double *value)
{
    struct moments m = {0};
    if (strcmp(of, "correlation") != 0)
    {
        return fit_exponent(&v->xs, &v->ys, value);
    }
    for (size_t i = 0; i < v->xs.n; i++)
    {
        moments_add(&m, v->xs.values[i], v->ys.values[i]);
    }
    *value = moments_correlation(&m);
    return isfinite(*value);
}

/** What the selected rows, or the runs that they name, say. */
static void
read_selected(struct reading *v, const struct selection *rows, struct named_value *found)
{
    const char *of = element_value(v->value, "of");
    if (v->table)
    {
        pool_runs(v, rows);
    }
    else
    {
        pool_results(v, rows);
    }
    if (!v->good)
    {
        return;
    }
    warn_of_holes(v);
    found->rows = v->rows;
    found->present = v->against ? fit(v, of, &found->value) : reduce(&v->ys, of, &found->value);
    if (!found->present && (v->against || v->rows.of == 0))
    {
        report_absent(v->s, v->value,
                      v->against ? "there is nothing to fit" : "there is no such row");
    }
}

/** One <value> in one group. */
static struct named_value
read_value(struct report_source *s, const struct element *value, const struct keys *keys,
           char *const *cells)
{
    const struct column_table *table = value_table(value);
    const char *what = !table ? "runs" : table == &qps_table ? "QPs" : "messages";
    struct named_value found = {element_value(value, "name"), 0, false, {0, 0, what}};
    struct reading v = {.s = s,
                        .value = value,
                        .table = table,
                        .against = element_value(value, "against"),
                        .keys = keys,
                        .cells = cells,
                        .y = {-1, -1},
                        .x = {-1, -1},
                        .rows = {0, 0, what}};
    const struct csv *csv = source_file(s, value);
    if (csv)
    {
        struct selection rows = select_all(csv, table, false);
        filter_all(s, &rows, value, keys, cells);
        read_selected(&v, &rows, &found);
        free(rows.row);
        pool_free(&v.ys);
        pool_free(&v.xs);
    }
    return found;
}

/* --- measured --------------------------------------------------------------------------------- */

/** One <measured> of one group. */
static void
measure(const struct element *measured, struct named_values *v, struct report_numbers *n, size_t at)
{
    char *why; /* claims_check() has read it already: there is nothing wrong */
    v->incomplete = v->unrun = false;
    v->rows = (struct report_rows){0, 0, "runs"};
    expression_value(element_value(measured, "is"), look_up, v, &n->values[at], &why);
    free(why);
    n->rows[at] = v->unrun ? (struct report_rows){0, 0, "runs"} : v->rows;
    n->present[at] = !v->incomplete;
}

static void
measure_group(struct report_source *s, const struct element *e, const struct keys *keys,
              struct report_numbers *n, size_t group)
{
    struct named_values v = {.values = xcalloc(e->nchildren, sizeof *v.values)};
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
        if (strcmp(e->children[i]->name, "measured") == 0)
        {
            measure(e->children[i], &v, n, at++);
        }
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
    find_groups(s, first ? source_file(s, first) : NULL, first ? value_table(first) : NULL, &keys,
                n);
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

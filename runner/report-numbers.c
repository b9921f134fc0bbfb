/* SPDX-License-Identifier: GPL-2.0-only */
/* From the CSV files of results to the numbers of a claim. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/** The folder of results that a <value> reads; NULL if there is none. The caller frees it. */
static char *
value_folder(const struct report_source *s, const struct element *value)
{
    const char *other = element_value(value, "results");
    return other ? xformat("%s/%s", s->results, other) : s->folder ? xstrdup(s->folder) : NULL;
}

static void
report_absent(struct report_source *s, const struct element *value, const char *what)
{
    if (!s->allow_missing)
    {
        const char *scenario = element_value(value, "results") ? NULL : s->scenario;
        char *folder = value_folder(s, value);
        diag_error(s->d, value->line, "%s in %s; '%s%s' makes it", what,
                   folder ? folder : "no results folder", scenario ? "./weft run " : "",
                   scenario ? scenario : "a scenario");
        free(folder);
    }
}

/** A CSV file of the results; NULL if it is not there. Read once. */
static const struct csv *
source_file(struct report_source *s, const struct element *value)
{
    const char *name = element_value(value, "file");
    char *folder = value_folder(s, value);
    char *path = xformat("%s/%s", folder ? folder : "", name ? name : "summary.csv");
    const bool exists = folder != NULL;
    free(folder);
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
    struct csv *csv = exists ? csv_read(path, &why) : NULL;
    ARRAY_GROW(s->paths, n);
    ARRAY_GROW(s->files, n);
    s->paths[n] = path;
    s->files[n] = csv;
    s->nfiles++;
    free(why);
    return csv;
}

/** A column of @p csv; reports one that it lacks. @p also: others that could be meant, or NULL. */
static long
column_of(struct report_source *s, const struct csv *csv, const struct column_table *also,
          const char *name, int line)
{
    long column = csv_column(csv, name);
    if (column < 0)
    {
        struct nearest near = nearest_start(name);
        for (size_t i = 0; also && i < also->n; i++)
        {
            nearest_try(&near, also->columns[i].name);
        }
        for (size_t i = 0; i < csv->ncolumns; i++)
        {
            nearest_try(&near, csv->header[i]);
        }
        diag_error(s->d, line, "the results have no column '%s'%s", name, did_you_mean(near.best));
    }
    return column;
}

/** The rows of a CSV file, some of which are kept: of the results, or of one run. */
struct selection
{
    const struct csv *csv;
    bool *row;
    const struct column_table *table; /**< of the runs' files that are read; NULL: none are */
    bool in_run;                      /**< csv is such a file; else its runs are selected */
};

static struct selection
select_all(const struct csv *csv, const struct column_table *table, bool in_run)
{
    struct selection all = {csv, xcalloc(csv->nrows, sizeof(bool)), table, in_run};
    memset(all.row, true, csv->nrows * sizeof *all.row);
    return all;
}

/** Whether a cell is the value, or a number that is at most ('<') or at least ('>') that much. */
static bool
cell_passes(const char *cell, char relation, const char *value)
{
    switch (relation)
    {
    case '<':
        return *cell && csv_number(cell) <= csv_number(value);
    case '>':
        return *cell && csv_number(cell) >= csv_number(value);
    default:
        return strcmp(cell, value) == 0;
    }
}

/** Keeps the rows that pass. A column that the runs' files have as well is theirs. */
static void
keep(struct report_source *s, struct selection *rows, const char *name, char relation,
     const char *value, int line)
{
    bool of_run = rows->table && columns_have(rows->table, name);
    if (of_run != rows->in_run)
    {
        return;
    }
    long column = column_of(s, rows->csv, rows->table, name, line);
    for (size_t r = 0; r < rows->csv->nrows && column >= 0; r++)
    {
        rows->row[r] =
            rows->row[r] && cell_passes(csv_cell(rows->csv, r, (size_t)column), relation, value);
    }
}

/** Cuts "column<=value" in two. False if it is no condition. */
static bool
read_condition(char *word, char *relation, char **value)
{
    char *equals = strchr(word, '=');
    if (!equals || equals == word)
    {
        return false;
    }
    *relation = equals[-1] == '<' || equals[-1] == '>' ? equals[-1] : '=';
    *(*relation == '=' ? equals : equals - 1) = '\0';
    *value = equals + 1;
    return *relation == '=' || isdigit((unsigned char)**value) || **value == '-';
}

/** Keeps the rows for which every condition of where holds. */
static void
filter(struct report_source *s, struct selection *rows, const struct element *e)
{
    const char *where = element_value(e, "where");
    struct words w = words_split(where ? where : "");
    for (size_t i = 0; i < w.n; i++)
    {
        char relation, *value;
        if (read_condition(w.word[i], &relation, &value))
        {
            keep(s, rows, w.word[i], relation, value, element_line(e, "where"));
        }
        else
        {
            diag_error(s->d, element_line(e, "where"),
                       "where '%s'; expected column=value, or column<=number or column>=number",
                       where);
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

/** Keeps the rows of one group that the claim and the value ask for. */
static void
filter_all(struct report_source *s, struct selection *rows, const struct element *value,
           const struct keys *keys, char *const *cells)
{
    filter(s, rows, keys->element);
    filter(s, rows, value);
    for (size_t k = 0; k < keys->names.n; k++)
    {
        keep(s, rows, keys->names.word[k], '=', cells[k], element_line(keys->element, "each"));
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
find_groups(struct report_source *s, const struct csv *csv, const struct column_table *table,
            const struct keys *keys, struct report_numbers *n)
{
    n->nkeys = keys->names.n;
    if (n->nkeys == 0)
    {
        n->ngroups = 1;
        return;
    }
    if (!csv)
    {
        return;
    }
    long *columns = xcalloc(n->nkeys, sizeof *columns);
    bool good = true;
    for (size_t k = 0; good && k < n->nkeys; k++)
    {
        columns[k] =
            column_of(s, csv, NULL, keys->names.word[k], element_line(keys->element, "each"));
        good = columns[k] >= 0;
    }
    if (good)
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

/** Some rows without a value are worth a warning. */
static void
warn_of_holes(const struct report_source *s, const struct element *value, struct report_rows rows)
{
    if (rows.have && rows.have < rows.of)
    {
        char *folder = value_folder(s, value);
        fprintf(stderr, "%s:%d: warning: %zu of %zu rows in %s have no %s\n", s->d->file,
                value->line, rows.of - rows.have, rows.of, folder, element_value(value, "column"));
        free(folder);
    }
}

/** Adds the numbers of the selected rows to a pool. */
static void
pool_rows(struct pool *pool, struct report_rows *n, const struct selection *rows,
          const struct number_column *column)
{
    for (size_t r = 0; r < rows->csv->nrows; r++)
    {
        double number;
        if (rows->row[r])
        {
            n->of++;
            if (number_column_value(rows->csv, r, column, &number))
            {
                n->have++;
                pool_add(pool, number);
            }
        }
    }
}

/** Adds what one run's file has; false if it is not there or cannot be read. */
static bool
pool_run(struct report_source *s, const struct element *value, const struct keys *keys,
         char *const *cells, const char *run, struct pool *pool, struct report_rows *n)
{
    const struct column_table *table = value_table(value);
    const char *column = element_value(value, "column");
    char *folder = value_folder(s, value), *why = NULL;
    char *path = xformat("%s/runs/%s/%s", folder, run, table->file);
    free(folder);
    bool good = access(path, F_OK) == 0;
    struct csv *csv = good ? csv_read(path, &why) : NULL;
    struct number_column found;
    if (!good)
    {
        char *what = xformat("the run %s has no %s%s", run, table->file,
                             table == &flows_table ? " (measure flows=\"on\" writes it)" : "");
        report_absent(s, value, what);
        free(what);
    }
    else if (!csv || !number_column_find(csv, table, column, &found))
    {
        diag_error(s->d, value->line, "%s%s%s", csv ? path : why,
                   csv ? " is no result of this version: it cannot give " : "", csv ? column : "");
        good = false;
    }
    else
    {
        struct selection rows = select_all(csv, table, true);
        filter_all(s, &rows, value, keys, cells);
        pool_rows(pool, n, &rows, &found);
        free(rows.row);
    }
    csv_free(csv);
    free(why);
    free(path);
    return good;
}

/** Adds the rows of all runs that are selected, one run after the other. */
static bool
pool_runs(struct report_source *s, const struct element *value, const struct keys *keys,
          char *const *cells, const struct selection *runs, struct pool *pool,
          struct report_rows *n)
{
    long name = column_of(s, runs->csv, NULL, "run", value->line);
    bool good = name >= 0;
    for (size_t r = 0; good && r < runs->csv->nrows; r++)
    {
        good = !runs->row[r] ||
               pool_run(s, value, keys, cells, csv_cell(runs->csv, r, (size_t)name), pool, n);
    }
    return good;
}

/** What the selected rows, or the runs that they name, say. */
static void
read_selected(struct report_source *s, const struct element *value, const struct keys *keys,
              char *const *cells, const struct selection *rows, struct named_value *v)
{
    const struct column_table *table = value_table(value);
    const char *name = element_value(value, "column"), *against = element_value(value, "against");
    const char *of = element_value(value, "of");
    long column = table ? 0 : column_of(s, rows->csv, NULL, name, element_line(value, "column"));
    long x = against ? column_of(s, rows->csv, NULL, against, element_line(value, "against")) : 0;
    struct pool pool = {NULL, 0};
    v->rows.what = !table ? "runs" : table == &qps_table ? "QPs" : "messages";
    if (column < 0 || x < 0)
    {
        return;
    }
    bool good = true;
    if (table)
    {
        good = pool_runs(s, value, keys, cells, rows, &pool, &v->rows);
    }
    else
    {
        pool_rows(&pool, &v->rows, rows, &(struct number_column){column, -1});
    }
    if (good)
    {
        warn_of_holes(s, value, v->rows);
        v->present = against ? fit(of, rows->csv, (size_t)x, (size_t)column, rows->row, &v->value)
                             : reduce(&pool, of, &v->value);
        if (!v->present && (against || v->rows.of == 0))
        {
            report_absent(s, value, against ? "there is nothing to fit" : "there is no such row");
        }
    }
    pool_free(&pool);
}

/** One <value> in one group. */
static struct named_value
read_value(struct report_source *s, const struct element *value, const struct keys *keys,
           char *const *cells)
{
    struct named_value v = {element_value(value, "name"), 0, false, {0, 0, "runs"}};
    const struct csv *csv = source_file(s, value);
    if (!csv)
    {
        report_absent(s, value, "there are no results");
        return v;
    }
    struct selection rows = select_all(csv, value_table(value), false);
    filter_all(s, &rows, value, keys, cells);
    read_selected(s, value, keys, cells, &rows, &v);
    free(rows.row);
    return v;
}

static void
measure_group(struct report_source *s, const struct element *e, const struct keys *keys,
              struct report_numbers *n, size_t group)
{
    struct named_values v = {xcalloc(e->nchildren, sizeof *v.values), 0, false, {0, 0, "runs"}};
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
        v.rows = (struct report_rows){0, 0, "runs"};
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
        report_absent(s, first, "there are no results");
    }
    find_groups(s, csv, first ? value_table(first) : NULL, &keys, n);
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

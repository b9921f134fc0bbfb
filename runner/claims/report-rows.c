/* SPDX-License-Identifier: GPL-2.0-only */
#include "report-rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results-folder.h"

/* --- files ------------------------------------------------------------------------------------ */

void
report_source_free(struct report_source *s)
{
    for (size_t i = 0; i < s->nfiles; i++)
    {
        csv_free(s->files[i].csv);
        free(s->files[i].path);
        free(s->files[i].why);
    }
    free(s->files);
}

char *
value_folder(const struct report_source *s, const struct element *value)
{
    const char *other = element_value(value, "results");
    return other ? xformat("%s/%s", s->results, other) : s->folder ? xstrdup(s->folder) : NULL;
}

/** The scenario that makes what a <value> reads, as far as the claims say; else NULL. */
static const char *
maker_of(const struct report_source *s, const struct element *value)
{
    const char *other = element_value(value, "results");
    if (!other)
    {
        return s->scenario;
    }
    for (size_t i = 0; i < s->claims->nchildren; i++)
    {
        const char *results = element_value(s->claims->children[i], "results");
        const char *scenario = element_value(s->claims->children[i], "scenario");
        if (results && scenario && strcmp(results, other) == 0)
        {
            return scenario;
        }
    }
    return NULL;
}

void
report_absent(struct report_source *s, const struct element *value, const char *what)
{
    if (!s->allow_missing)
    {
        const char *scenario = maker_of(s, value);
        char *folder = value_folder(s, value);
        diag_error(s->d, value->line, "%s in %s%s%s%s", what,
                   folder ? folder : "a section without results", scenario ? "; './weft run " : "",
                   scenario ? scenario : "", scenario ? "' makes it" : "");
        free(folder);
    }
}

void
report_unusable(struct report_source *s, const struct element *value, const char *run,
                const char *why)
{
    const char *scenario = maker_of(s, value);
    diag_error(s->d, value->line, "run %s cannot be used: %s%s%s%s", run, why,
               scenario ? "; './weft run " : "", scenario ? scenario : "",
               scenario ? "' repeats it" : "");
}

/** Looks for a table, unless that was done before. */
static const struct report_file *
find_file(struct report_source *s, const char *folder, const char *name)
{
    char *path = xformat("%s/%s", folder, name);
    for (size_t i = 0; i < s->nfiles; i++)
    {
        if (strcmp(s->files[i].path, path) == 0)
        {
            free(path);
            return &s->files[i];
        }
    }
    ARRAY_GROW(s->files, s->nfiles);
    struct report_file *file = &s->files[s->nfiles++];
    *file = (struct report_file){path, NULL, NULL};
    if (access(path, F_OK) == 0)
    {
        file->csv = results_table(folder, name, &file->why);
    }
    return file;
}

const struct csv *
source_file(struct report_source *s, const struct element *value)
{
    const char *name = element_value(value, "file");
    char *folder = value_folder(s, value);
    const struct report_file *file =
        folder ? find_file(s, folder, name ? name : "summary.csv") : NULL;
    free(folder);
    if (file && file->why)
    {
        diag_error(s->d, value->line, "%s", file->why);
    }
    else if (!file || !file->csv)
    {
        report_absent(s, value, "there are no results");
    }
    return file ? file->csv : NULL;
}

long
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

/* --- rows ------------------------------------------------------------------------------------- */

struct selection
select_all(const struct csv *csv, const struct column_table *table, bool in_run)
{
    struct selection all = {csv, xcalloc(csv->nrows, sizeof(bool)), table, in_run};
    memset(all.row, true, csv->nrows * sizeof *all.row);
    return all;
}

/** Derived columns have six decimals, as those that they are computed from. */
static bool
row_passes(const struct csv *csv, size_t row, const struct number_column *column,
           const struct condition *c)
{
    if (c->relation == '=' && column->subtrahend < 0)
    {
        return strcmp(csv_cell(csv, row, (size_t)column->minuend), c->value) == 0;
    }
    double number;
    bool is_number = number_column_value(csv, row, column, &number) == CELL_NUMBER;
    return is_number && (c->relation == '<'   ? number <= c->number
                         : c->relation == '>' ? number >= c->number
                                              : fabs(number - c->number) < 5e-7);
}

void
keep(struct report_source *s, struct selection *rows, const struct condition *c)
{
    bool of_run = rows->table && number_column_known(rows->table, c->column);
    struct number_column column;
    if (of_run != rows->in_run)
    {
        return;
    }
    if (!of_run || !number_column_find(rows->csv, rows->table, c->column, &column))
    {
        column =
            (struct number_column){column_of(s, rows->csv, rows->table, c->column, c->line), -1};
    }
    for (size_t r = 0; r < rows->csv->nrows && column.minuend >= 0; r++)
    {
        rows->row[r] = rows->row[r] && row_passes(rows->csv, r, &column, c);
    }
}

/** Cuts "column<=value" in two. False if it is no condition. */
static bool
read_condition(char *word, struct condition *c)
{
    char *equals = strchr(word, '=');
    if (!equals || equals == word)
    {
        return false;
    }
    c->relation = equals[-1] == '<' || equals[-1] == '>' ? equals[-1] : '=';
    *(c->relation == '=' ? equals : equals - 1) = '\0';
    c->column = word;
    c->value = equals + 1;
    bool number = csv_number(c->value, &c->number) == CELL_NUMBER;
    c->number = number ? c->number : NAN;
    return *word != '\0' && (number || c->relation == '=');
}

static void
report_condition(struct report_source *s, const char *where, const struct condition *c)
{
    const char *unit = c->value ? c->value + strspn(c->value, "+-.0123456789") : "";
    if (*unit && unit > c->value)
    {
        diag_error(s->d, c->line, "where '%s': '%s' is no number%s", where, c->value,
                   did_you_mean(csv_nearest_unit(c->value)));
    }
    else
    {
        diag_error(s->d, c->line,
                   "where '%s'; expected column=value, or column<=number or column>=number", where);
    }
}

void
filter(struct report_source *s, struct selection *rows, const struct element *e)
{
    const char *where = element_value(e, "where");
    struct words w = words_split(where ? where : "");
    for (size_t i = 0; i < w.n; i++)
    {
        struct condition c = {.line = element_line(e, "where")};
        if (read_condition(w.word[i], &c))
        {
            keep(s, rows, &c);
        }
        else
        {
            report_condition(s, where, &c);
        }
    }
    words_free(&w);
}

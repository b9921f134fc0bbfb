/* SPDX-License-Identifier: GPL-2.0-only */
#include "summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "csv.h"
#include "files.h"
#include "run-folder.h"

/** Rows shown on the terminal before it refers to the file. */
#define MOST_SHOWN 100

bool
plan_run_finished(const struct plan *plan, size_t i, const char *runs)
{
    struct diagnostics d = {.file = plan->doc->path};
    struct scenario *s = plan_load(plan, i, &d);
    bool finished = false;
    if (s)
    {
        char *name = plan_run_name(plan, i);
        char *resolved = scenario_write(s, name);
        finished = run_is_finished(runs, name, resolved);
        free(resolved);
        free(name);
    }
    scenario_free(s);
    diag_free(&d);
    return finished;
}

/* --- summary.csv ------------------------------------------------------------------------------ */

static void
add_dimension_names(struct text *t, const struct plan *plan, bool with_seeds)
{
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        const struct plan_dimension *dim = &plan->dimensions[k];
        for (size_t c = 0; c < dim->ncolumns && (with_seeds || !dim->is_seeds); c++)
        {
            text_add(t, ",");
            csv_add_cell(t, dim->columns[c]);
        }
    }
}

static void
add_dimension_cells(struct text *t, const struct plan *plan, size_t run, bool with_seeds)
{
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        const struct plan_dimension *dim = &plan->dimensions[k];
        for (size_t c = 0; c < dim->ncolumns && (with_seeds || !dim->is_seeds); c++)
        {
            text_add(t, ",");
            csv_add_cell(t, plan_point(plan, run, k)->cells[c]);
        }
    }
}

/** Adds the row of one finished run; false (with a message) if its summary cannot be read. */
static bool
add_row(struct text *t, const struct plan *plan, size_t i, const char *runs)
{
    char *name = plan_run_name(plan, i), *why = NULL;
    char *path = xformat("%s/%s/summary.csv", runs, name);
    struct csv *csv = csv_read(path, &why);
    bool good = csv && csv->nrows == 1 && csv->ncolumns == summary_table.n;
    if (good)
    {
        csv_add_cell(t, name);
        add_dimension_cells(t, plan, i, true);
        for (size_t c = 0; c < csv->ncolumns; c++)
        {
            text_add(t, ",%s", csv_cell(csv, 0, c));
        }
        text_add(t, "\n");
    }
    else
    {
        fprintf(stderr, "weft: error: %s%s\n", csv ? "not a summary of this version: " : "",
                csv ? path : why);
    }
    csv_free(csv);
    free(why);
    free(path);
    free(name);
    return good;
}

static bool
build_summary(struct text *t, const struct plan *plan, const char *runs, size_t *nrows)
{
    bool good = true;
    text_add(t, "run");
    add_dimension_names(t, plan, true);
    text_add(t, ",");
    columns_header(t, &summary_table);
    for (size_t i = 0; i < plan->nruns; i++)
    {
        if (plan_run_finished(plan, i, runs))
        {
            good = add_row(t, plan, i, runs) && good;
            ++*nrows;
        }
    }
    return good;
}

/* --- aggregate.csv ---------------------------------------------------------------------------- */

/** Key of a row without its seed. */
static char *
seedless_key(const struct plan *plan, size_t run)
{
    struct text t = {0};
    add_dimension_cells(&t, plan, run, false);
    return text_take(&t);
}

struct spread
{
    double sum, least, most;
    size_t n;
};

static void
spread_add(struct spread *s, const char *cell)
{
    if (!*cell)
    {
        return;
    }
    double v = strtod(cell, NULL);
    s->least = s->n == 0 || v < s->least ? v : s->least;
    s->most = s->n == 0 || v > s->most ? v : s->most;
    s->sum += v;
    s->n++;
}

static void
add_spread(struct text *t, const struct spread *s)
{
    const double values[3] = {s->n ? s->sum / (double)s->n : 0, s->least, s->most};
    for (size_t i = 0; i < 3; i++)
    {
        text_add(t, ",");
        if (s->n && fabs(values[i]) < 9e12)
        {
            add_micro(t, llround(values[i] * 1e6));
        }
    }
}

/** One row of aggregate.csv: all finished runs that differ from @p first in the seed only. */
static void
add_aggregate(struct text *t, const struct plan *plan, size_t first, const struct csv *summary,
              const size_t *run_of_row, bool *used)
{
    char *key = seedless_key(plan, first);
    struct spread *spreads = xcalloc(summary_table.n, sizeof *spreads);
    size_t offset = summary->ncolumns - summary_table.n, n = 0;
    for (size_t row = 0; row < summary->nrows; row++)
    {
        char *other = used[row] ? NULL : seedless_key(plan, run_of_row[row]);
        if (other && strcmp(key, other) == 0)
        {
            used[row] = true;
            n++;
            for (size_t c = 0; c < summary_table.n; c++)
            {
                spread_add(&spreads[c], csv_cell(summary, row, offset + c));
            }
        }
        free(other);
    }
    text_add(t, "%zu%s", n, key);
    for (size_t c = 0; c < summary_table.n; c++)
    {
        add_spread(t, &spreads[c]);
    }
    text_add(t, "\n");
    free(spreads);
    free(key);
}

static size_t *
runs_of_rows(const struct plan *plan, const struct csv *summary)
{
    size_t *run = xcalloc(summary->nrows, sizeof *run), i = 0;
    for (size_t row = 0; row < summary->nrows; row++, i++)
    {
        for (; i < plan->nruns; i++)
        {
            char *name = plan_run_name(plan, i);
            bool same = strcmp(name, csv_cell(summary, row, 0)) == 0;
            free(name);
            if (same)
            {
                break;
            }
        }
        run[row] = i;
    }
    return run;
}

static void
build_aggregate(struct text *t, const struct plan *plan, const struct csv *summary)
{
    text_add(t, "seeds");
    add_dimension_names(t, plan, false);
    for (size_t c = 0; c < summary_table.n; c++)
    {
        const char *name = summary_table.columns[c].name;
        text_add(t, ",%s_mean,%s_min,%s_max", name, name, name);
    }
    text_add(t, "\n");
    size_t *run = runs_of_rows(plan, summary);
    bool *used = xcalloc(summary->nrows, sizeof *used);
    for (size_t row = 0; row < summary->nrows; row++)
    {
        if (!used[row])
        {
            add_aggregate(t, plan, run[row], summary, run, used);
        }
    }
    free(used);
    free(run);
}

/* --- terminal --------------------------------------------------------------------------------- */

static const struct
{
    const char *column, *title;
    double scale;
    int decimals;
} shown[] = {
    {"cct_us", "cct_ms", 1e-3, 3},          {"slowdown", "slowdown", 1, 3},
    {"goodput_gbps", "goodput_gbps", 1, 2}, {"mean_rate_gbps", "rate_gbps", 1, 2},
    {"resent_share", "resent_%", 100, 2},   {"nacks_received", "nacks", 1, 0},
    {"timeouts", "timeouts", 1, 0},
};

#define NSHOWN (sizeof shown / sizeof *shown)

static size_t
widest(const struct csv *csv, size_t column)
{
    size_t width = strlen(csv->header[column]);
    for (size_t row = 0; row < csv->nrows && row < MOST_SHOWN; row++)
    {
        size_t n = strlen(csv_cell(csv, row, column));
        width = n > width ? n : width;
    }
    return width;
}

/** The values that vary and the main totals; @p suffix: "_mean" for an aggregate. */
static void
print_table(const struct csv *csv, size_t first, size_t nkeys, const char *suffix)
{
    for (size_t k = first; k < first + nkeys; k++)
    {
        printf("%-*s  ", (int)widest(csv, k), csv->header[k]);
    }
    for (size_t c = 0; c < NSHOWN; c++)
    {
        printf("%13s", shown[c].title);
    }
    printf("\n");
    for (size_t row = 0; row < csv->nrows && row < MOST_SHOWN; row++)
    {
        for (size_t k = first; k < first + nkeys; k++)
        {
            printf("%-*s  ", (int)widest(csv, k), csv_cell(csv, row, k));
        }
        for (size_t c = 0; c < NSHOWN; c++)
        {
            char *name = xformat("%s%s", shown[c].column, suffix);
            long column = csv_column(csv, name);
            double v = column < 0 ? 0 : strtod(csv_cell(csv, row, (size_t)column), NULL);
            printf("%13.*f", shown[c].decimals, v * shown[c].scale);
            free(name);
        }
        printf("\n");
    }
    if (csv->nrows > MOST_SHOWN)
    {
        printf("... and %zu more\n", csv->nrows - MOST_SHOWN);
    }
}

static size_t
key_columns(const struct plan *plan, bool with_seeds)
{
    size_t n = 0;
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        n += with_seeds || !plan->dimensions[k].is_seeds ? plan->dimensions[k].ncolumns : 0;
    }
    return n;
}

static bool
has_seeds(const struct plan *plan)
{
    return key_columns(plan, true) != key_columns(plan, false);
}

/** Writes a file of the results folder and reads it back for printing. */
static struct csv *
write_csv(const char *out, const char *name, struct text *t)
{
    char *why = NULL;
    struct csv *csv = NULL;
    if (file_replace(out, name, t->s, t->len, &why))
    {
        char *path = xformat("%s/%s", out, name);
        csv = csv_read(path, &why);
        free(path);
    }
    if (!csv)
    {
        fprintf(stderr, "weft: error: %s\n", why);
    }
    free(why);
    free(t->s);
    *t = (struct text){0};
    return csv;
}

static bool
aggregate_write(const struct plan *plan, const char *out, const struct csv *summary)
{
    struct text t = {0};
    build_aggregate(&t, plan, summary);
    struct csv *csv = write_csv(out, "aggregate.csv", &t);
    if (csv)
    {
        printf("\nmean over seeds (aggregate.csv has least and greatest values as well)\n");
        print_table(csv, 0, 1 + key_columns(plan, false), "_mean");
    }
    csv_free(csv);
    return csv != NULL;
}

bool
summary_write(const struct plan *plan, const char *out)
{
    char *runs = xformat("%s/runs", out);
    struct text t = {0};
    size_t nrows = 0;
    bool good = build_summary(&t, plan, runs, &nrows);
    struct csv *csv = write_csv(out, "summary.csv", &t);
    if (csv && nrows > 0)
    {
        size_t keys = key_columns(plan, true);
        print_table(csv, keys ? 1 : 0, keys ? keys : 1, "");
        good = (!has_seeds(plan) || aggregate_write(plan, out, csv)) && good;
    }
    if (csv)
    {
        printf("%zu of %zu runs are in %s/summary.csv\n", nrows, plan->nruns, out);
    }
    good = good && csv;
    csv_free(csv);
    free(runs);
    return good;
}

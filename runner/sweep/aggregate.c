/* SPDX-License-Identifier: GPL-2.0-only */
#include "aggregate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "statistics.h"

void
plan_add_columns(struct text *t, const struct plan *plan, bool with_seeds)
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

void
plan_add_cells(struct text *t, const struct plan *plan, size_t run, bool with_seeds)
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

/** Key of a row without its seed. */
static char *
seedless_key(const struct plan *plan, size_t run)
{
    struct text t = {0};
    plan_add_cells(&t, plan, run, false);
    return text_take(&t);
}

/** A column over the seeds of one case. */
struct spread
{
    struct moments moments; /**< of the rows that have a value */
    double least, most;
    size_t n;    /**< rows that have a value */
    size_t rows; /**< all rows */
};

static void
spread_add(struct spread *s, const char *cell)
{
    double v;
    s->rows++;
    if (csv_number(cell, &v) != CELL_NUMBER)
    {
        return;
    }
    s->least = s->n == 0 || v < s->least ? v : s->least;
    s->most = s->n == 0 || v > s->most ? v : s->most;
    moments_add(&s->moments, 0, v);
    s->n++;
}

/** What there is of a column: each with its name's end, in the order of the file. */
static const char *const spread_columns[] = {"mean", "min", "max", "n", "stddev", "ci95"};

static void
add_spread(struct text *t, const struct spread *s)
{
    const double values[] = {s->n ? s->moments.y : NAN,   s->n ? s->least : NAN,
                             s->n ? s->most : NAN,        (double)s->n,
                             moments_stddev(&s->moments), moments_ci95(&s->moments)};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    {
        text_add(t, ",");
        if (i == 3)
        {
            text_add(t, "%zu", s->n);
        }
        else if (fabs(values[i]) < 9e12)
        {
            add_micro(t, llround(values[i] * 1e6));
        }
    }
}

/** All finished runs that differ in the seed only. */
struct seeds
{
    const char *key;
    size_t n;
    struct spread *spreads; /**< [column of summary_table] */
};

static struct seeds
seeds_of(const struct csv *summary, size_t first, char *const *keys, bool *used)
{
    struct spread *spreads = xcalloc(summary_table.n, sizeof *spreads);
    size_t offset = summary->ncolumns - summary_table.n, n = 0;
    for (size_t row = 0; row < summary->nrows; row++)
    {
        if (!used[row] && strcmp(keys[row], keys[first]) == 0)
        {
            used[row] = true;
            n++;
            for (size_t c = 0; c < summary_table.n; c++)
            {
                spread_add(&spreads[c], csv_cell(summary, row, offset + c));
            }
        }
    }
    return (struct seeds){keys[first], n, spreads};
}

/** One row of aggregate.csv. */
static void
add_row(struct text *t, const struct plan *plan, const struct seeds *s)
{
    (void)plan;
    text_add(t, "%zu%s", s->n, s->key);
    for (size_t c = 0; c < summary_table.n; c++)
    {
        add_spread(t, &s->spreads[c]);
    }
    text_add(t, "\n");
}

/** For each row what its run's values are, but for the seed. */
static char **
keys_of_rows(const struct plan *plan, const struct csv *summary)
{
    char **keys = xcalloc(summary->nrows, sizeof *keys);
    size_t i = 0;
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
        keys[row] = seedless_key(plan, i);
    }
    return keys;
}

/** Called for every case. */
typedef void (*case_fn)(struct text *t, const struct plan *plan, const struct seeds *s);

static void
for_each_case(struct text *t, const struct plan *plan, const struct csv *summary, case_fn call)
{
    char **keys = keys_of_rows(plan, summary);
    bool *used = xcalloc(summary->nrows, sizeof *used);
    for (size_t row = 0; row < summary->nrows; row++)
    {
        if (!used[row])
        {
            struct seeds s = seeds_of(summary, row, keys, used);
            call(t, plan, &s);
            free(s.spreads);
        }
    }
    for (size_t row = 0; row < summary->nrows; row++)
    {
        free(keys[row]);
    }
    free(used);
    free(keys);
}

void
aggregate_build(struct text *t, const struct plan *plan, const struct csv *summary)
{
    text_add(t, "seeds");
    plan_add_columns(t, plan, false);
    for (size_t c = 0; c < summary_table.n; c++)
    {
        const char *name = summary_table.columns[c].name;
        for (size_t i = 0; i < sizeof spread_columns / sizeof *spread_columns; i++)
        {
            text_add(t, ",%s_%s", name, spread_columns[i]);
        }
    }
    text_add(t, "\n");
    if (summary)
    {
        for_each_case(t, plan, summary, add_row);
    }
}

/* --- what is missing -------------------------------------------------------------------------- */

/** The values of one case, as "ops, 1MiB"; the scenario's name if nothing but the seed varies. */
static char *
case_name(const struct plan *plan, const char *key)
{
    struct text t = {0};
    for (const char *c = *key ? key + 1 : plan->name; *c; c++)
    {
        text_add(&t, *c == ',' ? ", " : "%c", *c);
    }
    return text_take(&t);
}

static const struct spread *
spread_of(const struct seeds *s, const char *name)
{
    size_t c = 0;
    while (strcmp(summary_table.columns[c].name, name) != 0)
    {
        c++;
    }
    return &s->spreads[c];
}

/** Runs that lack a column's value, if others have it or messages failed, which have no increase.
 */
static size_t
missing_in(const struct seeds *s, size_t column, bool failed)
{
    const struct spread *spread = &s->spreads[column];
    bool some = spread->n > 0 || (failed && spread == spread_of(s, "increase"));
    return some ? spread->rows - spread->n : 0;
}

/** Adds a line for each number of runs that lack values, with their columns. */
static void
add_missing(struct text *t, const struct plan *plan, const struct seeds *s)
{
    const bool failed = spread_of(s, "failed")->most + spread_of(s, "unstarted")->most > 0;
    char *name = case_name(plan, s->key);
    for (size_t n = 1; n <= s->n; n++)
    {
        struct text columns = {0};
        for (size_t c = 0; c < summary_table.n; c++)
        {
            if (missing_in(s, c, failed) == n)
            {
                text_add(&columns, "%s%s", columns.len ? ", " : "", summary_table.columns[c].name);
            }
        }
        if (columns.len)
        {
            text_add(t,
                     "weft: warning: %zu of %zu runs of %s have no %s%s; means are over the other "
                     "runs\n",
                     n, s->n, name, columns.s, failed ? " (messages failed)" : "");
        }
        free(columns.s);
    }
    free(name);
}

void
aggregate_warn(const struct plan *plan, const struct csv *summary)
{
    struct text t = {0};
    for_each_case(&t, plan, summary, add_missing);
    fputs(t.s ? t.s : "", stderr);
    free(t.s);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "aggregate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "statistics.h"

void
plan_add_cells(struct text *t, const struct plan *plan, size_t run, bool with_seeds)
{
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        const struct plan_dimension *dim = &plan->dimensions[k];
        char *const *cells = run < plan->nruns ? plan_point(plan, run, k)->cells : dim->columns;
        for (size_t c = 0; c < dim->ncolumns && (with_seeds || !dim->is_seeds); c++)
        {
            text_add(t, ",");
            csv_add_cell(t, cells[c]);
        }
    }
}

/** Whether a column of summary.csv is one over seeds as well: which QP was the slowest has no mean.
 */
static bool
has_spread(size_t column)
{
    return summary_table.columns[column].kind != COLUMN_INDEX;
}

/** How many columns before @p column are. */
static size_t
spreads_before(size_t column)
{
    size_t n = 0;
    for (size_t c = 0; c < column; c++)
    {
        n += has_spread(c);
    }
    return n;
}

/** A column over the seeds of one case. */
struct spread
{
    struct moments moments; /**< of the rows that have a value */
    double least, most;
    size_t n; /**< rows that have a value */
};

static void
spread_add(struct spread *s, const char *cell)
{
    double v;
    if (csv_number(cell, &v) == CELL_NUMBER)
    {
        s->least = s->n == 0 || v < s->least ? v : s->least;
        s->most = s->n == 0 || v > s->most ? v : s->most;
        moments_add(&s->moments, 0, v);
        s->n++;
    }
}

/** What there is of a column: each with its name's end, in the order of the file. */
enum spread_column
{
    SPREAD_MEAN,
    SPREAD_MIN,
    SPREAD_MAX,
    SPREAD_N,
    SPREAD_STDDEV,
    SPREAD_CI95,
    SPREAD_COLUMNS
};

static const char *const spread_columns[] = {"mean", "min", "max", "n", "stddev", "ci95"};

static void
add_spread(struct text *t, const struct spread *s)
{
    const double values[] = {s->n ? s->moments.y : NAN,   s->n ? s->least : NAN,
                             s->n ? s->most : NAN,        (double)s->n,
                             moments_stddev(&s->moments), moments_ci95(&s->moments)};
    for (size_t i = 0; i < SPREAD_COLUMNS; i++)
    {
        text_add(t, ",");
        if (i == SPREAD_N)
        {
            text_add(t, "%zu", s->n);
        }
        else if (fabs(values[i]) < 9e12)
        {
            add_micro(t, llround(values[i] * 1e6));
        }
    }
}

/** Adds what the rows of one case are, those of keys[first]; a row that was used has no key more.
 */
static void
add_case(struct text *t, const struct csv *summary, size_t first, char **keys)
{
    struct spread *spreads = xcalloc(summary_table.n, sizeof *spreads);
    const size_t offset = summary->ncolumns - summary_table.n;
    char *key = keys[first];
    size_t n = 0;
    for (size_t row = first; row < summary->nrows; row++)
    {
        if (!keys[row] || strcmp(keys[row], key) != 0)
        {
            continue;
        }
        for (size_t c = 0; c < summary_table.n; c++)
        {
            spread_add(&spreads[c], csv_cell(summary, row, offset + c));
        }
        if (row > first)
        {
            free(keys[row]);
        }
        keys[row] = NULL;
        n++;
    }
    text_add(t, "%zu%s", n, key);
    for (size_t c = 0; c < summary_table.n; c++)
    {
        if (has_spread(c))
        {
            add_spread(t, &spreads[c]);
        }
    }
    text_add(t, "\n");
    free(key);
    free(spreads);
}

void
aggregate_build(struct text *t, const struct plan *plan, const struct csv *summary,
                const size_t *runs)
{
    const size_t nrows = summary ? summary->nrows : 0;
    char **keys = xcalloc(nrows + 1, sizeof *keys);
    text_add(t, "seeds");
    plan_add_cells(t, plan, plan->nruns, false);
    for (size_t c = 0; c < summary_table.n; c++)
    {
        for (size_t i = 0; has_spread(c) && i < SPREAD_COLUMNS; i++)
        {
            text_add(t, ",%s_%s", summary_table.columns[c].name, spread_columns[i]);
        }
    }
    text_add(t, "\n");
    for (size_t row = 0; row < nrows; row++)
    {
        struct text key = {0};
        plan_add_cells(&key, plan, runs[row], false);
        keys[row] = text_take(&key);
    }
    for (size_t row = 0; row < nrows; row++)
    {
        if (keys[row])
        {
            add_case(t, summary, row, keys);
        }
    }
    free(keys);
}

/* --- what is missing -------------------------------------------------------------------------- */

/** Columns of aggregate.csv before those of the first column of summary.csv: seeds, and what
 * varies.
 */
static size_t
first_spread(const struct csv *aggregate)
{
    return aggregate->ncolumns - SPREAD_COLUMNS * spreads_before(summary_table.n);
}

static double
spread_value(const struct csv *aggregate, size_t row, size_t column, enum spread_column what)
{
    const size_t at =
        first_spread(aggregate) + SPREAD_COLUMNS * spreads_before(column) + (size_t)what;
    return strtod(csv_cell(aggregate, row, at), NULL);
}

/** The values of one case, as "ops, 1MiB"; the scenario's name if nothing but the seed varies. */
static char *
case_name(const struct plan *plan, const struct csv *aggregate, size_t row)
{
    struct text t = {0};
    for (size_t c = 1; c < first_spread(aggregate); c++)
    {
        text_add(&t, "%s%s", c > 1 ? ", " : "", csv_cell(aggregate, row, c));
    }
    return t.s ? text_take(&t) : xstrdup(plan->name);
}

/** Warns once for each number of runs that lack values, with their columns: values that others
 * have, or that there would be if no messages had failed, which leaves a run without an increase.
 */
static void
warn_of_case(const struct plan *plan, const struct csv *aggregate, size_t row)
{
    const double of = strtod(csv_cell(aggregate, row, 0), NULL);
    char *name = case_name(plan, aggregate, row);
    bool failed = false;
    for (size_t c = 0; c < summary_table.n; c++)
    {
        const char *column = summary_table.columns[c].name;
        failed = failed || ((strcmp(column, "failed") == 0 || strcmp(column, "unstarted") == 0) &&
                            spread_value(aggregate, row, c, SPREAD_MAX) > 0);
    }
    for (double missing = 1; missing <= of; missing++)
    {
        struct text columns = {0};
        for (size_t c = 0; c < summary_table.n; c++)
        {
            const char *column = summary_table.columns[c].name;
            const double n = has_spread(c) ? spread_value(aggregate, row, c, SPREAD_N) : 0;
            const bool wanted = n > 0 || (failed && strcmp(column, "increase") == 0);
            if (wanted && fabs(of - n - missing) < 0.5)
            {
                text_add(&columns, "%s%s", columns.len ? ", " : "", column);
            }
        }
        if (columns.len)
        {
            fprintf(stderr,
                    "weft: warning: %.0f of %.0f runs of %s have no %s%s; means are over the other "
                    "runs\n",
                    missing, of, name, columns.s, failed ? " (messages failed)" : "");
        }
        free(columns.s);
    }
    free(name);
}

void
aggregate_warn(const struct plan *plan, const struct csv *aggregate)
{
    for (size_t row = 0; row < aggregate->nrows; row++)
    {
        warn_of_case(plan, aggregate, row);
    }
}

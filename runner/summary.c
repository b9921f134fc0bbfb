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
#include "stale.h"

/** Rows shown on the terminal before it refers to the file. */
#define MOST_SHOWN 100

/** The name and the resolved scenario of a run, both the caller's to free; false if it does not
 * load. */
static bool
resolve(const struct plan *plan, size_t i, char **name, char **resolved)
{
    struct diagnostics d = {.file = plan->doc->path};
    struct scenario *s = plan_load(plan, i, &d);
    *name = plan_run_name(plan, i);
    *resolved = s ? scenario_write(s, *name) : NULL;
    scenario_free(s);
    diag_free(&d);
    return *resolved != NULL;
}

bool
plan_run_finished(const struct plan *plan, size_t i, const char *runs)
{
    char *name, *resolved;
    bool finished = resolve(plan, i, &name, &resolved) && run_is_finished(runs, name, resolved);
    free(resolved);
    free(name);
    return finished;
}

char *
plan_run_stale(const struct plan *plan, size_t i, const char *runs)
{
    char *name, *resolved;
    char *reason = resolve(plan, i, &name, &resolved) ? stale_reason(runs, name, resolved) : NULL;
    free(resolved);
    free(name);
    return reason;
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

/** Adds the rows that one finished run has in a table; false (with a message) if it cannot be read.
 */
static bool
add_rows(struct text *t, const struct plan *plan, size_t i, const char *runs,
         const struct column_table *table)
{
    char *name = plan_run_name(plan, i), *why = NULL;
    char *path = xformat("%s/%s/%s", runs, name, table->file);
    struct csv *csv = csv_read(path, &why);
    bool good = csv && csv->ncolumns == table->n && (table != &summary_table || csv->nrows == 1);
    for (size_t r = 0; good && r < csv->nrows; r++)
    {
        csv_add_cell(t, name);
        add_dimension_cells(t, plan, i, true);
        for (size_t c = 0; c < csv->ncolumns; c++)
        {
            text_add(t, ",");
            csv_add_cell(t, csv_cell(csv, r, c));
        }
        text_add(t, "\n");
    }
    if (!good)
    {
        fprintf(stderr, "weft: error: %s%s\n", csv ? "not a result of this version: " : "",
                csv ? path : why);
    }
    csv_free(csv);
    free(why);
    free(path);
    free(name);
    return good;
}

/** The rows of all finished runs, each behind what varies. */
static bool
build_table(struct text *t, const struct plan *plan, const char *runs, const bool *finished,
            const struct column_table *table)
{
    bool good = true;
    text_add(t, "run");
    add_dimension_names(t, plan, true);
    text_add(t, ",");
    columns_header(t, table);
    for (size_t i = 0; i < plan->nruns; i++)
    {
        good = (!finished[i] || add_rows(t, plan, i, runs, table)) && good;
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
    const char *format;
} shown[] = {
    {"cct_us", "cct_ms", 1e-3, "%#.5g"},         {"slowdown", "slowdown", 1, "%.3f"},
    {"goodput_gbps", "goodput_gbps", 1, "%.2f"}, {"mean_rate_gbps", "rate_gbps", 1, "%.2f"},
    {"resent_share", "resent_%", 100, "%.2f"},   {"nacks_received", "nacks", 1, "%.0f"},
    {"timeouts", "timeouts", 1, "%.0f"},         {"increase", "increase_%", 100, "%.2f"},
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

/** The number in a cell; NAN: it is empty, or there is no such column. */
static double
number_in(const struct csv *csv, size_t row, const char *name, const char *suffix)
{
    char *whole = xformat("%s%s", name, suffix);
    long column = csv_column(csv, whole);
    const char *cell = column < 0 ? "" : csv_cell(csv, row, (size_t)column);
    free(whole);
    return *cell ? strtod(cell, NULL) : NAN;
}

/** Messages that were given up, and those that waited for them. */
static double
failed_in(const struct csv *csv, size_t row, const char *suffix)
{
    return number_in(csv, row, "failed", suffix) + number_in(csv, row, "unstarted", suffix);
}

static bool
any_failed(const struct csv *csv, const char *suffix)
{
    for (size_t row = 0; row < csv->nrows; row++)
    {
        if (failed_in(csv, row, suffix) > 0)
        {
            return true;
        }
    }
    return false;
}

static void
print_number(const char *format, double value)
{
    char text[64] = "-";
    if (!isnan(value))
    {
        snprintf(text, sizeof text, format, value);
    }
    printf("%13s", text);
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
    const bool failed = any_failed(csv, suffix);
    printf("%s\n", failed ? "       failed" : "");
    for (size_t row = 0; row < csv->nrows && row < MOST_SHOWN; row++)
    {
        for (size_t k = first; k < first + nkeys; k++)
        {
            printf("%-*s  ", (int)widest(csv, k), csv_cell(csv, row, k));
        }
        for (size_t c = 0; c < NSHOWN; c++)
        {
            print_number(shown[c].format,
                         number_in(csv, row, shown[c].column, suffix) * shown[c].scale);
        }
        if (failed)
        {
            print_number("%.5g", failed_in(csv, row, suffix));
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

/** The values of one case, as "ops, 1MiB"; the scenario's name if nothing but the seed varies. */
static char *
case_name(const struct plan *plan, size_t run)
{
    char *key = seedless_key(plan, run);
    struct text t = {0};
    for (const char *c = *key ? key + 1 : plan->name; *c; c++)
    {
        text_add(&t, *c == ',' ? ", " : "%c", *c);
    }
    free(key);
    return text_take(&t);
}

/** A mean over those seeds alone that went well is not that of the case. */
static void
warn_of_missing(const struct plan *plan, const struct csv *summary)
{
    size_t *run = runs_of_rows(plan, summary);
    bool *used = xcalloc(summary->nrows, sizeof *used);
    for (size_t first = 0; first < summary->nrows; first++)
    {
        size_t n = 0, missing = 0;
        char *name = used[first] ? NULL : case_name(plan, run[first]);
        for (size_t row = first; name && row < summary->nrows; row++)
        {
            char *other = used[row] ? NULL : case_name(plan, run[row]);
            if (other && strcmp(name, other) == 0)
            {
                used[row] = true;
                n++;
                missing += failed_in(summary, row, "") > 0 &&
                           isnan(number_in(summary, row, "increase", ""));
            }
            free(other);
        }
        if (missing)
        {
            fprintf(stderr,
                    "weft: warning: %zu of %zu runs of %s have no increase (messages failed)\n",
                    missing, n, name);
        }
        free(name);
    }
    free(used);
    free(run);
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
        fflush(stdout);
        warn_of_missing(plan, summary);
    }
    csv_free(csv);
    return csv != NULL;
}

/** Puts the rows of all runs in a table together in the results folder. NULL after a message. */
static struct csv *
write_table(const struct plan *plan, const char *out, const char *runs, const bool *finished,
            const struct column_table *table, bool *good)
{
    struct text t = {0};
    *good = build_table(&t, plan, runs, finished, table) && *good;
    return write_csv(out, table->file, &t);
}

bool
summary_write(const struct plan *plan, const char *out)
{
    char *runs = xformat("%s/runs", out);
    bool *finished = xcalloc(plan->nruns + 1, sizeof *finished), good = true;
    size_t nruns = 0;
    for (size_t i = 0; i < plan->nruns; i++)
    {
        finished[i] = plan_run_finished(plan, i, runs);
        nruns += finished[i];
    }
    struct csv *layers = write_table(plan, out, runs, finished, &layers_table, &good);
    struct csv *csv = write_table(plan, out, runs, finished, &summary_table, &good);
    if (csv && nruns > 0)
    {
        size_t keys = key_columns(plan, true);
        print_table(csv, keys ? 1 : 0, keys ? keys : 1, "");
        good = (!has_seeds(plan) || aggregate_write(plan, out, csv)) && good;
    }
    if (csv)
    {
        printf("%zu of %zu runs are in %s/summary.csv\n", nruns, plan->nruns, out);
    }
    good = good && csv && layers;
    csv_free(csv);
    csv_free(layers);
    free(finished);
    free(runs);
    return good;
}

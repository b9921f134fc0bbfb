/* SPDX-License-Identifier: GPL-2.0-only */
#include "summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "columns.h"
#include "csv.h"
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

enum run_state
plan_run_state(const struct plan *plan, size_t i, const struct folder *runs,
               struct folder *finished, char **why)
{
    char *name, *resolved;
    enum run_state state = RUN_TO_DO;
    *why = NULL;
    if (finished)
    {
        *finished = NO_FOLDER;
    }
    if (resolve(plan, i, &name, &resolved))
    {
        state = run_folder_state(runs, name, resolved, finished, why);
    }
    free(resolved);
    free(name);
    return state;
}

char *
plan_run_stale(const struct plan *plan, size_t i, const struct folder *runs)
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

/** The tables over all runs, and the runs that have rows in them. */
struct tables
{
    struct text summary, layers;
    size_t nruns;
};

static void
add_header(struct text *t, const struct plan *plan, const struct column_table *table)
{
    text_add(t, "run");
    add_dimension_names(t, plan, true);
    text_add(t, ",");
    columns_header(t, table);
}

/** Reads a table of a finished run; NULL with a sentence. */
static struct csv *
read_table(const struct folder *run, const struct column_table *table, char **why)
{
    char *path = xformat("%s/%s", run->path, table->file);
    char *bytes = file_read(run, table->file, NULL, why);
    struct csv *csv = bytes ? csv_cut(bytes, path, why) : NULL;
    if (csv && (csv->ncolumns != table->n || (table == &summary_table && csv->nrows != 1)))
    {
        *why = xformat("%s is no result of this version of Weft; --again repeats the run", path);
        csv_free(csv);
        csv = NULL;
    }
    free(path);
    return csv;
}

/** What add_run() reads of a run. */
struct run_tables
{
    enum run_state state;
    struct csv *summary, *layers; /**< NULL unless it is finished and could be read */
    char *why;                    /**< it is damaged or could not be read */
};

static void
free_run_tables(struct run_tables *t)
{
    csv_free(t->summary);
    csv_free(t->layers);
    free(t->why);
    *t = (struct run_tables){0};
}

/** Another process may replace the run meanwhile, and what was opened goes: then once more. */
static void
read_run(struct run_tables *t, const struct plan *plan, size_t i, const struct folder *runs)
{
    *t = (struct run_tables){0};
    for (int attempt = 0; attempt < 2; attempt++)
    {
        struct folder run;
        free_run_tables(t);
        t->state = plan_run_state(plan, i, runs, &run, &t->why);
        if (t->state == RUN_FINISHED)
        {
            t->summary = read_table(&run, &summary_table, &t->why);
            t->layers = t->summary ? read_table(&run, &layers_table, &t->why) : NULL;
        }
        folder_close(&run);
        if (!t->why)
        {
            break;
        }
    }
}

/** Adds the rows of a run behind its name and what varies. */
static void
add_rows(struct text *t, const struct plan *plan, size_t i, const struct csv *csv)
{
    char *name = plan_run_name(plan, i);
    for (size_t r = 0; r < csv->nrows; r++)
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
    free(name);
}

/** Adds a run to all tables if it is finished; false after a message if it cannot be read. */
static bool
add_run(struct tables *t, const struct plan *plan, size_t i, const struct folder *runs)
{
    struct run_tables run;
    read_run(&run, plan, i, runs);
    const bool good = run.state != RUN_FINISHED || run.layers;
    if (run.layers)
    {
        add_rows(&t->summary, plan, i, run.summary);
        add_rows(&t->layers, plan, i, run.layers);
        t->nruns++;
    }
    else if (run.why)
    {
        char *name = plan_run_name(plan, i);
        fprintf(stderr, "weft: %s: %s is left out: %s\n", good ? "warning" : "error", name,
                run.why);
        free(name);
    }
    free_run_tables(&run);
    return good;
}

/** Fills the tables with the rows of all finished runs; false after messages. */
static bool
build_tables(struct tables *t, const struct plan *plan, const struct folder *runs)
{
    bool good = true;
    add_header(&t->summary, plan, &summary_table);
    add_header(&t->layers, plan, &layers_table);
    for (size_t i = 0; i < plan->nruns; i++)
    {
        good = add_run(t, plan, i, runs) && good;
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

/** Writes and prints while nobody else does. */
static bool
write_locked(const struct plan *plan, const struct results_folder *r)
{
    const char *out = r->top.path;
    struct tables t = {0};
    bool good = build_tables(&t, plan, &r->runs);
    struct csv *layers = write_csv(out, layers_table.file, &t.layers);
    struct csv *csv = write_csv(out, summary_table.file, &t.summary);
    if (csv && t.nruns > 0)
    {
        size_t keys = key_columns(plan, true);
        print_table(csv, keys ? 1 : 0, keys ? keys : 1, "");
        good = (!has_seeds(plan) || aggregate_write(plan, out, csv)) && good;
    }
    if (csv)
    {
        printf("%zu of %zu runs are in %s/summary.csv\n", t.nruns, plan->nruns, out);
    }
    good = good && csv && layers;
    csv_free(csv);
    csv_free(layers);
    return good;
}

bool
summary_write(const struct plan *plan, const struct results_folder *r)
{
    char *why = NULL;
    int lock = results_folder_lock_tables(r->top.path, &why);
    bool good = false;
    if (lock < 0)
    {
        fprintf(stderr, "weft: error: %s\n", why);
    }
    else
    {
        good = write_locked(plan, r);
        close(lock);
    }
    free(why);
    return good;
}

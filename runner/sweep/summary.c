/* SPDX-License-Identifier: GPL-2.0-only */
#include "summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aggregate.h"
#include "columns.h"
#include "csv.h"
#include "database-fill.h"
#include "file-list.h"
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

/** The tables over all runs, and the runs that have rows in them. */
struct tables
{
    struct text summary, layers, aggregate;
    size_t nruns;
    bool *has; /**< [run]: it has rows */
};

static void
add_header(struct text *t, const struct plan *plan, const struct column_table *table)
{
    text_add(t, "run");
    plan_add_columns(t, plan, true);
    text_add(t, ",");
    columns_header(t, table);
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
            t->summary = run_folder_table(&run, &summary_table, &t->why);
            t->layers = t->summary ? run_folder_table(&run, &layers_table, &t->why) : NULL;
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
        plan_add_cells(t, plan, i, true);
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
        t->has[i] = true;
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

/* --- terminal --------------------------------------------------------------------------------- */

struct shown
{
    const char *column, *title;
    double scale;
    const char *format;
};

static const struct shown shown[] = {
    {"cct_us", "cct_ms", 1e-3, "%#.5g"},         {"slowdown", "slowdown", 1, "%.3f"},
    {"goodput_gbps", "goodput_gbps", 1, "%.2f"}, {"mean_rate_gbps", "rate_gbps", 1, "%.2f"},
    {"resent_share", "resent_%", 100, "%.2f"},   {"nacks_received", "nacks", 1, "%.0f"},
    {"timeouts", "timeouts", 1, "%.0f"},         {"increase", "increase_%", 100, "%.2f"},
};

#define NSHOWN (sizeof shown / sizeof *shown)

/** Beside `increase` if a fabric cannot serve its hosts at line rate: it says what of the increase
 * is not the fabric's own. */
static const struct shown shown_rho = {"increase_rho", "   increase_rho_%", 100, "%.2f"};

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

/** Whether hosts of any run must send below line rate. */
static bool
any_below_line_rate(const struct csv *csv, const char *suffix)
{
    for (size_t row = 0; row < csv->nrows; row++)
    {
        if (number_in(csv, row, "rho_max", suffix) < 1)
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

/** A mean; behind it how many of the seeds have a value, where not all do. */
static void
print_mean(const struct csv *csv, size_t row, const struct shown *s)
{
    const double value = number_in(csv, row, s->column, "_mean") * s->scale;
    const double n = number_in(csv, row, s->column, "_n"), of = number_in(csv, row, "seeds", "");
    char text[64];
    if (isnan(value) || n >= of)
    {
        print_number(s->format, value);
        return;
    }
    const int at = snprintf(text, sizeof text, s->format, value);
    snprintf(text + at, sizeof text - (size_t)at, " (%.0f/%.0f)", n, of);
    printf("%13s", text);
}

static void
print_shown(const struct csv *csv, size_t row, const struct shown *s, const char *suffix)
{
    if (*suffix)
    {
        print_mean(csv, row, s);
    }
    else
    {
        print_number(s->format, number_in(csv, row, s->column, "") * s->scale);
    }
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
    const bool rho = any_below_line_rate(csv, suffix), failed = any_failed(csv, suffix);
    printf("%s%s\n", rho ? shown_rho.title : "", failed ? "       failed" : "");
    for (size_t row = 0; row < csv->nrows && row < MOST_SHOWN; row++)
    {
        for (size_t k = first; k < first + nkeys; k++)
        {
            printf("%-*s  ", (int)widest(csv, k), csv_cell(csv, row, k));
        }
        for (size_t c = 0; c < NSHOWN; c++)
        {
            print_shown(csv, row, &shown[c], suffix);
        }
        if (rho)
        {
            printf("    ");
            print_shown(csv, row, &shown_rho, suffix);
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

/** A table as it will be read; it holds no damaged rows. */
static struct csv *
cut_table(const struct text *t, const struct column_table *table)
{
    char *why = NULL;
    struct csv *csv = csv_cut(xstrdup(t->s), table->file, &why);
    free(why);
    return csv;
}

static void
print_tables(const struct plan *plan, const struct tables *t, const struct csv *summary)
{
    size_t keys = key_columns(plan, true);
    print_table(summary, keys ? 1 : 0, keys ? keys : 1, "");
    if (has_seeds(plan))
    {
        struct csv *aggregate = cut_table(&t->aggregate, &summary_table);
        printf("\nmean over seeds (aggregate.csv has their spread as well)\n");
        print_table(aggregate, 0, 1 + key_columns(plan, false), "_mean");
        csv_free(aggregate);
        fflush(stdout);
        aggregate_warn(plan, summary);
    }
}

/** Writes all tables and the list of them, or none; @p list gets its lines. */
static bool
write_tables(const struct plan *plan, const struct tables *t, const char *out, struct text *list)
{
    char *why = NULL;
    const size_t n = has_seeds(plan) ? 3 : 2;
    struct file_bytes files[4] = {{layers_table.file, t->layers.s, t->layers.len},
                                  {summary_table.file, t->summary.s, t->summary.len},
                                  {"aggregate.csv", t->aggregate.s, t->aggregate.len}};
    for (size_t i = 0; i < n; i++)
    {
        file_list_add(list, files[i].name, files[i].bytes, files[i].n);
    }
    char *bytes = file_list_end(TABLE_LIST_HEADING, list);
    files[n] = (struct file_bytes){TABLE_LIST_FILE, bytes, strlen(bytes)};
    bool written = files_replace(out, files, n + 1, &why);
    free(bytes);
    if (!written)
    {
        fprintf(stderr, "weft: error: %s\n", why);
    }
    free(why);
    return written;
}

/* --- results.sqlite --------------------------------------------------------------------------- */

/** Adds a run that has rows in the tables, unless another process replaces it just now. */
static bool
fill_run(struct database_writer *w, const struct plan *plan, size_t i, const struct folder *runs,
         char **why)
{
    struct folder run;
    char *damage = NULL;
    const enum run_state state = plan_run_state(plan, i, runs, &run, &damage);
    bool good = state != RUN_FINISHED || database_fill_run(w, plan, i, &run, why);
    folder_close(&run);
    free(damage);
    return good;
}

/** All of the database; false with a sentence. */
static bool
fill_database(struct database_writer *w, const struct plan *plan, const struct tables *t,
              const struct folder *runs, char **why)
{
    struct csv *aggregate = t->aggregate.s ? cut_table(&t->aggregate, &summary_table) : NULL;
    bool good = true;
    for (size_t i = 0; good && i < plan->nruns; i++)
    {
        good = !t->has[i] || fill_run(w, plan, i, runs, why);
    }
    good = good && database_add_csv(w, "aggregate", aggregate, why);
    csv_free(aggregate);
    return good;
}

/** Writes the list of tables anew with the database, whose line is added to @p list, and puts it in
 * its place. */
static bool
place_database(struct database_writer *w, const char *out, struct text *list, char **why)
{
    bool good = database_seal(w, list, why);
    char *bytes = good ? file_list_end(TABLE_LIST_HEADING, list) : NULL;
    const struct file_bytes file = {TABLE_LIST_FILE, bytes, bytes ? strlen(bytes) : 0};
    good = good && files_replace(out, &file, 1, why);
    free(bytes);
    if (!good)
    {
        database_abandon(w);
    }
    return good && database_finish(w, why);
}

/** Makes results.sqlite of the runs that have rows in the tables. Where it cannot be written there
 * is none: a former one would answer for other runs. False after a message. */
static bool
write_database(const struct plan *plan, const struct tables *t, const struct results_folder *r,
               struct text *list)
{
    size_t nkeys;
    char *why = NULL;
    folder_forget_temporary(&r->top, DATABASE_FILE);
    struct database_key *keys = plan_keys(plan, &nkeys);
    struct database_writer *w = database_begin(&r->top, keys, nkeys, &why);
    bool good = w && fill_database(w, plan, t, &r->runs, &why);
    if (good)
    {
        good = place_database(w, r->top.path, list, &why);
    }
    else if (w)
    {
        database_abandon(w);
    }
    if (!good)
    {
        fprintf(stderr, "weft: error: %s; the CSV files are complete\n", why);
        file_drop(&r->top, DATABASE_FILE);
    }
    free(why);
    free(keys);
    return good;
}

/** Writes and prints while nobody else does. */
static bool
write_locked(const struct plan *plan, const struct results_folder *r)
{
    struct tables t = {.has = xcalloc(plan->nruns, sizeof *t.has)};
    bool complete = build_tables(&t, plan, &r->runs);
    struct csv *summary = cut_table(&t.summary, &summary_table);
    if (has_seeds(plan))
    {
        aggregate_build(&t.aggregate, plan, summary);
    }
    struct text list = {0};
    bool written = write_tables(plan, &t, r->top.path, &list);
    bool asked = written && write_database(plan, &t, r, &list);
    free(list.s);
    if (written && t.nruns > 0)
    {
        print_tables(plan, &t, summary);
    }
    if (written)
    {
        printf("%zu of %zu runs are in %s/summary.csv\n", t.nruns, plan->nruns, r->top.path);
    }
    csv_free(summary);
    free(t.has);
    free(t.summary.s);
    free(t.layers.s);
    free(t.aggregate.s);
    return complete && asked;
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

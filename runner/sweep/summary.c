/* SPDX-License-Identifier: GPL-2.0-only */
#include "summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aggregate.h"
#include "built-code.h"
#include "columns.h"
#include "csv.h"
#include "database-fill.h"
#include "file-list.h"
#include "stale.h"
#include "summary-notes.h"
#include "sweep-run.h"

/** Rows shown on the terminal before it refers to the file. */
#define MOST_SHOWN 100

/** How often a run is read that others replace meanwhile. */
#define MOST_ATTEMPTS 20

/** What a run is made of now, for free_source(); false if its scenario does not load. */
static bool
find_source(const struct plan *plan, size_t i, struct run_source *source)
{
    struct diagnostics d = {.file = plan->doc->path};
    struct scenario *s = plan_load(plan, i, &d);
    *source = s ? (struct run_source){scenario_write(s, plan->names[i]), built_code(s)}
                : (struct run_source){NULL, NULL};
    scenario_free(s);
    diag_free(&d);
    return source->resolved != NULL;
}

static void
free_source(struct run_source *source)
{
    free(source->resolved);
    free(source->code);
}

enum run_state
plan_run_state(const struct plan *plan, size_t i, const struct folder *runs,
               struct folder *finished, char **why)
{
    struct run_source source;
    enum run_state state = RUN_TO_DO;
    *why = NULL;
    if (finished)
    {
        *finished = NO_FOLDER;
    }
    if (find_source(plan, i, &source))
    {
        state = run_folder_state(runs, plan->names[i], &source, finished, why);
    }
    free_source(&source);
    return state;
}

char *
plan_run_stale(const struct plan *plan, size_t i, const struct folder *runs)
{
    struct run_source source;
    char *reason =
        find_source(plan, i, &source) ? stale_reason(runs, plan->names[i], &source) : NULL;
    free_source(&source);
    return reason;
}

/* --- summary.csv ------------------------------------------------------------------------------ */

/** The tables over all runs that are finished. */
struct tables
{
    struct text summary, layers, aggregate;
    struct text workloads; /**< shown only */
    size_t *runs;          /**< that have rows in them */
    size_t nruns;
    struct database_writer *database; /**< NULL: it cannot be written, or no more */
    char *why;                        /**< for this reason */
};

/** The database goes without: the CSV files come first. */
static void
abandon_database(struct tables *t)
{
    if (t->database)
    {
        database_abandon(t->database);
    }
    t->database = NULL;
}

static void
add_header(struct text *t, const struct plan *plan, const struct column_table *table)
{
    text_add(t, "run");
    plan_add_cells(t, plan, plan->nruns, true);
    text_add(t, ",");
    columns_header(t, table);
}

/** Adds the rows of a run behind its name and what varies. */
static void
add_rows(struct text *t, const struct plan *plan, size_t i, const struct csv *csv)
{
    for (size_t r = 0; r < csv->nrows; r++)
    {
        csv_add_cell(t, plan->names[i]);
        plan_add_cells(t, plan, i, true);
        for (size_t c = 0; c < csv->ncolumns; c++)
        {
            text_add(t, ",");
            csv_add_cell(t, csv_cell(csv, r, c));
        }
        text_add(t, "\n");
    }
}

/** Adds a finished run, whose open folder @p run is, to the database. False with a sentence if
 * another process has replaced it meanwhile: files may have gone, and it is not in the database. */
static bool
fill_database(struct tables *t, const struct plan *plan, size_t i, const struct folder *runs,
              const struct folder *run, char **why)
{
    bool good = !t->database || database_fill_run(t->database, plan, i, run, &t->why);
    const bool in_place = run_folder_is_in_place(runs, plan->names[i], run);
    if (!in_place)
    {
        *why = xformat("%s/%s was replaced while it was read", runs->path, plan->names[i]);
    }
    if (!in_place && t->database)
    {
        free(t->why);
        t->why = NULL;
        good = database_drop_run(t->database, &t->why);
    }
    if (!good)
    {
        abandon_database(t);
    }
    return in_place;
}

/** Adds a finished run, whose open folder @p run is, to all tables; false with a sentence if its
 * files cannot be read, and then it is in none of them. */
static bool
add_finished(struct tables *t, const struct plan *plan, size_t i, const struct folder *runs,
             const struct folder *run, char **why)
{
    struct csv *summary = run_folder_table(run, &summary_table, why);
    struct csv *layers = summary ? run_folder_table(run, &layers_table, why) : NULL;
    const bool several = layers && file_is_there(run, workloads_table.file);
    struct csv *workloads = several ? run_folder_table(run, &workloads_table, why) : NULL;
    const bool good =
        layers && (workloads || !several) && fill_database(t, plan, i, runs, run, why);
    if (good && workloads)
    {
        add_rows(&t->workloads, plan, i, workloads);
    }
    if (good)
    {
        add_rows(&t->summary, plan, i, summary);
        add_rows(&t->layers, plan, i, layers);
        t->runs[t->nruns++] = i;
    }
    csv_free(summary);
    csv_free(layers);
    csv_free(workloads);
    return good;
}

/** Adds a run to all tables if it is finished; false after a message if it cannot be read. Another
 * process may replace it meanwhile, and what was opened goes: then it is read again, MOST_ATTEMPTS
 * times in all at most. */
static bool
add_run(struct tables *t, const struct plan *plan, size_t i, const struct folder *runs)
{
    char *why = NULL;
    bool good = false, again = true;
    for (int attempt = 0; again && attempt < MOST_ATTEMPTS; attempt++)
    {
        struct folder run;
        free(why);
        const enum run_state state = plan_run_state(plan, i, runs, &run, &why);
        good = state != RUN_FINISHED || add_finished(t, plan, i, runs, &run, &why);
        folder_close(&run);
        again = why && state == RUN_FINISHED;
    }
    if (why)
    {
        fprintf(stderr, "weft: %s: %s is left out: %s\n", good ? "warning" : "error",
                plan->names[i], why);
    }
    free(why);
    return good;
}

/* --- terminal --------------------------------------------------------------------------------- */

struct shown
{
    const char *column, *title;
    double scale;
    const char *format;
    const char *from; /**< another column, which is subtracted; NULL: none */
};

static const struct shown shown[] = {
    {"cct_us", "cct_ms", 1e-3, "%#.5g", "first_start_us"},
    {"goodput_gbps", "goodput_gbps", 1, "%.2f", NULL},
    {"mean_rate_gbps", "rate_gbps", 1, "%.2f", NULL},
    {"resent_share", "resent_%", 100, "%.2f", NULL},
    {"nacks_received", "nacks", 1, "%.0f", NULL},
    {"timeouts", "timeouts", 1, "%.0f", NULL},
    {"increase", "increase_%", 100, "%.2f", NULL},
};

#define NSHOWN (sizeof shown / sizeof *shown)

/** Beside `increase` if a fabric cannot serve its hosts at line rate: it says what of the increase
 * is not the fabric's own. */
static const struct shown shown_rho = {"increase_rho", "   increase_rho_%", 100, "%.2f", NULL};

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

/** Messages that were given up, and those that waited for them. */
static double
failed_in(const struct csv *csv, size_t row, const char *suffix)
{
    return summary_number(csv, row, "failed", suffix) +
           summary_number(csv, row, "unstarted", suffix);
}

/** A number; behind a mean how many of the seeds have a value, where not all do. */
static void
print_shown(const struct csv *csv, size_t row, const struct shown *s, const char *suffix)
{
    const double from = s->from ? summary_number(csv, row, s->from, suffix) : 0;
    const double value = (summary_number(csv, row, s->column, suffix) - from) * s->scale;
    const double n = summary_number(csv, row, s->column, "_n"),
                 of = summary_number(csv, row, "seeds", "");
    char text[64] = "-";
    if (!isnan(value))
    {
        const int at = snprintf(text, sizeof text, s->format, value);
        if (*suffix && n < of)
        {
            snprintf(text + at, sizeof text - (size_t)at, " (%.0f/%.0f)", n, of);
        }
    }
    printf(" %12s", text); /* a blank even before what is too wide */
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
    bool rho = false, failed = false; /* of any run: hosts must send below line rate, messages */
    for (size_t row = 0; row < csv->nrows; row++)
    {
        rho = rho || summary_number(csv, row, "rho_max", suffix) < 1;
        failed = failed || failed_in(csv, row, suffix) > 0;
    }
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
            printf("%13.5g", failed_in(csv, row, suffix));
        }
        printf("\n");
    }
    if (csv->nrows > MOST_SHOWN)
    {
        printf("... and %zu more\n", csv->nrows - MOST_SHOWN);
    }
}

/** Completion times of each workload by itself, where there are several. */
static void
print_workloads(const struct csv *csv, size_t first, size_t nkeys)
{
    static const struct shown cct = {"cct_us", "cct_ms", 1e-3, "%#.5g", "start_us"};
    const size_t name = (size_t)csv_column(csv, "workload");
    printf("\nby workload\n");
    for (size_t k = first; k < first + nkeys; k++)
    {
        printf("%-*s  ", (int)widest(csv, k), csv->header[k]);
    }
    printf("%-*s        cct_ms   increase_%%\n", (int)widest(csv, name), "workload");
    for (size_t row = 0; row < csv->nrows && row < MOST_SHOWN; row++)
    {
        for (size_t k = first; k < first + nkeys; k++)
        {
            printf("%-*s  ", (int)widest(csv, k), csv_cell(csv, row, k));
        }
        printf("%-*s", (int)widest(csv, name), csv_cell(csv, row, name));
        print_shown(csv, row, &cct, "");
        print_shown(csv, row, &shown[NSHOWN - 1], "");
        printf("\n");
    }
    if (csv->nrows > MOST_SHOWN)
    {
        printf("... and %zu more\n", csv->nrows - MOST_SHOWN);
    }
}

/** Columns of what varies. */
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

/** A table as it will be read; it holds no damaged rows. */
static struct csv *
cut_table(const struct text *t, const struct column_table *table)
{
    char *why = NULL;
    struct csv *csv = csv_cut(xstrdup(t->s), table->file, &why);
    free(why);
    return csv;
}

/** @p aggregate: NULL if there are no seeds. @p workloads: empty where no run has several. */
static void
print_tables(const struct plan *plan, const struct csv *summary, const struct csv *aggregate,
             const struct csv *workloads)
{
    size_t keys = key_columns(plan, true);
    print_table(summary, keys ? 1 : 0, keys ? keys : 1, "");
    if (aggregate)
    {
        printf("\nmean over seeds (aggregate.csv has their spread as well)\n");
        print_table(aggregate, 0, 1 + key_columns(plan, false), "_mean");
        fflush(stdout);
        aggregate_warn(plan, aggregate);
    }
    if (workloads->nrows)
    {
        print_workloads(workloads, keys ? 1 : 0, keys ? keys : 1);
    }
}

/** Writes all CSV files and the list of them, or none; @p list gets its lines. */
static bool
write_tables(const struct tables *t, const char *out, struct text *list, char **why)
{
    struct file_bytes files[4] = {{layers_table.file, t->layers.s, t->layers.len},
                                  {summary_table.file, t->summary.s, t->summary.len},
                                  {"aggregate.csv", t->aggregate.s, t->aggregate.len}};
    const size_t n = t->aggregate.s ? 3 : 2;
    for (size_t i = 0; i < n; i++)
    {
        file_list_add(list, files[i].name, files[i].bytes, files[i].n);
    }
    char *bytes = file_list_end(TABLE_LIST_HEADING, list);
    files[n] = (struct file_bytes){TABLE_LIST_FILE, bytes, strlen(bytes)};
    bool written = files_replace(out, files, n + 1, why);
    free(bytes);
    return written;
}

/** The same, if need be without the database, which may have taken their room. */
static bool
write_first(struct tables *t, const char *out, struct text *list)
{
    char *why = NULL;
    bool written = write_tables(t, out, list, &why);
    if (!written && t->database)
    {
        abandon_database(t);
        t->why = why;
        why = NULL;
        free(text_take(list));
        written = write_tables(t, out, list, &why);
    }
    if (!written)
    {
        fprintf(stderr, "weft: error: %s\n", why);
    }
    free(why);
    return written;
}

/** Writes the list of tables anew with the database, whose line is added to @p list, and puts it in
 * its place. Where that cannot be there is none: a former one would answer for other runs. False
 * after a message. */
static bool
place_database(struct tables *t, const struct folder *top, const struct csv *aggregate,
               struct text *list)
{
    struct database_writer *w = t->database;
    bool good = w && database_add_csv(w, "aggregate", aggregate, &t->why);
    if (good)
    {
        t->database = NULL;
        good = database_finish(w, list, &t->why);
    }
    if (!good)
    {
        abandon_database(t);
        fprintf(stderr, "weft: error: %s; the CSV files are complete\n", t->why);
        file_drop(top, DATABASE_FILE);
    }
    return good;
}

/** False after a message. */
static bool
nothing_finished(const struct plan *plan, const char *out)
{
    fprintf(stderr, "weft: error: no run of %s is finished in %s; nothing is written\n",
            plan->doc->path, out);
    return false;
}

/** Reads all finished runs, once, then writes and prints, while nobody else does. */
static bool
write_locked(const struct plan *plan, const struct results_folder *r, const char *some)
{
    struct tables t = {.runs = xcalloc(plan->nruns, sizeof *t.runs)};
    struct text list = {0};
    size_t nkeys;
    struct database_key *keys = plan_keys(plan, &nkeys);
    bool complete = true;
    t.database = database_begin(&r->top, keys, nkeys, &t.why);
    add_header(&t.summary, plan, &summary_table);
    add_header(&t.layers, plan, &layers_table);
    add_header(&t.workloads, plan, &workloads_table);
    for (size_t i = 0; i < plan->nruns; i++)
    {
        complete = add_run(&t, plan, i, &r->runs) && complete;
    }
    struct csv *summary = cut_table(&t.summary, &summary_table), *aggregate = NULL;
    struct csv *workloads = cut_table(&t.workloads, &workloads_table);
    if (key_columns(plan, true) != key_columns(plan, false)) /* there are seeds */
    {
        aggregate_build(&t.aggregate, plan, summary, t.runs);
        aggregate = cut_table(&t.aggregate, &summary_table);
    }
    const bool written =
        (!some || t.nruns || nothing_finished(plan, some)) && write_first(&t, r->top.path, &list);
    complete = written && place_database(&t, &r->top, aggregate, &list) && complete;
    abandon_database(&t);
    if (written && t.nruns > 0)
    {
        print_tables(plan, summary, aggregate, workloads);
        summary_notes(plan, summary, t.runs, &r->runs);
    }
    if (written)
    {
        printf("%zu of %zu runs are in %s/summary.csv\n", t.nruns, plan->nruns, r->top.path);
    }
    csv_free(summary);
    csv_free(aggregate);
    csv_free(workloads);
    free(list.s);
    free(keys);
    free(t.why);
    free(t.runs);
    free(t.summary.s);
    free(t.layers.s);
    free(t.workloads.s);
    free(t.aggregate.s);
    return complete;
}

bool
summary_write(const struct plan *plan, const struct results_folder *r, const char *some)
{
    char *why = NULL;
    if (some && r->runs.fd < 0)
    {
        return nothing_finished(plan, some);
    }
    int lock = results_folder_lock_tables(r->top.path, &why);
    if (lock < 0)
    {
        sweep_refuse(why, 0);
        return false;
    }
    const bool good = write_locked(plan, r, some);
    close(lock);
    return good;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables over all runs of a sweep: results.sqlite, and the CSV files of it. */
#include "summary.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "columns.h"
#include "export.h"
#include "notes.h"
#include "provenance.h"
#include "shown-text.h"
#include "sweep-plan.h"

enum run_state
plan_run_state(const struct plan *plan, size_t i, const struct folder *runs, struct sqlite3 *db,
               char **why)
{
    CLEANUP(diag_free) struct diagnostics d = {.file = plan->doc->path};
    *why = NULL;
    if (!run_file_is_there(runs, plan->names[i]))
    {
        return RUN_TO_DO;
    }
    CLEANUP(scenario_drop) struct scenario *s = plan_load(plan, i, &d);
    OWNED char *resolved = s ? scenario_write(s, plan->names[i]) : NULL;
    OWNED char *code = s ? built_code(s) : NULL;
    return s ? run_file_state(db, runs, plan->names[i], resolved, code, why) : RUN_TO_DO;
}

/* --- one table of all runs -------------------------------------------------------------------- */

struct collected
{
    struct database_writer w;
    size_t nruns; /**< that are in it */
    char *why;    /**< it cannot be written */
};

/** Adds a run if it is finished; says why it is left out. */
static bool
add_run(struct collected *c, const struct plan *plan, size_t i, const struct folder *runs,
        bool speak)
{
    OWNED char *why = NULL;
    const char **cells = plan_cells(plan, i);
    const enum run_state state = plan_run_state(plan, i, runs, c->w.file.db, &why);
    const bool good =
        state != RUN_FINISHED || database_add_run(&c->w, i + 1, plan->names[i], cells, &c->why);
    c->nruns += state == RUN_FINISHED;
    if (why && speak)
    {
        print_shown(stderr, "weft: warning: %s is left out: %s\n", plan->names[i], why);
    }
    free(cells);
    return good;
}

/** Reads all finished runs, once, into a database in @p top, or in none, with what there is to say
 * of them. */
static bool
collect(struct collected *c, const struct plan *plan, const struct results_folder *r,
        const struct folder *top, bool speak)
{
    c->nruns = 0;
    bool good = database_begin(&c->w, top, plan->keys, plan->ncolumns, &c->why);
    for (size_t i = 0; good && i < plan->nruns; i++)
    {
        good = add_run(c, plan, i, &r->runs, speak);
    }
    return good && database_complete(&c->w, &c->why) && notes_write(plan, &c->w, &c->why);
}

/** Whether a table of samples has rows. Where it has none, one of a scenario that asked for them
 * may be there. */
static bool
has_samples(const struct collected *c, const struct folder *top, const struct column_table *table)
{
    OWNED char *select = xformat("SELECT 1 FROM \"%s\";", table->name);
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    const bool has = sqlite3_prepare_v2(c->w.file.db, select, -1, &s, NULL) == SQLITE_OK &&
                     sqlite3_step(s) == SQLITE_ROW;
    if (!has)
    {
        file_drop(top, table->file);
    }
    return has;
}

/** Writes the CSV files, all or none: those that help a reader, and what <measure> asks for. */
static bool
write_tables(const struct collected *c, const struct folder *top, char **why)
{
    const struct column_table *const tables[] = {&layers_table, &summary_table, &series_table,
                                                 &queues_table, &ports_table,   &balance_table};
    struct csv_source sources[7];
    struct file_writer files[7];
    char *selects[7] = {NULL};
    size_t n = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    {
        if (i < 2 || has_samples(c, top, tables[i]))
        {
            selects[n] = database_select(&c->w, tables[i]->name);
            sources[n] = (struct csv_source){c->w.file.db, selects[n], 1 + (int)c->w.nkeys};
            files[n] = (struct file_writer){tables[i]->file, csv_write, &sources[n]};
            n++;
        }
    }
    if (database_has_seeds(&c->w))
    {
        /* Seeds have no column of their own there. */
        sources[n] = (struct csv_source){c->w.file.db, "SELECT * FROM aggregate", (int)c->w.nkeys};
        files[n] = (struct file_writer){"aggregate.csv", csv_write, &sources[n]};
        n++;
    }
    const bool good = files_write(top, files, n, why);
    for (size_t i = 0; i < sizeof selects / sizeof *selects; i++)
    {
        free(selects[i]);
    }
    return good;
}

/** False after a message. */
static bool
nothing_finished(const struct plan *plan, const char *out)
{
    CLEANUP(folder_close) struct folder folder = NO_FOLDER;
    OWNED char *why = NULL;
    const bool is = folder_open(&folder, out, &why);
    print_shown(stderr, "weft: error: no run of %s is finished in %s%s%s; nothing is written\n",
                plan->doc->path, out, is ? "" : ": ", is ? "" : why);
    return false;
}

/** Collects and writes twice at most: where the database has no room in the results folder, the CSV
 * files may have it. */
static bool
collect_and_write(struct collected *c, const struct plan *plan, const struct results_folder *r,
                  const char *some)
{
    const struct folder *const in[] = {&r->top, NULL};
    char *first = NULL;
    bool written = false;
    for (int i = 0; i < 2 && !written; i++)
    {
        const bool good = collect(c, plan, r, in[i], i == 0);
        if (good && some && c->nruns == 0)
        {
            database_abandon(&c->w);
            return nothing_finished(plan, some);
        }
        written = good && write_tables(c, &r->top, &c->why);
        if (!written)
        {
            database_abandon(&c->w);
            free(first);
            first = c->why;
            c->why = NULL;
        }
    }
    c->why = first;
    if (!written)
    {
        print_shown(stderr, "weft: error: %s\n", c->why);
    }
    return written;
}

/** Puts the database in its place and opens it for reading. Where that cannot be there is none: a
 * former one would answer for other runs. */
static struct database *
place(struct collected *c, const struct folder *top, bool *placed)
{
    *placed = c->w.temporary && database_finish(&c->w, &c->why);
    if (!*placed)
    {
        print_shown(stderr, "weft: error: no results.sqlite: %s; the CSV files are complete\n",
                    c->why);
        file_drop(top, DATABASE_FILE);
    }
    return *placed        ? database_open_whole(top->path, &c->why)
           : c->w.file.db ? database_of(c->w.file.db, &c->why)
                          : NULL;
}

/** Reads all finished runs, then writes and prints, while nobody else does. */
static bool
write_locked(const struct plan *plan, const struct results_folder *r, const char *some)
{
    struct collected c = {0};
    bool placed = false;
    if (collect_and_write(&c, plan, r, some))
    {
        CLEANUP(database_drop) struct database *db = place(&c, &r->top, &placed);
        if (db && c.nruns > 0)
        {
            summary_print(db, &c.w);
        }
        print_shown(stdout, "%zu of %zu runs are in %s/summary.csv\n", c.nruns, plan->nruns,
                    r->top.path);
    }
    free(c.why);
    return placed;
}

bool
summary_write(const struct plan *plan, const struct results_folder *r, const char *some)
{
    OWNED char *why = NULL;
    if (some && r->runs.fd < 0)
    {
        return nothing_finished(plan, some);
    }
    CLEANUP(fd_drop) int lock = results_folder_lock_tables(r->top.path, &why);
    if (lock < 0)
    {
        print_shown(stderr, "weft: error: %s\n", why);
        return false;
    }
    return write_locked(plan, r, some);
}

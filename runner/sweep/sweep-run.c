/* SPDX-License-Identifier: GPL-2.0-only */
#include "sweep-run.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "input-file.h"
#include "mpi-ranks.h"
#include "results-folder.h"
#include "run-processes.h"
#include "shown-text.h"
#include "summary.h"
#include "textbuf.h"

#define MOST_STALE   10 /* runs named */
#define MOST_THREADS 8  /* of a run, unless it is said; more gain little */

/** Keeps the files that the scenario names: every run of the plan was loaded. */
static bool
keep_inputs(const struct results_folder *r, char **why)
{
    CLEANUP(folder_close) struct folder inputs = NO_FOLDER;
    const struct input_file *f = input_file_next(NULL);
    bool good = !f || folder_make_in(&inputs, &r->top, INPUT_FOLDER, why);
    for (; good && f; f = input_file_next(f))
    {
        OWNED char *name = input_file_copy_name(f->written);
        good = file_equals(&inputs, name, f->bytes, f->n) ||
               file_replace(inputs.path, name, f->bytes, f->n, why);
    }
    return good;
}

/** Keeps the scenario for later figures: the file, or the quick version that was made of it. */
static bool
keep_scenario(const struct plan *plan, const struct results_folder *r, char **why)
{
    const struct document *doc = plan->doc;
    const char *text = doc->quick ? doc->quick : doc->bytes;
    const size_t n = doc->quick ? strlen(text) : doc->size;
    return keep_inputs(r, why) && (file_equals(&r->top, "scenario.xml", text, n) ||
                                   file_replace(r->top.path, "scenario.xml", text, n, why));
}

/** Threads of each of @p at_once runs, of which a rank has but one unless it is said. */
static unsigned
thread_count(long threads, size_t at_once)
{
    if (ranks_get())
    {
        return threads > 0 ? (unsigned)threads : 1;
    }
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const long left = cores / (long)at_once;
    return (unsigned)(threads > 0           ? threads
                      : left < 1            ? 1
                      : left > MOST_THREADS ? MOST_THREADS
                                            : left);
}

/** @p fit: how many runs the memory holds at a time. */
static size_t
job_count(long jobs, size_t ndue, size_t fit)
{
    long cores = jobs > 0 ? jobs : sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = cores > 0 ? (size_t)cores : 1;
    n = n > ndue && ndue > 0 ? ndue : n;
    if (n > fit && jobs > 0)
    {
        fprintf(stderr,
                "weft: warning: %zu runs at a time may take more memory than there is; "
                "expected -j %zu at most\n",
                n, fit);
    }
    else if (n > fit)
    {
        fprintf(stderr, "%zu at a time, not %zu: the largest runs need the memory\n", fit, n);
        n = fit;
    }
    return n;
}

/** The runs that are to be done. */
struct due
{
    size_t *runs;
    char **stale; /**< of them: what has changed since they were made; NULL: they are not there */
    size_t n;
    size_t selected; /**< of which the others are finished */
};

/** Finds which of the selected runs still have to be done; @p speak: names what is damaged. False
 * with a sentence if something that is not Weft's is in the way of one, or cannot be read. Every
 * run was checked to load before. */
static bool
find_due(const struct plan *plan, const struct sweep_options *options, const struct folder *runs,
         bool speak, struct due *d, char **why)
{
    *d = (struct due){.runs = xcalloc(plan->nruns, sizeof *d->runs),
                      .stale = xcalloc(plan->nruns, sizeof *d->stale)};
    struct sqlite3 *db = run_file_reader();
    bool good = true;
    for (size_t i = 0; good && i < plan->nruns; i++)
    {
        char *reason = NULL;
        if (!run_is_selected(options, plan->names[i]))
        {
            continue;
        }
        d->selected++;
        const enum run_state state =
            options->again ? RUN_TO_DO : plan_run_state(plan, i, runs, db, &reason);
        if (speak && state == RUN_DAMAGED)
        {
            print_shown(stderr, "weft: %s is run again, as it is damaged: %s\n", plan->names[i],
                        reason);
        }
        if (state == RUN_FINISHED)
        {
            continue;
        }
        good = runs->fd < 0 || run_file_may_be_made(runs, plan->names[i], why);
        if (good && state == RUN_UNREADABLE)
        {
            good = false;
            *why = reason;
            reason = NULL;
        }
        if (state != RUN_STALE)
        {
            free(reason);
            reason = NULL;
        }
        d->stale[d->n] = reason;
        d->runs[d->n++] = i;
    }
    sqlite3_close(db);
    return good;
}

static void
free_due(struct due *d)
{
    for (size_t i = 0; i < d->n; i++)
    {
        free(d->stale[i]);
    }
    free(d->runs);
    free(d->stale);
}

/** Says which runs are made again because their scenario, or Weft's tables, have changed. */
static void
say_what_is_stale(const struct plan *plan, const struct due *due)
{
    size_t n = 0;
    for (size_t i = 0; i < due->n; i++)
    {
        n += due->stale[i] != NULL;
        if (due->stale[i] && n <= MOST_STALE)
        {
            print_shown(stderr, "stale: %s: %s\n", plan->names[due->runs[i]], due->stale[i]);
        }
    }
    if (n > MOST_STALE)
    {
        fprintf(stderr, "stale: %zu more\n", n - MOST_STALE);
    }
}

/** Runs what is due; the number of runs that failed. */
static size_t
run_due(const struct plan *plan, const struct sweep_options *options, const struct due *due,
        const struct folder *runs, size_t fit)
{
    if (due->n < due->selected)
    {
        fprintf(stderr, "%zu of %zu runs are finished already\n", due->selected - due->n,
                due->selected);
    }
    say_what_is_stale(plan, due);
    const size_t at_once = ranks_get() ? 1 : job_count(options->jobs, due->n, fit);
    const struct engine_task task = {.plan = plan,
                                     .runs = runs,
                                     .due = due->runs,
                                     .ndue = due->n,
                                     .before = due->selected - due->n,
                                     .at_once = at_once,
                                     .threads = thread_count(options->threads, at_once),
                                     .log_interval = options->log_interval,
                                     .whole = options->whole};
    return task.ndue ? engine_run(&task) : 0;
}

/** The name of the scenario that a results folder keeps, NULL if it is not known. */
static char *
kept_name(const struct folder *top)
{
    CLEANUP(diag_free) struct diagnostics d = {.file = "scenario.xml"};
    OWNED char *why = NULL;
    size_t n;
    OWNED char *bytes = top->fd < 0 ? NULL : file_read(top, d.file, &n, &why);
    CLEANUP(document_drop)
    struct document *doc = bytes ? document_parse(d.file, bytes, n, &d) : NULL;
    const char *name = doc ? element_value(doc->root, "name") : NULL;
    return name ? xstrdup(name) : NULL;
}

/** Whether the folder holds no run of another scenario that this one would replace, now or with its
 * next runs; else a sentence. */
static bool
spares_others(const struct plan *plan, const struct sweep_options *options,
              const struct results_folder *r, char **why)
{
    if (options->again)
    {
        return true;
    }
    OWNED char *kept = kept_name(&r->top);
    bool good = true, same = !kept || strcmp(kept, plan->name) == 0;
    struct sqlite3 *db = run_file_reader();
    for (size_t i = 0; good && !same && i < plan->nruns; i++)
    {
        OWNED char *ignored = NULL;
        const enum run_state state = plan_run_state(plan, i, &r->runs, db, &ignored);
        good = state == RUN_TO_DO || state == RUN_FINISHED;
        if (!good)
        {
            *why = xformat("%s holds results of the scenario '%s', and '%s' would replace its %s; "
                           "expected another folder with --out, or --again to replace them",
                           r->top.path, kept, plan->name, plan->names[i]);
        }
    }
    sqlite3_close(db);
    return good;
}

/** Whether what is to be done harms no other results and fits the memory; nothing is made for it.
 */
static bool
check_due(const struct plan *plan, const struct sweep_options *options, const char *out,
          size_t *fit)
{
    struct results_folder r;
    struct due due;
    char *why = NULL;
    results_folder_open(&r, out);
    bool good = find_due(plan, options, &r.runs, false, &due, &why) &&
                        spares_others(plan, options, &r, &why)
                    ? cost_check_runs(plan, options, due.runs, due.n, fit)
                    : sweep_refuse(why, 0);
    results_folder_close(&r);
    free_due(&due);
    return good;
}

/** Removes what dead processes have left among the runs, and, with the other lock, beside them. */
static bool
clean(const struct results_folder *r, char **why)
{
    int lock = results_folder_lock_tables(r->top.path, why);
    if (lock >= 0)
    {
        close(lock);
        run_files_clean(&r->runs);
    }
    return lock >= 0;
}

/** Whether the folder is this scenario's already, or may become it while nobody else works there:
 * single runs share the lock of runs, and two scenarios may begin in one new folder. */
static bool
is_ours_or_free(const struct plan *plan, const struct results_folder *r, int lock, char **why)
{
    OWNED char *kept = kept_name(&r->top);
    const bool good = !kept || strcmp(kept, plan->name) == 0 || flock(lock, LOCK_EX | LOCK_NB) == 0;
    if (!good)
    {
        *why = xformat("another weft works in %s, for the scenario '%s'; expected it to end first, "
                       "or another folder with --out",
                       r->top.path, kept);
    }
    return good;
}

/** Makes the folder this scenario's, now that it is locked: what was seen before may be over. An
 * exit status, after a message. */
static int
claim(const struct plan *plan, const struct sweep_options *options, const struct results_folder *r,
      int lock)
{
    char *why = NULL;
    if (!is_ours_or_free(plan, r, lock, &why) || !spares_others(plan, options, r, &why))
    {
        return sweep_refuse(why, EXIT_BAD_INPUT);
    }
    if (!keep_scenario(plan, r, &why))
    {
        return sweep_refuse(why, EXIT_FAILED);
    }
    if (options->nruns)
    {
        flock(lock, LOCK_SH); /* further single runs may come, if is_ours_or_free() kept them out */
    }
    return EXIT_GOOD;
}

/** Locks the folder's runs and makes it this scenario's, all under the lock of tables: of single
 * runs that begin together each waits for the one that names the folder. Others take these locks in
 * the other order, which is safe as nobody waits for that of runs. An exit status, after a message.
 */
static int
lock_and_claim(const struct plan *plan, const struct sweep_options *options,
               const struct results_folder *r, int *lock)
{
    char *why = NULL;
    CLEANUP(fd_drop) const int tables = results_folder_lock_tables(r->top.path, &why);
    *lock = tables < 0 ? -1 : results_folder_lock_runs(r, options->nruns > 0, &why);
    return *lock < 0 ? sweep_refuse(why, EXIT_FAILED) : claim(plan, options, r, *lock);
}

/** Runs in a folder that is locked. An exit status. */
static int
run_locked(const struct plan *plan, const struct sweep_options *options,
           const struct results_folder *r, size_t fit)
{
    struct due due = {0};
    char *why = NULL;
    int status = EXIT_GOOD;
    if (!options->nruns && !clean(r, &why))
    {
        status = sweep_refuse(why, EXIT_FAILED);
    }
    else if (!find_due(plan, options, &r->runs, true, &due, &why))
    {
        status = sweep_refuse(why, EXIT_BAD_INPUT);
    }
    else
    {
        size_t failed = run_due(plan, options, &due, &r->runs, fit);
        bool written = options->nruns || summary_write(plan, r, NULL);
        status = failed || !written ? EXIT_FAILED : EXIT_GOOD;
        if (failed && !sweep_was_interrupted())
        {
            fprintf(stderr, "weft: error: not every run ended well; the same command tries again "
                            "what is not finished\n");
        }
    }
    free_due(&due);
    return status;
}

/** Opens, locks, runs. An exit status. */
static int
run_in(const struct plan *plan, const struct sweep_options *options, const char *out)
{
    struct results_folder r;
    char *why = NULL;
    CLEANUP(fd_drop) int lock = -1;
    int status;
    size_t fit;
    if (!results_folder_is_ours(out, &why))
    {
        return sweep_refuse(why, EXIT_BAD_INPUT);
    }
    if (!check_due(plan, options, out, &fit))
    {
        return EXIT_BAD_INPUT;
    }
    status = results_folder_make(&r, out, &why) ? lock_and_claim(plan, options, &r, &lock)
                                                : sweep_refuse(why, EXIT_FAILED);
    if (status == EXIT_GOOD)
    {
        status = run_locked(plan, options, &r, fit);
    }
    results_folder_close(&r);
    return status;
}

int
sweep_run(const struct plan *plan, const struct sweep_options *options)
{
    if (!sweep_any_selected(plan, options))
    {
        return EXIT_BAD_INPUT;
    }
    if (ranks_helps())
    {
        return child_help(plan, thread_count(options->threads, 1));
    }
    OWNED char *out = results_folder(plan, options->out);
    int status = run_in(plan, options, out);
    ranks_end();
    return status;
}

size_t
sweep_count_due(const struct plan *plan, const struct sweep_options *options)
{
    OWNED char *out = results_folder(plan, options->out), *why = NULL;
    struct results_folder r;
    struct due due;
    results_folder_open(&r, out);
    find_due(plan, options, &r.runs, false, &due, &why);
    results_folder_close(&r);
    free_due(&due);
    return due.n;
}

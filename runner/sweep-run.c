/* SPDX-License-Identifier: GPL-2.0-only */
#include "sweep-run.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cost.h"
#include "files.h"
#include "provenance.h"
#include "run-folder.h"
#include "summary.h"
#include "sweep-engine.h"
#include "textbuf.h"

#define MOST_STALE 10 /* runs named */

char *
results_folder(const struct plan *plan, const char *out)
{
    return out ? xstrdup(out) : xformat("results/%s", plan->name);
}

bool
run_is_selected(const struct sweep_options *options, const char *name)
{
    if (options->run)
    {
        return strcmp(options->run, name) == 0;
    }
    if (!options->only)
    {
        return true;
    }
    return strpbrk(options->only, "*?[") ? fnmatch(options->only, name, 0) == 0
                                         : strstr(name, options->only) != NULL;
}

/** Whether run @p i still has to be done. Every run was checked to load before. */
static bool
is_due(const struct plan *plan, const struct sweep_options *options, const char *runs, size_t i)
{
    char *name = plan_run_name(plan, i);
    bool due = run_is_selected(options, name);
    if (due && !options->again)
    {
        due = !plan_run_finished(plan, i, runs);
    }
    free(name);
    return due;
}

/* --- the whole -------------------------------------------------------------------------------- */

/** One sweep per results folder; single runs (run-one) share it. -1 after a message. */
static int
lock_results(const char *out, bool shared)
{
    char *path = xformat("%s/.lock", out);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
    {
        fprintf(stderr, "weft: error: cannot write %s: %s\n", path, strerror(errno));
    }
    else if (flock(fd, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0)
    {
        fprintf(stderr,
                "weft: error: another weft works in %s (it holds %s); expected it to end first, or "
                "another folder with --out\n",
                out, path);
        close(fd);
        fd = -1;
    }
    free(path);
    return fd;
}

/** Makes the folders and keeps the scenario for later figures. */
static bool
prepare(const struct plan *plan, const char *out, const char *runs)
{
    char *why = NULL;
    bool good = folder_make(runs, &why);
    if (good && !file_equals(out, "scenario.xml", plan->doc->bytes, plan->doc->size))
    {
        good = file_replace(out, "scenario.xml", plan->doc->bytes, plan->doc->size, &why);
    }
    if (!good)
    {
        fprintf(stderr, "weft: error: %s\n", why);
    }
    free(why);
    return good;
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

/** The runs that are to be done, in order, and how many are selected. The caller frees them. */
static size_t *
find_due(const struct plan *plan, const struct sweep_options *options, const char *runs,
         size_t *ndue, size_t *selected)
{
    size_t *due = xcalloc(plan->nruns, sizeof *due);
    *ndue = *selected = 0;
    for (size_t i = 0; i < plan->nruns; i++)
    {
        char *name = plan_run_name(plan, i);
        *selected += run_is_selected(options, name);
        free(name);
        if (is_due(plan, options, runs, i))
        {
            due[(*ndue)++] = i;
        }
    }
    return due;
}

/** Says which runs are made again because their scenario has changed. */
static void
say_what_is_stale(const struct plan *plan, const char *runs, const size_t *due, size_t ndue)
{
    size_t n = 0;
    for (size_t i = 0; i < ndue; i++)
    {
        char *name = plan_run_name(plan, due[i]);
        char *reason = plan_run_stale(plan, due[i], runs);
        n += reason != NULL;
        if (reason && n <= MOST_STALE)
        {
            fprintf(stderr, "stale: %s: %s\n", name, reason);
        }
        free(reason);
        free(name);
    }
    if (n > MOST_STALE)
    {
        fprintf(stderr, "stale: %zu more\n", n - MOST_STALE);
    }
}

/** Runs what is due; the number of runs that failed. */
static size_t
run_due(const struct plan *plan, const struct sweep_options *options, char *runs, size_t fit)
{
    struct engine_task task = {
        .plan = plan, .runs = runs, .whole = options->whole, .log_interval = options->log_interval};
    size_t selected;
    size_t *due = find_due(plan, options, runs, &task.ndue, &selected);
    if (task.ndue < selected)
    {
        fprintf(stderr, "%zu of %zu runs are finished already\n", selected - task.ndue, selected);
    }
    if (!options->again)
    {
        say_what_is_stale(plan, runs, due, task.ndue);
    }
    task.due = due;
    task.at_once = job_count(options->jobs, task.ndue, fit);
    size_t failed = task.ndue ? engine_run(&task) : 0;
    free(due);
    return failed;
}

static bool
any_selected(const struct plan *plan, const struct sweep_options *options)
{
    for (size_t i = 0; i < plan->nruns; i++)
    {
        char *name = plan_run_name(plan, i);
        bool selected = run_is_selected(options, name);
        free(name);
        if (selected)
        {
            return true;
        }
    }
    fprintf(stderr, "weft: error: no run matches '%s'; 'weft sweep %s --dry-run' lists them\n",
            options->run ? options->run : options->only, plan->doc->path);
    return false;
}

/** Whether the runs that are to be done fit the memory; nothing is made for it. */
static bool
check_memory(const struct plan *plan, const struct sweep_options *options, size_t *fit)
{
    char *out = results_folder(plan, options->out);
    char *runs = xformat("%s/runs", out);
    size_t ndue, selected;
    size_t *due = find_due(plan, options, runs, &ndue, &selected);
    bool good = cost_check_runs(plan, options, due, ndue, fit);
    free(due);
    free(runs);
    free(out);
    return good;
}

int
sweep_run(const struct plan *plan, const struct sweep_options *options)
{
    size_t fit;
    if (!any_selected(plan, options) || !check_memory(plan, options, &fit))
    {
        return EXIT_BAD_INPUT;
    }
    char *out = results_folder(plan, options->out);
    char *runs = xformat("%s/runs", out);
    int status = EXIT_FAILED;
    char *why = NULL;
    int lock = -1;
    if (!folder_make(out, &why))
    {
        fprintf(stderr, "weft: error: %s\n", why);
    }
    else if ((lock = lock_results(out, options->run != NULL)) >= 0 && prepare(plan, out, runs))
    {
        if (!options->run)
        {
            run_folders_clean(runs);
            folder_forget_temporary(out);
        }
        size_t failed = run_due(plan, options, runs, fit);
        bool written = options->run || summary_write(plan, out);
        status = failed || !written ? EXIT_FAILED : EXIT_GOOD;
        if (failed)
        {
            fprintf(stderr, "weft: error: not every run ended well; the same command tries again "
                            "what is not finished\n");
        }
    }
    if (lock >= 0)
    {
        close(lock);
    }
    free(why);
    free(runs);
    free(out);
    return status;
}

size_t
sweep_count_due(const struct plan *plan, const struct sweep_options *options)
{
    char *out = results_folder(plan, options->out);
    char *runs = xformat("%s/runs", out);
    size_t n = 0;
    for (size_t i = 0; i < plan->nruns; i++)
    {
        n += is_due(plan, options, runs, i);
    }
    free(runs);
    free(out);
    return n;
}

int
sweep_dry_run(const struct plan *plan, const struct sweep_options *options)
{
    if (!any_selected(plan, options))
    {
        return EXIT_BAD_INPUT;
    }
    char *out = results_folder(plan, options->out);
    char *runs = xformat("%s/runs", out);
    for (size_t i = 0; i < plan->nruns; i++)
    {
        char *name = plan_run_name(plan, i);
        if (run_is_selected(options, name))
        {
            char *stale = plan_run_stale(plan, i, runs);
            bool finished = plan_run_finished(plan, i, runs);
            printf("%-8s  %s%s%s\n",
                   finished ? "finished"
                   : stale  ? "stale"
                            : "to do",
                   name, stale ? ": " : "", stale ? stale : "");
            free(stale);
        }
        free(name);
    }
    free(runs);
    free(out);
    return EXIT_GOOD;
}

/** The command of one run, as a shell reads it. */
static char *
run_command(const struct plan *plan, const char *out, const struct plan_options *sets,
            const char *name)
{
    const char *command = getenv("WEFT_COMMAND");
    struct text t = {0};
    add_shell_word(&t, command ? command : "weft");
    text_add(&t, " run-one %s", *plan->doc->path == '-' ? "./" : ""); /* no option */
    add_shell_word(&t, plan->doc->path);
    text_add(&t, " --run ");
    add_shell_word(&t, name);
    text_add(&t, " --out ");
    add_shell_word(&t, out);
    for (size_t k = 0; k < sets->nsets; k++)
    {
        text_add(&t, " --set ");
        add_shell_word(&t, sets->sets[k]);
    }
    if (sets->scheduler)
    {
        text_add(&t, " --scheduler ");
        add_shell_word(&t, sets->scheduler);
    }
    return text_take(&t);
}

int
sweep_print_plan(const struct plan *plan, const struct sweep_options *options,
                 const struct plan_options *sets)
{
    if (!any_selected(plan, options))
    {
        return EXIT_BAD_INPUT;
    }
    char *out = results_folder(plan, options->out);
    bool good = true;
    for (size_t i = 0; good && i < plan->nruns; i++)
    {
        char *name = plan_run_name(plan, i);
        if (run_is_selected(options, name))
        {
            char *line = run_command(plan, out, sets, name);
            good = !strchr(line, '\n');
            const char *more = options->exceed_memory ? " --exceed-memory" : "";
            printf("%s%s%s", good ? line : "", good ? more : "", good ? "\n" : "");
            free(line);
        }
        free(name);
    }
    if (!good)
    {
        fprintf(stderr,
                "weft: error: a line end in a name or value; expected none in a plan, which "
                "is read line by line\n");
    }
    free(out);
    return good ? EXIT_GOOD : EXIT_BAD_INPUT;
}

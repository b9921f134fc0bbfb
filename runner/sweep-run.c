/* SPDX-License-Identifier: GPL-2.0-only */
#define _GNU_SOURCE /* pipe2 */
#include "sweep-run.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "progress.h"
#include "provenance.h"
#include "run-child.h"
#include "run-folder.h"
#include "summary.h"
#include "textbuf.h"

/** Set by Ctrl-C or a polite kill. */
static volatile sig_atomic_t interrupted;

struct slot
{
    pid_t pid; /**< 0: free */
    size_t run;
    double done;
    char *last_words; /**< of its final report */
};

struct engine
{
    const struct plan *plan;
    char *runs;
    struct slot *slots;
    size_t nslots, running;
    struct progress progress;
    const struct progress_whole *whole;
    int pipe[2];
    sigset_t outside; /**< the signals that are blocked when no sweep runs */
    size_t failed;
    bool stop; /**< results cannot be written: start nothing more */
};

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

/* --- children --------------------------------------------------------------------------------- */

static struct slot *
slot_of(struct engine *e, pid_t pid, size_t run, bool by_run)
{
    for (size_t i = 0; i < e->nslots; i++)
    {
        struct slot *s = &e->slots[i];
        if (s->pid && (by_run ? s->run == run : s->pid == pid))
        {
            return s;
        }
    }
    return NULL;
}

static void
take_report(struct engine *e, const struct report *r)
{
    struct slot *s = slot_of(e, 0, r->run, true);
    if (!s)
    {
        return;
    }
    s->done = r->done;
    if (r->kind == REPORT_WARNING)
    {
        char *name = plan_run_name(e->plan, r->run);
        progress_line(&e->progress, "weft: warning: %s: %s", name, r->text);
        free(name);
    }
    else if (r->kind != REPORT_PROGRESS)
    {
        free(s->last_words);
        s->last_words = xformat("%s%s", r->kind == REPORT_FAILED ? "error: " : "", r->text);
    }
}

/** Waits for a report, the end of a child, an interrupt, or so long; takes what reports there are.
 */
static void
take_reports(struct engine *e, long timeout_ms)
{
    struct pollfd fd = {e->pipe[0], POLLIN, 0};
    struct timespec timeout = {0, timeout_ms * 1000000};
    struct report r;
    while (ppoll(&fd, 1, &timeout, &e->outside) > 0 &&
           read(e->pipe[0], &r, sizeof r) == (ssize_t)sizeof r)
    {
        take_report(e, &r);
        timeout.tv_nsec = 0;
    }
}

static void
child_ended(struct engine *e, struct slot *s, int status)
{
    char *name = plan_run_name(e->plan, s->run);
    e->progress.ended++;
    if (WIFSIGNALED(status))
    {
        free(s->last_words);
        s->last_words = xformat("error: killed by signal %d (%s)", WTERMSIG(status),
                                strsignal(WTERMSIG(status)));
    }
    else if (!s->last_words)
    {
        s->last_words = xformat("error: the process ended with status %d", WEXITSTATUS(status));
    }
    progress_line(&e->progress, "[%zu/%zu] %s: %s", e->progress.ended, e->progress.total, name,
                  s->last_words);
    e->failed += status != 0;
    e->stop = e->stop || (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_CANNOT_WRITE);
    e->running--;
    free(s->last_words);
    *s = (struct slot){0};
    free(name);
}

static void
reap(struct engine *e)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
    {
        struct slot *s = slot_of(e, pid, 0, false);
        take_reports(e, 0); /* its last report was written before it ended */
        if (s)
        {
            child_ended(e, s, status);
        }
    }
}

static bool
start_next(struct engine *e, size_t run)
{
    for (size_t i = 0; i < e->nslots; i++)
    {
        if (e->slots[i].pid == 0)
        {
            pid_t pid = child_start(e->plan, run, e->runs, e->pipe[1], &e->outside);
            if (pid < 0)
            {
                progress_line(&e->progress, "weft: error: cannot start a process: %s",
                              strerror(errno));
                return false;
            }
            e->slots[i] = (struct slot){pid, run, 0, NULL};
            e->running++;
            return true;
        }
    }
    return false;
}

static double
share_running(const struct engine *e)
{
    double sum = 0;
    for (size_t i = 0; i < e->nslots; i++)
    {
        sum += e->slots[i].pid ? e->slots[i].done : 0;
    }
    return sum;
}

static void
wait_a_while(struct engine *e)
{
    take_reports(e, 50);
    reap(e);
    progress_draw(&e->progress, share_running(e), e->running);
}

static void
on_signal(int number)
{
    if (number != SIGCHLD)
    {
        interrupted = number;
    }
}

static void
handle_signals(void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGCHLD, &action, NULL);
}

/** Signals come only while take_reports() waits, so that it misses none: a core must not stand idle
 * for the rest of the wait after a run has ended. */
static void
catch_signals(struct engine *e)
{
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGINT);
    sigaddset(&ours, SIGTERM);
    sigaddset(&ours, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ours, &e->outside);
    handle_signals(on_signal);
}

/** One that is pending is still ours. */
static void
release_signals(struct engine *e)
{
    sigprocmask(SIG_SETMASK, &e->outside, NULL);
    handle_signals(SIG_DFL);
}

/** Ends the runs under way: what they have written so far is temporary. */
static void
abandon(struct engine *e)
{
    for (size_t i = 0; i < e->nslots; i++)
    {
        if (e->slots[i].pid)
        {
            kill(e->slots[i].pid, SIGKILL);
            waitpid(e->slots[i].pid, NULL, 0);
            free(e->slots[i].last_words);
            e->slots[i] = (struct slot){0};
            e->failed++;
        }
    }
    e->running = 0;
    run_folders_clean(e->runs);
}

static void
work(struct engine *e, const size_t *due, size_t ndue)
{
    progress_start(&e->progress, ndue, e->whole);
    catch_signals(e);
    for (size_t next = 0; next < ndue && !e->stop && !interrupted; next++)
    {
        while (e->running == e->nslots && !interrupted)
        {
            wait_a_while(e);
        }
        if (!e->stop && !interrupted && !start_next(e, due[next]))
        {
            e->failed++;
            break;
        }
    }
    while (e->running > 0 && !interrupted)
    {
        wait_a_while(e);
    }
    release_signals(e);
    progress_end(&e->progress);
    if (interrupted)
    {
        abandon(e);
        e->failed++;
        fprintf(stderr, "weft: interrupted; what is finished is kept\n");
    }
    else if (e->stop)
    {
        fprintf(stderr, "weft: error: results cannot be written; %zu runs were not started\n",
                ndue - e->progress.ended);
    }
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

static size_t
job_count(long jobs, size_t ndue)
{
    long cores = jobs > 0 ? jobs : sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = cores > 0 ? (size_t)cores : 1;
    return n > ndue && ndue > 0 ? ndue : n;
}

/** Runs what is due; the number of runs that failed. */
static size_t
run_due(const struct plan *plan, const struct sweep_options *options, char *runs)
{
    struct engine e = {.plan = plan, .runs = runs, .whole = options->whole};
    size_t *due = xcalloc(plan->nruns, sizeof *due);
    size_t ndue = 0, selected = 0;
    for (size_t i = 0; i < plan->nruns; i++)
    {
        char *name = plan_run_name(plan, i);
        selected += run_is_selected(options, name);
        free(name);
        if (is_due(plan, options, runs, i))
        {
            due[ndue++] = i;
        }
    }
    if (ndue < selected)
    {
        fprintf(stderr, "%zu of %zu runs are finished already\n", selected - ndue, selected);
    }
    e.nslots = job_count(options->jobs, ndue);
    e.slots = xcalloc(e.nslots, sizeof *e.slots);
    if (ndue > 0 && pipe2(e.pipe, O_CLOEXEC) != 0)
    {
        fprintf(stderr, "weft: error: cannot make a pipe: %s\n", strerror(errno));
        e.failed = ndue;
    }
    else if (ndue > 0)
    {
        work(&e, due, ndue);
        close(e.pipe[0]);
        close(e.pipe[1]);
    }
    free(e.slots);
    free(due);
    return e.failed + (e.stop ? 1 : 0);
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

int
sweep_run(const struct plan *plan, const struct sweep_options *options)
{
    if (!any_selected(plan, options))
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
        size_t failed = run_due(plan, options, runs);
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

bool
sweep_was_interrupted(void)
{
    return interrupted != 0;
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
            printf("%-8s  %s\n", plan_run_finished(plan, i, runs) ? "finished" : "to do", name);
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
            printf("%s%s", good ? line : "", good ? "\n" : "");
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

/* SPDX-License-Identifier: GPL-2.0-only */
#define _GNU_SOURCE /* pipe2 */
#include "run-processes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "mpi-ranks.h"
#include "progress.h"
#include "run-file.h"
#include "shown-text.h"
#include "sweep-run.h"
#include "textbuf.h"

/** Between two flushes of the folder of runs. */
#define FLUSH_SECONDS 1.0

/** Set by Ctrl-C or a polite kill. */
static volatile sig_atomic_t interrupted;

/** Set by SIGUSR1. */
static volatile sig_atomic_t asked;

struct engine
{
    const struct engine_task *task;
    struct run_status *slots; /**< task->at_once of them */
    size_t running;
    struct progress progress;
    int pipe[2];
    sigset_t outside; /**< the signals that are blocked when no sweep runs */
    size_t failed;
    double logged;  /**< clock_seconds() of the last line */
    double flushed; /**< the same of the last time that the folder of runs was flushed */
    bool stop;      /**< results cannot be written: start nothing more */
};

/* --- children --------------------------------------------------------------------------------- */

static struct run_status *
slot_of(struct engine *e, pid_t pid, size_t run, bool by_run)
{
    for (size_t i = 0; i < e->task->at_once; i++)
    {
        struct run_status *s = &e->slots[i];
        if (s->pid && (by_run ? s->run == run : s->pid == pid))
        {
            return s;
        }
    }
    return NULL;
}

static void
say_where(struct engine *e, const struct run_status *s)
{
    CLEANUP(text_drop) struct text t = {0};
    run_status_add(&t, s);
    progress_line(&e->progress, "%s", t.s);
}

/** Now and then a line for whoever reads a log: a terminal has a bar. */
static void
log_progress(struct engine *e)
{
    if (e->progress.terminal || e->task->log_interval == 0 || e->running == 0 ||
        clock_seconds() - e->logged < (double)e->task->log_interval)
    {
        return;
    }
    CLEANUP(text_drop) struct text t = {0};
    run_status_add_all(&t, e->slots, e->task->at_once);
    progress_line(&e->progress, "[%zu/%zu] %s", e->progress.ended, e->progress.total, t.s);
    e->logged = clock_seconds();
}

static void
take_report(struct engine *e, const struct report *r)
{
    struct run_status *s = slot_of(e, 0, r->run, true);
    if (!s)
    {
        return;
    }
    s->progress = r->progress;
    if (r->kind == REPORT_ASKED)
    {
        say_where(e, s);
    }
    else if (r->kind == REPORT_WARNING)
    {
        progress_line(&e->progress, "weft: warning: %s: %s", s->name, r->text);
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

/** Has the disk know which runs are finished, a second later at most while others end: for short
 * ones that takes as long as all else. */
static void
flush_finished(struct engine *e, bool at_once)
{
    OWNED char *why = NULL;
    const double now = clock_seconds();
    if (e->task->runs->fd < 0 || (!at_once && now - e->flushed < FLUSH_SECONDS))
    {
        return;
    }
    e->flushed = now;
    if (!folder_flush(e->task->runs, &why))
    {
        print_shown(stderr, "weft: error: %s\n", why);
        e->stop = true;
    }
}

static void
child_ended(struct engine *e, struct run_status *s, int status)
{
    e->progress.ended++;
    if (WIFSIGNALED(status))
    {
        free(s->last_words);
        s->last_words = xformat(
            "error: killed by signal %d (%s)%s", WTERMSIG(status), strsignal(WTERMSIG(status)),
            WTERMSIG(status) == SIGKILL ? "; perhaps by the system, for want of memory" : "");
    }
    else if (!s->last_words)
    {
        s->last_words = xformat("error: the process ended with status %d", WEXITSTATUS(status));
    }
    progress_line(&e->progress, "[%zu/%zu] %s: %s", e->progress.ended, e->progress.total, s->name,
                  s->last_words);
    e->failed += status != 0;
    if (status != 0)
    {
        run_file_forget(e->task->runs, s->name); /* it may have ended without a word */
    }
    e->stop = e->stop || (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_CANNOT_WRITE);
    e->running--;
    free(s->last_words);
    *s = (struct run_status){0};
    flush_finished(e, false);
}

static void
reap(struct engine *e)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
    {
        struct run_status *s = slot_of(e, pid, 0, false);
        take_reports(e, 0); /* its last report was written before it ended */
        if (s)
        {
            child_ended(e, s, status);
        }
    }
}

/** The file of a run's results, or 0. */
static ino_t
file_of(const struct engine *e, const char *run)
{
    OWNED char *file = run_file_name(run);
    struct stat st;
    return fstatat(e->task->runs->fd, file, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_ino : 0;
}

static bool
start_next(struct engine *e, size_t run)
{
    for (size_t i = 0; i < e->task->at_once; i++)
    {
        if (e->slots[i].pid == 0)
        {
            const char *name = e->task->plan->names[run];
            const ino_t before = file_of(e, name);
            pid_t pid = child_start(e->task->plan, run, e->task->runs, e->task->threads, e->pipe[1],
                                    &e->outside);
            if (pid < 0)
            {
                progress_line(&e->progress, "weft: error: cannot start a process: %s",
                              strerror(errno));
                return false;
            }
            e->slots[i] =
                (struct run_status){.pid = pid, .run = run, .name = name, .before = before};
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
    for (size_t i = 0; i < e->task->at_once; i++)
    {
        sum += e->slots[i].pid ? e->slots[i].progress.done : 0;
    }
    return sum;
}

static void
wait_a_while(struct engine *e)
{
    take_reports(e, 50);
    reap(e);
    for (size_t i = 0; asked && i < e->task->at_once; i++)
    {
        if (e->slots[i].pid)
        {
            say_where(e, &e->slots[i]);
        }
    }
    asked = 0;
    log_progress(e);
    progress_draw(&e->progress, share_running(e), e->running);
}

static void
on_signal(int number)
{
    if (number == SIGUSR1)
    {
        asked = 1;
    }
    else if (number != SIGCHLD)
    {
        interrupted = number;
    }
}

/** Signals that a sweep listens to. */
static const int heard[] = {SIGINT, SIGTERM, SIGCHLD, SIGUSR1};

static void
handle_signals(void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    for (size_t i = 0; i < sizeof heard / sizeof *heard; i++)
    {
        /* SIGUSR1 never ends a sweep. */
        action.sa_handler = handler == SIG_DFL && heard[i] == SIGUSR1 ? SIG_IGN : handler;
        sigaction(heard[i], &action, NULL);
    }
}

/** Signals come only while take_reports() waits, so that it misses none: a core must not stand idle
 * for the rest of the wait after a run has ended. */
static void
catch_signals(struct engine *e)
{
    sigset_t ours;
    sigemptyset(&ours);
    for (size_t i = 0; i < sizeof heard / sizeof *heard; i++)
    {
        sigaddset(&ours, heard[i]);
    }
    sigprocmask(SIG_BLOCK, &ours, &e->outside);
    handle_signals(on_signal);
}

/** Ends the runs under way: what they have written so far is temporary. Returns how many were done,
 * though nobody had heard of it yet. */
static size_t
abandon(struct engine *e)
{
    size_t done = 0;
    for (size_t i = 0; i < e->task->at_once; i++)
    {
        struct run_status *s = &e->slots[i];
        if (s->pid)
        {
            kill(s->pid, SIGKILL);
            waitpid(s->pid, NULL, 0);
            run_file_forget(e->task->runs, s->name);
            const ino_t now = file_of(e, s->name);
            done += now != 0 && now != s->before;
            free(s->last_words);
            *s = (struct run_status){0};
            e->failed++;
        }
    }
    e->running = 0;
    return done;
}

static void
say_what_was_stopped(const struct engine *e)
{
    if (e->stop)
    {
        fprintf(stderr, "weft: error: results cannot be written; %zu runs were not started\n",
                e->task->ndue - e->progress.ended);
    }
}

static void
work(struct engine *e)
{
    const size_t *due = e->task->due, ndue = e->task->ndue;
    progress_start(&e->progress, ndue, e->task->whole);
    e->logged = clock_seconds();
    catch_signals(e);
    for (size_t next = 0; next < ndue && !e->stop && !interrupted; next++)
    {
        while (e->running == e->task->at_once && !interrupted)
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
    sigprocmask(SIG_SETMASK, &e->outside, NULL); /* one that is pending is still ours */
    handle_signals(SIG_DFL);
    progress_end(&e->progress);
    if (interrupted)
    {
        size_t done = e->task->before + e->progress.ended - e->failed;
        done += abandon(e);
        e->failed++;
        fprintf(stderr, "weft: interrupted; %zu of %zu runs are done and kept\n", done,
                e->task->before + ndue);
    }
    else
    {
        say_what_was_stopped(e);
    }
}

/* --- the processes of an MPI program ---------------------------------------------------------- */

static void
take_here(void *of, const struct report *r)
{
    struct engine *e = of;
    take_report(e, r);
    log_progress(e);
    progress_draw(&e->progress, share_running(e), e->running);
}

/** Ends all, as mpirun was told to; what was written is kept as after any end. */
static void
on_end(int number)
{
    static const char text[] = "weft: interrupted; finished runs are kept\n";
    const ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);
    _exit(n < 0 ? 1 : 128 + number);
}

/** All of them are at one run after the other, in these processes themselves: one that MPI knows
 * may not be forked. */
static void
work_together(struct engine *e)
{
    const size_t *due = e->task->due, ndue = e->task->ndue;
    progress_start(&e->progress, ndue, e->task->whole);
    e->logged = clock_seconds();
    signal(SIGINT, on_end);
    signal(SIGTERM, on_end);
    for (size_t next = 0; next < ndue && !e->stop; next++)
    {
        struct run_status *s = &e->slots[0];
        *s = (struct run_status){
            .pid = getpid(), .run = due[next], .name = e->task->plan->names[due[next]]};
        e->running = 1;
        const int status =
            child_run_here(e->task->plan, due[next], e->task->runs, e->task->threads, take_here, e);
        child_ended(e, s, W_EXITCODE(status, 0));
    }
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    progress_end(&e->progress);
    say_what_was_stopped(e);
}

size_t
engine_run(const struct engine_task *task)
{
    struct engine e = {.task = task};
    if (pipe2(e.pipe, O_CLOEXEC) != 0)
    {
        print_shown(stderr, "weft: error: cannot make a pipe: %s\n", strerror(errno));
        return task->ndue;
    }
    e.slots = xcalloc(task->at_once, sizeof *e.slots);
    ranks_get() ? work_together(&e) : work(&e);
    flush_finished(&e, true);
    close(e.pipe[0]);
    close(e.pipe[1]);
    free(e.slots);
    return e.failed + (e.stop ? 1 : 0);
}

bool
sweep_was_interrupted(void)
{
    return interrupted != 0;
}

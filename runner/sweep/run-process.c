/* SPDX-License-Identifier: GPL-2.0-only */
/* The process of one run: simulates it and puts its file in place. */
#include "run-processes.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "clock.h"
#include "mpi-ranks.h"
#include "node-numbers.h"
#include "process-title.h"
#include "provenance.h"
#include "results.h"
#include "run-file.h"
#include "run-host.h"
#include "textbuf.h"

#define REPORT_INTERVAL 0.1 /* seconds */

struct child
{
    size_t run;
    unsigned threads;
    int pipe_fd;
    report_fn take; /**< in place of the pipe, in the parent's own process; or NULL */
    void *of;
    double reported;
};

/** Set by SIGUSR1. */
static volatile sig_atomic_t asked;

/** Child whose process this is, for when memory is out. */
static struct child *self;

/** How far a run is when the last word on it is said. */
static const struct run_progress all = {.done = 1};

static void __attribute__((format(printf, 4, 5)))
send_report(const struct child *c, enum report_kind kind, const struct run_progress *progress,
            const char *format, ...)
{
    struct report r;
    va_list args;
    memset(&r, 0, sizeof r);
    r.run = c->run;
    r.kind = kind;
    r.progress = *progress;
    va_start(args, format);
    vsnprintf(r.text, sizeof r.text, format, args);
    va_end(args);
    if (c->take)
    {
        c->take(c->of, &r);
        return;
    }
    ssize_t n;
    do
    {
        n = write(c->pipe_fd, &r, sizeof r);
    } while (n < 0 && errno == EINTR);
}

static void
on_progress(void *user, const struct run_progress *progress)
{
    struct child *c = user;
    double t = clock_seconds();
    if (asked)
    {
        asked = 0;
        send_report(c, REPORT_ASKED, progress, "%s", "");
    }
    else if (t - c->reported >= REPORT_INTERVAL)
    {
        c->reported = t;
        send_report(c, REPORT_PROGRESS, progress, "%s", "");
    }
}

static void
on_asked(int number)
{
    (void)number;
    asked = 1;
}

/** Nothing can be unwound: the parent hears of it and the process ends. */
static void
end_without_memory(void)
{
    if (ranks_get())
    {
        ranks_abort("out of memory; 'weft validate --cost' tells what a run takes, and each rank "
                    "has a part of it");
    }
    send_report(self, REPORT_FAILED, &all,
                "out of memory; 'weft validate --cost' tells what a run takes, -j how many run at "
                "a time");
    _exit(1);
}

static int
by_qp(const void *key, const void *stuck)
{
    const uint32_t a = *(const uint32_t *)key, b = ((const struct stuck_qp *)stuck)->qp;
    return (a > b) - (a < b);
}

/** Messages that were given up are a result, but not one to be overlooked. */
static void
report_failed_messages(const struct child *c, const struct scenario *s, const struct run_results *r)
{
    const struct flow_result *f = r->flows;
    char waited[60] = "";
    if (r->summary.failed == 0)
    {
        return;
    }
    /* A flow that is under way when a run is stopped is not given up. */
    while (f->posted < 0 || f->delivered >= 0 ||
           (r->nstuck && bsearch(&f->qp, r->stuck, r->nstuck, sizeof *r->stuck, by_qp)))
    {
        f++;
    }
    if (r->summary.unstarted)
    {
        snprintf(waited, sizeof waited, "; %" PRIu64 " that waited for them did not start",
                 r->summary.unstarted);
    }
    OWNED char *src = node_shown(s, NODE_HOST, f->src), *dst = node_shown(s, NODE_HOST, f->dst);
    send_report(c, REPORT_WARNING, &all,
                "%" PRIu64 " of %" PRIu64 " messages were given up by their senders and not "
                "delivered, such as %s to %s%s",
                r->summary.failed, r->summary.messages, src, dst, waited);
}

/** A QP without a single ACK when a run is stopped may never have any. */
static void
report_silent(const struct child *c, const struct run_results *r)
{
    size_t silent = 0;
    for (size_t i = 0; i < r->nstuck; i++)
    {
        silent += r->stuck[i].acked == 0;
    }
    if (silent)
    {
        send_report(c, REPORT_WARNING, &all, "%zu of %zu QPs under way have no packet acknowledged",
                    silent, r->nstuck);
    }
}

/** Completion times of nothing, and those that lack the slowest, are not what was asked for. */
static void
report_window(const struct child *c, const struct scenario *s, const struct run_summary *sum)
{
    if (s->measure.warm_up == 0 && s->measure.window == WEFT_NEVER)
    {
        return;
    }
    const uint64_t messages = sum->fct_messages + sum->fct_undelivered;
    if (messages == 0)
    {
        send_report(c, REPORT_WARNING, &all,
                    "no message started in the window of <measure>: fct_* are empty");
    }
    else if (sum->fct_undelivered > 0)
    {
        send_report(c, REPORT_WARNING, &all,
                    "%" PRIu64 " of %" PRIu64 " messages of the window of <measure> were not "
                    "delivered: fct_* lack them, and they may be the slowest",
                    sum->fct_undelivered, messages);
    }
}

/** A balancer of QPs, from the scenario or from a class, that is off while a failure is known;
 * NULL: none is. */
static const char *
off_while_down(const struct scenario *s)
{
    const char *name = NULL;
    for (size_t i = 0; !name && i < s->nworkloads; i++)
    {
        const uint32_t level = s->workloads[i].level;
        const struct choice *c = level ? &s->classes[level - 1].balancer : &s->balancer;
        name = weft_lb_find(c->algo->name)->off_while_down ? c->algo->name : NULL;
    }
    return name;
}

/** Says what nobody could know before the run. */
static void
report_balancer(const struct child *c, const struct scenario *s, const struct run_summary *sum)
{
    const char *name = off_while_down(s);
    if (sum->failures_known > 0 && name && !fails_surely(s))
    {
        send_report(c, REPORT_WARNING, &all,
                    "%s was off in the whole fabric while a failure was known: it was plain ECMP "
                    "then, and NACKs passed",
                    name);
    }
}

/** @p causes: what is left and what it waits for, if the run was stopped. */
static void
report_done(const struct child *c, const struct run_results *r, const char *causes, double seconds)
{
    const double goodput = r->summary.goodput * 1e-9;
    if (r->nstuck + r->unposted > 0)
    {
        send_report(c, REPORT_DONE, &all,
                    "stopped at %.5g ms with %zu QPs under way, goodput %.2f Gbps (%.1f s): %s",
                    (double)r->summary.end * 1e-9, r->nstuck, goodput, seconds, causes);
    }
    else if (r->summary.cct < 0)
    {
        send_report(c, REPORT_DONE, &all, "nothing was delivered (%.1f s)", seconds);
    }
    else
    {
        send_report(c, REPORT_DONE, &all, "completion time %.5g ms, goodput %.2f Gbps (%.1f s)",
                    (double)(r->summary.cct - r->summary.first_start) * 1e-9, goodput, seconds);
    }
}

/** Puts what was measured where it belongs: among the finished runs, or, if it is a part, aside.
 * The child's exit status. */
static int
keep_results(const struct child *c, const struct scenario *s, struct run_file *file,
             enum simulated how, const struct run_results *r, const char *reason, double seconds)
{
    OWNED char *why = NULL;
    bool part = how == SIMULATED_PART;
    bool good = part ? run_file_set_aside(file, &why) : run_file_finish(file, &why);
    if (!good)
    {
        send_report(c, REPORT_FAILED, &all, "%s", why);
    }
    else if (part)
    {
        send_report(c, REPORT_FAILED, &all, "%s; what happened is in %s", reason, file->aside);
    }
    else
    {
        if (!run_file_forget_aside(file, &why))
        {
            send_report(c, REPORT_WARNING, &all, "%s", why);
        }
        report_failed_messages(c, s, r);
        report_silent(c, r);
        report_done(c, r, reason, seconds);
    }
    return !good ? CHILD_CANNOT_WRITE : part ? 1 : 0;
}

/** Whether a rank would simulate what rank 0 does: its machine may have another file, or another
 * build. */
static bool
agree(const struct scenario *s, const char *resolved)
{
    OWNED char *code = built_code(s), *both = xformat("%s%s", code, resolved);
    return ranks_agree(both);
}

/** Simulates into the file of a run; the child's exit status. */
static int
simulate_into(struct child *c, struct run_file *file, const struct scenario *s,
              const char *resolved)
{
    struct run_results results;
    char reason[900] = "";
    double start = clock_seconds();
    if (ranks_get())
    {
        ranks_order(c->run);
        agree(s, resolved);
    }
    enum simulated how = simulate(s, c->threads, &results, on_progress, c, reason, sizeof reason);
    if (how == SIMULATED_NOT)
    {
        send_report(c, REPORT_FAILED, &all, "%s", reason);
        return 1;
    }
    double seconds = clock_seconds() - start;
    OWNED char *why = NULL;
    int status = CHILD_CANNOT_WRITE;
    if (run_file_write(file, s, resolved, &results, seconds, &why))
    {
        status = keep_results(c, s, file, how, &results, reason, seconds);
        report_window(c, s, &results.summary);
        report_balancer(c, s, &results.summary);
    }
    else
    {
        send_report(c, REPORT_FAILED, &all, "%s", why);
    }
    run_results_free(&results);
    return status;
}

static int
child_main(struct child *c, const struct plan *plan, const struct folder *runs)
{
    CLEANUP(diag_free) struct diagnostics d = {.file = plan->doc->path};
    CLEANUP(scenario_drop) struct scenario *s = plan_load(plan, c->run, &d);
    if (!s)
    {
        send_report(c, REPORT_FAILED, &all, "the scenario does not load");
        return 1;
    }
    const char *name = plan->names[c->run];
    process_title_set(name);
    OWNED char *resolved = scenario_write(s, name);
    struct run_file file;
    OWNED char *why = NULL;
    int status = CHILD_CANNOT_WRITE;
    if (run_file_open(&file, runs, name, &why))
    {
        status = simulate_into(c, &file, s, resolved);
    }
    else
    {
        send_report(c, REPORT_FAILED, &all, "%s", why);
        status = file.busy ? CHILD_BUSY : status;
    }
    run_file_close(&file);
    return status;
}

pid_t
child_start(const struct plan *plan, size_t i, const struct folder *runs, unsigned threads,
            int pipe_fd, const sigset_t *blocked)
{
    fflush(NULL);
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid != 0)
    {
        return pid;
    }
    /* Nothing is left running when the parent is killed. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
    signal(SIGUSR1, on_asked);
    sigprocmask(SIG_SETMASK, blocked, NULL);
    if (getppid() != parent)
    {
        _exit(1);
    }
    struct child c = {.run = i, .threads = threads, .pipe_fd = pipe_fd};
    self = &c;
    run_without_memory(end_without_memory);
    int status = child_main(&c, plan, runs);
    fflush(NULL);
    _exit(status);
}

int
child_run_here(const struct plan *plan, size_t i, const struct folder *runs, unsigned threads,
               report_fn take, void *of)
{
    struct child c = {.run = i, .threads = threads, .take = take, .of = of};
    self = &c;
    run_without_memory(end_without_memory);
    signal(SIGUSR1, on_asked);
    const int status = child_main(&c, plan, runs);
    signal(SIGUSR1, SIG_IGN);
    return status;
}

/** Simulates this process' part of a run; what comes of it is rank 0's to say. */
static void
help_with(const struct plan *plan, size_t run, unsigned threads)
{
    struct run_results results;
    char reason[900] = "";
    CLEANUP(diag_free) struct diagnostics d = {.file = plan->doc->path};
    CLEANUP(scenario_drop) struct scenario *s = run < plan->nruns ? plan_load(plan, run, &d) : NULL;
    ranks_may_speak(true);
    if (!s)
    {
        ranks_abort("the scenario does not load here");
    }
    OWNED char *resolved = scenario_write(s, plan->names[run]);
    if (!agree(s, resolved))
    {
        ranks_abort("this machine has another scenario than rank 0, or another build of Weft");
    }
    process_title_set(plan->names[run]);
    if (simulate(s, threads, &results, NULL, NULL, reason, sizeof reason) != SIMULATED_NOT)
    {
        run_results_free(&results);
    }
    ranks_may_speak(false);
}

int
child_help(const struct plan *plan, unsigned threads)
{
    size_t run;
    run_without_memory(end_without_memory);
    while (ranks_take_order(&run))
    {
        help_with(plan, run, threads);
    }
    return EXIT_SUCCESS;
}

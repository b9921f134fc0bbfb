/* SPDX-License-Identifier: GPL-2.0-only */
#include "run-child.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "provenance.h"
#include "results.h"
#include "run-folder.h"
#include "textbuf.h"

#define REPORT_INTERVAL 0.1 /* seconds */

struct child
{
    size_t run;
    int pipe_fd;
    double reported;
};

static void
send_report(const struct child *c, enum report_kind kind, double done, const char *text)
{
    struct report r;
    memset(&r, 0, sizeof r);
    r.run = c->run;
    r.kind = kind;
    r.done = done;
    snprintf(r.text, sizeof r.text, "%s", text);
    ssize_t n;
    do
    {
        n = write(c->pipe_fd, &r, sizeof r);
    } while (n < 0 && errno == EINTR);
}

static void
on_progress(void *user, double done, int64_t now)
{
    struct child *c = user;
    (void)now;
    double t = clock_seconds();
    if (t - c->reported >= REPORT_INTERVAL)
    {
        c->reported = t;
        send_report(c, REPORT_PROGRESS, done, "");
    }
}

/** Messages that were given up are a result, but not one to be overlooked. */
static void
report_failed_messages(const struct child *c, const struct run_results *r)
{
    const struct flow_result *f = r->flows;
    char text[300];
    if (r->summary.failed == 0)
    {
        return;
    }
    while (f->posted < 0 || f->delivered >= 0)
    {
        f++;
    }
    int n = snprintf(text, sizeof text,
                     "%" PRIu64 " of %" PRIu64 " messages were given up by their senders and not "
                     "delivered, such as host %u to host %u",
                     r->summary.failed, r->summary.messages, f->src, f->dst);
    if (r->summary.unstarted)
    {
        snprintf(text + n, sizeof text - (size_t)n,
                 "; %" PRIu64 " that waited for them did not start", r->summary.unstarted);
    }
    send_report(c, REPORT_WARNING, 1, text);
}

static void
report_done(const struct child *c, const struct run_results *r, double seconds)
{
    char text[200];
    if (r->summary.cct < 0)
    {
        snprintf(text, sizeof text, "nothing was delivered (%.1f s)", seconds);
    }
    else
    {
        snprintf(text, sizeof text, "completion time %.5g ms, goodput %.2f Gbps (%.1f s)",
                 (double)r->summary.cct * 1e-9, r->summary.goodput * 1e-9, seconds);
    }
    send_report(c, REPORT_DONE, 1, text);
}

/** Simulates into an open run folder; the child's exit status. */
static int
simulate_into(struct child *c, struct run_folder *folder, const struct scenario *s,
              const char *resolved)
{
    struct run_results results;
    char reason[600] = "";
    memset(&results, 0, sizeof results);
    double start = clock_seconds();
    if (simulate(s, &results, on_progress, c, reason, sizeof reason) != 0)
    {
        send_report(c, REPORT_FAILED, 0, reason);
        return 1;
    }
    double seconds = clock_seconds() - start;
    char *why = NULL;
    char *provenance = provenance_text(s, &results, seconds);
    bool good = run_folder_write(folder, s, resolved, &results, provenance, &why) &&
                run_folder_finish(folder, &why);
    if (good)
    {
        report_failed_messages(c, &results);
        report_done(c, &results, seconds);
    }
    else
    {
        send_report(c, REPORT_FAILED, 0, why);
    }
    free(why);
    free(provenance);
    run_results_free(&results);
    return good ? 0 : CHILD_CANNOT_WRITE;
}

static int
child_main(struct child *c, const struct plan *plan, const char *runs)
{
    struct diagnostics d = {.file = plan->doc->path};
    struct scenario *s = plan_load(plan, c->run, &d);
    if (!s)
    {
        send_report(c, REPORT_FAILED, 0, "the scenario does not load");
        return 1;
    }
    char *name = plan_run_name(plan, c->run);
    char *resolved = scenario_write(s, name);
    struct run_folder folder;
    char *why = NULL;
    int status = CHILD_CANNOT_WRITE;
    if (run_folder_open(&folder, runs, name, &why))
    {
        status = simulate_into(c, &folder, s, resolved);
    }
    else
    {
        send_report(c, REPORT_FAILED, 0, why);
    }
    run_folder_close(&folder);
    free(why);
    free(resolved);
    free(name);
    scenario_free(s);
    diag_free(&d);
    return status;
}

pid_t
child_start(const struct plan *plan, size_t i, const char *runs, int pipe_fd,
            const sigset_t *blocked)
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
    sigprocmask(SIG_SETMASK, blocked, NULL);
    if (getppid() != parent)
    {
        _exit(1);
    }
    struct child c = {i, pipe_fd, 0};
    int status = child_main(&c, plan, runs);
    fflush(NULL);
    _exit(status);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "calibrate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simulate.h"
#include "sweep-plan.h"

static const char scenario[] =
    "<scenario name=\"calibration\">"
    "<topology kind=\"leaf-spine\" leaves=\"16\" spines=\"16\" hosts-per-leaf=\"16\""
    " link-rate=\"400Gbps\" link-delay=\"1us\"/>"
    "<balancer name=\"rsq\"/><workload kind=\"permutation\" bytes=\"3MB\"/></scenario>";

static double
cpu_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/** Nanoseconds per packet-hop, or -1. */
static double
simulate_it(void)
{
    struct diagnostics d = {.file = "calibration"};
    const struct plan_options none = {0};
    struct document *doc = document_parse(d.file, scenario, sizeof scenario - 1, &d);
    struct plan *plan = doc ? plan_build(doc, &none, &d) : NULL;
    struct scenario *s = plan ? plan_load(plan, 0, &d) : NULL;
    struct run_results r;
    char why[200];
    double start = cpu_seconds();
    bool good = s && simulate(s, 1, &r, NULL, NULL, why, sizeof why) == 0;
    return good ? (cpu_seconds() - start) * 1e9 / (double)r.summary.packet_hops : -1;
}

double
calibrate(void)
{
    int fd[2];
    double found = -1;
    if (pipe(fd) != 0)
    {
        return -1;
    }
    pid_t pid = fork(); /* ns-3's simulator runs once per process */
    if (pid == 0)
    {
        double measured = simulate_it();
        _exit(write(fd[1], &measured, sizeof measured) == (ssize_t)sizeof measured ? 0 : 1);
    }
    close(fd[1]);
    if (pid > 0)
    {
        if (read(fd[0], &found, sizeof found) != (ssize_t)sizeof found)
        {
            found = -1;
        }
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        {
        }
    }
    close(fd[0]);
    return found;
}

double
calibrate_footprint(double hosts, double qps)
{
    const double size = hosts + qps / 16;
    return size > 256 ? 1 + 0.46 * log2(size / 256) : 1;
}

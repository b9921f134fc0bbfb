/* SPDX-License-Identifier: GPL-2.0-only */
/* Time and memory that runs will cost, told from their scenarios. */
#include "sweep-run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "footprint.h"
#include "machine-memory.h"
#include "mpi-ranks.h"
#include "results.h"
#include "shown-text.h"
#include "simulate.h"
#include "sweep-plan.h"
#include "textbuf.h"
#include "traffic-load.h"

/* Bytes of a row of each table in a run's file, by measuring some; those of samples with half of
 * what they take as CSV. */
#define FLOW_ROW      65
#define QP_ROW        75
#define LINK_ROW      83
#define SERIES_ROW    60
#define PORTS_ROW     50
#define BALANCE_ROW   90
#define QUEUES_ROW    40
#define LINK_COUNTERS 120   /* bytes of memory that count a row of links, and of its text */
#define FILE_BYTES    18000 /* a run's file without these */
#define DATABASE                                                                                   \
    8000 /* results.sqlite: parameters, provenance and totals of a run; it has all rows            \
            as well, in as many bytes as the run's file */

#define PROGRAM 10e6 /* bytes of memory of a process with the least fabric */

/* Nanoseconds, measured on one machine and scaled by its speed, 80 ns per packet-hop. */
#define ROW_TIME    1000.0 /* a row of a table, made and written */
#define LOOK_TIME   2.0    /* a port looked at for the queues */
#define BUILD_TIME  60.0   /* a port made */
#define USUAL_SPEED 80.0

#define MOST_REPORTED 10 /* runs that are too large */

/* --- the speed of this machine ---------------------------------------------------------------- */

static const char scenario[] =
    "<scenario name=\"calibration\">"
    "<topology kind=\"leaf-spine\" leaves=\"16\" spines=\"16\" hosts-per-leaf=\"16\""
    " link-rate=\"400Gbps\" link-delay=\"1us\"/>"
    "<balancer name=\"rsq\"/><workload kind=\"permutation\" bytes=\"3MB\"/></scenario>";

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
    const clock_t start = clock();
    bool good = s && simulate(s, 1, &r, NULL, NULL, why, sizeof why) == 0;
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    return good ? seconds * 1e9 / (double)r.summary.packet_hops : -1;
}

/** CPU time of a packet-hop in a small fabric (256 hosts), ns: simulates a fraction of a second of
 * work in a process of its own. -1 if that fails. */
static double
calibrate(void)
{
    double *found =
        mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED)
    {
        return -1;
    }
    *found = -1;
    const pid_t pid = fork(); /* ns-3's simulator runs once per process */
    if (pid == 0)
    {
        *found = simulate_it();
        _exit(0);
    }
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
    {
    }
    const double ns = *found;
    munmap(found, sizeof *found);
    return ns;
}

/** How much longer a packet-hop takes where @p hosts and @p qps do not fit the caches, measured on
 * the cases of docs/performance.md. */
static double
calibrate_footprint(double hosts, double qps)
{
    const double size = hosts + qps / 16;
    return size > 256 ? 1 + 0.46 * log2(size / 256) : 1;
}

/* --- what a run costs ------------------------------------------------------------------------- */

/** Cost of a run. */
struct run_cost
{
    uint32_t hosts, switches;
    double qps, messages;
    double packet_hops; /**< data and ACKs, each link once */
    double links;       /**< rows of the table links */
    double samples;     /**< rows of series and queues */
    double time;        /**< ps simulated, at least */
    double seconds;     /**< of CPU time */
    double memory;      /**< bytes at most at a time, the program included */
    double disk;        /**< bytes */
    bool exact;         /**< every message was looked at; else packet_hops are extrapolated */
};

/** Ports of switches, and those of hosts. */
static double
ports_of(const struct weft_clos *c)
{
    return 2 * (double)weft_planes_links(c);
}

/** Frames that are queued or on wires at most: no more than senders let out, nor more than buffers
 * and wires hold. */
static double
packets_at_once(const struct scenario *s, const struct traffic_load *load)
{
    const struct weft_fabric_config *f = s->fabric.config;
    const struct weft_clos *c = &s->clos;
    const struct weft_param *limit = weft_param_find(s->transport.algo, "outstanding");
    const double window =
        limit ? (double)*(const int64_t *)((const char *)s->transport.config + limit->offset) : 1e9;
    const double frame = (double)(f->payload + f->header);
    const double ideal = (double)(weft_clos_way(c, 0, c->nhosts - 1, f->payload + f->header) +
                                  weft_clos_way(c, c->nhosts - 1, 0, f->ack));
    const double per_qp = load->packets / (double)load->messages;
    const double out = (double)load->qps * fmin(per_qp, window);
    /* A round trip of an idle fabric leaves each host; queues and ACKs are about twice as much. */
    const double trip = ideal * 1e-12 * (double)weft_planes_host_rate(c) / 8 / frame + 1;
    return fmin(out, 3 * trip * c->nhosts);
}

/** Share of the lanes that have frames at a time: what a host sends is so long as its wire takes
 * for that, and a hop. */
static double
busy_lanes(const struct scenario *s, const struct traffic_load *load)
{
    const struct weft_fabric_config *f = s->fabric.config;
    const struct weft_clos *c = &s->clos;
    const double way = (double)weft_clos_way(c, 0, c->nhosts - 1, f->payload + f->header);
    const double hop = way / weft_clos_hops(c, 0, c->nhosts - 1);
    const double rate = (double)weft_planes_host_rate(c);
    const double sends = load->wire / c->nhosts * 8e12 / rate;
    return fmin((sends + hop) / way, 1);
}

static void
add_samples(const struct scenario *s, struct run_cost *cost)
{
    const struct measurements *m = &s->measure;
    const bool any = m->interval > 0 && measures_over_time(m);
    const double layers = m->balance ? 2.0 * s->clos.tiers - 1 : 0;
    const double times = any ? floor(cost->time / (double)m->interval) : 0;
    cost->samples = times * ((double)m->nqps + (double)m->nports + layers + (m->queues ? 1 : 0));
    cost->disk += times * ((double)m->nqps * SERIES_ROW + (double)m->nports * PORTS_ROW +
                           layers * BALANCE_ROW + (m->queues ? QUEUES_ROW : 0));
    cost->memory += times * ((double)m->nqps * sizeof(struct qp_sample) +
                             (double)m->nports * sizeof(struct port_sample) +
                             layers * sizeof(struct balance_sample) +
                             (m->queues ? sizeof(struct queue_sample) : 0));
}

static void
add_memory(const struct scenario *s, const struct traffic_load *load, struct run_cost *cost)
{
    const double rows = cost->messages * sizeof(struct flow_result) +
                        cost->qps * sizeof(struct qp_result) +
                        cost->links * (sizeof(struct link_result) + LINK_COUNTERS);
    cost->memory += PROGRAM + footprint_of_fabric(s, busy_lanes(s, load));
    cost->memory += cost->qps * footprint_of_qp(s, load->packets / cost->qps) +
                    cost->messages * footprint_of_message();
    cost->memory += fmax(packets_at_once(s, load) * footprint_of_packet(), 0);
    cost->memory += rows;
}

static void
add_seconds(const struct scenario *s, double ns_per_hop, struct run_cost *cost)
{
    const double scale = ns_per_hop / USUAL_SPEED;
    const double rows =
        cost->samples + cost->qps + cost->links + (s->measure.flows ? cost->messages : 0);
    const double looks = (s->measure.queues || s->measure.balance) && s->measure.interval > 0
                             ? floor(cost->time / (double)s->measure.interval) * ports_of(&s->clos)
                             : 0;
    const double hop = ns_per_hop * calibrate_footprint(cost->hosts, cost->qps);
    cost->seconds = 1e-9 * (cost->packet_hops * hop + scale * (rows * ROW_TIME + looks * LOOK_TIME +
                                                               ports_of(&s->clos) * BUILD_TIME));
}

/** @p ns_per_hop: of a small fabric; 0: neither packet-hops nor seconds are wanted. False if the
 * workload does not fit. */
static bool
run_cost_of(const struct scenario *s, double ns_per_hop, struct run_cost *cost)
{
    struct traffic_load load;
    *cost = (struct run_cost){.hosts = s->clos.nhosts, .switches = weft_planes_switches(&s->clos)};
    if (!traffic_load_of(s, ns_per_hop > 0, &load))
    {
        return false;
    }
    cost->qps = (double)load.qps;
    cost->messages = (double)load.messages;
    cost->exact = load.exact;
    const double whole = (double)traffic_bound(s, false);
    cost->time = fmin(whole, (double)s->stop);
    cost->packet_hops = (load.data_links + load.ack_links) * (whole > 0 ? cost->time / whole : 1);
    cost->links = (double)links_listed(s);
    cost->disk = FILE_BYTES + cost->qps * QP_ROW + cost->links * LINK_ROW +
                 (s->measure.flows ? cost->messages * FLOW_ROW : 0);
    add_samples(s, cost);
    cost->disk += DATABASE + cost->disk - FILE_BYTES;
    add_memory(s, &load, cost);
    add_seconds(s, ns_per_hop, cost);
    return true;
}

/* --- what it says ----------------------------------------------------------------------------- */

/** A number in words, to be printed at once. */
struct words_of
{
    char s[40];
};

static struct words_of
bytes_text(double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    struct words_of w;
    size_t u = 0;
    for (; bytes >= 1000 && u + 1 < sizeof units / sizeof *units; u++)
    {
        bytes /= 1000;
    }
    snprintf(w.s, sizeof w.s, bytes < 10 && u ? "%.1f %s" : "%.0f %s", bytes, units[u]);
    return w;
}

static struct words_of
seconds_text(double seconds)
{
    struct words_of w;
    if (seconds >= 10 && seconds < 1e7)
    {
        duration_text(w.s, sizeof w.s, seconds);
    }
    else
    {
        const bool few = seconds < 10;
        snprintf(w.s, sizeof w.s, few ? "%.2f s" : "%.3g years",
                 few ? seconds : seconds / 31557600);
    }
    return w;
}

static void
print_row(const char *name, const struct run_cost *c)
{
    print_shown(stdout, "%8u %8u %9.0f %9.0f %s%14.0f %10s %8s %8s  %s\n", c->hosts, c->switches,
                c->qps, c->messages, c->exact ? " " : "~", c->packet_hops,
                seconds_text(c->seconds).s, bytes_text(c->memory).s, bytes_text(c->disk).s, name);
}

static void
print_sum(const struct run_cost *sum, size_t n, double speed)
{
    print_shown(
        stdout,
        "%zu %s: %.0f packet-hops, %s of CPU time, at most %s of memory for one at a time, %s "
        "of disk\n",
        n, n == 1 ? "run" : "runs", sum->packet_hops, seconds_text(sum->seconds).s,
        bytes_text(sum->memory).s, bytes_text(sum->disk).s);
    if (speed > 0)
    {
        printf("speed: %.0f ns per packet-hop in a small fabric, measured on this machine just "
               "now; large fabrics, which do not fit the caches, take longer\n",
               speed);
    }
    else
    {
        printf("speed: unknown, the calibration run failed\n");
    }
    print_shown(stdout, "%snot counted: what is sent again, CNPs, and the time that senders wait\n",
                sum->exact ? "" : "~: extrapolated from a part of the fabric; ");
}

/* --- memory ----------------------------------------------------------------------------------- */

/** Runs and the memory of this machine. */
struct fitting
{
    const struct plan *plan;
    struct machine_memory machine;
    bool go_on;  /**< runs may exceed it: they were told to, or are divided among ranks, which may
                    be on other machines */
    double most; /**< bytes of the largest run */
    size_t too_big; /**< runs that do not fit */
};

static struct fitting
fitting_of(const struct plan *plan, const struct sweep_options *options)
{
    return (struct fitting){plan, machine_memory_now(), options->exceed_memory || ranks_get(), 1,
                            0};
}

/** Says so if a run is too large, of a few. */
static void
fit_run(struct fitting *f, size_t run, double needs)
{
    f->most = fmax(f->most, needs);
    f->too_big += needs > f->machine.one;
    if (needs > f->machine.one && f->too_big <= MOST_REPORTED)
    {
        print_shown(stderr, "%s: %s: run %s will take about %s of memory, and %s %s%s\n",
                    f->plan->doc->path, f->go_on ? "warning" : "error", f->plan->names[run],
                    bytes_text(needs).s, bytes_text(f->machine.one).s, f->machine.what,
                    f->go_on
                        ? ""
                        : "; expected a smaller run, a larger machine, or --exceed-memory to try "
                          "all the same");
    }
}

static bool
cost_of_run(const struct plan *plan, size_t i, double ns_per_hop, struct run_cost *cost)
{
    CLEANUP(diag_free) struct diagnostics d = {.file = plan->doc->path};
    CLEANUP(scenario_drop) struct scenario *s = plan_load(plan, i, &d);
    return s && run_cost_of(s, ns_per_hop, cost);
}

bool
cost_check_runs(const struct plan *plan, const struct sweep_options *options, const size_t *runs,
                size_t n, size_t *at_once)
{
    struct fitting f = fitting_of(plan, options);
    for (size_t i = 0; i < n && f.too_big < MOST_REPORTED; i++)
    {
        struct run_cost c;
        fit_run(&f, runs[i], cost_of_run(plan, runs[i], 0, &c) ? c.memory : 0);
    }
    const double fitting = f.machine.all / f.most;
    *at_once = fitting < 1 ? 1 : fitting < 4096 ? (size_t)fitting : 4096;
    return f.too_big == 0 || f.go_on;
}

bool
cost_print(const struct plan *plan, const struct sweep_options *options)
{
    struct run_cost sum = {.exact = true}, c;
    struct fitting f = fitting_of(plan, options);
    const double speed = calibrate();
    size_t n = 0;
    print_shown(stdout, "%8s %8s %9s %9s  %14s %10s %8s %8s  %s\n", "hosts", "switches", "QPs",
                "messages", "packet-hops", "CPU time", "memory", "disk", "run");
    for (size_t i = 0; i < plan->nruns; i++)
    {
        if (run_is_selected(options, plan->names[i]) &&
            cost_of_run(plan, i, speed > 0 ? speed : USUAL_SPEED, &c))
        {
            print_row(plan->names[i], &c);
            fit_run(&f, i, c.memory);
            sum.packet_hops += c.packet_hops;
            sum.seconds += c.seconds;
            sum.disk += c.disk;
            sum.memory = fmax(sum.memory, c.memory);
            sum.exact = sum.exact && c.exact;
            n++;
        }
    }
    print_sum(&sum, n, speed);
    return f.too_big == 0 || f.go_on;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds the fabric of a run, lets it go, and collects what it measured. */
#include "simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect.h"
#include "link-failures.h"
#include "losses.h"
#include "mpi-ranks.h"
#include "paths.h"
#include "samples.h"
#include "textbuf.h"

#define PROGRESS_INTERVAL INT64_C(20000000) /* ps between two progress reports */

/** A run that goes on. */
struct course
{
    struct simulation sim;
    struct samples samples;
    struct paths paths;
    progress_fn progress;
    void *user;
    uint64_t limit, begin, end; /* calls of the time limit, and of the window's */
};

static uint64_t
payload_so_far(const struct simulation *sim)
{
    struct weft_net_counters total;
    sim->host->settle();
    weft_net_gather(sim->net, WEFT_GATHER_TOTAL);
    weft_net_total(sim->net, &total);
    return total.payload;
}

/** Other ranks would wait for one that is at its end. */
static void
end_all(const char *why)
{
    if (ranks_get())
    {
        ranks_abort(why);
    }
}

/** The end of the workload has come. */
static void
end_traffic(void *of)
{
    struct course *course = of;
    struct weft_collective_state state;
    weft_collective_describe(course->sim.work, &state);
    if (!state.done)
    {
        return; /* what was given up has come after all, and others go on */
    }
    const struct run_host *host = course->sim.host;
    host->remove(course->limit);
    host->remove(course->begin);
    host->remove(course->end);
    host->forget_faults();
    course->sim.done = state.done_at;
}

/** A hook tells that all is done: so it is at the end of the window, whoever reads meanwhile. */
static void
plan_end(void *of, int64_t at)
{
    struct course *course = of;
    const int64_t window = weft_net_window(course->sim.net);
    course->sim.host->at_from_hook((at / window + 1) * window, end_traffic, course);
}

static void
report(void *of)
{
    struct course *course = of;
    const struct simulation *sim = &course->sim;
    struct weft_collective_state state;
    const double payload = (double)payload_so_far(sim);
    weft_collective_describe(sim->work, &state);
    const struct run_progress p = {.done = payload / (double)sim->total_bytes,
                                   .now = sim->host->now(),
                                   .delivered = state.acked,
                                   .messages = sim->graph.size.nmessages};
    if (course->progress)
    {
        course->progress(course->user, &p);
    }
    if (!state.done)
    {
        sim->host->at(p.now + PROGRESS_INTERVAL, report, course);
    }
}

static void
begin_window(void *of)
{
    struct simulation *sim = of;
    sim->window.before = payload_so_far(sim);
}

static void
end_window(void *of)
{
    struct simulation *sim = of;
    sim->window.until = payload_so_far(sim);
}

static void
plan_window(struct course *course)
{
    struct simulation *sim = &course->sim;
    const struct measurements *m = &sim->s->measure;
    const int64_t first = weft_first_start(sim->graph.messages, sim->graph.size.nmessages);
    sim->window = (struct fct_window){first + m->warm_up, WEFT_NEVER, 0, UINT64_MAX};
    if (m->warm_up > 0)
    {
        sim->window.before = UINT64_MAX;
        course->begin = sim->host->at(sim->window.begin, begin_window, sim);
    }
    if (m->window < WEFT_NEVER - sim->window.begin)
    {
        sim->window.end = sim->window.begin + m->window;
        course->end = sim->host->at(sim->window.end, end_window, sim);
    }
}

static bool
start_workload(struct course *course, char **why)
{
    struct simulation *sim = &course->sim;
    struct weft_refusal refusal = {.text = ""};
    int code = weft_run_fill(sim->run, scenario_ops(sim->s), sim->s->workload.config, &sim->graph,
                             &refusal);
    sim->graph.alone = true;
    sim->graph.hooks.of = course;
    sim->graph.hooks.done = plan_end;
    code = code ? code : weft_run_collective(sim->run, &sim->graph, &sim->work, &refusal);
    if (code)
    {
        *why = xformat("%s: %s", sim->s->workload.algo->name, weft_refusal_text(code, &refusal));
    }
    for (uint32_t i = 0; i < sim->graph.size.nmessages; i++)
    {
        sim->total_bytes += sim->graph.messages[i].bytes;
    }
    return code == 0;
}

static bool
build(struct course *course, unsigned threads, char **why)
{
    struct simulation *sim = &course->sim;
    sim->host = run_host_chosen();
    sim->clos = &sim->s->clos;
    sim->done = WEFT_NEVER;
    sim->run = sim->host->build(sim->s, threads, ranks_get(), why);
    if (!sim->run)
    {
        return false;
    }
    sim->net = weft_run_net(sim->run);
    sim->faulty = set_losses(sim->s, sim->run, &sim->nfaulty);
    if (!start_workload(course, why))
    {
        return false;
    }
    samples_begin(&course->samples, sim);
    paths_begin(&course->paths, sim);
    if (course->progress || ranks_get()) /* all ranks have the same calls */
    {
        sim->host->at(PROGRESS_INTERVAL, report, course);
    }
    plan_window(course);
    return true;
}

static void
reach_limit(void *of)
{
    const struct simulation *sim = of;
    sim->host->stop();
}

/** Whether what was counted adds up, as far as this rank knows. */
static bool
check_conservation(const struct simulation *sim, char **why)
{
    char text[4096] = "";
    weft_net_gather(sim->net, WEFT_GATHER_NODES | WEFT_GATHER_QPS);
    if (ranks_helps() || weft_run_conserves(sim->run, text, sizeof text))
    {
        return true;
    }
    *why = xformat("conservation is violated: %s", text);
    end_all(*why);
    return false;
}

static bool
go(struct course *course, char **why)
{
    struct simulation *sim = &course->sim;
    if (sim->s->stop != WEFT_NEVER)
    {
        course->limit = sim->host->at(sim->s->stop, reach_limit, sim);
    }
    sim->host->go();
    if (sim->done == WEFT_NEVER && is_done(sim))
    {
        end_traffic(course); /* it was stopped before it was told */
    }
    sim->host->settle();
    sim->host->release_packets(); /* rank 0 is to have room for what the others have counted */
    weft_collective_gather(sim->work);
    sim->cut = !is_done(sim);
    return check_conservation(sim, why);
}

static char *
describe_cut(const struct simulation *sim, const struct run_results *r)
{
    const uint32_t n = sim->graph.size.nmessages;
    uint32_t undelivered = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        undelivered += sim->graph.times[i].delivered < 0;
    }
    OWNED char *stuck = describe_stuck(sim->s, r);
    char blocked[600] = "";
    const size_t left = weft_collective_blocked(sim->work, blocked, sizeof blocked);
    OWNED char *of_traces =
        left > 0 ? xformat("; %zu operations have not ended: %s", left, blocked) : xstrdup("");
    return xformat("%u of %u messages were not delivered%s%s%s", (unsigned)undelivered, (unsigned)n,
                   sim->host->now() >= sim->s->stop ? " at the time limit"
                                                    : ", and nothing is left to happen",
                   stuck, of_traces);
}

static void
collect_bounds(const struct simulation *sim, struct run_summary *sum)
{
    struct weft_collective_state state;
    weft_collective_describe(sim->work, &state);
    const bool whole = state.undelivered + state.unstarted == 0;
    const struct weft_message *messages = sim->graph.messages;
    const uint32_t n = sim->graph.size.nmessages;
    const int64_t first = weft_first_start(messages, n);
    const struct weft_job job = scenario_job(sim->s);
    const struct weft_traffic traffic =
        scenario_traffic(sim->s, &job, messages, sim->graph.next, n);
    sum->first_start = first;
    sum->bound = delivery_bound(&traffic, !whole);
    sum->slowdown = sum->bound > first && sum->cct >= 0
                        ? (double)(sum->cct - first) / (double)(sum->bound - first)
                        : (double)NAN;
    const struct weft_hosts hosts = weft_clos_hosts(&sim->s->clos);
    const int64_t time = sim->s->nworkloads == 1 ? sum->cct - first : -1;
    collect_bandwidth(&job, &hosts, time, &sum->algbw, &sum->busbw);
    sum->failed = state.undelivered;
    sum->unstarted = state.unstarted;
}

static void
collect_failures(const struct simulation *sim, int64_t end, struct run_summary *sum)
{
    sum->links_failed = links_failed(sim->faulty, sim->nfaulty, end);
    for (size_t i = 0; i < sim->nfaulty; i++)
    {
        const struct link_fault *f = sim->faulty[i].fault;
        const bool may = f->effect == WEFT_FAULT_DOWN && f->mean_up > 0,
                   in_time = sim->s->convergence <= end && f->at <= end - sim->s->convergence;
        sum->failures_late += f->effect != WEFT_FAULT_SLOW && f->at > end;
        sum->failures_known += in_time && (may || fault_is_heard(sim->s, f));
    }
}

static void
collect_totals(const struct simulation *sim, struct run_results *out)
{
    struct run_summary *sum = &out->summary;
    const struct weft_net_counters *c = &sim->totals;
    sum->messages = out->nflows;
    sum->dropped_buffer = c->lost[WEFT_NET_DROP_BUFFER];
    sum->dropped_link = c->lost[WEFT_NET_DROP_LINK];
    sum->dropped_lossy = c->lost[WEFT_NET_DROP_LOSSY];
    sum->dropped_corrupted = c->lost[WEFT_NET_CORRUPTED];
    sum->dropped_injected = c->lost[WEFT_NET_DROP_INJECTED];
    sum->trimmed = c->trimmed;
    sum->packet_hops = c->hops;
    sum->events = sim->host->events();
}

static void
collect_queues(struct run_results *out)
{
    double queued = 0, links = 0;
    for (size_t i = 0; i < out->nlayers; i++)
    {
        queued += out->layers[i].queue_mean * out->layers[i].links;
        links += out->layers[i].links;
    }
    out->summary.queue_mean = queued / links;
}

/** Fills what rank 0 knows, or the only one. */
static void
collect_all(struct course *course, const uint64_t *cuts, struct run_results *out)
{
    struct simulation *sim = &course->sim;
    struct run_summary *sum = &out->summary;
    const struct weft_message *messages = sim->graph.messages;
    collect_flows(sim, out);
    collect_qps(sim, cuts, out);
    collect_reordering(sim, out);
    collect_switches(sim, out);
    collect_state_bytes(sim, out);
    collect_times(out);
    const int64_t end = end_of(sim);
    sum->end = end > sum->cct ? end : sum->cct; /* what was given up may still have come */
    /* By any time that has not come, all was delivered. */
    const uint64_t payload = sim->totals.payload;
    sim->window.before = sim->window.before < payload ? sim->window.before : payload;
    sim->window.until = sim->window.until < payload ? sim->window.until : payload;
    collect_fct(sim->s, &sim->window, out);
    collect_straggler(sim->s, sim->cut, out);
    collect_bounds(sim, sum);
    collect_failures(sim, end, sum);
    collect_totals(sim, out);
    collect_link_shares(out);
    samples_collect(&course->samples, out);
    collect_nodes(sim->s, out);
    collect_trims(sim, out);
    collect_queues(out);
    sum->rho_max = weft_run_share(sim->run, 0);
    collect_workloads(sim->s, messages, sim->graph.next, out);
    collect_steps(sim->s, messages, sim->graph.next, out);
    collect_traces(sim, out);
}

static void
collect(struct course *course, struct run_results *out)
{
    struct simulation *sim = &course->sim;
    out->host = sim->host->version;
    out->processes = ranks_get() ? ranks_get()->n : 1;
    out->peak_memory = ranks_peak_memory();
    weft_net_gather(sim->net, WEFT_GATHER_TOTAL);
    weft_net_total(sim->net, &sim->totals);
    OWNED uint64_t *cuts = collect_cuts(sim);
    collect_tors(sim, out);
    collect_links(sim, out);
    paths_collect(&course->paths, out);
    if (sim->cut)
    {
        collect_stuck(sim, out);
    }
    if (!ranks_helps()) /* rank 0 has it all */
    {
        collect_all(course, cuts, out);
    }
}

/** Simulates. Sets what is wrong, or why it is a part. */
static enum simulated
simulate_course(struct course *course, unsigned threads, struct run_results *results, char **why)
{
    const struct simulation *sim = &course->sim;
    const bool built = build(course, threads, why);
    if (ranks_get() && !ranks_agree(built ? "built" : "refused"))
    {
        end_all(built ? "rank 0 could not build the run" : *why);
    }
    if (!built || !go(course, why))
    {
        return SIMULATED_NOT;
    }
    collect(course, results);
    if (!sim->cut)
    {
        return SIMULATED;
    }
    const bool may_end = sim->s->stop_is_end && sim->host->now() >= sim->s->stop;
    *why = may_end ? describe_causes(sim->s, results) : describe_cut(sim, results);
    return may_end ? SIMULATED : SIMULATED_PART;
}

enum simulated
simulate(const struct scenario *s, unsigned threads, struct run_results *results,
         progress_fn progress, void *user, char *why, size_t why_size)
{
    struct course course = {.sim = {.s = s}, .progress = progress, .user = user};
    OWNED char *text = NULL;
    memset(results, 0, sizeof *results);
    const enum simulated how = simulate_course(&course, threads, results, &text);
    samples_end(&course.samples);
    paths_end(&course.paths);
    free(course.sim.faulty);
    course.sim.host->end();
    snprintf(why, why_size, "%s", text ? text : "");
    return how;
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "completion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "textbuf.h"

/** By which part @p time is later than a bound, both counted from @p first; NaN: it did not happen,
 * or no bound is known. */
static double
increase_over(int64_t time, int64_t bound, int64_t first)
{
    return bound > first && time >= 0 ? (double)(time - first) / (double)(bound - first) - 1 : NAN;
}

/** The bound of the last ACK by the workload's own form or by its exchanges, else that of any
 * traffic. @p steps: NULL, or gets those of steps. */
static int64_t
any_bound(const struct weft_traffic *t, int64_t *steps, void *memory)
{
    const int64_t bound = weft_traffic_acked_bound(t, t->clos->host_rate, steps, memory);
    return bound < 0 ? weft_traffic_least_time(t, true, memory) : bound;
}

int64_t
delivery_bound(const struct weft_traffic *t, bool partial)
{
    const int64_t bound = weft_traffic_bound(t, partial);
    if (bound >= 0 || partial || !weft_clos_scales_up(t->clos))
    {
        return bound;
    }
    OWNED void *memory = xcalloc(weft_traffic_memory(t), 1);
    return weft_traffic_least_time(t, false, memory);
}

/* --- steps ------------------------------------------------------------------------------------ */

/** The steps' times. Whether all messages were acknowledged: without some, the whole may end early.
 */
static bool
measure_steps(const struct run_results *r, struct step_result *steps, uint32_t n)
{
    bool acked = true;
    for (uint32_t k = 0; k < n; k++)
    {
        steps[k] = (struct step_result){.step = k, .posted = -1};
    }
    for (size_t i = 0; i < r->nflows; i++)
    {
        const struct flow_result *f = &r->flows[i];
        struct step_result *step = &steps[f->step];
        const bool earlier = step->posted < 0 || f->posted < step->posted;
        step->messages++;
        step->posted = f->posted >= 0 && earlier ? f->posted : step->posted;
        step->acked = f->acked > step->acked ? f->acked : step->acked;
        step->cct = f->acked - f->posted > step->cct ? f->acked - f->posted : step->cct;
    }
    for (size_t i = 0; i < r->nflows; i++)
    {
        if (r->flows[i].acked < 0)
        {
            steps[r->flows[i].step].acked = steps[r->flows[i].step].cct = -1;
            acked = false;
        }
    }
    return acked;
}

/** Sets them beside their bounds. Returns the mean increase. */
static double
relate_steps(struct step_result *steps, const int64_t *bounds, uint32_t n)
{
    double sum = 0;
    for (uint32_t k = 0; k < n; k++)
    {
        steps[k].bound = bounds[k];
        steps[k].increase = increase_over(steps[k].cct, steps[k].bound, 0);
        sum += steps[k].increase / (double)n;
    }
    return sum;
}

void
collect_steps(const struct scenario *s, const struct weft_message *messages, const uint32_t *next,
              struct run_results *r)
{
    const struct weft_job job = scenario_job(s);
    const struct weft_traffic t = scenario_traffic(s, &job, messages, next, r->nflows);
    const struct weft_traffic_steps steps = weft_count_steps(&t);
    const int64_t first = weft_first_start(messages, t.n);
    OWNED void *memory = xcalloc(weft_traffic_memory(&t), 1);
    OWNED int64_t *bounds = xcalloc(steps.n, sizeof *bounds);
    struct run_summary *sum = &r->summary;
    r->steps = xcalloc(steps.n, sizeof *r->steps);
    const bool acked = measure_steps(r, r->steps, steps.n);
    sum->bound_acked = sum->bound_rho = -1;
    sum->step_increase = NAN;
    if (s->nworkloads > 1) /* their steps have nothing to do with each other */
    {
        sum->bound_acked = acked ? weft_traffic_least_time(&t, true, memory) : -1;
    }
    else
    {
        const int64_t bound = any_bound(&t, bounds, memory);
        const double mean = relate_steps(r->steps, bounds, steps.n);
        const int64_t pace = (int64_t)(sum->rho_max * (double)weft_planes_host_rate(&s->clos));
        r->nsteps = steps.n > 1 && steps.waits ? steps.n : 0;
        sum->step_increase = r->nsteps ? mean : NAN;
        sum->bound_acked = acked ? bound : -1;
        sum->bound_rho = acked && pace > 0 ? weft_traffic_acked_bound(&t, pace, NULL, memory) : -1;
    }
    sum->increase = increase_over(sum->cct_acked, sum->bound_acked, first);
    sum->increase_rho = increase_over(sum->cct_acked, sum->bound_rho, first);
}

/* --- workloads -------------------------------------------------------------------------------- */

/** Numbers of all that lies before a workload's part of all messages. */
struct before
{
    uint32_t messages;
    uint32_t next;
    uint32_t groups;
};

/** The bounds of a workload by itself: its messages are told as if there were no others. */
static void
bound_alone(const struct scenario *s, const struct weft_job *job,
            const struct weft_message *messages, const uint32_t *next, const struct before *before,
            const struct weft_traffic_size *size, struct workload_result *out)
{
    OWNED struct weft_message *own = xcalloc(size->nmessages, sizeof *own);
    OWNED uint32_t *successors = xcalloc(size->nnext + (size_t)1, sizeof *successors);
    memcpy(own, messages, size->nmessages * sizeof *own);
    for (uint32_t i = 0; i < size->nmessages; i++)
    {
        own[i].group -= before->groups;
        own[i].first_next -= before->next;
    }
    for (uint32_t i = 0; i < size->nnext; i++)
    {
        successors[i] = next[before->next + i] - before->messages;
    }
    const struct weft_traffic t = scenario_traffic(s, job, own, successors, size->nmessages);
    OWNED void *memory = xcalloc(weft_traffic_memory(&t), 1);
    const bool delivered = out->cct >= 0;
    out->bound = delivery_bound(&t, !delivered);
    out->slowdown = out->bound > out->start && delivered
                        ? (double)(out->cct - out->start) / (double)(out->bound - out->start)
                        : NAN;
    out->bound_acked = out->cct_acked < 0 ? -1 : any_bound(&t, NULL, memory);
    out->increase = increase_over(out->cct_acked, out->bound_acked, out->start);
}

void
collect_bandwidth(const struct weft_job *job, const struct weft_hosts *all, int64_t time,
                  double *algbw, double *busbw)
{
    const struct weft_hosts hosts = weft_job_hosts(job, all);
    double bytes = 0;
    const bool any = job->ops->bus && time > 0;
    const double factor = any ? job->ops->bus(job->config, &hosts, &bytes) : NAN;
    *algbw = any ? bytes * 8e12 / (double)time : NAN;
    *busbw = *algbw * factor;
}

/** @p messages and @p flows: the workload's own. */
static void
measure(const struct weft_message *messages, const struct flow_result *flows,
        struct workload_result *out)
{
    bool delivered = true, acked = true;
    for (uint32_t i = 0; i < out->messages; i++)
    {
        delivered = delivered && flows[i].delivered >= 0;
        acked = acked && flows[i].acked >= 0;
        out->cct = flows[i].delivered > out->cct ? flows[i].delivered : out->cct;
        out->cct_acked = flows[i].acked > out->cct_acked ? flows[i].acked : out->cct_acked;
    }
    out->cct = delivered ? out->cct : -1;
    out->cct_acked = acked ? out->cct_acked : -1;
    out->start = weft_first_start(messages, out->messages);
}

/** QPs of each of a workload's connections. */
static uint32_t
qps_per_connection(const struct scenario *s, const struct workload *w)
{
    const struct choice *balancer = w->level ? &s->classes[w->level - 1].balancer : &s->balancer;
    const struct weft_plan_ops *plan = weft_lb_find(balancer->algo->name)->plan;
    return plan ? plan->qps(balancer->config) : 1;
}

void
collect_workloads(const struct scenario *s, const struct weft_message *messages,
                  const uint32_t *next, struct run_results *r)
{
    const struct weft_hosts all = weft_clos_hosts(&s->clos);
    struct weft_traffic_size size;
    struct before before = {0, 0, 0};
    uint32_t qp = 0;
    if (s->nworkloads < 2)
    {
        return;
    }
    r->workloads = xcalloc(s->nworkloads, sizeof *r->workloads);
    r->nworkloads = s->nworkloads;
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        const struct workload *w = &s->workloads[i];
        const struct weft_job *job = &s->jobs.jobs[i];
        const struct weft_hosts hosts = weft_job_hosts(job, &all);
        struct workload_result *out = &r->workloads[i];
        job->ops->size(job->config, &hosts, &size);
        size.nqps *= qps_per_connection(s, w);
        *out = (struct workload_result){.name = w->name,
                                        .kind = w->choice.algo->name,
                                        .hosts = hosts.n,
                                        .messages = size.nmessages,
                                        .first_qp = qp,
                                        .qps = size.nqps,
                                        .first_group = before.groups,
                                        .groups = size.ngroups,
                                        .cct = -1,
                                        .cct_acked = -1};
        const struct weft_message *own = messages + before.messages;
        const struct flow_result *flows = r->flows + before.messages;
        measure(own, flows, out);
        bound_alone(s, job, own, next, &before, &size, out);
        collect_bandwidth(job, &all, out->cct - out->start, &out->algbw, &out->busbw);
        before.messages += size.nmessages;
        before.next += size.nnext;
        before.groups += size.ngroups;
        qp += size.nqps;
    }
}

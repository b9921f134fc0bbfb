/* SPDX-License-Identifier: GPL-2.0-only */
#include "completion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bound.h"
#include "textbuf.h"

/** What lies before a workload's part of all messages. */
struct before
{
    uint32_t messages;
    uint32_t next;
    uint32_t groups;
};

/** The bound of a workload by itself: its messages are told as if there were no others. */
static int64_t
bound_alone(const struct scenario *s, const struct weft_job *job,
            const struct weft_message *messages, const uint32_t *next,
            const struct flow_result *flows, const struct before *before,
            const struct weft_traffic_size *size)
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
    const int64_t bound = bound_acked_of_job(s, job, own, successors, flows, size->nmessages);
    return bound;
}

/** @p messages and @p flows: the workload's own. */
static void
measure(const struct scenario *s, const struct weft_job *job, const struct weft_message *messages,
        const struct flow_result *flows, struct workload_result *out)
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
    out->start = first_start(messages, out->messages);
    out->bound = bound_of_job(s, job, messages, out->messages, delivered);
    out->slowdown = out->bound > out->start && delivered
                        ? (double)(out->cct - out->start) / (double)(out->bound - out->start)
                        : NAN;
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
        measure(s, job, own, flows, out);
        out->bound_acked = bound_alone(s, job, own, next, flows, &before, &size);
        out->increase = increase_over(out->cct_acked, out->bound_acked, out->start);
        before.messages += size.nmessages;
        before.next += size.nnext;
        before.groups += size.ngroups;
        qp += size.nqps;
    }
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of messages, groups and QPs of a run. */
#include "collect.h"

#include <string.h>

#include "textbuf.h"

static int64_t
later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void
collect_flows(const struct simulation *sim, struct run_results *out)
{
    const uint32_t n = sim->graph.size.nmessages;
    out->ngroups = sim->graph.size.ngroups;
    out->groups = xcalloc(out->ngroups, sizeof *out->groups);
    out->nflows = n;
    out->flows = xcalloc(n, sizeof *out->flows);
    for (uint32_t g = 0; g < out->ngroups; g++)
    {
        out->groups[g].delivered = out->groups[g].acked = -1;
    }
    for (uint32_t i = 0; i < n; i++)
    {
        const struct weft_message *m = &sim->graph.messages[i];
        const struct weft_message_times *t = &sim->graph.times[i];
        const struct weft_connection *c = weft_collective_connection(sim->work, m->qp);
        const int64_t fct = t->delivered < 0 ? -1 : t->delivered - t->posted;
        struct group_result *g = &out->groups[m->group];
        struct flow_result *f = &out->flows[i];
        f->message = i;
        f->qp = weft_connection_qp(c, 0)->index;
        f->src = m->src;
        f->dst = m->dst;
        f->group = m->group;
        f->step = m->step;
        f->bytes = m->bytes;
        f->posted = t->posted;
        f->delivered = t->delivered;
        f->acked = t->acked;
        f->fct = fct;
        f->slowdown = fct_slowdown(sim->s, m->src, m->dst, m->bytes, fct);
        g->group = m->group;
        g->messages++;
        g->delivered = later(g->delivered, t->delivered);
        g->acked = later(g->acked, t->acked);
    }
    for (uint32_t i = 0; sim->cut && i < n; i++)
    {
        struct group_result *g = &out->groups[out->flows[i].group];
        g->delivered = out->flows[i].delivered < 0 ? -1 : g->delivered;
        g->acked = out->flows[i].acked < 0 ? -1 : g->acked;
    }
}

uint64_t *
collect_cuts(const struct simulation *sim)
{
    const uint32_t n = weft_net_nqps(sim->net);
    uint64_t *cuts = xcalloc(n + (size_t)1, sizeof *cuts);
    for (uint32_t i = 0; i < n; i++)
    {
        const struct weft_qp *qp = weft_net_qp(sim->net, i);
        const bool here = qp && weft_net_is_here(sim->net, qp->src);
        cuts[i] = here && qp->algos->cc->cuts ? qp->algos->cc->cuts(qp->cc) : 0;
    }
    weft_net_sum(sim->net, cuts, n);
    return cuts;
}

static struct qp_result
describe_qp(const struct simulation *sim, const struct weft_qp *qp, uint64_t cuts)
{
    const struct weft_tx_counters *tx = weft_net_tx_counters(qp);
    const double active = (double)(qp->last_sent - qp->first_sent);
    struct qp_result r = {.qp = qp->index, .src = qp->src, .dst = qp->dst};
    for (size_t i = 0; i < qp->nwqes; i++)
    {
        r.bytes += qp->wqes[i].bytes;
    }
    r.start = qp->first_sent;
    r.delivered = qp->last_delivery;
    r.sent = tx->sent;
    r.resent = tx->resent;
    r.duplicates = qp->duplicates;
    r.out_of_order = qp->out_of_order;
    r.nacks_sent = qp->nacks_sent;
    r.nacks_received = tx->nacks;
    r.cnps_received = qp->cnps;
    r.cuts = cuts;
    r.timeouts = tx->timeouts;
    r.mean_rate = active > 0 ? qp->rate_time / active : qp->last_rate;
    r.fct = r.delivered < 0 ? -1 : r.delivered - r.start;
    const bool whole = qp->delivered == qp->nwqes;
    r.slowdown = fct_slowdown(sim->s, r.src, r.dst, r.bytes, whole ? r.fct : -1);
    return r;
}

/** The rate at which a QP delivered, bit/s. */
static double
goodput_of(const struct simulation *sim, const struct weft_qp *qp)
{
    const struct weft_fabric_config *frame = sim->s->fabric.config;
    uint64_t bytes = 0;
    for (size_t i = 0; i < qp->delivered; i++)
    {
        bytes += qp->wqes[i].bytes;
    }
    int64_t end = qp->last_delivery;
    if (sim->cut && qp->delivered < qp->nwqes)
    {
        /* A message under way counts by what is there in order, until now. */
        bytes += (qp->arrived - qp->wqes[qp->delivered].first) * (uint64_t)frame->payload;
        end = end_of(sim);
    }
    return bytes ? (double)bytes * 8e12 / (double)(end - qp->first_sent) : 0;
}

static void
add_qp(struct run_summary *sum, const struct qp_result *r)
{
    sum->data_sent += r->sent;
    sum->data_resent += r->resent;
    sum->duplicates += r->duplicates;
    sum->out_of_order += r->out_of_order;
    sum->nacks_sent += r->nacks_sent;
    sum->nacks_received += r->nacks_received;
    sum->cnps_received += r->cnps_received;
    sum->cuts += r->cuts;
    sum->timeouts += r->timeouts;
}

void
collect_qps(const struct simulation *sim, const uint64_t *cuts, struct run_results *out)
{
    struct run_summary *sum = &out->summary;
    const uint32_t n = weft_net_nqps(sim->net);
    double rate_time = 0, time = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        const struct weft_qp *qp = weft_net_qp(sim->net, i);
        if (qp)
        {
            struct qp_result *r = ROW_ADD(out, qps);
            *r = describe_qp(sim, qp, cuts[i]);
            /* A QP of one packet is active for no time at all: a picosecond gives it a voice. */
            const double active = (double)later(qp->last_sent - qp->first_sent, 1);
            rate_time += r->mean_rate * active;
            time += active;
            add_qp(sum, r);
        }
    }
    for (uint32_t i = 0; i < n; i++)
    {
        const struct weft_qp *qp = weft_net_qp(sim->net, i);
        sum->goodput += qp ? goodput_of(sim, qp) / (double)out->nqps : 0;
    }
    sum->mean_rate = rate_time / time;
    sum->qps = out->nqps;
}

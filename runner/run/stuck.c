/* SPDX-License-Identifier: GPL-2.0-only */
/* QPs that are not done at the end of a run, and what each waits for. */
#include "collect.h"

#include <stdlib.h>
#include <string.h>

#include "node-numbers.h"
#include "textbuf.h"

/** Causes for which a QP waits, in the order of their sentences. */
enum cause
{
    CAUSE_NO_ROUTE,
    CAUSE_PAUSED,
    CAUSE_WINDOW,
    CAUSE_NO_RTO,
    CAUSE_ACKS_OR_RTO,
    CAUSE_RTO,
    CAUSE_PACING,
    CAUSE_NOTHING,
    CAUSES,
};

static const char *const causes[CAUSES] = {
    [CAUSE_NO_ROUTE] = "no route to the destination",
    [CAUSE_PAUSED] = "NIC paused by PFC",
    [CAUSE_WINDOW] = "waiting for ACKs: the congestion window is full",
    [CAUSE_NO_RTO] = "waiting for ACKs; there is no RTO",
    [CAUSE_ACKS_OR_RTO] = "waiting for ACKs or the RTO",
    [CAUSE_RTO] = "waiting for the RTO",
    [CAUSE_PACING] = "paced by congestion control",
    [CAUSE_NOTHING] = "sending",
};

/** Knowledge of a sender's rank about a QP, a row of words: only one rank writes what is not 0. */
struct sending
{
    uint64_t in_flight; /* packets */
    double rate;        /* bit/s */
    int64_t until;      /* when what it waits for is due, ps, or -1 */
    uint64_t cause;     /* enum cause */
};

/** Whether forwarding of some plane, or its server's network, leads to a QP's receiver. */
static bool
has_route(const struct simulation *sim, const struct weft_qp *qp)
{
    bool has = weft_clos_inside(sim->clos, qp->src, qp->dst);
    for (uint32_t plane = 0; plane < sim->clos->planes && !has; plane++)
    {
        has = weft_fib_leads(sim->clos, weft_net_fib(sim->net, plane), qp->src, qp->dst);
    }
    return has;
}

/** Whether PFC keeps a QP's class back at all ports of its NIC. @p rate: of these together. */
static bool
is_paused(const struct simulation *sim, const struct weft_qp *qp, int64_t *rate)
{
    const uint64_t inside = weft_clos_inside_ports(sim->clos, qp->src);
    const bool own = weft_clos_inside(sim->clos, qp->src, qp->dst);
    bool all = true;
    *rate = 0;
    for (uint32_t port = 0; port < weft_clos_host_ports(sim->clos, qp->src); port++)
    {
        struct weft_net_port is;
        if ((inside >> port & 1) != own)
        {
            continue;
        }
        weft_net_port_status(sim->net, qp->src, port, &is);
        all = all && (is.paused >> qp->algos->tclass & 1);
        *rate += is.rate;
    }
    return all;
}

/** Returns what a QP waits for that is not active; @p until gets when that is due. */
static enum cause
why_quiet(const struct weft_qp *qp, int64_t now, int64_t *until)
{
    const struct weft_transport_ops *transport = qp->algos->transport;
    const struct weft_cc_ops *cc = qp->algos->cc;
    const int64_t deadline = transport->tx_deadline(qp->tx);
    const uint32_t flight = transport->tx_flight(qp->tx);
    *until = deadline == WEFT_NEVER ? -1 : deadline;
    if (cc->window && transport->tx_ready(qp->tx) && flight >= cc->window(qp->cc, now))
    {
        return CAUSE_WINDOW;
    }
    if (deadline == WEFT_NEVER)
    {
        return CAUSE_NO_RTO;
    }
    return flight > 0 ? CAUSE_ACKS_OR_RTO : CAUSE_RTO;
}

static enum cause
why(const struct simulation *sim, const struct weft_qp *qp, int64_t now, int64_t *until)
{
    int64_t rate;
    *until = -1;
    if (!has_route(sim, qp))
    {
        return CAUSE_NO_ROUTE;
    }
    if (is_paused(sim, qp, &rate))
    {
        return CAUSE_PAUSED;
    }
    if (qp->slot < 0)
    {
        return why_quiet(qp, now, until);
    }
    const int64_t at = weft_net_send_at(sim->net, qp);
    if (at > now && qp->algos->cc->rate(qp->cc, now) < rate)
    {
        *until = at;
        return CAUSE_PACING;
    }
    return CAUSE_NOTHING;
}

/** Whether a sender has something under way, and goes on. */
static bool
is_under_way(const struct weft_qp *qp)
{
    return qp && qp->acked < qp->nwqes && !qp->given_up;
}

/** Collects what senders know, by QP, which rank 0 gets of all ranks; to be freed. */
static struct sending *
look_at_all(const struct simulation *sim)
{
    const uint32_t n = weft_net_nqps(sim->net);
    const int64_t now = sim->host->now();
    struct sending *all = xcalloc(n + (size_t)1, sizeof *all);
    for (uint32_t i = 0; i < n; i++)
    {
        const struct weft_qp *qp = weft_net_qp(sim->net, i);
        if (is_under_way(qp) && weft_net_is_here(sim->net, qp->src))
        {
            all[i].in_flight = qp->algos->transport->tx_flight(qp->tx);
            all[i].rate = (double)qp->algos->cc->rate(qp->cc, now);
            all[i].cause = why(sim, qp, now, &all[i].until);
        }
    }
    OWNED uint64_t *words = xcalloc(n + (size_t)1, sizeof *all);
    memcpy(words, all, n * sizeof *all);
    weft_net_sum(sim->net, words, n * (sizeof *all / sizeof *words));
    memcpy(all, words, n * sizeof *all);
    return all;
}

void
collect_stuck(const struct simulation *sim, struct run_results *out)
{
    OWNED struct sending *sending = look_at_all(sim);
    for (uint32_t i = 0; i < weft_net_nqps(sim->net); i++)
    {
        const struct weft_qp *qp = weft_net_qp(sim->net, i);
        if (is_under_way(qp))
        {
            struct stuck_qp *s = ROW_ADD(out, stuck);
            s->qp = qp->index;
            s->src = qp->src;
            s->dst = qp->dst;
            s->messages = qp->nwqes;
            s->delivered = qp->delivered;
            s->packets = qp->posted;
            s->acked = qp->una;
            s->in_flight = sending[i].in_flight;
            s->rate = sending[i].rate;
            s->until = sending[i].until;
            s->why = causes[sending[i].cause];
        }
    }
    for (uint32_t i = 0; i < sim->graph.size.nmessages; i++)
    {
        out->unposted += sim->graph.times[i].posted < 0;
    }
}

/** "such as QP 3, host 1 to host 2: ...", with ids of the topology's file. */
static void
add_example(struct text *t, const struct scenario *of, const struct stuck_qp *s)
{
    OWNED char *src = node_shown(of, NODE_HOST, s->src);
    OWNED char *dst = node_shown(of, NODE_HOST, s->dst);
    text_add(t, "such as QP %lld, %s to %s: %llu of %llu packets acknowledged, ", (long long)s->qp,
             src, dst, (unsigned long long)s->acked, (unsigned long long)s->packets);
    text_add(t, "%llu in flight, rate %.4g Gbps", (unsigned long long)s->in_flight, s->rate * 1e-9);
    if (s->until >= 0)
    {
        text_add(t, ", due at %.6g ms", (double)s->until * 1e-9);
    }
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/** Adds a cause with the first QP that waits for it, if one does. */
static void
add_cause(struct text *t, const struct scenario *s, const struct run_results *r, const char *cause)
{
    const struct stuck_qp *first = NULL;
    size_t n = 0;
    for (size_t i = r->nstuck; i-- > 0;)
    {
        const bool waits = strcmp(r->stuck[i].why, cause) == 0;
        first = waits ? &r->stuck[i] : first;
        n += waits;
    }
    if (first)
    {
        text_add(t, "%s%zu %s (", t->len ? ", " : "", n, cause);
        add_example(t, s, first);
        text_add(t, ")");
    }
}

char *
describe_causes(const struct scenario *s, const struct run_results *r)
{
    struct text t = {0};
    const char *sorted[CAUSES];
    memcpy(sorted, causes, sizeof sorted);
    qsort(sorted, CAUSES, sizeof *sorted, by_text);
    for (size_t i = 0; i < CAUSES; i++)
    {
        add_cause(&t, s, r, sorted[i]);
    }
    if (r->unposted > 0)
    {
        text_add(&t, "%s%llu messages have not started", r->nstuck ? "; " : "",
                 (unsigned long long)r->unposted);
    }
    return text_take(&t);
}

char *
describe_stuck(const struct scenario *s, const struct run_results *r)
{
    OWNED char *why = describe_causes(s, r);
    return xformat("; %zu %s%s%s", r->nstuck,
                   r->nstuck == 1 ? "QP is not done" : "QPs are not done",
                   r->nstuck + r->unposted > 0 ? ": " : "", why);
}

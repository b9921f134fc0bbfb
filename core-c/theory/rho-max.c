/* SPDX-License-Identifier: MIT */
/*
 * Share of line rate that hosts may send at while links are down (ofan App. A).
 *
 * Flows between the same two ToRs are one demand. What passes between the aggregations j of two
 * pods is added up over all demands first, and spread over their cores then. All live links between
 * two switches carry the same.
 */
#include "theory/rho-graph.h"
#include "topo/clos-shape.h"
#include "topo/fib.h"

#include <string.h>

#include <weft/error.h>
#include <weft/theory.h>

struct demand
{
    uint64_t pair; /* 1 + source ToR * ntors + destination ToR; 0: a free slot */
    uint64_t flows;
    bool alive; /* some path is left */
};

struct rho
{
    const struct weft_clos *clos;
    const struct weft_fib *fib;
    enum weft_split split;
    uint64_t mask;      /* slots of demands - 1 */
    uint64_t *sent;     /* [host]: flows */
    uint64_t *received; /* [host] */
    double *tor_up;     /* [ToR * up_tor + j]: flows on each link of the bundle */
    double *tor_down;   /* the same links, downwards */
    double *agg_up;     /* [aggregation * up_agg + u] */
    double *agg_down;   /* the same links, downwards */
    double *between;    /* [(pod * npods + pod) * up_tor + j]: flows by aggregations j */
    uint32_t *joint;    /* the same: 1 + paths between these aggregations; 0: not counted yet */
    double *via;        /* [j] of the demand in hand */
    struct demand *demands;
};

static uint64_t
slots_for(const struct weft_clos *clos, size_t n)
{
    const uint64_t pairs = (uint64_t)clos->ntors * clos->ntors;
    uint64_t slots = 2;
    while (slots < 2 * (n < pairs ? n : pairs))
    {
        slots *= 2;
    }
    return slots;
}

static uint64_t
words_for(const struct weft_clos *c)
{
    const uint64_t pods = (uint64_t)c->npods * c->npods * c->up_tor;
    return 2 * ((uint64_t)c->nhosts + (uint64_t)c->ntors * c->up_tor +
                (uint64_t)c->naggs * c->up_agg) +
           pods + (pods + 1) / 2 + c->up_tor;
}

int64_t
weft_rho_size(const struct weft_clos *clos, size_t n)
{
    if (clos->graph)
    {
        return weft_graph_rho_size(clos->graph, n);
    }
    if (n > SIZE_MAX / (8 * sizeof(struct demand)))
    {
        return WEFT_EOVERFLOW;
    }
    return (int64_t)(words_for(clos) * sizeof(uint64_t) +
                     slots_for(clos, n) * sizeof(struct demand));
}

static void
lay_out(struct rho *r, void *memory, size_t n)
{
    const struct weft_clos *c = r->clos;
    const uint64_t pods = (uint64_t)c->npods * c->npods * c->up_tor;
    r->mask = slots_for(c, n) - 1;
    r->demands = (struct demand *)memory;
    r->sent = (uint64_t *)(r->demands + r->mask + 1);
    r->received = r->sent + c->nhosts;
    r->tor_up = (double *)(r->received + c->nhosts);
    r->tor_down = r->tor_up + (size_t)c->ntors * c->up_tor;
    r->agg_up = r->tor_down + (size_t)c->ntors * c->up_tor;
    r->agg_down = r->agg_up + (size_t)c->naggs * c->up_agg;
    r->between = r->agg_down + (size_t)c->naggs * c->up_agg;
    r->via = r->between + pods;
    r->joint = (uint32_t *)(r->via + c->up_tor);
}

static uint32_t
live(const struct rho *r, uint64_t bundle, uint32_t n)
{
    return r->fib ? weft_fib_live(r->fib, bundle, n) : n;
}

static uint32_t
tor_live(const struct rho *r, uint32_t tor, uint32_t j)
{
    const uint32_t n = r->clos->parallel;
    return live(r, weft_clos_tor_link(r->clos, tor) + (uint64_t)j * n, n);
}

static uint32_t
agg_live(const struct rho *r, uint32_t agg, uint32_t u)
{
    const uint32_t n = r->clos->core_parallel;
    return live(r, weft_clos_agg_link(r->clos, agg) + (uint64_t)u * n, n);
}

static size_t
pod_pair(const struct rho *r, uint32_t p, uint32_t q, uint32_t j)
{
    return ((size_t)p * r->clos->npods + q) * r->clos->up_tor + j;
}

/* Paths between aggregations j of two pods; 1 within a pod. */
static uint32_t
joint_paths(struct rho *r, uint32_t p, uint32_t q, uint32_t j)
{
    const struct weft_clos *c = r->clos;
    uint32_t *known = &r->joint[pod_pair(r, p, q, j)];
    if (*known == 0)
    {
        uint32_t paths = p == q;
        for (uint32_t u = 0; p != q && u < c->up_agg; u++)
        {
            paths += agg_live(r, p * c->up_tor + j, u) * agg_live(r, q * c->up_tor + j, u);
        }
        *known = 1 + paths;
    }
    return *known - 1;
}

/* Fills r->via: what aggregation j gets of one flow from ToR s to ToR t, before dividing by the
 * sum, which it returns. */
static double
weigh(struct rho *r, uint32_t s, uint32_t t)
{
    const struct weft_clos *c = r->clos;
    double sum = 0;
    for (uint32_t j = 0; j < c->up_tor; j++)
    {
        const double up = tor_live(r, s, j);
        const double beyond =
            (double)joint_paths(r, s / c->tors_per_pod, t / c->tors_per_pod, j) * tor_live(r, t, j);
        r->via[j] = r->split == WEFT_SPLIT_PATH ? up * beyond : beyond > 0 ? up : 0;
        sum += r->via[j];
    }
    return sum;
}

static struct demand *
find_demand(struct rho *r, uint32_t s, uint32_t t)
{
    const uint64_t pair = 1 + (uint64_t)s * r->clos->ntors + t;
    uint64_t i = weft_mix64(pair) & r->mask;
    while (r->demands[i].pair != 0 && r->demands[i].pair != pair)
    {
        i = (i + 1) & r->mask;
    }
    struct demand *d = &r->demands[i];
    if (d->pair == 0)
    {
        d->pair = pair;
        d->alive = s == t || weigh(r, s, t) > 0;
    }
    return d;
}

/* Whether the flow has a path; if so it is counted. */
static bool
add_flow(struct rho *r, const struct weft_flow *flow)
{
    if (weft_clos_inside(r->clos, flow->src, flow->dst))
    {
        return true; /* not on the fabric's links */
    }
    if (r->fib && (weft_fib_dead(r->fib, flow->src) || weft_fib_dead(r->fib, flow->dst)))
    {
        return false;
    }
    struct demand *d =
        find_demand(r, weft_clos_tor(r->clos, flow->src), weft_clos_tor(r->clos, flow->dst));
    if (!d->alive)
    {
        return false;
    }
    d->flows++;
    r->sent[flow->src]++;
    r->received[flow->dst]++;
    return true;
}

/* Puts a demand on the links of its ToRs, and on the aggregations between them. */
static void
load_tors(struct rho *r, const struct demand *d)
{
    const struct weft_clos *c = r->clos;
    const uint32_t s = (uint32_t)((d->pair - 1) / c->ntors);
    const uint32_t t = (uint32_t)((d->pair - 1) % c->ntors);
    const double sum = weigh(r, s, t);
    for (uint32_t j = 0; j < c->up_tor; j++)
    {
        if (r->via[j] > 0)
        {
            const double flows = (double)d->flows * r->via[j] / sum;
            r->tor_up[(size_t)s * c->up_tor + j] += flows / tor_live(r, s, j);
            r->tor_down[(size_t)t * c->up_tor + j] += flows / tor_live(r, t, j);
            r->between[pod_pair(r, s / c->tors_per_pod, t / c->tors_per_pod, j)] += flows;
        }
    }
}

/* Puts what passes between aggregations j of pods p and q on the links of their cores. */
static void
load_cores(struct rho *r, uint32_t p, uint32_t q, uint32_t j)
{
    const struct weft_clos *c = r->clos;
    const double flows = r->between[pod_pair(r, p, q, j)];
    const uint32_t from = p * c->up_tor + j;
    const uint32_t to = q * c->up_tor + j;
    double sum = 0;
    for (uint32_t u = 0; flows > 0 && u < c->up_agg; u++)
    {
        const double down = agg_live(r, to, u);
        sum += agg_live(r, from, u) * (r->split == WEFT_SPLIT_PATH ? down : down > 0 ? 1 : 0);
    }
    for (uint32_t u = 0; flows > 0 && u < c->up_agg; u++)
    {
        const double up = agg_live(r, from, u);
        const double down = agg_live(r, to, u);
        if (up > 0 && down > 0)
        {
            const double each = flows / sum * (r->split == WEFT_SPLIT_PATH ? down : 1);
            r->agg_up[(size_t)from * c->up_agg + u] += each;
            r->agg_down[(size_t)to * c->up_agg + u] += each * up / down;
        }
    }
}

static double
greatest(const double *loads, uint64_t n)
{
    double most = 0;
    for (uint64_t i = 0; i < n; i++)
    {
        most = loads[i] > most ? loads[i] : most;
    }
    return most;
}

static double
greatest_count(const uint64_t *loads, uint64_t n)
{
    uint64_t most = 0;
    for (uint64_t i = 0; i < n; i++)
    {
        most = loads[i] > most ? loads[i] : most;
    }
    return (double)most;
}

/* Flows by rate on the fullest of the links that are slower than planned. */
static double
slow_load(const struct rho *r, const struct weft_slow_link *slow, size_t n)
{
    const struct weft_clos *c = r->clos;
    const uint64_t first_agg = weft_clos_agg_link(c, 0);
    double most = 0;
    for (size_t i = 0; i < n; i++)
    {
        if (r->fib && weft_fib_dead(r->fib, slow[i].link))
        {
            continue; /* it carries nothing */
        }
        if (slow[i].link < c->nhosts)
        {
            const uint64_t both[2] = {r->sent[slow[i].link], r->received[slow[i].link]};
            const double load = greatest_count(both, 2) / (double)slow[i].rate;
            most = load > most ? load : most;
            continue;
        }
        const bool tor = slow[i].link < first_agg;
        const uint64_t bundle = tor ? (slow[i].link - c->nhosts) / c->parallel
                                    : (slow[i].link - first_agg) / c->core_parallel;
        const double up = (tor ? r->tor_up : r->agg_up)[bundle];
        const double down = (tor ? r->tor_down : r->agg_down)[bundle];
        const double load = (up > down ? up : down) / (double)slow[i].rate;
        most = load > most ? load : most;
    }
    return most;
}

/* How much longer than the busiest sender the fullest link takes, inverted. */
static double
share_of(const struct rho *r, double slow)
{
    const struct weft_clos *c = r->clos;
    /* Upwards and downwards lie one behind the other. */
    const double tors =
        greatest(r->tor_up, 2 * (uint64_t)c->ntors * c->up_tor) / (double)c->fabric_rate;
    const double cores =
        greatest(r->agg_up, 2 * (uint64_t)c->naggs * c->up_agg) / (double)c->core_rate;
    const double fabric = tors > cores ? tors : cores;
    const double sender = greatest_count(r->sent, c->nhosts) / (double)c->host_rate;
    const double receiver = greatest_count(r->received, c->nhosts) / (double)c->host_rate;
    const double healthy = receiver > fabric ? receiver : fabric;
    const double slowest = healthy > slow ? healthy : slow;
    /* A healthy fabric is to give 1, not what thirds and fifths add up to. */
    return slowest <= sender * (1 + 1e-12 * c->nhosts) ? 1 : sender / slowest;
}

int
weft_rho_max(void *memory, size_t size, const struct weft_clos *clos, const struct weft_fib *fib,
             const struct weft_flow *flows, size_t n, const struct weft_slow_link *slow,
             size_t nslow, enum weft_split split, struct weft_rho *out)
{
    const int64_t need = weft_rho_size(clos, n);
    if (need < 0 || (uint64_t)need > size)
    {
        return WEFT_EOVERFLOW;
    }
    for (size_t i = 0; i < nslow; i++)
    {
        if (slow[i].link >= clos->nlinks || slow[i].rate < 1)
        {
            return WEFT_ERANGE;
        }
    }
    if (clos->graph)
    {
        return weft_graph_rho(memory, clos->graph, fib, flows, n, slow, nslow, split, out);
    }
    struct rho r;
    r.clos = clos;
    r.fib = fib;
    r.split = split;
    memset(memory, 0, (size_t)need);
    lay_out(&r, memory, n);
    out->lost = 0;
    for (size_t i = 0; i < n; i++)
    {
        if (flows[i].src >= clos->nhosts || flows[i].dst >= clos->nhosts)
        {
            return WEFT_ERANGE;
        }
        out->lost += !add_flow(&r, &flows[i]);
    }
    for (uint64_t i = 0; i <= r.mask; i++)
    {
        const uint64_t pair = r.demands[i].pair - 1;
        if (r.demands[i].flows > 0 && pair / clos->ntors != pair % clos->ntors)
        {
            load_tors(&r, &r.demands[i]);
        }
    }
    for (uint32_t p = 0; p < clos->npods; p++)
    {
        for (uint32_t q = 0; q < clos->npods; q++)
        {
            for (uint32_t j = 0; p != q && j < clos->up_tor; j++)
            {
                load_cores(&r, p, q, j);
            }
        }
    }
    out->share = share_of(&r, slow_load(&r, slow, nslow));
    return 0;
}

/* SPDX-License-Identifier: MIT */
/*
 * Share of line rate that hosts may send at while links are down (ofan App. A).
 *
 * A flow divides over the planes that lead it, then over the paths of each. Planes are taken one
 * after the other: first for how many paths a flow has in all of them, then for what it puts on
 * each one's links. Flows between the same two ToRs are one demand. What passes between the
 * aggregations j of two pods is added up over all demands first, and spread over their cores then.
 * All live links between two switches carry the same.
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
    double flows;
    double weight; /* of the plane in hand for one of its flows; 0: no path is left */
};

struct rho
{
    const struct weft_clos *clos;
    const struct weft_fib *fib;
    enum weft_split split;
    uint64_t mask;    /* slots of demands - 1 */
    double *whole;    /* [flow]: its weights of all planes */
    double *planned;  /* [host]: flows that it sends, in all planes */
    double *sent;     /* [host]: flows, in the plane in hand; so is what follows */
    double *received; /* [host] */
    double *tor_up;   /* [ToR * up_tor + j]: flows on each link of the bundle */
    double *tor_down; /* the same links, downwards */
    double *agg_up;   /* [aggregation * up_agg + u] */
    double *agg_down; /* the same links, downwards */
    double *between;  /* [(pod * npods + pod) * up_tor + j]: flows by aggregations j */
    uint32_t *joint;  /* the same: 1 + paths between these aggregations; 0: not counted yet */
    double *via;      /* [j] of the demand in hand */
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
    return c->nhosts +
           2 * ((uint64_t)c->nhosts + (uint64_t)c->ntors * c->up_tor +
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
    return (int64_t)((words_for(clos) + n) * sizeof(uint64_t) +
                     slots_for(clos, n) * sizeof(struct demand));
}

static void
lay_out(struct rho *r, void *memory, size_t n)
{
    const struct weft_clos *c = r->clos;
    const uint64_t pods = (uint64_t)c->npods * c->npods * c->up_tor;
    r->mask = slots_for(c, n) - 1;
    r->demands = (struct demand *)memory;
    r->whole = (double *)(r->demands + r->mask + 1);
    r->planned = r->whole + n;
    r->sent = r->planned + c->nhosts;
    r->received = r->sent + c->nhosts;
    r->tor_up = r->received + c->nhosts;
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
        const double paths = s == t ? 1 : weigh(r, s, t);
        d->weight = r->split == WEFT_SPLIT_PATH ? paths : paths > 0;
    }
    return d;
}

/* Returns the demand of a flow, if it crosses the fabric and its hosts' links are alive. */
static struct demand *
demand_of(struct rho *r, const struct weft_flow *flow)
{
    const bool dead =
        r->fib && (weft_fib_dead(r->fib, flow->src) || weft_fib_dead(r->fib, flow->dst));
    return dead || weft_clos_inside(r->clos, flow->src, flow->dst)
               ? NULL
               : find_demand(r, weft_clos_tor(r->clos, flow->src),
                             weft_clos_tor(r->clos, flow->dst));
}

static void
add_flow(struct rho *r, const struct weft_flow *flow, double whole)
{
    struct demand *d = demand_of(r, flow);
    if (d && d->weight > 0)
    {
        const double part = d->weight / whole;
        d->flows += part;
        r->planned[flow->src] += part;
        r->sent[flow->src] += part;
        r->received[flow->dst] += part;
    }
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
            const double flows = d->flows * r->via[j] / sum;
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

/* Flows by rate on the fullest of the links that are slower than planned. */
static double
slow_load(const struct rho *r, const struct weft_rho_plane *plane)
{
    const struct weft_slow_link *slow = plane->slow;
    const struct weft_clos *c = r->clos;
    const uint64_t first_agg = weft_clos_agg_link(c, 0);
    double most = 0;
    for (size_t i = 0; i < plane->nslow; i++)
    {
        if (r->fib && weft_fib_dead(r->fib, slow[i].link))
        {
            continue; /* it carries nothing */
        }
        if (slow[i].link < c->nhosts)
        {
            const double both[2] = {r->sent[slow[i].link], r->received[slow[i].link]};
            const double load = greatest(both, 2) / (double)slow[i].rate;
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

/* Flows by rate on the fullest link of the plane in hand. */
static double
fullest(const struct rho *r, const struct weft_rho_plane *plane)
{
    const struct weft_clos *c = r->clos;
    /* Upwards and downwards lie one behind the other, and so do what hosts send and receive. */
    const double loads[] = {
        greatest(r->sent, 2 * (uint64_t)c->nhosts) / (double)c->host_rate,
        greatest(r->tor_up, 2 * (uint64_t)c->ntors * c->up_tor) / (double)c->fabric_rate,
        greatest(r->agg_up, 2 * (uint64_t)c->naggs * c->up_agg) / (double)c->core_rate,
        slow_load(r, plane)};
    return greatest(loads, sizeof loads / sizeof loads[0]);
}

/* Puts what the demands are on the links of the plane in hand. */
static void
load_links(struct rho *r)
{
    const struct weft_clos *c = r->clos;
    for (uint64_t i = 0; i <= r->mask; i++)
    {
        const uint64_t pair = r->demands[i].pair - 1;
        if (r->demands[i].flows > 0 && pair / c->ntors != pair % c->ntors)
        {
            load_tors(r, &r->demands[i]);
        }
    }
    for (uint32_t p = 0; p < c->npods; p++)
    {
        for (uint32_t q = 0; q < c->npods; q++)
        {
            for (uint32_t j = 0; p != q && j < c->up_tor; j++)
            {
                load_cores(r, p, q, j);
            }
        }
    }
}

static void
begin_plane(struct rho *r, const struct weft_rho_plane *plane)
{
    r->fib = plane->fib;
    memset(r->demands, 0, (r->mask + 1) * sizeof *r->demands);
    memset(r->sent, 0, (words_for(r->clos) - r->clos->nhosts) * sizeof(uint64_t));
}

/* Returns how many flows have no path in any plane. */
static uint64_t
weigh_planes(struct rho *r, const struct weft_rho_plane *planes, const struct weft_flow *flows,
             size_t n)
{
    uint64_t lost = 0;
    for (uint32_t plane = 0; plane < r->clos->planes; plane++)
    {
        begin_plane(r, &planes[plane]);
        for (size_t i = 0; i < n; i++)
        {
            const struct demand *d = demand_of(r, &flows[i]);
            r->whole[i] += d ? d->weight : 0;
        }
    }
    for (size_t i = 0; i < n; i++)
    {
        lost += !(r->whole[i] > 0) && !weft_clos_inside(r->clos, flows[i].src, flows[i].dst);
    }
    return lost;
}

/* How much longer than the busiest sender's ports, if all were alive, the fullest link takes,
 * inverted. */
static double
share_of(struct rho *r, const struct weft_rho_plane *planes, const struct weft_flow *flows,
         size_t n)
{
    const struct weft_clos *c = r->clos;
    double slowest = 0;
    for (uint32_t plane = 0; plane < c->planes; plane++)
    {
        begin_plane(r, &planes[plane]);
        for (size_t i = 0; i < n; i++)
        {
            add_flow(r, &flows[i], r->whole[i]);
        }
        load_links(r);
        const double most = fullest(r, &planes[plane]);
        slowest = most > slowest ? most : slowest;
    }
    const double sender = greatest(r->planned, c->nhosts) / (double)weft_planes_host_rate(c);
    /* A healthy fabric is to give 1, not what thirds and fifths add up to. */
    return slowest <= sender * (1 + 1e-12 * c->nhosts) ? 1 : sender / slowest;
}

static bool
are_links(const struct weft_clos *clos, const struct weft_rho_plane *planes)
{
    bool all = true;
    for (uint32_t plane = 0; plane < clos->planes; plane++)
    {
        for (size_t i = 0; i < planes[plane].nslow; i++)
        {
            const struct weft_slow_link *slow = &planes[plane].slow[i];
            all = all && slow->link < clos->nlinks && slow->rate > 0;
        }
    }
    return all;
}

int
weft_rho_max(void *memory, size_t size, const struct weft_clos *clos,
             const struct weft_rho_plane *planes, const struct weft_flow *flows, size_t n,
             enum weft_split split, struct weft_rho *out)
{
    const int64_t need = weft_rho_size(clos, n);
    bool known = true;
    if (need < 0 || (uint64_t)need > size)
    {
        return WEFT_EOVERFLOW;
    }
    for (size_t i = 0; i < n; i++)
    {
        known = known && flows[i].src < clos->nhosts && flows[i].dst < clos->nhosts;
    }
    if (!known || !are_links(clos, planes))
    {
        return WEFT_ERANGE;
    }
    if (clos->graph)
    {
        weft_graph_rho(memory, clos->graph, planes, flows, n, split, out);
        return 0;
    }
    struct rho r = {.clos = clos, .split = split};
    memset(memory, 0, (size_t)need);
    lay_out(&r, memory, n);
    out->lost = weigh_planes(&r, planes, flows, n);
    out->share = share_of(&r, planes, flows, n);
    return 0;
}

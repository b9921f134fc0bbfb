/* SPDX-License-Identifier: MIT */
/*
 * rho_max where the fabric is a graph. For each switch with destinations, what all flows to it put
 * on each switch's ports: from the farthest switch inwards, each shares out what it has got.
 */
#include "theory/rho-graph.h"

#include <string.h>

#include "topo/fib.h"
#include "topo/graph-distance.h"

#include <weft/error.h>

struct rho
{
    const struct weft_graph *g;
    const uint64_t *dead;
    enum weft_split split;
    double *port_load;  /* [port of all switches]: flows that leave by it */
    double *load;       /* [switch]: flows on their way to the group in hand */
    double *paths;      /* [switch]: shortest paths from it, scaled so that they stay finite */
    double *sent;       /* [host]: flows */
    double *received;   /* [host] */
    uint32_t *first;    /* [group + 1]: its flows in order */
    uint32_t *order;    /* flows by the group of their destination */
    uint16_t *distance; /* [switch] */
};

int64_t
weft_graph_rho_size(const struct weft_graph *g, size_t n)
{
    const uint64_t doubles =
        2 * (uint64_t)g->nlinks + 2 * (uint64_t)g->nswitches + 2 * (uint64_t)g->nhosts;
    const uint64_t size = doubles * sizeof(double) + (g->ngroups + 2 + (uint64_t)n) * 4 +
                          (uint64_t)g->nswitches * sizeof(uint16_t);
    return n > UINT32_MAX ? (int64_t)WEFT_EOVERFLOW : (int64_t)((size + 7) & ~UINT64_C(7));
}

static void
lay_out(struct rho *r, void *memory)
{
    const struct weft_graph *g = r->g;
    r->port_load = (double *)memory;
    r->load = r->port_load + 2 * (size_t)g->nlinks;
    r->paths = r->load + g->nswitches;
    r->sent = r->paths + g->nswitches;
    r->received = r->sent + g->nhosts;
    r->first = (uint32_t *)(r->received + g->nhosts);
    r->distance = (uint16_t *)(r->first + g->ngroups + 2);
    r->order = (uint32_t *)(r->distance + g->nswitches + (g->nswitches & 1U));
}

static uint32_t
group_of(const struct weft_graph *g, uint32_t host)
{
    return g->group[g->tor[host]];
}

/* Sorts the flows by destination group, by counting. */
static int
sort(struct rho *r, const struct weft_flow *flows, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        if (flows[i].src >= r->g->nhosts || flows[i].dst >= r->g->nhosts)
        {
            return WEFT_ERANGE;
        }
        r->first[group_of(r->g, flows[i].dst) + 2]++;
    }
    for (uint32_t group = 0; group < r->g->ngroups; group++)
    {
        r->first[group + 2] += r->first[group + 1];
    }
    for (size_t i = 0; i < n; i++)
    {
        r->order[r->first[group_of(r->g, flows[i].dst) + 1]++] = (uint32_t)i;
    }
    return 0;
}

/* Counts the flows to a group that have a way, at their first switches; returns those without. */
static uint64_t
start_flows(struct rho *r, const struct weft_flow *flows, uint32_t group)
{
    uint64_t lost = 0;
    for (uint32_t i = r->first[group]; i < r->first[group + 1]; i++)
    {
        const struct weft_flow *flow = &flows[r->order[i]];
        const uint32_t tor = r->g->tor[flow->src];
        if (weft_graph_dead(r->dead, flow->src) || weft_graph_dead(r->dead, flow->dst) ||
            r->distance[tor] == WEFT_GRAPH_NONE)
        {
            lost++;
            continue;
        }
        r->load[tor]++;
        r->sent[flow->src]++;
        r->received[flow->dst]++;
    }
    return lost;
}

/* Shortest paths from switch @p s, those of the nearer ones being known. */
static void
count_paths(struct rho *r, uint32_t s)
{
    uint16_t list[WEFT_MAX_PORTS];
    const uint32_t n = weft_graph_candidates(r->g, r->distance, r->dead, s, list);
    r->paths[s] = n == 0 ? 1 : 0;
    for (uint32_t i = 0; i < n; i++)
    {
        r->paths[s] += r->paths[r->g->ports[r->g->first_port[s] + list[i]].peer];
    }
}

static void
share_out(struct rho *r, uint32_t s)
{
    const struct weft_graph *g = r->g;
    uint16_t list[WEFT_MAX_PORTS];
    const uint32_t n = r->load[s] > 0 ? weft_graph_candidates(g, r->distance, r->dead, s, list) : 0;
    for (uint32_t i = 0; i < n; i++)
    {
        const uint32_t port = g->first_port[s] + list[i];
        const uint32_t peer = g->ports[port].peer;
        const double part = r->split == WEFT_SPLIT_PATH ? r->paths[peer] / r->paths[s] : 1.0 / n;
        r->port_load[port] += r->load[s] * part;
        r->load[peer] += r->load[s] * part;
    }
}

static uint64_t
load_group(struct rho *r, const struct weft_flow *flows, uint32_t to)
{
    const struct weft_graph *g = r->g;
    uint32_t reached = 0;
    weft_graph_distances(g, to, r->dead, r->distance);
    memset(r->load, 0, g->nswitches * sizeof *r->load);
    for (uint32_t s = 0; s < g->nswitches; s++)
    {
        reached += r->distance[s] != WEFT_GRAPH_NONE;
    }
    const uint64_t lost = start_flows(r, flows, g->group[to]);
    /* The search has left the switches in its queue, the nearest first. */
    for (uint32_t i = 0; i < reached; i++)
    {
        count_paths(r, g->queue[i]);
    }
    for (uint32_t i = reached; i > 0; i--)
    {
        share_out(r, g->queue[i - 1]);
    }
    return lost;
}

static double
larger(double a, double b)
{
    return a > b ? a : b;
}

static double
share_of(const struct rho *r, const struct weft_slow_link *slow, size_t nslow)
{
    const struct weft_graph *g = r->g;
    double sender = 0;
    double slowest = 0;
    for (uint32_t host = 0; host < g->nhosts; host++)
    {
        const double rate = (double)g->links[host].rate;
        sender = larger(sender, r->sent[host] / rate);
        slowest = larger(slowest, r->received[host] / rate);
    }
    for (uint32_t p = 0; p < g->first_port[g->nswitches]; p++)
    {
        slowest = larger(slowest, r->port_load[p] / (double)g->links[g->ports[p].link].rate);
    }
    for (size_t i = 0; i < nslow; i++)
    {
        const struct weft_link *link = &g->links[slow[i].link];
        const bool host = link->lower.is_host;
        const double up = host ? r->sent[slow[i].link]
                               : r->port_load[g->first_port[link->lower.index] + link->lower.port];
        const double down = host
                                ? r->received[slow[i].link]
                                : r->port_load[g->first_port[link->upper.index] + link->upper.port];
        slowest = larger(slowest, larger(up, down) / (double)slow[i].rate);
    }
    return slowest <= sender * (1 + 1e-12 * g->nhosts) ? 1 : sender / slowest;
}

int
weft_graph_rho(void *memory, const struct weft_graph *g, const struct weft_fib *fib,
               const struct weft_flow *flows, size_t n, const struct weft_slow_link *slow,
               size_t nslow, enum weft_split split, struct weft_rho *out)
{
    struct rho r = {.g = g, .dead = fib ? fib->dead : NULL, .split = split};
    memset(memory, 0, (size_t)weft_graph_rho_size(g, n));
    lay_out(&r, memory);
    out->lost = 0;
    const int error = sort(&r, flows, n);
    for (uint32_t s = 0; !error && s < g->nswitches; s++)
    {
        const uint32_t group = g->group[s];
        if (group != WEFT_GRAPH_NONE && r.first[group] < r.first[group + 1])
        {
            out->lost += load_group(&r, flows, s);
        }
    }
    out->share = share_of(&r, slow, nslow);
    return error;
}

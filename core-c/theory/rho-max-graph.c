/* SPDX-License-Identifier: MIT */
/*
 * rho_max where the fabric is a graph. For each switch with destinations, what all flows to it put
 * on each switch's ports: from the farthest switch inwards, each shares out what it has got.
 */
#include "theory/rho-graph.h"

#include <string.h>

#include "topo/fib.h"
#include "topo/graph-distance.h"

#include "base/bitmap.h"
#include <weft/error.h>

struct rho
{
    const struct weft_graph *g;
    const uint64_t *dead;
    enum weft_split split;
    double *port_load;  /* [port of all switches]: flows that leave by it */
    double *load;       /* [switch]: flows on their way to the group in hand */
    double *paths;      /* [switch]: shortest paths from it, scaled so that they stay finite */
    double *sent;       /* [link of a host]: flows */
    double *received;   /* [link of a host] */
    double *planned;    /* [link of a host]: what it would send if all links were alive */
    uint32_t ngroups;   /* of destinations: hosts, where these have several links */
    uint32_t *first;    /* [group + 1]: its flows in order */
    uint32_t *order;    /* flows by the group of their destination */
    uint16_t *distance; /* [switch] */
};

static uint32_t
groups_of(const struct weft_graph *g)
{
    return g->most_ports > 1 ? g->nhosts : g->ngroups;
}

int64_t
weft_graph_rho_size(const struct weft_graph *g, size_t n)
{
    const uint64_t doubles =
        2 * (uint64_t)g->nlinks + 2 * (uint64_t)g->nswitches + 3 * (uint64_t)g->nhost_links;
    const uint64_t size = doubles * sizeof(double) + (groups_of(g) + 2 + (uint64_t)n) * 4 +
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
    r->received = r->sent + g->nhost_links;
    r->planned = r->received + g->nhost_links;
    r->ngroups = groups_of(g);
    r->first = (uint32_t *)(r->planned + g->nhost_links);
    r->distance = (uint16_t *)(r->first + r->ngroups + 2);
    r->order = (uint32_t *)(r->distance + g->nswitches + (g->nswitches & 1U));
}

static uint32_t
group_of(const struct weft_graph *g, uint32_t host)
{
    return g->most_ports > 1 ? host : g->group[host];
}

/* Sorts the flows by destination group, by counting. */
static void
sort(struct rho *r, const struct weft_flow *flows, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        r->first[group_of(r->g, flows[i].dst) + 2]++;
    }
    for (uint32_t group = 0; group < r->ngroups; group++)
    {
        r->first[group + 2] += r->first[group + 1];
    }
    for (size_t i = 0; i < n; i++)
    {
        r->order[r->first[group_of(r->g, flows[i].dst) + 1]++] = (uint32_t)i;
    }
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

/* How much of a flow leaves by a port of its host: as much as by each other one, or as there are
 * paths behind it. */
static double
part_of(const struct rho *r, const struct weft_flow *flow, uint64_t ways, uint32_t port)
{
    const struct weft_graph *g = r->g;
    const uint32_t first = g->first_link[flow->src];
    double own = 0, all = 0;
    for (; ways != 0; ways &= ways - 1)
    {
        const uint32_t p = weft_ctz64(ways);
        const uint32_t s = g->links[first + p].upper.index;
        const double paths = r->split == WEFT_SPLIT_PATH ? r->paths[s] : 1;
        own = p == port ? paths : own;
        all += paths;
    }
    return own / all;
}

/* Puts a flow on the links of its host and on the first switches. */
static void
start_flow(struct rho *r, const struct weft_flow *flow, uint64_t ways)
{
    const struct weft_graph *g = r->g;
    for (uint64_t left = ways; left != 0; left &= left - 1)
    {
        const uint32_t port = weft_ctz64(left), link = g->first_link[flow->src] + port;
        const uint32_t s = g->links[link].upper.index;
        const double part = part_of(r, flow, ways, port);
        r->sent[link] += part;
        r->load[s] += part;
        r->received[g->first_link[flow->dst]] += g->most_ports == 1 ? part : 0;
    }
}

/* Whether a flow has no way. */
static bool
is_lost(const struct rho *r, const struct weft_flow *flow, uint64_t ways)
{
    const bool one = r->g->most_ports == 1;
    return ways == 0 || (one && (weft_graph_dead(r->dead, r->g->first_link[flow->src]) ||
                                 weft_graph_dead(r->dead, r->g->first_link[flow->dst])));
}

/* Starts the flows to a group that have a way, and not by their server's network: these come first
 * in the group's order then. Returns how many they are, and counts those without a way. */
static uint32_t
start_flows(struct rho *r, const struct weft_flow *flows, uint32_t group, uint64_t *lost)
{
    uint32_t started = 0, *order = r->order + r->first[group];
    for (uint32_t i = 0; i < r->first[group + 1] - r->first[group]; i++)
    {
        const struct weft_flow *flow = &flows[order[i]];
        const uint64_t ways = weft_graph_ways_by(r->g, r->distance, r->dead, flow->src, flow->dst);
        const bool gone = is_lost(r, flow, ways);
        *lost += gone;
        if (!gone && (ways & r->g->inside[flow->src]) == 0)
        {
            start_flow(r, flow, ways);
            order[started++] = order[i];
        }
    }
    return started;
}

/* Data that has come to the switches of a host with several links goes on by its links. */
static void
deliver(struct rho *r, uint32_t host)
{
    const struct weft_graph *g = r->g;
    for (uint32_t link = g->first_link[host]; link < g->first_link[host + 1]; link++)
    {
        const uint32_t s = g->links[link].upper.index;
        const bool is_there = weft_graph_is_at(g, r->dead, host, link - g->first_link[host]);
        r->received[link] += is_there && r->distance[s] == 0 ? r->load[s] : 0;
    }
}

/* Searches ways to a host, and counts paths on them; returns how many switches have some: these
 * are in the graph's queue, the nearest first. */
static uint32_t
search(struct rho *r, uint32_t host)
{
    weft_graph_distances(r->g, host, r->dead, r->distance);
    const uint32_t reached = weft_graph_reached(r->g, r->distance);
    for (uint32_t i = 0; i < reached; i++)
    {
        count_paths(r, r->g->queue[i]);
    }
    return reached;
}

/* Puts the first @p n flows in a group's order on the links of their hosts, as if all links were
 * alive. */
static void
plan_flows(struct rho *r, const struct weft_flow *flows, const uint32_t *order, uint32_t n)
{
    const struct weft_graph *g = r->g;
    const uint64_t *dead = r->dead;
    r->dead = NULL;
    (void)search(r, flows[order[0]].dst);
    for (uint32_t i = 0; i < n; i++)
    {
        const struct weft_flow *flow = &flows[order[i]];
        const uint64_t ways = weft_graph_ways(g, flow->src, flow->dst);
        for (uint64_t left = ways; left != 0; left &= left - 1)
        {
            const uint32_t port = weft_ctz64(left);
            r->planned[g->first_link[flow->src] + port] += part_of(r, flow, ways, port);
        }
    }
    r->dead = dead;
}

static uint64_t
load_group(struct rho *r, const struct weft_flow *flows, uint32_t group)
{
    const struct weft_graph *g = r->g;
    const uint32_t *order = r->order + r->first[group], host = flows[order[0]].dst;
    uint64_t lost = 0;
    memset(r->load, 0, g->nswitches * sizeof *r->load);
    const uint32_t reached = search(r, host);
    const uint32_t started = start_flows(r, flows, group, &lost);
    for (uint32_t i = reached; i > 0; i--)
    {
        share_out(r, g->queue[i - 1]);
    }
    if (g->most_ports > 1)
    {
        deliver(r, host);
    }
    if (started > 0 && r->planned != r->sent)
    {
        plan_flows(r, flows, order, started);
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
    for (uint32_t link = 0; link < g->nhost_links; link++)
    {
        const double rate = (double)g->links[link].rate;
        sender = larger(sender, r->planned[link] / rate);
        slowest = larger(slowest, larger(r->sent[link], r->received[link]) / rate);
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

void
weft_graph_rho(void *memory, const struct weft_graph *g, const struct weft_rho_plane *links,
               const struct weft_flow *flows, size_t n, enum weft_split split, struct weft_rho *out)
{
    struct rho r = {.g = g, .dead = links->fib ? links->fib->dead : NULL, .split = split};
    memset(memory, 0, (size_t)weft_graph_rho_size(g, n));
    lay_out(&r, memory);
    r.planned = r.dead && g->most_ports > 1 ? r.planned : r.sent;
    out->lost = 0;
    sort(&r, flows, n);
    for (uint32_t group = 0; group < r.ngroups; group++)
    {
        if (r.first[group] < r.first[group + 1])
        {
            out->lost += load_group(&r, flows, group);
        }
    }
    out->share = share_of(&r, links->slow, links->nslow);
}

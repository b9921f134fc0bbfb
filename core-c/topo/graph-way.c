/* SPDX-License-Identifier: MIT */
/* Ways from one host of a graph to another while all links are alive. */
#include <weft/clos.h>
#include <weft/graph.h>
#include <weft/wire-time.h>

#include "base/bitmap.h"
#include "checked/check.h"
#include "topo/graph-distance.h"

static const uint16_t *
distance_to(const struct weft_graph *g, uint32_t host)
{
    return g->distance + (size_t)g->group[host] * g->nswitches;
}

static uint64_t
ways(const struct weft_graph *g, uint32_t a, uint32_t b)
{
    return weft_graph_ways_by(g, distance_to(g, b), NULL, a, b);
}

uint64_t
weft_graph_ways(const struct weft_graph *graph, uint32_t a, uint32_t b)
{
    WEFT_CHECK_HOSTS(graph, a, b, "weft_graph_ways");
    return ways(graph, a, b);
}

/* The link of a host's first port towards another. */
static uint32_t
first_link(const struct weft_graph *g, uint32_t a, uint32_t b)
{
    return g->first_link[a] + weft_ctz64(ways(g, a, b));
}

bool
weft_graph_inside(const struct weft_graph *graph, uint32_t a, uint32_t b)
{
    WEFT_CHECK_HOSTS(graph, a, b, "weft_graph_inside");
    return a != b && graph->inside[a] != 0 && (graph->inside[a] & ways(graph, a, b)) != 0;
}

uint32_t
weft_graph_hops(const struct weft_graph *graph, uint32_t a, uint32_t b)
{
    WEFT_CHECK_HOSTS(graph, a, b, "weft_graph_hops");
    if (a == b || weft_graph_inside(graph, a, b))
    {
        return a == b ? 0 : 2;
    }
    return 2U + distance_to(graph, b)[graph->links[first_link(graph, a, b)].upper.index];
}

static int64_t
link_time(const struct weft_graph *g, uint32_t link, int64_t bytes)
{
    return g->links[link].delay + weft_wire_time(bytes, g->links[link].rate);
}

int64_t
weft_graph_time(const struct weft_graph *graph, uint32_t a, uint32_t b, int64_t bytes)
{
    WEFT_CHECK_HOSTS(graph, a, b, "weft_graph_time");
    const uint16_t *distance = distance_to(graph, b);
    if (a == b)
    {
        return 0;
    }
    const uint32_t first = first_link(graph, a, b);
    int64_t time = link_time(graph, first, bytes);
    uint32_t s = graph->links[first].upper.index;
    while (!weft_graph_inside(graph, a, b) && distance[s] > 0)
    {
        uint32_t p = graph->first_port[s] + graph->nhost_ports[s];
        while (distance[graph->ports[p].peer] + 1U != distance[s])
        {
            p++;
        }
        time += link_time(graph, graph->ports[p].link, bytes);
        s = graph->ports[p].peer;
    }
    return time + link_time(graph, graph->first_link[b] + weft_graph_port_at(graph, b, s), bytes);
}

static void
keep_better(struct weft_hop *hop, const struct weft_link *link)
{
    hop->rate = link->rate > hop->rate ? link->rate : hop->rate;
    hop->delay = link->delay < hop->delay ? link->delay : hop->delay;
}

/* Fills the hop of a host's ports. */
static void
keep_ports(const struct weft_graph *g, uint32_t host, uint64_t ports, struct weft_hop *hop)
{
    for (; ports != 0; ports &= ports - 1)
    {
        keep_better(hop, &g->links[g->first_link[host] + weft_ctz64(ports)]);
    }
}

/* Fills the hops between switches. */
static void
keep_inner(const struct weft_graph *g, uint32_t a, uint32_t b, uint32_t inner,
           struct weft_hop *hops, uint32_t most)
{
    const uint16_t *from = distance_to(g, a), *to = distance_to(g, b);
    for (uint32_t s = 0; s < g->nswitches; s++)
    {
        const uint32_t at = 1U + from[s];
        if (from[s] + (uint32_t)to[s] != inner || at >= most)
        {
            continue; /* on no shortest path */
        }
        for (uint32_t p = g->first_port[s] + g->nhost_ports[s]; p < g->first_port[s + 1]; p++)
        {
            if (to[g->ports[p].peer] + 1U == to[s])
            {
                keep_better(&hops[at], &g->links[g->ports[p].link]);
            }
        }
    }
}

uint32_t
weft_graph_best_path(const struct weft_graph *graph, uint32_t a, uint32_t b, struct weft_hop *hops,
                     uint32_t most)
{
    WEFT_CHECK_HOSTS(graph, a, b, "weft_graph_best_path");
    const uint32_t links = weft_graph_hops(graph, a, b);
    for (uint32_t i = 0; i < links && i < most; i++)
    {
        hops[i] = (struct weft_hop){0, WEFT_NEVER};
    }
    if (links > 2)
    {
        keep_inner(graph, a, b, links - 2, hops, most);
    }
    if (links > 0 && most > 0)
    {
        keep_ports(graph, a, ways(graph, a, b), &hops[0]);
    }
    if (links > 0 && most >= links)
    {
        keep_ports(graph, b, ways(graph, b, a), &hops[links - 1]);
    }
    return links;
}

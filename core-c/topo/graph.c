/* SPDX-License-Identifier: MIT */
/* Any switches and links: checked, numbered, and how far apart they are. */
#include <weft/graph.h>

#include <stdbool.h>
#include <string.h>

#include <weft/clos.h>
#include <weft/error.h>
#include <weft/wire-time.h>

#include "checked/check.h"
#include "topo/graph-distance.h"

#define MIN_RATE  INT64_C(1000000)
#define MAX_RATE  INT64_C(8000000000000)
#define MAX_DELAY INT64_C(1000000000000)

static uint64_t
rows_of(uint32_t nhosts, uint32_t nswitches)
{
    return (uint64_t)nswitches * (nhosts < nswitches ? nhosts : nswitches);
}

static uint32_t
slots_for(uint32_t groups)
{
    uint32_t slots = 2;
    while (slots < 2 * groups)
    {
        slots *= 2;
    }
    return slots;
}

int64_t
weft_graph_size(uint32_t nhosts, uint32_t nswitches, uint32_t nedges)
{
    if (nhosts < 1 || nswitches < 1)
    {
        return WEFT_ERANGE;
    }
    if (nhosts > WEFT_MAX_HOSTS || nswitches > WEFT_GRAPH_SWITCHES || nedges > WEFT_GRAPH_LINKS ||
        rows_of(nhosts, nswitches) > WEFT_GRAPH_ROWS)
    {
        return WEFT_EOVERFLOW;
    }
    const uint32_t groups = nhosts < nswitches ? nhosts : nswitches;
    const uint64_t size =
        (nedges / 64 + 1) * sizeof(uint64_t) + nswitches * sizeof(double) +
        nedges *
            (sizeof(struct weft_link) + 2 * (sizeof(struct weft_graph_port) + sizeof(double))) +
        (3 * (uint64_t)nswitches + 2 + nhosts + slots_for(groups)) * sizeof(uint32_t) +
        (nswitches + 4 + 2 * rows_of(nhosts, nswitches)) * sizeof(uint16_t);
    return (int64_t)((size + 7) & ~UINT64_C(7));
}

static void
lay_out(struct weft_graph *g, void *memory)
{
    const size_t rows = (size_t)rows_of(g->nhosts, g->nswitches);
    g->nslots = slots_for(g->nhosts < g->nswitches ? g->nhosts : g->nswitches);
    g->dead = (uint64_t *)memory;
    g->paths = (double *)(g->dead + g->nlinks / 64 + 1);
    g->weight = g->paths + g->nswitches;
    g->links = (struct weft_link *)(g->weight + 2 * (size_t)g->nlinks);
    g->ports = (struct weft_graph_port *)(g->links + g->nlinks);
    g->first_port = (uint32_t *)(g->ports + 2 * (size_t)g->nlinks);
    g->nhost_ports = g->first_port + g->nswitches + 1;
    g->queue = g->nhost_ports + g->nswitches;
    g->tor = g->queue + g->nswitches;
    g->slots = g->tor + g->nhosts;
    g->group = (uint16_t *)(g->slots + g->nslots);
    g->distance = g->group + g->nswitches;
    g->scratch = g->distance + rows;
}

static int
refuse(struct weft_graph_fault *fault, const char *reason, uint32_t edge, uint32_t node)
{
    *fault = (struct weft_graph_fault){reason, edge, node};
    return WEFT_ERANGE;
}

static int
check_edges(const struct weft_graph *g, const struct weft_graph_edge *edges,
            struct weft_graph_fault *fault)
{
    const uint32_t nodes = g->nhosts + g->nswitches;
    for (uint32_t i = 0; i < g->nlinks; i++)
    {
        const struct weft_graph_edge *e = &edges[i];
        const char *wrong = e->a >= nodes || e->b >= nodes
                                ? "the link names a node that does not exist"
                            : e->a == e->b ? "the link leads from a node to itself"
                            : e->a < g->nhosts && e->b < g->nhosts
                                ? "the link joins two hosts; expected a switch at one end at least"
                            : e->rate < MIN_RATE || e->rate > MAX_RATE
                                ? "the link's rate is out of range; expected 1Mbps to 8Tbps"
                            : e->delay < 0 || e->delay > MAX_DELAY
                                ? "the link's delay is out of range; expected 0s to 1s"
                                : NULL;
        if (wrong)
        {
            return refuse(fault, wrong, i, UINT32_MAX);
        }
    }
    return 0;
}

static struct weft_link
make_link(const struct weft_graph *g, const struct weft_graph_edge *e)
{
    const bool swapped = e->b < g->nhosts;
    const uint32_t lower = swapped ? e->b : e->a;
    const uint32_t upper = swapped ? e->a : e->b;
    const bool host = lower < g->nhosts;
    struct weft_link link = {.rate = e->rate, .delay = e->delay};
    link.lower.is_host = host;
    link.lower.index = host ? lower : lower - g->nhosts;
    link.upper.index = upper - g->nhosts;
    return link;
}

/* Numbers the links: those of hosts in host order, the others as they come. */
static int
place_links(struct weft_graph *g, const struct weft_graph_edge *edges,
            struct weft_graph_fault *fault)
{
    uint32_t next = g->nhosts;
    memset(g->tor, 0xff, g->nhosts * sizeof *g->tor);
    for (uint32_t i = 0; i < g->nlinks; i++)
    {
        const struct weft_link link = make_link(g, &edges[i]);
        if (!link.lower.is_host)
        {
            if (next == g->nlinks)
            {
                break; /* some host has none: see below */
            }
            g->links[next++] = link;
            continue;
        }
        if (g->tor[link.lower.index] != UINT32_MAX)
        {
            return refuse(fault, "the host has a link already; expected one link per host", i,
                          UINT32_MAX);
        }
        g->tor[link.lower.index] = link.upper.index;
        g->links[link.lower.index] = link;
    }
    for (uint32_t host = 0; host < g->nhosts; host++)
    {
        if (g->tor[host] == UINT32_MAX)
        {
            return refuse(fault, "the host has no link; expected one", UINT32_MAX, host);
        }
    }
    return 0;
}

/* Fills first_port, nhost_ports and group. */
static int
count_ports(struct weft_graph *g, struct weft_graph_fault *fault)
{
    memset(g->first_port, 0, (g->nswitches + 1) * sizeof *g->first_port);
    memset(g->nhost_ports, 0, g->nswitches * sizeof *g->nhost_ports);
    for (uint32_t i = 0; i < g->nlinks; i++)
    {
        const struct weft_link *link = &g->links[i];
        uint32_t *count = link->lower.is_host ? g->nhost_ports : g->first_port + 1;
        count[link->upper.index]++;
        g->first_port[link->lower.index + 1] += !link->lower.is_host;
    }
    g->ngroups = 0;
    for (uint32_t s = 0; s < g->nswitches; s++)
    {
        const uint32_t nports = g->first_port[s + 1] + g->nhost_ports[s];
        if (nports > WEFT_MAX_PORTS)
        {
            refuse(fault, "the switch has too many links; expected at most 8192", UINT32_MAX,
                   g->nhosts + s);
            return WEFT_EOVERFLOW;
        }
        g->first_port[s + 1] = g->first_port[s] + nports;
        g->group[s] = WEFT_GRAPH_NONE;
        if (g->nhost_ports[s] > 0)
        {
            g->group[s] = (uint16_t)g->ngroups++;
        }
    }
    return 0;
}

/* Ports as links have them: a host's place is known, the others are in the order of links. */
static void
wire_ports(struct weft_graph *g)
{
    memset(g->queue, 0, g->nswitches * sizeof *g->queue); /* ports given out so far */
    for (uint32_t i = 0; i < g->nlinks; i++)
    {
        struct weft_link *link = &g->links[i];
        struct weft_end *ends[2] = {&link->lower, &link->upper};
        for (unsigned k = 0; k < 2; k++)
        {
            const struct weft_end *other = ends[1 - k];
            if (!ends[k]->is_host)
            {
                const uint32_t s = ends[k]->index;
                ends[k]->port = g->queue[s]++;
                g->ports[g->first_port[s] + ends[k]->port] =
                    (struct weft_graph_port){other->is_host ? UINT32_MAX : other->index, i};
            }
        }
    }
}

void
weft_graph_distances(const struct weft_graph *g, uint32_t to, const uint64_t *dead,
                     uint16_t *distance)
{
    uint32_t head = 0;
    uint32_t tail = 0;
    memset(distance, 0xff, g->nswitches * sizeof *distance);
    distance[to] = 0;
    g->queue[tail++] = to;
    while (head < tail)
    {
        const uint32_t s = g->queue[head++];
        for (uint32_t p = g->first_port[s] + g->nhost_ports[s]; p < g->first_port[s + 1]; p++)
        {
            const struct weft_graph_port *port = &g->ports[p];
            if (distance[port->peer] == WEFT_GRAPH_NONE && !weft_graph_dead(dead, port->link))
            {
                distance[port->peer] = (uint16_t)(distance[s] + 1);
                g->queue[tail++] = port->peer;
            }
        }
    }
}

void
weft_graph_all_distances(const struct weft_graph *g, const uint64_t *dead, uint16_t *distance)
{
    for (uint32_t s = 0; s < g->nswitches; s++)
    {
        if (g->group[s] != WEFT_GRAPH_NONE)
        {
            weft_graph_distances(g, s, dead, distance + (size_t)g->group[s] * g->nswitches);
        }
    }
}

uint32_t
weft_graph_candidates(const struct weft_graph *g, const uint16_t *distance, const uint64_t *dead,
                      uint32_t s, uint16_t *list)
{
    const struct weft_graph_port *ports = g->ports + g->first_port[s];
    const uint32_t nports = g->first_port[s + 1] - g->first_port[s];
    uint32_t n = 0;
    for (uint32_t p = g->nhost_ports[s]; distance[s] != WEFT_GRAPH_NONE && p < nports; p++)
    {
        if (distance[ports[p].peer] + 1U == distance[s] && !weft_graph_dead(dead, ports[p].link))
        {
            list[n++] = (uint16_t)p;
        }
    }
    return n;
}

/* Finds the most ports that a row has. Returns 0, or an error: some host does not reach another. */
static int
look_around(struct weft_graph *g, struct weft_graph_fault *fault)
{
    uint16_t list[WEFT_MAX_PORTS];
    weft_graph_all_distances(g, NULL, g->distance);
    g->width = 1;
    for (uint32_t s = 0; s < g->nswitches; s++)
    {
        if (g->group[s] != WEFT_GRAPH_NONE && g->distance[s] == WEFT_GRAPH_NONE)
        {
            return refuse(fault, "the switch has hosts, and no way leads to the other ones'",
                          UINT32_MAX, g->nhosts + s);
        }
    }
    for (size_t row = 0; row < (size_t)g->ngroups * g->nswitches; row++)
    {
        const uint32_t s = (uint32_t)(row % g->nswitches);
        const uint32_t n = weft_graph_candidates(g, g->distance + (row - s), NULL, s, list);
        g->width = n > g->width ? n : g->width;
    }
    return 0;
}

static int
make(struct weft_graph *graph, void *memory, size_t size, uint32_t nhosts, uint32_t nswitches,
     const struct weft_graph_edge *edges, uint32_t nedges, struct weft_graph_fault *fault)
{
    const int64_t need = weft_graph_size(nhosts, nswitches, nedges);
    if (need < 0 || (uint64_t)need > size)
    {
        refuse(fault, need < 0 ? "the graph is too large, or has no hosts or no switches" : "",
               UINT32_MAX, UINT32_MAX);
        return need < 0 ? (int)need : (int)WEFT_ENOMEM;
    }
    graph->nhosts = nhosts;
    graph->nswitches = nswitches;
    graph->nlinks = nedges;
    if (nedges < nhosts)
    {
        return refuse(fault, "there are fewer links than hosts; expected one link per host",
                      UINT32_MAX, UINT32_MAX);
    }
    lay_out(graph, memory);
    int error = check_edges(graph, edges, fault);
    error = error ? error : place_links(graph, edges, fault);
    error = error ? error : count_ports(graph, fault);
    if (error)
    {
        return error;
    }
    wire_ports(graph);
    for (uint32_t host = 0; host < nhosts; host++)
    {
        graph->host_rate += graph->links[host].rate; /* 2^20 times 2^43: it fits */
    }
    graph->host_rate /= nhosts;
    return look_around(graph, fault);
}

int
weft_graph_init(struct weft_graph *graph, void *memory, size_t size, uint32_t nhosts,
                uint32_t nswitches, const struct weft_graph_edge *edges, uint32_t nedges,
                struct weft_graph_fault *fault)
{
    memset(graph, 0, sizeof *graph);
    const int error = make(graph, memory, size, nhosts, nswitches, edges, nedges, fault);
    if (error)
    {
        memset(graph, 0, sizeof *graph);
    }
    return error;
}

static const uint16_t *
distance_to(const struct weft_graph *g, uint32_t host)
{
    return g->distance + (size_t)g->group[g->tor[host]] * g->nswitches;
}

uint32_t
weft_graph_hops(const struct weft_graph *graph, uint32_t a, uint32_t b)
{
    WEFT_CHECK_HOSTS(graph, a, b, "weft_graph_hops");
    return a == b ? 0 : 2U + distance_to(graph, b)[graph->tor[a]];
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
    int64_t time = link_time(graph, a, bytes) + link_time(graph, b, bytes);
    for (uint32_t s = graph->tor[a]; distance[s] > 0;)
    {
        uint32_t p = graph->first_port[s] + graph->nhost_ports[s];
        while (distance[graph->ports[p].peer] + 1U != distance[s])
        {
            p++;
        }
        time += link_time(graph, graph->ports[p].link, bytes);
        s = graph->ports[p].peer;
    }
    return time;
}

static void
keep_better(struct weft_hop *hop, const struct weft_link *link)
{
    hop->rate = link->rate > hop->rate ? link->rate : hop->rate;
    hop->delay = link->delay < hop->delay ? link->delay : hop->delay;
}

uint32_t
weft_graph_best_path(const struct weft_graph *graph, uint32_t a, uint32_t b, struct weft_hop *hops,
                     uint32_t most)
{
    WEFT_CHECK_HOSTS(graph, a, b, "weft_graph_best_path");
    const uint16_t *from = distance_to(graph, a);
    const uint16_t *to = distance_to(graph, b);
    const uint32_t links = weft_graph_hops(graph, a, b);
    const uint32_t inner = links - 2; /* between switches */
    for (uint32_t i = 0; i < links && i < most; i++)
    {
        hops[i] = (struct weft_hop){0, WEFT_NEVER};
    }
    for (uint32_t s = 0; links > 2 && s < graph->nswitches; s++)
    {
        const uint32_t at = 1U + from[s];
        if (from[s] + (uint32_t)to[s] != inner || at >= most)
        {
            continue; /* on no shortest path */
        }
        for (uint32_t p = graph->first_port[s] + graph->nhost_ports[s];
             p < graph->first_port[s + 1]; p++)
        {
            if (to[graph->ports[p].peer] + 1U == to[s])
            {
                keep_better(&hops[at], &graph->links[graph->ports[p].link]);
            }
        }
    }
    if (links > 0 && most > 0)
    {
        keep_better(&hops[0], &graph->links[a]);
    }
    if (links > 0 && most >= links)
    {
        keep_better(&hops[links - 1], &graph->links[b]);
    }
    return links;
}

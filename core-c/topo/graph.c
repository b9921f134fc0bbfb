/* SPDX-License-Identifier: MIT */
/* Any switches and links: checked, numbered, and how far apart they are. */
#include <weft/graph.h>

#include <stdbool.h>
#include <string.h>

#include <weft/clos.h>
#include <weft/error.h>
#include <weft/rng.h>
#include <weft/wire-time.h>

#include "base/bitmap.h"
#include "checked/check.h"
#include "topo/graph-distance.h"

#define MIN_RATE  INT64_C(1000000)
#define MAX_RATE  INT64_C(8000000000000)
#define MAX_DELAY INT64_C(1000000000000)

/* Room for groups that failures split off others. */
#define SPLIT_GROUPS UINT32_C(1024)
/* Hosts that are looked at in one pass over the edges. */
#define BLOCK UINT32_C(16384)
/* Sets of switches of which three quarters are remembered: so many are counted exactly. */
#define SETS UINT32_C(8192)

/* Returns whether a set of switches, by its hash, is none of those that have been seen. */
static bool
is_new(uint64_t seen[SETS], uint32_t *nseen, uint64_t set)
{
    uint32_t i = (uint32_t)weft_mix64(set) & (SETS - 1);
    while (seen[i] != 0 && seen[i] != set)
    {
        i = (i + 1) & (SETS - 1);
    }
    const bool found = seen[i] == set;
    if (!found && *nseen < SETS / 4 * 3)
    {
        seen[i] = set;
        ++*nseen;
    }
    return !found;
}

/* Returns how many groups of hosts there are, or more if they are very many. @p inside: links to
 * servers' own networks count, and no others do. */
static uint32_t
count_groups(uint32_t nhosts, const struct weft_graph_edge *edges, uint32_t nedges, bool inside)
{
    uint64_t seen[SETS] = {0}, set[BLOCK];
    uint32_t nseen = 0, n = 0;
    bool none = false; /* some host is at no switch */
    for (uint32_t first = 0; first < nhosts; first += BLOCK)
    {
        memset(set, 0, sizeof set);
        for (uint32_t i = 0; i < nedges; i++)
        {
            const uint32_t host = edges[i].a < edges[i].b ? edges[i].a : edges[i].b;
            const uint32_t s = edges[i].a < edges[i].b ? edges[i].b : edges[i].a;
            if (host - first < BLOCK && host < nhosts && edges[i].scale_up == inside)
            {
                set[host - first] = weft_mix64(set[host - first] ^ s);
            }
        }
        for (uint32_t k = 0; k < BLOCK && k < nhosts - first; k++)
        {
            none = none || set[k] == 0;
            n += set[k] != 0 && is_new(seen, &nseen, set[k]);
        }
    }
    return n + none;
}

/* Most groups of hosts that there is room for. Dead links of hosts that have several ones split
 * groups: those of two links into four at most. */
static uint32_t
most_groups(uint32_t nhosts, uint32_t nswitches, const struct weft_graph_edge *edges,
            uint32_t nedges)
{
    uint32_t links = 0, own = 0;
    for (uint32_t i = 0; i < nedges; i++)
    {
        const bool host = (edges[i].a < nhosts) != (edges[i].b < nhosts);
        links += host;
        own += host && edges[i].scale_up;
    }
    uint32_t n = count_groups(nhosts, edges, nedges, own > 0 && own == links);
    n = links > nhosts || n < nswitches ? n : nswitches;
    const uint32_t more = links > nhosts ? 3 * n + SPLIT_GROUPS : n;
    const uint32_t most = more < nhosts ? more : nhosts, rows = WEFT_GRAPH_ROWS / nswitches;
    return most <= rows || n > rows ? most : rows;
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

/* Fills how many groups there is room for as well. */
static int64_t
size_for(uint32_t nhosts, uint32_t nswitches, const struct weft_graph_edge *edges, uint32_t nedges,
         uint32_t *groups)
{
    if (nhosts < 1 || nswitches < 1)
    {
        return WEFT_ERANGE;
    }
    if (nhosts > WEFT_MAX_HOSTS || nswitches > WEFT_GRAPH_SWITCHES || nedges > WEFT_GRAPH_LINKS)
    {
        return WEFT_EOVERFLOW;
    }
    *groups = most_groups(nhosts, nswitches, edges, nedges);
    const uint64_t rows = (uint64_t)nswitches * *groups;
    const uint64_t size =
        (nedges / 64 + 1 + (uint64_t)nhosts) * sizeof(uint64_t) + nswitches * sizeof(double) +
        nedges *
            (sizeof(struct weft_link) + 2 * (sizeof(struct weft_graph_port) + sizeof(double))) +
        (3 * (uint64_t)nswitches + 2 + 4 * (uint64_t)nhosts + 2 * (uint64_t)*groups +
         slots_for(*groups)) *
            sizeof(uint32_t) +
        (4 + 2 * rows) * sizeof(uint16_t);
    return rows > WEFT_GRAPH_ROWS ? (int64_t)WEFT_EOVERFLOW : (int64_t)((size + 7) & ~UINT64_C(7));
}

int64_t
weft_graph_size(uint32_t nhosts, uint32_t nswitches, const struct weft_graph_edge *edges,
                uint32_t nedges)
{
    uint32_t groups;
    return size_for(nhosts, nswitches, edges, nedges, &groups);
}

static void
lay_out(struct weft_graph *g, void *memory)
{
    const size_t rows = (size_t)g->nswitches * g->most_groups;
    g->nslots = slots_for(g->most_groups);
    g->dead = (uint64_t *)memory;
    g->inside = g->dead + g->nlinks / 64 + 1;
    g->paths = (double *)(g->inside + g->nhosts);
    g->weight = g->paths + g->nswitches;
    g->links = (struct weft_link *)(g->weight + 2 * (size_t)g->nlinks);
    g->ports = (struct weft_graph_port *)(g->links + g->nlinks);
    g->first_port = (uint32_t *)(g->ports + 2 * (size_t)g->nlinks);
    g->nhost_ports = g->first_port + g->nswitches + 1;
    g->queue = g->nhost_ports + g->nswitches;
    g->tor = g->queue + g->nswitches;
    g->first_link = g->tor + g->nhosts;
    g->group = g->first_link + g->nhosts + 1;
    g->group_now = g->group + g->nhosts;
    g->member = g->group_now + g->nhosts;
    g->member_now = g->member + g->most_groups;
    g->slots = g->member_now + g->most_groups;
    g->distance = (uint16_t *)(g->slots + g->nslots);
    g->scratch = g->distance + rows;
}

static int
refuse(struct weft_graph_fault *fault, const char *reason, uint32_t edge, uint32_t node)
{
    *fault = (struct weft_graph_fault){reason, edge, node, UINT32_MAX};
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
                            : e->scale_up && e->a >= g->nhosts && e->b >= g->nhosts
                                ? "the link joins two switches; expected a host at one end of a "
                                  "scale-up link"
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

/* Counts the links of hosts, and fills first_link. */
static int
count_links(struct weft_graph *g, const struct weft_graph_edge *edges,
            struct weft_graph_fault *fault)
{
    memset(g->first_link, 0, (g->nhosts + 1) * sizeof *g->first_link);
    for (uint32_t i = 0; i < g->nlinks; i++)
    {
        const uint32_t lower = edges[i].a < edges[i].b ? edges[i].a : edges[i].b;
        g->nhost_links += lower < g->nhosts;
        g->first_link[lower < g->nhosts ? lower + 1 : 0] += lower < g->nhosts;
    }
    for (uint32_t host = 0; host < g->nhosts; host++)
    {
        const uint32_t n = g->first_link[host + 1];
        if (n == 0 || n > WEFT_GRAPH_HOST_LINKS)
        {
            return refuse(fault,
                          n == 0 ? "the host has no link; expected one"
                                 : "the host has too many links; expected at most 64",
                          UINT32_MAX, host);
        }
        g->most_ports = n > g->most_ports ? n : g->most_ports;
        g->first_link[host + 1] += g->first_link[host];
    }
    return 0;
}

static bool
is_known(const struct weft_graph *g, uint32_t host, uint32_t nports, uint32_t to)
{
    bool known = false;
    for (uint32_t p = 0; p < nports; p++)
    {
        known = known || g->links[g->first_link[host] + p].upper.index == to;
    }
    return known;
}

/* Numbers the links: those of hosts in host order, the others as they come. */
static int
place_links(struct weft_graph *g, const struct weft_graph_edge *edges,
            struct weft_graph_fault *fault)
{
    uint32_t next = g->nhost_links;
    memset(g->group_now, 0, g->nhosts * sizeof *g->group_now); /* ports given out so far */
    memset(g->inside, 0, g->nhosts * sizeof *g->inside);
    for (uint32_t i = 0; i < g->nlinks; i++)
    {
        struct weft_link link = make_link(g, &edges[i]);
        const uint32_t host = link.lower.index;
        if (!link.lower.is_host)
        {
            g->links[next++] = link;
            continue;
        }
        if (is_known(g, host, g->group_now[host], link.upper.index))
        {
            return refuse(fault,
                          "the host has a link to that switch already; expected one link to each "
                          "of its switches",
                          i, UINT32_MAX);
        }
        link.lower.port = g->group_now[host]++;
        g->inside[host] |= (uint64_t)edges[i].scale_up << link.lower.port;
        g->links[g->first_link[host] + link.lower.port] = link;
    }
    return 0;
}

/* The switch of a host's server, or UINT32_MAX. */
static uint32_t
server_of(const struct weft_graph *g, uint32_t host)
{
    return g->inside[host] ? g->links[g->first_link[host] + weft_ctz64(g->inside[host])].upper.index
                           : UINT32_MAX;
}

/* Whether all hosts of one switch are at another one as well. */
static bool
is_within(const struct weft_graph *g, uint32_t s, uint32_t other)
{
    bool within = true;
    for (uint32_t port = 0; port < g->nhost_ports[s] && s != other; port++)
    {
        const uint32_t link = g->ports[g->first_port[s] + port].link;
        within = within && weft_graph_port_at(g, g->links[link].lower.index, other) != UINT32_MAX;
    }
    return within;
}

/* Returns what is wrong with a link at a server's switch, or NULL. */
static const char *
server_fault(const struct weft_graph *g, const struct weft_link *link, bool scale_up)
{
    return !link->lower.is_host ? "the link leads from a server's scale-up switch to another "
                                  "switch; expected scale-up links of hosts there alone"
           : !scale_up ? "the link leads to a server's scale-up switch; expected a scale-up link"
           : !is_within(g, link->upper.index, server_of(g, link->lower.index))
               ? "the host has scale-up links of two servers; expected that the switch of its "
                 "first "
                 "one has all hosts of its others' switches"
               : NULL;
}

/* Finds scale-up links that are not of one server. Hosts share a server's switch then with all whom
 * they share one with. */
static int
check_servers(struct weft_graph *g, const struct weft_graph_edge *edges,
              struct weft_graph_fault *fault)
{
    memset(g->queue, 0, g->nswitches * sizeof *g->queue); /* whether it has scale-up links */
    for (uint32_t i = 0; i < g->nlinks; i++)
    {
        g->queue[make_link(g, &edges[i]).upper.index] |= edges[i].scale_up;
    }
    for (uint32_t i = 0; i < g->nlinks; i++)
    {
        const struct weft_link link = make_link(g, &edges[i]);
        const bool own =
            g->queue[link.upper.index] || (!link.lower.is_host && g->queue[link.lower.index]);
        const char *wrong = own ? server_fault(g, &link, edges[i].scale_up) : NULL;
        if (wrong)
        {
            return refuse(fault, wrong, i, UINT32_MAX);
        }
    }
    return 0;
}

/* Where hosts have no other links than their servers' own, these are their fabric. */
static void
name_tors(struct weft_graph *g)
{
    bool all = true;
    for (uint32_t host = 0; host < g->nhosts; host++)
    {
        const uint32_t n = g->first_link[host + 1] - g->first_link[host];
        all = all && g->inside[host] == UINT64_MAX >> (64 - n);
    }
    for (uint32_t host = 0; host < g->nhosts; host++)
    {
        const uint32_t n = g->first_link[host + 1] - g->first_link[host];
        uint32_t first = 0;
        g->inside[host] = all ? 0 : g->inside[host];
        while (first + 1 < n && g->inside[host] >> first & 1U)
        {
            first++;
        }
        g->tor[host] = g->links[g->first_link[host] + first].upper.index;
    }
    for (uint32_t s = 0; s < g->nswitches; s++)
    {
        g->nservers += weft_graph_is_server(g, s);
        g->ntors += g->nhost_ports[s] > 0 && !weft_graph_is_server(g, s);
    }
}

/* Fills first_port and nhost_ports. */
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

/* Whether the fabric leads from a host to where @p distance counts from. */
static bool
is_led(const struct weft_graph *g, uint32_t host, const uint16_t *distance)
{
    const uint32_t first = g->first_link[host], n = g->first_link[host + 1] - first;
    bool led = false;
    for (uint32_t port = 0; port < n; port++)
    {
        led = led || (weft_graph_is_at(g, NULL, host, port) &&
                      distance[g->links[first + port].upper.index] != WEFT_GRAPH_NONE);
    }
    return led;
}

/* Finds hosts of two groups between which no fabric leads, nor a server that they are in. */
static int
check_pair(const struct weft_graph *g, uint32_t from, uint32_t to, struct weft_graph_fault *fault)
{
    const uint32_t a = g->member[from];
    const bool led = is_led(g, a, g->distance + (size_t)to * g->nswitches);
    for (uint32_t b = 0; b < g->nhosts && !led; b++)
    {
        if (g->group[b] == to && b != a && weft_graph_ways_inside(g, a, b) == 0)
        {
            refuse(fault,
                   "no way leads from one host to the other; expected one by switches, other than "
                   "another server's scale-up switch",
                   UINT32_MAX, a < b ? a : b);
            fault->other = a < b ? b : a;
            return WEFT_ERANGE;
        }
    }
    return 0;
}

/* Finds two hosts that do not reach each other. Where hosts have one link each, all that reach the
 * first one reach each other. Hosts that share a server's switch with a third one do with each
 * other, so one host of a group is compared with all of another. */
static int
check_ways(const struct weft_graph *g, struct weft_graph_fault *fault)
{
    int error = 0;
    for (uint32_t to = 0; to < (g->most_ports > 1 ? g->ngroups : 1); to++)
    {
        for (uint32_t from = 0; from < g->ngroups && error == 0; from++)
        {
            error = check_pair(g, from, to, fault);
        }
    }
    return error;
}

/* Finds the groups of hosts, and the most ports that a row has. Returns 0, or an error: some host
 * does not reach another. */
static int
look_around(struct weft_graph *g, struct weft_graph_fault *fault)
{
    uint16_t list[WEFT_MAX_PORTS];
    g->ngroups = weft_graph_find_groups(g, NULL, g->group, g->member);
    if (g->ngroups > g->most_groups) /* two sets of switches have one hash */
    {
        refuse(fault, "the graph is too large", UINT32_MAX, UINT32_MAX);
        return WEFT_EOVERFLOW;
    }
    for (uint32_t group = 0; group < g->ngroups; group++)
    {
        weft_graph_distances(g, g->member[group], NULL, g->distance + (size_t)group * g->nswitches);
    }
    g->width = 1;
    for (size_t row = 0; row < (size_t)g->ngroups * g->nswitches; row++)
    {
        const uint32_t s = (uint32_t)(row % g->nswitches);
        const uint32_t n = weft_graph_candidates(g, g->distance + (row - s), NULL, s, list);
        g->width = n > g->width ? n : g->width;
    }
    return check_ways(g, fault);
}

/* Hosts of a server, where all have as many, in a row. */
static uint32_t
count_gpus(const struct weft_graph *g)
{
    const uint32_t first = server_of(g, 0);
    const uint32_t n = first == UINT32_MAX ? 0 : g->nhost_ports[first];
    bool good = n > 0 && g->nhosts % n == 0;
    for (uint32_t host = 0; host < g->nhosts && good; host++)
    {
        const uint32_t own = server_of(g, host);
        good =
            own == server_of(g, host - host % n) && own != UINT32_MAX && g->nhost_ports[own] == n;
    }
    return good ? n : 0;
}

static void
find_rate(struct weft_graph *g)
{
    double rate = 0;
    for (uint32_t i = 0; i < g->nhost_links; i++)
    {
        rate += weft_graph_is_inside(g, &g->links[i]) ? 0 : (double)g->links[i].rate;
    }
    g->host_rate = (int64_t)(rate / g->nhosts);
}

static int
make(struct weft_graph *graph, void *memory, size_t size, uint32_t nhosts, uint32_t nswitches,
     const struct weft_graph_edge *edges, uint32_t nedges, struct weft_graph_fault *fault)
{
    const int64_t need = size_for(nhosts, nswitches, edges, nedges, &graph->most_groups);
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
    error = error ? error : count_links(graph, edges, fault);
    error = error ? error : place_links(graph, edges, fault);
    error = error ? error : count_ports(graph, fault);
    if (error)
    {
        return error;
    }
    wire_ports(graph);
    error = check_servers(graph, edges, fault);
    if (error)
    {
        return error;
    }
    name_tors(graph);
    graph->gpus = count_gpus(graph);
    find_rate(graph);
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

/* SPDX-License-Identifier: MIT */
/* A Clos that is given as a graph, in any numbering: its shape is read at host 0, its nodes are put
 * into the places that they have there, and then every link is looked at. */
#include "topo/clos-shape.h"
#include "topo/graph-distance.h"

#include <string.h>

#define NONE UINT32_MAX

/* A graph that may be a Clos. */
struct candidate
{
    struct weft_graph *g;
    struct weft_clos *clos;
    uint32_t *host; /* [host]: its number in the Clos, or NONE */
    uint32_t *sw;   /* [switch]: its own among those of all planes, or NONE */
    uint32_t pods;  /* found so far */
    uint64_t *link; /* NULL, or [link]: its number in the Clos */
};

/* Returns the first of a switch's ports to switches, as a place in the row of all ports; they end
 * before @p end. */
static uint32_t
first_up(const struct weft_graph *g, uint32_t sw, uint32_t *end)
{
    *end = g->first_port[sw + 1];
    return g->first_port[sw] + g->nhost_ports[sw];
}

static bool
is_tor(const struct weft_graph *g, uint32_t sw)
{
    return g->nhost_ports[sw] > 0;
}

/* Returns how many links two switches have. */
static uint32_t
count_links(const struct weft_graph *g, uint32_t a, uint32_t b)
{
    uint32_t n = 0, end;
    for (uint32_t i = first_up(g, a, &end); i < end; i++)
    {
        n += g->ports[i].peer == b;
    }
    return n;
}

/* Returns how many of a switch's links lead to ToRs, and any other neighbour. */
static uint32_t
count_down(const struct weft_graph *g, uint32_t sw, uint32_t *up)
{
    uint32_t n = 0, end;
    *up = NONE;
    for (uint32_t i = first_up(g, sw, &end); i < end; i++)
    {
        const uint32_t peer = g->ports[i].peer;
        n += is_tor(g, peer);
        *up = is_tor(g, peer) ? *up : peer;
    }
    return n;
}

/* Returns the neighbour of the least number that is at least @p from, of those that are ToRs or of
 * those that are none; NONE: there is none left. */
static uint32_t
next_peer(const struct weft_graph *g, uint32_t sw, uint32_t from, bool tors)
{
    uint32_t next = NONE, end;
    for (uint32_t i = first_up(g, sw, &end); i < end; i++)
    {
        const uint32_t peer = g->ports[i].peer;
        next = peer >= from && peer < next && is_tor(g, peer) == tors ? peer : next;
    }
    return next;
}

/* Returns the link at a host's @p n-th port to the fabric. */
static const struct weft_link *
fabric_link(const struct weft_graph *g, uint32_t host, uint32_t n)
{
    uint32_t i = g->first_link[host];
    for (; i < g->first_link[host + 1]; i++)
    {
        if (!weft_graph_is_inside(g, &g->links[i]) && n-- == 0)
        {
            return &g->links[i];
        }
    }
    return NULL;
}

/* Returns a host's link to its server's network, or NULL. */
static const struct weft_link *
server_link(const struct weft_graph *g, uint32_t host)
{
    const uint64_t ports = g->inside[host];
    return ports ? &g->links[g->first_link[host] + (uint32_t)__builtin_ctzll(ports)] : NULL;
}

/* Reads the servers of host 0's kind. */
static void
read_servers(const struct weft_graph *g, struct weft_hosts_shape *hosts, bool *rails)
{
    const struct weft_link *inside = server_link(g, 0);
    hosts->gpus = inside ? g->nhost_ports[inside->upper.index] : g->gpus;
    hosts->server_rate = inside ? inside->rate : 0;
    hosts->server_delay = inside ? inside->delay : 0;
    uint32_t other = 1;
    while (inside && other < g->nhosts && !weft_graph_inside(g, 0, other))
    {
        other++;
    }
    *rails = hosts->gpus > 1 && other < g->nhosts && g->tor[other] != g->tor[0];
}

/* Reads the tiers above a ToR: its first parent, and that one's. Returns false where it has none.
 */
static bool
read_tiers(const struct weft_graph *g, uint32_t tor, struct weft_clos_shape *s)
{
    uint32_t end, core;
    const uint32_t first = first_up(g, tor, &end);
    if (first == end)
    {
        return false;
    }
    const uint32_t agg = g->ports[first].peer, links = end - first;
    const struct weft_link *up = &g->links[g->ports[first].link];
    const uint32_t down = count_down(g, agg, &core);
    s->fabric_rate = up->rate;
    s->fabric_delay = up->delay;
    s->parallel = count_links(g, tor, agg);
    s->aggs_per_pod = links / s->parallel;
    s->tors_per_pod = down / s->parallel;
    if (core == NONE)
    {
        return true;
    }
    const uint32_t from = first_up(g, agg, &end);
    s->core_parallel = count_links(g, agg, core);
    s->up_agg = (end - from - down) / s->core_parallel;
    for (uint32_t i = from; i < end; i++)
    {
        const struct weft_link *link = &g->links[g->ports[i].link];
        s->core_rate = g->ports[i].peer == core ? link->rate : s->core_rate;
        s->core_delay = g->ports[i].peer == core ? link->delay : s->core_delay;
    }
    const uint32_t below = first_up(g, core, &end);
    s->pods = (end - below) / s->core_parallel;
    return true;
}

/* Reads the shape that the graph has if it is a Clos. */
static bool
read_shape(const struct weft_graph *g, struct weft_clos *clos)
{
    const struct weft_link *link = fabric_link(g, 0, 0);
    struct weft_clos_shape s = {.pods = 1};
    if (!link)
    {
        return false;
    }
    s.host_rate = link->rate;
    s.host_delay = link->delay;
    s.hosts_per_tor = g->nhost_ports[link->upper.index];
    while (fabric_link(g, 0, (uint32_t)s.hosts.planes))
    {
        s.hosts.planes++;
    }
    read_servers(g, &s.hosts, &s.rails);
    return read_tiers(g, link->upper.index, &s) && weft_clos_fill(&s, clos) == 0 &&
           clos->nhosts == g->nhosts && weft_planes_switches(clos) == g->nswitches &&
           weft_planes_links(clos) == g->nlinks;
}

/* Puts the cores above an aggregation of the first pod into their places. */
static void
place_cores(struct candidate *c, uint32_t plane, uint32_t agg, uint32_t j)
{
    const struct weft_clos *clos = c->clos;
    uint32_t place = plane * clos->nswitches + clos->ntors + clos->naggs + j * clos->up_agg;
    for (uint32_t core = next_peer(c->g, agg, 0, false); core != NONE;
         core = next_peer(c->g, agg, core + 1, false))
    {
        c->sw[core] = place++;
    }
}

/* Puts the parents of a ToR into the places of a pod's: in the first pod by their numbers, in
 * others by the cores above them. */
static void
place_aggs(struct candidate *c, uint32_t plane, uint32_t tor, uint32_t pod)
{
    const struct weft_clos *clos = c->clos;
    const uint32_t first = plane * clos->nswitches + clos->ntors;
    uint32_t n = 0;
    for (uint32_t agg = next_peer(c->g, tor, 0, false); agg != NONE;
         agg = next_peer(c->g, tor, agg + 1, false), n++)
    {
        uint32_t j = n, core;
        count_down(c->g, agg, &core);
        if (pod == 0)
        {
            place_cores(c, plane, agg, j);
        }
        else if (core != NONE && c->sw[core] != NONE && clos->up_agg > 0)
        {
            j = (c->sw[core] - first - clos->naggs) / clos->up_agg;
        }
        c->sw[agg] = first + pod * clos->up_tor + j;
    }
}

/* Puts a ToR of the first plane into the next place of its pod; its parents tell which that is. */
static void
place_tor(struct candidate *c, uint32_t tor)
{
    const struct weft_clos *clos = c->clos;
    const uint32_t agg = next_peer(c->g, tor, 0, false);
    if (agg == NONE)
    {
        return;
    }
    if (c->sw[agg] == NONE)
    {
        place_aggs(c, 0, tor, c->pods++);
    }
    const uint32_t pod = (c->sw[agg] - clos->ntors) / clos->up_tor;
    if (pod < clos->npods)
    {
        c->sw[tor] = pod * clos->tors_per_pod + c->g->queue[agg]++;
    }
}

/* Puts a host into the next place at its ToR of the first plane. */
static void
place_host(struct candidate *c, uint32_t host)
{
    const struct weft_link *link = fabric_link(c->g, host, 0);
    const uint32_t tor = link ? link->upper.index : 0;
    if (link && c->sw[tor] == NONE)
    {
        place_tor(c, tor);
    }
    c->host[host] = 0;
    if (link && c->sw[tor] < c->clos->ntors && c->g->queue[tor] < c->clos->hosts_per_tor)
    {
        c->host[host] = c->sw[tor] * c->clos->hosts_per_tor + c->g->queue[tor]++;
    }
}

/* Puts the hosts of a server into their places, one after the other. */
static void
place_server(struct candidate *c, uint32_t host)
{
    const struct weft_graph *g = c->g;
    const struct weft_link *inside = server_link(g, host);
    const uint32_t row = !inside && c->clos->gpus ? c->clos->gpus : 1;
    const uint32_t n = inside ? g->nhost_ports[inside->upper.index] : row;
    for (uint32_t i = 0; i < n && host + (inside ? 0 : i) < g->nhosts; i++)
    {
        place_host(
            c, inside ? g->links[g->ports[g->first_port[inside->upper.index] + i].link].lower.index
                      : host + i);
    }
    if (inside && c->clos->gpus > 0)
    {
        c->sw[inside->upper.index] =
            c->clos->planes * c->clos->nswitches + weft_clos_server(c->clos, c->host[host]);
    }
}

/* Puts a host's ToR in a further plane into the place that its ToR has in the first one. */
static void
place_beside(struct candidate *c, uint32_t plane, uint32_t host)
{
    const struct weft_clos *clos = c->clos;
    const struct weft_link *link = fabric_link(c->g, host, plane);
    const uint32_t place = c->host[host] / clos->hosts_per_tor;
    if (link && c->sw[link->upper.index] == NONE)
    {
        const uint32_t tor = link->upper.index, agg = next_peer(c->g, tor, 0, false);
        c->sw[tor] = plane * clos->nswitches + place;
        if (agg != NONE && c->sw[agg] == NONE)
        {
            place_aggs(c, plane, tor, place / clos->tors_per_pod);
        }
    }
}

/* Puts all nodes into places. */
static void
place_all(struct candidate *c)
{
    memset(c->host, 0xff, c->g->nhosts * sizeof *c->host);
    memset(c->sw, 0xff, c->g->nswitches * sizeof *c->sw);
    /* Counts, of a ToR its hosts that have a place, of an aggregation such ToRs. */
    memset(c->g->queue, 0, c->g->nswitches * sizeof *c->g->queue);
    for (uint32_t host = 0; host < c->clos->nhosts; host++)
    {
        if (c->host[host] == NONE)
        {
            place_server(c, host);
        }
        for (uint32_t plane = 1; plane < c->clos->planes; plane++)
        {
            place_beside(c, plane, host);
        }
    }
}

/* Returns the first of the links of the Clos that join two of its nodes, the lower one first, if
 * any does. */
static uint64_t
link_between(const struct weft_clos *clos, bool is_host, uint32_t a, uint32_t b, uint32_t *parallel)
{
    const uint32_t plane = b / clos->nswitches, of = b % clos->nswitches, at = a % clos->nswitches;
    *parallel = 1;
    if (is_host)
    {
        return plane < clos->planes ? plane * clos->nlinks + a : clos->planes * clos->nlinks + a;
    }
    if (at < clos->ntors)
    {
        *parallel = clos->parallel;
        return plane * clos->nlinks + weft_clos_tor_link(clos, at) +
               (of - clos->ntors) % clos->up_tor * (uint64_t)clos->parallel;
    }
    *parallel = clos->core_parallel;
    return plane * clos->nlinks + weft_clos_agg_link(clos, at - clos->ntors) +
           (clos->up_agg ? (of - clos->ntors - clos->naggs) % clos->up_agg : 0) *
               (uint64_t)clos->core_parallel;
}

/* Returns whether a link is one of the Clos that no other link has been, and marks it. */
static bool
is_new(struct candidate *c, uint32_t number)
{
    const struct weft_link *link = &c->g->links[number];
    const bool is_host = link->lower.is_host;
    const uint32_t x = is_host ? c->host[link->lower.index] : c->sw[link->lower.index];
    const uint32_t y = c->sw[link->upper.index];
    const uint32_t a = is_host || x < y ? x : y, b = is_host || x < y ? y : x;
    if (x == NONE || y == NONE || b >= weft_planes_switches(c->clos))
    {
        return false;
    }
    uint32_t parallel;
    const uint64_t first = link_between(c->clos, is_host, a, b, &parallel);
    for (uint64_t i = first; i < first + parallel && i < c->g->nlinks; i++)
    {
        struct weft_link of;
        weft_planes_link(c->clos, i, &of);
        if ((c->g->dead[i / 64] >> i % 64 & 1) == 0 && of.lower.is_host == is_host &&
            of.lower.index == a && of.upper.index == b && of.rate == link->rate &&
            of.delay == link->delay)
        {
            c->g->dead[i / 64] |= UINT64_C(1) << i % 64;
            if (c->link)
            {
                c->link[number] = i;
            }
            return true;
        }
    }
    return false;
}

/* Returns whether servers without a network are those of the Clos. */
static bool
are_servers(const struct candidate *c)
{
    const struct weft_clos *clos = c->clos;
    bool same = true;
    for (uint32_t host = 0; clos->gpus > 0 && clos->server_rate == 0 && host < clos->nhosts; host++)
    {
        same = same && weft_clos_server(clos, c->host[host]) ==
                           weft_clos_server(clos, c->host[host - host % clos->gpus]);
    }
    return same;
}

bool
weft_clos_recognise(const struct weft_graph *graph, struct weft_clos *clos, uint32_t *host,
                    uint32_t *sw, uint64_t *link)
{
    struct weft_graph g = *graph; /* what it points to for set-up is written */
    struct candidate c = {&g, clos, host, sw, 0, link};
    bool same = read_shape(&g, clos);
    if (same)
    {
        place_all(&c);
        memset(g.dead, 0, (g.nlinks + 63) / 64 * sizeof *g.dead);
        same = are_servers(&c);
    }
    for (uint32_t i = 0; same && i < g.nlinks; i++)
    {
        same = is_new(&c, i);
    }
    return same;
}

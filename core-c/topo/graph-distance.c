/* SPDX-License-Identifier: MIT */
/* Searches of a graph: how far its switches are from a host, and which hosts are at the same ones.
 */
#include "topo/graph-distance.h"
#include "base/bitmap.h"

#include <string.h>

#include <weft/clos.h>
#include <weft/rng.h>

/* --- groups ----------------------------------------------------------------------------------- */

/* A host's next switch, from its port *@p port on; UINT32_MAX: there is none. */
static uint32_t
next_switch(const struct weft_graph *g, const uint64_t *dead, uint32_t host, uint32_t *port)
{
    const uint32_t first = g->first_link[host], n = g->first_link[host + 1] - first;
    while (*port < n)
    {
        const uint32_t p = (*port)++;
        if (weft_graph_is_at(g, dead, host, p))
        {
            return g->links[first + p].upper.index;
        }
    }
    return UINT32_MAX;
}

static uint64_t
hash_switches(const struct weft_graph *g, const uint64_t *dead, uint32_t host)
{
    uint64_t hash = 0;
    uint32_t port = 0;
    for (uint32_t s; (s = next_switch(g, dead, host, &port)) != UINT32_MAX;)
    {
        hash = weft_mix64(hash ^ s);
    }
    return weft_mix64(hash);
}

static bool
are_together(const struct weft_graph *g, const uint64_t *dead, uint32_t a, uint32_t b)
{
    uint32_t i = 0, k = 0, of_a, of_b;
    do
    {
        of_a = next_switch(g, dead, a, &i);
        of_b = next_switch(g, dead, b, &k);
    } while (of_a == of_b && of_a != UINT32_MAX);
    return of_a == of_b;
}

uint32_t
weft_graph_find_groups(const struct weft_graph *g, const uint64_t *dead, uint32_t *group,
                       uint32_t *member)
{
    uint32_t n = 0;
    memset(g->slots, 0, g->nslots * sizeof *g->slots);
    for (uint32_t host = 0; host < g->nhosts; host++)
    {
        uint32_t i = (uint32_t)hash_switches(g, dead, host) & (g->nslots - 1);
        while (g->slots[i] != 0 && !are_together(g, dead, host, member[g->slots[i] - 1]))
        {
            i = (i + 1) & (g->nslots - 1);
        }
        if (g->slots[i] == 0)
        {
            if (n == g->most_groups)
            {
                return UINT32_MAX;
            }
            member[n++] = host;
            g->slots[i] = n;
        }
        group[host] = g->slots[i] - 1;
    }
    return n;
}

/* --- distances -------------------------------------------------------------------------------- */

void
weft_graph_distances(const struct weft_graph *g, uint32_t host, const uint64_t *dead,
                     uint16_t *distance)
{
    uint32_t head = 0, tail = 0, port = 0;
    memset(distance, 0xff, g->nswitches * sizeof *distance);
    for (uint32_t s; (s = next_switch(g, dead, host, &port)) != UINT32_MAX;)
    {
        distance[s] = 0;
        g->queue[tail++] = s;
    }
    while (head < tail)
    {
        const uint32_t s = g->queue[head++];
        for (uint32_t p = g->first_port[s] + g->nhost_ports[s]; p < g->first_port[s + 1]; p++)
        {
            const struct weft_graph_port *at = &g->ports[p];
            if (distance[at->peer] == WEFT_GRAPH_NONE && !weft_graph_dead(dead, at->link))
            {
                distance[at->peer] = (uint16_t)(distance[s] + 1);
                g->queue[tail++] = at->peer;
            }
        }
    }
}

uint32_t
weft_graph_reached(const struct weft_graph *g, const uint16_t *distance)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < g->nswitches; s++)
    {
        n += distance[s] != WEFT_GRAPH_NONE;
    }
    return n;
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

/* --- ports of hosts --------------------------------------------------------------------------- */

uint32_t
weft_graph_port_at(const struct weft_graph *g, uint32_t host, uint32_t s)
{
    const uint32_t n = g->first_link[host + 1] - g->first_link[host];
    uint32_t port = 0;
    while (port < n && g->links[g->first_link[host] + port].upper.index != s)
    {
        port++;
    }
    return port < n ? port : UINT32_MAX;
}

uint64_t
weft_graph_ways_inside(const struct weft_graph *g, uint32_t a, uint32_t b)
{
    uint64_t ways = 0;
    for (uint64_t left = g->inside[a]; left != 0 && g->inside[b] != 0; left &= left - 1)
    {
        const uint32_t port = weft_ctz64(left);
        const uint32_t s = g->links[g->first_link[a] + port].upper.index;
        ways |= (uint64_t)(weft_graph_port_at(g, b, s) != UINT32_MAX) << port;
    }
    return ways;
}

uint64_t
weft_graph_ways_by(const struct weft_graph *g, const uint16_t *distance, const uint64_t *dead,
                   uint32_t a, uint32_t b)
{
    const uint32_t first = g->first_link[a], n = g->first_link[a + 1] - first;
    uint64_t ways = weft_graph_ways_inside(g, a, b);
    uint32_t least = WEFT_GRAPH_NONE;
    for (uint32_t port = 0; port < n && ways == 0; port++)
    {
        const uint32_t far = weft_graph_is_at(g, dead, a, port)
                                 ? distance[g->links[first + port].upper.index]
                                 : WEFT_GRAPH_NONE;
        least = far < least ? far : least;
    }
    for (uint32_t port = 0; port < n && least < WEFT_GRAPH_NONE; port++)
    {
        const bool leads = weft_graph_is_at(g, dead, a, port) &&
                           distance[g->links[first + port].upper.index] == least;
        ways |= (uint64_t)leads << port;
    }
    return ways;
}

static bool
leads_to_tor(const struct weft_graph *g, uint32_t port)
{
    return g->nhost_ports[g->ports[port].peer] > 0;
}

uint32_t
weft_graph_tor_ports(const struct weft_graph *g, uint32_t s)
{
    uint32_t port = g->first_port[s];
    while (port < g->first_port[s + 1] && leads_to_tor(g, port))
    {
        port++;
    }
    return port - g->first_port[s];
}

bool
weft_graph_has_cores(const struct weft_graph *g)
{
    bool any = false, regular = true;
    for (uint32_t s = 0; s < g->nswitches; s++)
    {
        const uint32_t hosts = g->nhost_ports[s], tors = hosts ? 0 : weft_graph_tor_ports(g, s);
        const bool is_core = hosts == 0 && tors == 0;
        any = any || is_core;
        for (uint32_t port = g->first_port[s] + hosts + tors; port < g->first_port[s + 1]; port++)
        {
            /* Above a ToR and below a core are those whose first ports lead to ToRs. */
            const uint32_t peer = g->ports[port].peer;
            const bool is_agg = g->nhost_ports[peer] == 0 && leads_to_tor(g, g->first_port[peer]);
            regular =
                regular && (hosts > 0 || is_core ? is_agg : !is_agg && !leads_to_tor(g, port));
        }
    }
    return any && regular;
}

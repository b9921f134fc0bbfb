/* SPDX-License-Identifier: MIT */
/** @file graph-distance.h  Breadth-first searches of a graph some of whose links are dead. Private.
 */
#ifndef WEFT_TOPO_GRAPH_DISTANCE_H
#define WEFT_TOPO_GRAPH_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/clos.h>
#include <weft/graph.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** @p dead: a bit per link, NULL: none is down. */
    static inline bool weft_graph_dead(const uint64_t *dead, uint32_t link)
    {
        return dead && (dead[link >> 6] >> (link & 63U) & 1U) != 0;
    }

    /** Returns whether a link is of a server's own network. */
    static inline bool weft_graph_is_inside(const struct weft_graph *g,
                                            const struct weft_link *link)
    {
        return link->lower.is_host && (g->inside[link->lower.index] >> link->lower.port & 1U) != 0;
    }

    /** Returns whether a switch is that of a server's own network. */
    static inline bool weft_graph_is_server(const struct weft_graph *g, uint32_t s)
    {
        return g->nhost_ports[s] > 0 &&
               weft_graph_is_inside(g, &g->links[g->ports[g->first_port[s]].link]);
    }

    /** Returns whether forwarding leads to a host by that port: it is none of its server's own
     * network, and alive. A host with one link is where it is: what comes to it ends there. */
    static inline bool weft_graph_is_at(const struct weft_graph *g, const uint64_t *dead,
                                        uint32_t host, uint32_t port)
    {
        return (g->inside[host] >> port & 1U) == 0 &&
               (g->most_ports == 1 || !weft_graph_dead(dead, g->first_link[host] + port));
    }

    /** Fills [host] groups and [group] their first hosts; returns how many there are, or
     * UINT32_MAX: more than there is room for. */
    uint32_t weft_graph_find_groups(const struct weft_graph *g, const uint64_t *dead,
                                    uint32_t *group, uint32_t *member);

    /** Links from each switch to the nearest switch of host @p host; WEFT_GRAPH_NONE: there is no
     * way. The graph's queue holds the switches that are reached, the nearest first. */
    void weft_graph_distances(const struct weft_graph *g, uint32_t host, const uint64_t *dead,
                              uint16_t *distance);

    /** Returns how many switches are reached. */
    uint32_t weft_graph_reached(const struct weft_graph *g, const uint16_t *distance);

    /** Lists the ports of switch @p s that are nearer to where @p distance counts from; returns how
     * many, at most WEFT_MAX_PORTS; none at a switch of that host itself. */
    uint32_t weft_graph_candidates(const struct weft_graph *g, const uint16_t *distance,
                                   const uint64_t *dead, uint32_t s, uint16_t *list);

    /** Returns how many of the first ports of a switch without hosts lead to switches with hosts.
     */
    uint32_t weft_graph_tor_ports(const struct weft_graph *g, uint32_t s);

    /** Returns whether the graph has three tiers: ToRs, switches whose first ports lead to ToRs and
     * whose others to the third tier, and switches of that, which lead to the second alone. */
    bool weft_graph_has_cores(const struct weft_graph *g);

    /** Returns a host's port to a switch, or UINT32_MAX. */
    uint32_t weft_graph_port_at(const struct weft_graph *g, uint32_t host, uint32_t s);

    /** Returns the ports of host @p a to switches of its server's network at which @p b is as well,
     * as bits, dead or alive. */
    uint64_t weft_graph_ways_inside(const struct weft_graph *g, uint32_t a, uint32_t b);

    /** Returns the ports by which host @p a sends to @p b, as bits; 0: there is no way.
     * @p distance: to the switches of @p b. */
    uint64_t weft_graph_ways_by(const struct weft_graph *g, const uint16_t *distance,
                                const uint64_t *dead, uint32_t a, uint32_t b);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/** @file graph-distance.h  Breadth-first searches of a graph some of whose links are dead. Private.
 */
#ifndef WEFT_TOPO_GRAPH_DISTANCE_H
#define WEFT_TOPO_GRAPH_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

    /** Links from each switch to switch @p to; WEFT_GRAPH_NONE: there is no way. */
    void weft_graph_distances(const struct weft_graph *g, uint32_t to, const uint64_t *dead,
                              uint16_t *distance);

    /** Fills distances to all switches that have hosts: [group * nswitches + switch]. */
    void weft_graph_all_distances(const struct weft_graph *g, const uint64_t *dead,
                                  uint16_t *distance);

    /** Lists the ports of switch @p s that are nearer to where @p distance counts from; returns how
     * many, at most WEFT_MAX_PORTS; none at that switch itself. */
    uint32_t weft_graph_candidates(const struct weft_graph *g, const uint16_t *distance,
                                   const uint64_t *dead, uint32_t s, uint16_t *list);

#ifdef __cplusplus
}
#endif
#endif

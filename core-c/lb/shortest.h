/* SPDX-License-Identifier: MIT */
/** @file shortest.h  Join the shortest queue, for balancers that do it now and then. Private. */
#ifndef WEFT_LB_SHORTEST_H
#define WEFT_LB_SHORTEST_H

#include <stdint.h>

#include "lb/candidates.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /** A candidate with the shortest queue; uniform over the ties, which count by their weights. */
    static inline uint32_t weft_shortest(struct weft_rng *rng, const struct weft_ports *ports)
    {
        const uint32_t distinct = weft_ports_distinct(ports);
        uint32_t least = UINT32_MAX;
        uint32_t ties = 0;
        for (uint32_t i = 0; i < distinct; i++)
        {
            const uint32_t queue = ports->queue_bytes[weft_port_at(ports, i)];
            ties = queue < least ? 0 : ties;
            least = queue < least ? queue : least;
            ties += queue == least;
        }
        uint32_t skip = ties > 1 ? weft_ties_draw(rng, ports, least, ties) : 0;
        for (uint32_t i = 0;; i++)
        {
            const uint32_t port = weft_port_at(ports, i);
            if (ports->queue_bytes[port] == least && skip-- == 0)
            {
                return port;
            }
        }
    }

#ifdef __cplusplus
}
#endif
#endif

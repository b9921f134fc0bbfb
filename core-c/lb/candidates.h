/* SPDX-License-Identifier: MIT */
/** @file candidates.h  A list of candidates with weights, each port looked at once. Private. */
#ifndef WEFT_LB_CANDIDATES_H
#define WEFT_LB_CANDIDATES_H

#include <stdbool.h>
#include <stdint.h>

#include <weft/lb.h>
#include <weft/rng.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** How many of the first candidates name every port: W-ECMP's further rounds repeat them. */
    static inline uint32_t weft_ports_distinct(const struct weft_ports *ports)
    {
        return ports->list != NULL && ports->even > 0 ? ports->round : ports->n;
    }

    /** Whether @p port is among the candidates. */
    static inline bool weft_ports_have(const struct weft_ports *ports, uint32_t port)
    {
        if (ports->list == NULL)
        {
            return port - ports->first < ports->n;
        }
        const uint32_t listed = weft_ports_distinct(ports);
        uint32_t i = 0;
        while (i < listed && ports->list[i] != port)
        {
            i++;
        }
        return i < listed;
    }

    /** weft_ties_draw() for a list whose weights differ. */
    static inline uint32_t weft_ties_draw_weighted(struct weft_rng *rng,
                                                   const struct weft_ports *ports, uint32_t limit,
                                                   uint32_t ties)
    {
        const uint16_t *rest = ports->list + ports->round;
        const uint32_t nrest = (uint32_t)ports->n - ports->even;
        const uint32_t equal = ties * (ports->even / ports->round);
        uint32_t more = 0;
        for (uint32_t i = 0; i < nrest; i++)
        {
            more += ports->queue_bytes[rest[i]] <= limit;
        }
        uint32_t draw = weft_rng_below(rng, equal + more);
        if (draw < equal)
        {
            return draw % ties;
        }
        for (draw -= equal; ports->queue_bytes[*rest] > limit || draw-- > 0; rest++)
        {
        }
        uint32_t before = 0;
        for (uint32_t i = 0; ports->list[i] != *rest; i++)
        {
            before += ports->queue_bytes[ports->list[i]] <= limit;
        }
        return before;
    }

    /**
     * Draws among the candidates with at most @p limit bytes queued, of which @p ties are distinct
     * ports: uniform but for their weights. Returns which of those ports it is, from 0 on.
     */
    static inline uint32_t weft_ties_draw(struct weft_rng *rng, const struct weft_ports *ports,
                                          uint32_t limit, uint32_t ties)
    {
        if (ties == 1 || ports->list == NULL || ports->even == 0 || ports->even == ports->n)
        {
            return weft_rng_below(rng, ties);
        }
        return weft_ties_draw_weighted(rng, ports, limit, ties);
    }

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/**
 * @file congestion-history.h  Penalties of paths that decay by one with each packet sent (prime
 * §III-D), and the choice among the paths by them (Alg. 1). Private.
 *
 * What is kept of a path is not its penalty but the packet count at which that has decayed, so that
 * a packet costs the same however many paths there are. A penalty never becomes less but by decay.
 */
#ifndef WEFT_LB_CONGESTION_HISTORY_H
#define WEFT_LB_CONGESTION_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "lb/multipart.h"

#ifdef __cplusplus
extern "C"
{
#endif

/** Longest penalty, in packets. */
#define WEFT_MAX_PENALTY (UINT32_C(1) << 30)

    /** A QP's. The counts, one for each path, lie where the caller has them. */
    struct weft_history
    {
        uint32_t npaths;
        uint32_t exploring;   /**< packets that still take penalized paths too */
        uint32_t sent;        /**< packets, below WEFT_MAX_PENALTY * 2 */
        uint32_t least;       /**< a path without a penalty; if none is known, the one whose penalty
                                 is least, the lowest number among equals */
        uint32_t least_until; /**< its count when that was found */
    };

    /** No path has a penalty, and the first @p explore packets disregard those to come. */
    void weft_history_begin(struct weft_history *h, uint32_t *until, uint32_t npaths,
                            uint32_t explore);

    /** The penalty of a path. */
    static inline uint32_t weft_history_penalty(const struct weft_history *h, const uint32_t *until,
                                                uint32_t path)
    {
        return until[path] > h->sent ? until[path] - h->sent : 0;
    }

    /** Penalizes a path by @p packets, not less than it is already, at most WEFT_MAX_PENALTY. */
    static inline void weft_history_penalize(const struct weft_history *h, uint32_t *until,
                                             uint32_t path, uint32_t packets)
    {
        const uint32_t count = h->sent + packets;
        until[path] = count > until[path] ? count : until[path];
    }

    /**
     * Sends a packet: takes the next entropy of Alg. 2 whose path has no penalty. Those that have
     * one are passed over, and do not come again this time. If all have, the one of the least
     * penalty is taken, the lowest number among equals, and Alg. 2 stands still. All paths are
     * looked at only if the least penalty known was renewed meanwhile. @p m: of these paths.
     */
    uint16_t weft_history_next(struct weft_history *h, uint32_t *until, struct weft_multipart *m,
                               uint16_t *order);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/**
 * @file congestion-history.h  Penalties that decay by one with each packet sent (prime §III-D), and
 * the choice among the paths by them (Alg. 1). Private.
 *
 * What is kept is not a penalty but the packet count at which that has decayed, so that a packet
 * costs the same however many paths there are. A penalty never becomes less but by decay.
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

/** Most rows: of a host, paths below its ToR, in its pod, and beyond. */
#define WEFT_HISTORY_ROWS (WEFT_PARTS + 1)

    /** Penalties of paths, or of the ports of one part. */
    struct weft_history_row
    {
        uint32_t at;          /**< place of its first count */
        uint32_t n;           /**< how many */
        uint32_t least;       /**< one without a penalty; if none is known, the one whose penalty is
                                 least, the lowest number among equals */
        uint32_t least_until; /**< its count when that was found */
    };

    /** A QP's, or a host's. The counts of its rows lie where the caller has them. */
    struct weft_history
    {
        struct weft_history_row row[WEFT_HISTORY_ROWS];
        uint32_t nrows;
        uint32_t sent; /**< packets, below WEFT_MAX_PENALTY * 2 */
    };

    /** The rows that a QP's entropies are looked up in: one of all its paths, or one for each of
     * its parts. */
    struct weft_history_rows
    {
        uint8_t first;
        uint8_t n;
    };

    /** A history without rows. */
    static inline void weft_history_begin(struct weft_history *h)
    {
        h->nrows = 0;
        h->sent = 0;
    }

    /** Adds a row of @p n without penalties behind those that it has. */
    void weft_history_add_row(struct weft_history *h, uint32_t *until, uint32_t n);

    /** Counts of all its rows. */
    static inline uint32_t weft_history_counts(const struct weft_history *h)
    {
        return h->nrows > 0 ? h->row[h->nrows - 1].at + h->row[h->nrows - 1].n : 0;
    }

    /** The penalty whose count lies at @p place. */
    static inline uint32_t weft_history_penalty(const struct weft_history *h, const uint32_t *until,
                                                uint32_t place)
    {
        return until[place] > h->sent ? until[place] - h->sent : 0;
    }

    /** Penalizes it by @p packets, not less than it is already, at most WEFT_MAX_PENALTY. */
    static inline void weft_history_penalize(const struct weft_history *h, uint32_t *until,
                                             uint32_t place, uint32_t packets)
    {
        const uint32_t count = h->sent + packets;
        until[place] = count > until[place] ? count : until[place];
    }

    /** Where the count of an entropy lies in the @p i-th of a QP's rows. */
    static inline uint32_t weft_history_place(const struct weft_history *h,
                                              struct weft_history_rows rows, uint32_t i,
                                              const struct weft_parts *parts,
                                              struct weft_entropy entropy)
    {
        const uint32_t own = rows.n == 1 ? entropy.path : weft_part_of(parts, i, entropy.label);
        return h->row[rows.first + i].at + own;
    }

    /**
     * Sends a packet: takes the next entropy of Alg. 2 that has no penalty in any row. Those that
     * have one are passed over, and do not come again this time. If there is none without, the one
     * of the least penalty is taken, in each row the lowest number among equals, and Alg. 2 stands
     * still. A whole row is looked at only if the least penalty known was renewed meanwhile.
     * @p explores: penalties are disregarded. @p m: whose entropies the rows are of.
     */
    uint16_t weft_history_next(struct weft_history *h, uint32_t *until,
                               struct weft_history_rows rows, bool explores,
                               struct weft_multipart *m, uint16_t *order);

#ifdef __cplusplus
}
#endif
#endif

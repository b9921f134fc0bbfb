/* SPDX-License-Identifier: MIT */
/**
 * @file tor-path.h  Ways through a Clos that the source's ToR chooses for a packet: which port it
 * takes upwards at the ToR and, in three tiers, at the aggregation. Downwards there is no choice,
 * but among parallel links. Private.
 */
#ifndef WEFT_LB_TOR_PATH_H
#define WEFT_LB_TOR_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include <weft/lb.h>

#include "lb/ecmp.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /** No path: a packet without one is forwarded by ECMP. */
#define WEFT_NO_TOR_PATH UINT16_MAX

    /** State of a switch that knows paths by their numbers. */
    struct weft_tor_paths
    {
        struct weft_ecmp ecmp;
        uint16_t npaths;    /**< ToR's up ports times those of an aggregation */
        uint16_t agg_up;    /**< up ports of an aggregation; 1 in two tiers */
        uint16_t first_up;  /**< number of this switch's down ports */
        uint32_t first_tor; /**< of this ToR's pod */
        uint32_t tors;      /**< ToRs of the pod */
        uint8_t tier;
    };

/** Members of a packet that the functions below read. */
#define WEFT_TOR_PATH_FIELDS                                                                       \
    (WEFT_HASHED_FIELDS | WEFT_FIELD_KIND | WEFT_FIELD_IN_PORT | WEFT_FIELD_META)

    /** Returns 0, WEFT_ENOTCLOS, WEFT_EINVAL (no such switch, or not all that @p lb needs is
     * provided) or WEFT_ERANGE (no way upwards, or 65,535 paths and more; with @p tables also no
     * weft_tor_path_entries() at a ToR), and says why. */
    int weft_tor_paths_init(struct weft_tor_paths *p, const struct weft_site *site,
                            const struct weft_lb_ops *lb, bool tables);

    /** Paths to all ToRs together, for tables of a ToR; 0 elsewhere, where there is no such Clos,
     * and where there are more than 2^20. */
    uint32_t weft_tor_path_entries(const struct weft_site *site);

    /** Paths to @p tor are the multiples of this: within a pod nothing goes above the aggregations.
     */
    static inline uint32_t weft_tor_path_stride(const struct weft_tor_paths *p, uint32_t tor)
    {
        return tor - p->first_tor < p->tors ? p->agg_up : 1U;
    }

    /** Gives a packet its path, below npaths. It lies in meta[0], as path + 1. */
    static inline void weft_tor_path_set(struct weft_packet *packet, uint16_t path)
    {
        packet->meta[0] = (uint16_t)(path + 1);
    }

    /** A packet's path, or WEFT_NO_TOR_PATH. */
    static inline uint16_t weft_tor_path(const struct weft_packet *packet)
    {
        return (uint16_t)(packet->meta[0] - 1);
    }

    /** The port of a path at this switch, if it goes upwards here. */
    static inline uint32_t weft_tor_path_port(const struct weft_tor_paths *p, uint16_t path)
    {
        return (uint32_t)p->first_up +
               (uint32_t)(p->tier == 0 ? path / p->agg_up : path % p->agg_up);
    }

    /** Moves a packet, at its source's ToR, to another @p port; above it its path stays. Returns
     * the new path. */
    static inline uint16_t weft_tor_path_move(const struct weft_tor_paths *p,
                                              struct weft_packet *packet, uint32_t port)
    {
        const uint32_t above = weft_tor_path(packet) % p->agg_up;
        const uint16_t path = (uint16_t)((port - p->first_up) * p->agg_up + above);
        weft_tor_path_set(packet, path);
        return path;
    }

    /** The port that a packet takes: that of its path, or, where that is gone or it has none, the
     * one that ECMP chooses. *@p gone: whether it has one and its port is gone. */
    uint32_t weft_tor_path_pick(const struct weft_tor_paths *p, const struct weft_ports *ports,
                                const struct weft_packet *packet, bool *gone);

    /** Whether data enters its source's ToR from a NIC. */
    static inline bool weft_tor_path_starts(const struct weft_tor_paths *p,
                                            const struct weft_packet *packet)
    {
        return packet->kind == WEFT_DATA && packet->in_port < p->first_up;
    }

#ifdef __cplusplus
}
#endif
#endif

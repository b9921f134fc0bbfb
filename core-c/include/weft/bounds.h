/* SPDX-License-Identifier: MIT */
/**
 * @file bounds.h  Lower bounds of completion times: of the messages of a workload on an idle fabric
 * that they have for themselves. theory.h has the closed forms that they are made of. Times are ps
 * from time 0; WEFT_NEVER stands for all that does not fit 63 bits.
 */
#ifndef WEFT_BOUNDS_H
#define WEFT_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/clos.h>
#include <weft/fabric.h>
#include <weft/traffic.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** Traffic whose completion is bounded. */
    struct weft_traffic
    {
        const struct weft_clos *clos;
        const struct weft_fabric_config *frame;
        const struct weft_job *job; /**< whose messages they are */
        const struct weft_message *messages;
        const uint32_t *next; /**< their successors */
        uint32_t n;           /**< messages */
    };

    /** Steps of messages. */
    struct weft_traffic_steps
    {
        uint32_t n;       /**< more than every message's step */
        uint32_t ngroups; /**< more than every message's group */
        bool barriers;    /**< some message waits for a barrier */
        bool waits;       /**< some message waits for another, or for a barrier */
    };

    WEFT_API struct weft_traffic_steps weft_count_steps(const struct weft_traffic *t);

    /** Whether a message's start counts from what it waits for. */
    static inline bool weft_starts_after(const struct weft_message *m)
    {
        return m->barrier || m->delayed;
    }

    /** When the earliest message may start: what comes before tells nothing of the fabric.
     * WEFT_NEVER: there is none. */
    WEFT_API int64_t weft_first_start(const struct weft_message *messages, uint32_t n);

    /**
     * The last delivery, by the workload's closed form, which holds if all messages cross as many
     * links as there can be, all alike, of one plane or of several, and none stays in a server with
     * a network of its own; -1: none is known. @p partial: some messages are never
     * delivered, and a collective may end earlier. n = 0: as if all crossed and could start at time
     * 0.
     */
    WEFT_API int64_t weft_traffic_bound(const struct weft_traffic *t, bool partial);

    /** Bytes, 8-byte aligned, that the functions below work in. */
    WEFT_API size_t weft_traffic_memory(const struct weft_traffic *t);

    /**
     * The last ACK where hosts send data at @p pace bit/s, > 0 and at most their links' rate: by
     * the workload's closed form, or because every step is an exchange, in which each host that
     * takes part sends one message and receives one, all of the same size; -1: neither. Links must
     * be all alike, and each packet must have an ACK. @p steps: NULL, or gets for each step the
     * least time from a message's start to its last ACK, or -1.
     */
    WEFT_API int64_t weft_traffic_acked_bound(const struct weft_traffic *t, int64_t pace,
                                              int64_t *steps, void *memory);

    /** The last delivery, or with @p acked the last ACK, of any traffic: each message takes its way
     * and its host's wire, begins after those that it waits for, and shares the wires of its two
     * hosts with all others of these hosts by the same network. */
    WEFT_API int64_t weft_traffic_least_time(const struct weft_traffic *t, bool acked,
                                             void *memory);

    /**
     * From a message's post to its last delivery if it had the fabric for itself, without failures,
     * at line rate, its packets divided evenly among the ports of its host, on one path each:
     * weft_message_path() on weft_clos_best_path(). -1: there is no such path. A message whose
     * packets take several paths can be faster: a short last packet then overtakes others, and
     * links slower than the NIC's carry it side by side. Where the ports of the two hosts are not
     * as many, or not all alike, a lower bound: what comes before the last packet takes all ports
     * of either host, and that packet the best path. @p hops: room for weft_clos_hops() of them.
     */
    WEFT_API int64_t weft_ideal_fct(const struct weft_clos *clos,
                                    const struct weft_fabric_config *frame, uint32_t src,
                                    uint32_t dst, uint64_t bytes, struct weft_hop *hops);

#ifdef __cplusplus
}
#endif
#endif

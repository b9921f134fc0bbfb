/* SPDX-License-Identifier: MIT */
/**
 * @file ports.h  A switch's ports as a load balancer sees them: candidates, queues, load.
 */
#ifndef WEFT_PORTS_H
#define WEFT_PORTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /**
     * The candidates: live ports of one next-hop group, in a fixed order. n >= 1. Under W-ECMP a
     * port occurs as often as its weight says, interleaved, as in a switch's own table: round r
     * holds the ports of weight >= r, ascending. Read them by weft_port_at().
     */
    struct weft_ports
    {
        /** Bytes queued at every port of the switch (index: port), the frame in service included.
         * Read only by balancers that look at them (weft_lb_looks()). */
        const uint32_t *queue_bytes;
        const uint16_t *list; /**< the candidates; NULL: first, first+1, ... */
        uint16_t first;       /**< the group's first port, dead or alive */
        uint16_t n;           /**< candidates: live ports, each counted by its weight */
        uint16_t width;       /**< ports of the group when healthy */
        /** The first `even` candidates are the list's first `round` ports, over and over; the
         * others follow them. Of no meaning without a list; both 0: it is just a list. */
        uint16_t round;
        uint16_t even;
    };

    /** The i-th candidate's port number. i < n. */
    static inline uint32_t weft_port_at(const struct weft_ports *ports, uint32_t i)
    {
        if (ports->list == NULL)
        {
            return (uint32_t)ports->first + i;
        }
        return ports->list[i < ports->even ? i % ports->round : i - ports->even + ports->round];
    }

    /** State of a switch's port, as the switch knows it. */
    struct weft_port_status
    {
        int64_t rate;         /**< bit/s of its link now: less than planned where it is degraded */
        uint64_t sent;        /**< bytes of frames that it has started to send, ever */
        uint32_t queue_bytes; /**< as in struct weft_ports */
        uint32_t paused;      /**< bit c: PFC keeps frames of traffic class c back */
    };

    /** How a balancer looks at its switch's ports: what a simulator provides. */
    struct weft_port_reader
    {
        void *of; /**< handed to read() */
        /** Fills @p status of a port below nports at @p now, the time of the call that reads. */
        void (*read)(void *of, uint32_t port, int64_t now, struct weft_port_status *status);
    };

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/** @file path-drive.h  A Clos with a balancer at every switch, and packets that are driven through
 * it one at a time: for the tests. */
#ifndef WEFT_TESTS_PATH_DRIVE_H
#define WEFT_TESTS_PATH_DRIVE_H

#include <weft/weft.h>

struct path_drive
{
    const struct weft_lb_ops *ops;
    const struct weft_clos *clos;
    const struct weft_fib *fib; /**< NULL: all is healthy */
    void **switches;            /**< the balancer's state at each */
    uint64_t *links;            /**< of all ports, switch by switch */
    uint32_t nports;            /**< of the switch that has most */
};

/** Makes all switches of @p clos, which must outlive it, with queues that are empty. */
void path_drive_begin(struct path_drive *d, const struct weft_lb_ops *ops, const void *config,
                      const struct weft_clos *clos, uint64_t seed);
void path_drive_end(struct path_drive *d);

/** The link at a port of a switch. */
uint64_t path_drive_link(const struct path_drive *d, uint32_t index, uint32_t port);

/** The switch or host at the other end of the link at a port of a switch. */
struct weft_end path_drive_peer(const struct path_drive *d, uint32_t index, uint32_t port);

/**
 * Drives a packet from packet->src to packet->dst: writes the links that it takes and returns how
 * many, or 0: at some switch it has no route. At each switch that has a choice, peek() must
 * foretell the port, and that must be a candidate.
 */
uint32_t path_drive(const struct path_drive *d, struct weft_packet *packet, uint64_t links[6]);

#endif

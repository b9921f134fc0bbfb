/* SPDX-License-Identifier: MIT */
/** @file ethereal-rig.h  A fabric with Ethereal at every switch and host: for the tests. */
#ifndef WEFT_TESTS_ETHEREAL_RIG_H
#define WEFT_TESTS_ETHEREAL_RIG_H

#include <weft/weft.h>

#include "path-drive.h"

#define ETHEREAL_PARTS 20000

struct ethereal_rig
{
    const struct weft_lb_ops *ops;
    uint64_t config[8];
    struct weft_clos clos;
    struct path_drive drive;
    uint64_t *hosts;
    size_t host_words;
    uint64_t planner[4];
    struct weft_plan_part parts[ETHEREAL_PARTS];
    size_t nparts;
    int64_t payload; /* bytes of a packet: 1 from ethereal_begin() on, so that parts may be short */
};

extern struct ethereal_rig ether;

/** "leaf-spine", "name=value ..." of the topology, and of the balancer; the planner of host 0. */
void ethereal_begin(const char *kind, const char *shape, const char *settings, uint64_t seed);
void ethereal_end(void);

/** A leaf-spine of 3 leaves with 2 hosts each. */
void ethereal_spines(unsigned spines, const char *settings);

void *ethereal_host(uint32_t host);

/** Makes the QP of @p qp, of host 0 or another one. */
void ethereal_qp(uint64_t qp[4], uint32_t src, uint32_t dst);

/** The source port of the QP's next packet. */
uint16_t ethereal_data(uint64_t qp[4]);
/** A NACK of a packet with that source port comes back. */
void ethereal_nack(uint64_t qp[4], uint16_t echo, int64_t now);

/** From now on plans are another host's. */
void ethereal_plan_at(uint32_t host);

/** Plans for host 0, or that other one, into ether.parts. */
void ethereal_plan(const struct weft_plan_message *messages, size_t n, int64_t now);

/** Drives a packet through the switches: writes the links that it takes, returns how many.
 * It must have a route. */
uint32_t ethereal_drive(struct weft_packet *packet, uint64_t links[6]);

#endif

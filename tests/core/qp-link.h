/* SPDX-License-Identifier: MIT */
/**
 * @file qp-link.h  Hosts with QPs over a network that loses, duplicates, delays and reorders frames
 * as a test draws it. What arrives, is answered, told and sent is checked against a flag for each
 * packet.
 */
#ifndef WEFT_TESTS_QP_LINK_H
#define WEFT_TESTS_QP_LINK_H

#include <weft/weft.h>

#define QP_LINK_HOSTS   3
#define QP_LINK_QPS     6
#define QP_LINK_PACKETS 4000 /* posted by a QP at most */

struct qp_link
{
    const char *transport;
    uint32_t outstanding; /* packets, at least 8; a sack's threshold is a quarter of it */
    uint32_t rto;         /* steps */
    uint32_t first_psn;
    uint32_t ack_every;
    uint32_t batch;
    uint32_t retry_limit;
    uint32_t window; /* packets, as QPs begin; 0: without windows */
    uint32_t steps;  /* in which frames may suffer and messages are posted */
    uint32_t loss;   /* of 256 frames */
    uint32_t trim;   /* of 256 data frames, so many lose their payload */
    uint32_t copies; /* of 256 frames, so many arrive twice */
    uint32_t jitter; /* steps that a frame takes longer, at random */
    uint32_t unrest; /* of 256 steps, so many see a pause, or another window or rate */
    uint32_t (*draw)(void *context, uint32_t n); /* in [0, n) */
    void *context;
};

struct qp_link_outcome
{
    uint64_t sent, resent, timeouts, acks, nacks, losses, delivered, failed;
};

/** Runs so many steps, and on over a network without a fault until every message of a QP that is
 * not given up is acknowledged. */
struct qp_link_outcome qp_link_run(const struct qp_link *link);

#endif

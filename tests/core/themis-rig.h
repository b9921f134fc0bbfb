/* SPDX-License-Identifier: MIT */
/** @file themis-rig.h QP at the destination's ToR, for the tests of Themis-D. */
#ifndef WEFT_TESTS_THEMIS_RIG_H
#define WEFT_TESTS_THEMIS_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/weft.h>

/** Names of the parameter's choices, in its order. */
extern const char *const compensations[3];

struct bench
{
    const struct weft_tor_ops *ops;
    void *qp;
    struct weft_tor_counters n;
};

/** The defaults of "themis", with one setting; @p name may be NULL. @p config holds 16 members. */
void configure(int64_t *config, const char *name, const char *value);

/** A last hop whose ring has exactly @p entries when F = 1. */
struct weft_last_hop last_hop(uint32_t npaths, uint32_t entries);

void open_bench(struct bench *b, uint32_t npaths, uint32_t entries, const char *compensation,
                const char *width);

/** Checks that the counters add up. */
void close_bench(struct bench *b);

/** A data packet leaves for the NIC. Returns the ePSN of the NACK that the ToR makes, or -1. */
int64_t pass(struct bench *b, uint32_t psn);

/** Lets a packet pass; @p paused: the NIC's replies are. */
int64_t pass_paused(struct bench *b, uint32_t psn, bool paused);

/** A NACK enters from the NIC. Returns whether it is forwarded. */
bool nack(struct bench *b, uint32_t epsn);

/** An ACK enters from the NIC. Returns whether it is forwarded as a NACK. */
bool ack(struct bench *b, uint32_t epsn);

#endif

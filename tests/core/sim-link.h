/* SPDX-License-Identifier: MIT */
/**
 * @file sim-link.h  Two NICs and a link that loses, duplicates and reorders, in slots of 1 us: one
 * data packet may enter per slot. A sender that has tx_lost() hears of losses.
 */
#ifndef WEFT_TESTS_SIM_LINK_H
#define WEFT_TESTS_SIM_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include <weft/transport.h>

#define SIM_SLOT INT64_C(1000000) /* ps */

struct sim_link
{
    const struct weft_transport_ops *ops;
    const void *config;
    uint32_t first_psn;
    uint32_t packets;
    uint32_t chunk;      /* packets posted at a time; the next chunk once all is acknowledged */
    uint32_t delay;      /* slots, one way, >= 1 */
    uint32_t jitter;     /* each frame takes up to so many slots more, at random */
    double data_loss;    /* probability per data frame */
    double reply_loss;   /* probability per ACK or NACK */
    double duplication;  /* probability that a frame arrives twice */
    const uint8_t *mask; /* [packets]: how many transmissions of that packet are lost; or NULL */
    uint64_t seed;
};

struct sim_outcome
{
    struct weft_tx_counters tx;
    uint64_t data_frames; /* that entered the link */
    uint64_t lost_data;
    uint64_t lost_replies;
    uint64_t duplicates; /* data that the receiver had already */
    uint64_t acks;       /* sent by the receiver */
    uint64_t nacks;
    uint64_t slots; /* until the last packet was acknowledged */
};

/** @p packets in one chunk over 8 slots each way and no losses, under a transport with these
 * settings (as begin() takes them), which must be sound. */
struct sim_link sim_link_of(const char *transport, const char *const *settings, uint32_t first_psn,
                            uint32_t packets, uint64_t seed);

/**
 * Runs until everything is acknowledged. Fails the test if a packet is placed twice or never, a
 * verdict contradicts what has arrived, the sender's and the receiver's view disagree, the
 * counters do not add up, or it takes for ever.
 */
struct sim_outcome sim_link_run(const struct sim_link *link);

#endif

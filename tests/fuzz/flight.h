/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file flight.h  A QP over a network that does what an input's bytes say: frames arrive in any
 * order, late, never, or twice. The fuzz targets of the transports share it.
 */
#ifndef WEFT_TESTS_FLIGHT_H
#define WEFT_TESTS_FLIGHT_H

#include <weft/transport.h>

#include "fuzz.h"

/** Packets that are posted at most. */
#define FLIGHT_PACKETS 2000

/** The base RTT that senders are told of, ps: what some packets take to leave. */
#define FLIGHT_RTT 64

/**
 * Runs a sender and a receiver until the input is used up, then over a network that loses nothing
 * until all is acknowledged. Aborts if the receiver says of a packet what is not so, or if nothing
 * moves any more. @p copies: whether the network may duplicate frames.
 */
void flight_run(const struct weft_transport_ops *ops, const void *config, uint32_t first_psn,
                bool copies, struct fuzz_input *in);

/** Number of a PSN since the first one. */
static inline uint32_t
flight_index(uint32_t psn, uint32_t first_psn)
{
    return (psn - first_psn) & WEFT_PSN_MASK;
}

/** A receiver written down plainly: a flag for each packet, looked at one by one. */
struct flight_receiver
{
    bool got[2 * FLIGHT_PACKETS];
    uint32_t first_psn, epsn, window;
    bool nacked; /* this ePSN has had its NACK */
};

void flight_receiver_init(struct flight_receiver *r, uint32_t first_psn, uint32_t window);

/** Returns what the receiver says to a packet; its reply is NONE or, if @p nacks, NACK for what
 * lies beyond the ePSN. */
struct weft_rx_verdict flight_receive(struct flight_receiver *r, uint32_t psn, bool nacks);

/** Whether two verdicts are the same. */
bool flight_agree(const struct weft_rx_verdict *a, const struct weft_rx_verdict *b);

#endif

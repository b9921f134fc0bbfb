/* SPDX-License-Identifier: MIT */
/**
 * @file themis-loop.h  A slot model of one QP under Themis, for the tests of Themis-D: sender, N
 * paths, the destination's ToR, the last hop and the NIC, and all the way back.
 *
 * A slot is a packet's time on the wire. The sender sends packet i on path i mod N. Every path is a
 * FIFO with a random delay of its own; the ToR's down port takes one packet per slot; the last hop
 * and the way back are FIFOs too.
 */
#ifndef WEFT_TESTS_THEMIS_LOOP_H
#define WEFT_TESTS_THEMIS_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct loop_setup
{
    uint64_t seed, run;
    uint32_t npaths;      /**< at most 64 */
    uint32_t spread;      /**< most slots by which packets overtake each other */
    uint32_t rtt;         /**< slots from the ToR to the NIC and back, at least */
    uint32_t jitter;      /**< most slots that a reply waits at the NIC */
    uint32_t ring;        /**< entries; at least rtt + jitter + 1, as the paper sizes it */
    uint32_t delay;       /**< slots from the ToR back to the sender */
    uint32_t length;      /**< packets */
    uint32_t first;       /**< PSN of packet 0 */
    uint32_t before;      /**< losses between sender and ToR, per 10,000 */
    uint32_t last_hop;    /**< losses between ToR and NIC, per 10,000 */
    bool gbn;             /**< go-back-N instead of NIC-SR */
    const char *mode;     /**< compensation */
    const char *width;    /**< entry-bytes */
    uint32_t period;      /**< slots from one pause of the NIC by PFC to the next; 0: none */
    uint32_t hold;        /**< slots of a pause: replies do not move. Less than period */
    const uint32_t *lost; /**< also lost, once, between ToR and NIC; may be NULL */
    uint32_t nlost;
};

struct loop_result
{
    uint64_t losses;   /**< first transmissions lost */
    uint64_t nacks;    /**< that the NIC sent */
    uint64_t asked;    /**< NACKs that reached the sender */
    uint64_t spurious; /**< of these, for a packet that was neither lost nor dropped */
    uint64_t twice;    /**< of these, for a packet that had been asked for before */
    uint64_t timeouts;
    uint64_t missed; /**< timeouts though the ToR could have known of the loss */
    uint64_t silent; /**< losses that the ToR knew by the NIC's silence */
    uint64_t turned; /**< ACKs that the ToR made NACKs */
    uint64_t slots;  /**< until everything had arrived */
};

/** Runs the flow until its last packet has arrived and adds to @p result. */
void themis_loop(const struct loop_setup *setup, struct loop_result *result);

#endif

/* SPDX-License-Identifier: MIT */
/**
 * @file pulled.h  Congestion control by the credit that receivers grant (pull.h): what rccc and
 * eqds share. Private.
 *
 * A sender has credit in bytes. Each packet that leaves takes its bytes off, sent again or not, and
 * while any is left the next one may leave. It begins with a window of credit of its own, and
 * speculates with it that the receiver's link is free, until the first reply or pull comes: what is
 * left of it then is void, and from then on pulls alone bring credit.
 */
#ifndef WEFT_CC_PULLED_H
#define WEFT_CC_PULLED_H

#include <stdbool.h>
#include <stdint.h>

#include <weft/cc.h>

#ifdef __cplusplus
extern "C"
{
#endif

    struct weft_pulled_config
    {
        int64_t network_rtt; /**< ps; 0: the QP's own base_rtt */
        double window;       /**< BDPs */
        int64_t pull;        /**< bytes */
        double pace;         /**< of line rate */
        int64_t ahead;       /**< idle QPs are granted credit ahead */
        int64_t divide;      /**< QPs of a host ask for their parts */
    };

    struct weft_pulled
    {
        int64_t line;    /**< bit/s */
        int64_t credit;  /**< bytes; below 0: the last packet was larger */
        int64_t most;    /**< bytes */
        int64_t frame;   /**< bytes */
        uint64_t pulled; /**< quanta granted so far */
        bool speculates;
        bool divides;
    };

#define WEFT_PULLED_P(member) WEFT_P(struct weft_pulled_config, member)

/* clang-format off */
/** Rows of both parameter tables. */
#define WEFT_PULLED_PARAMS(window_default, pull_default, divide_default, source) \
    {"network-rtt", WEFT_TIME, WEFT_PULLED_P(network_rtt), "0s", "0s", "1s", NULL, \
     "Round trip of the fabric's longest idle path, from which the window follows; 0: that of the QP's own path.", \
     source}, \
    {"window", WEFT_REAL, WEFT_PULLED_P(window), window_default, "0.01", "100", NULL, \
     "First credit, and the most that a sender has, in bandwidth-delay products.", source}, \
    {"pull", WEFT_BYTES, WEFT_PULLED_P(pull), pull_default, "256B", "1MB", NULL, \
     "Credit of a pull, in whole 256 B.", source}, \
    {"pace", WEFT_REAL, WEFT_PULLED_P(pace), "0.99", "0.01", "1", NULL, \
     "Credit that a receiver grants in all, as a share of its line's rate.", source}, \
    {"ahead", WEFT_BOOL, WEFT_PULLED_P(ahead), "on", NULL, NULL, NULL, \
     "When nobody asks, QPs are granted credit ahead, up to a window.", source}, \
    {"divide", WEFT_BOOL, WEFT_PULLED_P(divide), divide_default, NULL, NULL, NULL, \
     "QPs of one host that have something to send ask for their parts of what they would ask for alone.", source}
    /* clang-format on */

    /** As init() of struct weft_cc_ops, of that algorithm. */
    int weft_pulled_init(void *state, const void *config, const struct weft_cc_site *site,
                         const struct weft_algo *algo);

    /* Hooks of struct weft_cc_ops. */
    int64_t weft_pulled_rate(void *state, int64_t now);
    void weft_pulled_ack(void *state, const struct weft_cc_ack *ack, int64_t now);
    void weft_pulled_pull(void *state, const struct weft_packet *pull, int64_t now);
    void weft_pulled_stamp(void *state, const struct weft_demand *demand, struct weft_packet *data,
                           int64_t now);
    uint32_t weft_pulled_window(void *state, int64_t now);
    void weft_pulled_terms(const void *config, const struct weft_cc_site *site,
                           struct weft_pull_terms *terms);

/** All but the algorithm and init(). */
#define WEFT_PULLED_HOOKS                                                                          \
    .state_size = sizeof(struct weft_pulled), .rate = weft_pulled_rate, .on_ack = weft_pulled_ack, \
    .on_pull = weft_pulled_pull, .stamp = weft_pulled_stamp, .terms = weft_pulled_terms,           \
    .window = weft_pulled_window,                                                                  \
    .fields = {.reads = WEFT_FIELD_BYTES | WEFT_FIELD_AHEAD, .writes = WEFT_FIELD_AHEAD}

#ifdef __cplusplus
}
#endif
#endif

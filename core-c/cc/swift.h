/* SPDX-License-Identifier: MIT */
/** @file swift.h Common part of swift and mswift: all but where the delay comes from. Private. */
#ifndef WEFT_CC_SWIFT_H
#define WEFT_CC_SWIFT_H

#include <stdbool.h>
#include <stdint.h>

#include <weft/cc.h>

#ifdef __cplusplus
extern "C"
{
#endif

    struct weft_swift_config
    {
        int64_t queue_target; /**< bytes */
        double ai;
        double beta;
        double max_mdf;
        double min_cwnd;
        double max_cwnd;    /**< 0: the initial window */
        int64_t fs_range;   /**< ps */
        double fs_min;      /**< packets */
        double fs_max;      /**< packets */
        int64_t reset;      /**< timeouts in a row */
        int64_t fast_cut;   /**< a packet that is taken for lost cuts the window */
        int64_t trim_cut;   /**< so does one that a switch has trimmed */
        int64_t samples;    /**< mswift: most delays of which it takes the median */
        int64_t full_links; /**< links of the path that queue_target is for */
    };

    struct weft_swift
    {
        const struct weft_swift_config *config;
        double cwnd;        /**< packets */
        double most;        /**< packets: the largest window */
        double frame;       /**< bits of a full data frame with its gap */
        double fs_alpha;    /**< ps; 0: no flow scaling */
        int64_t target;     /**< ps, without flow scaling */
        int64_t line;       /**< bit/s */
        int64_t rate_bps;   /**< in force: the line rate, or that of a window below one packet */
        int64_t rtt;        /**< ps: the last delay that it acted on */
        int64_t last_cut;   /**< when the window was last decreased, ps */
        int64_t timeouts;   /**< in a row */
        uint64_t delivered; /**< packets acknowledged in any order */
        uint64_t cuts;
    };

#define WEFT_SWIFT_P(member) WEFT_P(struct weft_swift_config, member)

/* clang-format off */
/** Rows of both parameter tables. @p fast_cut_default: the default of fast-cut. */
#define WEFT_SWIFT_PARAMS(fast_cut_default) \
    {"queue-target", WEFT_BYTES, WEFT_SWIFT_P(queue_target), "113KB", "0B", "1GB", NULL, \
     "Queueing at line rate that the target delay allows on a path of full-links links; in proportion on others.", \
     "ofan App. H"}, \
    {"full-links", WEFT_COUNT, WEFT_SWIFT_P(full_links), "6", "1", "64", NULL, \
     "Links of the path that queue-target is given for.", "ofan App. H"}, \
    {"ai", WEFT_REAL, WEFT_SWIFT_P(ai), "1", "0.0001", "1000", NULL, \
     "Additive increase, packets per round trip.", "Swift Alg. 1"}, \
    {"beta", WEFT_REAL, WEFT_SWIFT_P(beta), "0.8", "0", "1", NULL, \
     "Weight of the excess delay in a decrease.", "Swift Alg. 1"}, \
    {"max-mdf", WEFT_REAL, WEFT_SWIFT_P(max_mdf), "0.5", "0.01", "0.99", NULL, \
     "Largest decrease, as a part of the window.", "Swift Alg. 1"}, \
    {"min-cwnd", WEFT_REAL, WEFT_SWIFT_P(min_cwnd), "0.001", "0.0001", "1", NULL, \
     "Smallest window, packets; one below 1 is paced.", "Swift §3.3"}, \
    {"max-cwnd", WEFT_REAL, WEFT_SWIFT_P(max_cwnd), "0", "0", "4194304", NULL, \
     "Largest window, packets; 0: the initial one, which keeps line rate at the target delay.", "(ours)"}, \
    {"fs-range", WEFT_TIME, WEFT_SWIFT_P(fs_range), "0s", "0s", "1s", NULL, \
     "Flow scaling: most that it adds to the target delay; 0: off.", "Swift §3.5"}, \
    {"fs-min", WEFT_REAL, WEFT_SWIFT_P(fs_min), "0.1", "0.0001", "1000", NULL, \
     "Flow scaling: the window, packets, at which it adds fs-range.", "Swift §3.5"}, \
    {"fs-max", WEFT_REAL, WEFT_SWIFT_P(fs_max), "100", "0.001", "4194304", NULL, \
     "Flow scaling: the window, packets, from which on it adds nothing.", "Swift §3.5"}, \
    {"reset", WEFT_COUNT, WEFT_SWIFT_P(reset), "5", "1", "1000", NULL, \
     "Timeouts in a row, without an ACK, that cut the window to min-cwnd.", "Swift Alg. 1; value (ours)"}, \
    {"fast-cut", WEFT_BOOL, WEFT_SWIFT_P(fast_cut), fast_cut_default, NULL, NULL, NULL, \
     "A packet that is taken for lost, but for one that a switch has trimmed, cuts the window by max-mdf.", \
     "Swift Alg. 1"}, \
    {"trim-cut", WEFT_BOOL, WEFT_SWIFT_P(trim_cut), "on", NULL, NULL, NULL, \
     "The NACK of a trimmed packet cuts the window by max-mdf.", "(ours)"}
    /* clang-format on */

    const char *weft_swift_check(const void *config);

    /** Whether a reply tells how long its packet waited: the header of a trimmed one did not wait
     * with the others. */
    static inline bool weft_swift_has_delay(const struct weft_packet *reply)
    {
        return !(reply->flags & WEFT_F_TRIMMED);
    }

    /** Acts on a reply whose delay counts as @p delay, ps. @p delivered: of its struct weft_cc_ack.
     */
    void weft_swift_react(struct weft_swift *s, int64_t delay, uint64_t delivered, int64_t now);

    /* Hooks of struct weft_cc_ops. */
    int weft_swift_init(void *state, const void *config, const struct weft_cc_site *site,
                        int64_t now);
    int64_t weft_swift_rate(void *state, int64_t now);
    void weft_swift_timeout(void *state, int64_t now);
    void weft_swift_lost(void *state, const struct weft_loss *loss, int64_t now);
    uint64_t weft_swift_cuts(const void *state);
    uint32_t weft_swift_window(void *state, int64_t now);

#ifdef __cplusplus
}
#endif
#endif

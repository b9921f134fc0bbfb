/* SPDX-License-Identifier: MIT */
/**
 * @file views.h  Views of states for studies: rates, windows, judgements. Reading changes
 * nothing and may be done at any time; no state pays for it on the packet path.
 *
 * A state is named by its algorithm: handing the state of another one to a view is a mistake that
 * only a build with WEFT_CHECKED finds.
 */
#ifndef WEFT_VIEWS_H
#define WEFT_VIEWS_H

#include <stdbool.h>
#include <stdint.h>

#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** Kind of DCQCN's next round of increase (DCQCN §5). */
    enum weft_dcqcn_stage
    {
        WEFT_DCQCN_UNCUT,         /**< there was no cut yet, so no round will come */
        WEFT_DCQCN_FAST_RECOVERY, /**< R_C goes half the way to R_T */
        WEFT_DCQCN_ADDITIVE,      /**< R_T rises by R_AI first */
        WEFT_DCQCN_HYPER,         /**< R_T rises by R_HAI first, or a multiple of it */
    };

    struct weft_dcqcn_view
    {
        double current;       /**< R_C, bit/s */
        double target;        /**< R_T, bit/s */
        double alpha;         /**< in [0, 1] */
        int64_t timer_rounds; /**< rounds of the increase timer since the last cut */
        int64_t byte_rounds;  /**< model paper: rounds of the byte counter since then */
        int64_t bytes;        /**< model paper: sent since the last of these rounds */
        int64_t next_rise;    /**< when the increase timer is due, ps; WEFT_NEVER before a cut */
        int64_t next_cut;     /**< model rnic: the tick that will cut, ps; WEFT_NEVER: none will */
        uint64_t cuts;        /**< since init */
        enum weft_dcqcn_stage stage;
    };

    /** A state of the congestion control "dcqcn" as of @p now, which is not before what the state
     * was told last. The timers that are due by then are worked off in a copy. */
    WEFT_API void weft_dcqcn_read(const void *state, int64_t now, struct weft_dcqcn_view *view);

    struct weft_dctcp_view
    {
        double alpha;     /**< the share of marked packets, averaged over windows; in [0, 1] */
        double cwnd;      /**< packets; window() is its whole part */
        double threshold; /**< packets: below it the window grows by one for each acknowledged */
        uint32_t acked;   /**< packets acknowledged in the current window of data */
        uint32_t marked;  /**< of these: marked */
        uint64_t cuts;    /**< since init */
    };

    /** A state of the congestion control "dctcp". */
    WEFT_API void weft_dctcp_read(const void *state, struct weft_dctcp_view *view);

    struct weft_swift_view
    {
        double cwnd;      /**< packets; below 1 it is paced */
        int64_t delay;    /**< ps: the last one that it acted on; at first that of an idle path */
        int64_t target;   /**< ps: the target delay at this window, flow scaling included */
        int64_t timeouts; /**< in a row */
        uint64_t cuts;    /**< since init */
    };

    /** A state of the congestion control "swift" or "mswift". */
    WEFT_API void weft_swift_read(const void *state, struct weft_swift_view *view);

    struct weft_nscc_view
    {
        double cwnd;      /**< bytes; window() is the whole frames in it, at least 1 */
        double most;      /**< bytes: the largest window */
        double delay;     /**< ps: the average queueing delay */
        int64_t base_rtt; /**< ps: the shortest round trip that was seen */
        int64_t target;   /**< ps: the target of the queueing delay */
        uint64_t cuts;    /**< since init */
    };

    /** A state of the congestion control "nscc". */
    WEFT_API void weft_nscc_read(const void *state, struct weft_nscc_view *view);
    struct weft_timely_view
    {
        double rate;     /**< bit/s */
        double gradient; /**< the mean difference of round trips by that of an idle path */
        int64_t rtt;     /**< ps: the last one that it acted on; 0: none yet */
        int64_t falls;   /**< completion events in a row whose gradient was not above 0 */
        uint64_t cuts;   /**< since init */
    };

    /** A state of the congestion control "timely". */
    WEFT_API void weft_timely_read(const void *state, struct weft_timely_view *view);

    struct weft_hpcc_view
    {
        double w;      /**< bytes on the wire: the window in force; window() is rounded up */
        double w_c;    /**< bytes: the window that it is computed from, one round trip old */
        double u;      /**< what is in flight on the busiest link, by its rate x T */
        int64_t stage; /**< additive steps in a row */
        uint64_t cuts; /**< of w_c, since init */
    };

    /** A state of the congestion control "hpcc". */
    WEFT_API void weft_hpcc_read(const void *state, struct weft_hpcc_view *view);

    /** Act of Themis-D, and its reason. */
    enum weft_themis_reason
    {
        WEFT_THEMIS_NOTHING,     /**< no NACK has come, and none was made */
        WEFT_THEMIS_SAME_PATH,   /**< forwarded: the trigger took the ePSN's path (Eq. 3) */
        WEFT_THEMIS_NO_TRIGGER,  /**< forwarded: no newer PSN is in the ring */
        WEFT_THEMIS_RING_PROVES, /**< forwarded: the trigger took another path, but what has passed
                                    shows that the NIC cannot have the packet of the ePSN */
        WEFT_THEMIS_OTHER_PATH,  /**< blocked: the trigger took another path */
        WEFT_THEMIS_ON_ITS_WAY,  /**< blocked: the packet of the ePSN left for the NIC behind the
                                    trigger */
        WEFT_THEMIS_MAY_COME,    /**< blocked: the ring has given up entries, and the packet of the
                                    ePSN may be one of them */
        WEFT_THEMIS_REPEATED,    /**< blocked: the ToR has asked for this packet already */
        WEFT_THEMIS_OVERTAKEN,   /**< made up for: a later packet of the ePSN's path has passed */
        WEFT_THEMIS_SILENCE,     /**< made up for: a ring's worth of packets has passed, and the
                                    NIC's ePSN did not move */
        WEFT_THEMIS_RELEASED,    /**< made up for: the middleware was turned off */
        WEFT_THEMIS_TURNED,      /**< made up for: an ACK went on as a NACK (WEFT_TOR_NACK) */
    };

/** No PSN, and no path. */
#define WEFT_THEMIS_NONE UINT32_MAX

    /** Themis-D's last judgement on a QP. Paths are PSN mod N: those of Eq. 3. */
    struct weft_themis_judgement
    {
        enum weft_themis_reason reason;
        uint32_t epsn; /**< of the NACK; WEFT_THEMIS_NONE before the first */
        uint32_t tpsn; /**< of the packet that triggered it or, where the ToR made up for it, of
                          the one that passed just then; WEFT_THEMIS_NONE: none is known */
        uint32_t epsn_path; /**< WEFT_THEMIS_NONE with epsn */
        uint32_t tpsn_path; /**< WEFT_THEMIS_NONE with tpsn */
    };

    /** The state of a QP at the ToR (weft_tor_ops' qp_init()) under the balancer "themis". It
     * remembers its last judgement in 12 bytes, written when it judges. */
    WEFT_API void weft_themis_judged(const void *qp, struct weft_themis_judgement *judgement);

    /** The reason in a few words, never NULL: "blocked: the trigger took another path". */
    WEFT_API const char *weft_themis_reason_text(enum weft_themis_reason reason);

#ifdef __cplusplus
}
#endif
#endif

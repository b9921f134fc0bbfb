/* SPDX-License-Identifier: MIT */
/**
 * @file checked.h  The tables of the checked build, those that its registry has: each hook checks
 * what its header asks of the caller, and then hands the call on. What the checks remember of a
 * state lies before it. Private.
 */
#ifndef WEFT_CHECKED_CHECKED_H
#define WEFT_CHECKED_CHECKED_H

#include "roster/tables.h"

#include <weft/path.h>
#include <weft/plan.h>
#include <weft/tor.h>

#ifdef __cplusplus
extern "C"
{
#endif

#ifdef WEFT_CHECKED

    /** Kind tag written by init(); a call of another kind aborts. */
    enum weft_checked_kind
    {
        WEFT_CHECKED_LB,
        WEFT_CHECKED_PATH_HOST,
        WEFT_CHECKED_PATH_QP,
        WEFT_CHECKED_PLAN,
        WEFT_CHECKED_TOR,
        WEFT_CHECKED_TX,
        WEFT_CHECKED_RX,
        WEFT_CHECKED_CC,
        WEFT_CHECKED_SCHEDULER,
    };

    /** Memory of the checked build about one state. */
    struct weft_checked
    {
        uint64_t made;      /**< by which kind's init(), once it has returned 0 */
        const void *ops;    /**< the algorithm's own table of that kind */
        int64_t now;        /**< of the last call */
        uint64_t una;       /**< cc: packets acknowledged in order */
        uint64_t delivered; /**< cc: packets that are known to have arrived */
        uint32_t count;     /**< lb: ports; scheduler: classes; tx: the first PSN; rx: the ePSN */
        uint32_t nhosts;    /**< lb, path, plan: of the fabric; 0: not known */
        uint32_t host;      /**< plan: its number */
        uint16_t sport;     /**< path: the QP's own, once `sends` */
        bool sends;         /**< path: data() was called */
        bool active;        /**< path: on_active() says so */
        bool looks;         /**< lb: pick() reads queue_bytes */
        bool wants;         /**< lb: request() has not said false yet */
    };

    /** Before a size is asked for, and an init(): the algorithm has what configures it. */
    void weft_checked_config(const struct weft_algo *algo, const void *config, const char *call);
    /** Before an init(): forgets what was remembered. */
    struct weft_checked *weft_checked_begin(void *state, const void *ops, const char *call);
    /** After an init(), which returned @p code. */
    int weft_checked_end(struct weft_checked *c, enum weft_checked_kind kind, int code);
    /** Whether an init() of that kind has made a state. */
    bool weft_checked_is(const struct weft_checked *c, enum weft_checked_kind kind);
    /** Returns what is remembered of a state; aborts if no init() of that kind has made it. */
    struct weft_checked *weft_checked_of(const void *state, enum weft_checked_kind kind,
                                         const char *call);
    /** Returns the same, and aborts if @p now is before the time of the last call. */
    struct weft_checked *weft_checked_at(void *state, enum weft_checked_kind kind, int64_t now,
                                         const char *call);
    /** The algorithm's own state. */
    void *weft_checked_own(const struct weft_checked *c);
    /** Bytes of a state of @p own bytes. */
    size_t weft_checked_size(size_t own);
    /** Whether hosts are below @p nhosts, where that is known. */
    bool weft_checked_hosts(const struct weft_checked *c, const struct weft_packet *packet);

#define WEFT_CHECKED_LB_PARTS(table)                                                               \
    extern struct weft_lb_ops weft_checked_##table;                                                \
    extern struct weft_path_ops weft_checked_path_##table;                                         \
    extern struct weft_plan_ops weft_checked_plan_##table;                                         \
    extern struct weft_tor_ops weft_checked_tor_##table;
#define WEFT_CHECKED_TRANSPORT_PARTS(table) extern struct weft_transport_ops weft_checked_##table;
#define WEFT_CHECKED_CC_PARTS(table)        extern struct weft_cc_ops weft_checked_##table;
#define WEFT_CHECKED_SCHEDULER_PARTS(table) extern struct weft_scheduler_ops weft_checked_##table;
    /* clang-format off */
    WEFT_BALANCERS(WEFT_CHECKED_LB_PARTS)
    WEFT_TRANSPORTS(WEFT_CHECKED_TRANSPORT_PARTS)
    WEFT_CONGESTION_CONTROLS(WEFT_CHECKED_CC_PARTS)
    WEFT_SCHEDULERS(WEFT_CHECKED_SCHEDULER_PARTS)
    /* clang-format on */

/** A hook of a checked table, and the function that checks it; NULL where the algorithm has none.
 */
#define WEFT_CHECKED_HOOK(hook, checks) checked->hook = ops->hook ? (checks) : NULL

#endif

#ifdef __cplusplus
}
#endif
#endif

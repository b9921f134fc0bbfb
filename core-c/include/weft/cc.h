/* SPDX-License-Identifier: MIT */
/**
 * @file cc.h  Congestion control: one state per QP at the sender.
 *
 * All timers are lazy: a state catches up with @p now whenever it is read or told something, so an
 * idle QP costs nothing. Calls must come with non-decreasing @p now. At equal times the order is:
 * alpha timer, decrease timer, increase timer, then the outside event.
 */
#ifndef WEFT_CC_H
#define WEFT_CC_H

#include <stddef.h>
#include <stdint.h>

#include <weft/packet.h>
#include <weft/param.h>

#ifdef __cplusplus
extern "C"
{
#endif

    struct weft_cc_ops
    {
        struct weft_algo algo;
        size_t state_size; /**< 8-byte aligned */
        /** @p line_rate in bit/s, > 0. The state keeps @p config by pointer: it must outlive the
         * state. */
        void (*init)(void *state, const void *config, int64_t line_rate, int64_t now);
        /** The rate in force at @p now, bit/s, in (0, line_rate]. */
        int64_t (*rate)(void *state, int64_t now);
        /** Optional hooks; NULL where the algorithm does not care. */
        void (*on_sent)(void *state, uint32_t bytes, int64_t now);
        void (*on_ack)(void *state, const struct weft_packet *ack, int64_t now);
        void (*on_cnp)(void *state, int64_t now);
        void (*on_nack)(void *state, int64_t now);
        void (*on_timeout)(void *state, int64_t now);
        /** Receiver side: least time between two CNPs of a QP, ps; WEFT_NEVER: no CNPs. NULL: no
         * CNPs. */
        int64_t (*cnp_interval)(const void *config);
        /** How often the rate was cut since init; for measurements. Optional. */
        uint64_t (*cuts)(const void *state);
    };

    /** The congestion control of that name, or NULL. */
    const struct weft_cc_ops *weft_cc_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif

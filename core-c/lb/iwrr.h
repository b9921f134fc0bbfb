/* SPDX-License-Identifier: MIT */
/**
 * @file iwrr.h  Interleaved weighted round robin (ofan App. F.4). Private.
 *
 * A schedule is its ports in some order and their weights: in round r = 0, 1, ... every port whose
 * weight is above r has a slot, in that order, so light ports go in the early rounds. Nothing but
 * ports and weights is stored; pointers step over what is no slot.
 */
#ifndef WEFT_LB_IWRR_H
#define WEFT_LB_IWRR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lb/candidates.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define WEFT_IWRR_NONE UINT32_MAX

    struct weft_iwrr_port
    {
        uint32_t weight; /**< 0: no slot */
        uint32_t port;
    };

    struct weft_iwrr
    {
        const struct weft_iwrr_port *at; /**< by place in the order */
        uint32_t n;
        uint32_t rounds; /**< the greatest weight; 0: no slot at all */
    };

    /** A position in a schedule. */
    struct weft_iwrr_slot
    {
        uint32_t round;
        uint32_t place;
    };

    /** The schedule of @p n ports at @p at, whose weights are divided by their greatest common
     * divisor in place. */
    struct weft_iwrr weft_iwrr_build(struct weft_iwrr_port *at, uint32_t n);

    /** Throws @p slot anew, uniform over all slots, unless it is one. Needs rounds > 0. */
    void weft_iwrr_seat(const struct weft_iwrr *s, struct weft_iwrr_slot *slot,
                        struct weft_rng *rng);

    /**
     * The port of the first slot at or behind @p slot that is among @p ports; @p slot steps behind
     * it, and so has passed for good over those that were not. WEFT_IWRR_NONE: there is none.
     */
    uint32_t weft_iwrr_take(const struct weft_iwrr *s, struct weft_iwrr_slot *slot,
                            const struct weft_ports *ports);

#ifdef __cplusplus
}
#endif
#endif

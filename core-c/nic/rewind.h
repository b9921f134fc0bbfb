/* SPDX-License-Identifier: MIT */
/**
 * @file rewind.h  A sender that goes back: what gbn and mprdma share. Private.
 *
 * What follows the packet that it goes back to is sent again in order, but for what is acknowledged
 * meanwhile, and new packets come after that.
 */
#ifndef WEFT_NIC_REWIND_H
#define WEFT_NIC_REWIND_H

#include "nic/sender.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /** State of a sender that goes back, or its first member. */
    struct weft_rewind_tx
    {
        struct weft_sender base;
        uint32_t next; /**< PSN to send next; before base.end: a retransmission */
    };

    /** 0, or WEFT_ERANGE. */
    static inline int weft_rewind_init(struct weft_rewind_tx *t, int64_t limit, int64_t rto,
                                       uint32_t first_psn)
    {
        t->next = first_psn & WEFT_PSN_MASK;
        return weft_sender_init(&t->base, limit, limit, rto, first_psn);
    }

    /** Everything before @p epsn has arrived. Returns how many packets that newly acknowledges. */
    static inline uint32_t weft_rewind_ack(struct weft_rewind_tx *t, uint32_t epsn, int64_t now)
    {
        const uint32_t acked = weft_sender_ack(&t->base, epsn, now);
        /* After a rewind, packets under way may still be acknowledged: no need to send those again.
         */
        if (weft_psn_before(t->next, t->base.una))
        {
            t->next = t->base.una;
        }
        return acked;
    }

    /** The oldest packet is lost: all from it on is to be sent again. */
    static inline void weft_rewind(struct weft_rewind_tx *t)
    {
        t->base.lost = t->next != t->base.una;
        t->next = t->base.una;
    }

    /* Hooks of struct weft_transport_ops. */
    bool weft_rewind_tx_ready(const void *tx);
    int weft_rewind_tx_next(void *tx, int64_t now, uint32_t *psn);
    uint32_t weft_rewind_tx_flight(const void *tx); /**< without what is to be sent again */

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/**
 * @file repeat.h  A sender that sends again what NACKs ask for: what trim, pro-window and
 * multipath-timers share. Private.
 *
 * It keeps three bitmaps over [una, una + window): what is acknowledged, what is to be sent again,
 * and what of that has not been told as lost. A NACK puts the packet that it asks for into the
 * second one, unless it is acknowledged. Packets are sent again in the order of their PSNs, ahead
 * of new ones. A gap among the ACKs means nothing: on many paths packets overtake each other. The
 * timer sends again what is missing of all that had been sent when it was started.
 *
 * `ahead` has 16 bits, so the window is 65,536 packets at most: no packet that may be under way
 * lies beyond what a NACK can name.
 */
#ifndef WEFT_NIC_REPEAT_H
#define WEFT_NIC_REPEAT_H

#include "nic/selective.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /** The bitmaps follow it in memory: acknowledged packets, all in (una, end); those to be sent
     * again, all in [una, end) and none of them acknowledged; and those to be told as lost, all in
     * [told, telling). */
    struct weft_repeat_tx
    {
        struct weft_sender base; /**< its resend: some are queued */
        uint32_t mask;           /**< window - 1 */
        uint32_t first;          /**< no packet to be sent again lies before it */
        uint32_t overdue;        /**< packets before it had been sent when the timer was started */
        uint32_t told;           /**< none that is to be told as lost lies before it */
        uint32_t telling;        /**< or from it on */
    };

    /** The packet that a NACK asks for. */
    static inline uint32_t weft_repeat_asked(const struct weft_packet *nack)
    {
        return weft_psn_add(nack->psn, nack->flags & WEFT_F_ASKS_AHEAD ? nack->ahead : 0U);
    }

    /** Whether a packet has been sent and neither acknowledged nor taken for lost. */
    bool weft_repeat_in_flight(const struct weft_repeat_tx *s, uint32_t psn);

    /** Forgets the news of losses: packets that were taken for lost before are no news any more. */
    void weft_repeat_tell_nothing(struct weft_repeat_tx *s);

    /** Takes a packet for lost if it is in flight, and has it sent again. Those that are told
     * together come in the order of their PSNs. */
    void weft_repeat_queue(struct weft_repeat_tx *s, uint32_t psn);

    /* Hooks of struct weft_transport_ops. The configuration begins with a weft_selective_config. */
    size_t weft_repeat_tx_size(const void *config);
    int weft_repeat_tx_init(void *tx, const void *config, const struct weft_transport_site *site);
    int weft_repeat_tx_next(void *tx, int64_t now, uint32_t *psn);
    uint32_t weft_repeat_tx_reply(void *tx, const struct weft_packet *reply, int64_t now);
    void weft_repeat_tx_timeout(void *tx, int64_t now);
    bool weft_repeat_tx_next_lost(void *tx, uint32_t *psn);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/**
 * @file selective.h  Selective repeat (themis §2.2): nic-sr, and the receiver of those that have a
 * sender with a bitmap. Private.
 *
 * Receiver. A bitmap keeps what arrived beyond the ePSN. The packet of the ePSN advances it over
 * the bitmap and is answered by an ACK; so is a packet from before the ePSN, in case its ACK was
 * lost. A packet beyond the ePSN is answered by a NACK if the receiver sends NACKs and this ePSN
 * has had none, and else by nothing, as RDMA NICs and their ns-3 models do: it has no news for the
 * sender, and the ACK that follows the missing packet covers it. A packet beyond the bitmap is
 * dropped in silence.
 *
 * Sender. Every reply acknowledges all before its ePSN, so a NACK can only ask for the oldest
 * outstanding packet: one pending retransmission is all there can be, and it is always una. The
 * timer knows less: like a RoCE requester the sender goes back to una and sends from there on (IB
 * spec 9.7.5.1.1), past what replies acknowledge meanwhile, or repeats una alone.
 */
#ifndef WEFT_NIC_SELECTIVE_H
#define WEFT_NIC_SELECTIVE_H

#include "base/bitmap.h"
#include "nic/rewind.h"

#ifdef __cplusplus
extern "C"
{
#endif

    struct weft_selective_config
    {
        int64_t window;      /**< packets: the receiver's bitmap */
        int64_t outstanding; /**< packets: the sender's limit */
        int64_t rto;         /**< ps */
    };

    /** The receiver's state; the bitmap follows it in memory. */
    struct weft_selective_rx
    {
        uint32_t epsn;
        uint32_t mask;  /**< window - 1 */
        uint32_t ahead; /**< packets beyond the ePSN that have arrived */
        bool nacked;    /**< this ePSN has had its NACK */
    };

#define WEFT_SELECTIVE_P(member) WEFT_P(struct weft_selective_config, member)

/* clang-format off */
/** The row of `outstanding` where the sender has a bitmap. @p value: its default. */
#define WEFT_OUTSTANDING_PARAM(value, least) \
    {"outstanding", WEFT_COUNT, WEFT_SELECTIVE_P(outstanding), value, least, "65536", NULL, \
     "Packets that may be in flight: sent, and neither acknowledged, in any order, nor taken for lost; at most the window.", \
     "(ours)"}

/** Rows of transports whose two ends have bitmaps. struct weft_selective_config is their
 * configuration, or its first member. @p least: of `outstanding`. */
#define WEFT_WINDOW_PARAMS(least) \
    {"window", WEFT_COUNT, WEFT_SELECTIVE_P(window), "16384", "64", "65536", NULL, \
     "Packets that the bitmaps of receiver and sender cover; a power of two.", "(ours)"}, \
    WEFT_OUTSTANDING_PARAM("16384", least)
    /* clang-format on */

    const char *weft_selective_check(const void *config);

    /** As narrow() of struct weft_transport_ops. */
    void weft_selective_narrow(void *config, uint64_t packets);

    /** Bytes of a bitmap of the configuration's window; 0 for one that an init refuses. */
    size_t weft_selective_window_size(const struct weft_selective_config *config);

    /** 0, or WEFT_ERANGE: no such window is possible. */
    int weft_selective_window_check(const struct weft_selective_config *config);

    size_t weft_selective_rx_size(const void *config);
    int weft_selective_rx_init(void *rx, const void *config,
                               const struct weft_transport_site *site);

    static inline uint64_t *weft_selective_bits(struct weft_selective_rx *rx)
    {
        return (uint64_t *)(void *)(rx + 1);
    }

    /** The packet of the ePSN arrived: past it, and past what has come before its turn. */
    static inline void weft_selective_advance(struct weft_selective_rx *rx)
    {
        rx->epsn = weft_psn_add(rx->epsn, 1);
        rx->nacked = false;
        if (rx->ahead > 0)
        {
            const uint32_t run = weft_bitmap_advance(weft_selective_bits(rx), rx->mask, rx->epsn);
            rx->ahead -= run;
            rx->epsn = weft_psn_add(rx->epsn, run);
        }
    }

    static inline void weft_selective_receive(struct weft_selective_rx *rx, uint32_t psn,
                                              bool nacks, struct weft_rx_verdict *verdict)
    {
        const int32_t distance = weft_psn_diff(psn, rx->epsn);
        verdict->reply = WEFT_REPLY_ACK;
        verdict->fresh = distance == 0;
        verdict->duplicate = distance < 0;
        if (distance == 0)
        {
            weft_selective_advance(rx);
        }
        else if (distance > 0)
        {
            const bool inside = (uint32_t)distance <= rx->mask;
            verdict->reply = WEFT_REPLY_NONE;
            if (inside)
            {
                verdict->fresh = weft_bitmap_set(weft_selective_bits(rx), rx->mask, psn);
                verdict->duplicate = !verdict->fresh;
                rx->ahead += verdict->fresh;
            }
            if (inside && nacks && !rx->nacked)
            {
                rx->nacked = true;
                verdict->reply = WEFT_REPLY_NACK;
            }
        }
        verdict->epsn = rx->epsn;
    }

    /** Receives a packet where each one inside the window is answered by an ACK, and none by a
     * NACK. */
    static inline void weft_selective_receive_each(struct weft_selective_rx *rx, uint32_t psn,
                                                   struct weft_rx_verdict *verdict)
    {
        weft_selective_receive(rx, psn, false, verdict);
        if (verdict->fresh || verdict->duplicate)
        {
            verdict->reply = WEFT_REPLY_ACK;
        }
    }

    /** Returns for rx_bitmap() which of the packets before @p place have arrived. */
    uint64_t weft_selective_bitmap(const void *rx, uint32_t place);

    /** State of the sender, or its first member. */
    struct weft_selective_tx
    {
        struct weft_rewind_tx rewind;
        bool one; /**< the timer repeats the oldest packet alone; false at first */
    };

    size_t weft_selective_tx_size(const void *config);
    int weft_selective_tx_init(void *tx, const void *config,
                               const struct weft_transport_site *site);
    bool weft_selective_tx_ready(const void *tx);
    int weft_selective_tx_next(void *tx, int64_t now, uint32_t *psn);
    uint32_t weft_selective_tx_reply(void *tx, const struct weft_packet *reply, int64_t now);
    void weft_selective_tx_timeout(void *tx, int64_t now);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/**
 * @file transport.h  NIC transports: one reliable sender and one receiver per QP.
 *
 * A QP carries a stream of packets with consecutive 24-bit PSNs; messages are consecutive runs of
 * them. The host posts packets, asks for the next one to send, hands in replies, and asks for the
 * deadline of the retransmission timer. At most 2^22 packets may be outstanding.
 */
#ifndef WEFT_TRANSPORT_H
#define WEFT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/needs.h>
#include <weft/packet.h>
#include <weft/param.h>
#include <weft/psn.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    enum weft_reply
    {
        WEFT_REPLY_NONE,
        WEFT_REPLY_ACK,
        WEFT_REPLY_NACK,
    };

    /** The QP at whose ends a transport sits. */
    struct weft_transport_site
    {
        uint32_t first_psn; /**< PSN of the first packet; the low 24 bits count */
        uint32_t qp;        /**< the QP's number in the run */
        int64_t rate;       /**< bit/s of the sending host's link */
        int64_t base_rtt;   /**< ps: a full data frame there and its ACK back, never waiting;
                                  0: not known */
        uint32_t frame;     /**< bytes of a full data frame, without the gap */
        uint64_t seed;      /**< the run's seed */
        uint64_t run;       /**< the run's number */
    };

    /** Verdict of a receiver about one data packet, or when its timer fires. */
    struct weft_rx_verdict
    {
        uint32_t epsn;   /**< the ePSN after this packet: everything before it has arrived */
        uint8_t reply;   /**< enum weft_reply; the reply carries epsn */
        bool fresh;      /**< the payload was placed: first copy of this PSN, inside the window */
        bool duplicate;  /**< the payload of this PSN had been placed before: a spurious
                            retransmission */
        bool asks_place; /**< a NACK asks for `place` (WEFT_F_ASKS_AHEAD), not for the ePSN */
        uint32_t place;  /**< the PSN whose place the payload took, which the reply's `ahead` names:
                            the caller writes the data's here (and clears asks_place), a transport
                            may change it */
    };

/** Packets that the bitmap of an ACK tells of. */
#define WEFT_ACK_BITMAP 48

    /** The bitmap of an ACK of a transport with rx_bitmap(): bit i is set if PSN place - 1 - i lies
     * beyond the ePSN and has arrived, where place is psn + ahead. It lies where the balancer's
     * `meta` is. */
    static inline uint64_t weft_ack_bitmap(const struct weft_packet *ack)
    {
        return (uint64_t)ack->meta[2] << 32 | (uint64_t)ack->meta[1] << 16 | ack->meta[0];
    }

    /** Writes it. */
    static inline void weft_set_ack_bitmap(struct weft_packet *ack, uint64_t bitmap)
    {
        ack->meta[0] = (uint16_t)bitmap;
        ack->meta[1] = (uint16_t)(bitmap >> 16);
        ack->meta[2] = (uint16_t)(bitmap >> 32);
    }

    /**
     * A reply's `ahead`: how far the packet that it answers lies beyond the ePSN that it carries,
     * up to 65,535. 0: not beyond, or farther.
     */
    static inline uint16_t weft_ahead(uint32_t psn, uint32_t epsn)
    {
        const uint32_t distance = (psn - epsn) & WEFT_PSN_MASK;
        return (uint16_t)(distance <= UINT16_MAX ? distance : 0U);
    }

    enum weft_tx_what
    {
        WEFT_TX_NONE, /**< nothing to send now */
        WEFT_TX_NEW,
        WEFT_TX_RETX,
    };

    /** Counters of a sender since its init. */
    struct weft_tx_counters
    {
        uint64_t sent;     /**< first transmissions */
        uint64_t resent;   /**< retransmissions */
        uint64_t nacks;    /**< NACKs received */
        uint64_t timeouts; /**< RTOs that fired with something outstanding */
    };

    /** Meaning of a receiver's NACKs. */
    enum weft_nacks
    {
        WEFT_NACKS_NONE,   /**< it sends none, but of packets without their payload */
        WEFT_NACKS_ORDER,  /**< data has come out of order */
        WEFT_NACKS_LOSSES, /**< data is taken for lost */
    };

    struct weft_transport_ops
    {
        struct weft_algo algo;

        enum weft_nacks nacks;
        /** The receiver drops data that comes out of order. */
        bool in_order;

        /** rx_data() and tx_reply() know WEFT_F_TRIMMED; else no packet may be trimmed. */
        bool trims;

        /** Optional: changes a copy of a configuration to one for a QP that never has more than @p
         * packets to send: both ends do the same, in less memory. */
        void (*narrow)(void *config, uint64_t packets);

        size_t (*rx_size)(const void *config);
        /** Returns 0, or WEFT_ERANGE: a parameter is out of its bounds, as in a configuration
         * without its defaults: weft_config_check() tells which. So does tx_init(). */
        int (*rx_init)(void *rx, const void *config, const struct weft_transport_site *site);
        /** Data arrived. A PSN beyond the receiver's window is dropped: nothing is fresh, and the
         * ePSN stays; gbn and mprdma answer it as any other packet that they drop. No sender has
         * 2^22 packets outstanding, so the checked build takes a PSN that far beyond the ePSN for a
         * mistake. */
        void (*rx_data)(void *rx, const struct weft_packet *data, int64_t now,
                        struct weft_rx_verdict *verdict);
        /** Optional: when rx_timeout() is due, or WEFT_NEVER. Asked after rx_data() and
         * rx_timeout(). */
        int64_t (*rx_deadline)(const void *rx);
        /** With rx_deadline(): the receiver's timer fired; a no-op if @p now is before the
         * deadline. @p verdict: its reply, if it has one, the ePSN, and the place that the reply
         * names; nothing is fresh. */
        void (*rx_timeout)(void *rx, int64_t now, struct weft_rx_verdict *verdict);
        /**
         * Optional: which packets between the ePSN and @p place, the last WEFT_ACK_BITMAP of them,
         * have arrived. Where this is given ACKs may wait for others (`ack-every`, above 1) in any
         * order: an ACK then carries it, names the highest PSN that it answers, and echoes the
         * label of the newest.
         */
        uint64_t (*rx_bitmap)(const void *rx, uint32_t place);

        size_t (*tx_size)(const void *config);
        int (*tx_init)(void *tx, const void *config, const struct weft_transport_site *site);
        /** Adds @p npackets to the stream. The first one's PSN follows the last one posted. */
        void (*tx_post)(void *tx, uint32_t npackets);
        /** true if tx_next() would return something. Cheap: asked on every packet. */
        bool (*tx_ready)(const void *tx);
        /** The next packet to send (enum weft_tx_what) and its PSN; it counts as sent at @p now. */
        int (*tx_next)(void *tx, int64_t now, uint32_t *psn);
        /** An ACK or a NACK arrived. Returns how many packets it newly acknowledged in order: 0
         * where its ePSN is of no packet that is outstanding, as that of an old reply, or of one
         * that was never sent. What else it names is ignored then. The checked build takes a reply
         * about a packet that was never sent for a mistake. */
        uint32_t (*tx_reply)(void *tx, const struct weft_packet *reply, int64_t now);
        /** When tx_timeout() is due, or WEFT_NEVER. Asked after tx_next(), tx_reply() and
         * tx_timeout(): it is WEFT_NEVER until the first packet has been sent. */
        int64_t (*tx_deadline)(const void *tx);
        /** Optional: whether that may come nearer, by tx_next() where the packet is a message's
         * last or is sent again, and by tx_reply() after which nothing is to be sent; then ask
         * again. Without it, and where it says false, deadlines are only put off, so that one who
         * has set a timer need not ask before it runs out. */
        bool (*hastens)(const void *config);
        /** The retransmission timer fired. No-op if @p now is before the deadline. What it does is
         * a timeout for others too (on_timeout()) if `timeouts` of tx_counters() grows by it. */
        void (*tx_timeout)(void *tx, int64_t now);
        /** Optional: the next packet that the last tx_reply() or tx_timeout() has taken for lost,
         * each of them once, and not again until it was sent again; false: no more. Asked after
         * both, until it says false. Without it nobody hears of losses but by timeouts. */
        bool (*tx_next_lost)(void *tx, uint32_t *psn);
        /** Oldest PSN not yet acknowledged. */
        uint32_t (*tx_una)(const void *tx);
        const struct weft_tx_counters *(*tx_counters)(const void *tx);
        /** Packets sent and neither acknowledged, in any order, nor taken for lost: what a window
         * counts. */
        uint32_t (*tx_flight)(const void *tx);
        /** Optional: packets beyond tx_una() that are known to have arrived; NULL: of none is it
         * known before its turn. Together with tx_una() it never falls: what is known once stays
         * known, through a timeout as well. */
        uint32_t (*tx_sacked)(const void *tx);
        /** Optional: writes what the receiver needs to know into a data packet that leaves. */
        void (*tx_stamp)(const void *tx, struct weft_packet *data);
        /** Optional, of an idealised transport (erasure), which learns of losses by nothing else
         * and stands still if it is not told: a data packet of this sender, or the ACK of one, was
         * lost in the fabric (full buffer, dead link, injected loss). The host tells each loss
         * once, a round trip of an idle fabric after the data packet left, or, if that is later,
         * the way of an ACK from the receiver, through an idle fabric, after the loss. tx_ready()
         * may be true after it. */
        void (*tx_lost)(void *tx, const struct weft_packet *lost, int64_t now);
        /** Members of packets that rx_data(), tx_reply() and tx_lost() read, and that tx_stamp()
         * writes. */
        struct weft_fields fields;
    };

    /** The transport of that name, or NULL (also of NULL). */
    WEFT_API const struct weft_transport_ops *weft_transport_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif

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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/loss.h>
#include <weft/needs.h>
#include <weft/packet.h>
#include <weft/param.h>
#include <weft/pull.h>
#include <weft/refusal.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** The QP at whose sender a congestion control sits. */
    struct weft_cc_site
    {
        int64_t line_rate; /**< bit/s of the host's link; see weft_rate_possible() */
        double share;      /**< rho_max, in (0, 1]: what all hosts may send into the fabric at (ofan
                              App. A); 1 of a QP inside a server */
        int64_t base_rtt;  /**< ps: a full data frame there and its ACK back, never waiting */
        uint32_t links;    /**< on the way there */
        uint32_t frame;    /**< bytes of a full data frame, without the gap */
        uint32_t gap;      /**< bytes of the gap behind each frame */
        struct weft_refusal *why; /**< NULL, or where init() says why it refuses; not kept */
    };

    /** Whether a rate is above 0 and below 2^53 bit/s, exact in a double. */
    static inline bool weft_rate_possible(int64_t rate)
    {
        return rate > 0 && rate < INT64_C(1) << 53;
    }

    /** An ACK or a NACK, and what the sender knows when it has taken it in. */
    struct weft_cc_ack
    {
        const struct weft_packet *reply; /**< its `sent` is that of the data packet it answers,
                                            WEFT_F_ECE says whether that was marked */
        uint32_t acked;                  /**< packets that it newly acknowledged in order */
        uint32_t in_flight;              /**< packets in flight now: what a window counts */
        uint64_t una;       /**< packets acknowledged in order, counted from the QP's first */
        uint64_t next;      /**< packets sent at least once, counted from the QP's first */
        uint64_t delivered; /**< una and the packets beyond it that are known to have arrived: it
                               goes on where una waits for a packet that is missing, and never
                               falls (weft_transport_ops::tx_sacked) */
    };

/** Most stamps of a packet. */
#define WEFT_STAMPS 15U

    /** In-band telemetry of a switch port (INT): its state as a data packet began to leave. */
    struct weft_stamp
    {
        int64_t at;     /**< when its first bit left, ps */
        uint64_t bytes; /**< for which the wire had been taken before, gaps included */
        int64_t rate;   /**< bit/s of the link */
        uint32_t queue; /**< bytes that were left behind */
        uint32_t node;  /**< number of the switch; with `port` it tells paths apart */
        uint32_t port;
    };

    struct weft_cc_ops
    {
        struct weft_algo algo;
        size_t state_size; /**< 8-byte aligned */
        /** The state keeps @p config by pointer: it must outlive the state. @p site is copied, but
         * for `why`. Returns 0, WEFT_EINVAL (the site lacks what this congestion control needs to
         * know) or WEFT_ERANGE (a parameter is out of its bounds, as in a configuration without its
         * defaults; or a time does not fit). */
        int (*init)(void *state, const void *config, const struct weft_cc_site *site, int64_t now);
        /** The rate in force at @p now, bit/s, in (0, line_rate]. */
        int64_t (*rate)(void *state, int64_t now);
        /** Optional hooks; NULL where the algorithm does not care. */
        /** A data frame, first transmission or not, leaves. */
        void (*on_sent)(void *state, const struct weft_packet *data, int64_t now);
        /** An ACK or a NACK came; of a NACK after on_nack(). */
        void (*on_ack)(void *state, const struct weft_cc_ack *ack, int64_t now);
        /** Congestion is notified of; @p cnp names the PSN and, in echo, the source port of the
         * packet that was marked. */
        void (*on_cnp)(void *state, const struct weft_packet *cnp, int64_t now);
        void (*on_nack)(void *state, const struct weft_packet *nack, int64_t now);
        void (*on_timeout)(void *state, int64_t now);
        /** The sender takes a packet for lost, when it finds that out: after on_ack() or
         * on_timeout(). Its label is known only where the path selector has an on_lost() too. */
        void (*on_lost)(void *state, const struct weft_loss *loss, int64_t now);
        /** Just before an on_ack(): what the ports said that the answered packet left by, in the
         * order of its way; @p n, 1 to WEFT_STAMPS, of them. Not of a packet that was sent before
         * one whose stamps were told. Fabrics stamp the data of a control that has this hook, and
         * of no other. */
        void (*on_stamps)(void *state, const struct weft_stamp *stamps, uint32_t n, int64_t now);
        /** A pull came (pull.h). */
        void (*on_pull)(void *state, const struct weft_packet *pull, int64_t now);
        /** With terms(): a data frame that leaves says in `ahead` what credit is asked for. The
         * transport writes nothing there. */
        void (*stamp)(void *state, const struct weft_demand *demand, struct weft_packet *data,
                      int64_t now);
        /** Receiver side: how it grants credit; NULL: it grants none. Asked once for each QP. */
        void (*terms)(const void *config, const struct weft_cc_site *site,
                      struct weft_pull_terms *terms);
        /** Receiver side: least time between two CNPs of a QP, ps; WEFT_NEVER: no CNPs. NULL: no
         * CNPs. */
        int64_t (*cnp_interval)(const void *config);
        /** How often the rate was cut since init; for measurements. Optional. */
        uint64_t (*cuts)(const void *state);
        /** Optional: packets that may be in flight; at least 1. A window below one packet is paced
         * by rate(). */
        uint32_t (*window)(void *state, int64_t now);
        /** rate() is that of the host, shared by all its QPs, those to the fabric and those inside
         * a server by themselves. */
        bool per_host;
        /** Members of packets that the hooks read, and that stamp() writes. */
        struct weft_fields fields;
    };

    /** Configuration of the congestion control "ideal". */
    struct weft_cc_ideal_config
    {
        int64_t split; /**< enum weft_split: for what rho_max its site's share is computed */
    };

    /** The congestion control of that name, or NULL (also of NULL). */
    WEFT_API const struct weft_cc_ops *weft_cc_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/**
 * @file tor.h  Middleware at the destination's ToR: per-QP state between the fabric and the NIC.
 *
 * Only cross-rack QPs have state. The host calls to_host() when a data packet of such a QP starts
 * to leave on the ToR's down port, and from_host() when an ACK or a NACK enters from the NIC.
 *
 * Themis-D (weft_lb_find("themis")->tor) works under other balancers than Themis-S as well, if they
 * keep what it rests on (Eq. 3):
 *  - With N = weft_last_hop.npaths, data of one QP whose PSNs are equal mod N takes one path from
 *    the source's ToR to the destination's, and is never reordered on it. Which path that is does
 * not matter. Where residues share a path, a loss is only found later.
 *  - A retransmission has its PSN's path. PSNs wrap at 2^24: where N does not divide that, residues
 *    are those of the 24-bit PSN on both sides.
 *  - Data passes the ToR to its NIC in the order of to_host(), and no reply goes around the ToR.
 *  - Where the paths change (failures, repairs) the host calls release(), and qp_init() later.
 * qp_size() and qp_init() are told the configuration of the balancer whose table this is: one that
 * borrows another's part hands over a configuration of that balancer.
 */
#ifndef WEFT_TOR_H
#define WEFT_TOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/needs.h>
#include <weft/packet.h>
#include <weft/param.h>
#include <weft/refusal.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** The last hop that a ToR sees, for sizing its rings. */
    struct weft_last_hop
    {
        uint32_t npaths;          /**< equal-cost paths N of its QPs: npaths of struct weft_site */
        int64_t rate;             /**< bit/s of the down port */
        int64_t rtt;              /**< ToR-NIC-ToR round trip, ps */
        int64_t mtu;              /**< bytes of a full data frame */
        struct weft_refusal *why; /**< NULL, or where qp_init() says why it refuses; not kept */
        uint32_t provides;        /**< enum weft_need: WEFT_NEED_TOR, if all below is done */
    };

    /** Counters of one ToR. seen = valid + invalid + unknown; invalid = blocked + scan_passed. */
    struct weft_tor_counters
    {
        uint64_t seen;           /**< NACKs that entered from NICs of tracked QPs */
        uint64_t valid;          /**< trigger on the ePSN's path: forwarded */
        uint64_t invalid;        /**< trigger on another path, or the sender need not be asked */
        uint64_t unknown;        /**< no newer PSN in the ring: forwarded */
        uint64_t blocked;        /**< invalid ones that did not pass */
        uint64_t scan_passed;    /**< invalid by the trigger, but the ring proves the loss:
                                    forwarded */
        uint64_t scan_cancelled; /**< blocked while the ePSN packet was on its way to the NIC, or
                                    may have been: the ring had given up packets */
        uint64_t armed;          /**< blocked before the ePSN packet had passed */
        uint64_t repeated;       /**< blocked because the ToR had asked for this packet itself */
        uint64_t compensated;    /**< NACKs that come from the ToR */
        uint64_t silent;         /**< of these: the ePSN packet passed or cannot pass any more, a
                                    ring's worth of packets followed, and the NIC's ePSN did not
                                    move */
        uint64_t released;       /**< of these: owed when the middleware was turned off */
        uint64_t turned;         /**< of these: ACKs forwarded as NACKs, see WEFT_TOR_NACK */
        uint64_t cancelled;      /**< armed, then the ePSN packet passed */
        uint64_t overwritten;    /**< armed while another ePSN was armed */
        uint64_t ring_full;      /**< entries given up before a reply consumed them: for want of
                                    room, or too old to be told from new ones */
    };

    /** Fate of a reply from the NIC. */
    enum weft_tor_verdict
    {
        WEFT_TOR_BLOCK,   /**< it ends here */
        WEFT_TOR_FORWARD, /**< it goes on as it is */
        WEFT_TOR_NACK,    /**< an ACK that goes on as a NACK of the same PSN: the packet of its
                             ePSN was dropped, and the NIC may never say so. The caller changes
                             its kind and sets WEFT_F_COMPENSATED */
    };

    struct weft_tor_ops
    {
        /** Bytes of state per QP, 8-byte aligned. */
        size_t (*qp_size)(const void *config, const struct weft_last_hop *hop);
        /** Returns 0, WEFT_EINVAL if the last hop does not provide WEFT_NEED_TOR, or WEFT_ERANGE if
         * no ring suits it; the last hop's `why` tells more. */
        int (*qp_init)(void *qp, const void *config, const struct weft_last_hop *hop);
        /**
         * A data packet starts to leave for the NIC. @p paused: the ToR has paused the class of
         * the NIC's replies (PFC), so that their silence tells nothing. Returns true if a NACK of
         * *epsn is to be sent to the sender on the NIC's behalf. It does not pass from_host().
         */
        bool (*to_host)(void *qp, const struct weft_packet *data, bool paused,
                        struct weft_tor_counters *counters, uint32_t *epsn);
        /** An ACK or a NACK entered from the NIC. Not one that this ToR has made: it would be taken
         * for a repetition by the NIC, and blocked. */
        enum weft_tor_verdict (*from_host)(void *qp, const struct weft_packet *reply,
                                           struct weft_tor_counters *counters);
        /**
         * Optional: the middleware is turned off, and NACKs pass from now on; qp_init() turns it
         * on again. Returns true if a NACK of *epsn is to be sent to the sender: the NIC's own was
         * blocked, and the NIC will not send another.
         */
        bool (*release)(void *qp, struct weft_tor_counters *counters, uint32_t *epsn);
        /** Optional: whether to_host() may return true of this QP's next packet; without it,
         * always. A simulator may then let packets of QPs that are owed nothing leave without an
         * order among ports. Asked after the functions above; to_host() never turns false into
         * true. */
        bool (*owes)(const void *qp);
        /** Members of packets that these functions read. */
        struct weft_fields fields;
    };

#ifdef __cplusplus
}
#endif
#endif

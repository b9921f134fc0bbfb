/* SPDX-License-Identifier: MIT */
/**
 * @file sender.h  Common part of all senders: the span of outstanding PSNs, how many of them are in
 * flight, the retransmission timer and the counters. Private.
 *
 * Outstanding are the PSNs in [una, end). In flight are those of them that are neither acknowledged
 * beyond una nor to be sent again. The timer restarts when an acknowledgement makes
 * progress, when something is sent while nothing was outstanding, and when it has fired; there is
 * no back-off, since no source specifies one.
 */
#ifndef WEFT_NIC_SENDER_H
#define WEFT_NIC_SENDER_H

#include "base/saturating.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <weft/error.h>
#include <weft/psn.h>
#include <weft/transport.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** First member of every sender's state, so that the hooks of sender.c work on all of them. */
    struct weft_sender
    {
        uint32_t una;     /**< oldest PSN not acknowledged */
        uint32_t end;     /**< PSN after the last one ever sent */
        uint32_t limit;   /**< most packets in flight */
        uint32_t span;    /**< most packets outstanding: what the bitmaps cover */
        uint32_t sacked;  /**< packets beyond una that are acknowledged */
        uint32_t queued;  /**< packets taken for lost that are to be sent again */
        bool resend;      /**< a retransmission waits to be sent */
        bool lost;        /**< una is taken for lost, and weft_sender_next_lost() has not said so */
        int64_t deadline; /**< of the retransmission timer; WEFT_NEVER: nothing outstanding */
        uint64_t unsent;  /**< packets posted and never sent */
        int64_t rto;      /**< ps */
        struct weft_tx_counters counters;
    };

/** Most packets outstanding: PSNs of twice as many can be told apart with ease. */
#define WEFT_SENDER_LIMIT (INT64_C(1) << 22)

    /** 0, or WEFT_ERANGE. */
    static inline int weft_sender_init(struct weft_sender *s, int64_t limit, int64_t span,
                                       int64_t rto, uint32_t first_psn)
    {
        if (limit < 1 || span < limit || span > WEFT_SENDER_LIMIT || rto < 1)
        {
            return WEFT_ERANGE;
        }
        memset(s, 0, sizeof(*s));
        s->una = first_psn & WEFT_PSN_MASK;
        s->end = s->una;
        s->limit = (uint32_t)limit;
        s->span = (uint32_t)span;
        s->deadline = WEFT_NEVER;
        s->rto = rto;
        return 0;
    }

    static inline uint32_t weft_sender_outstanding(const struct weft_sender *s)
    {
        return (s->end - s->una) & WEFT_PSN_MASK;
    }

    /** Whether @p psn lies in [una, end). */
    static inline bool weft_sender_is_outstanding(const struct weft_sender *s, uint32_t psn)
    {
        return ((psn - s->una) & WEFT_PSN_MASK) < weft_sender_outstanding(s);
    }

    static inline bool weft_sender_may_send_new(const struct weft_sender *s)
    {
        const uint32_t outstanding = weft_sender_outstanding(s);
        return s->unsent > 0 &&
               (outstanding < s->limit || /* which is at most the span */
                (outstanding < s->span && outstanding - s->sacked - s->queued < s->limit));
    }

    /** The time @p now + rto; never beyond WEFT_NEVER. */
    static inline int64_t weft_sender_due(const struct weft_sender *s, int64_t now)
    {
        return weft_sum(now, s->rto);
    }

    /** Sends the next new packet: its PSN. Only where weft_sender_may_send_new(). */
    static inline uint32_t weft_sender_send_new(struct weft_sender *s, int64_t now)
    {
        const uint32_t psn = s->end;
        if (s->una == s->end)
        {
            s->deadline = weft_sender_due(s, now);
        }
        s->end = weft_psn_add(psn, 1);
        s->unsent--;
        s->counters.sent++;
        return psn;
    }

    /**
     * Everything before @p epsn has arrived. Returns how many packets that newly acknowledges: 0
     * for an old reply, and for one that names packets never sent.
     */
    static inline uint32_t weft_sender_ack(struct weft_sender *s, uint32_t epsn, int64_t now)
    {
        const uint32_t acked = (epsn - s->una) & WEFT_PSN_MASK;
        if (acked == 0 || acked > weft_sender_outstanding(s))
        {
            return 0;
        }
        s->una = epsn;
        s->deadline = s->una == s->end ? WEFT_NEVER : weft_sender_due(s, now);
        return acked;
    }

    /** The timer fires. False: it is not due. Else it is counted and restarted. */
    static inline bool weft_sender_timeout(struct weft_sender *s, int64_t now)
    {
        if (now < s->deadline || s->una == s->end)
        {
            return false;
        }
        s->counters.timeouts++;
        s->deadline = weft_sender_due(s, now);
        return true;
    }

    /* Hooks of struct weft_transport_ops, the same for every transport. */
    void weft_sender_post(void *tx, uint32_t npackets);
    bool weft_sender_ready(const void *tx);
    int64_t weft_sender_deadline(const void *tx);
    uint32_t weft_sender_una(const void *tx);
    const struct weft_tx_counters *weft_sender_counters(const void *tx);
    uint32_t weft_sender_flight(const void *tx);
    uint32_t weft_sender_sacked(const void *tx);
    bool weft_sender_next_lost(void *tx, uint32_t *psn); /**< una, if it is lost */

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/**
 * @file lateness.h  Losses that time shows (RACK, RFC 8985), without a time for each packet.
 * Private.
 *
 * Each reply carries when the packet that it answers left. A packet is lost once one has been
 * answered that left a reordering window later (RFC 8985 §6.2, step 5). Of the sender's packets a
 * few milestones are kept: all packets before `end` had left for the first time at `left`. They are
 * a quarter of the window apart or, if more are under way than there is room for, farther.
 *
 * The window is twice what answers were late of late: how much later the newest answered packet
 * had left. Each packet that is overtaken shows that, and a packet that was late enough to be sent
 * again as well, so the window grows by what it has missed; RFC 8985 has no times of its receiver's
 * and can only count spurious retransmissions (step 4). With each milestone that is passed a
 * sixteenth of it is forgotten. It is no less than a quarter of the base RTT, as there, and is not
 * bounded by the smoothed RTT: a packet on a path with a long queue is later than that.
 */
#ifndef WEFT_NIC_LATENESS_H
#define WEFT_NIC_LATENESS_H

#include "base/saturating.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

#define WEFT_MILESTONES 8U

    struct weft_milestone
    {
        int64_t left; /**< ps */
        uint32_t end; /**< PSN */
    };

    /** All times in ps. */
    struct weft_lateness
    {
        int64_t newest;  /**< when the newest answered packet left */
        int64_t due;     /**< before an answer to a packet that left then nothing more is lost */
        int64_t late;    /**< most that an answer was late, of late */
        int64_t window;  /**< the reordering window */
        int64_t mark_at; /**< the next packet that leaves from then on is a milestone */
        int64_t last;    /**< when the last packet left for the first time */
        int64_t least;   /**< of the window */
        int64_t most;
        int64_t rtt;       /**< smoothed, as in RFC 6298 */
        int64_t variation; /**< its mean deviation */
        uint32_t oldest;   /**< milestone */
        uint32_t n;        /**< milestones */
        struct weft_milestone milestones[WEFT_MILESTONES];
    };

    static inline void weft_lateness_set_window(struct weft_lateness *l)
    {
        const int64_t twice = weft_sum(l->late, l->late);
        l->window = twice < l->least ? l->least : twice > l->most ? l->most : twice;
    }

    /** @p rtt: the base RTT, which is the first window. @p least: 0: a quarter of that, if @p most
     * is not less. */
    static inline void weft_lateness_init(struct weft_lateness *l, int64_t rtt, int64_t least,
                                          int64_t most)
    {
        *l = (struct weft_lateness){.rtt = rtt, .variation = rtt / 2, .late = rtt / 2};
        const int64_t quarter = rtt / 4 + 1;
        l->least = least > 0 ? least : quarter < most ? quarter : most;
        l->most = most;
        weft_lateness_set_window(l);
    }

    /** Packets that left then or before are lost if they are not acknowledged. */
    static inline int64_t weft_lateness_lost(const struct weft_lateness *l)
    {
        return l->newest - l->window;
    }

    static inline bool weft_lateness_is_over(const struct weft_lateness *l, int64_t left)
    {
        return left <= weft_lateness_lost(l);
    }

    /** A packet leaves for the first time; @p end: the PSN after it. */
    static inline void weft_lateness_sent(struct weft_lateness *l, uint32_t end, int64_t now)
    {
        l->last = now;
        if (now >= l->mark_at)
        {
            const int64_t quarter = l->window / 4;
            const int64_t share = l->window / WEFT_MILESTONES + l->rtt / WEFT_MILESTONES;
            l->n += l->n < WEFT_MILESTONES; /* else the newest one moves on */
            l->milestones[(l->oldest + l->n - 1) % WEFT_MILESTONES] =
                (struct weft_milestone){now, end};
            l->mark_at = weft_sum(now, quarter > share ? quarter : share);
        }
    }

    /** An answer to a packet that left at @p sent. Returns whether weft_lateness_judge() comes
     * next. */
    static inline bool weft_lateness_answered(struct weft_lateness *l, int64_t sent)
    {
        const int64_t late = l->newest - sent;
        if (late > 0)
        {
            if (late > l->late)
            {
                l->late = late;
                weft_lateness_set_window(l);
            }
            return false;
        }
        l->newest = sent;
        return sent >= l->due;
    }

    static inline void weft_lateness_measure(struct weft_lateness *l, int64_t rtt)
    {
        const int64_t off = rtt - l->rtt;
        l->variation += ((off < 0 ? -off : off) - l->variation) / 4;
        l->rtt += off / 8;
    }

    /** The PSN before which all packets are lost that are not acknowledged: @p una: none. @p end:
     * the PSN after the last packet sent. */
    static inline uint32_t weft_lateness_judge(struct weft_lateness *l, uint32_t una, uint32_t end,
                                               int64_t now)
    {
        uint32_t lost = una;
        for (; l->n > 0 && weft_lateness_is_over(l, l->milestones[l->oldest].left); l->n--)
        {
            lost = l->milestones[l->oldest].end;
            l->oldest = (l->oldest + 1) % WEFT_MILESTONES;
            l->late -= l->late / 16;
        }
        if (l->n == 0 && weft_lateness_is_over(l, l->last))
        {
            lost = end;
        }
        weft_lateness_measure(l, now - l->newest);
        weft_lateness_set_window(l);
        l->due = weft_sum(l->n > 0 ? l->milestones[l->oldest].left : l->last, l->window);
        return lost;
    }

    /** How long nothing may be heard before the last packets sent count as lost: as the probe
     * timeout of RFC 9002 §6.2.1, with the window in place of what an ACK may be delayed. @p gap:
     * packets that left later have been answered, so that the answers are due. */
    static inline int64_t weft_lateness_patience(const struct weft_lateness *l, bool gap)
    {
        return weft_sum(l->window, 4 * l->variation + (gap ? 0 : l->rtt));
    }

#ifdef __cplusplus
}
#endif
#endif

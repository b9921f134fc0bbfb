/* SPDX-License-Identifier: MIT */
/**
 * @file sack-cursors.h  Packets that sack's sender is to send again, and the
 * cursors that move over its bitmap. Private to sack.c, whose comment says what a round is.
 */
#ifndef WEFT_NIC_SACK_CURSORS_H
#define WEFT_NIC_SACK_CURSORS_H

#include "nic/lateness.h"
#include "nic/selective.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /* Missing packets in [again, limit) and [first, tried) wait to be sent again. */
    struct sack_queue
    {
        uint32_t tried;
        uint32_t first;
        uint32_t again;
        uint32_t limit;
    };

    /* The bitmap of acknowledged packets, all in (una, top), follows it in memory, and where time
     * decides struct sack_clock behind that. */
    struct sack_tx
    {
        struct weft_sender base; /* its resend: a cursor below has not reached its end; queued:
                                    missing packets in [again, limit) and [first, tried) */
        uint32_t mask;           /* window - 1 */
        int32_t threshold;
        uint32_t top;     /* PSN after the highest acknowledged one */
        uint32_t tried;   /* missing packets before it were sent again, or will be */
        uint32_t overdue; /* packets before it had been sent when the timer was started */
        uint32_t told;    /* what is missing and queued in [told, telling) is told as lost */
        uint32_t telling;
        bool repairing;  /* first, again, limit and mark are in use */
        bool watching;   /* a round is out: limit and mark hold */
        bool had_queued; /* before is in use */
        bool clock;      /* time decides; else packets are counted */
        bool timers;     /* it does, or there are two timers: the deadline is not base's alone */
        /* An ACK without losses reads nothing from here on. */
        uint32_t first;    /* missing packets in [first, tried) will be, for the first time */
        uint32_t again;    /* missing packets in [again, limit) will be, once more */
        uint32_t limit;    /* the round: missing packets before it */
        uint32_t mark;     /* packets from it on were sent after all of the round */
        bool by_timer;     /* only the timer repeats what was sent again */
        int32_t round_gap; /* how far top lies beyond mark when the round is lost */
        uint32_t few;      /* packets outstanding up to which the timer fires sooner, */
        int64_t sooner;    /* by so much, ps */
        struct sack_queue before; /* what was queued already then is not told */
    };

    /* The losses that time shows, and the timer of the last packets. */
    struct sack_clock
    {
        struct weft_lateness late;
        int64_t resent;   /* when the last packet that was sent again left, but alone */
        int64_t left;     /* the same of the round */
        int64_t alone_at; /* when packet alone left: sent again with no others, as a probe is */
        int64_t probe_at; /* if nothing is heard until then; WEFT_NEVER: more will be sent */
        uint32_t alone;   /* PSN */
        uint8_t tries;    /* probes in a row that nothing was heard of */
        bool alone_waits; /* to be sent */
        bool probes;
    };

    static inline uint64_t *sack_bits_of(struct sack_tx *s)
    {
        return (uint64_t *)(void *)(s + 1);
    }

    static inline struct sack_clock *sack_clock_of(struct sack_tx *s)
    {
        return (struct sack_clock *)(void *)(sack_bits_of(s) + (s->mask + 1) / 64);
    }

    /* The first missing packet in [psn, end), or end. */
    static inline uint32_t sack_missing(struct sack_tx *s, uint32_t psn, uint32_t end)
    {
        const uint32_t most = (end - psn) & WEFT_PSN_MASK;
        return weft_psn_add(psn, weft_bitmap_run(sack_bits_of(s), s->mask, psn, most));
    }

    /* How many packets in [psn, end) are missing; none if the end comes first. */
    static inline uint32_t sack_count_missing(struct sack_tx *s, uint32_t psn, uint32_t end)
    {
        const int32_t span = weft_psn_diff(end, psn);
        return span <= 0 ? 0
                         : (uint32_t)span -
                               weft_bitmap_count(sack_bits_of(s), s->mask, psn, (uint32_t)span);
    }

    /* How many of the packets to be sent again lie before @p end. */
    static inline uint32_t sack_count_queued(struct sack_tx *s, uint32_t end)
    {
        const uint32_t limit = weft_psn_before(end, s->limit) ? end : s->limit;
        const uint32_t tried = weft_psn_before(end, s->tried) ? end : s->tried;
        return sack_count_missing(s, s->again, limit) + sack_count_missing(s, s->first, tried);
    }

    static inline bool sack_is_in(const struct sack_queue *q, uint32_t psn)
    {
        return (!weft_psn_before(psn, q->again) && weft_psn_before(psn, q->limit)) ||
               (!weft_psn_before(psn, q->first) && weft_psn_before(psn, q->tried));
    }

    static inline struct sack_queue sack_queue_of(const struct sack_tx *s)
    {
        return (struct sack_queue){s->tried, s->first, s->again, s->limit};
    }

    static inline bool sack_is_queued(const struct sack_tx *s, uint32_t psn)
    {
        const struct sack_queue q = sack_queue_of(s);
        return sack_is_in(&q, psn);
    }

    static inline void sack_raise_to(uint32_t *psn, uint32_t least)
    {
        if (weft_psn_before(*psn, least))
        {
            *psn = least;
        }
    }

    /* Nothing waits to be sent again: a round begins with all that was, unless one is still out. */
    static inline void sack_settle(struct sack_tx *s)
    {
        if (s->clock)
        {
            sack_clock_of(s)->alone_waits = false;
        }
        if (s->watching && weft_psn_before(s->base.una, s->limit))
        {
            return;
        }
        s->watching = weft_psn_before(s->base.una, s->tried);
        s->repairing = s->watching;
        s->limit = s->tried;
        s->again = s->tried;
        s->mark = s->base.end;
        if (s->clock)
        {
            sack_clock_of(s)->left = sack_clock_of(s)->resent;
        }
    }

    /* Sets base.resend by what the cursors have before them. */
    static inline void sack_look_ahead(struct sack_tx *s)
    {
        s->again = sack_missing(s, s->again, s->limit);
        s->first = sack_missing(s, s->first, s->tried);
        s->base.resend = s->again != s->limit || s->first != s->tried;
        if (!s->base.resend)
        {
            sack_settle(s);
        }
    }

    /* There are no news yet of what is lost. */
    static inline void sack_tell_nothing(struct sack_tx *s)
    {
        s->told = s->telling;
        s->had_queued = s->base.queued > 0;
        if (s->had_queued)
        {
            s->before = sack_queue_of(s);
        }
    }

    /* Makes news of lost packets of what is queued in [from, to). */
    static inline void sack_tell(struct sack_tx *s, uint32_t from, uint32_t to)
    {
        const bool first = s->told == s->telling;
        s->told = first || weft_psn_before(from, s->told) ? from : s->told;
        s->telling = first || weft_psn_before(s->telling, to) ? to : s->telling;
    }

    /* Sends once more what is missing in [from, end), and the rest of the round with the next. */
    static inline void sack_repeat(struct sack_tx *s, uint32_t from, uint32_t end)
    {
        s->watching = false;
        s->again = from;
        s->limit = end;
        s->base.queued += sack_count_missing(s, s->again, s->limit);
        sack_tell(s, s->again, s->limit);
        if (s->clock && from == s->base.una && sack_missing(s, weft_psn_add(from, 1), end) == end)
        {
            sack_clock_of(s)->alone = from;
            sack_clock_of(s)->alone_waits = true;
        }
    }

    /* All that is missing before @p end counts as lost. */
    static inline void sack_take_up(struct sack_tx *s, uint32_t end)
    {
        if (!s->repairing)
        {
            s->repairing = true;
            s->first = s->tried;
            s->again = s->base.una;
            s->limit = s->base.una;
        }
        s->base.queued += sack_count_missing(s, s->tried, end);
        sack_tell(s, s->tried, end);
        s->tried = end;
    }

    /* Whether something is missing before @p end that was not sent again. */
    static inline bool sack_find_missing(struct sack_tx *s, uint32_t end)
    {
        if (!weft_psn_before(s->tried, end))
        {
            return false;
        }
        s->tried = sack_missing(s, s->tried, end);
        return s->tried != end;
    }

    struct sack_span
    {
        uint32_t from;
        uint32_t end;
    };

    /* Returns those of the packets sent again that are missing and left @p lost or before: the
     * oldest one if it left alone, a round, or all; from is end if there are none. */
    static inline struct sack_span sack_lost_again(struct sack_tx *s, int64_t lost)
    {
        const struct sack_clock *k = sack_clock_of(s);
        const uint32_t una = s->base.una;
        if (!s->watching || !weft_psn_before(una, s->limit))
        {
            return (struct sack_span){una, una};
        }
        const bool alone = k->alone == una;
        const uint32_t from = weft_psn_add(una, alone && k->alone_at > lost);
        const uint32_t end = k->resent <= lost ? s->first
                             : k->left <= lost ? s->limit
                                               : weft_psn_add(una, alone);
        return (struct sack_span){sack_missing(s, from, end), end};
    }

    static inline void sack_repeat_lost(struct sack_tx *s, int64_t lost)
    {
        const struct sack_span span = sack_lost_again(s, lost);
        if (span.from != span.end)
        {
            sack_repeat(s, span.from, span.end);
        }
    }

#ifdef __cplusplus
}
#endif
#endif

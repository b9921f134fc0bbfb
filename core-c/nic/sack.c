/* SPDX-License-Identifier: MIT */
/*
 * Selective acknowledgements (ofan §4). Every data packet is answered by an ACK that names it and
 * carries the ePSN, so the sender's bitmap becomes the receiver's. When the highest acknowledged
 * packet is `threshold` or more beyond the lowest missing one, all missing packets before it are
 * sent again, ahead of new ones.
 *
 * A packet that was sent again is out of that rule, or every further ACK would repeat it. The
 * packets sent again so far form a round: once packets `threshold` beyond the last one sent before
 * the round's end are acknowledged, what the round still misses has been lost once more, and is
 * sent again. What is found missing meanwhile belongs to the next round. Only the timer helps where
 * no such packets follow. It sends again whatever is missing of what had been sent when it was
 * started.
 *
 * Each ACK costs a bit and a few comparisons: every cursor below only moves forward over the
 * bitmap, a word at a time, except that a round starts again from the oldest packet.
 */
#include "base/tables.h"
#include "nic/selective.h"

struct sack_config
{
    struct weft_selective_config base;
    int64_t threshold; /* packets */
};

/* Missing packets in [again, limit) and [first, tried) wait to be sent again. */
struct queue
{
    uint32_t tried;
    uint32_t first;
    uint32_t again;
    uint32_t limit;
};

/* The bitmap of acknowledged packets, all in (una, top), follows it in memory. */
struct sack_tx
{
    struct weft_sender base; /* its resend: a cursor below has not reached its end; queued: missing
                                packets in [again, limit) and [first, tried) */
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
    /* An ACK without losses reads nothing from here on. */
    uint32_t first;      /* missing packets in [first, tried) will be, for the first time */
    uint32_t again;      /* missing packets in [again, limit) will be, once more */
    uint32_t limit;      /* the round: missing packets before it */
    uint32_t mark;       /* packets from it on were sent after all of the round */
    struct queue before; /* what was queued already then is not told */
};

#define P(member) WEFT_P(struct sack_config, member)

static const struct weft_param params[] = {
    {"threshold", WEFT_COUNT, P(threshold), "32", "1", "65535", NULL,
     "Distance from the lowest missing packet to the highest acknowledged one at which all missing "
     "ones are sent again.",
     "ofan §8.2"},
    WEFT_WINDOW_PARAMS("2"),
    {"rto", WEFT_TIME, P(base.rto), "1ms", "1ns", "inf", NULL,
     "Time without progress after which what was sent before it is sent again; no back-off.",
     "(ours)"},
};

static const struct weft_preset presets[] = {
    {"permutation", "threshold=32", "Best of a sweep under a permutation.", "ofan §8.2"},
    {"alltoall", "threshold=6", "Best of a sweep under an all-to-all.", "ofan §8.2"},
};

static const char *
check(const void *config)
{
    const struct sack_config *c = config;
    if (c->threshold >= c->base.window)
    {
        return "no gap can reach threshold; expected it to be less than window";
    }
    return weft_selective_check(config);
}

static void
rx_data(void *rx, const struct weft_packet *data, int64_t now, struct weft_rx_verdict *verdict)
{
    (void)now;
    weft_selective_receive_each((struct weft_selective_rx *)rx, data->psn, verdict);
}

static inline uint64_t *
bits_of(struct sack_tx *s)
{
    return (uint64_t *)(void *)(s + 1);
}

static size_t
tx_size(const void *config)
{
    const struct sack_config *c = config;
    return sizeof(struct sack_tx) + weft_selective_window_size(&c->base);
}

static int
tx_init(void *tx, const void *config, const struct weft_transport_site *site)
{
    const struct sack_config *c = config;
    struct sack_tx *s = tx;
    memset(s, 0, sizeof(*s));
    if (check(config) || weft_selective_window_check(&c->base) || c->threshold < 1 ||
        weft_sender_init(&s->base, c->base.outstanding, c->base.window, c->base.rto,
                         site->first_psn))
    {
        return WEFT_ERANGE;
    }
    s->mask = (uint32_t)c->base.window - 1U;
    s->threshold = (int32_t)c->threshold;
    s->top = s->base.una;
    s->tried = s->base.una;
    weft_bitmap_init(bits_of(s), (uint32_t)c->base.window);
    return 0;
}

/* The first missing packet in [psn, end), or end. */
static inline uint32_t
missing(struct sack_tx *s, uint32_t psn, uint32_t end)
{
    const uint32_t most = (end - psn) & WEFT_PSN_MASK;
    return weft_psn_add(psn, weft_bitmap_run(bits_of(s), s->mask, psn, most));
}

/* How many packets in [psn, end) are missing; none if the end comes first. */
static uint32_t
count_missing(struct sack_tx *s, uint32_t psn, uint32_t end)
{
    const int32_t span = weft_psn_diff(end, psn);
    return span <= 0 ? 0
                     : (uint32_t)span - weft_bitmap_count(bits_of(s), s->mask, psn, (uint32_t)span);
}

/* How many of the packets to be sent again lie before @p end. */
static uint32_t
count_queued(struct sack_tx *s, uint32_t end)
{
    const uint32_t limit = weft_psn_before(end, s->limit) ? end : s->limit;
    const uint32_t tried = weft_psn_before(end, s->tried) ? end : s->tried;
    return count_missing(s, s->again, limit) + count_missing(s, s->first, tried);
}

static inline bool
is_in(const struct queue *q, uint32_t psn)
{
    return (!weft_psn_before(psn, q->again) && weft_psn_before(psn, q->limit)) ||
           (!weft_psn_before(psn, q->first) && weft_psn_before(psn, q->tried));
}

static inline struct queue
queue_of(const struct sack_tx *s)
{
    return (struct queue){s->tried, s->first, s->again, s->limit};
}

static inline bool
is_queued(const struct sack_tx *s, uint32_t psn)
{
    const struct queue q = queue_of(s);
    return is_in(&q, psn);
}

static inline void
raise_to(uint32_t *psn, uint32_t least)
{
    if (weft_psn_before(*psn, least))
    {
        *psn = least;
    }
}

/* Nothing waits to be sent again: a round begins with all that was, unless one is still out. */
static void
settle(struct sack_tx *s)
{
    if (s->watching && weft_psn_before(s->base.una, s->limit))
    {
        return;
    }
    s->watching = weft_psn_before(s->base.una, s->tried);
    s->repairing = s->watching;
    s->limit = s->tried;
    s->again = s->tried;
    s->mark = s->base.end;
}

/* Sets base.resend by what the cursors have before them. */
static void
look_ahead(struct sack_tx *s)
{
    s->again = missing(s, s->again, s->limit);
    s->first = missing(s, s->first, s->tried);
    s->base.resend = s->again != s->limit || s->first != s->tried;
    if (!s->base.resend)
    {
        settle(s);
    }
}

static void
acknowledge_one(struct sack_tx *s, uint32_t psn)
{
    if (weft_sender_is_outstanding(&s->base, psn))
    {
        const bool fresh = weft_bitmap_set(bits_of(s), s->mask, psn);
        s->base.sacked += fresh;
        if (s->base.queued > 0 && fresh)
        {
            s->base.queued -= is_queued(s, psn);
        }
        raise_to(&s->top, weft_psn_add(psn, 1));
    }
}

/* Everything before epsn has arrived, and perhaps what follows it. Returns what that adds to una.
 */
static uint32_t
acknowledge_all(struct sack_tx *s, uint32_t epsn, int64_t now)
{
    const uint32_t una = s->base.una;
    const uint32_t beyond = (s->top - una) & WEFT_PSN_MASK;
    uint32_t acked = (epsn - una) & WEFT_PSN_MASK;
    acked = acked <= weft_sender_outstanding(&s->base) ? acked : 0;
    if (s->base.queued > 0)
    {
        s->base.queued -= count_queued(s, weft_psn_add(una, acked));
    }
    if (beyond > 0)
    {
        const uint32_t known = acked < beyond ? acked : beyond;
        s->base.sacked -= weft_bitmap_count(bits_of(s), s->mask, una, known);
        weft_bitmap_clear(bits_of(s), s->mask, una, known);
    }
    if (acked < beyond)
    {
        const uint32_t run = weft_bitmap_advance(bits_of(s), s->mask, una + acked);
        s->base.sacked -= run;
        acked += run;
    }
    if (acked > 0)
    {
        weft_sender_ack(&s->base, weft_psn_add(una, acked), now);
        s->overdue = s->base.end;
        raise_to(&s->top, s->base.una);
        raise_to(&s->tried, s->base.una);
    }
    return acked;
}

/* There are no news yet of what is lost. */
static inline void
tell_nothing(struct sack_tx *s)
{
    s->told = s->telling;
    s->had_queued = s->base.queued > 0;
    if (s->had_queued)
    {
        s->before = queue_of(s);
    }
}

/* What is queued in [from, to) is lost news. */
static void
tell(struct sack_tx *s, uint32_t from, uint32_t to)
{
    const bool first = s->told == s->telling;
    s->told = first || weft_psn_before(from, s->told) ? from : s->told;
    s->telling = first || weft_psn_before(s->telling, to) ? to : s->telling;
}

static bool
tx_next_lost(void *tx, uint32_t *psn)
{
    struct sack_tx *s = tx;
    while (s->told != s->telling)
    {
        *psn = missing(s, s->told, s->telling);
        s->told = *psn == s->telling ? s->telling : weft_psn_add(*psn, 1);
        if (*psn != s->telling && is_queued(s, *psn) && !(s->had_queued && is_in(&s->before, *psn)))
        {
            return true;
        }
    }
    return false;
}

/* What the cursors make of an ACK while something was sent again, or will be. */
static void
repair(struct sack_tx *s)
{
    raise_to(&s->first, s->base.una);
    raise_to(&s->again, s->base.una);
    raise_to(&s->limit, s->base.una);
    if (s->watching && weft_psn_before(s->base.una, s->limit) &&
        weft_psn_diff(s->top, s->mark) >= s->threshold)
    {
        s->watching = false;
        s->again = s->base.una;
        s->base.queued += count_missing(s, s->again, s->limit);
        tell(s, s->again, s->limit);
    }
    look_ahead(s);
}

/* All that is missing before the highest acknowledged packet counts as lost. */
static void
take_up(struct sack_tx *s)
{
    if (!s->repairing)
    {
        s->repairing = true;
        s->first = s->tried;
        s->again = s->base.una;
        s->limit = s->base.una;
    }
    s->base.queued += count_missing(s, s->tried, s->top);
    tell(s, s->tried, s->top);
    s->tried = s->top;
}

/* The packets that an ACK names. */
static void
acknowledge_named(struct sack_tx *s, const struct weft_packet *ack)
{
    const uint32_t place = weft_psn_add(ack->psn, ack->ahead);
    uint64_t bitmap = weft_ack_bitmap(ack);
    if (ack->ahead > 0)
    {
        acknowledge_one(s, place);
    }
    while (bitmap != 0)
    {
        acknowledge_one(s, (place - 1 - weft_ctz64(bitmap)) & WEFT_PSN_MASK);
        bitmap &= bitmap - 1;
    }
}

static uint32_t
tx_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    struct sack_tx *s = tx;
    tell_nothing(s);
    if (reply->kind == WEFT_NACK)
    {
        s->base.counters.nacks++;
    }
    else
    {
        acknowledge_named(s, reply);
    }
    const uint32_t acked = acknowledge_all(s, reply->psn, now);
    if (weft_psn_before(s->tried, s->top))
    {
        s->tried = missing(s, s->tried, s->top);
        if (weft_psn_diff(s->top, s->tried) > s->threshold)
        {
            take_up(s);
        }
    }
    if (s->repairing)
    {
        repair(s);
    }
    return acked;
}

static int
tx_next(void *tx, int64_t now, uint32_t *psn)
{
    struct sack_tx *s = tx;
    if (s->base.resend)
    {
        uint32_t *cursor = s->again != s->limit ? &s->again : &s->first;
        *psn = *cursor;
        *cursor = weft_psn_add(*cursor, 1);
        s->base.counters.resent++;
        s->base.queued--;
        look_ahead(s);
        return WEFT_TX_RETX;
    }
    if (!weft_sender_may_send_new(&s->base))
    {
        return WEFT_TX_NONE;
    }
    const bool idle = s->base.una == s->base.end;
    *psn = weft_sender_send_new(&s->base, now);
    if (idle)
    {
        s->overdue = s->base.end;
    }
    return WEFT_TX_NEW;
}

static void
tx_timeout(void *tx, int64_t now)
{
    struct sack_tx *s = tx;
    if (weft_sender_timeout(&s->base, now))
    {
        tell_nothing(s);
        raise_to(&s->tried, s->overdue);
        s->overdue = s->base.end;
        s->first = s->tried;
        s->limit = s->tried;
        s->again = s->base.una;
        s->base.queued = count_missing(s, s->again, s->limit);
        tell(s, s->again, s->limit);
        s->base.resend = true;
        s->repairing = true;
        s->watching = false;
    }
}

const struct weft_transport_ops weft_transport_sack = {
    .algo =
        {
            .name = "sack",
            .doc = "Every packet is acknowledged individually; gaps that reach a threshold are "
                   "sent again.",
            .source = "ofan §4, §8.2",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .presets = presets,
            .npresets = sizeof presets / sizeof presets[0],
            .config_size = sizeof(struct sack_config),
            .check = check,
        },
    .rx_size = weft_selective_rx_size,
    .rx_init = weft_selective_rx_init,
    .rx_data = rx_data,
    .rx_bitmap = weft_selective_bitmap,
    .tx_size = tx_size,
    .tx_init = tx_init,
    .tx_post = weft_sender_post,
    .tx_ready = weft_selective_tx_ready,
    .tx_next = tx_next,
    .tx_reply = tx_reply,
    .tx_deadline = weft_sender_deadline,
    .tx_timeout = tx_timeout,
    .tx_next_lost = tx_next_lost,
    .tx_una = weft_sender_una,
    .tx_counters = weft_sender_counters,
    .tx_flight = weft_sender_flight,
    .tx_sacked = weft_sender_sacked,
    .fields = {.reads = WEFT_FIELD_KIND | WEFT_FIELD_PSN | WEFT_FIELD_FLAGS | WEFT_FIELD_AHEAD |
                        WEFT_FIELD_META},
};

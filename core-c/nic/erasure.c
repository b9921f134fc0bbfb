/* SPDX-License-Identifier: MIT */
/*
 * Ideal rateless erasure coding without overhead (ofan §4): any m symbols make a message of m
 * packets, whichever they are. It takes loss recovery out of a comparison of load balancers.
 *
 * What is coded is the QP's stream. A packet whose PSN is missing takes that place; any other one,
 * a repair symbol or one that a repair symbol has replaced meanwhile, takes the lowest missing
 * place among the packets that had been sent when it left, which it tells in `ahead`. If none is
 * missing there, it is surplus. An ACK names the place taken, so the sender's bitmap becomes the
 * receiver's.
 *
 * The sender sends each packet once, and then "opportunistically stops in the final BDP and only
 * sends more if necessary" (footnote 3): a repair symbol leaves while more places are missing than
 * symbols are in flight. A symbol is in flight until it is answered or older than `lost-after`,
 * and than the round trip of late by an eighth of that, or queues would make repair symbols that
 * queue.
 * A reply tells when its data packet left, so that counting symbols by slices of time suffices: no
 * state per packet but a bit. Losses are no timeouts: those are silences, of rto, then of twice
 * that, and so on. What was posted while nothing waited to be sent comes after all repairs of what
 * had been posted before, or a message that follows would delay the one before it.
 */
#include "base/tables.h"
#include "nic/selective.h"

#define SLICES  128 /* at most 18 hold symbols younger than lost-after */
#define LONGEST 16  /* doublings of rto for a silence */

/* The bitmap of filled places, all in [una, end), follows it in memory. */
struct erasure_tx
{
    struct weft_sender base;
    uint32_t mask;   /* window - 1 */
    uint32_t held;   /* places in [una, end) that are filled */
    uint32_t flight; /* symbols sent, neither answered nor presumed lost: the sum of sent[] */
    uint32_t edge;   /* repairs of what lies before it precede new packets */
    uint32_t cursor; /* repair symbols take turns through the missing places, so that those of a
                        burst differ in PSN, by which some balancers choose paths */
    uint32_t shift;  /* a slice takes 2^shift ps, between a 16th and an 8th of lost_after */
    int64_t lost_after;
    uint32_t silent; /* timeouts since the last reply */
    int64_t heard;   /* when that came, or the first packet left while nothing was missing */
    int64_t oldest;  /* slice: those before it are empty */
    int64_t slowest; /* round trip of late, ps: the longest one, which fades */
    uint32_t sent[SLICES];
};

struct erasure_config
{
    struct weft_selective_config base;
    int64_t lost_after; /* ps */
};

#define P(member) WEFT_P(struct erasure_config, member)

static const struct weft_param params[] = {
    {"window", WEFT_COUNT, P(base.window), "4096", "64", "32768", NULL,
     "Packets from the lowest missing one on that may be sent; a power of two.", "(ours)"},
    {"lost-after", WEFT_TIME, P(lost_after), "8us", "1ns", "10s", NULL,
     "Least age at which a symbol without an answer is presumed lost, and another sent: a round "
     "trip of the paper's fabric (6.25us) and 40 packets of queue.",
     "ofan §4, footnote 3; value (ours)"},
    {"rto", WEFT_TIME, P(base.rto), "100us", "1ns", "10s", NULL,
     "Silence that is a timeout; the next one takes twice as long, and so on. At least lost-after.",
     "(ours)"},
};

static const char *
check(const void *config)
{
    const struct erasure_config *c = (const struct erasure_config *)config;
    if (c->base.rto < c->lost_after)
    {
        return "rto is less than lost-after; expected lost-after <= rto";
    }
    return weft_bitmap_valid(c->base.window) ? NULL : "window must be a power of two, such as 4096";
}

static void
rx_data(void *rx, const struct weft_packet *data, struct weft_rx_verdict *verdict)
{
    struct weft_selective_rx *r = (struct weft_selective_rx *)rx;
    const uint32_t end = weft_psn_add(data->psn, data->ahead);
    weft_selective_receive(r, data->psn, false, verdict);
    if (verdict->duplicate && weft_psn_before(r->epsn, end))
    {
        verdict->place = r->epsn;
        weft_selective_receive(r, verdict->place, false, verdict);
    }
    if (verdict->fresh || verdict->duplicate)
    {
        verdict->reply = WEFT_REPLY_ACK;
    }
}

static inline uint64_t *
bits_of(struct erasure_tx *s)
{
    return (uint64_t *)(void *)(s + 1);
}

static size_t
tx_size(const void *config)
{
    const struct weft_selective_config *c = (const struct weft_selective_config *)config;
    return sizeof(struct erasure_tx) + weft_bitmap_size((uint32_t)c->window);
}

static void
tx_init(void *tx, const void *config, uint32_t first_psn)
{
    const struct erasure_config *c = (const struct erasure_config *)config;
    struct erasure_tx *s = (struct erasure_tx *)tx;
    memset(s, 0, sizeof(*s));
    weft_sender_init(&s->base, c->base.window, c->base.rto, first_psn);
    s->mask = (uint32_t)c->base.window - 1U;
    s->lost_after = c->lost_after;
    s->edge = s->base.una;
    s->cursor = s->base.una;
    while (INT64_C(16) << s->shift <= c->lost_after)
    {
        s->shift++;
    }
    weft_bitmap_init(bits_of(s), (uint32_t)c->base.window);
}

static void
tx_post(void *tx, uint32_t npackets)
{
    struct erasure_tx *s = (struct erasure_tx *)tx;
    if (s->base.unsent == 0)
    {
        s->edge = s->base.end;
    }
    s->base.unsent += npackets;
}

/* Age at which a symbol is presumed lost; as far as there are slices for it. */
static int64_t
patience(const struct erasure_tx *s)
{
    const int64_t most = (int64_t)(SLICES - 2) << s->shift;
    const int64_t late = s->slowest + s->lost_after / 8;
    const int64_t age = late > s->lost_after ? late : s->lost_after;
    return age < most ? age : most;
}

/* The timer: when the oldest slice with symbols is presumed lost. */
static void
settle(struct erasure_tx *s)
{
    s->base.deadline = WEFT_NEVER;
    if (s->flight > 0 && s->base.una != s->base.end)
    {
        while (s->sent[s->oldest % SLICES] == 0)
        {
            s->oldest++;
        }
        s->base.deadline = ((s->oldest + 1) << s->shift) + patience(s);
    }
}

/* What left in slices before @p first is in flight no more. */
static void
presume_lost(struct erasure_tx *s, int64_t first)
{
    for (; s->flight > 0 && s->oldest < first; s->oldest++)
    {
        s->flight -= s->sent[s->oldest % SLICES];
        s->sent[s->oldest % SLICES] = 0;
    }
}

static void
count_sent(struct erasure_tx *s, int64_t now)
{
    const int64_t slice = now >> s->shift;
    presume_lost(s, slice - SLICES + 1); /* what is left of a stream that was complete */
    s->oldest = s->flight > 0 ? s->oldest : slice;
    s->sent[slice % SLICES]++;
    s->flight++;
    settle(s);
}

static void
count_answered(struct erasure_tx *s, int64_t sent)
{
    const int64_t slice = sent >> s->shift;
    if (slice >= s->oldest && slice - s->oldest < SLICES && s->sent[slice % SLICES] > 0)
    {
        s->sent[slice % SLICES]--;
        s->flight--;
    }
}

static inline bool
may_repair(const struct erasure_tx *s)
{
    return weft_sender_outstanding(&s->base) - s->held > s->flight;
}

static bool
tx_ready(const void *tx)
{
    const struct erasure_tx *s = (const struct erasure_tx *)tx;
    return weft_sender_may_send_new(&s->base) || may_repair(s);
}

/* The next missing place from the cursor on, and round to una, which is always missing. */
static uint32_t
next_missing(struct erasure_tx *s)
{
    const uint32_t most = (s->base.end - s->cursor) & WEFT_PSN_MASK;
    const uint32_t run = weft_bitmap_run(bits_of(s), s->mask, s->cursor, most);
    const uint32_t psn = run < most ? weft_psn_add(s->cursor, run) : s->base.una;
    s->cursor = weft_psn_add(psn, 1);
    return psn;
}

static int
tx_next(void *tx, int64_t now, uint32_t *psn)
{
    struct erasure_tx *s = (struct erasure_tx *)tx;
    const bool fresh = weft_sender_may_send_new(&s->base);
    if (may_repair(s) && (!fresh || weft_psn_before(s->base.una, s->edge)))
    {
        *psn = next_missing(s);
        s->base.counters.resent++;
        count_sent(s, now);
        return WEFT_TX_RETX;
    }
    if (!fresh)
    {
        return WEFT_TX_NONE;
    }
    s->heard = s->base.una == s->base.end ? now : s->heard;
    *psn = weft_sender_send_new(&s->base, now);
    count_sent(s, now);
    return WEFT_TX_NEW;
}

static void
tx_stamp(const void *tx, struct weft_packet *data)
{
    const struct erasure_tx *s = (const struct erasure_tx *)tx;
    data->ahead = (uint16_t)((s->base.end - data->psn) & WEFT_PSN_MASK);
    data->flags |= WEFT_F_ACK_REQ;
}

static void
fill(struct erasure_tx *s, uint32_t psn)
{
    if (((psn - s->base.una) & WEFT_PSN_MASK) < weft_sender_outstanding(&s->base))
    {
        s->held += weft_bitmap_set(bits_of(s), s->mask, psn);
    }
}

/* Everything before epsn is filled, and perhaps what follows it. Returns what that adds to una. */
static uint32_t
advance(struct erasure_tx *s, uint32_t epsn, int64_t now)
{
    const uint32_t una = s->base.una;
    uint32_t acked = (epsn - una) & WEFT_PSN_MASK;
    acked = acked <= weft_sender_outstanding(&s->base) ? acked : 0;
    if (s->held > 0)
    {
        s->held -= weft_bitmap_count(bits_of(s), s->mask, una, acked);
        weft_bitmap_clear(bits_of(s), s->mask, una, acked);
        const uint32_t run = weft_bitmap_advance(bits_of(s), s->mask, una + acked);
        s->held -= run;
        acked += run;
    }
    weft_sender_ack(&s->base, weft_psn_add(una, acked), now);
    s->edge = weft_psn_before(s->edge, s->base.una) ? s->base.una : s->edge;
    s->cursor = weft_psn_before(s->cursor, s->base.una) ? s->base.una : s->cursor;
    return acked;
}

static uint32_t
tx_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    struct erasure_tx *s = (struct erasure_tx *)tx;
    s->base.counters.nacks += reply->kind == WEFT_NACK; /* a ToR's; it asks for nothing new */
    const int64_t trip = now - reply->sent;
    s->slowest = trip > s->slowest ? trip : s->slowest - (s->slowest - trip) / 16;
    s->heard = now;
    s->silent = 0;
    count_answered(s, reply->sent);
    if (reply->kind == WEFT_ACK && reply->ahead > 0)
    {
        fill(s, weft_psn_add(reply->psn, reply->ahead));
    }
    const uint32_t acked = advance(s, reply->psn, now);
    settle(s);
    return acked;
}

static void
tx_timeout(void *tx, int64_t now)
{
    struct erasure_tx *s = (struct erasure_tx *)tx;
    if (now < s->base.deadline)
    {
        return;
    }
    presume_lost(s, (now - patience(s)) >> s->shift);
    settle(s);
    if (now - s->heard >= s->base.rto << s->silent)
    {
        s->base.counters.timeouts++;
        s->silent += s->silent < LONGEST;
        s->edge = s->base.end; /* what is missing goes first */
    }
}

static uint32_t
tx_flight(const void *tx)
{
    const struct erasure_tx *s = (const struct erasure_tx *)tx;
    return s->base.una != s->base.end ? s->flight : 0;
}

const struct weft_transport_ops weft_transport_erasure = {
    {
        "erasure", /* name */
        "Ideal rateless coding: a message is complete when as many packets arrived, whichever.",
        "ofan §4",
        params,
        sizeof params / sizeof params[0],
        NULL, /* presets */
        0,
        sizeof(struct erasure_config),
        check,
    },
    weft_selective_rx_size,
    weft_selective_rx_init,
    rx_data,
    tx_size,
    tx_init,
    tx_post,
    tx_ready,
    tx_next,
    tx_reply,
    weft_sender_deadline,
    tx_timeout,
    weft_sender_una,
    weft_sender_counters,
    tx_flight,
    tx_stamp,
};

/* SPDX-License-Identifier: MIT */
/*
 * Ideal rateless erasure coding without overhead (ofan §4): any m symbols make a message of m
 * packets, whichever they are. It takes loss recovery out of a comparison of load balancers.
 *
 * What is coded is the QP's stream. A packet whose PSN is missing takes that place; any other one
 * takes the lowest missing place among the packets that had been sent when it left, which it tells
 * in `ahead`. If none is missing there, it is surplus. So is the last packet of a message whose
 * place is filled: it may be short, and stands for no other. An ACK names the place taken, so the
 * sender's bitmap becomes the receiver's.
 *
 * The sender sends each packet once, and then "opportunistically stops in the final BDP and only
 * sends more if necessary" (footnote 3): a repair symbol leaves while more places are missing than
 * symbols are in flight. A symbol is in flight until it is answered, or until the fabric tells that
 * it or its answer was lost (tx_lost): nothing is guessed, so queues make no repair symbols, and a
 * loss makes one. It carries the PSN that was lost, so without lost ACKs it displaces nothing.
 *
 * Losses are no timeouts: those are silences, of rto, then of twice that, and so on. What was
 * posted while nothing waited to be sent comes after all repairs of what had been posted before, or
 * a message that follows would delay the one before it.
 */
#include "base/saturating.h"
#include "nic/selective.h"
#include "roster/tables.h"

#define LONGEST     16    /* doublings of rto for a silence */
#define MOST_WINDOW 32768 /* a data packet's `ahead` has 16 bits */

/* Two bitmaps of the places in [una, end) follow it in memory: filled, and to be repaired. */
struct erasure_tx
{
    struct weft_sender base;
    uint32_t mask;   /* window - 1 */
    uint32_t flight; /* symbols sent, neither answered nor lost, nor their answers */
    uint32_t marked; /* places in [una, end) to be repaired: none of them is filled */
    uint32_t edge;   /* repairs of what lies before it precede new packets */
    int64_t silence; /* when the one under way is a timeout */
    int64_t gap;     /* from that one to the next */
};

static const struct weft_param params[] = {
    {"window", WEFT_COUNT, WEFT_SELECTIVE_P(window), "4096", "64", "32768", NULL,
     "Packets from the lowest missing one on that may be sent; a power of two.", "(ours)"},
    {"rto", WEFT_TIME, WEFT_SELECTIVE_P(rto), "100us", "1ns", "10s", NULL,
     "Silence that is a timeout; the next one takes twice as long, and so on. Repairs need none.",
     "(ours)"},
};

static const char *
check(const void *config)
{
    const struct weft_selective_config *c = config;
    return weft_bitmap_valid(c->window) ? NULL : "window must be a power of two, such as 4096";
}

static void
rx_data(void *rx, const struct weft_packet *data, int64_t now, struct weft_rx_verdict *verdict)
{
    (void)now;
    struct weft_selective_rx *r = rx;
    const uint32_t end = weft_psn_add(data->psn, data->ahead);
    weft_selective_receive(r, data->psn, false, verdict);
    if (verdict->duplicate && !(data->flags & WEFT_F_LAST) && weft_psn_before(r->epsn, end))
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
filled_of(struct erasure_tx *s)
{
    return (uint64_t *)(void *)(s + 1);
}

static inline uint64_t *
marks_of(struct erasure_tx *s)
{
    return filled_of(s) + (s->mask + 1U) / 64U;
}

static size_t
tx_size(const void *config)
{
    const struct weft_selective_config *c = config;
    return sizeof(struct erasure_tx) + 2 * weft_selective_window_size(c);
}

static int
tx_init(void *tx, const void *config, const struct weft_transport_site *site)
{
    const struct weft_selective_config *c = config;
    struct erasure_tx *s = tx;
    memset(s, 0, sizeof(*s));
    if (weft_selective_window_check(c) || c->window > MOST_WINDOW ||
        weft_sender_init(&s->base, c->window, c->window, c->rto, site->first_psn))
    {
        return WEFT_ERANGE;
    }
    s->mask = (uint32_t)c->window - 1U;
    s->edge = s->base.una;
    weft_bitmap_init(filled_of(s), (uint32_t)c->window);
    weft_bitmap_init(marks_of(s), (uint32_t)c->window);
    return 0;
}

static void
tx_post(void *tx, uint32_t npackets)
{
    struct erasure_tx *s = tx;
    if (s->base.unsent == 0)
    {
        s->edge = s->base.end;
    }
    s->base.unsent += npackets;
}

static inline bool
may_repair(const struct erasure_tx *s)
{
    return weft_sender_outstanding(&s->base) - s->base.sacked > s->flight;
}

static bool
tx_ready(const void *tx)
{
    const struct erasure_tx *s = tx;
    return weft_sender_may_send_new(&s->base) || may_repair(s);
}

static void
unmark(struct erasure_tx *s, uint32_t from, uint32_t count)
{
    if (s->marked > 0)
    {
        s->marked -= weft_bitmap_count(marks_of(s), s->mask, from, count);
        weft_bitmap_clear(marks_of(s), s->mask, from, count);
    }
}

/* The PSN of a repair symbol: the first place to be repaired. If there is none, since the ACKs that
 * would tell more places filled are on their way, una: its answer is news in any case. */
static uint32_t
take_repair(struct erasure_tx *s)
{
    uint32_t psn = s->base.una;
    if (s->marked > 0)
    {
        psn = weft_psn_add(psn, weft_bitmap_next(marks_of(s), s->mask, psn));
        unmark(s, psn, 1);
    }
    return psn;
}

/* The host hears something, or begins to wait for it. */
static void
listen(struct erasure_tx *s, int64_t now)
{
    s->gap = s->base.rto;
    s->silence = weft_sender_due(&s->base, now);
    s->base.deadline = s->base.una == s->base.end ? WEFT_NEVER : s->silence;
}

static int
tx_next(void *tx, int64_t now, uint32_t *psn)
{
    struct erasure_tx *s = tx;
    const bool fresh = weft_sender_may_send_new(&s->base);
    if (may_repair(s) && (!fresh || weft_psn_before(s->base.una, s->edge)))
    {
        *psn = take_repair(s);
        s->base.counters.resent++;
        s->flight++;
        return WEFT_TX_RETX;
    }
    if (!fresh)
    {
        return WEFT_TX_NONE;
    }
    const bool first = s->base.una == s->base.end;
    *psn = weft_sender_send_new(&s->base, now);
    s->flight++;
    if (first)
    {
        listen(s, now);
    }
    return WEFT_TX_NEW;
}

static void
tx_stamp(const void *tx, struct weft_packet *data)
{
    const struct erasure_tx *s = tx;
    data->ahead = (uint16_t)((s->base.end - data->psn) & WEFT_PSN_MASK);
    data->flags |= WEFT_F_ACK_REQ;
}

static void
fill(struct erasure_tx *s, uint32_t psn)
{
    if (weft_sender_is_outstanding(&s->base, psn))
    {
        s->base.sacked += weft_bitmap_set(filled_of(s), s->mask, psn);
        unmark(s, psn, 1);
    }
}

/* Everything before epsn is filled, and perhaps what follows it. Returns what that adds to una. */
static uint32_t
advance(struct erasure_tx *s, uint32_t epsn, int64_t now)
{
    const uint32_t una = s->base.una;
    uint32_t acked = (epsn - una) & WEFT_PSN_MASK;
    acked = acked <= weft_sender_outstanding(&s->base) ? acked : 0;
    if (s->base.sacked > 0)
    {
        s->base.sacked -= weft_bitmap_count(filled_of(s), s->mask, una, acked);
        weft_bitmap_clear(filled_of(s), s->mask, una, acked);
        const uint32_t run = weft_bitmap_advance(filled_of(s), s->mask, una + acked);
        s->base.sacked -= run;
        acked += run;
    }
    unmark(s, una, acked);
    weft_sender_ack(&s->base, weft_psn_add(una, acked), now);
    s->edge = weft_psn_before(s->edge, s->base.una) ? s->base.una : s->edge;
    return acked;
}

/* Every symbol has one ACK, or one loss: its own or its ACK's. Copies that a host makes have more.
 */
static void
leave_flight(struct erasure_tx *s)
{
    s->flight -= s->flight > 0;
}

static uint32_t
tx_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    struct erasure_tx *s = tx;
    if (reply->kind == WEFT_ACK)
    {
        leave_flight(s);
        if (reply->ahead > 0)
        {
            fill(s, weft_psn_add(reply->psn, reply->ahead));
        }
    }
    else
    {
        s->base.counters.nacks++; /* a ToR's; it asks for nothing new, and answers no symbol */
    }
    const uint32_t acked = advance(s, reply->psn, now);
    listen(s, now);
    return acked;
}

/* An ACK's place is filled, but only another ACK can say so: what asks for it is a repair symbol of
 * that place, or of una, which the lost ACK would have acknowledged. */
static void
tx_lost(void *tx, const struct weft_packet *lost, int64_t now)
{
    struct erasure_tx *s = tx;
    const bool named = lost->kind == WEFT_DATA || lost->ahead > 0;
    const uint32_t place =
        lost->kind == WEFT_DATA ? lost->psn : weft_psn_add(lost->psn, lost->ahead);
    (void)now;
    leave_flight(s);
    if (named && weft_sender_is_outstanding(&s->base, place) &&
        weft_bitmap_run(filled_of(s), s->mask, place, 1) == 0)
    {
        s->marked += weft_bitmap_set(marks_of(s), s->mask, place);
    }
}

static void
tx_timeout(void *tx, int64_t now)
{
    struct erasure_tx *s = tx;
    if (now < s->base.deadline)
    {
        return;
    }
    /* Looks again an rto later: a reply shortens the silence, but moves no timer forward. */
    s->base.deadline = weft_sender_due(&s->base, now);
    if (now >= s->silence)
    {
        s->base.counters.timeouts++;
        s->silence = weft_sum(now, s->gap);
        s->gap = s->gap >> LONGEST < s->base.rto ? weft_sum(s->gap, s->gap) : s->gap;
        s->edge = s->base.end; /* what is missing goes first */
    }
}

/* A window counts symbols. Those that are still under way when all is acknowledged are surplus: a
 * QP that has nothing to wait for has nothing in flight. */
static uint32_t
tx_flight(const void *tx)
{
    const struct erasure_tx *s = tx;
    return s->base.una != s->base.end ? s->flight : 0;
}

const struct weft_transport_ops weft_transport_erasure = {
    .algo =
        {
            .name = "erasure",
            .doc = "Ideal rateless coding: a message of m packets is complete when any m packets "
                   "have arrived.",
            .source = "ofan §4",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct weft_selective_config),
            .check = check,
        },
    .rx_size = weft_selective_rx_size,
    .rx_init = weft_selective_rx_init,
    .rx_data = rx_data,
    .tx_size = tx_size,
    .tx_init = tx_init,
    .tx_post = tx_post,
    .tx_ready = tx_ready,
    .tx_next = tx_next,
    .tx_reply = tx_reply,
    .tx_deadline = weft_sender_deadline,
    .tx_timeout = tx_timeout,
    .tx_una = weft_sender_una,
    .tx_counters = weft_sender_counters,
    .tx_flight = tx_flight,
    .tx_sacked = weft_sender_sacked,
    .tx_stamp = tx_stamp,
    .tx_lost = tx_lost,
    .fields = {.reads = WEFT_FIELD_KIND | WEFT_FIELD_PSN | WEFT_FIELD_FLAGS | WEFT_FIELD_AHEAD,
               .writes = WEFT_FIELD_FLAGS | WEFT_FIELD_AHEAD},
};

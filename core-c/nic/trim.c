/* SPDX-License-Identifier: MIT */
/*
 * For fabrics whose switches trim packets (prime §IV; UEC's simulator). A header without its
 * payload is answered at once by a NACK that asks for that packet, unless the packet has come
 * meanwhile; it counts as nothing received. A whole packet is answered by an ACK that names it, as
 * under sack, or by one that answers several.
 *
 * The sender keeps three bitmaps over [una, una + window): what is acknowledged, what is to be sent
 * again, and what of that has not been told as lost. A NACK puts the packet that it asks for into
 * the second one, unless it is acknowledged; every NACK stands for a transmission that came to
 * nothing, so a packet may be sent again many times. Packets are sent again in the order of their
 * PSNs, ahead of new ones. A gap among the ACKs means nothing:
 * on many paths packets overtake each other, and what is trimmed is heard of. Only headers and
 * replies are lost in silence, and the timer is for these: it sends again what is missing of all
 * that had been sent when it was started. A NACK of the oldest packet starts it anew, like an ACK
 * that makes progress.
 *
 * `ahead` has 16 bits, so the window is 65,536 packets at most: no packet that may be under way
 * lies beyond what a NACK can name.
 */
#include "base/tables.h"
#include "nic/selective.h"

/* The bitmaps follow it in memory: acknowledged packets, all in (una, end); those to be sent again,
 * all in [una, end) and none of them acknowledged; and those to be told as lost, all in [told,
 * telling). */
struct trim_tx
{
    struct weft_sender base; /* its resend: queued > 0 */
    uint32_t mask;           /* window - 1 */
    uint32_t held;           /* acknowledged packets */
    uint32_t queued;         /* packets to be sent again */
    uint32_t first;          /* none of them lies before it */
    uint32_t overdue;        /* packets before it had been sent when the timer was started */
    uint32_t told;           /* none that is to be told as lost lies before it */
    uint32_t telling;        /* or from it on */
};

#define P(member) WEFT_P(struct weft_selective_config, member)

static const struct weft_param params[] = {
    {"window", WEFT_COUNT, P(window), "16384", "64", "65536", NULL,
     "Packets that the bitmaps of receiver and sender cover; a power of two.", "(ours)"},
    {"outstanding", WEFT_COUNT, P(outstanding), "16384", "1", "65536", NULL,
     "Packets that may be sent and not yet acknowledged; at most the window.", "(ours)"},
    {"rto", WEFT_TIME, P(rto), "1ms", "1ns", "inf", NULL,
     "Time without progress after which what was sent before it is sent again; no back-off. It is "
     "for lost headers and replies only.",
     "(ours)"},
};

static bool
has_arrived(struct weft_selective_rx *r, uint32_t psn)
{
    return weft_psn_before(psn, r->epsn) ||
           weft_bitmap_run(weft_selective_bits(r), r->mask, psn, 1) == 1;
}

static void
rx_data(void *rx, const struct weft_packet *data, int64_t now, struct weft_rx_verdict *verdict)
{
    struct weft_selective_rx *r = rx;
    (void)now;
    if (!(data->flags & WEFT_F_TRIMMED))
    {
        weft_selective_receive(r, data->psn, false, verdict);
        verdict->reply =
            verdict->fresh || verdict->duplicate ? WEFT_REPLY_ACK : (uint8_t)WEFT_REPLY_NONE;
        return;
    }
    const bool inside = weft_psn_diff(data->psn, r->epsn) <= (int32_t)r->mask;
    verdict->fresh = false;
    verdict->duplicate = inside && has_arrived(r, data->psn);
    verdict->reply = verdict->duplicate ? WEFT_REPLY_ACK
                     : inside           ? WEFT_REPLY_NACK
                                        : (uint8_t)WEFT_REPLY_NONE;
    verdict->asks_place = verdict->reply == WEFT_REPLY_NACK;
    verdict->epsn = r->epsn;
}

static uint64_t *
acked_bits(struct trim_tx *s)
{
    return (uint64_t *)(void *)(s + 1);
}

static uint64_t *
queued_bits(struct trim_tx *s)
{
    return acked_bits(s) + (s->mask + 1U) / 64U;
}

static uint64_t *
lost_bits(struct trim_tx *s)
{
    return queued_bits(s) + (s->mask + 1U) / 64U;
}

static size_t
tx_size(const void *config)
{
    const struct weft_selective_config *c = config;
    return sizeof(struct trim_tx) + 3 * weft_selective_window_size(c);
}

static int
tx_init(void *tx, const void *config, const struct weft_transport_site *site)
{
    const struct weft_selective_config *c = config;
    struct trim_tx *s = tx;
    memset(s, 0, sizeof(*s));
    if (weft_selective_check(c) || weft_selective_window_check(c) || c->window > UINT16_MAX + 1 ||
        weft_sender_init(&s->base, c->outstanding, c->rto, site->first_psn))
    {
        return WEFT_ERANGE;
    }
    s->mask = (uint32_t)c->window - 1U;
    weft_bitmap_init(acked_bits(s), (uint32_t)c->window);
    weft_bitmap_init(queued_bits(s), (uint32_t)c->window);
    weft_bitmap_init(lost_bits(s), (uint32_t)c->window);
    return 0;
}

static bool
is_outstanding(const struct trim_tx *s, uint32_t psn)
{
    return ((psn - s->base.una) & WEFT_PSN_MASK) < weft_sender_outstanding(&s->base);
}

/* Takes @p count packets from @p psn on out of those to be sent again. */
static void
unqueue(struct trim_tx *s, uint32_t psn, uint32_t count)
{
    if (s->queued > 0)
    {
        s->queued -= weft_bitmap_count(queued_bits(s), s->mask, psn, count);
        weft_bitmap_clear(queued_bits(s), s->mask, psn, count);
        s->base.resend = s->queued > 0;
    }
}

/* What was lost before is no news any more. */
static void
tell_nothing(struct trim_tx *s)
{
    if (s->told != s->telling)
    {
        const uint32_t count = (s->telling - s->told) & WEFT_PSN_MASK;
        weft_bitmap_clear(lost_bits(s), s->mask, s->told, count);
        s->told = s->telling;
    }
}

/* A packet is lost news, and lies before none that is. */
static void
tell(struct trim_tx *s, uint32_t psn)
{
    weft_bitmap_set(lost_bits(s), s->mask, psn);
    s->told = s->told == s->telling ? psn : s->told;
    s->telling = weft_psn_add(psn, 1);
}

static bool
tx_next_lost(void *tx, uint32_t *psn)
{
    struct trim_tx *s = tx;
    if (s->told == s->telling)
    {
        return false;
    }
    *psn = weft_psn_add(s->told, weft_bitmap_next(lost_bits(s), s->mask, s->told));
    weft_bitmap_clear(lost_bits(s), s->mask, *psn, 1);
    s->told = weft_psn_add(*psn, 1);
    return true;
}

static void
queue(struct trim_tx *s, uint32_t psn)
{
    if (is_outstanding(s, psn) && weft_bitmap_run(acked_bits(s), s->mask, psn, 1) == 0 &&
        weft_bitmap_set(queued_bits(s), s->mask, psn))
    {
        s->first = s->queued == 0 || weft_psn_before(psn, s->first) ? psn : s->first;
        s->queued++;
        s->base.resend = true;
        tell(s, psn);
    }
}

static void
acknowledge_one(struct trim_tx *s, uint32_t psn)
{
    if (is_outstanding(s, psn))
    {
        s->held += weft_bitmap_set(acked_bits(s), s->mask, psn);
        unqueue(s, psn, 1);
    }
}

/* Everything before epsn has arrived, and perhaps what follows it. Returns what that adds to una.
 */
static uint32_t
acknowledge_all(struct trim_tx *s, uint32_t epsn, int64_t now)
{
    const uint32_t una = s->base.una;
    const uint32_t outstanding = weft_sender_outstanding(&s->base);
    uint32_t acked = (epsn - una) & WEFT_PSN_MASK;
    acked = acked <= outstanding ? acked : 0;
    unqueue(s, una, acked);
    s->held -= weft_bitmap_count(acked_bits(s), s->mask, una, acked);
    weft_bitmap_clear(acked_bits(s), s->mask, una, acked);
    const uint32_t run = weft_bitmap_advance(acked_bits(s), s->mask, weft_psn_add(una, acked));
    s->held -= run;
    acked += run;
    if (acked > 0)
    {
        weft_sender_ack(&s->base, weft_psn_add(una, acked), now);
        s->overdue = s->base.end;
        s->first = weft_psn_before(s->first, s->base.una) ? s->base.una : s->first;
    }
    return acked;
}

/* The packets that an ACK names. */
static void
acknowledge_named(struct trim_tx *s, const struct weft_packet *ack)
{
    const uint32_t place = weft_psn_add(ack->psn, ack->ahead);
    if (ack->ahead > 0)
    {
        acknowledge_one(s, place);
    }
    for (uint64_t bitmap = weft_ack_bitmap(ack); bitmap != 0; bitmap &= bitmap - 1)
    {
        acknowledge_one(s, (place - 1 - weft_ctz64(bitmap)) & WEFT_PSN_MASK);
    }
}

/* The packet that a NACK asks for is to be sent again. */
static void
take_nack(struct trim_tx *s, const struct weft_packet *nack, int64_t now)
{
    const uint32_t ahead = nack->flags & WEFT_F_ASKS_AHEAD ? nack->ahead : 0;
    const uint32_t psn = weft_psn_add(nack->psn, ahead);
    s->base.counters.nacks++;
    queue(s, psn);
    if (psn == s->base.una && s->base.una != s->base.end)
    {
        s->base.deadline = weft_sender_due(&s->base, now); /* what it watches has been heard of */
        s->overdue = s->base.end;
    }
}

static uint32_t
tx_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    struct trim_tx *s = tx;
    tell_nothing(s);
    if (reply->kind == WEFT_ACK)
    {
        acknowledge_named(s, reply);
    }
    const uint32_t acked = acknowledge_all(s, reply->psn, now);
    if (reply->kind == WEFT_NACK)
    {
        take_nack(s, reply, now);
    }
    return acked;
}

static int
tx_next(void *tx, int64_t now, uint32_t *psn)
{
    struct trim_tx *s = tx;
    if (s->queued > 0)
    {
        *psn = weft_psn_add(s->first, weft_bitmap_next(queued_bits(s), s->mask, s->first));
        unqueue(s, *psn, 1);
        s->first = weft_psn_add(*psn, 1);
        s->base.counters.resent++;
        return WEFT_TX_RETX;
    }
    if (!weft_sender_may_send_new(&s->base))
    {
        return WEFT_TX_NONE;
    }
    const bool idle = s->base.una == s->base.end;
    *psn = weft_sender_send_new(&s->base, now);
    s->overdue = idle ? s->base.end : s->overdue;
    return WEFT_TX_NEW;
}

static void
tx_timeout(void *tx, int64_t now)
{
    struct trim_tx *s = tx;
    if (weft_sender_timeout(&s->base, now))
    {
        tell_nothing(s);
        for (uint32_t psn = s->base.una; weft_psn_before(psn, s->overdue);
             psn = weft_psn_add(psn, 1))
        {
            queue(s, psn);
        }
        s->overdue = s->base.end;
    }
}

static uint32_t
tx_flight(const void *tx)
{
    const struct trim_tx *s = tx;
    return weft_sender_outstanding(&s->base) - s->held - s->queued;
}

const struct weft_transport_ops weft_transport_trim = {
    .algo =
        {
            .name = "trim",
            .doc = "For trimming switches: each trimmed packet causes a NACK and is sent again "
                   "before new ones.",
            .source = "prime §IV",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct weft_selective_config),
            .check = weft_selective_check,
        },
    .trims = true,
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
    .tx_flight = tx_flight,
};

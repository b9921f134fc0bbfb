/* SPDX-License-Identifier: MIT */
#include "nic/repeat.h"

static uint64_t *
acked_bits(struct weft_repeat_tx *s)
{
    return (uint64_t *)(void *)(s + 1);
}

static uint64_t *
queued_bits(struct weft_repeat_tx *s)
{
    return acked_bits(s) + (s->mask + 1U) / 64U;
}

static uint64_t *
lost_bits(struct weft_repeat_tx *s)
{
    return queued_bits(s) + (s->mask + 1U) / 64U;
}

size_t
weft_repeat_tx_size(const void *config)
{
    const struct weft_selective_config *c = config;
    return sizeof(struct weft_repeat_tx) + 3 * weft_selective_window_size(c);
}

int
weft_repeat_tx_init(void *tx, const void *config, const struct weft_transport_site *site)
{
    const struct weft_selective_config *c = config;
    struct weft_repeat_tx *s = tx;
    memset(s, 0, sizeof(*s));
    if (weft_selective_check(c) || weft_selective_window_check(c) || c->window > UINT16_MAX + 1 ||
        weft_sender_init(&s->base, c->outstanding, c->window, c->rto, site->first_psn))
    {
        return WEFT_ERANGE;
    }
    s->mask = (uint32_t)c->window - 1U;
    weft_bitmap_init(acked_bits(s), (uint32_t)c->window);
    weft_bitmap_init(queued_bits(s), (uint32_t)c->window);
    weft_bitmap_init(lost_bits(s), (uint32_t)c->window);
    return 0;
}

/* Takes @p count packets from @p psn on out of those to be sent again. */
static void
unqueue(struct weft_repeat_tx *s, uint32_t psn, uint32_t count)
{
    if (s->base.queued > 0)
    {
        s->base.queued -= weft_bitmap_count(queued_bits(s), s->mask, psn, count);
        weft_bitmap_clear(queued_bits(s), s->mask, psn, count);
        s->base.resend = s->base.queued > 0;
    }
}

void
weft_repeat_tell_nothing(struct weft_repeat_tx *s)
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
tell(struct weft_repeat_tx *s, uint32_t psn)
{
    weft_bitmap_set(lost_bits(s), s->mask, psn);
    s->told = s->told == s->telling ? psn : s->told;
    s->telling = weft_psn_add(psn, 1);
}

bool
weft_repeat_tx_next_lost(void *tx, uint32_t *psn)
{
    struct weft_repeat_tx *s = tx;
    if (s->told == s->telling)
    {
        return false;
    }
    *psn = weft_psn_add(s->told, weft_bitmap_next(lost_bits(s), s->mask, s->told));
    weft_bitmap_clear(lost_bits(s), s->mask, *psn, 1);
    s->told = weft_psn_add(*psn, 1);
    return true;
}

bool
weft_repeat_in_flight(const struct weft_repeat_tx *s, uint32_t psn)
{
    const uint64_t *acked = (const uint64_t *)(const void *)(s + 1);
    const uint64_t *queued = acked + (s->mask + 1U) / 64U;
    return weft_sender_is_outstanding(&s->base, psn) &&
           weft_bitmap_run(acked, s->mask, psn, 1) == 0 &&
           weft_bitmap_run(queued, s->mask, psn, 1) == 0;
}

void
weft_repeat_queue(struct weft_repeat_tx *s, uint32_t psn)
{
    if (weft_repeat_in_flight(s, psn))
    {
        weft_bitmap_set(queued_bits(s), s->mask, psn);
        s->first = s->base.queued == 0 || weft_psn_before(psn, s->first) ? psn : s->first;
        s->base.queued++;
        s->base.resend = true;
        tell(s, psn);
    }
}

static void
acknowledge_one(struct weft_repeat_tx *s, uint32_t psn)
{
    if (weft_sender_is_outstanding(&s->base, psn))
    {
        s->base.sacked += weft_bitmap_set(acked_bits(s), s->mask, psn);
        unqueue(s, psn, 1);
    }
}

/* Everything before epsn has arrived, and perhaps what follows it. Returns what that adds to una.
 */
static uint32_t
acknowledge_all(struct weft_repeat_tx *s, uint32_t epsn, int64_t now)
{
    const uint32_t una = s->base.una;
    const uint32_t outstanding = weft_sender_outstanding(&s->base);
    uint32_t acked = (epsn - una) & WEFT_PSN_MASK;
    acked = acked <= outstanding ? acked : 0;
    unqueue(s, una, acked);
    if (s->base.sacked > 0)
    {
        s->base.sacked -= weft_bitmap_count(acked_bits(s), s->mask, una, acked);
        weft_bitmap_clear(acked_bits(s), s->mask, una, acked);
        const uint32_t run = weft_bitmap_advance(acked_bits(s), s->mask, weft_psn_add(una, acked));
        s->base.sacked -= run;
        acked += run;
    }
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
acknowledge_named(struct weft_repeat_tx *s, const struct weft_packet *ack)
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
take_nack(struct weft_repeat_tx *s, const struct weft_packet *nack)
{
    s->base.counters.nacks++;
    weft_repeat_queue(s, weft_repeat_asked(nack));
}

uint32_t
weft_repeat_tx_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    struct weft_repeat_tx *s = tx;
    weft_repeat_tell_nothing(s);
    if (reply->kind == WEFT_ACK)
    {
        acknowledge_named(s, reply);
    }
    const uint32_t acked = acknowledge_all(s, reply->psn, now);
    if (reply->kind == WEFT_NACK)
    {
        take_nack(s, reply);
    }
    return acked;
}

int
weft_repeat_tx_next(void *tx, int64_t now, uint32_t *psn)
{
    struct weft_repeat_tx *s = tx;
    if (s->base.queued > 0)
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

void
weft_repeat_tx_timeout(void *tx, int64_t now)
{
    struct weft_repeat_tx *s = tx;
    if (weft_sender_timeout(&s->base, now))
    {
        weft_repeat_tell_nothing(s);
        for (uint32_t psn = s->base.una; weft_psn_before(psn, s->overdue);
             psn = weft_psn_add(psn, 1))
        {
            weft_repeat_queue(s, psn);
        }
        s->overdue = s->base.end;
    }
}

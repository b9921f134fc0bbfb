/* SPDX-License-Identifier: MIT */
#include "nic/selective.h"

#define LEAST_WINDOW 64 /* packets: a word of a bitmap */

const char *
weft_selective_check(const void *config)
{
    const struct weft_selective_config *c = config;
    if (!weft_bitmap_valid(c->window))
    {
        return "window must be a power of two, such as 16384";
    }
    if (c->outstanding > c->window)
    {
        return "outstanding exceeds window: the receiver would drop what lies beyond it; expected "
               "outstanding to be at most window";
    }
    return NULL;
}

/* A window that is larger than all packets together never ends. */
void
weft_selective_narrow(void *config, uint64_t packets)
{
    struct weft_selective_config *c = config;
    int64_t window = LEAST_WINDOW;
    while (window < c->window && (uint64_t)window <= packets)
    {
        window *= 2;
    }
    c->window = window < c->window ? window : c->window;
    c->outstanding = c->outstanding < c->window ? c->outstanding : c->window;
}

int
weft_selective_window_check(const struct weft_selective_config *c)
{
    const bool sound = weft_bitmap_valid(c->window) && c->window <= WEFT_SENDER_LIMIT;
    return sound ? 0 : WEFT_ERANGE;
}

size_t
weft_selective_window_size(const struct weft_selective_config *c)
{
    return weft_selective_window_check(c) ? 0 : weft_bitmap_size((uint32_t)c->window);
}

size_t
weft_selective_rx_size(const void *config)
{
    return sizeof(struct weft_selective_rx) +
           weft_selective_window_size((const struct weft_selective_config *)config);
}

int
weft_selective_rx_init(void *rx, const void *config, const struct weft_transport_site *site)
{
    const struct weft_selective_config *c = config;
    struct weft_selective_rx *r = rx;
    if (weft_selective_window_check(c))
    {
        return WEFT_ERANGE;
    }
    r->epsn = site->first_psn & WEFT_PSN_MASK;
    r->mask = (uint32_t)c->window - 1U;
    r->ahead = 0;
    r->nacked = false;
    weft_bitmap_init(weft_selective_bits(r), (uint32_t)c->window);
    return 0;
}

uint64_t
weft_selective_bitmap(const void *rx, uint32_t place)
{
    const struct weft_selective_rx *r = rx;
    const uint64_t *bits = (const uint64_t *)(const void *)(r + 1);
    uint64_t bitmap = 0;
    for (uint32_t i = 0; i < WEFT_ACK_BITMAP; i++)
    {
        const uint32_t psn = (place - 1 - i) & WEFT_PSN_MASK;
        if (!weft_psn_before(r->epsn, psn))
        {
            break; /* the ePSN itself tells of what lies before it */
        }
        const uint32_t n = psn & r->mask;
        bitmap |= (bits[n / 64U] >> n % 64U & 1U) << i;
    }
    return bitmap;
}

size_t
weft_selective_tx_size(const void *config)
{
    (void)config;
    return sizeof(struct weft_selective_tx);
}

int
weft_selective_tx_init(void *tx, const void *config, const struct weft_transport_site *site)
{
    const struct weft_selective_config *c = config;
    struct weft_selective_tx *t = tx;
    t->one = false;
    t->rewind.next = site->first_psn & WEFT_PSN_MASK;
    return weft_sender_init(&t->rewind.base, c->outstanding, c->window, c->rto, site->first_psn);
}

bool
weft_selective_tx_ready(const void *tx)
{
    const struct weft_selective_tx *t = tx;
    return t->rewind.base.resend || weft_rewind_tx_ready(tx);
}

int
weft_selective_tx_next(void *tx, int64_t now, uint32_t *psn)
{
    struct weft_selective_tx *t = tx;
    struct weft_sender *s = &t->rewind.base;
    if (!s->resend)
    {
        return weft_rewind_tx_next(tx, now, psn);
    }
    s->resend = false;
    s->counters.resent++;
    *psn = s->una;
    return WEFT_TX_RETX;
}

/* The oldest packet is lost: it is to be sent again, unless the sender has gone back to it anyway.
 */
static void
repeat_oldest(struct weft_rewind_tx *t)
{
    if (t->next != t->base.una && !t->base.resend)
    {
        t->base.lost = true;
        t->base.resend = true;
    }
}

uint32_t
weft_selective_tx_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    struct weft_selective_tx *t = tx;
    struct weft_sender *s = &t->rewind.base;
    const uint32_t acked = weft_rewind_ack(&t->rewind, reply->psn, now);
    if (acked > 0)
    {
        s->resend = false; /* what was to be sent again has arrived */
    }
    if (reply->kind == WEFT_NACK)
    {
        s->counters.nacks++;
        s->lost = false;
        if (reply->psn == s->una && s->una != s->end)
        {
            repeat_oldest(&t->rewind);
        }
    }
    return acked;
}

void
weft_selective_tx_timeout(void *tx, int64_t now)
{
    struct weft_selective_tx *t = tx;
    struct weft_sender *s = &t->rewind.base;
    if (!weft_sender_timeout(s, now))
    {
        return;
    }
    s->lost = false;
    repeat_oldest(&t->rewind);
    if (!t->one)
    {
        s->resend = false;
        t->rewind.next = s->una;
    }
}

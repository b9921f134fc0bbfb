/* SPDX-License-Identifier: MIT */
#include "nic/selective.h"

#define LEAST_WINDOW 64 /* packets: a word of a bitmap */

const struct weft_param weft_selective_params[WEFT_SELECTIVE_NPARAMS] = {
    {"window", WEFT_COUNT, WEFT_SELECTIVE_P(window), "16384", "64", "4194304", NULL,
     "Packets that the receiver's bitmap covers; a power of two.", "(ours)"},
    {"outstanding", WEFT_COUNT, WEFT_SELECTIVE_P(outstanding), "16384", "1", "4194304", NULL,
     "Packets that may be in flight: sent, and not known to have arrived; at most the window.",
     "(ours)"},
    {"rto", WEFT_TIME, WEFT_SELECTIVE_P(rto), "1ms", "1ns", "inf", NULL,
     "Time without progress after which the oldest packet is sent again; no back-off.", "(ours)"},
};

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
    return sizeof(struct weft_sender);
}

int
weft_selective_tx_init(void *tx, const void *config, const struct weft_transport_site *site)
{
    const struct weft_selective_config *c = config;
    return weft_sender_init((struct weft_sender *)tx, c->outstanding, c->window, c->rto,
                            site->first_psn);
}

bool
weft_selective_tx_ready(const void *tx)
{
    const struct weft_sender *s = tx;
    return s->resend || weft_sender_may_send_new(s);
}

int
weft_selective_tx_next(void *tx, int64_t now, uint32_t *psn)
{
    struct weft_sender *s = tx;
    if (s->resend)
    {
        s->resend = false;
        s->counters.resent++;
        *psn = s->una;
        return WEFT_TX_RETX;
    }
    if (!weft_sender_may_send_new(s))
    {
        return WEFT_TX_NONE;
    }
    *psn = weft_sender_send_new(s, now);
    return WEFT_TX_NEW;
}

uint32_t
weft_selective_tx_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    struct weft_sender *s = tx;
    const uint32_t acked = weft_sender_ack(s, reply->psn, now);
    if (acked > 0)
    {
        s->resend = false; /* what was to be sent again has arrived */
    }
    if (reply->kind == WEFT_NACK)
    {
        const bool asked = reply->psn == s->una && s->una != s->end;
        s->counters.nacks++;
        s->lost = asked && !s->resend;
        s->resend |= asked;
    }
    return acked;
}

void
weft_selective_tx_timeout(void *tx, int64_t now)
{
    struct weft_sender *s = tx;
    if (weft_sender_timeout(s, now))
    {
        s->lost = !s->resend;
        s->resend = true;
    }
}

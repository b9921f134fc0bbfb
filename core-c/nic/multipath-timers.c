/* SPDX-License-Identifier: MIT */
/*
 * For packets on many paths (ethereal §4.1): the receiver keeps what comes before its turn and
 * answers each packet by an ACK that names it; the sender has a timer for each packet, and sends a
 * packet again when its own has run out. Nothing else makes it send one again: packets overtake
 * each other, and there are no NACKs.
 *
 * The state keeps when each packet was last sent. What is known of the next deadline is a bound: it
 * may be that of a packet that has been acknowledged since. Then the host's timer does nothing but
 * look for the next one.
 *
 * A timeout, for the congestion control, the balancer and the host's limit of retries, is that of
 * the oldest packet; the others that were lost with it do not count again.
 */
#include "nic/repeat.h"
#include "roster/tables.h"

static const struct weft_param params[] = {
    {"window", WEFT_COUNT, WEFT_SELECTIVE_P(window), "1024", "64", "65536", NULL,
     "Packets that the reorder buffer covers; a power of two. The sender takes 8 bytes for each.",
     "(ours)"},
    WEFT_OUTSTANDING_PARAM("1024", "1"),
    {"rto", WEFT_TIME, WEFT_SELECTIVE_P(rto), "1ms", "1ns", "inf", NULL,
     "Time after which a packet that is not acknowledged is sent again; no back-off.",
     "ethereal §4.1; 1 ms (ours)"},
};

static void
rx_data(void *rx, const struct weft_packet *data, int64_t now, struct weft_rx_verdict *verdict)
{
    (void)now;
    weft_selective_receive_each((struct weft_selective_rx *)rx, data->psn, verdict);
}

static size_t
tx_size(const void *config)
{
    const struct weft_selective_config *c = config;
    return weft_repeat_tx_size(config) + 64 * weft_selective_window_size(c);
}

/* When the timer of a packet in flight runs out. Three bitmaps lie before these times. */
static int64_t *
due_of(struct weft_repeat_tx *s, uint32_t psn)
{
    const size_t bitmaps = 3 * (size_t)(s->mask + 1U) / 64U;
    return (int64_t *)(void *)(s + 1) + bitmaps + (psn & s->mask);
}

/* Takes a reply; in a NACK only the ePSN counts. */
static uint32_t
tx_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    struct weft_repeat_tx *s = tx;
    const int64_t deadline = s->base.deadline;
    const bool nack = reply->kind == WEFT_NACK;
    const struct weft_packet epsn = {.kind = WEFT_ACK, .psn = reply->psn};
    const uint32_t acked = weft_repeat_tx_reply(tx, nack ? &epsn : reply, now);
    s->base.counters.nacks += nack;
    s->base.deadline = s->base.una == s->base.end ? WEFT_NEVER : deadline;
    return acked;
}

static int
tx_next(void *tx, int64_t now, uint32_t *psn)
{
    struct weft_repeat_tx *s = tx;
    const int what = weft_repeat_tx_next(tx, now, psn);
    if (what != WEFT_TX_NONE)
    {
        const int64_t due = weft_sender_due(&s->base, now);
        *due_of(s, *psn) = due;
        s->base.deadline = due < s->base.deadline ? due : s->base.deadline;
    }
    return what;
}

static void
tx_timeout(void *tx, int64_t now)
{
    struct weft_repeat_tx *s = tx;
    if (now < s->base.deadline)
    {
        return;
    }
    weft_repeat_tell_nothing(s);
    s->base.deadline = WEFT_NEVER;
    for (uint32_t psn = s->base.una; psn != s->base.end; psn = weft_psn_add(psn, 1))
    {
        if (!weft_repeat_in_flight(s, psn))
        {
            continue;
        }
        const int64_t due = *due_of(s, psn);
        if (due <= now)
        {
            s->base.counters.timeouts += psn == s->base.una;
            weft_repeat_queue(s, psn);
        }
        else if (due < s->base.deadline)
        {
            s->base.deadline = due;
        }
    }
}

const struct weft_transport_ops weft_transport_multipath_timers = {
    .algo =
        {
            .name = "multipath-timers",
            .doc = "Takes packets in any order and has a timer for each: no NACK, no gap counts.",
            .source = "ethereal §4.1",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct weft_selective_config),
            .check = weft_selective_check,
        },
    .narrow = weft_selective_narrow,
    .rx_size = weft_selective_rx_size,
    .rx_init = weft_selective_rx_init,
    .rx_data = rx_data,
    .rx_bitmap = weft_selective_bitmap,
    .tx_size = tx_size,
    .tx_init = weft_repeat_tx_init,
    .tx_post = weft_sender_post,
    .tx_ready = weft_sender_ready,
    .tx_next = tx_next,
    .tx_reply = tx_reply,
    .tx_deadline = weft_sender_deadline,
    .tx_timeout = tx_timeout,
    .tx_next_lost = weft_repeat_tx_next_lost,
    .tx_una = weft_sender_una,
    .tx_counters = weft_sender_counters,
    .tx_flight = weft_sender_flight,
    .tx_sacked = weft_sender_sacked,
    .fields = {.reads = WEFT_FIELD_KIND | WEFT_FIELD_PSN | WEFT_FIELD_FLAGS | WEFT_FIELD_AHEAD},
};

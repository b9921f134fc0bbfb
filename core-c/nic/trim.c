/* SPDX-License-Identifier: MIT */
/*
 * For fabrics whose switches trim packets (prime §IV; UEC's simulator). A header without its
 * payload is answered at once by a NACK that asks for that packet, unless the packet has come
 * meanwhile; it counts as nothing received. A whole packet is answered by an ACK that names it, as
 * under sack, or by one that answers several.
 *
 * The sender is that of repeat.h: every NACK stands for a transmission that came to nothing, so a
 * packet may be sent again many times. Only headers and replies are lost in silence, and the timer
 * is for these. A NACK of the oldest packet starts it anew, like an ACK that makes progress.
 */
#include "nic/repeat.h"
#include "roster/tables.h"

static const struct weft_param params[] = {
    WEFT_WINDOW_PARAMS("1"),
    {"rto", WEFT_TIME, WEFT_SELECTIVE_P(rto), "1ms", "1ns", "inf", NULL,
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
        weft_selective_receive_each(r, data->psn, verdict);
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

static uint32_t
tx_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    struct weft_repeat_tx *s = tx;
    const uint32_t acked = weft_repeat_tx_reply(tx, reply, now);
    if (reply->kind == WEFT_NACK && weft_repeat_asked(reply) == s->base.una &&
        s->base.una != s->base.end)
    {
        s->base.deadline = weft_sender_due(&s->base, now); /* what it watches has been heard of */
        s->overdue = s->base.end;
    }
    return acked;
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
    .narrow = weft_selective_narrow,
    .rx_size = weft_selective_rx_size,
    .rx_init = weft_selective_rx_init,
    .rx_data = rx_data,
    .rx_bitmap = weft_selective_bitmap,
    .tx_size = weft_repeat_tx_size,
    .tx_init = weft_repeat_tx_init,
    .tx_post = weft_sender_post,
    .tx_ready = weft_sender_ready,
    .tx_next = weft_repeat_tx_next,
    .tx_reply = tx_reply,
    .tx_deadline = weft_sender_deadline,
    .tx_timeout = weft_repeat_tx_timeout,
    .tx_next_lost = weft_repeat_tx_next_lost,
    .tx_una = weft_sender_una,
    .tx_counters = weft_sender_counters,
    .tx_flight = weft_sender_flight,
    .tx_sacked = weft_sender_sacked,
    .fields = {.reads = WEFT_FIELD_KIND | WEFT_FIELD_PSN | WEFT_FIELD_FLAGS | WEFT_FIELD_AHEAD |
                        WEFT_FIELD_META},
};

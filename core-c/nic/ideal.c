/* SPDX-License-Identifier: MIT */
/* A receiver that takes any order for granted: the bound that packet spraying is compared with. */
#include "nic/repeat.h"
#include "roster/tables.h"

static void
rx_data(void *rx, const struct weft_packet *data, int64_t now, struct weft_rx_verdict *verdict)
{
    (void)now;
    weft_selective_receive((struct weft_selective_rx *)rx, data->psn, false, verdict);
    if (verdict->fresh)
    {
        /* Each packet has a reply in any order, so that replies load the fabric as in-order ones
         * do. */
        verdict->reply = WEFT_REPLY_ACK;
    }
}

static const struct weft_param params[] = {
    WEFT_WINDOW_PARAMS("1"),
    {"rto", WEFT_TIME, WEFT_SELECTIVE_P(rto), "1ms", "1ns", "inf", NULL,
     "Time without progress after which what was sent before it is sent again; no back-off.",
     "(ours)"},
};

const struct weft_transport_ops weft_transport_ideal = {
    .algo =
        {
            .name = "ideal",
            .doc = "Receives out of order and never sends a NACK; only the timer repeats lost "
                   "packets.",
            .source = "themis §2.2 (its ideal case)",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct weft_selective_config),
            .check = weft_selective_check,
        },
    .narrow = weft_selective_narrow,
    .rx_size = weft_selective_rx_size,
    .rx_init = weft_selective_rx_init,
    .rx_data = rx_data,
    .tx_size = weft_repeat_tx_size,
    .tx_init = weft_repeat_tx_init,
    .tx_post = weft_sender_post,
    .tx_ready = weft_sender_ready,
    .tx_next = weft_repeat_tx_next,
    .tx_reply = weft_repeat_tx_reply,
    .tx_deadline = weft_sender_deadline,
    .tx_timeout = weft_repeat_tx_timeout,
    .tx_next_lost = weft_repeat_tx_next_lost,
    .tx_una = weft_sender_una,
    .tx_counters = weft_sender_counters,
    .tx_flight = weft_sender_flight,
    .tx_sacked = weft_sender_sacked,
    .fields = {.reads = WEFT_FIELD_KIND | WEFT_FIELD_PSN},
};

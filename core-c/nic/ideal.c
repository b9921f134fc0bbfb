/* SPDX-License-Identifier: MIT */
/* A receiver that takes any order for granted: the bound that packet spraying is compared with. */
#include "base/tables.h"
#include "nic/selective.h"

static void
rx_data(void *rx, const struct weft_packet *data, struct weft_rx_verdict *verdict)
{
    weft_selective_receive((struct weft_selective_rx *)rx, data->psn, false, verdict);
    if (verdict->fresh)
    {
        /* One reply per packet in any order, so that replies load the fabric as in-order ones do.
         */
        verdict->reply = WEFT_REPLY_ACK;
    }
}

const struct weft_transport_ops weft_transport_ideal = {
    {
        "ideal", /* name */
        "Receives out of order and never sends a NACK; only the timer repeats a lost packet.",
        "themis §2.2 (its ideal case)",
        weft_selective_params,
        WEFT_SELECTIVE_NPARAMS,
        NULL, /* presets */
        0,
        sizeof(struct weft_selective_config),
        weft_selective_check,
    },
    weft_selective_rx_size,
    weft_selective_rx_init,
    rx_data,
    weft_selective_tx_size,
    weft_selective_tx_init,
    weft_sender_post,
    weft_selective_tx_ready,
    weft_selective_tx_next,
    weft_selective_tx_reply,
    weft_sender_deadline,
    weft_selective_tx_timeout,
    weft_sender_una,
    weft_sender_counters,
    weft_sender_flight,
    NULL, /* tx_stamp */
    NULL, /* tx_lost */
};

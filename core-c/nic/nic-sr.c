/* SPDX-License-Identifier: MIT */
/* NIC-SR: the selective repeat of commodity RDMA NICs (themis §2.2). */
#include "base/tables.h"
#include "nic/selective.h"

static void
rx_data(void *rx, const struct weft_packet *data, struct weft_rx_verdict *verdict)
{
    weft_selective_receive((struct weft_selective_rx *)rx, data->psn, true, verdict);
}

const struct weft_transport_ops weft_transport_nic_sr = {
    {
        "nic-sr", /* name */
        "Selective repeat of RDMA NICs: one NACK per ePSN, the sender repeats that packet.",
        "themis §2.2",
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

/* SPDX-License-Identifier: MIT */
/* NIC-SR: the selective repeat of commodity RDMA NICs (themis §2.2). */
#include "nic/selective.h"
#include "roster/tables.h"

static void
rx_data(void *rx, const struct weft_packet *data, int64_t now, struct weft_rx_verdict *verdict)
{
    (void)now;
    weft_selective_receive((struct weft_selective_rx *)rx, data->psn, true, verdict);
}

const struct weft_transport_ops weft_transport_nic_sr = {
    .algo =
        {
            .name = "nic-sr",
            .doc =
                "Selective repeat of RDMA NICs: one NACK per ePSN, the sender repeats that packet.",
            .source = "themis §2.2",
            .params = weft_selective_params,
            .nparams = WEFT_SELECTIVE_NPARAMS,
            .config_size = sizeof(struct weft_selective_config),
            .check = weft_selective_check,
        },
    .nacks = WEFT_NACKS_ORDER,
    .narrow = weft_selective_narrow,
    .rx_size = weft_selective_rx_size,
    .rx_init = weft_selective_rx_init,
    .rx_data = rx_data,
    .tx_size = weft_selective_tx_size,
    .tx_init = weft_selective_tx_init,
    .tx_post = weft_sender_post,
    .tx_ready = weft_selective_tx_ready,
    .tx_next = weft_selective_tx_next,
    .tx_reply = weft_selective_tx_reply,
    .tx_deadline = weft_sender_deadline,
    .tx_timeout = weft_selective_tx_timeout,
    .tx_next_lost = weft_sender_next_lost,
    .tx_una = weft_sender_una,
    .tx_counters = weft_sender_counters,
    .tx_flight = weft_sender_flight,
    .fields = {.reads = WEFT_FIELD_KIND | WEFT_FIELD_PSN},
};

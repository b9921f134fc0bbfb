/* SPDX-License-Identifier: MIT */
/* NIC-SR: the selective repeat of commodity RDMA NICs (themis §2.2). */
#include "nic/selective.h"
#include "roster/tables.h"

enum
{
    REWIND,
    ONE,
};

struct nic_sr_config
{
    struct weft_selective_config selective;
    int64_t on_timeout;
};

static const char *
check(const void *config)
{
    return weft_selective_check(&((const struct nic_sr_config *)config)->selective);
}

static void
rx_data(void *rx, const struct weft_packet *data, int64_t now, struct weft_rx_verdict *verdict)
{
    (void)now;
    weft_selective_receive((struct weft_selective_rx *)rx, data->psn, true, verdict);
}

static int
tx_init(void *tx, const void *config, const struct weft_transport_site *site)
{
    const int code = weft_selective_tx_init(tx, config, site);
    ((struct weft_selective_tx *)tx)->one =
        ((const struct nic_sr_config *)config)->on_timeout == ONE;
    return code;
}

#define P(member) WEFT_P(struct nic_sr_config, member)

static const struct weft_param params[] = {
    {"window", WEFT_COUNT, P(selective.window), "16384", "64", "4194304", NULL,
     "Packets that the receiver's bitmap covers; a power of two.", "(ours)"},
    {"outstanding", WEFT_COUNT, P(selective.outstanding), "16384", "1", "4194304", NULL,
     "Packets that may be in flight: sent, and not known to have arrived; at most the window.",
     "(ours)"},
    {"rto", WEFT_TIME, P(selective.rto), "1ms", "1ns", "inf", NULL,
     "Time without progress after which packets are sent again; no back-off.", "(ours)"},
    {"on-timeout", WEFT_CHOICE, P(on_timeout), "rewind", NULL, NULL, "rewind one",
     "Packets that are then sent again: all from the oldest one on, or that one alone.", "(ours)"},
};

const struct weft_transport_ops weft_transport_nic_sr = {
    .algo =
        {
            .name = "nic-sr",
            .doc =
                "Selective repeat of RDMA NICs: one NACK per ePSN, the sender repeats that packet.",
            .source = "themis §2.2",
            .params = params,
            .nparams = sizeof(params) / sizeof(params[0]),
            .config_size = sizeof(struct nic_sr_config),
            .check = check,
        },
    .nacks = WEFT_NACKS_ORDER,
    .narrow = weft_selective_narrow,
    .rx_size = weft_selective_rx_size,
    .rx_init = weft_selective_rx_init,
    .rx_data = rx_data,
    .tx_size = weft_selective_tx_size,
    .tx_init = tx_init,
    .tx_post = weft_sender_post,
    .tx_ready = weft_selective_tx_ready,
    .tx_next = weft_selective_tx_next,
    .tx_reply = weft_selective_tx_reply,
    .tx_deadline = weft_sender_deadline,
    .tx_timeout = weft_selective_tx_timeout,
    .tx_next_lost = weft_sender_next_lost,
    .tx_una = weft_sender_una,
    .tx_counters = weft_sender_counters,
    .tx_flight = weft_rewind_tx_flight,
    .fields = {.reads = WEFT_FIELD_KIND | WEFT_FIELD_PSN},
};

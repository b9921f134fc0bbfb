/* SPDX-License-Identifier: MIT */
/* Selective repeat whose receiver sends a NACK only once so many packets lie beyond the ePSN. */
#include "nic/selective.h"
#include "roster/tables.h"

struct late_nack_config
{
    struct weft_selective_config selective;
    int64_t tolerance;
};

/* The receiver of selective.h follows it in memory. */
struct late_nack
{
    uint64_t tolerance;
};

#define P(member) WEFT_P(struct late_nack_config, member)

static const struct weft_param params[] = {
    {"window", WEFT_COUNT, P(selective.window), "16384", "64", "4194304", NULL,
     "Packets that the receiver's bitmap covers; a power of two.", "(ours)"},
    {"outstanding", WEFT_COUNT, P(selective.outstanding), "16384", "1", "4194304", NULL,
     "Packets that may be sent and not yet acknowledged; at most the window.", "(ours)"},
    {"rto", WEFT_TIME, P(selective.rto), "1ms", "1ns", "inf", NULL,
     "Time without progress after which packets are sent again; no back-off.", "(ours)"},
    {"tolerance", WEFT_COUNT, P(tolerance), "16", "1", "65536", NULL,
     "Packets beyond the ePSN from which on the receiver asks for that of the ePSN.", "(ours)"},
};

static size_t
rx_size(const void *config)
{
    return sizeof(struct late_nack) + weft_selective_rx_size(config);
}

static int
rx_init(void *rx, const void *config, const struct weft_transport_site *site)
{
    struct late_nack *r = rx;
    const int64_t tolerance = ((const struct late_nack_config *)config)->tolerance;
    r->tolerance = (uint64_t)tolerance;
    return tolerance < 1 ? (int)WEFT_ERANGE : weft_selective_rx_init(r + 1, config, site);
}

static void
rx_data(void *rx, const struct weft_packet *data, int64_t now, struct weft_rx_verdict *verdict)
{
    struct late_nack *r = rx;
    struct weft_selective_rx *s = (struct weft_selective_rx *)(void *)(r + 1);
    (void)now;
    weft_selective_receive(s, data->psn, false, verdict);
    if (verdict->reply == WEFT_REPLY_NONE && s->ahead >= r->tolerance && !s->nacked)
    {
        s->nacked = true;
        verdict->reply = WEFT_REPLY_NACK;
    }
}

const struct weft_transport_ops weft_transport_late_nack = {
    .algo =
        {
            .name = "late-nack",
            .doc = "Selective repeat with a NACK once so many packets have overtaken the ePSN.",
            .source = "(ours)",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct late_nack_config),
            .check = weft_selective_check,
        },
    .rx_size = rx_size,
    .rx_init = rx_init,
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
    .tx_flight = weft_rewind_tx_flight,
    .fields = {.reads = WEFT_FIELD_KIND | WEFT_FIELD_PSN},
};

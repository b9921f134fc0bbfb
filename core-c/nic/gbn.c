/* SPDX-License-Identifier: MIT */
/* Go-back-N: the receiver takes packets in order only, the sender rewinds to what is asked for. */
#include "nic/rewind.h"
#include "roster/tables.h"

struct gbn_config
{
    int64_t outstanding;
    int64_t rto;
};

struct gbn_rx
{
    uint32_t epsn;
    bool nacked; /* this ePSN has had its NACK */
};

static size_t
rx_size(const void *config)
{
    (void)config;
    return sizeof(struct gbn_rx);
}

static int
rx_init(void *rx, const void *config, const struct weft_transport_site *site)
{
    struct gbn_rx *r = rx;
    (void)config;
    r->epsn = site->first_psn & WEFT_PSN_MASK;
    r->nacked = false;
    return 0;
}

static void
rx_data(void *rx, const struct weft_packet *data, int64_t now, struct weft_rx_verdict *verdict)
{
    (void)now;
    struct gbn_rx *r = rx;
    const int32_t distance = weft_psn_diff(data->psn, r->epsn);
    verdict->fresh = distance == 0;
    verdict->duplicate = distance < 0;
    verdict->reply = WEFT_REPLY_ACK;
    if (distance == 0)
    {
        r->epsn = weft_psn_add(r->epsn, 1);
        r->nacked = false;
    }
    else if (distance > 0)
    {
        verdict->reply = r->nacked ? WEFT_REPLY_NONE : WEFT_REPLY_NACK;
        r->nacked = true;
    }
    verdict->epsn = r->epsn;
}

static size_t
tx_size(const void *config)
{
    (void)config;
    return sizeof(struct weft_rewind_tx);
}

static int
tx_init(void *tx, const void *config, const struct weft_transport_site *site)
{
    const struct gbn_config *c = config;
    return weft_rewind_init((struct weft_rewind_tx *)tx, c->outstanding, c->rto, site->first_psn);
}

static uint32_t
tx_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    struct weft_rewind_tx *t = tx;
    const uint32_t acked = weft_rewind_ack(t, reply->psn, now);
    if (reply->kind == WEFT_NACK)
    {
        t->base.counters.nacks++;
        if (reply->psn == t->base.una)
        {
            weft_rewind(t);
        }
    }
    return acked;
}

static void
tx_timeout(void *tx, int64_t now)
{
    struct weft_rewind_tx *t = tx;
    if (weft_sender_timeout(&t->base, now))
    {
        weft_rewind(t);
    }
}

#define P(member) WEFT_P(struct gbn_config, member)

static const struct weft_param params[] = {
    {"outstanding", WEFT_COUNT, P(outstanding), "16384", "1", "4194304", NULL,
     "Packets that may be sent and not yet acknowledged.", "(ours)"},
    {"rto", WEFT_TIME, P(rto), "1ms", "1ns", "inf", NULL,
     "Time without progress after which the sender rewinds; no back-off.", "(ours)"},
};

const struct weft_transport_ops weft_transport_gbn = {
    .algo =
        {
            .name = "gbn",
            .doc = "Go-back-N: drops what is out of order, one NACK per ePSN, the sender rewinds.",
            .source = "themis §1; ethereal §3.3",
            .params = params,
            .nparams = sizeof(params) / sizeof(params[0]),
            .config_size = sizeof(struct gbn_config),
        },
    .nacks = WEFT_NACKS_ORDER,
    .in_order = true,
    .rx_size = rx_size,
    .rx_init = rx_init,
    .rx_data = rx_data,
    .tx_size = tx_size,
    .tx_init = tx_init,
    .tx_post = weft_sender_post,
    .tx_ready = weft_rewind_tx_ready,
    .tx_next = weft_rewind_tx_next,
    .tx_reply = tx_reply,
    .tx_deadline = weft_sender_deadline,
    .tx_timeout = tx_timeout,
    .tx_next_lost = weft_sender_next_lost,
    .tx_una = weft_sender_una,
    .tx_counters = weft_sender_counters,
    .tx_flight = weft_rewind_tx_flight,
    .fields = {.reads = WEFT_FIELD_KIND | WEFT_FIELD_PSN},
};

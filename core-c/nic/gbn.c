/* SPDX-License-Identifier: MIT */
/* Go-back-N: the receiver takes packets in order only, the sender rewinds to what is asked for. */
#include "base/tables.h"
#include "nic/sender.h"

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

struct gbn_tx
{
    struct weft_sender sender;
    uint32_t next; /* PSN to send next; before sender.end: a retransmission */
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
    return sizeof(struct gbn_tx);
}

static int
tx_init(void *tx, const void *config, const struct weft_transport_site *site)
{
    const struct gbn_config *c = config;
    struct gbn_tx *t = tx;
    const int error = weft_sender_init(&t->sender, c->outstanding, c->rto, site->first_psn);
    t->next = site->first_psn & WEFT_PSN_MASK;
    return error;
}

static bool
tx_ready(const void *tx)
{
    const struct gbn_tx *t = tx;
    return t->next != t->sender.end || weft_sender_may_send_new(&t->sender);
}

static int
tx_next(void *tx, int64_t now, uint32_t *psn)
{
    struct gbn_tx *t = tx;
    if (t->next != t->sender.end)
    {
        *psn = t->next;
        t->next = weft_psn_add(t->next, 1);
        t->sender.counters.resent++;
        return WEFT_TX_RETX;
    }
    if (!weft_sender_may_send_new(&t->sender))
    {
        return WEFT_TX_NONE;
    }
    *psn = weft_sender_send_new(&t->sender, now);
    t->next = t->sender.end;
    return WEFT_TX_NEW;
}

static uint32_t
tx_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    struct gbn_tx *t = tx;
    const uint32_t acked = weft_sender_ack(&t->sender, reply->psn, now);
    /* After a rewind, packets under way may still be acknowledged: no need to send those again. */
    if (weft_psn_before(t->next, t->sender.una))
    {
        t->next = t->sender.una;
    }
    if (reply->kind == WEFT_NACK)
    {
        t->sender.counters.nacks++;
        if (reply->psn == t->sender.una)
        {
            t->sender.lost = t->next != t->sender.una;
            t->next = t->sender.una;
        }
    }
    return acked;
}

static void
tx_timeout(void *tx, int64_t now)
{
    struct gbn_tx *t = tx;
    if (weft_sender_timeout(&t->sender, now))
    {
        t->sender.lost = t->next != t->sender.una;
        t->next = t->sender.una;
    }
}

static uint32_t
tx_flight(const void *tx)
{
    const struct gbn_tx *t = tx;
    return (t->next - t->sender.una) & WEFT_PSN_MASK; /* the rest is sent again */
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
    .rx_size = rx_size,
    .rx_init = rx_init,
    .rx_data = rx_data,
    .tx_size = tx_size,
    .tx_init = tx_init,
    .tx_post = weft_sender_post,
    .tx_ready = tx_ready,
    .tx_next = tx_next,
    .tx_reply = tx_reply,
    .tx_deadline = weft_sender_deadline,
    .tx_timeout = tx_timeout,
    .tx_next_lost = weft_sender_next_lost,
    .tx_una = weft_sender_una,
    .tx_counters = weft_sender_counters,
    .tx_flight = tx_flight,
};

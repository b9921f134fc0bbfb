/* SPDX-License-Identifier: MIT */
/*
 * NIC-SR: the selective repeat of commodity RDMA NICs (themis §2.2).
 *
 * Every reply acknowledges all before its ePSN, so a NACK can only ask for the oldest outstanding
 * packet: one pending retransmission is all there can be, and it is always una. The timer knows
 * less: like a RoCE requester the sender goes back to una and sends from there on (IB
 * spec 9.7.5.1.1), past what replies acknowledge meanwhile.
 */
#include "nic/rewind.h"
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

struct nic_sr_tx
{
    struct weft_rewind_tx rewind;
    bool one; /* the timer repeats the oldest packet alone */
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

static size_t
tx_size(const void *config)
{
    (void)config;
    return sizeof(struct nic_sr_tx);
}

static int
tx_init(void *tx, const void *config, const struct weft_transport_site *site)
{
    const struct nic_sr_config *c = config;
    struct nic_sr_tx *t = tx;
    t->one = c->on_timeout == ONE;
    t->rewind.next = site->first_psn & WEFT_PSN_MASK;
    return weft_sender_init(&t->rewind.base, c->selective.outstanding, c->selective.window,
                            c->selective.rto, site->first_psn);
}

static bool
tx_ready(const void *tx)
{
    const struct nic_sr_tx *t = tx;
    return t->rewind.base.resend || weft_rewind_tx_ready(tx);
}

static int
tx_next(void *tx, int64_t now, uint32_t *psn)
{
    struct nic_sr_tx *t = tx;
    struct weft_sender *s = &t->rewind.base;
    if (!s->resend)
    {
        return weft_rewind_tx_next(tx, now, psn);
    }
    s->resend = false;
    s->counters.resent++;
    *psn = s->una;
    return WEFT_TX_RETX;
}

/* The oldest packet is lost: it is to be sent again, unless the sender has gone back to it anyway.
 */
static void
repeat_oldest(struct weft_rewind_tx *t)
{
    if (t->next != t->base.una && !t->base.resend)
    {
        t->base.lost = true;
        t->base.resend = true;
    }
}

static uint32_t
tx_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    struct nic_sr_tx *t = tx;
    struct weft_sender *s = &t->rewind.base;
    const uint32_t acked = weft_rewind_ack(&t->rewind, reply->psn, now);
    if (acked > 0)
    {
        s->resend = false; /* what was to be sent again has arrived */
    }
    if (reply->kind == WEFT_NACK)
    {
        s->counters.nacks++;
        s->lost = false;
        if (reply->psn == s->una && s->una != s->end)
        {
            repeat_oldest(&t->rewind);
        }
    }
    return acked;
}

static void
tx_timeout(void *tx, int64_t now)
{
    struct nic_sr_tx *t = tx;
    struct weft_sender *s = &t->rewind.base;
    if (!weft_sender_timeout(s, now))
    {
        return;
    }
    s->lost = false;
    repeat_oldest(&t->rewind);
    if (!t->one)
    {
        s->resend = false;
        t->rewind.next = s->una;
    }
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
    .tx_flight = weft_rewind_tx_flight,
    .fields = {.reads = WEFT_FIELD_KIND | WEFT_FIELD_PSN},
};

/* SPDX-License-Identifier: MIT */
/*
 * MP-RDMA's loss detection, PRO's baseline (pro §VI-A; Lu et al., NSDI 2018). The receiver has a
 * bitmap of L slots and places packets in any order within it. Packets that overtake each other by
 * less are no news; a packet is taken for lost when one arrives that the bitmap cannot hold: that
 * one is dropped, and a NACK names the ePSN, once for each ePSN.
 *
 * The sender then recovers: all that was outstanding is sent again from the ePSN on, in order and
 * before new packets, but for what the ePSN passes meanwhile. Until it has passed all of that,
 * further NACKs change nothing. Losses with fewer than L packets behind them wait for the timer,
 * which starts a recovery as well.
 *
 * MP-RDMA sends by its own ACK clock and prunes paths whose packets are acknowledged more than
 * `delta` behind the highest acknowledged one. Paths are the balancer's matter here; such an ACK
 * only makes the sender's window of outstanding packets one smaller, and one as many ACKs as the
 * window has packets make it one larger again.
 */
#include "nic/bdp.h"
#include "nic/rewind.h"
#include "nic/selective.h"
#include "roster/tables.h"

enum
{
    NACKS_EACH,
    NACKS_ONCE,
};

struct mprdma_config
{
    struct weft_selective_config base;
    int64_t nacks; /* NACKS_ */
    int64_t delta; /* packets; 0: no bound */
};

/* The receiver of selective.h follows it in memory. */
struct mprdma_rx
{
    uint64_t once; /* one NACK for each ePSN */
};

struct mprdma_tx
{
    struct weft_rewind_tx base; /* its sender's limit: the window */
    uint32_t recover;           /* a recovery is under way until una is there */
    uint32_t top;               /* PSN after the highest acknowledged one */
    uint32_t delta;             /* packets; 0: no bound */
    uint32_t most;              /* limit of the window */
    uint32_t acks;              /* since it changed */
};

#define P(member) WEFT_P(struct mprdma_config, member)

static const struct weft_param params[] = {
    {"window", WEFT_COUNT, P(base.window), "64", "64", "65536", NULL,
     "L, the packets that the receiver's bitmap covers; a power of two.",
     "(ours); Lu et al., NSDI 2018"},
    {"nacks", WEFT_CHOICE, P(nacks), "each", NULL, NULL, "each once",
     "Which packets that the bitmap cannot hold are answered by a NACK: each, or the first one of "
     "each ePSN.",
     "(ours)"},
    {"delta", WEFT_COUNT, P(delta), "0", "0", "65535", NULL,
     "An ACK of a packet more than so far behind the highest acknowledged one takes a packet off "
     "the sender's window; 0: none does. MP-RDMA's is 32.",
     "(ours); Lu et al., NSDI 2018"},
    {"in-flight", WEFT_COUNT, P(base.outstanding), "0", "0", "4194304", NULL,
     "Packets from the oldest unacknowledged one on that may be sent; 0: the bandwidth-delay "
     "product and L. "
     "With at most L nothing overflows the bitmap, and no NACK is ever sent.",
     "(ours)"},
    {"rto", WEFT_TIME, P(base.rto), "1ms", "1ns", "inf", NULL,
     "Time without progress after which all outstanding packets are sent again; no back-off.",
     "(ours)"},
};

static const char *
check(const void *config)
{
    const struct mprdma_config *c = config;
    return weft_bitmap_valid(c->base.window) ? NULL : "window must be a power of two, such as 64";
}

static size_t
rx_size(const void *config)
{
    return sizeof(struct mprdma_rx) + weft_selective_rx_size(config);
}

static int
rx_init(void *rx, const void *config, const struct weft_transport_site *site)
{
    struct mprdma_rx *r = rx;
    r->once = ((const struct mprdma_config *)config)->nacks == NACKS_ONCE;
    return weft_selective_rx_init(r + 1, config, site);
}

static void
rx_data(void *rx, const struct weft_packet *data, int64_t now, struct weft_rx_verdict *verdict)
{
    const struct mprdma_rx *m = rx;
    struct weft_selective_rx *r = (struct weft_selective_rx *)(void *)((struct mprdma_rx *)rx + 1);
    (void)now;
    weft_selective_receive(r, data->psn, false, verdict);
    if (verdict->fresh || verdict->duplicate)
    {
        verdict->reply = WEFT_REPLY_ACK;
    }
    else if (!m->once || !r->nacked)
    {
        r->nacked = true;
        verdict->reply = WEFT_REPLY_NACK;
    }
}

static size_t
tx_size(const void *config)
{
    (void)config;
    return sizeof(struct mprdma_tx);
}

/* Returns how much may be under way when the news of an overflow arrives. */
static int64_t
window_of(const struct mprdma_config *c, const struct weft_transport_site *site)
{
    const int64_t window = c->base.window + weft_bdp_frames(site, WEFT_SENDER_LIMIT);
    return window < WEFT_SENDER_LIMIT ? window : WEFT_SENDER_LIMIT;
}

static int
tx_init(void *tx, const void *config, const struct weft_transport_site *site)
{
    const struct mprdma_config *c = config;
    struct mprdma_tx *s = tx;
    memset(s, 0, sizeof(*s));
    if (c->delta < 0 || c->delta > UINT16_MAX || weft_selective_window_check(&c->base))
    {
        return WEFT_ERANGE;
    }
    const int64_t most = c->base.outstanding != 0 ? c->base.outstanding : window_of(c, site);
    s->recover = site->first_psn & WEFT_PSN_MASK;
    s->top = s->recover;
    s->delta = (uint32_t)c->delta;
    s->most = (uint32_t)most;
    return weft_rewind_init(&s->base, most, c->base.rto, site->first_psn);
}

static void
begin_recovery(struct mprdma_tx *s)
{
    s->recover = s->base.base.end;
    weft_rewind(&s->base);
}

/* By how many packets the one that an ACK answers lags behind the highest acknowledged one. @p una:
 * before the ACK. One that names no packet but moves una answers that of the ePSN. */
static uint32_t
lag_of(const struct mprdma_tx *s, const struct weft_packet *ack, uint32_t una)
{
    const uint32_t place = ack->ahead > 0 ? weft_psn_add(ack->psn, ack->ahead) : una;
    const int32_t lag = weft_psn_diff(s->top, place) - 1;
    return lag > 0 ? (uint32_t)lag : 0;
}

static void
raise_top(struct mprdma_tx *s, const struct weft_packet *ack)
{
    const uint32_t place = weft_psn_add(ack->psn, ack->ahead);
    if (ack->ahead > 0 && weft_psn_before(s->top, weft_psn_add(place, 1)) &&
        weft_psn_before(place, s->base.base.end))
    {
        s->top = weft_psn_add(place, 1);
    }
    if (weft_psn_before(s->top, s->base.base.una))
    {
        s->top = s->base.base.una;
    }
}

/* Bounds how far packets overtake each other. */
static void
bound(struct mprdma_tx *s, uint32_t lag)
{
    struct weft_sender *sender = &s->base.base;
    if (lag > s->delta)
    {
        const uint32_t used = weft_sender_outstanding(sender);
        const uint32_t window = used < sender->limit ? used : sender->limit;
        sender->limit = window > 1 ? window - 1 : 1;
        s->acks = 0;
    }
    else if (sender->limit < s->most && ++s->acks >= sender->limit)
    {
        sender->limit++;
        s->acks = 0;
    }
}

static uint32_t
tx_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    struct mprdma_tx *s = tx;
    struct weft_sender *sender = &s->base.base;
    const uint32_t una = sender->una;
    const uint32_t acked = weft_rewind_ack(&s->base, reply->psn, now);
    if (weft_psn_before(s->recover, sender->una))
    {
        s->recover = sender->una;
    }
    if (reply->kind == WEFT_NACK)
    {
        sender->counters.nacks++;
        if (reply->psn == sender->una && s->recover == sender->una)
        {
            begin_recovery(s);
        }
        return acked;
    }
    if (s->delta > 0 && (acked > 0 || reply->ahead > 0))
    {
        const uint32_t lag = lag_of(s, reply, una);
        raise_top(s, reply);
        bound(s, lag);
    }
    return acked;
}

static void
tx_timeout(void *tx, int64_t now)
{
    struct mprdma_tx *s = tx;
    if (weft_sender_timeout(&s->base.base, now))
    {
        begin_recovery(s);
    }
}

const struct weft_transport_ops weft_transport_mprdma = {
    .algo =
        {
            .name = "mprdma",
            .doc = "MP-RDMA's loss detection: a NACK when the receiver's bitmap of L overflows, "
                   "then all is sent again.",
            .source = "pro §VI-A; Lu et al., NSDI 2018",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct mprdma_config),
            .check = check,
        },
    .nacks = WEFT_NACKS_LOSSES,
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
    .fields = {.reads = WEFT_FIELD_KIND | WEFT_FIELD_PSN | WEFT_FIELD_FLAGS | WEFT_FIELD_AHEAD},
};

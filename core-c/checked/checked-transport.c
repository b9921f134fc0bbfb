/* SPDX-License-Identifier: MIT */
/* The checked build's transports. */
#include "checked/check.h"
#include "checked/checked.h"
#include "nic/sender.h"

#ifdef WEFT_CHECKED

static const struct weft_transport_ops *
ops_of(const struct weft_checked *c)
{
    return c->ops;
}

static const struct weft_checked *
sender(const void *tx, const char *call)
{
    return weft_checked_of(tx, WEFT_CHECKED_TX, call);
}

static int
init_tx(const struct weft_transport_ops *ops, void *tx, const void *config,
        const struct weft_transport_site *site)
{
    struct weft_checked *c = weft_checked_begin(tx, ops, "nic->tx_init");
    weft_checked_config(&ops->algo, config, "nic->tx_init");
    c->count = site->first_psn;
    return weft_checked_end(c, WEFT_CHECKED_TX, ops->tx_init(weft_checked_own(c), config, site));
}

static int
init_rx(const struct weft_transport_ops *ops, void *rx, const void *config,
        const struct weft_transport_site *site)
{
    struct weft_checked *c = weft_checked_begin(rx, ops, "nic->rx_init");
    weft_checked_config(&ops->algo, config, "nic->rx_init");
    c->count = site->first_psn & WEFT_PSN_MASK;
    return weft_checked_end(c, WEFT_CHECKED_RX, ops->rx_init(weft_checked_own(c), config, site));
}

static void
checked_rx_data(void *rx, const struct weft_packet *data, int64_t now,
                struct weft_rx_verdict *verdict)
{
    const char *call = "nic->rx_data";
    struct weft_checked *c = weft_checked_at(rx, WEFT_CHECKED_RX, now, call);
    WEFT_CHECK(data->kind == WEFT_DATA, call, "the packet is data");
    WEFT_CHECK(ops_of(c)->trims || !(data->flags & WEFT_F_TRIMMED), call,
               "only where the transport `trims` a packet may be trimmed");
    WEFT_CHECK(verdict->place == data->psn && !verdict->asks_place, call,
               "the caller has written the data's PSN into place, and cleared asks_place");
    WEFT_CHECK(weft_psn_diff(data->psn, c->count) < WEFT_SENDER_LIMIT, call,
               "a PSN is less than 2^22 beyond the ePSN, since no more packets are outstanding");
    ops_of(c)->rx_data(weft_checked_own(c), data, now, verdict);
    c->count = verdict->epsn;
}

static int64_t
checked_rx_deadline(const void *rx)
{
    const struct weft_checked *c = weft_checked_of(rx, WEFT_CHECKED_RX, "nic->rx_deadline");
    return ops_of(c)->rx_deadline(weft_checked_own(c));
}

static void
checked_rx_timeout(void *rx, int64_t now, struct weft_rx_verdict *verdict)
{
    const char *call = "nic->rx_timeout";
    struct weft_checked *c = weft_checked_at(rx, WEFT_CHECKED_RX, now, call);
    WEFT_CHECK(verdict->reply == WEFT_REPLY_NONE && !verdict->asks_place, call,
               "the caller has written WEFT_REPLY_NONE into reply, and cleared asks_place");
    ops_of(c)->rx_timeout(weft_checked_own(c), now, verdict);
    c->count = verdict->epsn;
}

static uint64_t
checked_rx_bitmap(const void *rx, uint32_t place)
{
    const struct weft_checked *c = weft_checked_of(rx, WEFT_CHECKED_RX, "nic->rx_bitmap");
    return ops_of(c)->rx_bitmap(weft_checked_own(c), place);
}

static void
checked_tx_post(void *tx, uint32_t npackets)
{
    const struct weft_checked *c = sender(tx, "nic->tx_post");
    ops_of(c)->tx_post(weft_checked_own(c), npackets);
}

static bool
checked_tx_ready(const void *tx)
{
    const struct weft_checked *c = sender(tx, "nic->tx_ready");
    return ops_of(c)->tx_ready(weft_checked_own(c));
}

static int
checked_tx_next(void *tx, int64_t now, uint32_t *psn)
{
    const struct weft_checked *c = weft_checked_at(tx, WEFT_CHECKED_TX, now, "nic->tx_next");
    return ops_of(c)->tx_next(weft_checked_own(c), now, psn);
}

/* A reply tells of packets that were sent: its ePSN is at most the one after the last, and the
 * packet that it answers is the last or one before. */
static void
check_sent(const struct weft_checked *c, const struct weft_packet *reply, const char *call)
{
    const uint64_t sent = ops_of(c)->tx_counters(weft_checked_own(c))->sent;
    const uint32_t end = weft_psn_add(c->count, (uint32_t)sent);
    WEFT_CHECK(weft_psn_diff(reply->psn, end) <= 0, call,
               "a reply's psn is the receiver's ePSN, at most one after the last PSN sent");
    WEFT_CHECK(reply->ahead == 0 || weft_psn_before(weft_psn_add(reply->psn, reply->ahead), end),
               call, "a reply's psn + ahead is a PSN that was sent");
}

static uint32_t
checked_tx_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    const char *call = "nic->tx_reply";
    const struct weft_checked *c = weft_checked_at(tx, WEFT_CHECKED_TX, now, call);
    WEFT_CHECK(reply->kind == WEFT_ACK || reply->kind == WEFT_NACK, call,
               "the packet is an ACK or a NACK");
    WEFT_CHECK(ops_of(c)->trims || !(reply->flags & WEFT_F_TRIMMED), call,
               "only where the transport `trims` a packet may be trimmed");
    check_sent(c, reply, call);
    return ops_of(c)->tx_reply(weft_checked_own(c), reply, now);
}

static int64_t
checked_tx_deadline(const void *tx)
{
    const struct weft_checked *c = sender(tx, "nic->tx_deadline");
    return ops_of(c)->tx_deadline(weft_checked_own(c));
}

static void
checked_tx_timeout(void *tx, int64_t now)
{
    const struct weft_checked *c = weft_checked_at(tx, WEFT_CHECKED_TX, now, "nic->tx_timeout");
    ops_of(c)->tx_timeout(weft_checked_own(c), now);
}

static bool
checked_tx_next_lost(void *tx, uint32_t *psn)
{
    const struct weft_checked *c = sender(tx, "nic->tx_next_lost");
    return ops_of(c)->tx_next_lost(weft_checked_own(c), psn);
}

static uint32_t
checked_tx_una(const void *tx)
{
    const struct weft_checked *c = sender(tx, "nic->tx_una");
    return ops_of(c)->tx_una(weft_checked_own(c));
}

static const struct weft_tx_counters *
checked_tx_counters(const void *tx)
{
    const struct weft_checked *c = sender(tx, "nic->tx_counters");
    return ops_of(c)->tx_counters(weft_checked_own(c));
}

static uint32_t
checked_tx_flight(const void *tx)
{
    const struct weft_checked *c = sender(tx, "nic->tx_flight");
    return ops_of(c)->tx_flight(weft_checked_own(c));
}

static uint32_t
checked_tx_sacked(const void *tx)
{
    const struct weft_checked *c = sender(tx, "nic->tx_sacked");
    return ops_of(c)->tx_sacked(weft_checked_own(c));
}

static void
checked_tx_stamp(const void *tx, struct weft_packet *data)
{
    const struct weft_checked *c = sender(tx, "nic->tx_stamp");
    WEFT_CHECK(data->kind == WEFT_DATA, "nic->tx_stamp", "the packet is data");
    ops_of(c)->tx_stamp(weft_checked_own(c), data);
}

static void
checked_tx_lost(void *tx, const struct weft_packet *lost, int64_t now)
{
    const struct weft_checked *c = weft_checked_at(tx, WEFT_CHECKED_TX, now, "nic->tx_lost");
    WEFT_CHECK(lost->kind == WEFT_DATA || lost->kind == WEFT_ACK, "nic->tx_lost",
               "the packet is data or an ACK");
    ops_of(c)->tx_lost(weft_checked_own(c), lost, now);
}

static void
wrap(struct weft_transport_ops *checked, const struct weft_transport_ops *ops)
{
    *checked = *ops;
    WEFT_CHECKED_HOOK(rx_data, checked_rx_data);
    WEFT_CHECKED_HOOK(rx_deadline, checked_rx_deadline);
    WEFT_CHECKED_HOOK(rx_timeout, checked_rx_timeout);
    WEFT_CHECKED_HOOK(rx_bitmap, checked_rx_bitmap);
    WEFT_CHECKED_HOOK(tx_post, checked_tx_post);
    WEFT_CHECKED_HOOK(tx_ready, checked_tx_ready);
    WEFT_CHECKED_HOOK(tx_next, checked_tx_next);
    WEFT_CHECKED_HOOK(tx_reply, checked_tx_reply);
    WEFT_CHECKED_HOOK(tx_deadline, checked_tx_deadline);
    WEFT_CHECKED_HOOK(tx_timeout, checked_tx_timeout);
    WEFT_CHECKED_HOOK(tx_next_lost, checked_tx_next_lost);
    WEFT_CHECKED_HOOK(tx_una, checked_tx_una);
    WEFT_CHECKED_HOOK(tx_counters, checked_tx_counters);
    WEFT_CHECKED_HOOK(tx_flight, checked_tx_flight);
    WEFT_CHECKED_HOOK(tx_sacked, checked_tx_sacked);
    WEFT_CHECKED_HOOK(tx_stamp, checked_tx_stamp);
    WEFT_CHECKED_HOOK(tx_lost, checked_tx_lost);
}

/* Calls that come before there is a state that knows its transport: each transport has its own. */
#define WRAPPER(table)                                                                             \
    struct weft_transport_ops weft_checked_##table;                                                \
    static size_t tx_size_##table(const void *config)                                              \
    {                                                                                              \
        weft_checked_config(&table.algo, config, "nic->tx_size");                                  \
        return weft_checked_size(table.tx_size(config));                                           \
    }                                                                                              \
    static size_t rx_size_##table(const void *config)                                              \
    {                                                                                              \
        weft_checked_config(&table.algo, config, "nic->rx_size");                                  \
        return weft_checked_size(table.rx_size(config));                                           \
    }                                                                                              \
    static int tx_init_##table(void *tx, const void *config,                                       \
                               const struct weft_transport_site *site)                             \
    {                                                                                              \
        return init_tx(&table, tx, config, site);                                                  \
    }                                                                                              \
    static int rx_init_##table(void *rx, const void *config,                                       \
                               const struct weft_transport_site *site)                             \
    {                                                                                              \
        return init_rx(&table, rx, config, site);                                                  \
    }
WEFT_TRANSPORTS(WRAPPER)

#define WRAP(table)                                                                                \
    wrap(&weft_checked_##table, &table);                                                           \
    weft_checked_##table.tx_size = tx_size_##table;                                                \
    weft_checked_##table.rx_size = rx_size_##table;                                                \
    weft_checked_##table.tx_init = tx_init_##table;                                                \
    weft_checked_##table.rx_init = rx_init_##table;

__attribute__((constructor)) static void
wrap_all(void)
{
    WEFT_TRANSPORTS(WRAP)
}

#else
typedef int weft_no_transport_is_checked;
#endif

/* SPDX-License-Identifier: MIT */
/* Algorithms of a queue pair that weft_qp_init() refused: it posts and sends nothing, answers no
 * packet and has no timer, whatever its caller asks of it. The checked build ends the program
 * instead. */
#include "nic/labels.h"

#include "checked/check.h"

static const struct weft_tx_counters nothing_sent = {0, 0, 0, 0};

static void
rx_data(void *rx, const struct weft_packet *data, int64_t now, struct weft_rx_verdict *verdict)
{
    (void)rx;
    (void)now;
    *verdict = (struct weft_rx_verdict){.reply = WEFT_REPLY_NONE, .place = data->psn};
}

static bool
tx_ready(const void *tx)
{
    (void)tx;
    WEFT_CHECK(false, "weft_qp_ready", WEFT_RULE_QP_INIT);
    return false;
}

static uint32_t
tx_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    (void)tx;
    (void)reply;
    (void)now;
    return 0;
}

static void
tx_lost(void *tx, const struct weft_packet *lost, int64_t now)
{
    (void)tx;
    (void)lost;
    (void)now;
}

static void
tx_timeout(void *tx, int64_t now)
{
    (void)tx;
    (void)now;
}

static uint32_t
none(const void *tx)
{
    (void)tx;
    return 0;
}

static const struct weft_tx_counters *
tx_counters(const void *tx)
{
    (void)tx;
    return &nothing_sent;
}

static int64_t
rate(void *state, int64_t now)
{
    (void)state;
    (void)now;
    WEFT_CHECK(false, "weft_qp_rate", WEFT_RULE_QP_INIT);
    return 1;
}

static const struct weft_transport_ops no_transport = {
    .rx_data = rx_data,
    .tx_ready = tx_ready,
    .tx_reply = tx_reply,
    .tx_timeout = tx_timeout,
    .tx_una = none,
    .tx_counters = tx_counters,
    .tx_flight = none,
    .tx_lost = tx_lost,
};

static const struct weft_cc_ops no_cc = {.rate = rate};

const struct weft_nic_algos weft_refused_algos = {
    .transport = &no_transport,
    .cc = &no_cc,
    .frame = {.payload = 1, .ack = 1},
};

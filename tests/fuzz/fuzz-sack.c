/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SACK against the plain models of its two ends, over a network that does whatever an input says.
 * Else losses wait for a timer, packets are sent again for nothing, or a window counts wrongly.
 */
#include <stdio.h>
#include <string.h>

#include "flight.h"
#include "must.h"
#include "sack-model.h"

#define RTO 20000 /* ps */

static struct
{
    struct weft_transport_ops ops;
    const struct weft_transport_ops *real;
    struct sack_model model;
    struct flight_receiver receiver;
    uint32_t first_psn;
} spy;

static void
compare(const void *tx)
{
    MUST(flight_index(spy.real->tx_una(tx), spy.first_psn) == spy.model.una);
    MUST(spy.real->tx_deadline(tx) == sack_model_deadline(&spy.model));
    MUST(spy.real->tx_flight(tx) == sack_model_flight(&spy.model));
    MUST(spy.real->tx_sacked(tx) == sack_model_sacked(&spy.model));
}

static void
spy_data(void *rx, const struct weft_packet *data, int64_t now, struct weft_rx_verdict *verdict)
{
    struct weft_rx_verdict v = flight_receive(&spy.receiver, data->psn, false);
    v.reply = v.fresh || v.duplicate ? WEFT_REPLY_ACK : WEFT_REPLY_NONE;
    spy.real->rx_data(rx, data, now, verdict);
    MUST(flight_agree(verdict, &v));
}

static void
spy_post(void *tx, uint32_t npackets)
{
    spy.model.posted += npackets;
    spy.real->tx_post(tx, npackets);
}

static int
spy_next(void *tx, int64_t now, uint32_t *psn)
{
    uint32_t index = 0;
    const int what = spy.real->tx_next(tx, now, psn);
    MUST(what == sack_model_next(&spy.model, now, &index));
    MUST(what == WEFT_TX_NONE || flight_index(*psn, spy.first_psn) == index);
    compare(tx);
    return what;
}

static uint32_t
spy_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    const uint32_t epsn = flight_index(reply->psn, spy.first_psn);
    /* 0: the ACK names nothing that its ePSN does not say already. */
    const uint32_t answered = reply->ahead > 0 ? epsn + reply->ahead : epsn - 1;
    const int64_t sent = reply->kind == WEFT_ACK ? reply->sent : -1;
    const uint32_t acked = spy.real->tx_reply(tx, reply, now);
    MUST(acked == sack_model_reply(&spy.model, epsn, answered, sent, now));
    compare(tx);
    return acked;
}

static void
spy_timeout(void *tx, int64_t now)
{
    MUST(now >= sack_model_deadline(&spy.model));
    spy.real->tx_timeout(tx, now);
    sack_model_timeout(&spy.model, now);
    compare(tx);
}

static void
set(int64_t *config, const char *name, uint32_t value)
{
    char text[16];
    snprintf(text, sizeof text, "%u", value);
    MUST(weft_config_set(&spy.real->algo, config, name, text) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    int64_t config[32];
    memset(&spy, 0, sizeof spy);
    spy.real = weft_transport_find("sack");
    MUST(weft_config_default(&spy.real->algo, config) == 0);
    const uint32_t window = 64U << fuzz_below(&in, 6);
    const uint32_t outstanding = window - fuzz_below(&in, 62);
    const uint32_t most = outstanding < 64 ? outstanding - 1 : 64;
    const uint32_t threshold = fuzz_below(&in, 2) * (1 + fuzz_below(&in, most)); /* 0: by time */
    set(config, "window", window);
    set(config, "outstanding", outstanding);
    set(config, "threshold", threshold);
    MUST(weft_config_set(&spy.real->algo, config, "rto", "20ns") == 0);
    MUST(spy.real->algo.check(config) == NULL);
    spy.ops = *spy.real;
    spy.ops.rx_data = spy_data;
    spy.ops.tx_post = spy_post;
    spy.ops.tx_next = spy_next;
    spy.ops.tx_reply = spy_reply;
    spy.ops.tx_timeout = spy_timeout;
    spy.first_psn = (uint32_t)fuzz_number(&in, 3);
    sack_model_init(&spy.model, (int32_t)threshold, RTO, outstanding, window);
    if (threshold == 0)
    {
        sack_model_by_time(&spy.model, FLIGHT_RTT);
    }
    flight_receiver_init(&spy.receiver, spy.first_psn, window);
    flight_run(&spy.ops, config, spy.first_psn, true, &in);
    return 0;
}

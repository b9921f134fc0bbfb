/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Erasure coding against its rules written down plainly, over a network that does whatever an input
 * says. Else symbols are sent where nothing is lost, none where something is, or a message ends
 * before its packets have arrived.
 */
#include <stdio.h>
#include <string.h>

#include "flight.h"
#include "must.h"

#define RTO 20000 /* ps */

static struct
{
    struct weft_transport_ops ops;
    const struct weft_transport_ops *real;
    struct flight_receiver receiver;
    bool filled[2 * FLIGHT_PACKETS]; /* by the ACKs that have come */
    bool repair[2 * FLIGHT_PACKETS]; /* told lost, neither filled nor sent again since */
    uint32_t first_psn, una, end, posted, window;
    uint32_t edge;   /* repairs of what lies before it come before new packets */
    uint32_t flight; /* symbols neither answered nor told lost */
    int64_t silence, gap, deadline;
    struct weft_tx_counters n;
} spy;

static uint32_t
missing(void)
{
    uint32_t n = 0;
    for (uint32_t i = spy.una; i < spy.end; i++)
    {
        n += !spy.filled[i];
    }
    return n;
}

static bool
fresh(void)
{
    return spy.end < spy.posted && spy.end - spy.una < spy.window;
}

static void
compare(const void *tx)
{
    const struct weft_tx_counters *n = spy.real->tx_counters(tx);
    MUST(flight_index(spy.real->tx_una(tx), spy.first_psn) == spy.una);
    MUST(spy.real->tx_flight(tx) == (spy.una < spy.end ? spy.flight : 0));
    MUST(spy.real->tx_ready(tx) == (fresh() || missing() > spy.flight));
    MUST(spy.real->tx_deadline(tx) == spy.deadline);
    MUST(n->sent == spy.n.sent && n->resent == spy.n.resent);
    MUST(n->nacks == spy.n.nacks && n->timeouts == spy.n.timeouts);
}

static void
spy_data(void *rx, const struct weft_packet *data, int64_t now, struct weft_rx_verdict *verdict)
{
    const uint32_t end = flight_index(data->psn, spy.first_psn) + data->ahead;
    struct weft_rx_verdict v = flight_receive(&spy.receiver, data->psn, false);
    if (v.duplicate && !(data->flags & WEFT_F_LAST) && spy.receiver.epsn < end)
    {
        v = flight_receive(&spy.receiver, v.epsn, false);
    }
    v.reply = v.fresh || v.duplicate ? WEFT_REPLY_ACK : WEFT_REPLY_NONE;
    spy.real->rx_data(rx, data, now, verdict);
    MUST(flight_agree(verdict, &v));
}

static void
spy_post(void *tx, uint32_t npackets)
{
    spy.edge = spy.posted == spy.end ? spy.end : spy.edge;
    spy.posted += npackets;
    spy.real->tx_post(tx, npackets);
    compare(tx);
}

static void
hear(int64_t now)
{
    spy.gap = RTO;
    spy.silence = now + RTO;
    spy.deadline = spy.una < spy.end ? spy.silence : WEFT_NEVER;
}

/** The place that a repair symbol is to fill: the first one told lost, or the oldest. */
static uint32_t
repaired(void)
{
    for (uint32_t i = spy.una; i < spy.end; i++)
    {
        if (spy.repair[i])
        {
            spy.repair[i] = false;
            return i;
        }
    }
    return spy.una;
}

static int
spy_next(void *tx, int64_t now, uint32_t *psn)
{
    const int what = spy.real->tx_next(tx, now, psn);
    const uint32_t index = flight_index(*psn, spy.first_psn);
    if (missing() > spy.flight && (!fresh() || spy.una < spy.edge))
    {
        MUST(what == WEFT_TX_RETX && index == repaired());
        spy.n.resent++;
        spy.flight++;
    }
    else if (fresh())
    {
        MUST(what == WEFT_TX_NEW && index == spy.end);
        const bool first = spy.una == spy.end++;
        spy.n.sent++;
        spy.flight++;
        if (first)
        {
            hear(now);
        }
    }
    else
    {
        MUST(what == WEFT_TX_NONE);
    }
    compare(tx);
    return what;
}

static void
fill(uint32_t i)
{
    if (i >= spy.una && i < spy.end)
    {
        spy.filled[i] = true;
        spy.repair[i] = false;
    }
}

static uint32_t
spy_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    const uint32_t epsn = flight_index(reply->psn, spy.first_psn), una = spy.una;
    spy.n.nacks += reply->kind == WEFT_NACK;
    if (reply->kind == WEFT_ACK)
    {
        MUST(spy.flight > 0);
        spy.flight--;
        fill(reply->ahead > 0 ? epsn + reply->ahead : epsn - 1);
    }
    for (uint32_t i = una; i < epsn; i++)
    {
        fill(i);
    }
    while (spy.una < spy.end && spy.filled[spy.una])
    {
        spy.una++;
    }
    spy.edge = spy.edge < spy.una ? spy.una : spy.edge;
    hear(now);
    MUST(spy.real->tx_reply(tx, reply, now) == spy.una - una);
    compare(tx);
    return spy.una - una;
}

static void
spy_lost(void *tx, const struct weft_packet *lost, int64_t now)
{
    const uint32_t psn = flight_index(lost->psn, spy.first_psn);
    MUST(spy.flight > 0);
    spy.flight--;
    if (lost->kind == WEFT_DATA || lost->ahead > 0)
    {
        const uint32_t place = lost->kind == WEFT_DATA ? psn : psn + lost->ahead;
        spy.repair[place] = place >= spy.una && place < spy.end && !spy.filled[place];
    }
    spy.real->tx_lost(tx, lost, now);
    compare(tx);
}

static void
spy_timeout(void *tx, int64_t now)
{
    MUST(now >= spy.deadline);
    spy.deadline = now + RTO;
    if (now >= spy.silence)
    {
        spy.n.timeouts++;
        spy.silence = now + spy.gap;
        spy.gap *= spy.gap < (int64_t)RTO << 16 ? 2 : 1;
        spy.edge = spy.end;
    }
    spy.real->tx_timeout(tx, now);
    compare(tx);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    int64_t config[32];
    char window[16];
    memset(&spy, 0, sizeof spy);
    spy.real = weft_transport_find("erasure");
    MUST(weft_config_default(&spy.real->algo, config) == 0);
    spy.window = 64U << fuzz_below(&in, 6);
    snprintf(window, sizeof window, "%u", spy.window);
    MUST(weft_config_set(&spy.real->algo, config, "window", window) == 0);
    MUST(weft_config_set(&spy.real->algo, config, "rto", "20ns") == 0);
    spy.ops = *spy.real;
    spy.ops.rx_data = spy_data;
    spy.ops.tx_post = spy_post;
    spy.ops.tx_next = spy_next;
    spy.ops.tx_reply = spy_reply;
    spy.ops.tx_lost = spy_lost;
    spy.ops.tx_timeout = spy_timeout;
    spy.first_psn = (uint32_t)fuzz_number(&in, 3);
    spy.deadline = WEFT_NEVER;
    flight_receiver_init(&spy.receiver, spy.first_psn, spy.window);
    flight_run(&spy.ops, config, spy.first_psn, false, &in);
    return 0;
}

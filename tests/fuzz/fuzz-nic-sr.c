/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * NIC-SR against its rules written down plainly, over a network that does whatever an input says.
 * Else the transport of commodity RNICs repeats other packets than they do, or hangs.
 */
#include <string.h>

#include "flight.h"
#include "must.h"

static struct
{
    struct weft_transport_ops ops;
    const struct weft_transport_ops *real;
    struct flight_receiver receiver;
    uint32_t first_psn, una, next, end, posted, outstanding; /* next < end: it has gone back */
    bool resend, one;
    int64_t rto, deadline;
    struct weft_tx_counters n;
} spy;

static void
compare(const void *tx)
{
    const struct weft_tx_counters *n = spy.real->tx_counters(tx);
    MUST(flight_index(spy.real->tx_una(tx), spy.first_psn) == spy.una);
    MUST(spy.real->tx_deadline(tx) == spy.deadline);
    MUST(spy.real->tx_flight(tx) == spy.next - spy.una);
    MUST(n->sent == spy.n.sent && n->resent == spy.n.resent);
    MUST(n->nacks == spy.n.nacks && n->timeouts == spy.n.timeouts);
}

static void
spy_data(void *rx, const struct weft_packet *data, int64_t now, struct weft_rx_verdict *verdict)
{
    const struct weft_rx_verdict v = flight_receive(&spy.receiver, data->psn, true);
    spy.real->rx_data(rx, data, now, verdict);
    MUST(flight_agree(verdict, &v));
}

static void
spy_post(void *tx, uint32_t npackets)
{
    spy.posted += npackets;
    spy.real->tx_post(tx, npackets);
}

static int
spy_next(void *tx, int64_t now, uint32_t *psn)
{
    const int what = spy.real->tx_next(tx, now, psn);
    const uint32_t index = flight_index(*psn, spy.first_psn);
    if (spy.resend)
    {
        MUST(what == WEFT_TX_RETX && index == spy.una);
        spy.resend = false;
        spy.n.resent++;
    }
    else if (spy.next < spy.end)
    {
        MUST(what == WEFT_TX_RETX && index == spy.next);
        spy.next++;
        spy.n.resent++;
    }
    else if (spy.end < spy.posted && spy.end - spy.una < spy.outstanding)
    {
        MUST(what == WEFT_TX_NEW && index == spy.end);
        spy.deadline = spy.end == spy.una ? now + spy.rto : spy.deadline;
        spy.next = ++spy.end;
        spy.n.sent++;
    }
    else
    {
        MUST(what == WEFT_TX_NONE);
    }
    compare(tx);
    return what;
}

static uint32_t
spy_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    const uint32_t epsn = flight_index(reply->psn, spy.first_psn);
    const uint32_t fresh = epsn > spy.una ? epsn - spy.una : 0;
    if (fresh > 0)
    {
        spy.una = epsn;
        spy.next = spy.next < epsn ? epsn : spy.next;
        spy.resend = false;
        spy.deadline = spy.una == spy.end ? WEFT_NEVER : now + spy.rto;
    }
    if (reply->kind == WEFT_NACK)
    {
        spy.n.nacks++;
        spy.resend = spy.resend || (epsn == spy.una && spy.una < spy.next);
    }
    MUST(spy.real->tx_reply(tx, reply, now) == fresh);
    compare(tx);
    return fresh;
}

static void
spy_timeout(void *tx, int64_t now)
{
    MUST(now >= spy.deadline);
    spy.deadline = now + spy.rto;
    spy.resend = spy.one;
    spy.next = spy.one ? spy.next : spy.una;
    spy.n.timeouts++;
    spy.real->tx_timeout(tx, now);
    compare(tx);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    int64_t config[32];
    memset(&spy, 0, sizeof spy);
    spy.real = weft_transport_find("nic-sr");
    MUST(weft_config_default(&spy.real->algo, config) == 0);
    const bool small = fuzz_below(&in, 2) == 0;
    spy.one = fuzz_below(&in, 2) == 0;
    MUST(weft_config_set(&spy.real->algo, config, "on-timeout", spy.one ? "one" : "rewind") == 0);
    MUST(weft_config_set(&spy.real->algo, config, "window", small ? "64" : "2048") == 0);
    MUST(weft_config_set(&spy.real->algo, config, "outstanding", small ? "60" : "2048") == 0);
    MUST(weft_config_set(&spy.real->algo, config, "rto", "20ns") == 0);
    spy.ops = *spy.real;
    spy.ops.rx_data = spy_data;
    spy.ops.tx_post = spy_post;
    spy.ops.tx_next = spy_next;
    spy.ops.tx_reply = spy_reply;
    spy.ops.tx_timeout = spy_timeout;
    spy.first_psn = (uint32_t)fuzz_number(&in, 3);
    spy.outstanding = small ? 60 : 2048;
    spy.rto = 20000;
    spy.deadline = WEFT_NEVER;
    flight_receiver_init(&spy.receiver, spy.first_psn, small ? 64 : 2048);
    flight_run(&spy.ops, config, spy.first_psn, true, &in);
    return 0;
}

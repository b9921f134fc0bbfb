/* SPDX-License-Identifier: MIT */
/* A user would see repair symbols where nothing is lost, or none where something is: the sender's
 * count of what is in flight, against a list of all symbols. */
#include <check.h>
#include <string.h>

#include <weft/psn.h>
#include <weft/rng.h>

#include "must.h"
#include "nic-rig.h"
#include "sim-link.h"

#define FIRST   (0xffffff - 2000) /* wraps within a run */
#define PACKETS 6000

static struct sim_link
link_of(uint64_t seed, const char *window)
{
    const char *const settings[] = {"window", window, "rto", "40us", NULL};
    return sim_link_of("erasure", settings, FIRST, PACKETS, seed);
}

/* The sender beside the set of all symbols that it ever sent, scanned whole at every step. */
static struct
{
    struct weft_transport_ops ops;
    const struct weft_transport_ops *real;
    struct
    {
        int64_t sent;
        bool gone; /* answered, or told lost */
    } symbol[4 * PACKETS];
    uint32_t symbols;
    uint32_t oldest; /* all before it are gone */
    bool filled[PACKETS];
    uint32_t una;
    uint32_t end;
    uint32_t posted;
    uint32_t window;
} spy;

static void
compare(const void *tx)
{
    uint32_t flight = 0;
    uint32_t missing = 0;
    for (; spy.oldest < spy.symbols && spy.symbol[spy.oldest].gone; spy.oldest++)
    {
    }
    for (uint32_t i = spy.oldest; i < spy.symbols; i++)
    {
        flight += !spy.symbol[i].gone;
    }
    for (uint32_t i = spy.una; i < spy.end; i++)
    {
        missing += !spy.filled[i];
    }
    const bool fresh = spy.end < spy.posted && spy.end - spy.una < spy.window;
    MUST(spy.real->tx_flight(tx) == (spy.una < spy.end ? flight : 0));
    MUST(spy.real->tx_ready(tx) == (fresh || missing > flight));
    MUST((spy.real->tx_deadline(tx) == WEFT_NEVER) == (spy.una == spy.end));
}

static void
spy_post(void *tx, uint32_t npackets)
{
    spy.posted += npackets;
    spy.real->tx_post(tx, npackets);
    compare(tx);
}

static int
spy_next(void *tx, int64_t now, uint32_t *psn)
{
    const int what = spy.real->tx_next(tx, now, psn);
    if (what != WEFT_TX_NONE)
    {
        const uint32_t index = (*psn - FIRST) & WEFT_PSN_MASK;
        MUST(what == WEFT_TX_NEW ? index == spy.end : index < spy.end && !spy.filled[index]);
        spy.end += what == WEFT_TX_NEW;
        MUST(spy.symbols < 4 * PACKETS);
        spy.symbol[spy.symbols].sent = now;
        spy.symbol[spy.symbols++].gone = false;
    }
    compare(tx);
    return what;
}

/* The symbol that left then is in flight no more. */
static void
leave(int64_t sent)
{
    bool found = false;
    for (uint32_t i = spy.oldest; i < spy.symbols; i++)
    {
        if (spy.symbol[i].sent == sent) /* one leaves per slot */
        {
            MUST(!spy.symbol[i].gone);
            spy.symbol[i].gone = true;
            found = true;
        }
    }
    MUST(found);
}

static uint32_t
spy_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    const uint32_t epsn = (reply->psn - FIRST) & WEFT_PSN_MASK;
    for (uint32_t i = spy.una; i < epsn; i++)
    {
        spy.filled[i] = true;
    }
    if (reply->ahead > 0)
    {
        spy.filled[epsn + reply->ahead] = true;
    }
    for (; spy.una < spy.end && spy.filled[spy.una]; spy.una++)
    {
    }
    leave(reply->sent);
    const uint32_t acked = spy.real->tx_reply(tx, reply, now);
    compare(tx);
    return acked;
}

static void
spy_lost(void *tx, const struct weft_packet *lost, int64_t now)
{
    leave(lost->sent);
    spy.real->tx_lost(tx, lost, now);
    compare(tx);
}

static void
spy_timeout(void *tx, int64_t now)
{
    spy.real->tx_timeout(tx, now);
    compare(tx);
}

START_TEST(what_is_in_flight_is_what_a_list_of_all_symbols_says)
{
    struct sim_link link = link_of((uint64_t)_i, _i % 2 == 0 ? "512" : "64");
    memset(&spy, 0, sizeof(spy));
    spy.window = _i % 2 == 0 ? 512 : 64;
    spy.real = link.ops;
    spy.ops = *link.ops;
    spy.ops.tx_post = spy_post;
    spy.ops.tx_next = spy_next;
    spy.ops.tx_reply = spy_reply;
    spy.ops.tx_timeout = spy_timeout;
    spy.ops.tx_lost = spy_lost;
    link.ops = &spy.ops;
    link.jitter = (uint32_t)(_i % 7) * 3; /* up to 52 us there and back: late */
    link.data_loss = 0.05 * (_i % 4);
    link.reply_loss = 0.05 * (_i % 3);
    link.chunk = PACKETS;
    (void)sim_link_run(&link);
}
END_TEST

Suite *
erasure_flight_suite(void)
{
    Suite *suite = suite_create("erasure-flight");
    TCase *tcase = tcase_create("erasure-flight");
    tcase_add_loop_test(tcase, what_is_in_flight_is_what_a_list_of_all_symbols_says, 0, 28);
    suite_add_tcase(suite, tcase);
    return suite;
}

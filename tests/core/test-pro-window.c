/* SPDX-License-Identifier: MIT */
/* A user would lose PRO's loss detection: NACKs for packets that are merely late, losses that wait
 * for a timer (pro §III-B). */
#include <check.h>
#include <string.h>

#include <weft/error.h>
#include <weft/psn.h>
#include <weft/rng.h>

#include "must.h"
#include "nic-rig.h"

#define NEAR_WRAP 0xfffffaU

static uint32_t base; /* PSN of packet 0 */

static void
begin_pro(uint32_t first_psn, const char *const *settings)
{
    base = first_psn;
    begin("pro-window", first_psn, settings);
}

/* Packet @p n arrives from a sender with so many timeouts. */
static struct weft_rx_verdict
comes(uint32_t n, uint16_t timeouts)
{
    struct weft_rx_verdict v = {.reply = UINT8_MAX};
    const struct weft_packet data = {.psn = (base + n) & WEFT_PSN_MASK, .ahead = timeouts};
    v.place = data.psn;
    rig.ops->rx_data(rig.rx, &data, NOW, &v);
    MUST(v.place == data.psn && !v.asks_place);
    return v;
}

/* The packet that the receiver asks for now, or -1. */
static int
asked_at(int64_t now)
{
    struct weft_rx_verdict v = {.reply = WEFT_REPLY_NONE};
    rig.ops->rx_timeout(rig.rx, now, &v);
    MUST(v.reply == WEFT_REPLY_NONE || (v.reply == WEFT_REPLY_NACK && v.asks_place));
    MUST(!v.fresh && !v.duplicate);
    return v.reply == WEFT_REPLY_NACK ? (int)((v.place - base) & WEFT_PSN_MASK) : -1;
}

static int
asked(void)
{
    return rig.ops->rx_deadline(rig.rx) <= NOW ? asked_at(NOW) : -1;
}

/* Packet @p n arrives for the first time, and the receiver then asks for @p nack alone, or -1. */
static void
makes(uint32_t n, int nack)
{
    const struct weft_rx_verdict v = comes(n, 0);
    ck_assert_int_eq(v.reply, WEFT_REPLY_ACK);
    ck_assert(v.fresh && !v.duplicate);
    ck_assert_int_eq(asked(), nack);
    ck_assert_int_eq(asked(), -1);
}

/* The window, as losses show it: @p *next is in order before and after. */
static uint32_t
window_from(uint32_t *next, uint16_t timeouts)
{
    const uint32_t hole = *next;
    uint32_t n = hole;
    int nack = -1;
    while (nack < 0)
    {
        MUST(comes(++n, timeouts).fresh);
        nack = asked();
    }
    MUST(nack == (int)hole && asked() == -1);
    MUST(comes(hole, timeouts).fresh && asked() == -1);
    *next = n + 1;
    return n - hole - 1;
}

static const char *const wnd_8[] = {"ooo-window", "8", NULL};

/* Figure 4: a window of 8 from packet 16 back. 1 to 3 are lost, 9, 10 and 13 to 15 are late. */
START_TEST(figure_4)
{
    begin_pro(_i == 0 ? 0 : NEAR_WRAP, wnd_8);
    makes(0, -1);
    for (uint32_t n = 4; n <= 8; n++)
    {
        makes(n, -1);
    }
    makes(11, 1);
    makes(12, 2);
    makes(16, 3);
    const uint32_t late[] = {13, 9, 15, 10, 14};
    for (size_t i = 0; i < 5; i++)
    {
        makes(late[i], -1);
    }
    for (uint32_t n = 1; n <= 3; n++) /* sent again */
    {
        const struct weft_rx_verdict v = comes(n, 0);
        ck_assert(v.fresh && v.reply == WEFT_REPLY_ACK);
        ck_assert_uint_eq((v.epsn - base) & WEFT_PSN_MASK, n < 3 ? n + 1 : 17);
        ck_assert_int_eq(asked(), -1);
    }
    end();
}
END_TEST

START_TEST(exactly_the_window_behind_is_late_and_not_lost)
{
    begin_pro(NEAR_WRAP, wnd_8);
    makes(8, -1); /* 8 - 8 > 0 does not hold */
    makes(9, 0);
    makes(10, 1);
    end();
}
END_TEST

/* Packet 1 has arrived, so that the next one to be asked for is 2: exactly the window behind. */
START_TEST(the_next_missing_packet_is_late_and_not_lost)
{
    begin_pro(NEAR_WRAP, wnd_8);
    makes(1, -1);
    makes(9, 0);
    ck_assert(comes(10, 0).fresh);
    ck_assert_int_eq(rig.ops->rx_deadline(rig.rx), WEFT_NEVER);
    makes(11, 2);
    end();
}
END_TEST

START_TEST(each_packet_makes_one_nack_due_or_all_of_them)
{
    static const char *const all[] = {"ooo-window", "8", "nacks", "all", NULL};
    begin_pro(NEAR_WRAP, wnd_8);
    makes(12, 0);
    makes(11, 1);
    ck_assert(comes(12, 0).duplicate); /* its window is 9 now */
    ck_assert_int_eq(asked(), 2);
    makes(10, -1);
    makes(9, -1);
    end();
    begin_pro(NEAR_WRAP, all);
    ck_assert(comes(12, 0).fresh);
    for (int n = 0; n < 4; n++)
    {
        ck_assert_int_eq(asked(), n);
    }
    ck_assert_int_eq(asked(), -1);
    end();
}
END_TEST

START_TEST(nothing_is_asked_for_twice_or_after_it_has_come)
{
    begin_pro(NEAR_WRAP, wnd_8);
    makes(1, -1);
    makes(2, -1);
    makes(20, 0);
    makes(21, 3); /* 1 and 2 are there */
    makes(5, 4);
    makes(22, 6); /* so is 5 */
    makes(0, 7);
    makes(30, 8);
    for (uint32_t n = 31; n < 31 + 64; n++) /* what was asked for may be lost again */
    {
        MUST(comes(n, 0).fresh);
        const int nack = asked();
        MUST(nack < 0 || nack > 8);
    }
    end();
}
END_TEST

/* Algorithm 2 as it is printed calls CheckAndSendNACK within the timeout alone. */
START_TEST(as_printed_only_timeouts_ask)
{
    static const char *const printed[] = {"ooo-window", "8", "check", "timeouts", NULL};
    begin_pro(0, printed);
    makes(30, -1);
    makes(31, -1);
    ck_assert(comes(32, 1).fresh);
    ck_assert_int_eq(asked(), 0);
    makes(33, -1);
    ck_assert(comes(34, 2).fresh);
    ck_assert_int_eq(asked(), 1);
    end();
}
END_TEST

/* Packets that were never asked for must not seem to lie ahead half a PSN space later. */
START_TEST(a_loss_is_found_after_more_packets_than_there_are_psns)
{
    static const char *const modes[] = {"events", "timeouts"};
    const char *const settings[] = {"ooo-window", "8", "check", modes[_i], NULL};
    begin_pro(0, settings);
    for (uint32_t n = 0; n < 9000000; n++)
    {
        MUST(comes(n, 0).fresh && asked() == -1);
    }
    for (uint32_t n = 9000001; n < 9000020; n++)
    {
        MUST(comes(n, 0).fresh);
    }
    ck_assert_int_eq(asked(), _i == 0 ? 9000000 : -1);
    ck_assert(comes(9000020, 1).fresh);
    ck_assert_int_eq(asked(), _i == 0 ? -1 : 9000000);
    end();
}
END_TEST

START_TEST(repeated_packets_widen_the_window_up_to_its_limit)
{
    static const char *const limited[] = {"ooo-window", "8", "ooo-limit", "10", NULL};
    uint32_t next = 0;
    begin_pro(NEAR_WRAP, limited);
    ck_assert_uint_eq(window_from(&next, 0), 8);
    ck_assert(comes(0, 0).duplicate); /* from before the ePSN */
    ck_assert_uint_eq(window_from(&next, 0), 9);
    makes(next + 1, -1);
    ck_assert(comes(next + 1, 0).duplicate); /* from beyond it */
    makes(next, -1);
    next += 2;
    ck_assert_uint_eq(window_from(&next, 0), 10);
    ck_assert(comes(0, 0).duplicate && comes(1, 0).duplicate);
    ck_assert_uint_eq(window_from(&next, 0), 10);
    end();
}
END_TEST

START_TEST(timeouts_halve_the_window_once_each)
{
    static const char *const wnd_21[] = {"ooo-window", "21", NULL};
    uint32_t next = 0;
    begin_pro(NEAR_WRAP, wnd_21);
    ck_assert_uint_eq(window_from(&next, 0), 21);
    ck_assert_uint_eq(window_from(&next, 1), 10); /* many packets tell of one timeout */
    ck_assert_uint_eq(window_from(&next, 1), 10);
    ck_assert(comes(next++, 0).fresh); /* left before the timeout, and comes late */
    ck_assert_uint_eq(window_from(&next, 1), 10);
    ck_assert_uint_eq(window_from(&next, 3), 2); /* nothing came between those two */
    ck_assert_uint_eq(window_from(&next, 9), 1);
    ck_assert_uint_eq(window_from(&next, 10), 1);
    end();
}
END_TEST

START_TEST(a_count_of_timeouts_wraps)
{
    static const char *const wide[] = {"ooo-window", "64", NULL};
    uint32_t next = 0;
    begin_pro(0, wide);
    for (uint32_t timeouts = 0; timeouts < 65536; timeouts += 16384)
    {
        MUST(comes(next++, (uint16_t)timeouts).fresh);
    }
    for (uint32_t i = 0; i < 40; i++)
    {
        MUST(comes(0, 49152).duplicate);
    }
    ck_assert_uint_eq(window_from(&next, 49152), 41);
    MUST(comes(next++, 65535).fresh);
    ck_assert_uint_eq(window_from(&next, 65535), 1);
    for (uint32_t i = 0; i < 40; i++)
    {
        MUST(comes(0, 65535).duplicate);
    }
    ck_assert_uint_eq(window_from(&next, 0), 20);
    end();
}
END_TEST

START_TEST(the_receiver_may_keep_the_timer)
{
    static const char *const own[] = {"ooo-window", "8", "timeout", "receiver", "rto", "1us", NULL};
    begin_pro(NEAR_WRAP, own);
    const int64_t rto = 1000000;
    makes(0, -1);
    ck_assert(rig.ops->rx_deadline(rig.rx) == WEFT_NEVER); /* nothing is known to be missing */
    makes(6, -1);
    ck_assert_int_eq(rig.ops->rx_deadline(rig.rx), NOW + rto);
    ck_assert(comes(7, 40).fresh); /* the sender's timeouts do not count */
    ck_assert_int_eq(asked_at(NOW + rto - 1), -1);
    ck_assert_int_eq(asked_at(NOW + rto), 1); /* 7 - 4 > 1 */
    ck_assert_int_eq(rig.ops->rx_deadline(rig.rx), NOW + 2 * rto);
    ck_assert_int_eq(asked_at(NOW + 2 * rto), 2); /* 7 - 2 > 2 */
    for (uint32_t n = 1; n < 6; n++)
    {
        ck_assert(comes(n, 40).fresh);
        asked();
    }
    ck_assert(rig.ops->rx_deadline(rig.rx) == WEFT_NEVER);
    end();
}
END_TEST

/* The sender may have given up: a simulation would never end. */
START_TEST(the_receivers_timer_stops_when_it_changes_nothing_more)
{
    static const char *const own[] = {"ooo-window", "8", "timeout", "receiver", "rto", "1us", NULL};
    begin_pro(NEAR_WRAP, own);
    makes(6, -1);
    unsigned firings = 0, nacks = 0;
    for (int64_t at; (at = rig.ops->rx_deadline(rig.rx)) != WEFT_NEVER; firings++)
    {
        MUST(firings < 100);
        nacks += asked_at(at) >= 0;
    }
    ck_assert_uint_eq(nacks, 5); /* 6 - 1 > 0 to 4 */
    ck_assert_uint_le(firings, 3 + 5 + 1);
    ck_assert(comes(7, 0).fresh);
    ck_assert(rig.ops->rx_deadline(rig.rx) <= NOW + 1000000); /* it goes on with what comes */
    end();
}
END_TEST

/* 200 Gb/s and 8.5 us are 212,500 bytes, 136.04 frames of 1562 bytes. */
START_TEST(the_first_window_is_the_bandwidth_delay_product)
{
    struct weft_transport_site site = {.rate = 200000000000, .base_rtt = 8500000, .frame = 1562};
    const uint32_t expected[] = {137, 136, 1, 63};
    static const char *const narrow[] = {"window", "64", "outstanding", "64", NULL};
    for (int i = 0; i < 4; i++)
    {
        uint32_t next = 0;
        begin_pro(0, i == 3 ? narrow : NULL);
        site.base_rtt = i == 1 ? INT64_C(136 * 1562 * 40) : i == 2 ? 1 : 8500000;
        ck_assert_int_eq(rig.ops->rx_init(rig.rx, rig.config, &site), 0);
        if (i < 3)
        {
            ck_assert_uint_eq(window_from(&next, 0), expected[i]);
        }
        else
        {
            makes(63, -1); /* the whole bitmap */
        }
        end();
    }
}
END_TEST

START_TEST(what_the_bitmap_cannot_hold_changes_nothing)
{
    static const char *const narrow[] = {"ooo-window",  "8",  "window", "64",
                                         "outstanding", "64", NULL};
    begin_pro(NEAR_WRAP, narrow);
    makes(5, -1);
    const struct weft_rx_verdict v = comes(64, 0);
    ck_assert(!v.fresh && !v.duplicate && v.reply == WEFT_REPLY_NONE);
    ck_assert_int_eq(asked(), -1);
    makes(8, -1);
    end();
}
END_TEST

START_TEST(every_data_packet_tells_of_its_senders_timeouts)
{
    static const char *const fast[] = {"rto", "1us", NULL};
    begin_pro(0, fast);
    rig.ops->tx_post(rig.tx, 3);
    sends(WEFT_TX_NEW, 0);
    struct weft_packet data = {.psn = 0};
    rig.ops->tx_stamp(rig.tx, &data);
    ck_assert_uint_eq(data.ahead, 0);
    rig.ops->tx_timeout(rig.tx, rig.ops->tx_deadline(rig.tx));
    sends(WEFT_TX_RETX, 0);
    sends(WEFT_TX_NEW, 1);
    rig.ops->tx_stamp(rig.tx, &data);
    ck_assert_uint_eq(data.ahead, 1);
    end();
}
END_TEST

/* The NACK of the oldest packet is no progress: a lost retransmission waits for the RTO, no more.
 */
START_TEST(a_nack_is_answered_at_once_and_starts_no_timer)
{
    begin_pro(0, NULL);
    rig.ops->tx_post(rig.tx, 8);
    for (uint32_t psn = 0; psn < 8; psn++)
    {
        sends(WEFT_TX_NEW, psn);
    }
    const int64_t deadline = rig.ops->tx_deadline(rig.tx);
    ck_assert_int_eq(deadline, NOW + 80000000); /* pro §VI-A: 80 us */
    for (uint32_t psn = 0; psn < 3; psn += 2)
    {
        struct weft_packet nack = ack_of(psn, 0);
        nack.kind = WEFT_NACK;
        nack.flags = WEFT_F_ASKS_AHEAD;
        rig.ops->tx_reply(rig.tx, &nack, NOW + 5);
        sends(WEFT_TX_RETX, psn);
        sends(WEFT_TX_NONE, 0);
    }
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), deadline);
    end();
}
END_TEST

/* Algorithm 2 with sets, scanned whole. */
#define SPAN   40000
#define WINDOW 256

static struct
{
    bool got[SPAN + 2 * WINDOW];
    uint32_t epsn, tail, next; /* next: what lies before it was asked for, or will never be */
    bool any;
    uint32_t wnd, limit;
    uint16_t timeouts;
} model;

static struct weft_rx_verdict
model_takes(uint32_t n, uint16_t timeouts, int *nack)
{
    struct weft_rx_verdict v = {.reply = WEFT_REPLY_NONE};
    const bool inside = n < model.epsn + WINDOW;
    v.duplicate = inside && model.got[n];
    v.fresh = inside && !model.got[n];
    model.got[n] |= inside;
    model.tail = v.fresh && (!model.any || n > model.tail) ? n : model.tail;
    model.any = model.any || v.fresh;
    while (model.got[model.epsn])
    {
        model.epsn++;
    }
    model.wnd += v.duplicate && model.wnd < model.limit;
    const bool timeout = timeouts > model.timeouts;
    for (; model.timeouts < timeouts; model.timeouts++)
    {
        model.wnd = model.wnd > 1 ? model.wnd / 2 : 1;
    }
    *nack = -1;
    for (uint32_t i = model.next; (inside || timeout) && i + model.wnd < model.tail; i++)
    {
        if (!model.got[i])
        {
            *nack = (int)i;
            model.next = i + 1;
            break;
        }
    }
    v.reply = inside ? WEFT_REPLY_ACK : WEFT_REPLY_NONE;
    return v;
}

START_TEST(receiver_matches_the_sets_on_random_arrivals)
{
    static const char *const settings[] = {
        "window", "256", "outstanding", "256", "ooo-window", "20", "ooo-limit", "100", NULL};
    struct weft_rng rng;
    uint16_t timeouts = 0;
    unsigned nacks = 0, repeats = 0;
    weft_rng_seed(&rng, 17, 0, (uint64_t)_i);
    memset(&model, 0, sizeof(model));
    model.wnd = 20;
    model.limit = 100;
    begin_pro(0xffffff - SPAN / 2, settings);
    while (model.epsn < SPAN)
    {
        /* Mostly near the ePSN, sometimes old, sometimes at the bitmap's end or beyond it. */
        const uint32_t reach = weft_rng_below(&rng, 50) == 0 ? WINDOW + 20 : 3U + (unsigned)_i * 12;
        const uint32_t back = weft_rng_below(&rng, 20) == 0 ? 30 : 0;
        const uint32_t n =
            (model.epsn > back ? model.epsn - back : 0) + weft_rng_below(&rng, reach);
        int nack;
        timeouts = (uint16_t)(timeouts + (weft_rng_below(&rng, 500) == 0));
        const struct weft_rx_verdict got = comes(n, timeouts);
        const struct weft_rx_verdict want = model_takes(n, timeouts, &nack);
        MUST(got.fresh == want.fresh && got.duplicate == want.duplicate);
        MUST(got.reply == want.reply);
        MUST(((got.epsn - base) & WEFT_PSN_MASK) == model.epsn);
        MUST(asked() == nack && asked() == -1);
        MUST(nack < 0 || !model.got[nack]);
        MUST(model.wnd >= 1 && model.wnd <= 100);
        nacks += nack >= 0;
        repeats += got.duplicate;
    }
    ck_assert_uint_gt(repeats, 1000);
    ck_assert(_i < 2 || nacks > 100);
    end();
}
END_TEST

START_TEST(unsound_configurations_are_refused)
{
    const struct weft_transport_site nowhere = {0};
    static const char *const wide[] = {"ooo-window", "9", "ooo-limit", "8", NULL};
    begin_pro(0, NULL);
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "window", "131072"), WEFT_ERANGE);
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "ooo-limit", "0"), WEFT_ERANGE);
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "window", "8192"), 0);
    ck_assert_ptr_nonnull(rig.ops->algo.check(rig.config));
    ck_assert_int_eq(rig.ops->rx_init(rig.rx, rig.config, &nowhere), WEFT_ERANGE);
    memset(rig.config, 0, rig.ops->algo.config_size);
    ck_assert_int_eq(rig.ops->rx_init(rig.rx, rig.config, &nowhere), WEFT_ERANGE);
    ck_assert_int_eq(rig.ops->tx_init(rig.tx, rig.config, &nowhere), WEFT_ERANGE);
    end();
    begin_pro(0, wide);
    ck_assert_ptr_nonnull(rig.ops->algo.check(rig.config));
    end();
}
END_TEST

Suite *pro_window_suite(void);

Suite *
pro_window_suite(void)
{
    Suite *suite = suite_create("pro-window");
    TCase *tc = tcase_create("pro-window");
    tcase_add_loop_test(tc, figure_4, 0, 2);
    tcase_add_test(tc, exactly_the_window_behind_is_late_and_not_lost);
    tcase_add_test(tc, the_next_missing_packet_is_late_and_not_lost);
    tcase_add_test(tc, each_packet_makes_one_nack_due_or_all_of_them);
    tcase_add_test(tc, nothing_is_asked_for_twice_or_after_it_has_come);
    tcase_add_test(tc, as_printed_only_timeouts_ask);
    tcase_add_loop_test(tc, a_loss_is_found_after_more_packets_than_there_are_psns, 0, 2);
    tcase_add_test(tc, repeated_packets_widen_the_window_up_to_its_limit);
    tcase_add_test(tc, timeouts_halve_the_window_once_each);
    tcase_add_test(tc, a_count_of_timeouts_wraps);
    tcase_add_test(tc, the_receiver_may_keep_the_timer);
    tcase_add_test(tc, the_receivers_timer_stops_when_it_changes_nothing_more);
    tcase_add_test(tc, the_first_window_is_the_bandwidth_delay_product);
    tcase_add_test(tc, what_the_bitmap_cannot_hold_changes_nothing);
    tcase_add_test(tc, every_data_packet_tells_of_its_senders_timeouts);
    tcase_add_test(tc, a_nack_is_answered_at_once_and_starts_no_timer);
    tcase_add_loop_test(tc, receiver_matches_the_sets_on_random_arrivals, 0, 8);
    tcase_add_test(tc, unsound_configurations_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}

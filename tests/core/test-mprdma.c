/* SPDX-License-Identifier: MIT */
/* A user would lose the baseline of PRO's loss detection: a bitmap of L packets whose overflow
 * tells of a loss (pro §VI-A). */
#include <check.h>
#include <string.h>

#include <weft/error.h>
#include <weft/psn.h>
#include <weft/rng.h>

#include "must.h"
#include "nic-rig.h"
#include "sim-link.h"

#define NEAR_WRAP 0xffffe0U /* 32 packets before the wrap */

static uint32_t
psn_of(uint32_t n)
{
    return weft_psn_add(NEAR_WRAP, n);
}

static const char *const many[] = {"in-flight", "16384", NULL};

/* A sender that has sent packets 0 to n - 1 and could send more. */
static void
begin_sent(uint32_t n, const char *const *settings)
{
    begin("mprdma", NEAR_WRAP, settings ? settings : many);
    rig.ops->tx_post(rig.tx, 1000);
    for (uint32_t i = 0; i < n; i++)
    {
        sends(WEFT_TX_NEW, psn_of(i));
    }
}

/* The ACK of packet @p place arrives, with ePSN @p epsn: packets newly acknowledged. */
static uint32_t
acks(uint32_t place, uint32_t epsn)
{
    const struct weft_packet packet = ack_of(psn_of(place), psn_of(epsn));
    return rig.ops->tx_reply(rig.tx, &packet, NOW);
}

START_TEST(a_packet_that_the_bitmap_cannot_hold_tells_of_a_loss)
{
    static const char *const once[] = {"nacks", "once", NULL};
    begin("mprdma", NEAR_WRAP, _i == 0 ? NULL : once);
    for (uint32_t n = 1; n < 64; n++)
    {
        answers(psn_of(n), WEFT_REPLY_ACK, NEAR_WRAP);
    }
    struct weft_rx_verdict v = arrive(psn_of(64));
    ck_assert(v.reply == WEFT_REPLY_NACK && !v.fresh && !v.duplicate && !v.asks_place);
    ck_assert_uint_eq(v.epsn, NEAR_WRAP);
    v = arrive(psn_of(65)); /* this ePSN has had its NACK, which may be lost */
    ck_assert(v.reply == (_i == 0 ? WEFT_REPLY_NACK : WEFT_REPLY_NONE) && !v.fresh);
    answers(psn_of(0), WEFT_REPLY_ACK, psn_of(64));
    v = arrive(psn_of(64 + 64));
    ck_assert(v.reply == WEFT_REPLY_NACK);
    ck_assert_uint_eq(v.epsn, psn_of(64));
    end();
}
END_TEST

START_TEST(repeated_packets_are_acknowledged)
{
    begin("mprdma", NEAR_WRAP, NULL);
    answers(psn_of(0), WEFT_REPLY_ACK, psn_of(1));
    answers(psn_of(5), WEFT_REPLY_ACK, psn_of(1));
    for (uint32_t n = 0; n <= 5; n += 5)
    {
        const struct weft_rx_verdict v = arrive(psn_of(n));
        ck_assert(v.reply == WEFT_REPLY_ACK && !v.fresh && v.duplicate);
    }
    end();
}
END_TEST

START_TEST(a_nack_starts_one_recovery_of_all_that_is_out)
{
    begin_sent(100, NULL);
    ck_assert_uint_eq(reply(WEFT_NACK, psn_of(10), NOW), 10);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 0);
    for (uint32_t n = 10; n < 30; n++)
    {
        sends(WEFT_TX_RETX, psn_of(n));
    }
    /* 10 has filled its hole; the next one is 20, and what is under way overflows again. */
    ck_assert_uint_eq(acks(10, 20), 10);
    ck_assert_uint_eq(reply(WEFT_NACK, psn_of(20), NOW), 0);
    sends(WEFT_TX_RETX, psn_of(30));
    ck_assert_uint_eq(acks(20, 60), 40); /* and the rest up to there need not be sent again */
    for (uint32_t n = 60; n < 100; n++)
    {
        sends(WEFT_TX_RETX, psn_of(n));
    }
    sends(WEFT_TX_NEW, psn_of(100));
    ck_assert_uint_eq(acks(99, 100), 40);
    ck_assert_uint_eq(reply(WEFT_NACK, psn_of(100), NOW), 0); /* the next recovery */
    sends(WEFT_TX_RETX, psn_of(100));
    sends(WEFT_TX_NEW, psn_of(101));
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->nacks, 3);
    end();
}
END_TEST

START_TEST(old_and_senseless_nacks_change_nothing)
{
    begin_sent(10, NULL);
    ck_assert_uint_eq(acks(4, 5), 5);
    ck_assert_uint_eq(reply(WEFT_NACK, psn_of(3), NOW), 0);
    ck_assert_uint_eq(reply(WEFT_NACK, psn_of(20), NOW), 0);
    sends(WEFT_TX_NEW, psn_of(10));
    end();
}
END_TEST

START_TEST(the_timer_starts_a_recovery_as_well)
{
    begin_sent(6, NULL);
    ck_assert_uint_eq(acks(1, 2), 2);
    const int64_t deadline = rig.ops->tx_deadline(rig.tx);
    ck_assert_int_eq(deadline, NOW + RTO);
    rig.ops->tx_timeout(rig.tx, deadline - 1);
    sends(WEFT_TX_NEW, psn_of(6));
    rig.ops->tx_timeout(rig.tx, deadline);
    ck_assert_uint_eq(reply(WEFT_NACK, psn_of(2), deadline), 0); /* it is under way already */
    for (uint32_t n = 2; n < 7; n++)
    {
        sends(WEFT_TX_RETX, psn_of(n));
        reply(WEFT_NACK, psn_of(2), deadline);
    }
    sends(WEFT_TX_NEW, psn_of(7));
    end();
}
END_TEST

/* A recovery that ended long ago must not seem to be one again half a PSN space later. */
START_TEST(a_loss_is_found_after_more_packets_than_there_are_psns)
{
    begin("mprdma", 0, many);
    rig.ops->tx_post(rig.tx, 40000000);
    for (uint32_t i = 0, psn = 0; i < 20000000; i++)
    {
        MUST(rig.ops->tx_next(rig.tx, NOW, &psn) == WEFT_TX_NEW && psn == (i & WEFT_PSN_MASK));
        if (i % 4000000 == 3999999)
        {
            MUST(reply(WEFT_NACK, psn, NOW) == 0);
            sends(WEFT_TX_RETX, psn);
        }
        MUST(reply(WEFT_ACK, i + 1, NOW) == 1);
    }
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->resent, 5);
    end();
}
END_TEST

/* How many packets the sender may have outstanding. */
static uint32_t
room(uint32_t una, uint32_t end)
{
    uint32_t psn = 0;
    while (rig.ops->tx_ready(rig.tx))
    {
        MUST(rig.ops->tx_next(rig.tx, NOW, &psn) == WEFT_TX_NEW);
        MUST(psn == psn_of(end++));
    }
    return end - una;
}

/* 100 Gb/s and 8 us are 100,000 bytes, 65.8 frames of 1520 bytes. */
START_TEST(what_is_out_is_a_bandwidth_delay_product_and_the_bitmap)
{
    const struct weft_transport_site site = {
        .rate = 100000000000, .base_rtt = 8000000, .frame = 1520, .first_psn = NEAR_WRAP};
    begin("mprdma", NEAR_WRAP, NULL);
    ck_assert_int_eq(rig.ops->tx_init(rig.tx, rig.config, &site), 0);
    rig.ops->tx_post(rig.tx, 1000);
    ck_assert_uint_eq(room(0, 0), 66 + 64);
    end();
}
END_TEST

START_TEST(acks_that_lag_behind_take_packets_off_the_window)
{
    static const char *const bounded[] = {"delta", "4", "in-flight", "20", NULL};
    begin_sent(20, bounded);
    ck_assert_uint_eq(acks(9, 0), 0);
    ck_assert_uint_eq(acks(5, 0), 0); /* 4 behind */
    ck_assert_uint_eq(acks(0, 1), 1); /* 9 behind: 19 are out, 18 may be */
    sends(WEFT_TX_NONE, 0);
    ck_assert_uint_eq(acks(4, 1), 0);  /* 5 behind: 17 may */
    ck_assert_uint_eq(acks(1, 2), 1);  /* 8 behind: 16 may */
    ck_assert_uint_eq(acks(2, 10), 8); /* 7 behind, and the last hole: of those out, 9 may */
    sends(WEFT_TX_NONE, 0);
    ck_assert_uint_eq(acks(10, 11), 1);
    ck_assert_uint_eq(acks(11, 12), 1);
    ck_assert_uint_eq(room(12, 20), 9);
    end();
}
END_TEST

START_TEST(an_ack_may_lag_by_delta)
{
    static const char *const bounded[] = {"delta", "4", "in-flight", "20", NULL};
    begin_sent(10, bounded);
    ck_assert_uint_eq(acks(9, 0), 0);
    ck_assert_uint_eq(acks(5, 0), 0);
    ck_assert_uint_eq(room(0, 10), 20);
    ck_assert_uint_eq(acks(4, 0), 0);
    ck_assert_uint_eq(reply(WEFT_ACK, psn_of(1), NOW), 1);
    sends(WEFT_TX_NONE, 0);
    end();
}
END_TEST

START_TEST(a_window_that_was_bounded_grows_by_one_in_a_round_trip)
{
    static const char *const bounded[] = {"delta", "4", "in-flight", "20", NULL};
    begin_sent(20, bounded);
    ck_assert_uint_eq(acks(9, 0), 0);
    ck_assert_uint_eq(acks(0, 10), 10); /* 9 behind: 10 are out, 9 may be */
    ck_assert_uint_eq(acks(10, 11), 1);
    ck_assert_uint_eq(room(11, 20), 9);
    for (uint32_t n = 11; n < 18; n++) /* with the one before they are 8 in order */
    {
        ck_assert_uint_eq(acks(n, n + 1), 1);
    }
    ck_assert_uint_eq(room(18, 20), 9);
    ck_assert_uint_eq(acks(18, 19), 1);
    ck_assert_uint_eq(room(19, 27), 10);
    end();
}
END_TEST

START_TEST(without_a_bound_lagging_acks_change_nothing)
{
    static const char *const twenty[] = {"in-flight", "20", NULL};
    begin_sent(20, twenty);
    acks(19, 0);
    ck_assert_uint_eq(acks(0, 1), 1);
    ck_assert_uint_eq(room(1, 20), 20);
    end();
}
END_TEST

/* The naive receiver: sets of what has arrived and of which ePSNs have had their NACK. */
#define SPAN 40000

static bool arrived[SPAN + 512];
static bool nacked[SPAN + 512];

START_TEST(receiver_matches_a_set_on_random_arrivals)
{
    static const char *const once[] = {"nacks", "once", NULL};
    const uint32_t first = 0xffffff - SPAN / 2;
    struct weft_rng rng;
    uint32_t epsn = 0;
    unsigned kinds[3] = {0, 0, 0};
    weft_rng_seed(&rng, 29, 0, (uint64_t)_i);
    memset(arrived, 0, sizeof(arrived));
    memset(nacked, 0, sizeof(nacked));
    begin("mprdma", first, once);
    while (epsn < SPAN)
    {
        const uint32_t reach = weft_rng_below(&rng, 20) == 0 ? 90 : 3U + (unsigned)_i * 6;
        const uint32_t back = weft_rng_below(&rng, 20) == 0 ? 30 : 0;
        const uint32_t n = (epsn > back ? epsn - back : 0) + weft_rng_below(&rng, reach);
        const struct weft_rx_verdict got = arrive(weft_psn_add(first, n));
        const bool inside = n < epsn + 64;
        const bool nack = !inside && !nacked[epsn];
        MUST(got.fresh == (inside && !arrived[n]) && got.duplicate == (inside && arrived[n]));
        MUST(got.reply == (inside ? WEFT_REPLY_ACK : nack ? WEFT_REPLY_NACK : WEFT_REPLY_NONE));
        nacked[epsn] |= nack;
        arrived[n] |= inside;
        while (arrived[epsn])
        {
            epsn++;
        }
        MUST(got.epsn == weft_psn_add(first, epsn));
        kinds[got.reply]++;
    }
    MUST(kinds[0] > 10 && kinds[1] > 1000 && kinds[2] > 100);
    end();
}
END_TEST

static struct sim_link
link_of(uint64_t seed)
{
    static const char *const fast[] = {"rto", "300us", "in-flight", "16384", NULL};
    return sim_link_of("mprdma", fast, 0xffffff - 5000, 12000, seed);
}

START_TEST(reordering_within_the_bitmap_costs_nothing)
{
    struct sim_link link = link_of((uint64_t)_i);
    link.jitter = 60;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.tx.resent == 0 && o.tx.timeouts == 0 && o.nacks == 0);
    ck_assert_uint_eq(o.acks, link.packets);
}
END_TEST

/* Each loss costs the packets of the bitmap and of a round trip or so, but no timeout. */
START_TEST(a_loss_costs_what_was_out)
{
    static uint8_t mask[12000];
    struct sim_link link = link_of(2);
    memset(mask, 0, sizeof(mask));
    for (uint32_t i = 100; i < 11000; i += 1000)
    {
        mask[i] = 1;
    }
    link.mask = mask;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert_uint_ge(o.nacks, 11);
    ck_assert_uint_eq(o.tx.timeouts, 0);
    ck_assert_uint_ge(o.tx.resent, 11 * 2 * 8);
    ck_assert_uint_le(o.tx.resent, 11 * (64 + 2 * 8 + 1));
}
END_TEST

START_TEST(a_lost_tail_costs_one_timeout)
{
    static uint8_t mask[12000];
    struct sim_link link = link_of(3);
    memset(mask, 0, sizeof(mask));
    memset(mask + 12000 - 15, 1, 15);
    link.mask = mask;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.tx.timeouts == 1 && o.tx.resent == 15 && o.nacks == 0 && o.duplicates == 0);
}
END_TEST

START_TEST(everything_arrives_once_over_a_terrible_link)
{
    static const char *const bounded[] = {"rto", "300us", "delta", "8", "in-flight", "200", NULL};
    struct sim_link link =
        _i % 2 == 0 ? link_of((uint64_t)_i)
                    : sim_link_of("mprdma", bounded, 0xffffff - 5000, 12000, (uint64_t)_i);
    link.jitter = (uint32_t)_i * 6;
    link.data_loss = 0.02 * (_i % 4);
    link.reply_loss = 0.03 * (_i % 3);
    link.duplication = 0.05 * (_i % 5 == 1);
    link.chunk = _i % 3 == 0 ? 12000 : 777;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(link.data_loss == 0 || o.tx.resent > 0);
}
END_TEST

START_TEST(unsound_configurations_are_refused)
{
    const struct weft_transport_site nowhere = {0};
    begin("mprdma", 0, NULL);
    ck_assert_ptr_null(rig.ops->algo.check(rig.config));
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "window", "32"), WEFT_ERANGE);
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "window", "100"), 0);
    ck_assert_ptr_nonnull(rig.ops->algo.check(rig.config));
    memset(rig.config, 0, rig.ops->algo.config_size);
    ck_assert_int_eq(rig.ops->rx_init(rig.rx, rig.config, &nowhere), WEFT_ERANGE);
    ck_assert_int_eq(rig.ops->tx_init(rig.tx, rig.config, &nowhere), WEFT_ERANGE);
    end();
}
END_TEST

Suite *mprdma_suite(void);

Suite *
mprdma_suite(void)
{
    Suite *suite = suite_create("mprdma");
    TCase *tc = tcase_create("mprdma");
    tcase_add_loop_test(tc, a_packet_that_the_bitmap_cannot_hold_tells_of_a_loss, 0, 2);
    tcase_add_test(tc, repeated_packets_are_acknowledged);
    tcase_add_test(tc, a_nack_starts_one_recovery_of_all_that_is_out);
    tcase_add_test(tc, old_and_senseless_nacks_change_nothing);
    tcase_add_test(tc, the_timer_starts_a_recovery_as_well);
    tcase_add_test(tc, a_loss_is_found_after_more_packets_than_there_are_psns);
    tcase_add_test(tc, what_is_out_is_a_bandwidth_delay_product_and_the_bitmap);
    tcase_add_test(tc, acks_that_lag_behind_take_packets_off_the_window);
    tcase_add_test(tc, an_ack_may_lag_by_delta);
    tcase_add_test(tc, a_window_that_was_bounded_grows_by_one_in_a_round_trip);
    tcase_add_test(tc, without_a_bound_lagging_acks_change_nothing);
    tcase_add_loop_test(tc, receiver_matches_a_set_on_random_arrivals, 0, 6);
    tcase_add_loop_test(tc, reordering_within_the_bitmap_costs_nothing, 0, 3);
    tcase_add_test(tc, a_loss_costs_what_was_out);
    tcase_add_test(tc, a_lost_tail_costs_one_timeout);
    tcase_add_loop_test(tc, everything_arrives_once_over_a_terrible_link, 0, 12);
    tcase_add_test(tc, unsound_configurations_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}

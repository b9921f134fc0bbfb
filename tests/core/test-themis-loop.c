/* SPDX-License-Identifier: MIT */
/*
 * A user would lose Themis at scale: spurious retransmissions without loss, or losses left to the
 * RTO. Whole flows over N paths, with losses before and behind the destination's ToR.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "themis-loop.h"
#include "themis-rig.h"

/* N = 16, 60 packets in a last-hop round trip: the ring as the paper sizes it, with F = 1.5. */
static struct loop_setup
plain(uint64_t seed, uint64_t run)
{
    struct loop_setup s;
    memset(&s, 0, sizeof s);
    s.seed = seed;
    s.run = run;
    s.npaths = 16;
    s.spread = 24;
    s.rtt = 60;
    s.ring = 90;
    s.delay = 100;
    s.length = 20000;
    s.mode = "scan";
    s.width = "1";
    return s;
}

/* Any N, round trip, reordering; replies wait at the NIC by up to half a round trip. */
static struct loop_setup
random_setup(uint64_t seed, uint64_t run)
{
    struct weft_rng rng;
    struct loop_setup s = plain(seed, run);
    weft_rng_seed(&rng, seed, run, 1);
    s.npaths = 1 + weft_rng_below(&rng, 64);
    s.spread = 1 + weft_rng_below(&rng, 60);
    s.rtt = 1 + weft_rng_below(&rng, 80);
    s.jitter = weft_rng_below(&rng, s.rtt / 2 + 1);
    s.ring = s.rtt + s.rtt / 2 + 1;
    s.delay = 1 + weft_rng_below(&rng, 200);
    s.length = 3000;
    s.first = weft_rng_below(&rng, 2) ? WEFT_PSN_MASK - 1000 : weft_rng_u32(&rng) & WEFT_PSN_MASK;
    s.width = "2";
    return s;
}

/* No loss: every NACK that reaches the sender is spurious. */
START_TEST(without_loss_scan_lets_nothing_through_and_literal_does)
{
    static const uint32_t firsts[] = {0, 1000, WEFT_PSN_MASK - 7};
    for (unsigned i = 0; i < 3; i++)
    {
        struct loop_result r[3];
        memset(r, 0, sizeof r);
        for (int mode = 0; mode < 3; mode++)
        {
            struct loop_setup s = plain(42, i);
            s.first = firsts[i];
            s.mode = compensations[mode];
            themis_loop(&s, &r[mode]);
        }
        ck_assert_uint_gt(r[0].nacks, 1000);
        ck_assert_uint_eq(r[0].asked + r[0].timeouts, 0);
        ck_assert_uint_gt(r[1].spurious, 20);
        ck_assert_uint_eq(r[2].asked, 0);
    }
}
END_TEST

START_TEST(without_loss_nothing_passes_whatever_the_paths_and_round_trips)
{
    struct loop_result r;
    memset(&r, 0, sizeof r);
    for (uint64_t run = 0; run < 300; run++)
    {
        const struct loop_setup s = random_setup(7, run);
        themis_loop(&s, &r);
    }
    ck_assert_uint_gt(r.nacks, 10000);
    ck_assert_uint_eq(r.asked, 0);
    ck_assert_uint_eq(r.timeouts, 0);
}
END_TEST

/* Packets are late by more than one byte can tell, and by many times the ring. */
START_TEST(without_loss_nothing_passes_however_late_packets_come)
{
    static const uint32_t spreads[] = {100, 260, 300, 400, 600};
    struct loop_result r;
    memset(&r, 0, sizeof r);
    for (uint64_t run = 0; run < 50; run++)
    {
        struct loop_setup s = plain(5, run);
        s.spread = spreads[run % 5];
        s.width = run % 2 ? "2" : "1";
        s.length = 5000;
        themis_loop(&s, &r);
    }
    ck_assert_uint_gt(r.nacks, 10000);
    ck_assert_uint_eq(r.asked, 0);
    ck_assert_uint_eq(r.timeouts, 0);
}
END_TEST

/* PFC holds the NIC's replies for some rings' worths of packets, again and again, up to half of the
 * time. */
static struct loop_setup
paused_setup(uint64_t seed, uint64_t run)
{
    struct weft_rng rng;
    struct loop_setup s = random_setup(seed, run);
    weft_rng_seed(&rng, seed, run, 2);
    s.hold = 1 + weft_rng_below(&rng, 3 * s.ring);
    s.period = 2 * s.hold + weft_rng_below(&rng, 3 * s.ring);
    return s;
}

START_TEST(without_loss_nothing_passes_while_replies_are_paused)
{
    struct loop_result r;
    memset(&r, 0, sizeof r);
    for (uint64_t run = 0; run < 300; run++)
    {
        const struct loop_setup s = paused_setup(19, run);
        themis_loop(&s, &r);
    }
    ck_assert_uint_gt(r.nacks, 10000);
    ck_assert_uint_eq(r.asked, 0);
    ck_assert_uint_eq(r.timeouts, 0);
}
END_TEST

/* Losses before the ToR's down port (in the fabric or in the ToR's buffer), on the last hop, and
 * both; per 10,000. */
static const struct
{
    uint32_t before, last_hop;
} losses[] = {{100, 0}, {0, 100}, {100, 100}, {5, 5}, {1000, 1000}, {0, 0}};

#define NLOSSES (int)(sizeof losses / sizeof losses[0])

/* Every loss that can be known is asked for, once, and nothing else is. */
START_TEST(nic_sr_asks_once_for_every_loss_that_can_be_known)
{
    struct loop_result r;
    memset(&r, 0, sizeof r);
    for (uint64_t run = 0; run < 60; run++)
    {
        struct loop_setup s = random_setup(11, run);
        s.before = losses[_i].before;
        s.last_hop = losses[_i].last_hop;
        themis_loop(&s, &r);
    }
    ck_assert_uint_gt(r.losses, 100);
    ck_assert_uint_eq(r.spurious, 0);
    ck_assert_uint_eq(r.twice, 0);
    ck_assert_uint_eq(r.missed, 0);
    ck_assert_uint_eq(r.asked + r.timeouts, r.losses);
    if (losses[_i].last_hop > 0 && losses[_i].last_hop < 1000)
    {
        ck_assert_uint_gt(r.silent + r.turned, 0);
    }
    if (losses[_i].last_hop == 5) /* losses that are not the flow's last hope */
    {
        ck_assert_uint_lt(r.timeouts, 5);
    }
}
END_TEST

/* A packet is lost on the last hop, wherever in the flow, however it arrives: no timeout, be the
 * replies paused or not. */
START_TEST(a_single_loss_on_the_last_hop_needs_no_timeout)
{
    struct loop_result r;
    memset(&r, 0, sizeof r);
    for (uint64_t run = 0; run < 400; run++)
    {
        struct loop_setup s = _i ? paused_setup(17, run) : random_setup(17, run);
        const uint32_t lost = (uint32_t)run * 2;
        s.length = _i ? 3000 : 1400; /* what a pause lasts tells nothing */
        s.lost = &lost;
        s.nlost = 1;
        themis_loop(&s, &r);
    }
    ck_assert_uint_eq(r.losses, 400);
    ck_assert_uint_eq(r.asked, 400);
    ck_assert_uint_eq(r.spurious, 0);
    ck_assert_uint_eq(r.timeouts, 0);
}
END_TEST

/* Packets that go-back-N drops for their order are asked for as well, with losses and without. */
START_TEST(gbn_asks_for_all_that_can_be_known_to_be_missing)
{
    struct loop_result r;
    memset(&r, 0, sizeof r);
    for (uint64_t run = 0; run < 60; run++)
    {
        struct loop_setup s = random_setup(13, run);
        s.gbn = true;
        s.length = 300;
        s.before = losses[_i].before;
        s.last_hop = losses[_i].last_hop;
        themis_loop(&s, &r);
    }
    ck_assert_uint_gt(r.turned, 1000);
    ck_assert_uint_eq(r.missed, 0);
    ck_assert_uint_lt(r.timeouts * 50, r.asked); /* near the flows' ends, where nothing follows */
    ck_assert_uint_lt(r.spurious * 10, r.asked); /* on its way again, after an earlier rewind */
}
END_TEST

Suite *
themis_loop_suite(void)
{
    Suite *suite = suite_create("themis-loop");
    TCase *tcase = tcase_create("themis-loop");
    tcase_add_test(tcase, without_loss_scan_lets_nothing_through_and_literal_does);
    tcase_add_test(tcase, without_loss_nothing_passes_whatever_the_paths_and_round_trips);
    tcase_add_test(tcase, without_loss_nothing_passes_however_late_packets_come);
    tcase_add_test(tcase, without_loss_nothing_passes_while_replies_are_paused);
    tcase_add_loop_test(tcase, nic_sr_asks_once_for_every_loss_that_can_be_known, 0, NLOSSES - 1);
    tcase_add_loop_test(tcase, a_single_loss_on_the_last_hop_needs_no_timeout, 0, 2);
    tcase_add_loop_test(tcase, gbn_asks_for_all_that_can_be_known_to_be_missing, 0, NLOSSES);
    suite_add_tcase(suite, tcase);
    return suite;
}

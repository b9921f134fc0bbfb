/* SPDX-License-Identifier: MIT */
/* A user would lose the bound that every balancer is compared with: reordering must cost nothing.
 */
#include <check.h>
#include <string.h>

#include "nic-rig.h"
#include "sim-link.h"

START_TEST(reordering_is_never_answered_by_a_nack)
{
    begin("ideal", 0xfffffe, NULL);
    answers(0xffffff, WEFT_REPLY_ACK, 0xfffffe);
    answers(1, WEFT_REPLY_ACK, 0xfffffe);
    answers(0xfffffe, WEFT_REPLY_ACK, 0);
    answers(0, WEFT_REPLY_ACK, 2);
    const struct weft_rx_verdict v = arrive(1);
    ck_assert(v.reply == WEFT_REPLY_ACK && v.epsn == 2 && !v.fresh && v.duplicate);
    end();
}
END_TEST

START_TEST(what_the_bitmap_does_not_cover_is_not_answered)
{
    static const char *const small[] = {"window", "64", "outstanding", "64", NULL};
    begin("ideal", 0xfffffe, small);
    const struct weft_rx_verdict v = arrive(0xfffffe + 64);
    ck_assert(v.reply == WEFT_REPLY_NONE && !v.fresh && !v.duplicate);
    answers(0xfffffe + 63, WEFT_REPLY_ACK, 0xfffffe);
    end();
}
END_TEST

static struct sim_link
link_of(uint64_t seed)
{
    static const char *const fast[] = {"rto", "100us", NULL};
    struct sim_link link;
    memset(&link, 0, sizeof(link));
    begin("ideal", 0, fast);
    end();
    link.ops = rig.ops;
    link.config = rig.config;
    link.first_psn = 0xffffff - 2000;
    link.packets = 6000;
    link.chunk = 6000;
    link.delay = 8;
    link.seed = seed;
    return link;
}

START_TEST(reordering_costs_nothing)
{
    struct sim_link link = link_of(1);
    link.jitter = 30;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.nacks == 0 && o.tx.resent == 0 && o.tx.timeouts == 0);
    /* A packet leaves in each slot; the last one has its way there and its ACK the way back. */
    ck_assert_uint_le(o.slots, link.packets + 2 * (8 + 30) + 1);
}
END_TEST

START_TEST(only_the_timer_repeats_a_lost_packet)
{
    static uint8_t mask[6000];
    struct sim_link link = link_of(2);
    mask[10] = 1;
    mask[3000] = 2;
    link.mask = mask;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.nacks == 0 && o.tx.resent == 3 && o.tx.timeouts == 3 && o.duplicates == 0);
}
END_TEST

START_TEST(everything_arrives_once_over_a_terrible_link)
{
    struct sim_link link = link_of((uint64_t)_i);
    link.jitter = (uint32_t)_i * 5;
    link.data_loss = 0.01 * (_i % 4);
    link.reply_loss = 0.03 * (_i % 3);
    link.duplication = 0.05 * (_i % 2);
    link.chunk = _i % 2 == 0 ? 6000 : 777;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.nacks == 0);
    ck_assert(link.data_loss == 0 || o.tx.resent > 0);
}
END_TEST

Suite *
ideal_suite(void)
{
    Suite *suite = suite_create("ideal");
    TCase *tcase = tcase_create("ideal");
    tcase_add_test(tcase, reordering_is_never_answered_by_a_nack);
    tcase_add_test(tcase, what_the_bitmap_does_not_cover_is_not_answered);
    tcase_add_test(tcase, reordering_costs_nothing);
    tcase_add_test(tcase, only_the_timer_repeats_a_lost_packet);
    tcase_add_loop_test(tcase, everything_arrives_once_over_a_terrible_link, 0, 12);
    suite_add_tcase(suite, tcase);
    return suite;
}

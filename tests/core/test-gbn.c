/* SPDX-License-Identifier: MIT */
/* A user would lose go-back-N, the baseline of earlier RDMA NICs. */
#include <check.h>
#include <string.h>

#include "nic-rig.h"
#include "sim-link.h"

START_TEST(receiver_takes_packets_in_order_only)
{
    begin("gbn", 0xffffff, NULL);
    answers(0xffffff, WEFT_REPLY_ACK, 0);
    struct weft_rx_verdict v = arrive(1);
    ck_assert(v.reply == WEFT_REPLY_NACK && v.epsn == 0 && !v.fresh && !v.duplicate);
    v = arrive(2); /* one NACK per ePSN */
    ck_assert(v.reply == WEFT_REPLY_NONE && v.epsn == 0 && !v.fresh && !v.duplicate);
    answers(0, WEFT_REPLY_ACK, 1);
    answers(1, WEFT_REPLY_ACK, 2); /* it was dropped before */
    v = arrive(3);
    ck_assert(v.reply == WEFT_REPLY_NACK && v.epsn == 2);
    v = arrive(1);
    ck_assert(v.reply == WEFT_REPLY_ACK && v.epsn == 2 && !v.fresh && v.duplicate);
    end();
}
END_TEST

/* Six posted, five sent, from PSN 2^24 - 2 on. */
static void
five_sent(void)
{
    static const uint32_t psns[] = {0xfffffe, 0xffffff, 0, 1, 2};
    begin("gbn", 0xfffffe, NULL);
    rig.ops->tx_post(rig.tx, 6);
    for (int i = 0; i < 5; i++)
    {
        sends(WEFT_TX_NEW, psns[i]);
    }
}

START_TEST(a_nack_rewinds_the_sender)
{
    five_sent();
    ck_assert_uint_eq(reply(WEFT_NACK, 0, NOW), 2);
    sends(WEFT_TX_RETX, 0);
    sends(WEFT_TX_RETX, 1);
    sends(WEFT_TX_RETX, 2);
    sends(WEFT_TX_NEW, 3);
    sends(WEFT_TX_NONE, 0);
    const struct weft_tx_counters *c = rig.ops->tx_counters(rig.tx);
    ck_assert(c->sent == 6 && c->resent == 3 && c->nacks == 1 && c->timeouts == 0);
    end();
}
END_TEST

START_TEST(what_is_acknowledged_is_not_sent_again)
{
    five_sent();
    reply(WEFT_NACK, 0xfffffe, NOW);
    sends(WEFT_TX_RETX, 0xfffffe);
    ck_assert_uint_eq(reply(WEFT_ACK, 1, NOW), 3);
    sends(WEFT_TX_RETX, 1);
    reply(WEFT_NACK, 0, NOW); /* overtaken */
    sends(WEFT_TX_RETX, 2);
    sends(WEFT_TX_NEW, 3);
    end();
}
END_TEST

START_TEST(the_timer_rewinds_to_the_oldest)
{
    five_sent();
    reply(WEFT_ACK, 1, NOW + 7);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), NOW + 7 + RTO);
    rig.ops->tx_timeout(rig.tx, NOW + 6 + RTO);
    sends(WEFT_TX_NEW, 3);
    rig.ops->tx_timeout(rig.tx, NOW + 7 + RTO);
    sends(WEFT_TX_RETX, 1);
    sends(WEFT_TX_RETX, 2);
    sends(WEFT_TX_RETX, 3);
    sends(WEFT_TX_NONE, 0);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), NOW + 7 + 2 * RTO);
    reply(WEFT_ACK, 4, NOW + RTO);
    ck_assert(rig.ops->tx_deadline(rig.tx) == WEFT_NEVER);
    ck_assert(rig.ops->tx_counters(rig.tx)->timeouts == 1);
    end();
}
END_TEST

START_TEST(what_will_be_sent_again_is_in_flight_no_more)
{
    begin("gbn", 0xffffff, NULL);
    rig.ops->tx_post(rig.tx, 5);
    for (uint32_t i = 0; i < 5; i++)
    {
        sends(WEFT_TX_NEW, weft_psn_add(0xffffff, i));
    }
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 5);
    reply(WEFT_NACK, 0, NOW);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 0);
    sends(WEFT_TX_RETX, 0);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 1);
    end();
}
END_TEST

START_TEST(outstanding_packets_are_limited)
{
    static const char *const two[] = {"outstanding", "2", NULL};
    begin("gbn", 0, two);
    rig.ops->tx_post(rig.tx, 9);
    sends(WEFT_TX_NEW, 0);
    sends(WEFT_TX_NEW, 1);
    sends(WEFT_TX_NONE, 0);
    reply(WEFT_NACK, 0, NOW); /* a rewind takes no new room */
    sends(WEFT_TX_RETX, 0);
    sends(WEFT_TX_RETX, 1);
    sends(WEFT_TX_NONE, 0);
    end();
}
END_TEST

static struct sim_link
link_of(uint64_t seed)
{
    static const char *const fast[] = {"rto", "300us", NULL};
    struct sim_link link;
    memset(&link, 0, sizeof(link));
    begin("gbn", 0, fast);
    end();
    link.ops = rig.ops;
    link.config = rig.config;
    link.first_psn = 0xffffff - 2000;
    link.packets = 5000;
    link.chunk = 5000;
    link.delay = 8;
    link.seed = seed;
    return link;
}

START_TEST(a_loss_costs_a_round_trip_of_packets)
{
    static uint8_t mask[5000];
    struct sim_link link = link_of(1);
    mask[2500] = 1;
    link.mask = mask;
    const struct sim_outcome o = sim_link_run(&link);
    /* The next packet's NACK is back 1 + 2 * 8 slots after the loss; all sent since go again. */
    ck_assert_uint_eq(o.tx.resent, 1 + 2 * 8);
    ck_assert(o.tx.nacks == 1 && o.tx.timeouts == 0 && o.duplicates == 0);
}
END_TEST

START_TEST(everything_arrives_once_over_a_bad_link)
{
    struct sim_link link = link_of((uint64_t)_i);
    link.jitter = (uint32_t)_i % 3;
    link.data_loss = 0.005 * (_i % 4);
    link.reply_loss = 0.02 * (_i % 3);
    link.duplication = 0.02 * (_i % 2);
    link.chunk = _i % 2 == 0 ? 5000 : 777;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(link.data_loss == 0 || o.tx.resent > 0);
}
END_TEST

Suite *
gbn_suite(void)
{
    Suite *suite = suite_create("gbn");
    TCase *tcase = tcase_create("gbn");
    tcase_add_test(tcase, receiver_takes_packets_in_order_only);
    tcase_add_test(tcase, a_nack_rewinds_the_sender);
    tcase_add_test(tcase, what_is_acknowledged_is_not_sent_again);
    tcase_add_test(tcase, the_timer_rewinds_to_the_oldest);
    tcase_add_test(tcase, what_will_be_sent_again_is_in_flight_no_more);
    tcase_add_test(tcase, outstanding_packets_are_limited);
    tcase_add_test(tcase, a_loss_costs_a_round_trip_of_packets);
    tcase_add_loop_test(tcase, everything_arrives_once_over_a_bad_link, 0, 12);
    suite_add_tcase(suite, tcase);
    return suite;
}

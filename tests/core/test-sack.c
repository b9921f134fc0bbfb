/* SPDX-License-Identifier: MIT */
/* A user would lose the transport of sprayed packets: losses that wait for a timer, packets sent
 * again for nothing, or for ever (ofan §4, §8.2). */
#include <check.h>
#include <string.h>

#include <weft/error.h>
#include <weft/psn.h>
#include <weft/rng.h>

#include "must.h"
#include "nic-rig.h"
#include "sack-model.h"
#include "sim-link.h"

/* The ACK of one packet arrives at the sender: packets newly acknowledged. */
static uint32_t
acks(uint32_t psn, uint32_t epsn)
{
    const struct weft_packet packet = ack_of(psn, epsn);
    return rig.ops->tx_reply(rig.tx, &packet, NOW);
}

/* A sender with a threshold of 4 that has sent packets [first, first + n) and could send more. */
static void
begin_sent(uint32_t first, uint32_t n)
{
    static const char *const four[] = {"threshold", "4", NULL};
    begin("sack", first, four);
    rig.ops->tx_post(rig.tx, 1000);
    for (uint32_t i = 0; i < n; i++)
    {
        sends(WEFT_TX_NEW, weft_psn_add(first, i));
    }
}

START_TEST(every_packet_has_its_ack)
{
    static const char *const small[] = {"window", "64", "outstanding", "64", NULL};
    begin("sack", 0xfffffe, small);
    answers(0xfffffe, WEFT_REPLY_ACK, 0xffffff);
    answers(1, WEFT_REPLY_ACK, 0xffffff);
    answers(0, WEFT_REPLY_ACK, 0xffffff);
    struct weft_rx_verdict v = arrive(1); /* again, beyond the ePSN */
    ck_assert(v.reply == WEFT_REPLY_ACK && v.epsn == 0xffffff && !v.fresh && v.duplicate);
    answers(0xffffff, WEFT_REPLY_ACK, 2);
    v = arrive(0); /* again, before it */
    ck_assert(v.reply == WEFT_REPLY_ACK && v.epsn == 2 && !v.fresh && v.duplicate);
    v = arrive(2 + 64); /* beyond the bitmap: it was not kept, so nothing may say that it was */
    ck_assert(v.reply == WEFT_REPLY_NONE && !v.fresh && !v.duplicate);
    end();
}
END_TEST

START_TEST(an_ack_names_the_packet_that_it_answers)
{
    ck_assert_uint_eq(weft_ahead(7, 7), 0);
    ck_assert_uint_eq(weft_ahead(3, 0xfffffe), 5);
    ck_assert_uint_eq(weft_ahead(0xfffffe, 3), 0); /* from before the ePSN */
    ck_assert_uint_eq(weft_ahead(65535, 0), 65535);
    ck_assert_uint_eq(weft_ahead(65536, 0), 0);
    ck_assert_uint_eq(sizeof(struct weft_packet), 40);
}
END_TEST

START_TEST(the_gap_of_the_threshold_repeats_what_is_missing)
{
    begin_sent(0xffffff, 10); /* 0xffffff, 0, 1, ... 8; the first and 2 are lost */
    ck_assert_uint_eq(acks(0, 0xffffff), 0);
    ck_assert_uint_eq(acks(1, 0xffffff), 0);
    sends(WEFT_TX_NEW, 9);
    ck_assert_uint_eq(acks(3, 0xffffff), 0); /* 4 beyond the first */
    sends(WEFT_TX_RETX, 0xffffff);
    sends(WEFT_TX_RETX, 2);
    sends(WEFT_TX_NEW, 10);
    ck_assert_uint_eq(acks(0xffffff, 2), 3);
    ck_assert_uint_eq(acks(2, 4), 2);
    ck_assert_uint_eq(rig.ops->tx_una(rig.tx), 4);
    end();
}
END_TEST

START_TEST(one_less_than_the_threshold_is_reordering)
{
    begin_sent(5, 20);
    ck_assert_uint_eq(acks(8, 5), 0);
    ck_assert_uint_eq(acks(7, 5), 0);
    ck_assert_uint_eq(acks(6, 5), 0);
    sends(WEFT_TX_NEW, 25);
    ck_assert_uint_eq(acks(5, 9), 4);
    ck_assert_uint_eq(acks(12, 9), 0);
    sends(WEFT_TX_NEW, 26);
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->resent, 0);
    end();
}
END_TEST

START_TEST(further_acks_do_not_repeat_it_again)
{
    begin_sent(0, 10); /* 0 is lost, and its first retransmission as well */
    acks(4, 0);
    acks(3, 0);
    sends(WEFT_TX_RETX, 0);
    sends(WEFT_TX_RETX, 1);
    sends(WEFT_TX_RETX, 2);
    acks(1, 0);
    acks(2, 0);
    for (uint32_t psn = 5; psn < 10; psn++)
    {
        acks(psn, 0);
        sends(WEFT_TX_NEW, psn + 5);
    }
    /* 10 was the first one to leave behind the retransmission: 13 is 4 packets later. */
    acks(12, 0);
    sends(WEFT_TX_NEW, 15);
    acks(13, 0);
    sends(WEFT_TX_RETX, 0);
    /* 10 and 11 are first losses of their own: 14 is 4 beyond 10. */
    sends(WEFT_TX_NEW, 16);
    acks(14, 0);
    sends(WEFT_TX_RETX, 10);
    sends(WEFT_TX_RETX, 11);
    sends(WEFT_TX_NEW, 17);
    end();
}
END_TEST

START_TEST(a_lost_ack_is_made_up_for_by_the_next)
{
    begin_sent(0, 8);
    ck_assert_uint_eq(acks(2, 0), 0);
    ck_assert_uint_eq(acks(1, 0), 0);
    /* The ACK of 0 overtakes nothing: it says 3. An older one that names 3 comes after it. */
    ck_assert_uint_eq(acks(0, 3), 3);
    ck_assert_uint_eq(acks(3, 0), 1);
    ck_assert_uint_eq(rig.ops->tx_una(rig.tx), 4);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 4);
    ck_assert_uint_eq(acks(2, 0), 0);    /* duplicates of old ones change nothing */
    ck_assert_uint_eq(acks(100, 90), 0); /* nor does what was never sent */
    ck_assert_uint_eq(rig.ops->tx_una(rig.tx), 4);
    end();
}
END_TEST

START_TEST(the_timer_repeats_what_was_out_when_it_started)
{
    begin_sent(0, 6);
    acks(0, 1); /* starts the timer: 1 to 5 are out */
    acks(3, 1);
    sends(WEFT_TX_NEW, 6);
    const int64_t deadline = rig.ops->tx_deadline(rig.tx);
    ck_assert_int_eq(deadline, NOW + RTO);
    rig.ops->tx_timeout(rig.tx, deadline - 1);
    sends(WEFT_TX_NEW, 7);
    rig.ops->tx_timeout(rig.tx, deadline);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), deadline + RTO);
    acks(2, 1); /* late, but before its turn */
    sends(WEFT_TX_RETX, 1);
    sends(WEFT_TX_RETX, 4);
    sends(WEFT_TX_RETX, 5);
    sends(WEFT_TX_NEW, 8);
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->timeouts, 1);
    end();
}
END_TEST

START_TEST(the_timer_of_a_sender_that_was_idle_covers_its_first_packet)
{
    begin_sent(0xfffffe, 3);
    ck_assert_uint_eq(acks(0, 0xfffffe), 0);
    ck_assert_uint_eq(acks(0xfffffe, 1), 3); /* nothing is out any more */
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), WEFT_NEVER);
    sends(WEFT_TX_NEW, 1);
    sends(WEFT_TX_NEW, 2);
    rig.ops->tx_timeout(rig.tx, rig.ops->tx_deadline(rig.tx));
    sends(WEFT_TX_RETX, 1);
    sends(WEFT_TX_NEW, 3);
    rig.ops->tx_timeout(rig.tx, rig.ops->tx_deadline(rig.tx));
    sends(WEFT_TX_RETX, 1);
    sends(WEFT_TX_RETX, 2);
    sends(WEFT_TX_NEW, 4);
    end();
}
END_TEST

START_TEST(what_is_lost_is_in_flight_no_more)
{
    begin_sent(0, 10);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 10);
    acks(0, 1);
    acks(4, 1);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 8);
    acks(5, 1); /* 4 beyond the lowest missing one: 1, 2 and 3 are lost */
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 4);
    sends(WEFT_TX_RETX, 1);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 5);
    acks(3, 1); /* was late, and is not sent again */
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 5);
    sends(WEFT_TX_RETX, 2);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 6);
    rig.ops->tx_timeout(rig.tx, rig.ops->tx_deadline(rig.tx));
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 0); /* so that a window is free again */
    end();
}
END_TEST

START_TEST(a_tors_nack_is_counted_and_repeats_nothing)
{
    struct weft_packet nack;
    begin_sent(0, 10);
    memset(&nack, 0, sizeof(nack));
    nack.kind = WEFT_NACK;
    nack.psn = 3;
    ck_assert_uint_eq(rig.ops->tx_reply(rig.tx, &nack, NOW), 3);
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->nacks, 1);
    sends(WEFT_TX_NEW, 10);
    end();
}
END_TEST

START_TEST(a_loss_is_found_after_more_packets_than_there_are_psns)
{
    begin_sent(0, 0);
    rig.ops->tx_post(rig.tx, 40000000);
    uint32_t psn = 0;
    for (uint32_t i = 0; i < 20000000; i++)
    {
        MUST(rig.ops->tx_next(rig.tx, NOW, &psn) == WEFT_TX_NEW && psn == (i & WEFT_PSN_MASK));
        if (i % 9500000 == 9499990)
        {
            /* This one is lost, and found by the fourth behind it. */
            for (uint32_t k = 1; k <= 4; k++)
            {
                uint32_t next = 0;
                MUST(rig.ops->tx_next(rig.tx, NOW, &next) == WEFT_TX_NEW);
                MUST(acks(next, psn) == 0);
            }
            sends(WEFT_TX_RETX, psn);
            MUST(acks(psn, weft_psn_add(psn, 5)) == 5);
            i += 4;
            continue;
        }
        MUST(acks(psn, weft_psn_add(psn, 1)) == 1);
    }
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->resent, 2);
    end();
}
END_TEST

START_TEST(a_threshold_that_no_gap_can_reach_is_refused)
{
    static const char *const bad[] = {"threshold",   "128", "window", "128",
                                      "outstanding", "100", NULL};
    begin("sack", 0, bad);
    ck_assert_ptr_nonnull(rig.ops->algo.check(rig.config));
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "threshold", "127"), 0);
    ck_assert_ptr_null(rig.ops->algo.check(rig.config));
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "window", "96"), 0);
    ck_assert_ptr_nonnull(rig.ops->algo.check(rig.config));
    ck_assert_int_eq(weft_config_preset(&rig.ops->algo, rig.config, "alltoall"), 0);
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "window", "131072"), WEFT_ERANGE);
    end();
}
END_TEST

static struct sim_link
link_of(uint64_t seed, const char *threshold)
{
    const char *const settings[] = {"threshold", threshold, "rto", "300us", NULL};
    return sim_link_of("sack", settings, 0xffffff - 2000, SACK_MODEL_PACKETS, seed);
}

START_TEST(reordering_below_the_threshold_costs_nothing)
{
    struct sim_link link = link_of((uint64_t)_i, "32");
    link.jitter = 15; /* each way: 30 packets at most */
    struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.tx.resent == 0 && o.tx.timeouts == 0 && o.nacks == 0);
    ck_assert_uint_eq(o.acks, link.packets);
    ck_assert_uint_le(o.slots, link.packets + 2 * (8 + 15) + 1);
    link = link_of((uint64_t)_i, "6");
    link.jitter = 15;
    o = sim_link_run(&link);
    ck_assert(o.tx.resent > 0 && o.tx.timeouts == 0); /* so the threshold is what counts */
}
END_TEST

START_TEST(losses_need_no_timer_while_packets_follow)
{
    static uint8_t mask[SACK_MODEL_PACKETS];
    struct sim_link link = link_of(2, "32");
    uint32_t lost = 0;
    for (uint32_t i = 0; i < SACK_MODEL_PACKETS - 500; i += 1 + i % 60)
    {
        mask[i] = (uint8_t)(1 + i % 3); /* the retransmission as well, and that one's */
        lost += mask[i];
    }
    link.mask = mask;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert_uint_eq(o.tx.resent, lost);
    ck_assert(o.tx.timeouts == 0 && o.duplicates == 0);
    ck_assert_uint_le(o.slots, link.packets + lost + 2 * 8 + 1);
}
END_TEST

START_TEST(a_lost_tail_costs_one_timeout)
{
    static uint8_t mask[SACK_MODEL_PACKETS];
    struct sim_link link = link_of(3, "32");
    /* All of it leaves within the round trip before the last progress. */
    memset(mask + SACK_MODEL_PACKETS - 15, 1, 15);
    link.mask = mask;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.tx.timeouts == 1 && o.tx.resent == 15 && o.duplicates == 0);
}
END_TEST

/* The sender under test and the model of what it promises, side by side. */
static struct
{
    struct weft_transport_ops ops;
    const struct weft_transport_ops *real;
    struct sack_model model;
    uint32_t first_psn;
} spy;

static uint32_t
index_of(uint32_t psn)
{
    return (psn - spy.first_psn) & WEFT_PSN_MASK;
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
    MUST(what == WEFT_TX_NONE || index_of(*psn) == index);
    MUST(spy.real->tx_flight(tx) == sack_model_flight(&spy.model));
    return what;
}

static uint32_t
spy_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    const uint32_t epsn = index_of(reply->psn);
    /* 0: the ACK names nothing that its ePSN does not say already. */
    const uint32_t answered = reply->ahead > 0 ? epsn + reply->ahead : epsn - 1;
    const int64_t sent = reply->kind == WEFT_ACK ? reply->sent : -1;
    const uint32_t acked = spy.real->tx_reply(tx, reply, now);
    MUST(acked == sack_model_reply(&spy.model, epsn, answered, sent, now));
    MUST(index_of(spy.real->tx_una(tx)) == spy.model.una);
    MUST(spy.real->tx_deadline(tx) == sack_model_deadline(&spy.model));
    MUST(spy.real->tx_flight(tx) == sack_model_flight(&spy.model));
    return acked;
}

static void
spy_timeout(void *tx, int64_t now)
{
    MUST(now >= sack_model_deadline(&spy.model));
    spy.real->tx_timeout(tx, now);
    sack_model_timeout(&spy.model, now);
    MUST(spy.real->tx_deadline(tx) == sack_model_deadline(&spy.model));
    MUST(spy.real->tx_flight(tx) == sack_model_flight(&spy.model));
    MUST(spy.real->tx_sacked(tx) == sack_model_sacked(&spy.model));
}

START_TEST(it_does_what_the_plain_model_says_over_a_terrible_link)
{
    static const char *const thresholds[] = {"32", "6", "1", "0"};
    static const int32_t counts[] = {32, 6, 1, 0};
    const int32_t threshold = counts[_i % 4];
    struct sim_link link = link_of((uint64_t)_i, thresholds[_i % 4]);
    const bool tight = _i % 5 == 4; /* the sender often waits for its window */
    if (tight)
    {
        ck_assert_int_eq(weft_config_set(&link.ops->algo, rig.config, "outstanding", "40"), 0);
    }
    sack_model_init(&spy.model, threshold, INT64_C(300000000), tight ? 40 : 16384, 16384);
    if (threshold == 0)
    {
        sack_model_by_time(&spy.model, 2 * (int64_t)link.delay * SIM_SLOT);
    }
    spy.real = link.ops;
    spy.ops = *link.ops;
    spy.ops.tx_post = spy_post;
    spy.ops.tx_next = spy_next;
    spy.ops.tx_reply = spy_reply;
    spy.ops.tx_timeout = spy_timeout;
    spy.first_psn = link.first_psn;
    link.ops = &spy.ops;
    link.jitter = (uint32_t)(_i % 7) * 6;
    link.data_loss = 0.02 * (_i / 4 % 4);
    link.reply_loss = 0.1 * (_i % 3);
    link.duplication = 0.05 * (_i % 2);
    link.chunk = _i % 2 == 0 ? SACK_MODEL_PACKETS : 777;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.nacks == 0);
    ck_assert(link.data_loss == 0 || o.tx.resent > 0);
}
END_TEST

Suite *
sack_suite(void)
{
    Suite *suite = suite_create("sack");
    TCase *tcase = tcase_create("sack");
    tcase_add_test(tcase, every_packet_has_its_ack);
    tcase_add_test(tcase, an_ack_names_the_packet_that_it_answers);
    tcase_add_test(tcase, the_gap_of_the_threshold_repeats_what_is_missing);
    tcase_add_test(tcase, one_less_than_the_threshold_is_reordering);
    tcase_add_test(tcase, further_acks_do_not_repeat_it_again);
    tcase_add_test(tcase, a_lost_ack_is_made_up_for_by_the_next);
    tcase_add_test(tcase, the_timer_repeats_what_was_out_when_it_started);
    tcase_add_test(tcase, the_timer_of_a_sender_that_was_idle_covers_its_first_packet);
    tcase_add_test(tcase, what_is_lost_is_in_flight_no_more);
    tcase_add_test(tcase, a_tors_nack_is_counted_and_repeats_nothing);
    tcase_add_test(tcase, a_loss_is_found_after_more_packets_than_there_are_psns);
    tcase_add_test(tcase, a_threshold_that_no_gap_can_reach_is_refused);
    tcase_add_loop_test(tcase, reordering_below_the_threshold_costs_nothing, 0, 5);
    tcase_add_test(tcase, losses_need_no_timer_while_packets_follow);
    tcase_add_test(tcase, a_lost_tail_costs_one_timeout);
    tcase_add_loop_test(tcase, it_does_what_the_plain_model_says_over_a_terrible_link, 0, 84);
    suite_add_tcase(suite, tcase);
    return suite;
}

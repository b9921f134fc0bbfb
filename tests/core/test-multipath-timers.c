/* SPDX-License-Identifier: MIT */
/*
 * A timer for each packet (ethereal §4.1). If these fail, spraying is compared with what sends
 * packets again that were only overtaken, or that waits longer for lost ones than the timer says.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/rng.h>

#include "must.h"
#include "nic-rig.h"
#include "sim-link.h"

#define US INT64_C(1000000) /* ps */

static const char *const defaults[] = {NULL};

/* Packets @p first and on leave, 1 us apart, from @p now on. */
static void
send_new(uint32_t first, uint32_t n, int64_t now)
{
    rig.ops->tx_post(rig.tx, n);
    for (uint32_t i = 0; i < n; i++)
    {
        sends_at(now + i * US, WEFT_TX_NEW, (first + i) & WEFT_PSN_MASK);
    }
}

static uint32_t
ack(uint32_t place, uint32_t epsn, int64_t now)
{
    const struct weft_packet packet = ack_of(place, epsn);
    return rig.ops->tx_reply(rig.tx, &packet, now);
}

static void
fire(int64_t now)
{
    rig.ops->tx_timeout(rig.tx, now);
}

static uint64_t
timeouts(void)
{
    return rig.ops->tx_counters(rig.tx)->timeouts;
}

/* 0 and 2 of four are lost. Each is sent again 1 ms after it was sent, whatever came meanwhile. */
START_TEST(worked_example)
{
    begin("multipath-timers", 0, NULL);
    send_new(0, 4, 0);
    ck_assert_uint_eq(ack(1, 0, 10 * US), 0);
    ck_assert_uint_eq(ack(3, 0, 12 * US), 0);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 2);
    fire(RTO - 1);
    sends_at(RTO - 1, WEFT_TX_NONE, 0);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), RTO);
    fire(RTO);
    ck_assert_uint_eq(timeouts(), 1);
    sends_at(RTO, WEFT_TX_RETX, 0);
    sends_at(RTO, WEFT_TX_NONE, 0);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), RTO + 2 * US);
    fire(RTO + 2 * US);
    sends_at(RTO + 2 * US, WEFT_TX_RETX, 2);
    ck_assert_uint_eq(timeouts(), 1); /* the oldest packet has begun anew */
    ck_assert_uint_eq(ack(0, 2, RTO + 9 * US), 2);
    ck_assert_uint_eq(ack(2, 4, RTO + 9 * US), 2);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), WEFT_NEVER);
    end();
}
END_TEST

START_TEST(a_packet_sent_again_has_a_new_timer)
{
    begin("multipath-timers", 0xffffff, NULL);
    send_new(0xffffff, 2, 0);
    ack(0, 0xffffff, 3 * US);
    fire(RTO);
    sends_at(RTO + 5 * US, WEFT_TX_RETX, 0xffffff); /* it had to wait for its turn */
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), 2 * RTO + 5 * US);
    fire(2 * RTO + 5 * US);
    ck_assert_uint_eq(timeouts(), 2);
    sends_at(2 * RTO + 5 * US, WEFT_TX_RETX, 0xffffff);
    end();
}
END_TEST

/* Overtaken by any number of others: nothing is sent again. */
START_TEST(gaps_and_nacks_mean_nothing)
{
    begin("multipath-timers", 0, NULL);
    send_new(0, 600, 0);
    for (uint32_t i = 1; i < 600; i++)
    {
        ack(i, 0, 700 * US);
    }
    reply(WEFT_NACK, 0, 700 * US);
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->nacks, 1);
    sends_at(700 * US, WEFT_TX_NONE, 0);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 1);
    ck_assert_uint_eq(ack(0, 600, 800 * US), 600);
    end();
}
END_TEST

START_TEST(what_arrives_late_is_not_sent_again)
{
    begin("multipath-timers", 0, NULL);
    send_new(0, 3, 0);
    fire(RTO + 2 * US);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 0);
    ack(1, 0, RTO + 3 * US);
    sends_at(RTO + 3 * US, WEFT_TX_RETX, 0);
    sends_at(RTO + 3 * US, WEFT_TX_RETX, 2);
    sends_at(RTO + 3 * US, WEFT_TX_NONE, 0);
    end();
}
END_TEST

START_TEST(losses_are_told_once_each)
{
    uint32_t psn;
    begin("multipath-timers", 0, NULL);
    send_new(0, 3, 0);
    fire(RTO + US);
    ck_assert(rig.ops->tx_next_lost(rig.tx, &psn) && psn == 0);
    ck_assert(rig.ops->tx_next_lost(rig.tx, &psn) && psn == 1);
    ck_assert(!rig.ops->tx_next_lost(rig.tx, &psn));
    fire(RTO + 2 * US);
    ck_assert(rig.ops->tx_next_lost(rig.tx, &psn) && psn == 2);
    ck_assert(!rig.ops->tx_next_lost(rig.tx, &psn));
    end();
    begin("multipath-timers", 0, NULL);
    send_new(0, 2, 0);
    fire(RTO); /* nobody asks */
    fire(RTO + US);
    ck_assert(rig.ops->tx_next_lost(rig.tx, &psn) && psn == 1);
    ck_assert(!rig.ops->tx_next_lost(rig.tx, &psn));
    end();
}
END_TEST

START_TEST(the_receiver_keeps_any_order_and_names_what_it_answers)
{
    begin("multipath-timers", 5, NULL);
    answers(7, WEFT_REPLY_ACK, 5);
    answers(5, WEFT_REPLY_ACK, 6);
    ck_assert_uint_eq(arrive(7).reply, WEFT_REPLY_ACK);
    ck_assert(arrive(7).duplicate);
    answers(6, WEFT_REPLY_ACK, 8);
    ck_assert_uint_eq(arrive(8 + 1024).reply, WEFT_REPLY_NONE); /* beyond its buffer */
    end();
}
END_TEST

/* For each packet, when its timer runs out: the plainest sender there is. */
struct model
{
    uint32_t una, end;
    int64_t due[4000]; /* 0: acknowledged; WEFT_NEVER: to be sent again */
};

static void
model_ack(struct model *m, uint32_t place, uint32_t epsn)
{
    for (uint32_t i = m->una; i < m->end; i++)
    {
        m->due[i] = i < epsn || i == place ? 0 : m->due[i];
    }
    while (m->una < m->end && m->due[m->una] == 0)
    {
        m->una++;
    }
}

/* The next packet: of those that are to be sent again the first, or a new one. */
static uint32_t
model_next(struct model *m, int64_t now)
{
    uint32_t next = m->una;
    while (next < m->end && m->due[next] != WEFT_NEVER)
    {
        next++;
    }
    m->end += next == m->end;
    m->due[next] = now + 50 * US;
    return next;
}

static void
model_fire(struct model *m, int64_t now)
{
    for (uint32_t i = m->una; i < m->end; i++)
    {
        m->due[i] = m->due[i] != 0 && m->due[i] <= now ? WEFT_NEVER : m->due[i];
    }
}

/* The model counts packets from 0 on; half of them have PSNs before the wrap-around. */
#define FIRST (WEFT_PSN_MASK + 1U - 2000U)

/* Packets and ACKs at random, some of them lost. */
START_TEST(the_sender_agrees_with_a_plain_model)
{
    static const char *const settings[] = {"rto",         "50us", "window", "64",
                                           "outstanding", "64",   NULL};
    static struct model m;
    struct weft_rng rng;
    uint32_t epsn = 0;
    bool arrived[4000] = {false};
    memset(&m, 0, sizeof(m));
    weft_rng_seed(&rng, 3, 1, (uint64_t)_i);
    begin("multipath-timers", FIRST, settings);
    rig.ops->tx_post(rig.tx, 4000);
    for (int64_t now = 0; m.end < 3900; now += US)
    {
        uint32_t psn;
        fire(now);
        model_fire(&m, now);
        if (m.end - m.una < 64 && rig.ops->tx_ready(rig.tx))
        {
            MUST(rig.ops->tx_next(rig.tx, now, &psn) != WEFT_TX_NONE);
            psn = (psn - FIRST) & WEFT_PSN_MASK;
            MUST(psn == model_next(&m, now));
            arrived[psn] = arrived[psn] || weft_rng_below(&rng, 10) > 0;
        }
        else if (rig.ops->tx_ready(rig.tx))
        {
            MUST(rig.ops->tx_next(rig.tx, now, &psn) == WEFT_TX_RETX);
            psn = (psn - FIRST) & WEFT_PSN_MASK;
            MUST(psn == model_next(&m, now));
            arrived[psn] = true;
        }
        while (arrived[epsn])
        {
            epsn++;
        }
        const uint32_t place = m.una + weft_rng_below(&rng, m.end - m.una + 1);
        if (weft_rng_below(&rng, 3) > 0 && arrived[place])
        {
            ack(weft_psn_add(FIRST, place), weft_psn_add(FIRST, epsn), now);
            model_ack(&m, place, epsn);
        }
        MUST(rig.ops->tx_una(rig.tx) == weft_psn_add(FIRST, m.una));
    }
    ck_assert_uint_gt(rig.ops->tx_counters(rig.tx)->resent, 100);
    end();
}
END_TEST

START_TEST(everything_arrives_over_a_bad_link)
{
    struct sim_link link = sim_link_of("multipath-timers", defaults, 0xfffff0, 3000, (uint64_t)_i);
    link.jitter = 20;
    link.data_loss = 0.02 * _i;
    link.reply_loss = 0.01 * _i;
    link.duplication = 0.01;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(_i > 0 || o.tx.resent == 0);
    ck_assert(_i == 0 || o.tx.resent >= o.lost_data);
}
END_TEST

START_TEST(impossible_settings_are_refused)
{
    const struct weft_transport_ops *ops = weft_transport_find("multipath-timers");
    const struct weft_transport_site site = {.first_psn = 0};
    uint64_t config[8], state[64];
    memset(config, 0, sizeof(config));
    ck_assert_int_eq(ops->tx_init(state, config, &site), WEFT_ERANGE);
    ck_assert_int_eq(ops->rx_init(state, config, &site), WEFT_ERANGE);
}
END_TEST

Suite *multipath_timers_suite(void);

Suite *
multipath_timers_suite(void)
{
    Suite *suite = suite_create("multipath-timers");
    TCase *tcase = tcase_create("timers");
    tcase_add_test(tcase, worked_example);
    tcase_add_test(tcase, a_packet_sent_again_has_a_new_timer);
    tcase_add_test(tcase, gaps_and_nacks_mean_nothing);
    tcase_add_test(tcase, what_arrives_late_is_not_sent_again);
    tcase_add_test(tcase, losses_are_told_once_each);
    tcase_add_test(tcase, the_receiver_keeps_any_order_and_names_what_it_answers);
    tcase_add_loop_test(tcase, the_sender_agrees_with_a_plain_model, 0, 8);
    tcase_add_loop_test(tcase, everything_arrives_over_a_bad_link, 0, 4);
    tcase_add_test(tcase, impossible_settings_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

/* SPDX-License-Identifier: MIT */
/*
 * The transport for trimming switches. If these fail, a trimmed packet is taken for delivered, is
 * sent again too late, twice or never, or a QP stands still until its timer fires.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/rng.h>

#include "must.h"
#include "nic-rig.h"

Suite *trim_suite(void);

/* A header of that packet comes to the receiver. */
static struct weft_rx_verdict
header_arrives(uint32_t psn)
{
    struct weft_rx_verdict verdict;
    struct weft_packet data;
    memset(&data, 0, sizeof data);
    memset(&verdict, 0xff, sizeof verdict);
    data.psn = psn & WEFT_PSN_MASK;
    data.flags = WEFT_F_TRIMMED;
    verdict.place = data.psn;
    rig.ops->rx_data(rig.rx, &data, NOW, &verdict);
    MUST(!verdict.fresh && verdict.place == data.psn);
    MUST(verdict.asks_place || verdict.reply != WEFT_REPLY_NACK);
    return verdict;
}

/* The sender hears of a trimmed packet @p psn from a receiver that waits for @p epsn. */
static uint32_t
nack_of(uint32_t psn, uint32_t epsn, int64_t now)
{
    struct weft_packet nack = ack_of(psn, epsn);
    nack.kind = WEFT_NACK;
    nack.flags = WEFT_F_TRIMMED | WEFT_F_ASKS_AHEAD;
    return rig.ops->tx_reply(rig.tx, &nack, now);
}

static uint32_t
ack(uint32_t place, uint32_t epsn, int64_t now)
{
    const struct weft_packet packet = ack_of(place, epsn);
    return rig.ops->tx_reply(rig.tx, &packet, now);
}

static void
send_new(uint32_t first, uint32_t n)
{
    rig.ops->tx_post(rig.tx, n);
    for (uint32_t i = 0; i < n; i++)
    {
        sends(WEFT_TX_NEW, (first + i) & WEFT_PSN_MASK);
    }
}

/* A B C D E = 0 .. 4 are under way, two more wait. D is trimmed, and overtakes B. */
START_TEST(worked_example)
{
    begin("trim", 0, NULL);
    send_new(0, 5);
    rig.ops->tx_post(rig.tx, 2);
    answers(0, WEFT_REPLY_ACK, 1);
    const struct weft_rx_verdict v = header_arrives(3);
    ck_assert_int_eq(v.reply, WEFT_REPLY_NACK);
    ck_assert_uint_eq(v.epsn, 1);
    ck_assert(!v.duplicate);
    answers(1, WEFT_REPLY_ACK, 2);
    answers(2, WEFT_REPLY_ACK, 3);
    answers(4, WEFT_REPLY_ACK, 3);
    ck_assert_uint_eq(ack(0, 1, NOW), 1);
    ck_assert_uint_eq(nack_of(3, 1, NOW), 0);
    sends(WEFT_TX_RETX, 3); /* before what is new */
    sends(WEFT_TX_NEW, 5);
    answers(3, WEFT_REPLY_ACK, 5);
    ck_assert_uint_eq(ack(3, 5, NOW), 4);
    sends(WEFT_TX_NEW, 6);
    sends(WEFT_TX_NONE, 0);
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->nacks, 1);
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->resent, 1);
    end();
}
END_TEST

/* The PSN wraps around: the oldest packet is trimmed, so that ahead is 0. */
START_TEST(the_oldest_packet_is_named_by_the_epsn)
{
    begin("trim", WEFT_PSN_MASK, NULL);
    send_new(WEFT_PSN_MASK, 3);
    const struct weft_rx_verdict v = header_arrives(WEFT_PSN_MASK);
    ck_assert_int_eq(v.reply, WEFT_REPLY_NACK);
    ck_assert_uint_eq(v.epsn, WEFT_PSN_MASK);
    ck_assert_uint_eq(nack_of(WEFT_PSN_MASK, WEFT_PSN_MASK, NOW), 0);
    sends(WEFT_TX_RETX, WEFT_PSN_MASK);
    sends(WEFT_TX_NONE, 0);
    end();
}
END_TEST

START_TEST(retransmissions_go_in_psn_order)
{
    begin("trim", 0, NULL);
    send_new(0, 10);
    nack_of(7, 0, NOW);
    nack_of(2, 0, NOW);
    nack_of(5, 0, NOW);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 7);
    sends(WEFT_TX_RETX, 2);
    nack_of(3, 0, NOW); /* in between */
    nack_of(1, 0, NOW); /* behind the last one sent */
    sends(WEFT_TX_RETX, 1);
    sends(WEFT_TX_RETX, 3);
    sends(WEFT_TX_RETX, 5);
    sends(WEFT_TX_RETX, 7);
    sends(WEFT_TX_NONE, 0);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 10);
    end();
}
END_TEST

START_TEST(each_nack_stands_for_one_transmission)
{
    begin("trim", 0, NULL);
    send_new(0, 4);
    nack_of(2, 0, NOW);
    nack_of(2, 0, NOW); /* still waits: once is enough */
    sends(WEFT_TX_RETX, 2);
    sends(WEFT_TX_NONE, 0);
    nack_of(2, 0, NOW); /* that one was trimmed, too */
    sends(WEFT_TX_RETX, 2);
    ack(2, 0, NOW);
    nack_of(2, 0, NOW); /* it has come meanwhile */
    nack_of(9, 0, NOW); /* never sent */
    sends(WEFT_TX_NONE, 0);
    nack_of(1, 0, NOW);
    ack(3, 2, NOW); /* 1 has come after all: not sent again */
    sends(WEFT_TX_NONE, 0);
    ck_assert_uint_eq(rig.ops->tx_una(rig.tx), 4);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 0);
    ck_assert_uint_eq(rig.ops->tx_sacked(rig.tx), 0);
    nack_of(4, 4, NOW); /* nothing is under way that a timer could watch */
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), WEFT_NEVER);
    end();
}
END_TEST

/* A ToR's, as Themis makes it: its `ahead` tells what has arrived. */
START_TEST(a_nack_that_asks_for_the_epsn_gets_it)
{
    begin("trim", 0, NULL);
    send_new(0, 8);
    struct weft_packet nack = ack_of(5, 2);
    nack.kind = WEFT_NACK;
    nack.flags = WEFT_F_COMPENSATED;
    ck_assert_uint_eq(rig.ops->tx_reply(rig.tx, &nack, NOW), 2);
    sends(WEFT_TX_RETX, 2);
    sends(WEFT_TX_NONE, 0);
    end();
}
END_TEST

START_TEST(an_ack_of_several_packets_names_them)
{
    begin("trim", 0, NULL);
    send_new(0, 10);
    struct weft_packet several = ack_of(8, 1);
    weft_set_ack_bitmap(&several, UINT64_C(1) << 0 | UINT64_C(1) << 4); /* 7 and 3 */
    ck_assert_uint_eq(rig.ops->tx_reply(rig.tx, &several, NOW), 1);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 6);
    nack_of(7, 1, NOW); /* it has come meanwhile */
    sends(WEFT_TX_NONE, 0);
    ck_assert_uint_eq(ack(2, 4, NOW), 3);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 4); /* 4, 5, 6 and 9 */
    end();
}
END_TEST

START_TEST(a_header_of_what_has_arrived_is_acknowledged)
{
    begin("trim", 0, NULL);
    answers(0, WEFT_REPLY_ACK, 1);
    answers(5, WEFT_REPLY_ACK, 1);
    const uint32_t psns[] = {0, 5};
    for (size_t i = 0; i < 2; i++)
    {
        const struct weft_rx_verdict v = header_arrives(psns[i]);
        ck_assert_int_eq(v.reply, WEFT_REPLY_ACK);
        ck_assert(v.duplicate);
    }
    ck_assert_int_eq(header_arrives(1 + 20000).reply, WEFT_REPLY_NONE); /* beyond the window */
    ck_assert_int_eq(header_arrives(5 + 16384).reply, WEFT_REPLY_NONE); /* where 5 has its bit */
    end();
}
END_TEST

/* Packets overtake each other on many paths: a gap is no loss. */
START_TEST(a_gap_is_not_a_loss)
{
    begin("trim", 0, NULL);
    send_new(0, 200);
    for (uint32_t psn = 1; psn < 200; psn++)
    {
        ck_assert_uint_eq(ack(psn, 0, NOW), 0);
    }
    sends(WEFT_TX_NONE, 0);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 1);
    ck_assert_uint_eq(ack(0, 200, NOW), 200);
    end();
}
END_TEST

/* The timer sends again what is lost in silence: all that is missing and old enough. */
START_TEST(timer_covers_lost_headers_and_replies)
{
    const char *const settings[] = {"rto", "100ns", NULL};
    begin("trim", 0, settings);
    rig.ops->tx_post(rig.tx, 6);
    for (uint32_t psn = 0; psn < 4; psn++)
    {
        sends_at(1000 + psn, WEFT_TX_NEW, psn);
    }
    ack(2, 0, 2000);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), 101000);
    ck_assert_uint_eq(ack(0, 1, 50000), 1); /* progress: 1 and 3 are watched from now on */
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), 150000);
    sends_at(60000, WEFT_TX_NEW, 4);
    rig.ops->tx_timeout(rig.tx, 149999);
    sends_at(149999, WEFT_TX_NEW, 5);
    rig.ops->tx_timeout(rig.tx, 150000);
    sends_at(150000, WEFT_TX_RETX, 1);
    sends_at(150000, WEFT_TX_RETX, 3);
    sends_at(150000, WEFT_TX_NONE, 0); /* 4 and 5 are younger than the timer */
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), 250000);
    nack_of(1, 1, 200000); /* heard of: the timer watches its next transmission */
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), 300000);
    nack_of(3, 1, 210000);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), 300000);
    end();
}
END_TEST

/* Packets 1 and 2 are lost in silence; they were under way when the timer was started anew. */
START_TEST(a_timer_started_by_a_nack_watches_all_that_was_sent)
{
    const char *const settings[] = {"rto", "100ns", NULL};
    begin("trim", 0, settings);
    rig.ops->tx_post(rig.tx, 4);
    for (uint32_t psn = 0; psn < 3; psn++)
    {
        sends_at(1000, WEFT_TX_NEW, psn);
    }
    nack_of(0, 0, 50000);
    sends_at(50000, WEFT_TX_RETX, 0);
    sends_at(60000, WEFT_TX_NEW, 3);
    rig.ops->tx_timeout(rig.tx, 150000);
    for (uint32_t psn = 0; psn < 3; psn++)
    {
        sends_at(150000, WEFT_TX_RETX, psn);
    }
    sends_at(150000, WEFT_TX_NONE, 0); /* 3 is younger than the timer */
    end();
}
END_TEST

/* Each time, it is for what had been sent when it was started, and news are of that time alone. */
START_TEST(a_timer_that_fires_again_watches_what_was_sent_before)
{
    const char *const settings[] = {"rto", "100ns", NULL};
    uint32_t psn;
    begin("trim", 0, settings);
    rig.ops->tx_post(rig.tx, 3);
    sends_at(1000, WEFT_TX_NEW, 0);
    sends_at(2000, WEFT_TX_NEW, 1);
    sends_at(2000, WEFT_TX_NEW, 2);
    nack_of(2, 0, 50000); /* nobody asks which packet is lost by it */
    sends_at(50000, WEFT_TX_RETX, 2);
    for (int n = 1; n <= 2; n++)
    {
        const int64_t at = 1000 + n * 100000;
        rig.ops->tx_timeout(rig.tx, at);
        for (uint32_t lost = 0; lost < (n == 1 ? 1 : 3); lost++)
        {
            ck_assert(rig.ops->tx_next_lost(rig.tx, &psn) && psn == lost);
            sends_at(at, WEFT_TX_RETX, lost);
        }
        ck_assert(!rig.ops->tx_next_lost(rig.tx, &psn));
        sends_at(at, WEFT_TX_NONE, 0);
    }
    end();
}
END_TEST

START_TEST(impossible_windows_are_refused)
{
    const struct weft_transport_site nowhere = {0};
    begin("trim", 0, NULL);
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "window", "131072"), WEFT_ERANGE);
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "window", "64"), 0);
    ck_assert_ptr_nonnull(rig.ops->algo.check(rig.config)); /* outstanding exceeds it */
    ck_assert_int_eq(rig.ops->tx_init(rig.tx, rig.config, &nowhere), WEFT_ERANGE);
    memset(rig.config, 0, rig.ops->algo.config_size);
    ck_assert_int_eq(rig.ops->tx_init(rig.tx, rig.config, &nowhere), WEFT_ERANGE);
    ck_assert_int_eq(rig.ops->rx_init(rig.rx, rig.config, &nowhere), WEFT_ERANGE);
    end();
}
END_TEST

/* A fabric that trims, reorders and loses: what is sent and what is answered, in random order. */
struct flight
{
    struct weft_packet packet[512];
    uint32_t n;
};

static void
put(struct flight *f, const struct weft_packet *p)
{
    MUST(f->n < 512);
    f->packet[f->n++] = *p;
}

static struct weft_packet
take(struct flight *f, struct weft_rng *rng)
{
    const uint32_t i = weft_rng_below(rng, f->n);
    const struct weft_packet p = f->packet[i];
    f->packet[i] = f->packet[--f->n];
    return p;
}

static void
receive(const struct weft_packet *data, struct flight *replies, uint32_t *placed)
{
    struct weft_rx_verdict v;
    v.place = data->psn;
    rig.ops->rx_data(rig.rx, data, NOW, &v);
    *placed += v.fresh;
    MUST(v.reply != WEFT_REPLY_NONE);
    struct weft_packet reply = ack_of(data->psn, v.epsn);
    MUST(weft_psn_add(v.epsn, reply.ahead) == data->psn || reply.ahead == 0);
    reply.kind = v.reply == WEFT_REPLY_NACK ? WEFT_NACK : WEFT_ACK;
    reply.flags = reply.kind == WEFT_NACK ? WEFT_F_TRIMMED | WEFT_F_ASKS_AHEAD : 0;
    put(replies, &reply);
}

START_TEST(everything_arrives_once)
{
    const char *const settings[] = {"window", "64", "outstanding", "64", "rto", "100ns", NULL};
    const uint32_t first = WEFT_PSN_MASK - 500, packets = 3000;
    static struct flight data, replies;
    struct weft_rng rng;
    uint32_t placed = 0;
    int64_t now = 0;
    weft_rng_seed(&rng, 12, 0, (uint64_t)_i);
    begin("trim", first, settings);
    rig.ops->tx_post(rig.tx, packets);
    data.n = replies.n = 0;
    while (rig.ops->tx_una(rig.tx) != weft_psn_add(first, packets))
    {
        struct weft_packet p = {.kind = WEFT_DATA};
        uint32_t psn;
        now += 1000;
        MUST(now < INT64_C(1000000000000));
        if (data.n < 200 && rig.ops->tx_next(rig.tx, now, &psn) != WEFT_TX_NONE)
        {
            p.psn = psn & WEFT_PSN_MASK;
            p.flags = weft_rng_below(&rng, 4) == 0 ? WEFT_F_TRIMMED : 0;
            put(&data, &p);
        }
        if (data.n > 0 && weft_rng_below(&rng, 2))
        {
            p = take(&data, &rng);
            if (!_i || weft_rng_below(&rng, 50) || !(p.flags & WEFT_F_TRIMMED))
            {
                receive(&p, &replies, &placed);
            }
        }
        if (replies.n > 0 && weft_rng_below(&rng, 2))
        {
            p = take(&replies, &rng);
            if (!_i || weft_rng_below(&rng, 50))
            {
                rig.ops->tx_reply(rig.tx, &p, now);
            }
        }
        rig.ops->tx_timeout(rig.tx, now);
        MUST(rig.ops->tx_flight(rig.tx) <= 64);
    }
    ck_assert_uint_eq(placed, packets);
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 0);
    ck_assert(!rig.ops->tx_ready(rig.tx));
    end();
}
END_TEST

Suite *
trim_suite(void)
{
    Suite *suite = suite_create("trim");
    TCase *tc = tcase_create("trim");
    tcase_add_test(tc, worked_example);
    tcase_add_test(tc, the_oldest_packet_is_named_by_the_epsn);
    tcase_add_test(tc, retransmissions_go_in_psn_order);
    tcase_add_test(tc, each_nack_stands_for_one_transmission);
    tcase_add_test(tc, a_nack_that_asks_for_the_epsn_gets_it);
    tcase_add_test(tc, an_ack_of_several_packets_names_them);
    tcase_add_test(tc, a_header_of_what_has_arrived_is_acknowledged);
    tcase_add_test(tc, a_gap_is_not_a_loss);
    tcase_add_test(tc, timer_covers_lost_headers_and_replies);
    tcase_add_test(tc, a_timer_started_by_a_nack_watches_all_that_was_sent);
    tcase_add_test(tc, a_timer_that_fires_again_watches_what_was_sent_before);
    tcase_add_test(tc, impossible_windows_are_refused);
    tcase_add_loop_test(tc, everything_arrives_once, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}

/* SPDX-License-Identifier: MIT */
/* A user would see packets sent again that had only been overtaken, or losses that wait for the
 * timer (RFC 8985): then the NIC, and not the balancer, decides a comparison. */
#include <check.h>
#include <string.h>

#include <weft/psn.h>

#include "must.h"
#include "nic-rig.h"
#include "sim-link.h"

#define US  INT64_C(1000000)
#define RTT (8 * US)

static void
begin_time(uint32_t first, const char *const *settings)
{
    begin_at(&(struct weft_transport_site){.first_psn = first, .base_rtt = RTT}, "sack", settings);
}

/* Packet @p n leaves at n us, for the first time. */
static void
leaves(uint32_t first, uint32_t n)
{
    sends_at(n * US, WEFT_TX_NEW, weft_psn_add(first, n));
}

/* Packets [0, n) leave, and @p more could. */
static void
leave(uint32_t first, uint32_t n, uint32_t more)
{
    rig.ops->tx_post(rig.tx, n + more);
    for (uint32_t i = 0; i < n; i++)
    {
        leaves(first, i);
    }
}

/* The ACK of packet @p place, which left at @p sent, arrives one RTT after that, or at @p now. */
static void
acked_at(int64_t now, uint32_t place, uint32_t epsn, int64_t sent)
{
    struct weft_packet ack = ack_of(place, epsn);
    ack.sent = sent;
    rig.ops->tx_reply(rig.tx, &ack, now);
}

static void
acked(uint32_t place, uint32_t epsn, int64_t sent)
{
    acked_at(sent + RTT, place, epsn, sent);
}

/* Acknowledges packets [from, to), which left at as many us, with that ePSN. */
static void
acked_run(uint32_t first, uint32_t from, uint32_t to, uint32_t epsn)
{
    for (uint32_t i = from; i < to; i++)
    {
        acked(weft_psn_add(first, i), weft_psn_add(first, epsn), i * US);
    }
}

static uint64_t
resent(void)
{
    return rig.ops->tx_counters(rig.tx)->resent;
}

static bool
is_told_lost(uint32_t psn)
{
    uint32_t lost = 0;
    return rig.ops->tx_next_lost(rig.tx, &lost) && lost == psn;
}

/* RFC 8985 §6.2, step 5: the first window is the base RTT. */
START_TEST(a_packet_is_lost_once_one_was_acknowledged_that_left_a_window_later)
{
    const uint32_t first = _i == 0 ? 100 : 0xfffffc;
    begin_time(first, NULL);
    leave(first, 20, 100);
    acked_run(first, 1, 8, 0);
    sends_at(20 * US, WEFT_TX_NEW, weft_psn_add(first, 20));
    acked_run(first, 8, 9, 0);
    ck_assert(is_told_lost(first) && !is_told_lost(first));
    sends_at(21 * US, WEFT_TX_RETX, first);
    sends_at(22 * US, WEFT_TX_NEW, weft_psn_add(first, 21));
    ck_assert_uint_eq(resent(), 1);
    end();
}
END_TEST

/* A gap of 1,000 packets is none if they left at once. */
START_TEST(no_number_of_packets_makes_a_loss)
{
    begin_time(0, NULL);
    rig.ops->tx_post(rig.tx, 4000);
    for (uint32_t i = 0; i < 2000; i++)
    {
        sends_at(i * 1000, WEFT_TX_NEW, i);
    }
    for (uint32_t i = 1; i < 2000; i++)
    {
        acked(i, 0, i * 1000);
    }
    sends_at(11 * US, WEFT_TX_NEW, 2000);
    acked(0, 2000, 0);
    ck_assert_uint_eq(resent(), 0);
    end();
}
END_TEST

/* §6.2, step 4: the window is twice what an answer was late. */
START_TEST(a_late_answer_widens_the_window)
{
    begin_time(0, NULL);
    leave(0, 40, 100);
    acked_run(0, 1, 8, 0);
    acked_at(16 * US, 0, 8, 0); /* 7 us late: the window is 14 us, and falls with milestones */
    acked_run(0, 9, 19, 8);     /* 8 was overtaken by 10 us */
    sends_at(40 * US, WEFT_TX_NEW, 40);
    acked_run(0, 19, 20, 8);
    sends_at(41 * US, WEFT_TX_RETX, 8);
    ck_assert_uint_eq(resent(), 1);
    end();
}
END_TEST

/* The answer of the original says when that left: it was not lost (Eifel, RFC 3522). */
START_TEST(what_arrives_after_it_was_sent_again_widens_the_window)
{
    begin_time(0, NULL);
    leave(0, 60, 100);
    acked_run(0, 1, 10, 0);
    sends_at(60 * US, WEFT_TX_RETX, 0);
    acked_run(0, 10, 20, 0);
    acked_at(61 * US, 0, 20, 0); /* 19 us late */
    acked_run(0, 21, 55, 20);    /* 20 was overtaken by 34 us: the window is 38 us */
    sends_at(62 * US, WEFT_TX_NEW, 60);
    ck_assert_uint_eq(resent(), 1);
    end();
}
END_TEST

/* RFC 8985 has a window for 16 recoveries. */
START_TEST(the_window_forgets_down_to_a_quarter_of_the_base_rtt)
{
    begin_time(0, NULL);
    rig.ops->tx_post(rig.tx, 4000);
    for (uint32_t i = 0; i < 1000; i++)
    {
        leaves(0, i);
        acked(i, i + 1, i * US);
    }
    for (uint32_t i = 1000; i < 1010; i++)
    {
        leaves(0, i);
    }
    acked_run(0, 1001, 1003, 1000);
    sends_at(1010 * US, WEFT_TX_NEW, 1010);
    acked_run(0, 1003, 1006, 1000); /* 2 us, and less than 2 between milestones */
    sends_at(1011 * US, WEFT_TX_RETX, 1000);
    end();
}
END_TEST

START_TEST(a_parameter_holds_the_window_fast)
{
    static const char *const fast[] = {"reorder-min", "3us", "reorder-max", "3us", NULL};
    begin_time(0, fast);
    leave(0, 40, 100);
    acked_run(0, 1, 3, 0);
    sends_at(40 * US, WEFT_TX_NEW, 40);
    acked_run(0, 3, 4, 0);
    sends_at(41 * US, WEFT_TX_RETX, 0);
    acked_at(42 * US, 0, 4, 0);
    acked_run(0, 5, 10, 4);
    sends_at(42 * US, WEFT_TX_RETX, 4);
    end();
}
END_TEST

/* Also where it is less than a quarter of the base RTT, and nobody says how little it may be. */
START_TEST(the_greatest_window_holds)
{
    static const char *const fast[] = {"reorder-max", "1us", NULL};
    static const char *const wrong[] = {"reorder-min", "2us", "reorder-max", "1us", NULL};
    begin_time(0, fast);
    leave(0, 10, 100);
    acked_run(0, 1, 2, 0);
    sends_at(12 * US, WEFT_TX_RETX, 0);
    end();
    begin_time(0, wrong);
    ck_assert_str_eq(rig.ops->algo.check(rig.config),
                     "reorder-max is less than reorder-min; expected as much or more");
    end();
}
END_TEST

START_TEST(a_retransmission_is_lost_a_window_after_it)
{
    static const char *const fast[] = {"reorder-min", "8us", "reorder-max", "8us", NULL};
    begin_time(0, fast);
    leave(0, 9, 100);
    acked_run(0, 1, 9, 0);
    sends_at(17 * US, WEFT_TX_RETX, 0);
    for (uint32_t i = 9; i < 30; i++)
    {
        sends_at((9 + i) * US, WEFT_TX_NEW, i);
    }
    for (uint32_t i = 9; i < 15; i++)
    {
        acked(i, 0, (9 + i) * US);
    }
    sends_at(40 * US, WEFT_TX_NEW, 30);
    acked(15, 0, 24 * US);
    sends_at(41 * US, WEFT_TX_NEW, 31);
    acked(16, 0, 25 * US);
    ck_assert(is_told_lost(0));
    sends_at(42 * US, WEFT_TX_RETX, 0);
    sends_at(43 * US, WEFT_TX_NEW, 32);
    end();
}
END_TEST

/* §7: no answer of the last packets; one of them asks. */
START_TEST(a_probe_finds_a_lost_tail_without_a_timeout)
{
    begin_time(0, NULL);
    leave(0, 10, 0);
    acked_run(0, 0, 6, 0);
    acked(5, 6, 5 * US);
    const int64_t due = rig.ops->tx_deadline(rig.tx);
    ck_assert(due > 13 * US + RTT && due < 13 * US + 5 * RTT);
    rig.ops->tx_timeout(rig.tx, due - 1);
    ck_assert(!rig.ops->tx_ready(rig.tx));
    rig.ops->tx_timeout(rig.tx, due);
    ck_assert(!is_told_lost(6)); /* a probe is no loss */
    sends_at(due, WEFT_TX_RETX, 6);
    ck_assert(!rig.ops->tx_ready(rig.tx));
    acked(6, 7, due);
    ck_assert(is_told_lost(7));
    for (uint32_t psn = 7; psn < 10; psn++)
    {
        sends_at(due + RTT, WEFT_TX_RETX, psn);
    }
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->timeouts, 0);
    acked(9, 10, due + RTT);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), WEFT_NEVER);
    end();
}
END_TEST

/* The last ten packets are lost, and all but one once more. Returns when a probe has asked for
 * them, which is packet 1; @p more are posted then. */
static int64_t
asks_after_a_lost_round(uint32_t more)
{
    static const char *const fast[] = {"reorder-min", "8us", "reorder-max", "8us", NULL};
    begin_time(0, fast);
    leave(0, 10, 0);
    const int64_t first = rig.ops->tx_deadline(rig.tx);
    rig.ops->tx_timeout(rig.tx, first);
    sends_at(first, WEFT_TX_RETX, 0);
    acked(0, 1, first);
    for (uint32_t psn = 1; psn < 10; psn++)
    {
        sends_at(first + RTT, WEFT_TX_RETX, psn);
    }
    const int64_t asked = rig.ops->tx_deadline(rig.tx);
    rig.ops->tx_timeout(rig.tx, asked);
    sends_at(asked, WEFT_TX_RETX, 1);
    rig.ops->tx_post(rig.tx, more);
    return asked;
}

/* A path died for longer than a round trip: what was sent again was lost with the rest. Each
 * retransmission has its own time (§6.1), and the answer of one probe leaves all of them behind. */
START_TEST(one_probe_repairs_all_that_was_lost_twice)
{
    const int64_t asked = asks_after_a_lost_round(0);
    ck_assert(!rig.ops->tx_ready(rig.tx));
    acked(1, 2, asked);
    ck_assert(is_told_lost(2));
    for (uint32_t psn = 2; psn < 10; psn++)
    {
        sends_at(asked + RTT, WEFT_TX_RETX, psn);
    }
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->timeouts, 0);
    end();
}
END_TEST

/* §6.2, step 5, for the probe as for any other packet. */
START_TEST(a_probe_is_as_old_as_it_is)
{
    const int64_t asked = asks_after_a_lost_round(20);
    for (uint32_t psn = 10; psn < 20; psn++)
    {
        sends_at(asked + (psn - 9) * US, WEFT_TX_NEW, psn);
    }
    acked(10, 1, asked + US);
    for (uint32_t psn = 2; psn < 10; psn++)
    {
        sends_at(asked + 10 * US, WEFT_TX_RETX, psn);
    }
    for (uint32_t psn = 11; psn < 17; psn++)
    {
        acked(psn, 1, asked + (psn - 9) * US);
    }
    sends_at(asked + 16 * US, WEFT_TX_NEW, 20);
    acked(17, 1, asked + 8 * US);
    ck_assert(is_told_lost(1));
    sends_at(asked + 17 * US, WEFT_TX_RETX, 1);
    end();
}
END_TEST

/* The reordering timer of §6.2, for what was sent again as for the rest: the last one arrived. */
START_TEST(a_gap_in_what_was_sent_again_is_lost_when_its_answer_is_overdue)
{
    const int64_t asked = asks_after_a_lost_round(0);
    acked(1, 2, asked);
    for (uint32_t psn = 2; psn < 10; psn++)
    {
        sends_at(asked + RTT, WEFT_TX_RETX, psn);
    }
    const int64_t before = rig.ops->tx_deadline(rig.tx) - (asked + RTT);
    acked(9, 2, asked + RTT);
    const int64_t due = rig.ops->tx_deadline(rig.tx);
    ck_assert_int_lt(due - (asked + 2 * RTT), before); /* its answer is overdue, not on the way */
    rig.ops->tx_timeout(rig.tx, due);
    ck_assert(is_told_lost(2));
    for (uint32_t psn = 2; psn < 9; psn++)
    {
        sends_at(due, WEFT_TX_RETX, psn);
    }
    ck_assert(!rig.ops->tx_ready(rig.tx));
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->timeouts, 0);
    end();
}
END_TEST

/* §6.2: the reordering timer. */
START_TEST(a_gap_at_the_end_is_lost_when_its_answer_is_overdue)
{
    begin_time(0, NULL);
    leave(0, 10, 0);
    acked_run(0, 0, 4, 0);
    acked(3, 4, 3 * US);
    const int64_t before = rig.ops->tx_deadline(rig.tx);
    acked_run(0, 5, 10, 4);
    const int64_t due = rig.ops->tx_deadline(rig.tx);
    ck_assert(due - 17 * US < before - 11 * US); /* sooner than where all may be on the way */
    ck_assert_int_ge(due - 17 * US, 7 * US);     /* and not before the window */
    rig.ops->tx_timeout(rig.tx, due);
    ck_assert(is_told_lost(4));
    sends_at(due, WEFT_TX_RETX, 4);
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->timeouts, 0);
    /* The probe's answer has a whole RTT to come. */
    ck_assert_int_ge(rig.ops->tx_deadline(rig.tx) - due, RTT + 2 * US);
    end();
}
END_TEST

START_TEST(a_probe_adds_nothing_to_what_waits_to_be_sent_again)
{
    begin_time(0, NULL);
    leave(0, 10, 0);
    acked_run(0, 0, 4, 0);
    acked(3, 4, 3 * US);
    acked_run(0, 5, 9, 4);
    for (int i = 0; i < 3; i++) /* the wire is paused */
    {
        const int64_t due = rig.ops->tx_deadline(rig.tx);
        rig.ops->tx_timeout(rig.tx, due);
        ck_assert_int_gt(rig.ops->tx_deadline(rig.tx), due);
    }
    sends_at(500 * US, WEFT_TX_RETX, 4);
    ck_assert(!rig.ops->tx_ready(rig.tx));
    ck_assert_uint_eq(rig.ops->tx_flight(rig.tx), 2);
    end();
}
END_TEST

/* A ToR answers for packets that have not arrived. */
START_TEST(a_tors_nack_shows_no_loss)
{
    begin_time(0, NULL);
    leave(0, 20, 100);
    const struct weft_packet nack = {.kind = WEFT_NACK, .psn = 0, .sent = 19 * US};
    rig.ops->tx_reply(rig.tx, &nack, 25 * US);
    acked_run(0, 1, 8, 0);
    sends_at(30 * US, WEFT_TX_NEW, 20);
    end();
}
END_TEST

START_TEST(probes_back_off_and_the_timer_stays)
{
    static const char *const quick[] = {"rto", "200us", NULL};
    begin_time(0, quick);
    leave(0, 1, 0);
    int64_t last = 0;
    int64_t wait = 0;
    while (rig.ops->tx_deadline(rig.tx) < 200 * US)
    {
        const int64_t now = rig.ops->tx_deadline(rig.tx);
        ck_assert(wait == 0 || now - last == 2 * wait);
        wait = now - last;
        last = now;
        rig.ops->tx_timeout(rig.tx, now);
        sends_at(now, WEFT_TX_RETX, 0);
    }
    ck_assert_int_eq(wait, 64 * US); /* 32 + 64, and 128 more is beyond the timer */
    ck_assert_uint_eq(resent(), 2);
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->timeouts, 0);
    rig.ops->tx_timeout(rig.tx, 200 * US);
    ck_assert_uint_eq(rig.ops->tx_counters(rig.tx)->timeouts, 1);
    sends_at(200 * US, WEFT_TX_RETX, 0);
    end();
}
END_TEST

START_TEST(nothing_probes_while_more_is_to_be_sent_or_where_it_is_off)
{
    static const char *const off[] = {"probe", "off", NULL};
    begin_time(0, _i == 0 ? NULL : off);
    leave(0, 5, _i == 0 ? 1 : 0);
    acked_run(0, 0, 2, 0);
    ck_assert_int_eq(rig.ops->tx_deadline(rig.tx), RTO);
    end();
}
END_TEST

/* An ACK of several packets names them, and echoes the newest. */
START_TEST(a_merged_ack_shows_what_it_names_before_anything_is_lost)
{
    begin_time(0, NULL);
    leave(0, 20, 100);
    struct weft_packet ack = ack_of(9, 2);
    ack.sent = 9 * US;
    weft_set_ack_bitmap(&ack, 0x3d); /* 8, 6, 5, 4 and 3 */
    rig.ops->tx_reply(rig.tx, &ack, 17 * US);
    sends_at(20 * US, WEFT_TX_NEW, 20);
    ack = ack_of(13, 2);
    ack.sent = 13 * US;
    weft_set_ack_bitmap(&ack, 0x7);
    rig.ops->tx_reply(rig.tx, &ack, 21 * US);
    sends_at(21 * US, WEFT_TX_RETX, 2); /* 7 left 6 us before */
    sends_at(22 * US, WEFT_TX_NEW, 21);
    end();
}
END_TEST

START_TEST(who_counts_pays_no_memory_for_time)
{
    static const char *const counts[] = {"threshold", "32", NULL};
    begin_time(0, counts);
    const size_t with_count = rig.ops->tx_size(rig.config);
    ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, "threshold", "0"), 0);
    ck_assert_uint_le(with_count + 200, rig.ops->tx_size(rig.config));
    ck_assert_int_eq(weft_config_default(&rig.ops->algo, rig.config), 0);
    ck_assert_uint_le(with_count + 200, rig.ops->tx_size(rig.config)); /* it is the default */
    end();
}
END_TEST

static struct sim_link
link_of(uint64_t seed)
{
    static const char *const settings[] = {"rto", "2ms", NULL};
    return sim_link_of("sack", settings, 0xffffff - 2000, 6000, seed);
}

START_TEST(reordering_within_the_base_rtt_costs_nothing_from_the_start)
{
    struct sim_link link = link_of((uint64_t)_i);
    link.jitter = 7; /* each way: 14 us of 16 */
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert(o.tx.resent == 0 && o.tx.timeouts == 0);
}
END_TEST

/* A bound by the smoothed RTT, as in RFC 8985, would take packets of long queues for lost for ever.
 */
START_TEST(any_reordering_is_learnt)
{
    struct sim_link link = link_of((uint64_t)_i);
    link.jitter = 100;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert_uint_le(o.tx.resent, 80);
    ck_assert_uint_eq(o.tx.timeouts, 0);
}
END_TEST

START_TEST(losses_need_no_timer_and_nothing_else_is_sent_again)
{
    static uint8_t mask[6000];
    struct sim_link link = link_of(2);
    uint32_t lost = 0;
    memset(mask, 0, sizeof mask);
    for (uint32_t i = 0; i < 5500; i += 1 + i % 60)
    {
        mask[i] = (uint8_t)(1 + i % 3); /* the retransmission as well, and that one's */
        lost += mask[i];
    }
    memset(mask + 5985, 1, 15);
    link.mask = mask;
    const struct sim_outcome o = sim_link_run(&link);
    ck_assert_uint_eq(o.tx.resent, lost + 15);
    ck_assert(o.tx.timeouts == 0 && o.duplicates == 0);
    ck_assert_uint_le(o.slots, link.packets + lost + 15 + 150);
}
END_TEST

Suite *
sack_time_suite(void)
{
    Suite *suite = suite_create("sack-time");
    TCase *tcase = tcase_create("sack-time");
    tcase_add_loop_test(tcase, a_packet_is_lost_once_one_was_acknowledged_that_left_a_window_later,
                        0, 2);
    tcase_add_test(tcase, no_number_of_packets_makes_a_loss);
    tcase_add_test(tcase, a_late_answer_widens_the_window);
    tcase_add_test(tcase, what_arrives_after_it_was_sent_again_widens_the_window);
    tcase_add_test(tcase, the_window_forgets_down_to_a_quarter_of_the_base_rtt);
    tcase_add_test(tcase, a_parameter_holds_the_window_fast);
    tcase_add_test(tcase, the_greatest_window_holds);
    tcase_add_test(tcase, a_retransmission_is_lost_a_window_after_it);
    tcase_add_test(tcase, a_probe_finds_a_lost_tail_without_a_timeout);
    tcase_add_test(tcase, one_probe_repairs_all_that_was_lost_twice);
    tcase_add_test(tcase, a_probe_is_as_old_as_it_is);
    tcase_add_test(tcase, a_gap_in_what_was_sent_again_is_lost_when_its_answer_is_overdue);
    tcase_add_test(tcase, a_gap_at_the_end_is_lost_when_its_answer_is_overdue);
    tcase_add_test(tcase, a_probe_adds_nothing_to_what_waits_to_be_sent_again);
    tcase_add_test(tcase, a_tors_nack_shows_no_loss);
    tcase_add_test(tcase, probes_back_off_and_the_timer_stays);
    tcase_add_loop_test(tcase, nothing_probes_while_more_is_to_be_sent_or_where_it_is_off, 0, 2);
    tcase_add_test(tcase, a_merged_ack_shows_what_it_names_before_anything_is_lost);
    tcase_add_test(tcase, who_counts_pays_no_memory_for_time);
    tcase_add_loop_test(tcase, reordering_within_the_base_rtt_costs_nothing_from_the_start, 0, 5);
    tcase_add_loop_test(tcase, any_reordering_is_learnt, 0, 5);
    tcase_add_test(tcase, losses_need_no_timer_and_nothing_else_is_sent_again);
    suite_add_tcase(suite, tcase);
    return suite;
}

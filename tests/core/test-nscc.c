/* SPDX-License-Identifier: MIT */
/* A user would lose the NIC that the field builds now: windows that do not follow UEC's quadrants,
 * or that stay open where switches trim. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/weft.h>

#define US INT64_C(1000000) /* ps */

/* 100 Gb/s, 12 us, frames of 1,000 B: the BDP is 150,000 B, for which UEC's constants are given,
 * and the target three quarters of 12 us. */
static const struct weft_cc_site reference = {100000000000, 1, 12 * US, 6, 1000, 20, NULL};

static const struct weft_cc_ops *cc;
static uint64_t config[16], state[64];
static uint64_t delivered;

/* @p settings: names and values, up to NULL. A first window of 100,000 B. */
static void
begin(const char *const *settings)
{
    cc = weft_cc_find("nscc");
    ck_assert(cc && cc->state_size <= sizeof state && cc->algo.config_size <= sizeof config);
    ck_assert_int_eq(weft_config_default(&cc->algo, config), 0);
    ck_assert_int_eq(weft_config_set(&cc->algo, config, "initial", "100000B"), 0);
    for (; settings && settings[0]; settings += 2)
    {
        ck_assert_int_eq(weft_config_set(&cc->algo, config, settings[0], settings[1]), 0);
    }
    ck_assert_int_eq(cc->init(state, config, &reference, 0), 0);
    delivered = 0;
}

static struct weft_nscc_view
view(void)
{
    struct weft_nscc_view v;
    weft_nscc_read(state, &v);
    return v;
}

/* An ACK of so many packets, the answered one delayed by so much. */
static void
ack(int64_t now, uint32_t packets, int64_t delay, bool marked)
{
    const struct weft_packet reply = {
        .kind = WEFT_ACK, .sent = now - view().base_rtt - delay, .flags = marked ? WEFT_F_ECE : 0};
    delivered += packets;
    const struct weft_cc_ack taken = {
        .reply = &reply, .acked = packets, .in_flight = 20, .delivered = delivered};
    cc->on_ack(state, &taken, now);
}

/* A NACK, and the loss that it shows; 20 packets are still in flight. */
static void
lose(int64_t now, enum weft_loss_cause cause)
{
    const struct weft_packet nack = {
        .kind = WEFT_NACK, .sent = now - 13 * US, .flags = WEFT_F_TRIMMED};
    const struct weft_cc_ack taken = {.reply = &nack, .in_flight = 20, .delivered = delivered};
    const struct weft_loss loss = {.cause = (uint8_t)cause};
    cc->on_ack(state, &taken, now);
    cc->on_lost(state, &loss, now);
}

static void
is_cwnd(double bytes)
{
    ck_assert_double_eq_tol(view().cwnd, bytes, 1e-6);
}

START_TEST(the_first_window_is_one_and_a_half_bdp)
{
    static const char *const whole[] = {"initial", "0B", NULL};
    static const char *const far[] = {"initial", "0B", "network-rtt", "24us", NULL};
    begin(whole);
    is_cwnd(225000);
    ck_assert_uint_eq(cc->window(state, 0), 225);
    ck_assert_int_eq(cc->rate(state, 0), reference.line_rate);
    ck_assert_int_eq(view().target, 9 * US);
    begin(far);
    is_cwnd(450000);
    ck_assert_int_eq(view().target, 18 * US);
    begin(NULL);
    ck_assert_uint_eq(cc->window(state, 0), 100);
}
END_TEST

/* alpha: 4 packets x 9/12, of which the part that is left to the target: 3,000 B x 6/9 a window. */
START_TEST(below_the_target_the_window_opens_in_proportion)
{
    begin(NULL);
    ack(6 * US, 9, 3 * US, false);
    is_cwnd(100000 + 2000 * 9000 / 100000.0);
    begin(NULL);
    ack(6 * US, 9, 8 * US, false);
    is_cwnd(100000 + 3000 / 9.0 * 9000 / 100000.0);
}
END_TEST

START_TEST(from_the_target_on_without_a_mark_it_opens_fairly)
{
    begin(NULL);
    ack(6 * US, 9, 9 * US, false);
    is_cwnd(100000 + 5000 * 9000 / 100000.0);
}
END_TEST

/* A fabric with 4 times the BDP has 4 times the gains. */
START_TEST(gains_grow_with_the_bdp)
{
    static const char *const far[] = {"network-rtt", "48us", NULL};
    begin(far);
    ack(6 * US, 9, 36 * US, false);
    is_cwnd(100000 + 4 * 5000 * 9000 / 100000.0);
    ack(49 * US, 1, 36 * US, true); /* eta alone: the average is below the target */
    is_cwnd(100000 + 1800 + 4 * 150);
    begin(far);
    ack(6 * US, 9, 12 * US, false); /* 4 packets x 4 x 36/12, of which two thirds */
    is_cwnd(100000 + 48000 * 2 / 3.0 * 9000 / 100000.0);
}
END_TEST

START_TEST(a_target_may_be_set)
{
    static const char *const set[] = {"target", "5us", NULL};
    begin(set);
    ck_assert_int_eq(view().target, 5 * US);
    ack(6 * US, 9, 5 * US, false);
    is_cwnd(100450);
}
END_TEST

/* Up to 8 packets are gathered, or for a round trip. */
START_TEST(increases_join_the_window_together)
{
    begin(NULL);
    ack(6 * US, 8, 9 * US, false);
    is_cwnd(100000);
    ack(6 * US, 1, 9 * US, false);
    is_cwnd(100450);
    ack(12 * US, 1, 9 * US, false);
    is_cwnd(100450);
    ack(13 * US, 1, 9 * US, false); /* and eta, once a round trip */
    is_cwnd(100450 + 5000 * 2000 / 100450.0 + 150);
    const double before = view().cwnd;
    ack(24 * US, 9, 9 * US, true);
    is_cwnd(before);
    ack(26 * US, 1, 9 * US, true);
    is_cwnd(before + 150);
}
END_TEST

/* Once more than a window was acknowledged within 1 us of the shortest round trip. */
START_TEST(without_delay_it_opens_fast)
{
    static const char *const plain[] = {"proportional", "0", "eta", "0", NULL};
    begin(plain);
    ack(6 * US, 100, 999999, false);
    is_cwnd(100000);
    ack(6 * US, 4, 999999, false);
    is_cwnd(101000);
    ack(6 * US, 4, 0, false);
    is_cwnd(102000);
    ack(6 * US, 4, US, false); /* from the beginning */
    ack(6 * US, 4, 0, false);
    is_cwnd(102000);
    ack(6 * US, 98, 0, false);
    is_cwnd(102000);
    ack(6 * US, 4, 0, false);
    is_cwnd(103000);
}
END_TEST

/* The window grows by 1.25 of what is acknowledged, and thus outgrows it. */
START_TEST(a_fast_increase_lasts_until_a_delay)
{
    static const char *const far[] = {"network-rtt", "60us", "eta", "0", "proportional", "0", NULL};
    begin(far);
    ack(6 * US, 101, 0, false);
    is_cwnd(226250);
    ack(6 * US, 100, 0, false);
    is_cwnd(351250);
    ack(6 * US, 4, 45 * US, true);
    ack(6 * US, 4, 0, false);
    is_cwnd(351250);
}
END_TEST

START_TEST(marks_below_the_target_leave_the_window)
{
    begin(NULL);
    ack(6 * US, 9, 9 * US - 1, true);
    is_cwnd(100000);
    ck_assert_uint_eq(view().cuts, 0);
}
END_TEST

/* The average is twice the target: 0.8 of half is taken off, once a round trip. */
START_TEST(marks_above_the_target_cut_by_the_average_delay)
{
    static const char *const sharp[] = {"delay-weight", "1", "eta", "0", NULL};
    static const char *const even[] = {"delay-weight", "0.5", "eta", "0", NULL};
    begin(sharp);
    ack(13 * US, 1, 18 * US, true);
    is_cwnd(60000);
    ack(25 * US, 1, 18 * US, true);
    is_cwnd(60000);
    ack(26 * US, 1, 36 * US, true); /* 0.8 of three quarters */
    is_cwnd(30000);
    ck_assert_uint_eq(view().cuts, 2);
    begin(even);
    ack(6 * US, 1, 36 * US, true); /* not before a round trip */
    is_cwnd(100000);
    ack(13 * US, 1, 9 * US, true); /* at the target: an average of 13.5 us */
    is_cwnd(100000 * (1 - 0.8 / 3));
    begin(NULL);
    ack(13 * US, 1, 18 * US, true); /* one delay does not make an average */
    is_cwnd(100000 + 150);
    ck_assert_double_eq_tol(view().delay, 0.0125 * 18e6, 1e-6);
}
END_TEST

START_TEST(a_cut_takes_no_more_than_its_largest_part)
{
    static const char *const hard[] = {"delay-weight", "1", "gamma", "1", "eta", "0", NULL};
    begin(hard);
    ack(13 * US, 1, 36 * US, true);
    is_cwnd(50000);
}
END_TEST

/* Another queue than the one that marks has delayed it. */
START_TEST(a_late_packet_without_a_mark_counts_little)
{
    static const char *const sharp[] = {"delay-weight", "0.5", NULL};
    begin(sharp);
    ack(6 * US, 1, 18 * US, false);
    ck_assert_double_eq_tol(view().delay, 1.5e6, 1e-6);
    ack(6 * US, 1, 4 * US, false);
    ck_assert_double_eq_tol(view().delay, 2.75e6, 1e-6);
}
END_TEST

/* Another ACK has told of its packet: its delay is old, and it acknowledges nothing. */
START_TEST(an_overtaken_ack_says_no_delay)
{
    begin(NULL);
    ack(6 * US, 0, 18 * US, false);
    ck_assert_double_eq(view().delay, 0);
    ack(6 * US, 0, -6 * US, false);
    ck_assert_int_eq(view().base_rtt, 12 * US);
}
END_TEST

/* A largest window of 1.5 BDPs of it: 112,500 B, then 93,750 B. */
START_TEST(the_shortest_round_trip_bounds_the_window)
{
    static const char *const whole[] = {"initial", "0B", NULL};
    begin(whole);
    ack(6 * US, 1, -6 * US, false);
    ck_assert_int_eq(view().base_rtt, 6 * US);
    is_cwnd(112500);
    begin(whole);
    ack(6 * US, 1, -7 * US, true);
    is_cwnd(93750);
    begin(whole);
    for (int n = 0; n < 1000; n++)
    {
        ack(6 * US, 9, 9 * US, false);
    }
    is_cwnd(225000);
}
END_TEST

START_TEST(a_nack_may_show_the_shortest_round_trip)
{
    const struct weft_packet nack = {.kind = WEFT_NACK, .sent = 7 * US, .flags = WEFT_F_TRIMMED};
    const struct weft_cc_ack taken = {.reply = &nack, .in_flight = 20};
    begin(NULL);
    cc->on_ack(state, &taken, 13 * US);
    ck_assert_int_eq(view().base_rtt, 6 * US);
}
END_TEST

START_TEST(a_lost_packet_takes_its_bytes_off)
{
    begin(NULL);
    lose(13 * US, WEFT_LOST_TRIMMED);
    is_cwnd(99000);
    ck_assert_double_eq_tol(view().delay, 0.0125 * 12e6, 1e-6);
    lose(13 * US, WEFT_LOST_BY_GAP);
    is_cwnd(98000);
    ck_assert_double_eq_tol(view().delay, 0.0125 * 12e6, 1e-6); /* which says nothing of a queue */
    lose(13 * US, WEFT_LOST_BY_TIMEOUT);
    is_cwnd(97000);
    for (int n = 0; n < 200; n++)
    {
        lose(13 * US, WEFT_LOST_BY_TIMEOUT);
    }
    is_cwnd(1000);
    ck_assert_uint_eq(cc->window(state, 0), 1);
}
END_TEST

/* Quick adapt looks for the first time 21 us after the first reply: 12 us and the target. 225,000 B
 * / 8 is the gate. */
START_TEST(quick_adapt_makes_the_window_what_has_arrived)
{
    begin(NULL);
    ack(12 * US, 2, 8 * US, true);
    lose(13 * US, WEFT_LOST_TRIMMED);
    ack(33 * US, 8, 8 * US, true);
    is_cwnd(99000 + 150);
    ack(33 * US + 1, 4, 8 * US, true); /* the first reply counts for the time before */
    is_cwnd(12000);
    ack(54 * US + 2, 5, 8 * US, false); /* no more trouble since */
    ck_assert_double_gt(view().cwnd, 12000);
}
END_TEST

/* Packets in flight then, 20 of them, have been paid for. */
START_TEST(what_quick_adapt_has_acted_on_cuts_no_more)
{
    begin(NULL);
    ack(12 * US, 2, 8 * US, true);
    ack(13 * US, 5, 8 * US, true);
    lose(34 * US, WEFT_LOST_TRIMMED);
    is_cwnd(5000);
    for (int n = 0; n < 20; n++)
    {
        lose(34 * US, WEFT_LOST_TRIMMED);
        is_cwnd(5000);
    }
    lose(34 * US, WEFT_LOST_TRIMMED);
    is_cwnd(4000);
}
END_TEST

/* So have those that arrive: of the 20 packets 8 are acknowledged. */
START_TEST(what_arrives_was_in_flight_too)
{
    begin(NULL);
    ack(12 * US, 2, 8 * US, true);
    ack(13 * US, 5, 8 * US, true);
    lose(34 * US, WEFT_LOST_TRIMMED);
    ack(35 * US, 8, 8 * US, true);
    for (int n = 0; n < 12; n++)
    {
        lose(35 * US, WEFT_LOST_TRIMMED);
    }
    is_cwnd(5000);
    lose(35 * US, WEFT_LOST_TRIMMED);
    is_cwnd(4000);
}
END_TEST

START_TEST(quick_adapt_forgets_what_was_to_join_the_window)
{
    begin(NULL);
    ack(1 * US, 2, 9 * US, false);
    ack(2 * US, 6, 9 * US, false);
    lose(23 * US, WEFT_LOST_TRIMMED);
    is_cwnd(6000);
    ack(23 * US, 2, 8 * US, false);
    is_cwnd(6000 + 3000 / 9.0 * 2000 / 6000 + 150); /* the time for eta has come */
    begin(NULL);
    ack(1 * US, 2, 9 * US, false);
    ack(2 * US, 6, 9 * US, false);
    ack(14 * US, 1, 8 * US, true); /* all that was gathered joins */
    ack(15 * US, 8, 8 * US, true);
    lose(23 * US, WEFT_LOST_TRIMMED);
    is_cwnd(15000);
    ack(24 * US, 1, 9 * US, false); /* the first packet since, not the ninth */
    is_cwnd(15000);
}
END_TEST

START_TEST(a_timeout_is_nothing_to_adapt_to)
{
    begin(NULL);
    ack(12 * US, 2, 8 * US, true);
    lose(34 * US, WEFT_LOST_BY_TIMEOUT);
    is_cwnd(99000);
    ack(34 * US, 4, 8 * US, true);
    ck_assert_double_gt(view().cwnd, 98000);
}
END_TEST

START_TEST(quick_adapt_leaves_what_still_flows)
{
    static const char *const off[] = {"quick-adapt", "off", NULL};
    static const char *const open[] = {"quick-gate", "0", NULL};
    begin(NULL);
    ack(12 * US, 1, 8 * US, true);
    ack(13 * US, 29, 8 * US, true);
    lose(34 * US, WEFT_LOST_TRIMMED); /* 29,000 B of 28,125 */
    ck_assert_double_gt(view().cwnd, 99000);
    begin(off);
    ack(12 * US, 1, 8 * US, true);
    lose(34 * US, WEFT_LOST_TRIMMED);
    is_cwnd(99000);
    begin(open);
    ack(12 * US, 1, 8 * US, true);
    ack(13 * US, 29, 8 * US, true);
    lose(34 * US, WEFT_LOST_TRIMMED);
    is_cwnd(29000);
}
END_TEST

/* Four times the target is trouble enough. */
START_TEST(quick_adapt_acts_on_a_very_late_packet)
{
    begin(NULL);
    ack(12 * US, 1, 8 * US, true);
    ack(34 * US, 4, 36 * US, true);
    ck_assert_double_gt(view().cwnd, 99000);
    ack(56 * US, 4, 36 * US + 1, true);
    is_cwnd(4000);
}
END_TEST

/* Replies about what was forgotten would open windows without end. */
START_TEST(what_is_forgotten_counts_for_nothing)
{
    begin(NULL);
    ack(6 * US, 8, 9 * US, false);
    for (int n = 0; n < 100; n++)
    {
        delivered -= 8;
        ack(6 * US, 8, 9 * US, false);
    }
    is_cwnd(100000);
}
END_TEST

START_TEST(a_site_that_says_too_little_is_refused)
{
    struct weft_cc_site site = reference;
    begin(NULL);
    site.base_rtt = 0;
    ck_assert_int_eq(cc->init(state, config, &site, 0), WEFT_EINVAL);
    memset(config, 0, sizeof config); /* no defaults */
    ck_assert_int_eq(cc->init(state, config, &reference, 0), WEFT_ERANGE);
}
END_TEST

Suite *nscc_suite(void);

Suite *
nscc_suite(void)
{
    Suite *suite = suite_create("nscc");
    TCase *tcase = tcase_create("nscc");
    tcase_add_test(tcase, the_first_window_is_one_and_a_half_bdp);
    tcase_add_test(tcase, below_the_target_the_window_opens_in_proportion);
    tcase_add_test(tcase, from_the_target_on_without_a_mark_it_opens_fairly);
    tcase_add_test(tcase, gains_grow_with_the_bdp);
    tcase_add_test(tcase, a_target_may_be_set);
    tcase_add_test(tcase, increases_join_the_window_together);
    tcase_add_test(tcase, without_delay_it_opens_fast);
    tcase_add_test(tcase, a_fast_increase_lasts_until_a_delay);
    tcase_add_test(tcase, marks_below_the_target_leave_the_window);
    tcase_add_test(tcase, marks_above_the_target_cut_by_the_average_delay);
    tcase_add_test(tcase, a_cut_takes_no_more_than_its_largest_part);
    tcase_add_test(tcase, a_late_packet_without_a_mark_counts_little);
    tcase_add_test(tcase, an_overtaken_ack_says_no_delay);
    tcase_add_test(tcase, the_shortest_round_trip_bounds_the_window);
    tcase_add_test(tcase, a_nack_may_show_the_shortest_round_trip);
    tcase_add_test(tcase, a_lost_packet_takes_its_bytes_off);
    tcase_add_test(tcase, quick_adapt_makes_the_window_what_has_arrived);
    tcase_add_test(tcase, what_quick_adapt_has_acted_on_cuts_no_more);
    tcase_add_test(tcase, what_arrives_was_in_flight_too);
    tcase_add_test(tcase, quick_adapt_forgets_what_was_to_join_the_window);
    tcase_add_test(tcase, a_timeout_is_nothing_to_adapt_to);
    tcase_add_test(tcase, quick_adapt_leaves_what_still_flows);
    tcase_add_test(tcase, quick_adapt_acts_on_a_very_late_packet);
    tcase_add_test(tcase, what_is_forgotten_counts_for_nothing);
    tcase_add_test(tcase, a_site_that_says_too_little_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

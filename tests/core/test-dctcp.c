/* SPDX-License-Identifier: MIT */
/* A user would lose DCTCP's point: windows that are cut by half for a single mark, or more than
 * once for one congestion, or that never open again. */
#include <check.h>
#include <string.h>

#include <weft/error.h>
#include <weft/weft.h>

#include "must.h"

static const struct weft_cc_ops *cc;
static uint64_t config[16], state[32];
static uint64_t una, next;

/* 100 Gb/s, 8 us, 1,250 B on the wire: a bandwidth-delay product of 80 packets. */
static void
open_with(const char *name, const char *value)
{
    const struct weft_cc_site site = {100000000000, 1, 8000000, 4, 1230, 20};
    cc = weft_cc_find("dctcp");
    ck_assert(cc != NULL && cc->state_size <= sizeof state);
    ck_assert_int_eq(weft_config_default(&cc->algo, config), 0);
    ck_assert_int_eq(name ? weft_config_set(&cc->algo, config, name, value) : 0, 0);
    ck_assert_int_eq(cc->init(state, config, &site, 0), 0);
    una = next = 0;
}

static uint32_t
window(void)
{
    return cc->window(state, 0);
}

/* New packets leave. */
static void
send_new(uint64_t packets)
{
    const struct weft_packet data = {.kind = WEFT_DATA};
    next += packets;
    for (; packets > 0; packets--)
    {
        cc->on_sent(state, &data, 0);
    }
}

/* Packets leave again. */
static void
send_again(uint64_t packets)
{
    const struct weft_packet data = {.kind = WEFT_DATA, .flags = WEFT_F_RETX};
    for (; packets > 0; packets--)
    {
        cc->on_sent(state, &data, 0);
    }
}

/* Acknowledges one packet; new ones keep a window in flight. */
static void
ack(bool marked)
{
    struct weft_packet reply;
    memset(&reply, 0, sizeof reply);
    reply.kind = WEFT_ACK;
    reply.flags = marked ? WEFT_F_ECE : 0;
    if (una + window() > next)
    {
        send_new(una + window() - next);
    }
    una++;
    const struct weft_cc_ack taken = {&reply, 1, (uint32_t)(next - una), una, next, una};
    cc->on_ack(state, &taken, 0);
}

static void
lose(enum weft_loss_cause cause)
{
    const struct weft_loss loss = {.cause = (uint8_t)cause};
    cc->on_lost(state, &loss, 0);
}

START_TEST(a_qp_starts_with_its_bdp_and_grows_by_a_packet_a_round_trip)
{
    open_with(NULL, NULL);
    ck_assert_uint_eq(window(), 80);
    for (int i = 0; i < 80; i++)
    {
        ack(false);
    }
    ck_assert_uint_eq(window(), 80);
    for (int i = 0; i < 3; i++)
    {
        ack(false);
    }
    ck_assert_uint_eq(window(), 81);
    ck_assert_int_eq(cc->rate(state, 0), 100000000000);
}
END_TEST

/* The first cut is by half, as alpha is 1 at first; no other before all that was sent is
 * acknowledged.
 */
START_TEST(a_window_is_cut_once)
{
    open_with("initial", "80");
    ack(true);
    ck_assert_uint_eq(window(), 40);
    for (int i = 0; i < 79; i++)
    {
        ack(true);
        MUST(window() == 40);
    }
    ack(true); /* of the next window */
    ck_assert_uint_lt(window(), 40);
    ck_assert_uint_eq(cc->cuts(state), 2);
}
END_TEST

/* With one mark in a window of n alpha comes to 1/n, and a cut takes half a packet, less than a
 * round trip adds. Were every mark worth a half, the window would be gone. */
START_TEST(few_marks_cut_little)
{
    open_with("alpha", "0");
    for (int round = 0; round < 300; round++)
    {
        const uint32_t n = window();
        for (uint32_t i = 0; i < n; i++)
        {
            ack(i == 0);
        }
    }
    ck_assert_uint_gt(window(), 180);
    ck_assert_uint_lt(window(), 280);
    open_with("max-cwnd", "100");
    for (int i = 0; i < 30000; i++)
    {
        ack(true);
    }
    ck_assert_uint_eq(window(), 1);
}
END_TEST

/* alpha after a window of eleven with one mark, from 1: 1 + (1/11 - 1) / 16 = 0.9432; the cut that
 * follows leaves 52.8 %. */
START_TEST(alpha_is_a_moving_average)
{
    open_with("initial", "10");
    ack(false);
    send_new(20);
    una = 10; /* the window's end */
    struct weft_packet reply;
    memset(&reply, 0, sizeof reply);
    reply.flags = WEFT_F_ECE;
    const struct weft_cc_ack last = {&reply, 10, 19, 11, 30, 11};
    cc->on_ack(state, &last, 0);
    /* Only the last of the ten was marked, which was acknowledged at once. cwnd 11 of slow start.
     * */
    struct weft_dctcp_view view;
    weft_dctcp_read(state, &view);
    ck_assert_double_eq_tol(view.alpha, 1 + (1.0 / 11 - 1) / 16, 1e-12);
    ck_assert_double_eq_tol(view.cwnd, 11 * (1 - view.alpha / 2), 1e-12);
}
END_TEST

START_TEST(losses_halve_once_and_timeouts_begin_anew)
{
    open_with("initial", "79");
    ack(false);
    lose(WEFT_LOST_BY_NACK);
    ck_assert_uint_eq(window(), 40);
    lose(WEFT_LOST_BY_NACK);
    ck_assert_uint_eq(window(), 40);
    send_new(40); /* new data leaves before the second loss of the same window is found */
    lose(WEFT_LOST_BY_NACK);
    ck_assert_uint_eq(window(), 40);
    cc->on_timeout(state, 0);
    ck_assert_uint_eq(window(), 1);
    lose(WEFT_LOST_BY_TIMEOUT); /* what that timeout is about */
    ck_assert_uint_eq(window(), 1);
    for (int i = 0; i < 19; i++)
    {
        ack(false);
        lose(WEFT_LOST_BY_GAP); /* what is left of that window */
    }
    ck_assert_uint_eq(window(), 20); /* slow start up to half of 40 */
    for (int i = 0; i < 19; i++)
    {
        ack(false);
    }
    ck_assert_uint_eq(window(), 20);
    ack(false);
    ack(false);
    ck_assert_uint_eq(window(), 21);
}
END_TEST

/* An ACK: so many packets are acknowledged now in order, and so many in any order. */
static void
deliver(uint64_t in_order, uint64_t delivered, bool marked)
{
    const struct weft_packet reply = {.kind = WEFT_ACK, .flags = marked ? WEFT_F_ECE : 0};
    const struct weft_cc_ack taken = {.reply = &reply,
                                      .acked = (uint32_t)(in_order - una),
                                      .in_flight = (uint32_t)(next - delivered),
                                      .una = in_order,
                                      .next = next,
                                      .delivered = delivered};
    una = in_order;
    cc->on_ack(state, &taken, 0);
}

/* Eight packets, one acknowledged, two more, a timeout: what was under way then has been paid for,
 * the two last ones too. */
START_TEST(what_was_under_way_at_a_timeout_cuts_no_more)
{
    open_with("initial", "8");
    send_new(8);
    deliver(1, 1, false);
    send_new(2);
    send_again(2);
    cc->on_timeout(state, 0);
    ck_assert_uint_eq(window(), 1);
    send_again(1); /* what the timer sends */
    deliver(8, 8, false);
    ck_assert_uint_eq(window(), 8);
    deliver(9, 9, true);
    deliver(10, 10, true);
    ck_assert_uint_eq(window(), 8);
    send_new(1);
    deliver(11, 11, true);
    ck_assert_uint_lt(window(), 8);
}
END_TEST

static double
threshold(void)
{
    struct weft_dctcp_view view;
    weft_dctcp_read(state, &view);
    return view.threshold;
}

/* While the network is away the timer fires again and again. Were each of them a reason to halve
 * the threshold, a QP of 40 packets would begin anew at one, and take 40 round trips to come back.
 */
START_TEST(an_outage_halves_the_threshold_once)
{
    open_with("initial", "40");
    send_new(40);
    for (int n = 0; n < 3; n++)
    {
        cc->on_timeout(state, 0);
        lose(WEFT_LOST_BY_TIMEOUT); /* what that timeout is about */
        ck_assert_uint_eq(window(), 1);
        ck_assert_double_eq(threshold(), 20);
    }
    ck_assert_uint_eq(cc->cuts(state), 1); /* the others had nothing to take */
    deliver(9, 9, false);                  /* slow start: 10 packets */
    ck_assert_uint_eq(window(), 10);
    cc->on_timeout(state, 0); /* another outage */
    ck_assert_double_eq(threshold(), 5);
    deliver(10, 10, false);
    ck_assert_uint_eq(window(), 2);
    cc->on_timeout(state, 0);
    ck_assert_double_eq(threshold(), 1);
    open_with("initial", "1");
    cc->on_timeout(state, 0);
    ck_assert_double_eq(threshold(), 1);
}
END_TEST

/* As with marks: a loss cuts again once more has been acknowledged than had been sent, and what is
 * sent again is not sent more. */
START_TEST(losses_of_one_window_of_data_end_with_it)
{
    open_with(NULL, NULL);
    send_new(80);
    send_again(2);
    lose(WEFT_LOST_BY_GAP);
    ck_assert_uint_eq(window(), 40);
    send_new(2);
    deliver(80, 80, false);
    const uint32_t grown = window();
    lose(WEFT_LOST_BY_GAP);
    ck_assert_uint_eq(window(), grown);
    deliver(81, 81, false);
    lose(WEFT_LOST_BY_GAP);
    ck_assert_uint_lt(window(), grown);
}
END_TEST

static double
alpha(void)
{
    struct weft_dctcp_view view;
    weft_dctcp_read(state, &view);
    return view.alpha;
}

/* A transport without a bitmap tells of packets that came early before una passes them. Were they
 * counted only then, five marks of six packets would be a share above 1. */
START_TEST(a_packet_that_came_early_counts_at_once)
{
    const struct weft_packet reply = {.kind = WEFT_ACK, .flags = WEFT_F_ECE};
    open_with("g", "1");
    send_new(6);
    deliver(0, 0, false); /* a window begins */
    send_new(1);
    for (int n = 0; n < 4; n++)
    {
        deliver(0, 0, true);
    }
    const struct weft_cc_ack last = {
        .reply = &reply, .acked = 1, .una = 1, .next = 7, .delivered = 1};
    cc->on_ack(state, &last, 0); /* nothing is in flight: the window ends */
    ck_assert_double_eq_tol(alpha(), 5.0 / 6, 1e-12);
    deliver(7, 7, false); /* five of the six for the second time */
    send_new(1);
    deliver(8, 8, true);
    ck_assert_double_eq_tol(alpha(), 1.0 / 2, 1e-12);
}
END_TEST

/* With window-end=una what is sent again is nothing new, and a window ends no later for it. */
START_TEST(what_is_sent_again_prolongs_no_window_in_order)
{
    open_with("window-end", "una");
    send_new(8);
    send_again(8);
    deliver(1, 1, true);
    const uint32_t once = window();
    deliver(8, 8, true);
    ck_assert_uint_eq(window(), once);
    send_new(1);
    deliver(9, 9, true);
    ck_assert_uint_lt(window(), once);
}
END_TEST

/* A transport that forgot what it had said would open windows without end. */
START_TEST(what_is_forgotten_counts_for_nothing)
{
    open_with(NULL, NULL);
    send_new(80);
    deliver(0, 20, false);
    const uint32_t before = window();
    for (int n = 0; n < 100; n++)
    {
        deliver(0, 10, false);
        deliver(0, 20, false);
    }
    ck_assert_uint_eq(window(), before);
}
END_TEST

/* A NACK: so many packets are acknowledged now. */
static void
refuse(uint64_t delivered, bool marked)
{
    const struct weft_packet nack = {.kind = WEFT_NACK, .flags = marked ? WEFT_F_ECE : 0};
    const struct weft_cc_ack taken = {&nack, 0, 0, delivered, next, delivered};
    cc->on_ack(state, &taken, 0);
}

START_TEST(what_acknowledges_nothing_counts_for_nothing)
{
    struct weft_dctcp_view view;
    open_with("initial", "20");
    send_new(20);
    refuse(0, true);
    ck_assert_uint_eq(window(), 20);
    refuse(5, false); /* it acknowledges those before the missing one */
    ck_assert_uint_eq(window(), 25);
    deliver(6, 6, true);
    weft_dctcp_read(state, &view);
    ck_assert_uint_eq(view.acked, 6);
    ck_assert_uint_eq(view.marked, 1);
}
END_TEST

/* A packet is missing, all others arrive, each of them marked. A NIC that takes packets in any
 * order knows that window after window has come through the congested queue. */
START_TEST(a_missing_packet_holds_up_no_window)
{
    for (int order = 0; order < 2; order++)
    {
        open_with("window-end", order == 0 ? "flight" : "una");
        send_new(80);
        for (uint64_t delivered = 1; delivered <= 200; delivered++)
        {
            deliver(0, delivered, true);
            send_new(1);
        }
        ck_assert_uint_eq(cc->cuts(state), order == 0 ? 3 : 1); /* at 1, 81, 161 */
    }
}
END_TEST

START_TEST(a_trimmed_packet_is_a_loss_unless_it_is_said_otherwise)
{
    static const char *const does[] = {"loss", "packet", "off"};
    static const uint32_t left[] = {40, 77, 80};
    open_with("trim", does[_i]);
    send_new(80);
    for (int n = 0; n < 3; n++)
    {
        lose(WEFT_LOST_TRIMMED);
    }
    ck_assert_uint_eq(window(), left[_i]);
    lose(WEFT_LOST_BY_GAP); /* in any case: halved, once */
    ck_assert_uint_eq(window(), _i == 0 ? 40 : left[_i] / 2);
}
END_TEST

/* All that is in flight is trimmed: a NACK for each. */
static void
trim_all(void)
{
    const struct weft_packet nack = {.kind = WEFT_NACK, .flags = WEFT_F_TRIMMED};
    const struct weft_cc_ack taken = {.reply = &nack, .next = next};
    cc->on_ack(state, &taken, 0);
    lose(WEFT_LOST_TRIMMED);
    lose(WEFT_LOST_TRIMMED);
}

/* A retransmission that is lost again is a second sign of congestion (RFC 5681, §4.3). */
START_TEST(lost_retransmissions_cut_again)
{
    open_with(NULL, NULL);
    send_new(80);
    trim_all();
    ck_assert_uint_eq(window(), 40);
    trim_all();
    ck_assert_uint_eq(window(), 40);
    send_again(40);
    trim_all();
    ck_assert_uint_eq(window(), 20);
}
END_TEST

/* A mark and a loss of one window are one congestion: together they cost half of it. */
START_TEST(a_window_of_data_costs_half_at_most)
{
    open_with(NULL, NULL);
    ack(true);
    ck_assert_uint_eq(window(), 40);
    lose(WEFT_LOST_BY_GAP);
    ck_assert_uint_eq(window(), 40);
    open_with("alpha", "0.1");
    ack(true);
    ck_assert_uint_eq(window(), 76);
    lose(WEFT_LOST_BY_GAP);
    ck_assert_uint_eq(window(), 40);
    open_with(NULL, NULL);
    send_new(80);
    lose(WEFT_LOST_BY_GAP);
    ack(true);
    ck_assert_uint_eq(window(), 40);
}
END_TEST

/* A packet for each, and no slow start back. */
START_TEST(packets_taken_off_come_back_one_a_round_trip)
{
    open_with("initial", "80");
    ck_assert_int_eq(weft_config_set(&cc->algo, config, "trim", "packet"), 0);
    send_new(80);
    for (int n = 0; n < 10; n++)
    {
        lose(WEFT_LOST_TRIMMED);
    }
    for (uint64_t n = 1; n <= 10; n++)
    {
        deliver(n, n, false);
    }
    ck_assert_uint_eq(window(), 70);
}
END_TEST

/* A window of less than a packet would stop the QP for ever. */
START_TEST(trimmed_packets_leave_a_window_of_one)
{
    struct weft_dctcp_view view;
    open_with("trim", "packet");
    for (int n = 0; n < 79; n++)
    {
        lose(WEFT_LOST_TRIMMED);
    }
    ack(false);
    ack(false);
    weft_dctcp_read(state, &view);
    ck_assert_double_eq(view.cwnd, 2.5);
    for (int n = 0; n < 3; n++)
    {
        lose(WEFT_LOST_TRIMMED);
        ck_assert_uint_eq(window(), 1);
    }
    ck_assert_uint_eq(cc->cuts(state), 81); /* the last one had nothing to take */
}
END_TEST

Suite *
dctcp_suite(void)
{
    Suite *s = suite_create("dctcp");
    TCase *t = tcase_create("dctcp");
    tcase_add_test(t, a_qp_starts_with_its_bdp_and_grows_by_a_packet_a_round_trip);
    tcase_add_test(t, a_window_is_cut_once);
    tcase_add_test(t, few_marks_cut_little);
    tcase_add_test(t, alpha_is_a_moving_average);
    tcase_add_test(t, losses_halve_once_and_timeouts_begin_anew);
    tcase_add_test(t, what_was_under_way_at_a_timeout_cuts_no_more);
    tcase_add_test(t, an_outage_halves_the_threshold_once);
    tcase_add_test(t, losses_of_one_window_of_data_end_with_it);
    tcase_add_test(t, a_packet_that_came_early_counts_at_once);
    tcase_add_test(t, what_is_sent_again_prolongs_no_window_in_order);
    tcase_add_test(t, what_is_forgotten_counts_for_nothing);
    tcase_add_test(t, what_acknowledges_nothing_counts_for_nothing);
    tcase_add_test(t, trimmed_packets_leave_a_window_of_one);
    tcase_add_test(t, a_missing_packet_holds_up_no_window);
    tcase_add_loop_test(t, a_trimmed_packet_is_a_loss_unless_it_is_said_otherwise, 0, 3);
    tcase_add_test(t, lost_retransmissions_cut_again);
    tcase_add_test(t, a_window_of_data_costs_half_at_most);
    tcase_add_test(t, packets_taken_off_come_back_one_a_round_trip);
    suite_add_tcase(s, t);
    return s;
}

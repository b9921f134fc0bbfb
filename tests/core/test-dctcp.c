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

/* One packet is acknowledged, and new ones keep a window in flight. */
static void
ack(bool marked)
{
    struct weft_packet reply;
    memset(&reply, 0, sizeof reply);
    reply.kind = WEFT_ACK;
    reply.flags = marked ? WEFT_F_ECE : 0;
    next = una + window() > next ? una + window() : next;
    una++;
    const struct weft_cc_ack taken = {&reply, 1, (uint32_t)(next - una), una, next};
    cc->on_ack(state, &taken, 0);
}

static void
resend(void)
{
    struct weft_packet data;
    memset(&data, 0, sizeof data);
    data.kind = WEFT_DATA;
    data.flags = WEFT_F_RETX;
    cc->on_sent(state, &data, 0);
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

/* One mark in a window of n: alpha comes to 1/n, and a cut takes half a packet, less than a round
 * trip adds. Were every mark worth a half, the window would be gone. */
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

/* alpha after a window of ten with one mark, from 1: 1 + (0.1 - 1) / 16 = 0.94375; the cut that
 * follows leaves 52.8 %. */
START_TEST(alpha_is_a_moving_average)
{
    open_with("initial", "10");
    ack(false);
    una = 10; /* the window's end */
    struct weft_packet reply;
    memset(&reply, 0, sizeof reply);
    reply.flags = WEFT_F_ECE;
    const struct weft_cc_ack last = {&reply, 9, 0, 11, 30};
    cc->on_ack(state, &last, 0);
    /* Of the nine only the last was marked, which was acknowledged at once. cwnd 11 of slow start.
     */
    ck_assert_uint_eq(window(), (uint32_t)(11 * (1 - 0.94375 / 2)));
}
END_TEST

START_TEST(losses_halve_once_and_timeouts_begin_anew)
{
    open_with("initial", "79");
    ack(false);
    resend();
    ck_assert_uint_eq(window(), 40);
    resend();
    ck_assert_uint_eq(window(), 40);
    next += 40; /* new data leaves before the second loss of the same window is found */
    resend();
    ck_assert_uint_eq(window(), 40);
    cc->on_timeout(state, 0);
    ck_assert_uint_eq(window(), 1);
    resend(); /* the timer's */
    ck_assert_uint_eq(window(), 1);
    for (int i = 0; i < 19; i++)
    {
        ack(false);
        resend(); /* what is left of that window */
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
    suite_add_tcase(s, t);
    return s;
}

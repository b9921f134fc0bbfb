/* SPDX-License-Identifier: MIT */
/* A user would lose HPCC as its authors published it: windows that do not follow Algorithm 1
 * (SIGCOMM 2019). */
#include <check.h>
#include <string.h>

#include <weft/cc.h>
#include <weft/error.h>
#include <weft/views.h>

#include "must.h"

#define US INT64_C(1000000) /* ps */

/* 100 Gb/s, T = 8 us: a first window of 100,000 B, which is 100 frames with their gap. W_AI is
 * 100,000 x 0.05 / 100 = 50 B. */
static const struct weft_cc_site near = {INT64_C(100000000000), 1, 8 * US, 4, 980, 20, NULL};

static const struct weft_cc_ops *cc;
static uint64_t config[16], state[256], delivered;
static int64_t now;
static struct weft_stamp stamp[WEFT_STAMPS + 1]; /* of the latest packet */
static uint32_t links;

static int
start(const struct weft_cc_site *site)
{
    const struct weft_stamp first = {.at = 1, .rate = INT64_C(100000000000), .node = 9};
    delivered = 0;
    now = 0;
    links = 1;
    for (uint32_t i = 0; i < WEFT_STAMPS; i++)
    {
        stamp[i] = first;
        stamp[i].port = i;
    }
    return cc->init(state, config, site, 0);
}

static void
begin(const char *const *settings)
{
    cc = weft_cc_find("hpcc");
    ck_assert_ptr_nonnull(cc);
    ck_assert_uint_le(cc->algo.config_size, sizeof config);
    ck_assert_uint_le(cc->state_size, sizeof state);
    ck_assert_int_eq(weft_config_default(&cc->algo, config), 0);
    for (; settings && settings[0]; settings += 2)
    {
        ck_assert_int_eq(weft_config_set(&cc->algo, config, settings[0], settings[1]), 0);
    }
    ck_assert_int_eq(start(&near), 0);
}

static struct weft_hpcc_view
view(void)
{
    struct weft_hpcc_view v;
    weft_hpcc_read(state, &v);
    return v;
}

/* A reply for so many packets, when so many have been sent. */
static double
reply(uint32_t acked, uint64_t sent)
{
    const struct weft_packet packet = {.kind = WEFT_ACK};
    now += 100 * US;
    delivered += acked;
    const struct weft_cc_ack ack = {
        .reply = &packet, .acked = acked, .una = delivered, .delivered = delivered, .next = sent};
    cc->on_stamps(state, stamp, links, now);
    cc->on_ack(state, &ack, now);
    return view().w;
}

/* A packet leaves a link later, behind so many bytes, and leaves so many in the queue. */
static void
leaves(uint32_t link, double us, uint64_t bytes, uint32_t queue)
{
    stamp[link].at += (int64_t)(us * 1e6);
    stamp[link].bytes += bytes;
    stamp[link].queue = queue;
}

/* The reply to a packet that was sent when all before had been answered: W^c follows. */
static double
round_trip(void)
{
    return reply(1, delivered + 1);
}

/* 100,000 B in 8 us fill the link; 100,000 B in the queue are another W: U is 2. */
static void
congest(void)
{
    stamp[0].queue = 100000;
    ck_assert_double_eq_tol(round_trip(), 100000, 1e-6);
    leaves(0, 8, 100000, 100000);
    ck_assert_double_eq_tol(round_trip(), 100000 * 0.95 / 2 + 50, 1e-6);
}

START_TEST(the_first_reply_changes_nothing_and_the_second_does)
{
    begin(NULL);
    ck_assert_uint_eq(cc->window(state, 0), 100);
    ck_assert_int_eq(cc->rate(state, 0), near.line_rate);
    congest();
    ck_assert_double_eq_tol(view().u, 2, 1e-9);
    ck_assert_uint_eq(cc->window(state, now), 48); /* 47,550 B, rounded up */
    ck_assert_int_ge(cc->rate(state, now), INT64_C(47549999999));
    ck_assert_int_le(cc->rate(state, now), INT64_C(47550000000));
    ck_assert_uint_eq(cc->cuts(state), 1);
}
END_TEST

/* A queue of 100,000 B now, and none before: none that lasted. u = 0.9 is below eta. */
START_TEST(the_shorter_queue_of_two_counts)
{
    begin(NULL);
    congest();
    leaves(0, 8, 90000, 0);
    ck_assert_double_eq_tol(round_trip(), 47600, 1e-6);
    ck_assert_double_eq_tol(view().u, 0.9, 1e-9);
    leaves(0, 8, 90000, 100000);
    ck_assert_double_eq_tol(round_trip(), 47650, 1e-6);
    ck_assert_double_eq_tol(view().u, 0.9, 1e-9);
}
END_TEST

/* 2 us are a quarter of T: U = 3/4 x 2 + 1/4 x 0.4 = 1.6. Longer ones count as T. At first U is 1:
 * 3/4 x 1 + 1/4 x 0.4 = 0.85. */
START_TEST(what_was_measured_for_a_part_of_t_counts_for_that_part)
{
    begin(NULL);
    congest();
    leaves(0, 2, 10000, 0);
    ck_assert_double_eq_tol(round_trip(), 47550 * 0.95 / 1.6 + 50, 1e-6);
    leaves(0, 80, 1000000, 0);
    round_trip();
    ck_assert_double_eq_tol(view().u, 1, 1e-9);
    begin(NULL);
    round_trip();
    leaves(0, 2, 10000, 0);
    round_trip();
    ck_assert_double_eq_tol(view().u, 0.85, 1e-9);
}
END_TEST

/* The first link is half used; the second has 400 Gb/s: 300,000 B are 3/4, and 40,000 B of queue
 * are 1/10. Its time, 8 us, is that of U; the first one's would be 4. */
START_TEST(the_busiest_link_decides_with_its_own_time_and_rate)
{
    begin(NULL);
    links = 2;
    stamp[1].rate = INT64_C(400000000000);
    stamp[1].queue = 40000;
    round_trip();
    leaves(0, 4, 25000, 0);
    leaves(1, 8, 300000, 40000);
    round_trip();
    ck_assert_double_eq_tol(view().u, 0.85, 1e-9);
}
END_TEST

/* Five steps of 50 B, and with the sixth, at U = 1/2, the window nearly doubles. */
START_TEST(after_max_stage_steps_the_window_follows_the_utilisation)
{
    begin(NULL);
    congest();
    for (int n = 1; n <= 5; n++)
    {
        leaves(0, 8, 50000, 0);
        ck_assert_double_eq_tol(round_trip(), 47550 + 50 * n, 1e-6);
        ck_assert_int_eq(view().stage, n);
    }
    leaves(0, 8, 25000, 0);
    ck_assert_double_eq_tol(round_trip(), 47800 * 0.95 / 0.25 < 100000 ? 0 : 100000, 1e-6);
    ck_assert_int_eq(view().stage, 0);
    begin((const char *const[]){"max-stage", "0", NULL});
    congest();
    leaves(0, 8, 90000, 0);
    ck_assert_double_eq_tol(round_trip(), 47550 * 0.95 / 0.9 + 50, 1e-6);
}
END_TEST

/* At eta it follows, below it steps. */
START_TEST(at_eta_the_window_follows_the_utilisation)
{
    begin((const char *const[]){"eta", "0.5", "w-ai", "50B", NULL});
    stamp[0].rate = INT64_C(125000000000); /* exact in halves: 125,000 B in 8 us */
    stamp[0].queue = 125000;
    round_trip();
    leaves(0, 8, 125000, 125000);
    ck_assert_double_eq_tol(round_trip(), 25050, 1e-6);
    leaves(0, 8, 62500, 0);
    ck_assert_double_eq_tol(round_trip(), 25100, 1e-6);
    ck_assert_double_eq(view().u, 0.5);
    ck_assert_int_eq(view().stage, 0);
    ck_assert_uint_eq(cc->cuts(state), 1);
    leaves(0, 8, 62000, 0);
    ck_assert_double_eq_tol(round_trip(), 25150, 1e-6);
    ck_assert_int_eq(view().stage, 1);
}
END_TEST

/* Replies of one round trip all compute from the same W^c: they do not cut in turn. */
START_TEST(within_a_round_trip_w_c_stays)
{
    begin(NULL);
    congest();
    leaves(0, 8, 100000, 100000);
    ck_assert_double_eq_tol(reply(1, delivered + 51), 47550 * 0.95 / 2 + 50, 1e-6);
    const double w_c = view().w_c;
    for (int n = 0; n < 50; n++)
    {
        leaves(0, 8, 100000, 100000);
        ck_assert_double_eq_tol(reply(1, delivered + 51), w_c * 0.95 / 2 + 50, 1e-6);
        ck_assert_double_eq(view().w_c, w_c);
        ck_assert_int_eq(view().stage, 0);
    }
    leaves(0, 8, 100000, 100000);
    ck_assert_double_eq_tol(reply(1, delivered + 51), w_c * 0.95 / 2 + 50, 1e-6);
    ck_assert_double_eq_tol(view().w_c, w_c * 0.95 / 2 + 50, 1e-6);
}
END_TEST

/* The window of a reply between two updates stays, and what it would have measured counts with the
 * next one: 16 us, 180,000 B. */
START_TEST(without_fast_react_only_the_first_reply_of_a_round_trip_counts)
{
    begin((const char *const[]){"fast-react", "off", NULL});
    stamp[0].queue = 100000;
    round_trip();
    leaves(0, 8, 100000, 100000);
    ck_assert_double_eq_tol(reply(1, delivered + 3), 47550, 1e-6);
    leaves(0, 8, 90000, 100000);
    ck_assert_double_eq_tol(reply(1, delivered + 3), 47550, 1e-6);
    ck_assert_double_eq_tol(view().u, 2, 1e-9);
    reply(1, delivered + 3);
    leaves(0, 8, 90000, 0);
    ck_assert_double_eq_tol(reply(1, delivered + 3), 47600, 1e-6);
    ck_assert_double_eq_tol(view().u, 0.9, 1e-9);
}
END_TEST

/* Counters of different ports have no difference. The next packet of that path measures again. */
START_TEST(another_path_is_measured_from_its_second_packet_on)
{
    for (int what = 0; what < 3; what++)
    {
        begin(NULL);
        congest();
        leaves(0, 8, 100000, 100000);
        stamp[0].port += what == 0;
        stamp[0].node += what == 1;
        links += what == 2;
        ck_assert_double_eq_tol(round_trip(), 47550, 1e-6);
        leaves(0, 8, 100000, 0);
        leaves(1, 8, 0, 0);
        ck_assert_double_eq_tol(round_trip(), 47550 * 0.95 + 50, 1e-6);
    }
    links = 1; /* of two */
    leaves(0, 8, 100000, 100000);
    ck_assert_double_eq_tol(round_trip(), 47550 * 0.95 + 50, 1e-6);
}
END_TEST

/* Stamps of one packet, told twice, have no time between them. */
START_TEST(no_time_is_no_measurement)
{
    begin(NULL);
    congest();
    ck_assert_double_eq_tol(round_trip(), 47550, 1e-6);
    ck_assert_double_eq_tol(view().u, 2, 1e-9);
}
END_TEST

/* A reply without stamps says nothing, and uses none of another reply. */
START_TEST(a_reply_without_stamps_changes_nothing)
{
    begin(NULL);
    congest();
    const struct weft_packet packet = {.kind = WEFT_ACK};
    const struct weft_cc_ack ack = {
        .reply = &packet, .acked = 9, .una = 100, .delivered = 100, .next = 200};
    cc->on_ack(state, &ack, now);
    ck_assert_double_eq_tol(view().w, 47550, 1e-6);
    delivered = 100;
    leaves(0, 8, 100000, 0); /* W^c was not updated by it */
    ck_assert_double_eq_tol(reply(1, 300), 47550 * 0.95 + 50, 1e-6);
    ck_assert_double_eq_tol(view().w_c, 47550 * 0.95 + 50, 1e-6);
}
END_TEST

START_TEST(windows_stay_between_their_bounds)
{
    begin((const char *const[]){"min-rate", "1Gbps", NULL});
    stamp[0].queue = 1000000000;
    round_trip();
    leaves(0, 8, 100000, 1000000000);
    ck_assert_double_eq_tol(round_trip(), 1000, 1e-6); /* 1 Gb/s for 8 us: a frame */
    ck_assert_uint_eq(cc->window(state, now), 1);
    ck_assert_int_eq(cc->rate(state, now), INT64_C(1000000000));
    leaves(0, 8, 0, 0); /* nothing at all was sent */
    stamp[0].queue = 0;
    for (int n = 0; n < 10; n++)
    {
        leaves(0, 8, 0, 0);
        round_trip();
    }
    ck_assert_double_eq(view().w, 100000);
    ck_assert_int_eq(cc->rate(state, now), near.line_rate);
}
END_TEST

START_TEST(parameters_and_presets_mean_what_they_say)
{
    begin((const char *const[]){"t", "16us", "flows", "50", NULL});
    ck_assert_uint_eq(cc->window(state, 0), 200);
    stamp[0].queue = 200000;
    round_trip();
    leaves(0, 16, 200000, 200000);
    ck_assert_double_eq_tol(round_trip(), 95000 + 200, 1e-6);
    begin(NULL);
    ck_assert_int_eq(weft_config_preset(&cc->algo, config, "ns-3"), 0);
    ck_assert_int_eq(start(&near), 0);
    stamp[0].queue = 100000;
    round_trip();
    leaves(0, 8, 100000, 100000);
    ck_assert_double_eq_tol(round_trip(), 47500 + 40, 1e-6); /* 40 Mb/s for 8 us */
}
END_TEST

START_TEST(what_makes_no_sense_is_refused)
{
    const struct weft_cc_site none = {.line_rate = near.line_rate};
    struct weft_cc_site far = near;
    begin(NULL);
    ck_assert_int_eq(start(&none), WEFT_EINVAL);
    far.links = WEFT_STAMPS + 1;
    ck_assert_int_eq(start(&far), 0);
    far.links++;
    ck_assert_int_eq(start(&far), WEFT_ERANGE);
    memset(config, 0, sizeof config);
    ck_assert_int_eq(start(&near), WEFT_ERANGE);
}
END_TEST

Suite *hpcc_suite(void);

Suite *
hpcc_suite(void)
{
    Suite *suite = suite_create("hpcc");
    TCase *tcase = tcase_create("hpcc");
    tcase_add_test(tcase, the_first_reply_changes_nothing_and_the_second_does);
    tcase_add_test(tcase, the_shorter_queue_of_two_counts);
    tcase_add_test(tcase, what_was_measured_for_a_part_of_t_counts_for_that_part);
    tcase_add_test(tcase, the_busiest_link_decides_with_its_own_time_and_rate);
    tcase_add_test(tcase, after_max_stage_steps_the_window_follows_the_utilisation);
    tcase_add_test(tcase, at_eta_the_window_follows_the_utilisation);
    tcase_add_test(tcase, within_a_round_trip_w_c_stays);
    tcase_add_test(tcase, without_fast_react_only_the_first_reply_of_a_round_trip_counts);
    tcase_add_test(tcase, another_path_is_measured_from_its_second_packet_on);
    tcase_add_test(tcase, no_time_is_no_measurement);
    tcase_add_test(tcase, a_reply_without_stamps_changes_nothing);
    tcase_add_test(tcase, windows_stay_between_their_bounds);
    tcase_add_test(tcase, parameters_and_presets_mean_what_they_say);
    tcase_add_test(tcase, what_makes_no_sense_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

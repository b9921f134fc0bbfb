/* SPDX-License-Identifier: MIT */
/* A user would lose TIMELY as its authors published it, or its patched form: rates that do not
 * follow Algorithm 1 (SIGCOMM 2015) and Algorithm 2 of "ECN or Delay" (CoNEXT 2016). */
#include <check.h>
#include <math.h>
#include <string.h>

#include <weft/cc.h>
#include <weft/error.h>
#include <weft/views.h>

#include "must.h"

#define US   INT64_C(1000000) /* ps */
#define MBPS 1e6
#define GBPS 1e9

/* 10 Gb/s, 20 us: a gradient of 1 us in a round trip is 0.05. Frames of 1000 B. */
static const struct weft_cc_site paper = {INT64_C(10000000000), 1, 20 * US, 4, 1000, 20, NULL};

static const struct weft_cc_ops *cc;
static uint64_t config[16], state[64], delivered;
static int64_t now;

static int
start(const struct weft_cc_site *site)
{
    delivered = 0;
    now = 0;
    return cc->init(state, config, site, 0);
}

/* Settings in pairs; every packet is a completion event, and alpha is 1 unless they say else. */
static void
begin(const char *const *settings)
{
    cc = weft_cc_find("timely");
    ck_assert_ptr_nonnull(cc);
    ck_assert_uint_le(cc->algo.config_size, sizeof config);
    ck_assert_uint_le(cc->state_size, sizeof state);
    ck_assert_int_eq(weft_config_default(&cc->algo, config), 0);
    ck_assert_int_eq(weft_config_set(&cc->algo, config, "segment", "1KB"), 0);
    ck_assert_int_eq(weft_config_set(&cc->algo, config, "alpha", "1"), 0);
    ck_assert_int_eq(weft_config_set(&cc->algo, config, "initial", "1Gbps"), 0);
    for (; settings && settings[0]; settings += 2)
    {
        ck_assert_int_eq(weft_config_set(&cc->algo, config, settings[0], settings[1]), 0);
    }
    ck_assert_int_eq(start(&paper), 0);
}

static struct weft_timely_view
view(void)
{
    struct weft_timely_view v;
    weft_timely_read(state, &v);
    return v;
}

/* A reply after @p rtt ps that acknowledges @p acked packets. */
static void
reply(int64_t rtt, uint32_t acked, unsigned flags)
{
    now += 1000 * US;
    const struct weft_packet packet = {
        .kind = acked ? WEFT_ACK : WEFT_NACK, .sent = now - rtt, .flags = flags & 0xffU};
    delivered += acked;
    const struct weft_cc_ack ack = {
        .reply = &packet, .acked = acked, .una = delivered, .delivered = delivered, .next = 500};
    cc->on_ack(state, &ack, now);
}

static double
rate_after(double us)
{
    reply((int64_t)(us * 1e6), 1, 0);
    const struct weft_timely_view v = view();
    ck_assert_int_eq(cc->rate(state, now), (int64_t)v.rate);
    return v.rate;
}

/* A millisecond below the thresholds is no reason to cut, whatever the gradient. */
START_TEST(below_t_low_the_rate_rises_by_delta)
{
    begin(NULL);
    ck_assert_int_eq(cc->rate(state, 0), (int64_t)GBPS);
    ck_assert_double_eq_tol(rate_after(20), GBPS + 10 * MBPS, 1);
    ck_assert_double_eq_tol(rate_after(49), GBPS + 20 * MBPS, 1); /* a gradient of 1.45 */
    ck_assert_double_eq_tol(view().gradient, 29.0 / 20, 1e-9);
    ck_assert_uint_eq(view().cuts, 0);
}
END_TEST

/* 1 Gb/s x (1 - 0.8 x (1 - 500 / 1000)) = 600 Mb/s, though the second round trip is shorter. */
START_TEST(above_t_high_the_rate_falls_by_the_excess)
{
    begin(NULL);
    ck_assert_double_eq_tol(rate_after(2000), GBPS * (1 - 0.8 * 0.75), 1);
    ck_assert_double_eq_tol(rate_after(1000), 0.4 * GBPS * 0.6, 1);
    ck_assert_uint_eq(view().cuts, 2);
}
END_TEST

/* From 100 us to 104: a gradient of 0.2, 1 - 0.8 x 0.2 = 0.84. The first round trip has none. */
START_TEST(between_them_a_rise_cuts_by_the_gradient)
{
    begin(NULL);
    ck_assert_double_eq_tol(rate_after(100), GBPS + 10 * MBPS, 1);
    ck_assert_double_eq_tol(rate_after(104), 1010 * MBPS * 0.84, 1);
    ck_assert_double_eq_tol(rate_after(103), 1010 * MBPS * 0.84 + 10 * MBPS, 1);
}
END_TEST

/* t-low and t-high belong to what is between them. */
START_TEST(at_a_threshold_the_gradient_decides)
{
    begin(NULL);
    rate_after(45);
    ck_assert_double_eq_tol(rate_after(50), 1010 * MBPS * (1 - 0.8 * 0.25), 1);
    begin(NULL);
    rate_after(501);
    const double before = view().rate;
    ck_assert_double_eq_tol(rate_after(500), before + 10 * MBPS, 1);
}
END_TEST

/* alpha 0.875: differences of 4 us and then 0 leave 0.125 x 3.5 us, a gradient of 0.021875. */
START_TEST(differences_are_averaged)
{
    begin((const char *const[]){"alpha", "0.875", NULL});
    rate_after(100);
    const double before = rate_after(104);
    ck_assert_double_eq_tol(view().gradient, 3.5 / 20, 1e-9);
    ck_assert_double_eq_tol(rate_after(104), before * (1 - 0.8 * 0.021875), 1);
}
END_TEST

/* The fifth event without a rise steps by five deltas, and a rise ends that. */
START_TEST(five_falls_in_a_row_make_larger_steps)
{
    begin(NULL);
    for (int n = 1; n <= 4; n++)
    {
        ck_assert_double_eq_tol(rate_after(110 - n), GBPS + n * 10 * MBPS, 1);
    }
    ck_assert_double_eq_tol(rate_after(105), GBPS + 90 * MBPS, 1);
    ck_assert_int_eq(view().falls, 5);
    ck_assert_double_eq_tol(rate_after(104), GBPS + 140 * MBPS, 1);
    const double cut = rate_after(105);
    ck_assert_double_eq_tol(rate_after(104), cut + 10 * MBPS, 1);
    begin((const char *const[]){"hai", "2", "hai-step", "3", NULL});
    rate_after(100);
    ck_assert_double_eq_tol(rate_after(100), GBPS + 40 * MBPS, 1);
}
END_TEST

/* w = 2 g + 1/2, error = (rtt - 50) / 50. At 100 us without a gradient w is 1/2 and the error 1:
 * 5 Mb/s + 1 Gb/s x (1 - 0.008 x 1/2). */
START_TEST(the_patched_form_weighs_the_distance_from_the_target)
{
    static const char *const patched[] = {"form", "patched", "beta", "0.008", NULL};
    begin(patched);
    ck_assert_double_eq_tol(rate_after(100), 5 * MBPS + GBPS * 0.996, 1);
    const double before = view().rate;
    /* 2 us more: g = 0.1, w = 0.7, error = 1.04 */
    ck_assert_double_eq_tol(rate_after(102), 3 * MBPS + before * (1 - 0.008 * 0.7 * 1.04), 1);
    begin(patched);
    rate_after(100);
    const double steep = view().rate; /* g = 0.3: w = 1, error = 1.12 */
    ck_assert_double_eq_tol(rate_after(106), steep * (1 - 0.008 * 1.12), 1);
    const double falling = view().rate; /* g = -0.3: w = 0 */
    ck_assert_double_eq_tol(rate_after(100), falling + 10 * MBPS, 1);
}
END_TEST

/* On the target only the step is left, so that all flows there grow alike: 1/2 delta. */
START_TEST(the_patched_form_has_a_target_of_its_own)
{
    begin((const char *const[]){"form", "patched", "target", "80us", NULL});
    ck_assert_double_eq_tol(rate_after(80), GBPS + 5 * MBPS, 1);
    begin((const char *const[]){"form", "patched", "target", "80us", "beta", "0.008", NULL});
    ck_assert_double_eq_tol(rate_after(60), 5 * MBPS + GBPS * (1 + 0.008 * 0.5 * 0.25), 1);
}
END_TEST

/* 16 KB are 16 frames of 1000 B; 15 are none, nor are 16 of 16,001 B. More at once are one event.
 */
START_TEST(a_segment_is_one_completion_event)
{
    begin((const char *const[]){"segment", "16KB", NULL});
    for (int n = 0; n < 15; n++)
    {
        reply(20 * US, 1, 0);
    }
    ck_assert_double_eq_tol(view().rate, GBPS, 1);
    reply(20 * US, 1, 0);
    ck_assert_double_eq_tol(view().rate, GBPS + 10 * MBPS, 1);
    reply(20 * US, 40, 0);
    ck_assert_double_eq_tol(view().rate, GBPS + 20 * MBPS, 1);
    reply(20 * US, 15, 0);
    ck_assert_double_eq_tol(view().rate, GBPS + 20 * MBPS, 1);
    begin((const char *const[]){"segment", "16001B", NULL});
    reply(20 * US, 16, 0);
    ck_assert_double_eq_tol(view().rate, GBPS, 1);
}
END_TEST

/* With segment=0 the next event is that of a packet sent later: of 501, as 500 were out. */
START_TEST(without_a_segment_there_is_one_event_in_a_round_trip)
{
    begin((const char *const[]){"segment", "0B", NULL});
    reply(20 * US, 1, 0);
    ck_assert_double_eq_tol(view().rate, GBPS + 10 * MBPS, 1);
    reply(20 * US, 499, 0);
    ck_assert_double_eq_tol(view().rate, GBPS + 10 * MBPS, 1);
    reply(20 * US, 1, 0);
    ck_assert_double_eq_tol(view().rate, GBPS + 20 * MBPS, 1);
}
END_TEST

/* The header of a trimmed packet passed the queue, so that its time is no delay. */
START_TEST(a_trimmed_packet_tells_no_delay)
{
    begin(NULL);
    reply(2000 * US, 1, WEFT_F_TRIMMED);
    ck_assert_double_eq_tol(view().rate, GBPS, 1);
    ck_assert_int_eq(view().rtt, 0);
}
END_TEST

START_TEST(rates_stay_between_their_bounds)
{
    begin((const char *const[]){"initial", "0bps", NULL});
    ck_assert_int_eq(cc->rate(state, 0), paper.line_rate);
    ck_assert_double_eq(rate_after(20), 10 * GBPS);
    for (int n = 0; n < 100; n++)
    {
        rate_after(5000);
    }
    ck_assert_double_eq(view().rate, 100 * MBPS);
    begin(NULL);
    rate_after(100);
    rate_after(300); /* a gradient of 10 leaves no rate at all */
    ck_assert_double_eq(view().rate, 100 * MBPS);
}
END_TEST

/* delta follows the line, and the gradient is divided by min-rtt. */
START_TEST(parameters_and_presets_mean_what_they_say)
{
    const struct weft_cc_site fast = {INT64_C(400000000000), 1, 20 * US, 4, 1000, 20, NULL};
    begin((const char *const[]){"initial", "10Gbps", NULL});
    ck_assert_int_eq(start(&fast), 0);
    ck_assert_double_eq_tol(rate_after(20), 10 * GBPS + 400 * MBPS, 1);
    begin((const char *const[]){"min-rtt", "40us", "delta", "20Mbps", NULL});
    ck_assert_double_eq_tol(rate_after(100), GBPS + 20 * MBPS, 1);
    ck_assert_double_eq_tol(rate_after(104), 1020 * MBPS * (1 - 0.8 * 0.1), 1);
    begin(NULL);
    ck_assert_int_eq(weft_config_preset(&cc->algo, config, "patched"), 0);
    ck_assert_int_eq(start(&paper), 0);
    ck_assert_double_eq_tol(rate_after(100), 5 * MBPS + GBPS * 0.996, 1);
}
END_TEST

START_TEST(what_makes_no_sense_is_refused)
{
    const struct weft_cc_site none = {.line_rate = paper.line_rate};
    begin(NULL);
    ck_assert_int_eq(start(&none), WEFT_EINVAL);
    ck_assert_int_eq(weft_config_set(&cc->algo, config, "t-high", "40us"), 0);
    ck_assert_ptr_nonnull(cc->algo.check(config));
    ck_assert_int_eq(start(&paper), WEFT_ERANGE);
}
END_TEST

Suite *timely_suite(void);

Suite *
timely_suite(void)
{
    Suite *suite = suite_create("timely");
    TCase *tcase = tcase_create("timely");
    tcase_add_test(tcase, below_t_low_the_rate_rises_by_delta);
    tcase_add_test(tcase, above_t_high_the_rate_falls_by_the_excess);
    tcase_add_test(tcase, between_them_a_rise_cuts_by_the_gradient);
    tcase_add_test(tcase, at_a_threshold_the_gradient_decides);
    tcase_add_test(tcase, differences_are_averaged);
    tcase_add_test(tcase, five_falls_in_a_row_make_larger_steps);
    tcase_add_test(tcase, the_patched_form_weighs_the_distance_from_the_target);
    tcase_add_test(tcase, the_patched_form_has_a_target_of_its_own);
    tcase_add_test(tcase, a_segment_is_one_completion_event);
    tcase_add_test(tcase, without_a_segment_there_is_one_event_in_a_round_trip);
    tcase_add_test(tcase, a_trimmed_packet_tells_no_delay);
    tcase_add_test(tcase, rates_stay_between_their_bounds);
    tcase_add_test(tcase, parameters_and_presets_mean_what_they_say);
    tcase_add_test(tcase, what_makes_no_sense_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

/* SPDX-License-Identifier: MIT */
/* A user would lose the practical congestion control of ofan's figures: windows that do not follow
 * Algorithm 1 of Swift, or that collapse when packets are sprayed (ofan §8.3, App. H). */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <weft/cc.h>
#include <weft/error.h>
#include <weft/rng.h>

#include "must.h"

#define US INT64_C(1000000) /* ps */

/* OFAN's fabric: 800 Gb/s, 6.25 us there and back over 6 links. */
static const struct weft_cc_site paper = {INT64_C(800000000000), 1, 6250000, 6, 4158, 20};

static const struct weft_cc_ops *cc;
static uint64_t delivered;
static uint64_t config[16];
static void *state;

static void
begin_at(const char *name, const struct weft_cc_site *site, const char *const *settings)
{
    cc = weft_cc_find(name);
    ck_assert_ptr_nonnull(cc);
    ck_assert_uint_le(cc->algo.config_size, sizeof(config));
    ck_assert_int_eq(weft_config_default(&cc->algo, config), 0);
    for (; settings != NULL && settings[0] != NULL; settings += 2)
    {
        ck_assert_int_eq(weft_config_set(&cc->algo, config, settings[0], settings[1]), 0);
    }
    ck_assert_ptr_null(cc->algo.check(config));
    state = malloc(cc->state_size);
    cc->init(state, config, site, 0);
    delivered = 0;
}

static void
begin(const char *name, const char *const *settings)
{
    begin_at(name, &paper, settings);
}

static void
end(void)
{
    free(state);
}

static void
ack(int64_t now, int64_t delay, uint32_t acked)
{
    struct weft_packet packet;
    memset(&packet, 0, sizeof(packet));
    packet.kind = WEFT_ACK;
    packet.sent = now - delay;
    delivered += acked;
    const struct weft_cc_ack taken = {.reply = &packet, .acked = acked, .delivered = delivered};
    cc->on_ack(state, &taken, now);
}

/* A packet is taken for lost. */
static void
lose(int64_t now, enum weft_loss_cause cause)
{
    const struct weft_loss loss = {.cause = (uint8_t)cause};
    cc->on_lost(state, &loss, now);
}

static uint32_t
window(void)
{
    return cc->window(state, 0);
}

/* A transport that forgot what it had said would open windows without end. */
START_TEST(what_is_forgotten_counts_for_nothing)
{
    begin("swift", NULL);
    lose(100000000, WEFT_LOST_BY_GAP); /* a window that can open */
    ack(100000000, 1, 10);
    const uint32_t before = window();
    for (int n = 0; n < 1000; n++)
    {
        delivered -= 8;
        ack(100000001, 1, 0);
        ack(100000001, 1, 8);
    }
    ck_assert_uint_eq(window(), before);
    end();
}
END_TEST

START_TEST(the_first_window_fills_the_line_for_the_target_delay)
{
    begin("swift", NULL);
    /* 6.25 us + 113 KB at 800 Gb/s = 7.38 us; 738,000 B of frames of 4178 B: 176.6 */
    ck_assert_uint_eq(window(), 738000 / 4178);
    ck_assert_int_eq(cc->rate(state, 0), paper.line_rate);
    /* The target itself: below it nothing is cut, at it the cut is nil, above it is not. */
    ack(10 * US, 7379999, 1);
    ack(20 * US, 7380000, 1);
    ck_assert_uint_eq(cc->cuts(state), 0);
    ack(30 * US, 7390000, 1);
    ck_assert_uint_eq(cc->cuts(state), 1);
    end();
    /* 4 of 6 links: 4/6 of the queueing. */
    const struct weft_cc_site near = {paper.line_rate, 1, 4000000, 4, 4158, 20};
    begin_at("swift", &near, NULL);
    ck_assert_uint_eq(window(), (400000 + 113000 * 4 / 6) / 4178);
    ack(10 * US, 4000000 + 753333 - 2, 1);
    ck_assert_uint_eq(cc->cuts(state), 0);
    ack(20 * US, 4000000 + 753333 + 2, 1);
    ck_assert_uint_eq(cc->cuts(state), 1);
    end();
}
END_TEST

/* Brings the window to about @p cwnd by cuts of a half. */
static int64_t
shrink(double cwnd)
{
    int64_t now = 100 * US;
    while (window() > cwnd)
    {
        ack(now, 40 * US, 1);
        now += 100 * US;
    }
    return now;
}

START_TEST(a_window_of_acks_adds_ai_packets)
{
    static const char *const large[] = {"max-cwnd", "64", NULL};
    begin("swift", large);
    double cwnd = 64;
    int64_t now = shrink(16);
    for (; cwnd > 16.5; cwnd /= 2)
    {
    }
    ck_assert_double_eq(cwnd, 16);
    for (uint32_t i = 0; i < 16 * 10; i++)
    {
        ack(now, 7 * US, 1);
        cwnd += 1 / cwnd;
        ck_assert_uint_eq(window(), (uint32_t)cwnd);
    }
    ck_assert_uint_eq(window(), 24); /* the square grows by 2 per ACK: 16^2 + 2 * 160 = 24^2 */
    ack(now, 7 * US, 50);
    ck_assert_uint_eq(window(), (uint32_t)(cwnd + 50 / cwnd));
    for (uint32_t i = 0; i < 10000; i++)
    {
        ack(now, 7 * US, 1);
        MUST(window() <= 64);
    }
    ck_assert_uint_eq(window(), 64);
    end();
}
END_TEST

START_TEST(each_packet_counts_once_in_any_order)
{
    static const char *const large[] = {"max-cwnd", "64", NULL};
    begin("swift", large);
    const int64_t now = shrink(16);
    double cwnd = 16;
    for (uint32_t i = 0; i < 32; i++)
    {
        ack(now, 7 * US, 1); /* the first one's comes last: una waits for it */
        ack(now, 7 * US, 0); /* a duplicate */
        cwnd += 1 / cwnd;
        ck_assert_uint_eq(window(), (uint32_t)cwnd);
    }
    ack(now, 7 * US, 64); /* one ACK for 64 */
    ck_assert_uint_eq(window(), (uint32_t)(cwnd + 64 / cwnd));
    end();
}
END_TEST

START_TEST(a_decrease_is_in_proportion_to_the_excess_and_once_a_round_trip)
{
    static const char *const hundred[] = {"max-cwnd", "100", NULL};
    begin("swift", hundred);
    ack(20 * US, 9 * US, 1); /* 1 - 0.8 (9 - 7.38) / 9 = 0.856 */
    ck_assert_uint_eq(window(), 85);
    ack(29 * US - 1, 9 * US, 1);
    ck_assert_uint_eq(window(), 85);
    ack(29 * US, 9 * US, 1);
    ck_assert_uint_eq(window(), 73); /* 0.856^2 = 0.7327 */
    ck_assert_uint_eq(cc->cuts(state), 2);
    ack(80 * US, 50 * US, 1); /* 1 - 0.8 * 42.62 / 50 = 0.318, but a half at most */
    ck_assert_uint_eq(window(), 36);
    end();
}
END_TEST

/* Algorithm 1 increases if delay < target: at the target itself a flow has its share. */
START_TEST(a_delay_of_exactly_the_target_leaves_the_window)
{
    static const char *const hundred[] = {"max-cwnd", "100", NULL};
    begin("swift", hundred);
    ack(100 * US, 50 * US, 1);
    ck_assert_uint_eq(window(), 50);
    for (int64_t i = 1; i <= 150; i++)
    {
        ack((100 + i) * US, 7380000, 1);
    }
    ck_assert_uint_eq(window(), 50);
    ck_assert_uint_eq(cc->cuts(state), 1);
    for (int64_t i = 151; i <= 300; i++)
    {
        ack((100 + i) * US, 7379999, 1);
    }
    ck_assert_uint_eq(window(), 52);
    end();
}
END_TEST

START_TEST(a_window_below_one_packet_is_paced)
{
    static const char *const two[] = {"max-cwnd", "2", "min-cwnd", "0.01", NULL};
    begin("swift", two);
    int64_t now = 0;
    for (int i = 0; i < 3; i++)
    {
        now += 100 * US;
        ack(now, 40 * US, 1);
    }
    ck_assert_uint_eq(window(), 1);
    /* A packet of 4178 B leaves in rtt / cwnd = 40 us / 0.25. */
    ck_assert_int_eq(cc->rate(state, now), 208900000);
    for (int i = 0; i < 20; i++)
    {
        now += 100 * US;
        ack(now, 40 * US, 1);
    }
    ck_assert_int_eq(cc->rate(state, now), 8356000); /* min-cwnd in 40 us */
    /* Below one packet an ACK adds ai, not ai / cwnd. */
    ack(now + US, 5 * US, 1);
    ck_assert_uint_eq(window(), 1);
    ck_assert_int_eq(cc->rate(state, now), paper.line_rate);
    end();
}
END_TEST

START_TEST(the_first_cut_waits_for_no_round_trip)
{
    static const char *const hundred[] = {"max-cwnd", "100", NULL};
    begin("swift", hundred);
    cc->on_timeout(state, 0);
    ck_assert_uint_eq(window(), 50);
    cc->on_timeout(state, 6 * US); /* 6.25 us are the next one's */
    ck_assert_uint_eq(window(), 50);
    end();
}
END_TEST

START_TEST(losses_cut_once_a_round_trip)
{
    static const char *const hundred[] = {"max-cwnd", "100", NULL};
    begin("swift", hundred);
    ack(20 * US, 7 * US, 1);
    ck_assert_uint_eq(window(), 100);
    lose(20 * US, WEFT_LOST_BY_GAP);
    lose(21 * US, WEFT_LOST_BY_NACK);
    ck_assert_uint_eq(window(), 50);
    lose(27 * US, WEFT_LOST_BY_GAP);
    ck_assert_uint_eq(window(), 25);
    cc->on_timeout(state, 100 * US);
    lose(100 * US, WEFT_LOST_BY_TIMEOUT); /* what that timeout is about */
    ck_assert_uint_eq(window(), 12);
    ack(120 * US, 7 * US, 1);
    lose(130 * US, WEFT_LOST_BY_GAP);
    ck_assert_uint_eq(window(), 6);
    end();
    static const char *const off[] = {"max-cwnd", "100", "fast-cut", "off", NULL};
    begin("swift", off);
    lose(20 * US, WEFT_LOST_BY_GAP);
    ck_assert_uint_eq(window(), 100);
    end();
}
END_TEST

/* A header passes the queue that cut its payload away: it tells of a loss, and of no delay. */
START_TEST(a_trimmed_packet_is_a_loss_and_no_delay)
{
    static const char *const plain[] = {"max-cwnd", "100", NULL};
    static const char *const off[] = {"max-cwnd", "100", "trim-cut", "off", NULL};
    const char *const name = _i == 0 ? "swift" : "mswift";
    const struct weft_packet late = {.kind = WEFT_NACK, .flags = WEFT_F_TRIMMED, .sent = -90 * US};
    const struct weft_packet early = {.kind = WEFT_NACK, .flags = WEFT_F_TRIMMED, .sent = 45 * US};
    const struct weft_cc_ack after_much = {.reply = &late};
    const struct weft_cc_ack after_little = {.reply = &early, .delivered = 31};
    begin(name, plain);
    cc->on_ack(state, &after_much, 20 * US);
    ck_assert_uint_eq(window(), 100);
    lose(20 * US, WEFT_LOST_TRIMMED);
    lose(21 * US, WEFT_LOST_TRIMMED);
    ck_assert_uint_eq(window(), 50);
    end();
    begin(name, off);
    lose(20 * US, WEFT_LOST_TRIMMED);
    ck_assert_uint_eq(window(), 100);
    end();
    begin(name, plain);
    for (int i = 0; i < 31; i++)
    {
        ack(10 * US + i, 9 * US, 1);
    }
    const uint32_t cut = window();
    ck_assert_uint_lt(cut, 100);
    for (int i = 0; i < 31; i++) /* were they delays, they would outvote the others */
    {
        cc->on_ack(state, &after_little, 50 * US);
    }
    ck_assert_uint_eq(window(), cut);
    ack(60 * US, 9 * US, 1);
    ck_assert_uint_lt(window(), cut);
    end();
}
END_TEST

START_TEST(timeouts_in_a_row_leave_the_least)
{
    static const char *const hundred[] = {"max-cwnd", "100", NULL};
    begin(_i == 0 ? "swift" : "mswift", hundred);
    for (int i = 1; i <= 4; i++)
    {
        cc->on_timeout(state, i * 1000 * US);
        lose(i * 1000 * US, WEFT_LOST_BY_TIMEOUT); /* no second cut */
        ck_assert_uint_eq(window(), 100U >> i);
    }
    ack(4500 * US, 7 * US, 0); /* not in a row */
    cc->on_timeout(state, 5000 * US);
    ck_assert_uint_eq(window(), 100U >> 5);
    for (int i = 6; i <= 9; i++)
    {
        cc->on_timeout(state, i * 1000 * US);
    }
    ck_assert_uint_eq(window(), 1);
    ck_assert_int_eq(cc->rate(state, 0), 4774857); /* 0.001 * 4178 B in 7 us */
    ck_assert_uint_eq(cc->cuts(state), 9);
    end();
}
END_TEST

START_TEST(flow_scaling_lets_small_windows_queue_for_longer)
{
    static const char *const fs[] = {"max-cwnd", "100",    "fs-range", "10us", "fs-min",
                                     "1",        "fs-max", "100",      NULL};
    begin("swift", fs);
    ack(20 * US, 7381000, 1); /* window 100: nothing added */
    ck_assert_uint_eq(cc->cuts(state), 1);
    int64_t now = shrink(4);
    const double cwnd = 100 * (1 - 0.8 * 1000 / 7381000) / 32;
    /* alpha = 10 us / (1 - 0.1); the target rises by alpha (1 / sqrt(cwnd) - 0.1) */
    const double more = 10 / 0.9 * (1 / sqrt(cwnd) - 0.1);
    const uint64_t cuts = cc->cuts(state);
    ack(now, (int64_t)((7.38 + more - 0.001) * 1e6), 1);
    ck_assert_uint_eq(cc->cuts(state), cuts);
    const double less = 10 / 0.9 * (1 / sqrt(cwnd + 1 / cwnd) - 0.1);
    ack(now, (int64_t)((7.38 + less + 0.001) * 1e6), 1);
    ck_assert_uint_eq(cc->cuts(state), cuts + 1);
    end();
}
END_TEST

/* Delays of packets sprayed over 8 paths, one of which is congested. */
static uint64_t
cuts_with_one_bad_path(const char *name)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 7, 0, 0);
    begin(name, NULL);
    for (int64_t i = 1; i < 5000; i++)
    {
        const bool bad = i > 8 && weft_rng_below(&rng, 8) == 0;
        ack(i * 42000, bad ? 30 * US : 7 * US, 1);
    }
    const uint64_t cuts = cc->cuts(state);
    ck_assert((window() == 176) == (cuts == 0));
    end();
    return cuts;
}

START_TEST(one_congested_path_of_eight_does_not_stop_sprayed_packets)
{
    ck_assert_uint_eq(cuts_with_one_bad_path("mswift"), 0);
    ck_assert_uint_gt(cuts_with_one_bad_path("swift"), 5); /* about once in 30 us */
}
END_TEST

START_TEST(congestion_of_most_paths_does)
{
    static const char *const hundred[] = {"max-cwnd", "100", NULL};
    begin("mswift", hundred);
    for (int64_t i = 1; i <= 31; i++)
    {
        ack(10 * US + i, 7 * US, 1);
    }
    for (int64_t i = 1; i <= 15; i++)
    {
        ack(20 * US + i, 9 * US, 1);
        ck_assert_uint_eq(cc->cuts(state), 0);
    }
    ack(21 * US, 9 * US, 1);
    ck_assert_uint_eq(window(), 85);
    end();
}
END_TEST

static int
ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* mswift is swift that is told the median: the two run side by side. */
START_TEST(it_acts_on_the_median_of_the_latest_window)
{
    static const char *const sizes[] = {"31", "1", "7", "63"};
    const char *const settings[] = {"samples", sizes[_i % 4], NULL};
    struct weft_rng rng;
    int64_t delays[4000];
    const uint32_t samples = (uint32_t)atoi(sizes[_i % 4]);
    weft_rng_seed(&rng, 9, 0, (uint64_t)_i);
    begin("swift", NULL);
    void *told = state;
    const struct weft_cc_ops *plain = cc;
    uint64_t plain_config[16];
    memcpy(plain_config, config, sizeof(config));
    plain->init(told, plain_config, &paper, 0);
    begin("mswift", settings);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < 4000; i++)
    {
        int64_t sorted[64];
        const int64_t now = (i + 1) * INT64_C(300000);
        const uint32_t most = window() < samples ? window() : samples;
        delays[i] = 6 * US + weft_rng_below(&rng, i / 1000 % 2 == 0 ? 2000000 : 20000000);
        kept = kept + 1 < most ? kept + 1 : most;
        memcpy(sorted, delays + (i + 1 - kept), kept * sizeof(sorted[0]));
        qsort(sorted, kept, sizeof(sorted[0]), ascending);
        struct weft_packet packet;
        memset(&packet, 0, sizeof(packet));
        packet.sent = now - sorted[(kept - 1) / 2];
        const struct weft_cc_ack median = {.reply = &packet, .acked = 1, .delivered = i + 1};
        plain->on_ack(told, &median, now);
        ack(now, delays[i], 1);
        MUST(window() == plain->window(told, now) && cc->cuts(state) == plain->cuts(told));
        MUST(cc->rate(state, now) == plain->rate(told, now));
        MUST(window() >= 1 && window() <= 176);
    }
    ck_assert_uint_gt(cc->cuts(state), 0);
    end();
    free(told);
}
END_TEST

START_TEST(settings_that_contradict_each_other_are_refused)
{
    begin("swift", NULL);
    ck_assert_int_eq(weft_config_set(&cc->algo, config, "max-cwnd", "0.0005"), 0);
    ck_assert_ptr_nonnull(cc->algo.check(config));
    ck_assert_int_eq(weft_config_set(&cc->algo, config, "max-cwnd", "0"), 0);
    ck_assert_int_eq(weft_config_set(&cc->algo, config, "fs-max", "0.1"), 0);
    ck_assert_ptr_null(cc->algo.check(config));
    ck_assert_int_eq(weft_config_set(&cc->algo, config, "fs-range", "1us"), 0);
    ck_assert_ptr_nonnull(cc->algo.check(config));
    end();
}
END_TEST

START_TEST(a_way_without_links_is_refused)
{
    begin("swift", NULL);
    struct weft_cc_site site = paper;
    site.links = 0;
    ck_assert_int_eq(cc->init(state, config, &site, 0), WEFT_EINVAL);
    site.links = 1;
    ck_assert_int_eq(cc->init(state, config, &site, 0), 0);
    free(state);
}
END_TEST

Suite *
swift_suite(void)
{
    Suite *suite = suite_create("swift");
    TCase *tcase = tcase_create("swift");
    tcase_add_test(tcase, a_way_without_links_is_refused);
    tcase_add_test(tcase, the_first_window_fills_the_line_for_the_target_delay);
    tcase_add_test(tcase, a_window_of_acks_adds_ai_packets);
    tcase_add_test(tcase, each_packet_counts_once_in_any_order);
    tcase_add_test(tcase, a_decrease_is_in_proportion_to_the_excess_and_once_a_round_trip);
    tcase_add_test(tcase, a_delay_of_exactly_the_target_leaves_the_window);
    tcase_add_test(tcase, a_window_below_one_packet_is_paced);
    tcase_add_test(tcase, the_first_cut_waits_for_no_round_trip);
    tcase_add_test(tcase, losses_cut_once_a_round_trip);
    tcase_add_test(tcase, what_is_forgotten_counts_for_nothing);
    tcase_add_loop_test(tcase, a_trimmed_packet_is_a_loss_and_no_delay, 0, 2);
    tcase_add_loop_test(tcase, timeouts_in_a_row_leave_the_least, 0, 2);
    tcase_add_test(tcase, flow_scaling_lets_small_windows_queue_for_longer);
    tcase_add_test(tcase, one_congested_path_of_eight_does_not_stop_sprayed_packets);
    tcase_add_test(tcase, congestion_of_most_paths_does);
    tcase_add_loop_test(tcase, it_acts_on_the_median_of_the_latest_window, 0, 8);
    tcase_add_test(tcase, settings_that_contradict_each_other_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

/* SPDX-License-Identifier: MIT */
/* A user who studies gray failures would compare schemes on links that lose another share of their
 * frames than was asked for, in other bursts, or not the same ones. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "base/bitmap.h"
#include "link-rig.h"

#define MANY 1000000U

/* Each frame by itself: the count is binomial. */
START_TEST(a_lossy_link_loses_its_share_of_frames)
{
    static const uint64_t links[] = {1}; /* host 1's */
    const bool spoils = _i == 1;
    link_begin("ecmp");
    link_fault(&(struct weft_fault){.links = links,
                                    .nlinks = 1,
                                    .effect = spoils ? WEFT_FAULT_CORRUPTING : WEFT_FAULT_LOSSY,
                                    .direction = WEFT_DOWNWARDS,
                                    .losses = {.good = 0.01},
                                    .repair = WEFT_NEVER});
    link_send_many(0, 1, MANY);
    ck_assert_double_le(fabs((double)link_heard.lost - 0.01 * MANY), 4 * sqrt(0.01 * 0.99 * MANY));
    ck_assert_int_eq(link_heard.why, spoils ? WEFT_NET_CORRUPTED : WEFT_NET_DROP_LOSSY);
    ck_assert_uint_eq(link_total().lost[WEFT_NET_DROP_LOSSY], spoils ? 0 : link_heard.lost);
    ck_assert_uint_eq(link_total().lost[WEFT_NET_CORRUPTED], spoils ? link_heard.lost : 0);
    ck_assert_uint_eq(link_port(1, 0).lost_lossy, spoils ? 0 : link_heard.lost);
    ck_assert_uint_eq(link_port(1, 0).corrupted, spoils ? link_heard.lost : 0);
    ck_assert_uint_eq(link_port(1, 0).lost_down, 0);
    stage_end();
}
END_TEST

/* Gilbert-Elliott: the share of the bad state and the mean of its bursts, which lose all. */
START_TEST(losses_in_bursts_are_as_their_closed_form_says)
{
    static const uint64_t links[] = {0};
    const double to_bad = 0.001, to_good = 0.2, share = to_bad / (to_bad + to_good);
    link_begin("ecmp");
    link_fault(&(struct weft_fault){.links = links,
                                    .nlinks = 1,
                                    .effect = WEFT_FAULT_LOSSY,
                                    .direction = WEFT_UPWARDS,
                                    .losses = {0, 1, to_bad, to_good},
                                    .repair = WEFT_NEVER});
    link_send_many(0, 1, MANY);
    const double bursts = MANY * share * to_good;
    ck_assert_double_le(fabs((double)link_heard.bursts - bursts), 4 * sqrt(bursts));
    const double mean = (double)link_heard.lost / (double)link_heard.bursts;
    ck_assert_double_le(fabs(mean - 1 / to_good),
                        4 * sqrt((1 - to_good) / (to_good * to_good) / bursts));
    stage_end();
}
END_TEST

/* Numbers of the frames that host 0's link, or host 1's, loses of 60, as bits. */
static uint64_t
losses_of(const char *balancer, uint64_t seed, uint64_t link, enum weft_direction way)
{
    link_begin(balancer);
    stage.net.seed = seed;
    ck_assert_int_eq(weft_run_build(stage.run, &stage.net, &stage.why), 0);
    link_fault(&(struct weft_fault){.links = &link,
                                    .nlinks = 1,
                                    .effect = WEFT_FAULT_LOSSY,
                                    .direction = way,
                                    .losses = {.good = 0.5},
                                    .repair = WEFT_NEVER});
    link_send(0, 1, 60, 0);
    weft_run_until(stage.run, 50 * US);
    link_send(1, 0, 60, 1024);
    weft_run_until(stage.run, 200 * US);
    ck_assert_uint_eq(link_heard.lost, weft_popcount64(link_heard.lost_bits));
    stage_end();
    return link_heard.lost_bits;
}

/* A frame's fate is that of its place in the row of those that come by a link, whatever the scheme:
 * schemes are compared on the same losses. */
START_TEST(what_is_lost_hangs_on_the_seed_and_the_link_and_on_no_scheme)
{
    const uint64_t lost = losses_of("ecmp", 3, 0, WEFT_UPWARDS);
    ck_assert_uint_ne(lost, 0);
    ck_assert_uint_eq(losses_of("reps", 3, 0, WEFT_UPWARDS), lost);
    ck_assert_uint_ne(losses_of("ecmp", 4, 0, WEFT_UPWARDS), lost);
    ck_assert_uint_ne(losses_of("ecmp", 3, 0, WEFT_DOWNWARDS), lost);
    ck_assert_uint_ne(losses_of("ecmp", 3, 1, WEFT_DOWNWARDS), lost);
}
END_TEST

/* Half of all times begin in the state that loses all, if that is where half of them are. */
START_TEST(the_first_frame_meets_the_states_as_any_other)
{
    static const uint64_t links[] = {0};
    uint64_t lost = 0;
    link_begin("ecmp");
    for (uint32_t i = 0; i < 1000; i++)
    {
        const int64_t at = i * 100 * LINK_SLOT;
        link_fault(&(struct weft_fault){.links = links,
                                        .nlinks = 1,
                                        .effect = WEFT_FAULT_LOSSY,
                                        .losses = {0, 1, 0.01, 0.01},
                                        .at = at,
                                        .repair = at + 5 * US});
        link_send(0, 1, 1, 100 * i);
        weft_run_until(stage.run, at + 100 * LINK_SLOT);
        lost += link_heard.lost > 0;
        link_heard.lost = 0;
    }
    ck_assert_double_le(fabs((double)lost - 500), 4 * sqrt(250));
    stage_end();
}
END_TEST

/* Probability that up to so many sends of n packets are lost, each with probability p. */
static double
up_to(uint64_t lost, uint32_t n, double p)
{
    double sum = 0;
    for (uint64_t k = 0; k <= lost; k++)
    {
        sum += exp(lgamma((double)(n + k)) - lgamma(n) - lgamma((double)k + 1) + n * log1p(-p) +
                   (double)k * log(p));
    }
    return sum;
}

/* A sender that knows which packets are missing sends each lost one once again. */
START_TEST(a_flow_sends_again_what_a_lossy_link_loses)
{
    static const uint64_t links[] = {2};
    const void *config;
    const double p = 0.03;
    stage_describe(FOUR_PATHS, "ecmp");
    stage.level[0].transport =
        stage_choose("transport", "ideal rto=100us", &stage.level[0].transport_config);
    stage_choose("fabric", "roce ack-priority=ideal retry-limit=65535", &config);
    memcpy(&stage.net.frame, config, sizeof stage.net.frame);
    memset(&link_heard, 0, sizeof link_heard);
    stage_begin();
    link_fault(&(struct weft_fault){.links = links,
                                    .nlinks = 1,
                                    .effect = WEFT_FAULT_LOSSY,
                                    .direction = WEFT_DOWNWARDS,
                                    .losses = {.good = p},
                                    .repair = WEFT_NEVER});
    const uint32_t packets = 20000;
    graph_add(&link_heard.graph, 0, 2, packets * (uint64_t)stage.net.frame.payload);
    graph_start(&link_heard.graph);
    stage_run();
    ck_assert_uint_eq(graph_state(&link_heard.graph).acked, 1);
    const uint64_t lost = link_total().lost[WEFT_NET_DROP_LOSSY];
    const uint64_t sent = weft_net_node_counters(weft_run_net(stage.run), 0)->sent;
    ck_assert_uint_eq(sent, packets + lost);
    ck_assert_double_gt(up_to(lost, packets, p), 0.0001);
    ck_assert_double_lt(up_to(lost - 1, packets, p), 0.9999);
    stage_end();
}
END_TEST

Suite *link_losses_suite(void);

Suite *
link_losses_suite(void)
{
    Suite *suite = suite_create("link-losses");
    TCase *tcase = tcase_create("link-losses");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, a_lossy_link_loses_its_share_of_frames, 0, 2);
    tcase_add_test(tcase, losses_in_bursts_are_as_their_closed_form_says);
    tcase_add_test(tcase, what_is_lost_hangs_on_the_seed_and_the_link_and_on_no_scheme);
    tcase_add_test(tcase, the_first_frame_meets_the_states_as_any_other);
    tcase_add_test(tcase, a_flow_sends_again_what_a_lossy_link_loses);
    suite_add_tcase(suite, tcase);
    return suite;
}

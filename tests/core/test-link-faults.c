/* SPDX-License-Identifier: MIT */
/* A user would study links that fail in another direction than was asked for, flap at other times,
 * or let frames overtake each other. */
#include <check.h>
#include <math.h>
#include <string.h>

#include <weft/error.h>

#include "link-rig.h"

START_TEST(a_link_is_dead_in_one_direction)
{
    static const uint64_t links[] = {0};
    link_begin("ecmp");
    weft_run_set_convergence(stage.run, WEFT_NEVER);
    link_fault(&(struct weft_fault){
        .links = links, .nlinks = 1, .direction = WEFT_UPWARDS, .repair = 200 * US});
    ck_assert_int_eq(weft_run_until(stage.run, 1), 1);
    ck_assert(weft_run_is_down(stage.run, 0));
    ck_assert(link_port(0, 0).down && link_port(4, 0).down); /* both ends know */
    link_send(1, 0, 10, 100);
    weft_run_until(stage.run, 100 * US);
    ck_assert_uint_eq(link_heard.came, 10);
    link_send(0, 1, 10, 1300);
    weft_run_until(stage.run, 200 * US);
    ck_assert_uint_eq(link_heard.came, 10);
    ck_assert_uint_eq(link_heard.lost, 10);
    ck_assert_uint_eq(link_port(4, 0).lost_down, 10); /* the first leaf's port to it */
    ck_assert(!link_port(0, 0).down);
    link_send(0, 1, 10, 2500);
    weft_run_until(stage.run, 300 * US);
    ck_assert_uint_eq(link_heard.came, 20);
    stage_end();
}
END_TEST

/* Links that held a run up are looked for: a user would be told of another one, or of another time.
 */
START_TEST(a_link_has_the_times_for_which_it_was_busy_down_and_lossy)
{
    static const uint64_t links[] = {0};
    struct weft_fault fault = {.links = links, .nlinks = 1, .direction = WEFT_UPWARDS};
    link_begin("ecmp");
    weft_run_set_convergence(stage.run, WEFT_NEVER);
    fault.at = 10 * US;
    fault.repair = 30 * US;
    link_fault(&fault);
    fault.effect = WEFT_FAULT_LOSSY;
    fault.losses.good = 0.5;
    fault.at = 50 * US;
    fault.repair = WEFT_NEVER;
    link_fault(&fault);
    fault.effect = WEFT_FAULT_SLOW;
    fault.rate = INT64_C(50000000000);
    fault.at = 100 * LINK_SLOT; /* 8.16 us: half of the packets left at 100 Gbit/s */
    fault.repair = 40 * US;
    link_fault(&fault);
    link_send(0, 1, 200, 0);
    weft_run_until(stage.run, 60 * US);
    const struct weft_net_port from = link_port(0, 0), to = link_port(4, 0);
    ck_assert_int_eq(from.busy, 300 * LINK_SLOT); /* each of the others took twice as long */
    ck_assert_int_eq(to.down_for.sum, 20 * US);
    ck_assert_int_eq(to.down_for.since, WEFT_NEVER);
    ck_assert_int_eq(from.down_for.sum, 0); /* the other way was up */
    ck_assert_int_eq(to.lossy_for.sum, 0);
    ck_assert_int_eq(to.lossy_for.since, 50 * US);
    ck_assert_int_eq(from.lossy_for.since, WEFT_NEVER);
    ck_assert_int_eq(from.paused_for.sum, 0);
    ck_assert_int_eq(from.paused_for.since, WEFT_NEVER);
    stage_end();
}
END_TEST

/* Half of the time, half of what a sender that never rests sends, but for what is cut. */
START_TEST(a_link_that_is_down_half_of_the_time_carries_half)
{
    static const uint64_t links[] = {0};
    const uint32_t n = 100000, flaps = 40;
    link_begin("ecmp");
    weft_run_set_convergence(stage.run, WEFT_NEVER);
    const int64_t half = n * LINK_SLOT / flaps / 2;
    link_fault(&(struct weft_fault){.links = links,
                                    .nlinks = 1,
                                    .at = half,
                                    .repair = WEFT_NEVER,
                                    .down = half,
                                    .up = half,
                                    .count = flaps});
    link_send_many(0, 1, n);
    ck_assert_uint_eq(link_heard.nlinks, 2 * flaps);
    const uint64_t on_the_wire = (uint64_t)(stage.clos.host_delay / LINK_SLOT) + 2;
    ck_assert_uint_le(link_heard.came, n / 2);
    ck_assert_uint_ge(link_heard.came, n / 2 - flaps * on_the_wire);
    stage_end();
}
END_TEST

/* Half of the time at half of the rate is three quarters of the capacity. */
START_TEST(a_link_that_is_slow_half_of_the_time_carries_three_quarters)
{
    static const uint64_t links[] = {0};
    int64_t took[2];
    for (uint32_t slow = 0; slow < 2; slow++)
    {
        link_begin("ecmp");
        if (slow)
        {
            link_fault(&(struct weft_fault){.links = links,
                                            .nlinks = 1,
                                            .effect = WEFT_FAULT_SLOW,
                                            .direction = WEFT_UPWARDS,
                                            .rate = INT64_C(50000000000),
                                            .repair = WEFT_NEVER,
                                            .down = 20 * US,
                                            .up = 20 * US,
                                            .count = 1000});
        }
        graph_add(&link_heard.graph, 0, 1, 30000000);
        graph_start(&link_heard.graph);
        weft_run_until(stage.run, LATER);
        took[slow] = link_heard.graph.t[0].delivered;
        ck_assert_int_gt(took[slow], 0);
        stage_end();
    }
    ck_assert_double_le(fabs((double)took[1] - (double)took[0] * 4 / 3), 20.0 * US);
}
END_TEST

/* Times of changes of a link that flaps at times that are drawn. */
static void
flap_at_random(const char *balancer, uint64_t seed, uint64_t stream)
{
    static const uint64_t links[] = {5, 9};
    link_begin(balancer);
    stage.net.seed = seed;
    ck_assert_int_eq(weft_run_build(stage.run, &stage.net, &stage.why), 0);
    link_fault(&(struct weft_fault){.links = links,
                                    .nlinks = 2,
                                    .repair = WEFT_NEVER,
                                    .down = 10 * US,
                                    .up = 30 * US,
                                    .drawn = true,
                                    .count = 1000,
                                    .stream = stream});
    weft_run_until(stage.run, WEFT_NEVER);
    ck_assert_uint_eq(link_heard.nlinks, 4000); /* two links */
    stage_end();
}

START_TEST(times_that_are_drawn_have_their_means_and_hang_on_no_scheme)
{
    static int64_t first[4096];
    int64_t sum[2] = {0, 0};
    flap_at_random("ecmp", 3, 7);
    memcpy(first, link_heard.changed, sizeof first);
    for (uint32_t i = 2; i < 4000; i += 2)
    {
        ck_assert_int_eq(link_heard.changed[i], link_heard.changed[i + 1]); /* together */
        sum[i / 2 % 2] += link_heard.changed[i] - link_heard.changed[i - 1];
    }
    ck_assert_double_le(fabs((double)sum[1] / 1000 / US - 10), 4 * 10 / sqrt(1000));
    ck_assert_double_le(fabs((double)sum[0] / 999 / US - 30), 4 * 30 / sqrt(999));
    flap_at_random("reps", 3, 7);
    ck_assert_mem_eq(first, link_heard.changed, sizeof first);
    flap_at_random("ecmp", 3, 8);
    ck_assert_int_ne(first[10], link_heard.changed[10]);
    flap_at_random("ecmp", 4, 7);
    ck_assert_int_ne(first[10], link_heard.changed[10]);
}
END_TEST

/* Forwarding hears of each outage of a link that flaps slowly, and of none of a quick one. */
START_TEST(a_flap_that_is_shorter_than_convergence_is_never_heard_of)
{
    static const uint64_t links[] = {5};
    for (int64_t k = 0; k < 2; k++)
    {
        link_begin("ecmp");
        weft_run_set_convergence(stage.run, (k ? 50 : 49) * US);
        link_fault(&(struct weft_fault){.links = links,
                                        .nlinks = 1,
                                        .at = 10 * US,
                                        .repair = WEFT_NEVER,
                                        .down = 50 * US,
                                        .up = 70 * US,
                                        .count = 20});
        weft_run_until(stage.run, LATER);
        ck_assert_uint_eq(link_heard.nlinks, 40);
        ck_assert_uint_eq(link_heard.nroutes, k ? 0 : 40);
        stage_end();
    }
}
END_TEST

START_TEST(a_longer_way_takes_longer_one_way_and_lets_nothing_overtake)
{
    static const uint64_t links[] = {0};
    const int64_t more = 3 * US;
    link_begin("ecmp");
    link_fault(&(struct weft_fault){.links = links,
                                    .nlinks = 1,
                                    .effect = WEFT_FAULT_DELAYED,
                                    .direction = WEFT_UPWARDS,
                                    .delay = more,
                                    .at = 20 * LINK_SLOT,
                                    .repair = 40 * LINK_SLOT});
    link_send(0, 1, 60, 0);
    weft_run_until(stage.run, 100 * US);
    ck_assert_uint_eq(link_heard.came, 60);
    for (uint32_t i = 0; i < 60; i++)
    {
        const int64_t held = i < 40 ? 0 : more;
        ck_assert_int_eq(link_heard.sent[i], i * LINK_SLOT + held);
        ck_assert_int_eq(link_heard.at[i] - link_heard.at[0], i * LINK_SLOT + (i < 20 ? 0 : more));
    }
    link_heard.came = 0;
    link_send(1, 0, 1, 1300);
    weft_run_until(stage.run, 200 * US);
    const int64_t back = link_heard.at[0] - link_heard.sent[0];
    link_heard.came = 0;
    link_send(0, 1, 1, 2500);
    weft_run_until(stage.run, 300 * US);
    ck_assert_int_eq(link_heard.at[0] - link_heard.sent[0], back);
    stage_end();
}
END_TEST

/* Frames on the longer way when the link was cut are lost, though they come after the repair. */
START_TEST(a_cut_loses_what_is_on_a_longer_way)
{
    static const uint64_t links[] = {0};
    link_begin("ecmp");
    weft_run_set_convergence(stage.run, WEFT_NEVER);
    struct weft_fault fault = {.links = links,
                               .nlinks = 1,
                               .effect = WEFT_FAULT_DELAYED,
                               .delay = 50 * US,
                               .repair = 20 * US};
    link_fault(&fault);
    fault.effect = WEFT_FAULT_DOWN;
    fault.at = 10 * US;
    fault.repair = 30 * US;
    link_fault(&fault);
    link_send(0, 1, 10, 0);
    weft_run_until(stage.run, 35 * US);
    link_send(0, 1, 10, 1300);
    weft_run_until(stage.run, 200 * US);
    ck_assert_uint_eq(link_heard.lost, 10);
    ck_assert_uint_eq(link_heard.came, 10);
    stage_end();
}
END_TEST

/* Links that are named twice, and faults that are added in another order, change nothing. */
START_TEST(a_switch_that_fails_is_all_its_links_that_fail)
{
    static const uint64_t links[] = {5, 9, 5}; /* the second spine's */
    static struct weft_message_times want[MOST_MESSAGES];
    struct weft_net_counters sum[2];
    for (uint32_t each = 0; each < 2; each++)
    {
        link_begin("reps");
        weft_run_set_convergence(stage.run, 30 * US);
        struct weft_fault fault = {.links = links, .nlinks = 3, .at = 20 * US, .repair = 300 * US};
        for (uint32_t i = 0; each && i < 2; i++)
        {
            ck_assert_int_eq(weft_run_fail(stage.run, links[1 - i], fault.at, fault.repair), 0);
        }
        if (!each)
        {
            link_fault(&fault);
        }
        for (uint32_t i = 0; i < 12; i++)
        {
            graph_add(&link_heard.graph, i % 2, 2 + i % 2, 400000);
        }
        graph_start(&link_heard.graph);
        stage_run();
        ck_assert_uint_eq(graph_state(&link_heard.graph).acked, 12);
        sum[each] = link_total();
        if (!each)
        {
            memcpy(want, link_heard.graph.t, sizeof want);
        }
        stage_end();
    }
    ck_assert_mem_eq(want, link_heard.graph.t, sizeof want);
    ck_assert_mem_eq(&sum[0], &sum[1], sizeof sum[0]);
    ck_assert_uint_gt(sum[0].lost[WEFT_NET_DROP_LINK], 0);
}
END_TEST

START_TEST(a_fault_that_cannot_be_is_refused)
{
    static const uint64_t links[] = {5, 12};
    const struct weft_fault good = {.links = links,
                                    .nlinks = 1,
                                    .effect = WEFT_FAULT_LOSSY,
                                    .losses = {1, 1, 1, 1},
                                    .repair = WEFT_NEVER,
                                    .down = 1,
                                    .up = 1};
    link_begin("ecmp");
    struct weft_fault f = good;
#define REFUSES(member, value, code)                                                               \
    do                                                                                             \
    {                                                                                              \
        f = good;                                                                                  \
        f.member = (value);                                                                        \
        ck_assert_int_eq(weft_run_add_fault(stage.run, &f), code);                                 \
    } while (0)
    REFUSES(nlinks, 0, WEFT_EINVAL);
    REFUSES(nlinks, 2, WEFT_ERANGE);
    REFUSES(effect, WEFT_FAULT_EFFECTS, WEFT_EINVAL);
    REFUSES(direction, (enum weft_direction)3, WEFT_EINVAL);
    REFUSES(up, 0, WEFT_EINVAL);
    REFUSES(down, 0, WEFT_EINVAL);
    REFUSES(up, -1, WEFT_EINVAL);
    REFUSES(down, WEFT_LATEST + 1, WEFT_ERANGE);
    REFUSES(losses.good, 1.01, WEFT_ERANGE);
    REFUSES(losses.bad, -0.1, WEFT_ERANGE);
    REFUSES(losses.to_bad, (double)NAN, WEFT_ERANGE);
    REFUSES(losses.to_good, 2, WEFT_ERANGE);
    f = good;
    f.effect = WEFT_FAULT_DELAYED;
    f.delay = -1;
    ck_assert_int_eq(weft_run_add_fault(stage.run, &f), WEFT_ERANGE);
    f.delay = INT64_C(3600000000000001);
    ck_assert_int_eq(weft_run_add_fault(stage.run, &f), WEFT_ERANGE);
    f.delay--;
    f.count = 1;
    link_fault(&f);
    stage_end();
}
END_TEST

/* A fabric that is made anew has the faults that are in force. */
START_TEST(a_fabric_that_is_made_anew_has_its_faults)
{
    static const uint64_t links[] = {0};
    link_begin("ecmp");
    struct weft_fault fault = {.links = links,
                               .nlinks = 1,
                               .effect = WEFT_FAULT_CORRUPTING,
                               .direction = WEFT_UPWARDS,
                               .losses = {.good = 1},
                               .repair = WEFT_NEVER};
    link_fault(&fault);
    fault.direction = WEFT_DOWNWARDS;
    fault.effect = WEFT_FAULT_DELAYED;
    fault.delay = 7 * US;
    link_fault(&fault);
    weft_run_until(stage.run, 1);
    const int64_t delay = link_port(4, 0).delay;
    ck_assert_int_eq(weft_run_build(stage.run, &stage.net, &stage.why), 0);
    ck_assert_int_eq(link_port(4, 0).delay, delay);
    ck_assert_int_eq(link_port(0, 0).delay, delay - 7 * US);
    link_send(0, 1, 10, 100);
    weft_run_until(stage.run, 100 * US);
    ck_assert_uint_eq(link_heard.lost, 10);
    stage_end();
}
END_TEST

Suite *link_faults_suite(void);

Suite *
link_faults_suite(void)
{
    Suite *suite = suite_create("link-faults");
    TCase *tcase = tcase_create("link-faults");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, a_link_is_dead_in_one_direction);
    tcase_add_test(tcase, a_link_has_the_times_for_which_it_was_busy_down_and_lossy);
    tcase_add_test(tcase, a_link_that_is_down_half_of_the_time_carries_half);
    tcase_add_test(tcase, a_link_that_is_slow_half_of_the_time_carries_three_quarters);
    tcase_add_test(tcase, times_that_are_drawn_have_their_means_and_hang_on_no_scheme);
    tcase_add_test(tcase, a_flap_that_is_shorter_than_convergence_is_never_heard_of);
    tcase_add_test(tcase, a_longer_way_takes_longer_one_way_and_lets_nothing_overtake);
    tcase_add_test(tcase, a_cut_loses_what_is_on_a_longer_way);
    tcase_add_test(tcase, a_switch_that_fails_is_all_its_links_that_fail);
    tcase_add_test(tcase, a_fault_that_cannot_be_is_refused);
    tcase_add_test(tcase, a_fabric_that_is_made_anew_has_its_faults);
    suite_add_tcase(suite, tcase);
    return suite;
}

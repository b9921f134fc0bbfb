/* SPDX-License-Identifier: MIT */
/* A user would compare schemes by workloads whose messages start too early, too late or never. */
#include <check.h>
#include <string.h>

#include <weft/error.h>

#include "run-stage.h"

static struct graph g, other;

/* Calls that a collective has made. */
static struct
{
    uint32_t posted, delivered, failed, done, ended;
    uint32_t last_ended; /* group * 16 + step */
    int64_t done_at;
} told;

static void
tell_posted(void *of, uint32_t message, int64_t now)
{
    ck_assert_int_eq(((struct graph *)of)->t[message].posted, now);
    told.posted++;
}

static void
tell_delivered(void *of, uint32_t message, int64_t now)
{
    (void)of;
    (void)message;
    ck_assert_int_gt(now, 0);
    told.delivered++;
}

static void
tell_failed(void *of, uint32_t message, int64_t now)
{
    ck_assert(((struct graph *)of)->t[message].failed);
    ck_assert_int_gt(now, 0);
    told.failed++;
}

static void
tell_ended(void *of, uint32_t group, uint32_t step)
{
    (void)of;
    told.ended++;
    told.last_ended = 16 * group + step;
}

static void
tell_done(void *of, int64_t at)
{
    (void)of;
    told.done++;
    told.done_at = at;
}

static void
listen(struct graph *graph)
{
    graph->is.hooks = (struct weft_collective_hooks){graph,       tell_posted, tell_delivered,
                                                     tell_failed, tell_ended,  tell_done};
}

static int64_t
least_delay(void)
{
    return weft_clos_least_delay(&stage.clos, stage.net.frame.ack);
}

static int64_t
way(uint32_t from, uint32_t to)
{
    return weft_clos_way(&stage.clos, from, to, stage.net.frame.ack);
}

START_TEST(a_message_starts_when_its_host_knows_of_the_last_that_it_waits_for)
{
    stage_describe(FOUR_PATHS, "ecmp");
    stage_begin();
    graph_add(&g, 0, 2, 100000);
    graph_add(&g, 1, 2, 300000);
    graph_add(&g, 2, 3, 5000); /* 0 and 1 are delivered to its source */
    graph_add(&g, 0, 3, 7000); /* its source has sent 0 */
    graph_add(&g, 2, 1, 9000); /* delivered, and acknowledged */
    graph_add(&g, 3, 1, 9000); /* waits for nothing, and has a time of its own */
    graph_wait(&g, 2, 0);
    graph_wait(&g, 2, 1);
    graph_wait(&g, 3, 0);
    graph_wait(&g, 4, 1);
    graph_wait(&g, 4, 2);
    g.m[5].start = 3 * US;
    listen(&g);
    graph_start(&g);
    stage_run();
    ck_assert_int_eq(g.t[0].posted, 0);
    ck_assert_int_eq(g.t[1].posted, 0);
    ck_assert_int_gt(g.t[1].delivered, g.t[0].delivered);
    ck_assert_int_eq(g.t[2].posted, g.t[1].delivered);
    ck_assert_int_gt(g.t[0].acked, g.t[0].delivered);
    ck_assert_int_eq(g.t[3].posted, g.t[0].acked);
    ck_assert_int_eq(g.t[4].posted, g.t[2].acked);
    ck_assert_int_eq(g.t[4].ready, g.t[2].acked);
    ck_assert_int_eq(g.t[5].posted, 3 * US);
    const struct weft_collective_state state = graph_state(&g);
    ck_assert_uint_eq(state.acked, 6);
    ck_assert_uint_eq(state.undelivered + state.unstarted, 0);
    ck_assert(state.done);
    ck_assert_int_eq(state.last_delivery, g.t[4].delivered);
    ck_assert_int_eq(state.done_at, g.t[4].acked);
    ck_assert_uint_eq(told.posted, 6);
    ck_assert_uint_eq(told.delivered, 6);
    ck_assert_uint_eq(told.done, 1);
    ck_assert_int_eq(told.done_at, state.done_at);
    ck_assert_uint_eq(told.failed + told.ended, 0);
    stage_end();
}
END_TEST

START_TEST(a_start_is_a_time_and_a_delay_begins_when_waits_end)
{
    stage_describe(FOUR_PATHS, "ecmp");
    stage_begin();
    graph_add(&g, 0, 2, 10000);
    for (uint32_t i = 1; i <= 4; i++)
    {
        graph_add(&g, 2, 0, 1000);
        graph_wait(&g, i, 0);
        g.m[i].start = (i % 2 ? 1 : 2000) * US;
        g.m[i].delayed = i > 2;
    }
    graph_add(&g, 1, 3, 1000);
    g.m[5].start = 7 * US; /* delayed from the beginning on */
    g.m[5].delayed = 1;
    graph_add(&g, 1, 3, 1000);
    g.m[6].start = INT64_MAX; /* never */
    graph_start(&g);
    weft_run_until(stage.run, WEFT_LATEST);
    const int64_t since = g.t[0].delivered;
    ck_assert_int_gt(since, US);
    ck_assert_int_eq(g.t[1].posted, since);
    ck_assert_int_eq(g.t[2].posted, 2000 * US);
    ck_assert_int_eq(g.t[3].posted, since + US);
    ck_assert_int_eq(g.t[4].posted, since + 2000 * US);
    ck_assert_int_eq(g.t[5].posted, 7 * US);
    ck_assert_int_eq(g.t[6].posted, -1);
    ck_assert(!graph_state(&g).done);
    stage_end();
}
END_TEST

/* Two groups of three steps; the first group's second step is ended by its slowest message. */
START_TEST(a_barrier_ends_when_news_of_the_last_ack_of_its_group_can_be_there)
{
    stage_describe(FOUR_PATHS, "ecmp");
    stage_begin();
    for (uint32_t group = 0; group < 2; group++)
    {
        const uint32_t first = g.is.size.nmessages;
        graph_add(&g, group, 2 + group, 2000);
        graph_add(&g, 2 + group, group, group ? 200000 : 40000);
        graph_add(&g, group, 2 + group, 3000);
        graph_add(&g, 2 + group, group, 3000);
        graph_add(&g, group, 2 + group, 3000);
        graph_wait(&g, first + 3, first + 1);
        graph_bar(&g, first + 2, 1);
        graph_bar(&g, first + 3, 1);
        graph_bar(&g, first + 4, 2);
        g.m[first + 3].start = 10 * US;
        for (uint32_t i = 0; i < 5; i++)
        {
            g.m[first + i].group = group;
        }
    }
    listen(&g);
    graph_start(&g);
    stage_run();
    for (uint32_t i = 0; i < 10; i += 5)
    {
        const struct weft_message_times *t = &g.t[i];
        ck_assert_int_gt(t[1].acked, t[0].acked);
        ck_assert_int_eq(t[2].posted, t[1].acked + least_delay());
        ck_assert_int_eq(t[3].posted, t[1].acked + least_delay() + 10 * US);
        ck_assert_int_eq(t[4].posted, t[3].acked + least_delay());
    }
    ck_assert_int_gt(g.t[7].posted, g.t[2].posted); /* groups do not wait for one another */
    ck_assert_uint_eq(told.ended, 6);
    ck_assert_uint_eq(told.last_ended, 18);
    ck_assert_uint_eq(told.done, 1);
    stage_end();
}
END_TEST

START_TEST(collectives_share_a_run_and_one_may_begin_later)
{
    stage_describe(FOUR_PATHS, "ecmp");
    stage_begin();
    graph_add(&g, 0, 2, 100000);
    graph_add(&g, 2, 0, 100000);
    graph_wait(&g, 1, 0);
    graph_start(&g);
    weft_run_until(stage.run, 2 * US);
    graph_add(&other, 1, 3, 1000);
    graph_add(&other, 3, 0, 1000);
    graph_wait(&other, 1, 0);
    graph_add(&other, 2, 1, 1000);
    other.m[2].start = US; /* has passed */
    graph_start(&other);
    stage_run();
    ck_assert_int_eq(g.t[1].posted, g.t[0].delivered);
    ck_assert_int_eq(other.t[0].posted, 2 * US);
    ck_assert_int_eq(other.t[1].posted, other.t[0].delivered);
    ck_assert_int_eq(other.t[2].posted, 2 * US);
    ck_assert(graph_state(&g).done && graph_state(&other).done);
    ck_assert_uint_eq(weft_connection_index(weft_collective_connection(other.started, 2)), 4);
    stage_end();
}
END_TEST

START_TEST(a_message_goes_by_its_service_level_or_the_workloads)
{
    stage_describe(FOUR_PATHS, "ecmp");
    stage_add_level("rsq");
    stage_add_level("ecmp");
    stage_begin();
    graph_add(&g, 0, 2, 1000);
    graph_add(&g, 0, 2, 1000);
    g.m[1].sl = 2;
    g.is.level = 1;
    graph_start(&g);
    const struct weft_connection *c = weft_collective_connection(g.started, 0);
    ck_assert_uint_eq(weft_connection_level(c), 1);
    ck_assert_uint_eq(weft_connection_src(c), 0);
    ck_assert_uint_eq(weft_connection_dst(c), 2);
    ck_assert_uint_eq(weft_connection_nqps(c), 1);
    ck_assert_uint_eq(weft_connection_level(weft_collective_connection(g.started, 1)), 2);
    stage_run();
    ck_assert_uint_eq(graph_state(&g).acked, 2);
    graph_add(&other, 0, 2, 1000);
    other.m[0].sl = 3;
    graph_close(&other);
    ck_assert_int_eq(weft_run_collective(stage.run, &other.is, &other.started, &stage.why),
                     WEFT_EINVAL);
    ck_assert_str_eq(stage.why.text, "service level 3; expected 0 to 2");
    stage_end();
}
END_TEST

/* Cuts the host that gets message 0 off, for a while. */
static void
cut_off(int64_t from, int64_t repair)
{
    weft_run_set_convergence(stage.run, WEFT_NEVER);
    ck_assert_int_eq(weft_run_fail(stage.run, 2, from, repair), 0);
}

/* Message 0 does not arrive; 1 waits for it, 2 for that; 3 waits for their step, 4 for nobody. */
static void
add_hopeless(void)
{
    graph_add(&g, 0, 2, 1000);
    graph_add(&g, 2, 1, 1000);
    graph_add(&g, 1, 0, 1000);
    graph_wait(&g, 1, 0);
    graph_wait(&g, 2, 1);
    graph_add(&g, 1, 0, 1000);
    graph_bar(&g, 3, 1);
    graph_add(&g, 3, 0, 1000);
    listen(&g);
    graph_start(&g);
}

START_TEST(what_waits_for_a_message_that_is_given_up_never_starts)
{
    stage_describe(FOUR_PATHS, "ecmp");
    stage_begin();
    cut_off(0, WEFT_NEVER);
    add_hopeless();
    stage_run();
    const struct weft_collective_state state = graph_state(&g);
    ck_assert_uint_eq(state.acked, 1);
    ck_assert_uint_eq(state.undelivered, 1);
    ck_assert_uint_eq(state.unstarted, 3);
    ck_assert(state.done);
    ck_assert(g.t[0].failed && !g.t[4].failed);
    ck_assert_int_eq(g.t[0].delivered, -1);
    ck_assert_int_eq(g.t[0].acked, -1);
    ck_assert_int_eq(state.done_at + way(0, 2), g.t[0].asked);
    for (uint32_t i = 1; i <= 3; i++)
    {
        ck_assert_int_eq(g.t[i].posted, -1);
    }
    ck_assert_uint_eq(told.failed, 1);
    ck_assert_uint_eq(told.done, 1);
    ck_assert_uint_eq(told.ended, 0);
    ck_assert_int_eq(told.done_at, state.done_at);
    stage_end();
}
END_TEST

/* The link to its receiver becomes so slow that the sender gives up before a packet is through. */
START_TEST(a_message_that_comes_after_it_was_given_up_is_not_lost)
{
    stage_describe(FOUR_PATHS, "ecmp");
    stage_begin();
    ck_assert_int_eq(weft_run_degrade(stage.run, 2, 1000000, 0, 3000 * US), 0);
    add_hopeless();
    weft_run_until(stage.run, 2000 * US);
    struct weft_collective_state state = graph_state(&g);
    ck_assert_uint_eq(state.undelivered, 1);
    ck_assert_uint_eq(state.unstarted, 3);
    ck_assert_uint_eq(told.done, 1);
    stage_run();
    state = graph_state(&g);
    ck_assert(g.t[0].failed);
    ck_assert_int_gt(g.t[0].delivered, g.t[0].asked);
    ck_assert_int_eq(g.t[1].posted, g.t[0].delivered);
    ck_assert_uint_eq(state.undelivered + state.unstarted, 0);
    int64_t last = g.t[0].delivered + way(2, 0); /* the answer */
    for (uint32_t i = 1; i <= 4; i++)
    {
        last = i != 3 && g.t[i].acked > last ? g.t[i].acked : last;
    }
    ck_assert_int_eq(g.t[3].posted, last + least_delay());
    ck_assert_int_ge(g.t[3].acked, 0);
    ck_assert_uint_eq(state.acked, 4);
    ck_assert(state.done);
    ck_assert_uint_eq(told.done, 2);
    ck_assert_uint_eq(told.ended, 2);
    stage_end();
}
END_TEST

/* Two messages of a group's first step are given up; one of them comes. */
START_TEST(a_step_with_two_lost_messages_needs_both)
{
    stage_describe(FOUR_PATHS, "ecmp");
    stage_begin();
    ck_assert_int_eq(weft_run_degrade(stage.run, 2, 1000000, 0, WEFT_NEVER), 0);
    weft_run_set_convergence(stage.run, WEFT_NEVER);
    ck_assert_int_eq(weft_run_fail(stage.run, 3, 0, WEFT_NEVER), 0);
    graph_add(&g, 0, 2, 1000);
    graph_add(&g, 1, 3, 1000);
    graph_add(&g, 0, 1, 1000);
    graph_bar(&g, 2, 1);
    graph_add(&g, 0, 1, 1000);
    graph_bar(&g, 3, 1);
    graph_wait(&g, 3, 1);
    graph_add(&g, 1, 0, 1000);
    graph_bar(&g, 4, 2);
    graph_start(&g);
    weft_run_until(stage.run, 2000 * US);
    struct weft_collective_state state = graph_state(&g);
    ck_assert_uint_eq(state.undelivered, 2);
    ck_assert_uint_eq(state.unstarted, 3);
    stage_run();
    state = graph_state(&g);
    ck_assert_int_gt(g.t[0].delivered, 0);
    ck_assert_uint_eq(state.undelivered, 1);
    ck_assert_uint_eq(state.unstarted, 3);
    ck_assert_int_eq(g.t[2].posted, -1);
    ck_assert(state.done);
    stage_end();
}
END_TEST

/* A link of the ACK's path is dead, and none of the data's. */
START_TEST(a_message_that_was_given_up_and_is_there_releases_what_waits_after_an_answer)
{
    uint32_t found = 0;
    for (uint64_t link = 4; link < 12; link++)
    {
        stage_describe(FOUR_PATHS, "ecmp");
        memset(&g, 0, sizeof g);
        memset(&told, 0, sizeof told);
        stage_begin();
        weft_run_set_convergence(stage.run, WEFT_NEVER);
        ck_assert_int_eq(weft_run_fail(stage.run, link, 0, WEFT_NEVER), 0);
        graph_add(&g, 0, 2, 1000);
        graph_add(&g, 0, 1, 1000);
        graph_wait(&g, 1, 0);
        graph_add(&g, 1, 0, 1000);
        graph_bar(&g, 2, 1);
        listen(&g);
        graph_start(&g);
        stage_run();
        const struct weft_collective_state state = graph_state(&g);
        if (g.t[0].failed && g.t[0].delivered >= 0)
        {
            const int64_t answered = g.t[0].asked + way(2, 0);
            found++;
            ck_assert_int_lt(g.t[0].delivered, g.t[0].asked);
            ck_assert_int_eq(g.t[1].posted, answered);
            ck_assert_int_eq(g.t[1].ready, answered);
            ck_assert_int_eq(g.t[2].posted, g.t[1].acked + least_delay());
            ck_assert_uint_eq(state.undelivered + state.unstarted, 0);
            ck_assert_uint_eq(state.acked, 2);
            ck_assert(state.done);
            ck_assert_uint_eq(told.failed, 1);
            ck_assert_uint_eq(told.ended, 2);
        }
        stage_end();
    }
    ck_assert_uint_eq(found, 2);
}
END_TEST

START_TEST(a_workload_is_filled_from_the_run)
{
    const void *config;
    stage_describe(FOUR_PATHS, "ecmp");
    stage_begin();
    const struct weft_workload_ops *ring = stage_choose("workload", "ring bytes=40KB", &config);
    ck_assert_int_eq(weft_run_fill(stage.run, ring, config, &g.is, &stage.why), 0);
    ck_assert_uint_eq(g.is.size.nmessages, 4);
    listen(&g);
    g.is.hooks.posted = NULL;
    ck_assert_int_eq(weft_run_collective(stage.run, &g.is, &g.started, &stage.why), 0);
    stage_run();
    ck_assert_uint_eq(graph_state(&g).acked, 4);
    ck_assert_uint_eq(told.delivered, 4);
    const struct weft_workload_ops *one = stage_choose("workload", "ring groups=4", &config);
    ck_assert_int_eq(weft_run_fill(stage.run, one, config, &other.is, &stage.why), WEFT_ERANGE);
    stage_end();
}
END_TEST

static uint32_t taken, given;

static void *
take_scratch(void *of, size_t bytes)
{
    ck_assert_ptr_eq(of, &taken);
    taken++;
    return memset(stage_take(NULL, bytes), 0x5a, bytes); /* with any content */
}

static void
give_scratch(void *of, void *memory)
{
    ck_assert_ptr_eq(of, &taken);
    ck_assert_ptr_nonnull(memory);
    given++;
}

START_TEST(memory_that_a_setup_needs_for_a_while_is_given_back)
{
    taken = 0;
    given = 0;
    stage_describe(FOUR_PATHS, "ecmp");
    stage.is.scratch = (struct weft_scratch){take_scratch, give_scratch, &taken};
    stage_begin();
    graph_add(&g, 0, 2, 1000);
    graph_add(&g, 2, 0, 1000);
    graph_wait(&g, 1, 0);
    graph_start(&g);
    ck_assert_uint_gt(taken, 2);
    ck_assert_uint_eq(given, taken);
    stage_run();
    weft_collective_gather(g.started);
    ck_assert_uint_eq(given, taken);
    ck_assert_int_eq(g.t[1].posted, g.t[0].delivered);
    ck_assert_int_eq(g.t[0].posted, 0);
    stage_end();
}
END_TEST

static void
clear(void)
{
    memset(&g, 0, sizeof g);
    memset(&other, 0, sizeof other);
    memset(&told, 0, sizeof told);
}

Suite *run_graph_suite(void);

Suite *
run_graph_suite(void)
{
    Suite *suite = suite_create("run-graph");
    TCase *tcase = tcase_create("run-graph");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, clear, NULL);
    tcase_add_test(tcase, a_message_starts_when_its_host_knows_of_the_last_that_it_waits_for);
    tcase_add_test(tcase, a_start_is_a_time_and_a_delay_begins_when_waits_end);
    tcase_add_test(tcase, a_barrier_ends_when_news_of_the_last_ack_of_its_group_can_be_there);
    tcase_add_test(tcase, collectives_share_a_run_and_one_may_begin_later);
    tcase_add_test(tcase, a_message_goes_by_its_service_level_or_the_workloads);
    tcase_add_test(tcase, what_waits_for_a_message_that_is_given_up_never_starts);
    tcase_add_test(tcase, a_message_that_comes_after_it_was_given_up_is_not_lost);
    tcase_add_test(tcase, a_step_with_two_lost_messages_needs_both);
    tcase_add_test(tcase,
                   a_message_that_was_given_up_and_is_there_releases_what_waits_after_an_answer);
    tcase_add_test(tcase, a_workload_is_filled_from_the_run);
    tcase_add_test(tcase, memory_that_a_setup_needs_for_a_while_is_given_back);
    suite_add_tcase(suite, tcase);
    return suite;
}

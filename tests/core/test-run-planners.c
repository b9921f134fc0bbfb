/* SPDX-License-Identifier: MIT */
/* A writer of a planner would not hear what is wrong with it, and one who names a drop would lose
 * other packets, or others on several threads. */
#include <check.h>
#include <setjmp.h>
#include <string.h>

#include <weft/error.h>

#include "run-spy.h"

static struct graph g;

static uint64_t
payloads(uint64_t n)
{
    return n * (uint64_t)stage.net.frame.payload;
}

static const struct weft_qp *
qp_at(uint32_t i)
{
    return weft_net_qp(weft_run_net(stage.run), i);
}

START_TEST(a_drop_is_of_its_qp_made_or_not)
{
    spy_describe(FOUR_PATHS);
    stage_begin();
    ck_assert_int_eq(weft_run_drop(stage.run, 3, 1, 2, false), 0); /* reserved later */
    ck_assert_int_eq(weft_run_drop(stage.run, 4, 0, 1, true), 0);  /* made later */
    ck_assert_int_eq(weft_run_drop(stage.run, 99, 0, 1, true), 0); /* never made */
    struct weft_connection *c = stage_connect(0, 2, 0);
    struct weft_qp *plain;
    ck_assert_int_eq(weft_run_add_qp(stage.run, 1, 3, 0, NULL, &plain, NULL), 0);
    ck_assert_uint_eq(plain->index, 4);
    ck_assert_int_eq(weft_run_drop(stage.run, 4, 2, 1, true), 0);  /* made */
    ck_assert_int_eq(weft_run_drop(stage.run, 3, 3, 1, false), 0); /* reserved */
    const struct weft_post post = {c, payloads(8), 1};
    stage_post(&post, 1, 0);
    weft_net_post(weft_run_net(stage.run), plain, payloads(8), 0, 0, 0);
    stage_run();
    /* Each sends a packet again for its NACK, and for its timer all from the oldest one on: 1 + 7,
     * 1 + 6. */
    ck_assert_uint_eq(weft_net_tx_counters(qp_at(3))->resent, 8);
    ck_assert_uint_eq(weft_net_tx_counters(plain)->resent, 7);
    struct weft_net_counters total;
    weft_net_total(weft_run_net(stage.run), &total);
    ck_assert_uint_eq(total.lost[WEFT_NET_DROP_INJECTED], 5);
    ck_assert_uint_eq(stage.heard.acked[1], 1);
    stage_end();
}
END_TEST

static jmp_buf broken;
static char why_broken[200];

static void
note_broken(void *of, const char *why)
{
    (void)of;
    strncpy(why_broken, why, sizeof why_broken - 1);
    longjmp(broken, 1);
}

START_TEST(a_planner_that_breaks_its_contract_is_named)
{
    static const struct
    {
        uint64_t bytes;
        uint32_t qp, message;
        int64_t delay;
        const char *why;
    } cases[] = {
        {0, 0, 1, 0, "a part of message 1 of 1, of 900 B, in 0 ps"},
        {900, 0, 0, 0, "a part of message 0 of 1, of 0 B, in 0 ps"},
        {0, 0, 0, -1, "a part of message 0 of 1, of 900 B, in -1 ps"},
        {0, 1, 0, 0, "a part for QP 4 of a connection that has 4 at most"},
        {1, 0, 0, 0, "the parts of a message of 900 B do not add up to it"},
    };
    spy_describe(FOUR_PATHS);
    stage.is.host.broken = note_broken;
    stage_begin();
    spy.bytes = cases[_i].bytes;
    spy.qp = cases[_i].qp;
    spy.message = cases[_i].message;
    spy.delay = cases[_i].delay;
    const struct weft_post post = {stage_connect(0, 2, 0), 900, 1};
    if (setjmp(broken) == 0)
    {
        weft_run_post(stage.run, 0, &post, 1, 0);
    }
    ck_assert_str_eq(why_broken, cases[_i].why);
    stage_end();
}
END_TEST

START_TEST(a_planner_that_refuses_is_named)
{
    spy_describe(FOUR_PATHS);
    spy.refuses = WEFT_ERANGE;
    stage.run = weft_run_make(&stage.is);
    ck_assert_int_eq(weft_run_build(stage.run, &stage.net, &stage.why), WEFT_ERANGE);
    ck_assert_str_eq(stage.why.text, "ecmp at host 1: it has no time");
    ck_assert_str_eq(stage.why.param, "n");
    spy.refuses = 0; /* and is made anew */
    ck_assert_int_eq(weft_run_build(stage.run, &stage.net, &stage.why), 0);
    const struct weft_post post = {stage_connect(0, 2, 0), 900, 1};
    stage_post(&post, 1, 0);
    stage_run();
    ck_assert_uint_eq(stage.heard.acked[1], 1);
    stage_end();
}
END_TEST

START_TEST(there_are_such_hosts_and_levels_or_no_connection)
{
    static const uint32_t wrong[][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 1, 1}};
    struct weft_connection *c;
    struct weft_qp *qp;
    stage_describe(FOUR_PATHS, "ecmp");
    stage_begin();
    for (uint32_t i = 0; i < 4; i++)
    {
        const uint32_t *is = wrong[i];
        ck_assert_int_eq(weft_run_connect(stage.run, is[0], is[1], is[2], NULL, &c, &stage.why),
                         WEFT_EINVAL);
        ck_assert_str_eq(stage.why.text, "there are no such hosts, or no such level");
        ck_assert_int_eq(weft_run_add_qp(stage.run, is[0], is[1], is[2], NULL, &qp, &stage.why),
                         WEFT_EINVAL);
    }
    ck_assert_uint_eq(weft_net_nqps(weft_run_net(stage.run)), 0);
    ck_assert_uint_eq(weft_connection_index(stage_connect(0, 1, 0)), 0);
    stage_end();
}
END_TEST

/* QPs of a host share its line: a collective counts those that start at once. */
START_TEST(qps_that_start_together_share_a_bdp)
{
    stage_describe(FOUR_PATHS, "ecmp");
    stage_begin();
    const uint32_t alone = weft_run_qp_bdp(stage.run, 0, 2);
    ck_assert_uint_eq(alone, weft_net_bdp(weft_run_net(stage.run), 0, 2, 1));
    graph_add(&g, 0, 2, 1000);
    graph_add(&g, 0, 3, 1000);
    graph_add(&g, 0, 1, 1000);
    graph_wait(&g, 2, 0);
    graph_start(&g);
    ck_assert_uint_eq(weft_run_qp_bdp(stage.run, 0, 2),
                      weft_net_bdp(weft_run_net(stage.run), 0, 2, 2));
    stage_connect(0, 2, 0); /* counts as one */
    ck_assert_uint_eq(weft_run_qp_bdp(stage.run, 0, 2),
                      weft_net_bdp(weft_run_net(stage.run), 0, 2, 3));
    static const uint32_t more[4] = {2, 0, 0, 0};
    weft_run_add_starters(stage.run, more, 1);
    stage_connect(0, 2, 0); /* is one of them */
    ck_assert_uint_eq(weft_run_qp_bdp(stage.run, 0, 2),
                      weft_net_bdp(weft_run_net(stage.run), 0, 2, 5));
    stage_connect(0, 2, 0);
    ck_assert_uint_eq(weft_run_qp_bdp(stage.run, 0, 2),
                      weft_net_bdp(weft_run_net(stage.run), 0, 2, 6));
    stage_end();
}
END_TEST

/* Messages go out by QPs that their hosts make, all at the same times; returns a hash of when.
 * Drops that come to nothing change nothing. @p dropped: a QP that is made later, of which all
 * nodes are to lose a packet; 0: none. */
static uint64_t
run_planned(uint32_t threads, uint32_t dropped)
{
    static struct weft_post posts[256];
    uint64_t hash = 0;
    spy_describe(MANY_HOSTS);
    spy.silent = true;
    stage_begin();
    ck_assert_int_eq(weft_run_drop(stage.run, 9999, 0, 1, true), 0); /* is never made */
    ck_assert_int_eq(weft_run_drop(stage.run, 9998, 0, 1, true), 0);
    if (!dropped)
    {
        ck_assert_int_eq(weft_run_set_threads(stage.run, threads), 0);
    }
    for (uint32_t i = 0; i < 256; i++)
    {
        const uint32_t src = i % 32, dst = (src + 1 + i / 32) % 32;
        posts[i] = (struct weft_post){.bytes = 9000};
        ck_assert_int_eq(weft_run_connect(stage.run, src, dst, 0, NULL, &posts[i].connection, NULL),
                         0);
        stage_post(&posts[i], 1, i / 32 * US);
    }
    if (dropped)
    {
        for (uint32_t i = 0; i < 64; i++)
        {
            ck_assert_int_eq(weft_run_drop(stage.run, dropped + 4 * i, 2, 1, false), 0);
        }
        ck_assert_int_eq(weft_run_set_threads(stage.run, threads), 0);
    }
    stage_run();
    for (uint32_t i = 0; i < 256; i++)
    {
        const struct weft_qp *qp = weft_connection_qp(posts[i].connection, 3);
        ck_assert_uint_eq(qp->una, qp->posted);
        hash = weft_mix64(hash ^ (uint64_t)qp->last_delivery);
    }
    stage_end();
    return hash;
}

START_TEST(hosts_make_qps_on_threads_beside_drops_of_others)
{
    const uint64_t alone = run_planned(1, 0);
    ck_assert(run_planned(2, 0) == alone);
    ck_assert(run_planned(3, 0) == alone);
    const uint64_t lossy = run_planned(1, 403);
    ck_assert(lossy != alone);
    ck_assert(run_planned(3, 403) == lossy);
}
END_TEST

static uint32_t refused;

static void
connect_here(void *of, uint64_t what, int64_t at)
{
    struct weft_connection *c;
    (void)of;
    (void)at;
    const uint32_t src = (uint32_t)what;
    if (weft_run_connect(stage.run, src, (src + 1) % 4, 0, &stage.listener, &c, NULL) ==
        WEFT_EINVAL)
    {
        __atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
    }
}

START_TEST(a_hook_on_one_of_several_threads_connects_nothing)
{
    refused = 0;
    stage_describe(MANY_HOSTS, _i ? "subflow n=2" : "ecmp");
    stage_begin();
    struct weft_net *net = weft_run_net(stage.run);
    ck_assert_int_eq(weft_run_set_threads(stage.run, 3), 0);
    for (uint32_t i = 0; i < 40; i++)
    {
        weft_net_call(net, 5 * i % 32, i / 8 * US, WEFT_NET_CALL, 0, connect_here, NULL,
                      5 * i % 32);
    }
    weft_run_until(stage.run, WEFT_NEVER);
    ck_assert_uint_eq(refused, 40);
    struct weft_connection *c = stage_connect(0, 2, 0);
    ck_assert_uint_eq(weft_connection_index(c), 0);
    const struct weft_post post = {c, 5000, 1};
    stage_post(&post, 1, 0);
    stage_run();
    ck_assert_uint_eq(stage.heard.acked[1], 1);
    stage_end();
}
END_TEST

START_TEST(a_balancer_that_plans_and_works_at_tors_has_one_thread)
{
    ck_assert(!weft_run_is_alone(&stage.net));
    spy_describe(FOUR_PATHS);
    ck_assert(!weft_run_is_alone(&stage.net));
    spy.balancer =
        *(const struct weft_lb_ops *)stage_choose("balancer", "themis", &stage.level[0].lb_config);
    ck_assert(spy.balancer.tor != NULL);
    spy.balancer.plan = &spy_ops;
    ck_assert(weft_run_is_alone(&stage.net));
    stage_begin();
    ck_assert_int_eq(weft_run_set_threads(stage.run, 0), WEFT_ERANGE);
    ck_assert_int_eq(weft_run_set_threads(stage.run, 65), WEFT_ERANGE);
    ck_assert_int_eq(weft_run_set_threads(stage.run, 3), 0);
    const struct weft_post post = {stage_connect(0, 2, 0), 50000, 1};
    stage_post(&post, 1, 0);
    stage_run();
    ck_assert_uint_eq(stage.heard.acked[1], 1);
    ck_assert_uint_eq(qp_at(3)->una, qp_at(3)->posted);
    stage_end();
}
END_TEST

/* A rank alone knows of the QPs that its hosts make, until the window is over. */
START_TEST(ranks_drop_nothing_of_qps_that_a_part_makes)
{
    static struct weft_ranks ranks = {.rank = 0, .n = 2};
    struct weft_connection *c;
    spy_describe(FOUR_PATHS);
    stage.net.ranks = &ranks;
    stage_begin();
    ck_assert_int_eq(weft_run_set_threads(stage.run, 1), 0);
    stage_connect(0, 2, 0);
    ck_assert_int_eq(weft_run_drop(stage.run, 0, 0, 1, true), 0);
    ck_assert_int_eq(weft_run_drop(stage.run, 3, 0, 1, true), WEFT_EINVAL);
    ck_assert_int_eq(weft_run_drop(stage.run, 8, 0, 1, true), 0);
    stage_connect(1, 3, 0);                                                    /* 4 to 7 */
    ck_assert_int_eq(weft_run_connect(stage.run, 2, 0, 0, NULL, &c, NULL), 0); /* 8 is made */
    ck_assert_int_eq(weft_run_drop(stage.run, 15, 0, 1, true), 0);
    ck_assert_int_eq(weft_run_connect(stage.run, 3, 0, 0, NULL, &c, NULL), WEFT_EINVAL);
    stage_end();
}
END_TEST

static void
clear(void)
{
    memset(&g, 0, sizeof g);
}

Suite *run_planners_suite(void);

Suite *
run_planners_suite(void)
{
    Suite *suite = suite_create("run-planners");
    TCase *tcase = tcase_create("run-planners");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, clear, NULL);
    tcase_add_test(tcase, a_drop_is_of_its_qp_made_or_not);
    tcase_add_loop_test(tcase, a_planner_that_breaks_its_contract_is_named, 0, 5);
    tcase_add_test(tcase, a_planner_that_refuses_is_named);
    tcase_add_test(tcase, there_are_such_hosts_and_levels_or_no_connection);
    tcase_add_test(tcase, qps_that_start_together_share_a_bdp);
    tcase_add_test(tcase, hosts_make_qps_on_threads_beside_drops_of_others);
    tcase_add_loop_test(tcase, a_hook_on_one_of_several_threads_connects_nothing, 0, 2);
    tcase_add_test(tcase, a_balancer_that_plans_and_works_at_tors_has_one_thread);
    tcase_add_test(tcase, ranks_drop_nothing_of_qps_that_a_part_makes);
    suite_add_tcase(suite, tcase);
    return suite;
}

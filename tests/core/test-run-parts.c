/* SPDX-License-Identifier: MIT */
/* A user would measure a planner whose parts are not what it decided: messages that go out in parts
 * would get lost, end too early or wait for ever. */
#include <check.h>
#include <string.h>

#include "net-parts.h"
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

START_TEST(a_subflow_has_its_part_and_a_message_is_done_when_all_are)
{
    static const uint64_t packets[] = {4, 4, 2, 2}; /* 3 + 1, 3 + 1, 2, 2 */
    stage_describe(FOUR_PATHS, "subflow n=4");
    stage_begin();
    struct weft_connection *c = stage_connect(0, 2, 0);
    const struct weft_post posts[] = {{c, payloads(10), 7}, {c, payloads(2), 8}};
    stage_post(posts, 2, 0);
    stage_run();
    ck_assert_uint_eq(weft_net_nqps(weft_run_net(stage.run)), 4);
    ck_assert_uint_eq(weft_connection_nqps(c), 4);
    int64_t last = 0;
    for (uint32_t i = 0; i < 4; i++)
    {
        ck_assert_ptr_eq(weft_connection_qp(c, i), qp_at(i));
        ck_assert_uint_eq(qp_at(i)->una, packets[i]);
        last = qp_at(i)->last_delivery > last ? qp_at(i)->last_delivery : last;
    }
    for (uint32_t i = 7; i <= 8; i++)
    {
        ck_assert_uint_eq(stage.heard.delivered[i], 1);
        ck_assert_uint_eq(stage.heard.acked[i], 1);
        ck_assert_int_gt(stage.heard.settled_at[i], stage.heard.delivered_at[i]);
    }
    ck_assert_int_eq(stage.heard.delivered_at[7] > stage.heard.delivered_at[8]
                         ? stage.heard.delivered_at[7]
                         : stage.heard.delivered_at[8],
                     last);
    stage_end();
}
END_TEST

START_TEST(a_subflow_that_is_given_up_fails_its_message_once)
{
    stage_describe(FOUR_PATHS, "subflow n=8");
    stage.is.convergence = WEFT_NEVER;
    stage_begin();
    ck_assert_int_eq(weft_run_fail(stage.run, 6, 0, WEFT_NEVER), 0);
    const struct weft_post post = {stage_connect(0, 2, 0), 1000000, 3};
    stage_post(&post, 1, 0);
    stage_run();
    uint32_t dead = 0;
    for (uint32_t i = 0; i < 8; i++)
    {
        dead += qp_at(i)->given_up;
        ck_assert(qp_at(i)->given_up || qp_at(i)->una == qp_at(i)->posted);
    }
    ck_assert(dead > 0 && dead < 8);
    ck_assert_uint_eq(stage.heard.delivered[3] + stage.heard.acked[3], 0);
    ck_assert_uint_eq(stage.heard.failed[3], 1);
    stage_end();
}
END_TEST

START_TEST(a_planner_sees_all_that_a_host_posts_at_an_instant)
{
    spy_describe(FOUR_PATHS);
    stage_begin();
    for (uint32_t i = 0; i < 12; i++)
    {
        graph_add(&g, i / 3, (i / 3 + 1 + i % 3) % 4, 30000);
    }
    graph_start(&g);
    ck_assert_uint_eq(weft_net_nqps(weft_run_net(stage.run)), 12 * 4);
    stage_run();
    ck_assert(graph_state(&g).done);
    ck_assert_uint_eq(spy.asked, 4);
    for (uint32_t i = 0; i < 4; i++)
    {
        ck_assert_uint_eq(spy.host[i], i);
        ck_assert_uint_eq(spy.messages[i], 3);
        ck_assert_int_eq(spy.at[i], 0);
    }
    for (uint32_t i = 0; i < 12; i++)
    {
        const struct weft_connection *c = weft_collective_connection(g.started, i);
        ck_assert_uint_eq(weft_connection_nqps(c), 4);
        ck_assert_uint_eq(weft_connection_qp(c, 0)->index, i);
        for (uint32_t k = 0; k < 3; k++)
        {
            ck_assert_int_lt(weft_connection_qp(c, k)->first_sent, 0);
        }
        ck_assert_uint_eq(weft_connection_qp(c, 3)->index, 12 + 3 * i + 2);
        ck_assert_int_eq(weft_connection_qp(c, 3)->first_sent / US, i % 3);
    }
    ck_assert_uint_eq(weft_run_planner_bytes(stage.run, 0), 8);
    stage_end();
}
END_TEST

static void
note_label(void *qp, uint16_t label, int64_t now)
{
    (void)qp;
    (void)now;
    ck_assert_uint_lt(spy.nlabels, 4);
    spy.labels[spy.nlabels++] = label;
}

START_TEST(a_label_is_told_when_its_part_is_posted)
{
    spy_describe(FOUR_PATHS);
    stage_choose("balancer", "subflow n=4", &stage.level[0].lb_config);
    spy.balancer = *weft_lb_find("subflow");
    spy.path = *spy.balancer.path;
    spy.path.on_label = note_label;
    spy.balancer.path = &spy.path;
    spy.balancer.plan = &spy_ops;
    stage_begin();
    struct weft_connection *c = stage_connect(0, 2, 0);
    const struct weft_post posts[] = {{c, 3000, 0}, {c, 2000, 1}, {c, 1000, 2}};
    stage_post(posts, 3, US);
    weft_run_until(stage.run, 2 * US + US / 2);
    ck_assert_uint_eq(spy.nlabels, 1);
    ck_assert_uint_eq(spy.labels[0], 100);
    stage_run();
    ck_assert_uint_eq(spy.nlabels, 2);
    ck_assert_uint_eq(spy.labels[1], 102);
    ck_assert_uint_eq(stage.heard.acked[0] + stage.heard.acked[1] + stage.heard.acked[2], 3);
    stage_end();
}
END_TEST

/* Parts that are put off take memory once. */
START_TEST(many_messages_of_a_connection_end_one_by_one)
{
    static struct weft_post posts[1000][2];
    spy_describe(FOUR_PATHS);
    stage_begin();
    struct weft_connection *c = stage_connect(0, 1, 0);
    for (uint32_t i = 0; i < 1000; i++)
    {
        posts[i][0] = (struct weft_post){c, 100, i % 16};
        posts[i][1] = (struct weft_post){c, 200, i % 16};
        stage_post(posts[i], 2, 10 * US * i);
    }
    size_t taken = 0;
    for (uint32_t i = 0; i < 1000; i++)
    {
        taken = i == 500 ? parts_taken() : taken;
        spy.asked = 0;
        weft_run_until(stage.run, 10 * US * (i + 1));
    }
    ck_assert_uint_lt(parts_taken() - taken, 20); /* rows that double */
    stage_run();
    for (uint32_t i = 0; i < 16; i++)
    {
        ck_assert_uint_eq(stage.heard.delivered[i], i < 8 ? 126 : 124);
        ck_assert_uint_eq(stage.heard.acked[i], i < 8 ? 126 : 124);
    }
    stage_end();
}
END_TEST

START_TEST(messages_of_several_levels_go_by_the_planner_of_each)
{
    static const uint64_t packets[] = {12, 2, 2, 2, 2, 6, 6}; /* 1, 4 and 2 QPs */
    struct weft_connection *c[3];
    stage_describe(FOUR_PATHS, "ecmp");
    stage_add_level("subflow n=4");
    stage_add_level("subflow n=2");
    stage_begin();
    for (uint32_t i = 0; i < 3; i++)
    {
        c[i] = stage_connect(0, 2, i);
        ck_assert_uint_eq(weft_connection_index(c[i]), i);
    }
    const struct weft_post posts[] = {{c[0], payloads(8), 0},
                                      {c[2], payloads(8), 1},
                                      {c[1], payloads(8), 2},
                                      {c[2], payloads(4), 3},
                                      {c[0], payloads(4), 4}};
    weft_run_post(stage.run, 0, posts, 0, 0);
    stage_post(posts, 5, 0);
    stage_run();
    ck_assert_uint_eq(weft_net_nqps(weft_run_net(stage.run)), 7);
    for (uint32_t i = 0; i < 7; i++)
    {
        ck_assert_uint_eq(qp_at(i)->una, packets[i]);
    }
    for (uint32_t i = 0; i < 5; i++)
    {
        ck_assert_uint_eq(stage.heard.acked[i], 1);
    }
    stage_end();
}
END_TEST

/* A program posts again as soon as a part leaves: the planner is asked while it posts. */
static struct weft_post again[2];

static void
post_again(void *of, const struct weft_qp *qp, uint64_t bytes)
{
    (void)of;
    (void)qp;
    (void)bytes;
    if (again[0].connection)
    {
        const struct weft_post posts[] = {again[0], again[1]};
        again[0].connection = NULL;
        weft_run_post(stage.run, 0, posts, 2, weft_net_now(weft_run_net(stage.run)));
    }
}

START_TEST(a_host_may_post_while_it_posts)
{
    stage_describe(FOUR_PATHS, "subflow n=4");
    stage_add_level("ecmp");
    stage.is.host.posts = post_again;
    stage_begin();
    struct weft_connection *c = stage_connect(0, 2, 0);
    struct weft_connection *d = stage_connect(0, 3, 0);
    struct weft_connection *plain = stage_connect(0, 1, 1);
    again[0] = (struct weft_post){d, payloads(2), 4};
    again[1] = (struct weft_post){d, payloads(3), 5};
    const struct weft_post posts[] = {
        {c, payloads(8), 1}, {plain, payloads(1), 3}, {c, payloads(4), 2}};
    stage_post(posts, 3, 0);
    stage_run();
    for (uint32_t i = 1; i <= 5; i++)
    {
        ck_assert_uint_eq(stage.heard.acked[i], 1);
        ck_assert_uint_eq(stage.heard.delivered[i], 1);
    }
    ck_assert_uint_eq(qp_at(0)->una, 3);
    ck_assert_uint_eq(qp_at(4)->una, 2);
    stage_end();
}
END_TEST

START_TEST(ethereal_has_its_parts_delivered)
{
    stage_describe("leaf-spine leaves=2 spines=3 hosts-per-leaf=2 link-rate=100Gbps", "ethereal");
    stage_begin();
    graph_add(&g, 0, 2, payloads(9));
    graph_add(&g, 0, 3, payloads(9));
    graph_add(&g, 1, 2, payloads(9));
    graph_add(&g, 2, 0, payloads(9));
    graph_wait(&g, 3, 0);
    graph_start(&g);
    stage_run();
    uint32_t made = 0;
    uint64_t packets = 0;
    for (uint32_t i = 0; i < weft_net_nqps(weft_run_net(stage.run)); i++)
    {
        made += qp_at(i) != NULL;
        packets += qp_at(i) ? qp_at(i)->una : 0;
    }
    ck_assert_uint_gt(made, 4); /* flows over 3 paths are split */
    ck_assert_uint_eq(packets, 36);
    ck_assert_uint_eq(graph_state(&g).acked, 4);
    ck_assert_int_eq(g.t[3].posted, g.t[0].delivered);
    stage_end();
}
END_TEST

/* Posts and QPs that a run's host is told of. */
static struct
{
    uint64_t bytes;
    uint32_t posts, made;
} host;

static void
count_post(void *of, const struct weft_qp *qp, uint64_t bytes)
{
    ck_assert_ptr_eq(of, &host);
    ck_assert_uint_eq(qp->index, 3);
    host.bytes += bytes;
    host.posts++;
}

static void
count_qp(void *of, struct weft_qp *qp)
{
    ck_assert_ptr_eq(of, &host);
    ck_assert_uint_eq(qp->index, host.made);
    host.made++;
}

START_TEST(a_host_is_told_of_each_qp_and_part)
{
    spy_describe(FOUR_PATHS);
    stage.is.host = (struct weft_run_host){.of = &host, .posts = count_post, .made = count_qp};
    stage_begin();
    struct weft_connection *c = stage_connect(0, 2, 0);
    ck_assert_uint_eq(host.made, 1);
    const struct weft_post posts[] = {{c, 5000, 1}, {c, 6000, 2}};
    stage_post(posts, 2, 0);
    stage_run();
    ck_assert_uint_eq(host.bytes, 11000);
    ck_assert_uint_eq(host.posts, 2);
    ck_assert_uint_eq(host.made, 4);
    stage_end();
}
END_TEST

static void
clear(void)
{
    memset(&g, 0, sizeof g);
    memset(&host, 0, sizeof host);
    memset(&again, 0, sizeof again);
}

Suite *run_parts_suite(void);

Suite *
run_parts_suite(void)
{
    Suite *suite = suite_create("run-parts");
    TCase *tcase = tcase_create("run-parts");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, clear, NULL);
    tcase_add_test(tcase, a_subflow_has_its_part_and_a_message_is_done_when_all_are);
    tcase_add_test(tcase, a_subflow_that_is_given_up_fails_its_message_once);
    tcase_add_test(tcase, a_planner_sees_all_that_a_host_posts_at_an_instant);
    tcase_add_test(tcase, a_label_is_told_when_its_part_is_posted);
    tcase_add_test(tcase, many_messages_of_a_connection_end_one_by_one);
    tcase_add_test(tcase, messages_of_several_levels_go_by_the_planner_of_each);
    tcase_add_test(tcase, a_host_may_post_while_it_posts);
    tcase_add_test(tcase, ethereal_has_its_parts_delivered);
    tcase_add_test(tcase, a_host_is_told_of_each_qp_and_part);
    suite_add_tcase(suite, tcase);
    return suite;
}

/* SPDX-License-Identifier: MIT */
/* A user would measure a planner whose parts are not what it decided: messages that go out in parts
 * would get lost, end too early or wait for ever. */
#include <check.h>
#include <setjmp.h>
#include <string.h>

#include <weft/error.h>
#include <weft/plan.h>

#include "run-stage.h"

static struct graph g;

/* Planner that notes what it is asked, and sends a message whole by the fourth QP of its
 * connection, the last one first, each US later. */
static struct
{
    int64_t at[8];
    uint32_t host[8];
    size_t messages[8];
    uint32_t asked;
    uint64_t bytes; /* that its parts are wrong by */
    uint32_t qp;    /* that they are wrong by */
    uint32_t message;
    int64_t delay;
    uint16_t labels[4]; /* told to the path part */
    uint32_t nlabels;
    int refuses;
} spy;

static struct weft_lb_ops balancer;
static struct weft_path_ops path;

static size_t
spy_size(const void *config, const struct weft_plan_site *site)
{
    (void)config;
    ck_assert_ptr_eq(site->clos, &stage.clos);
    return 5;
}

static int
spy_init(void *host, const void *config, const struct weft_plan_site *site)
{
    (void)config;
    memcpy(host, &site->host, sizeof site->host);
    ck_assert_int_eq(site->payload, stage.net.frame.payload);
    return site->host == 1 && spy.refuses
               ? weft_refuse(site->why, spy.refuses, "n", "it has no time")
               : 0;
}

static uint32_t
spy_qps(const void *config)
{
    (void)config;
    return 1;
}

static uint32_t
spy_most_qps(const void *host, uint32_t dst)
{
    (void)host;
    (void)dst;
    return 4;
}

static size_t
spy_most_parts(const void *host, const struct weft_plan_message *messages, size_t n)
{
    (void)host;
    (void)messages;
    return n;
}

static size_t
spy_plan(void *host, const struct weft_plan_message *messages, size_t n, int64_t now,
         struct weft_plan_part *parts)
{
    ck_assert_uint_lt(spy.asked, 8);
    memcpy(&spy.host[spy.asked], host, sizeof(uint32_t));
    spy.messages[spy.asked] = n;
    spy.at[spy.asked++] = now;
    for (size_t i = 0; i < n; i++)
    {
        const uint32_t m = (uint32_t)(n - 1 - i);
        parts[i] = (struct weft_plan_part){.message = m + spy.message,
                                           .qp = 3 + spy.qp,
                                           .bytes = messages[m].bytes - spy.bytes,
                                           .label = (uint16_t)(100 + m),
                                           .labelled = m != 1,
                                           .delay = m * US + spy.delay};
    }
    return n;
}

static const struct weft_plan_ops spy_ops = {spy_size,     spy_init,       spy_qps,
                                             spy_most_qps, spy_most_parts, spy_plan};

/* A fabric whose first level has the spy. */
static void
describe_spy(void)
{
    memset(&spy, 0, sizeof spy);
    stage_describe(FOUR_PATHS, "ecmp");
    balancer = *stage.level[0].lb;
    balancer.plan = &spy_ops;
    stage.level[0].lb = &balancer;
}

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
    describe_spy();
    stage_begin();
    for (uint32_t i = 0; i < 12; i++)
    {
        graph_add(&g, i / 3, (i / 3 + 1 + i % 3) % 4, 30000);
    }
    graph_start(&g);
    ck_assert_uint_eq(weft_net_nqps(weft_run_net(stage.run)), 12 * 4);
    stage_run();
    ck_assert(weft_collective_state(g.started).done);
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
    describe_spy();
    stage_choose("balancer", "subflow n=4", &stage.level[0].lb_config);
    balancer = *weft_lb_find("subflow");
    path = *balancer.path;
    path.on_label = note_label;
    balancer.path = &path;
    balancer.plan = &spy_ops;
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
    describe_spy();
    stage_begin();
    struct weft_connection *c = stage_connect(0, 1, 0);
    for (uint32_t i = 0; i < 1000; i++)
    {
        posts[i][0] = (struct weft_post){c, 100, i % 16};
        posts[i][1] = (struct weft_post){c, 200, i % 16};
        stage_post(posts[i], 2, 10 * US * i);
    }
    for (uint32_t i = 0; i < 1000; i++)
    {
        spy.asked = 0;
        weft_run_until(stage.run, 10 * US * (i + 1));
    }
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
    ck_assert_uint_eq(weft_collective_state(g.started).acked, 4);
    ck_assert_int_eq(g.t[3].posted, g.t[0].delivered);
    stage_end();
}
END_TEST

START_TEST(a_drop_is_of_its_qp_made_or_not)
{
    describe_spy();
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
    ck_assert_uint_eq(weft_net_tx_counters(qp_at(3))->resent, 3);
    ck_assert_uint_eq(weft_net_tx_counters(plain)->resent, 2);
    struct weft_net_counters total;
    weft_net_total(weft_run_net(stage.run), &total);
    ck_assert_uint_eq(total.lost[WEFT_NET_DROP_INJECTED], 5);
    ck_assert_uint_eq(stage.heard.acked[1], 1);
    stage_end();
}
END_TEST

/* What a run's host is told of posts and QPs. */
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
    describe_spy();
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
    describe_spy();
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
    describe_spy();
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

Suite *run_parts_suite(void);

Suite *
run_parts_suite(void)
{
    Suite *suite = suite_create("run-parts");
    TCase *tcase = tcase_create("run-parts");
    tcase_add_test(tcase, a_subflow_has_its_part_and_a_message_is_done_when_all_are);
    tcase_add_test(tcase, a_subflow_that_is_given_up_fails_its_message_once);
    tcase_add_test(tcase, a_planner_sees_all_that_a_host_posts_at_an_instant);
    tcase_add_test(tcase, a_label_is_told_when_its_part_is_posted);
    tcase_add_test(tcase, many_messages_of_a_connection_end_one_by_one);
    tcase_add_test(tcase, messages_of_several_levels_go_by_the_planner_of_each);
    tcase_add_test(tcase, a_host_may_post_while_it_posts);
    tcase_add_test(tcase, ethereal_has_its_parts_delivered);
    tcase_add_test(tcase, a_drop_is_of_its_qp_made_or_not);
    tcase_add_test(tcase, a_host_is_told_of_each_qp_and_part);
    tcase_add_loop_test(tcase, a_planner_that_breaks_its_contract_is_named, 0, 5);
    tcase_add_test(tcase, a_planner_that_refuses_is_named);
    tcase_add_test(tcase, there_are_such_hosts_and_levels_or_no_connection);
    tcase_add_test(tcase, qps_that_start_together_share_a_bdp);
    suite_add_tcase(suite, tcase);
    return suite;
}

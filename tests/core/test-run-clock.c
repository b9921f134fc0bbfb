/* SPDX-License-Identifier: MIT */
/* A program that embeds the core without a simulator would be called at the wrong time, or never
 * get to the end of a run; who has a clock of their own would get other results. */
#include <check.h>
#include <string.h>

#include <weft/error.h>

#include "run-stage.h"

static struct graph g;

/* Calls, as they came. */
static struct
{
    int what[32];
    int64_t at[32];
    bool down[32]; /* link 5 */
    uint32_t n;
} calls;

static int64_t
now(void)
{
    return weft_net_now(weft_run_net(stage.run));
}

static void
note(void *of)
{
    ck_assert_uint_lt(calls.n, 32);
    calls.what[calls.n] = *(const int *)of;
    calls.at[calls.n] = now();
    calls.down[calls.n++] = weft_run_is_down(stage.run, 5);
}

static int names[] = {0, 1, 2, 3, 4, 5, 6, 7};

static uint64_t
call_at(int64_t at, int name)
{
    return weft_run_at(stage.run, at, note, &names[name]);
}

static void
check_call(uint32_t i, int what, int64_t at)
{
    ck_assert_uint_lt(i, calls.n);
    ck_assert_int_eq(calls.what[i], what);
    ck_assert_int_eq(calls.at[i], at);
}

static void
begin(void)
{
    stage_describe(FOUR_PATHS, "ecmp");
    stage_begin();
}

START_TEST(calls_come_in_order_behind_the_faults_of_their_time)
{
    begin();
    call_at(20 * US, 0);
    call_at(10 * US, 1);
    call_at(20 * US, 2);
    ck_assert_int_eq(weft_run_fail(stage.run, 5, 20 * US, 30 * US), 0);
    call_at(30 * US, 3);
    call_at(0, 4);
    call_at(10 * US + 1, 5);
    ck_assert_int_eq(weft_run_until(stage.run, WEFT_NEVER), 30 * US);
    static const int order[] = {4, 1, 5, 0, 2, 3};
    static const int64_t at[] = {0, 10 * US, 10 * US + 1, 20 * US, 20 * US, 30 * US};
    ck_assert_uint_eq(calls.n, 6);
    for (uint32_t i = 0; i < 6; i++)
    {
        check_call(i, order[i], at[i]);
        ck_assert(calls.down[i] == (at[i] == 20 * US));
    }
    stage_end();
}
END_TEST

/* A call asks for others, in the past and now, and for a fault. */
static void
ask_for_more(void *of)
{
    note(of);
    call_at(0, 6);
    call_at(now(), 7);
    ck_assert_int_eq(weft_run_fail(stage.run, 5, now(), WEFT_NEVER), 0);
}

START_TEST(a_call_may_ask_for_what_is_to_happen_at_once)
{
    begin();
    weft_run_at(stage.run, 10 * US, ask_for_more, &names[0]);
    call_at(10 * US, 1);
    weft_run_until(stage.run, WEFT_NEVER);
    static const int order[] = {0, 1, 6, 7};
    ck_assert_uint_eq(calls.n, 4);
    for (uint32_t i = 0; i < 4; i++)
    {
        check_call(i, order[i], 10 * US);
        ck_assert(calls.down[i] == (i > 0));
    }
    stage_end();
}
END_TEST

static uint64_t number;

static void
remove_another(void *of)
{
    note(of);
    weft_run_remove(stage.run, number);
}

START_TEST(a_call_that_is_removed_does_not_come_and_moves_no_clock)
{
    begin();
    const uint64_t first = call_at(5 * US, 0);
    weft_run_at(stage.run, 10 * US, remove_another, &names[1]);
    number = call_at(10 * US, 2);
    const uint64_t last = call_at(50 * US, 3);
    weft_run_remove(stage.run, first);
    weft_run_remove(stage.run, last);
    weft_run_remove(stage.run, 1000);
    ck_assert_int_eq(weft_run_until(stage.run, WEFT_NEVER), 10 * US);
    ck_assert_uint_eq(calls.n, 1);
    check_call(0, 1, 10 * US);
    call_at(60 * US, 4); /* in memory of one that was removed */
    weft_run_remove(stage.run, last);
    ck_assert_int_eq(weft_run_until(stage.run, WEFT_NEVER), 60 * US);
    check_call(1, 4, 60 * US);
    stage_end();
}
END_TEST

static void
remove_here(void *of, uint32_t message, int64_t at)
{
    (void)of;
    (void)message;
    ck_assert_int_gt(at, 0);
    weft_run_remove(stage.run, number);
}

START_TEST(a_hook_removes_a_call_before_the_clock_gets_there)
{
    begin();
    number = call_at(100000 * US, 0);
    graph_add(&g, 0, 2, 1000);
    g.is.hooks.delivered = remove_here;
    graph_start(&g);
    const int64_t end = weft_run_until(stage.run, WEFT_NEVER);
    ck_assert_uint_eq(calls.n, 0);
    ck_assert_int_gt(end, g.t[0].acked);
    ck_assert_int_lt(end, 1000 * US);
    stage_end();
}
END_TEST

/* A call reads and changes the fabric of its own time, however long spines may wait. */
static void
check_that_all_is_done(void *of)
{
    struct weft_net *net = weft_run_net(stage.run);
    ck_assert_int_ge(weft_net_next(net), weft_net_now(net));
    ++*(int *)of;
}

static int checks;

static void
ask_for_a_check(void *of, uint32_t host, const struct weft_packet *p, int64_t at)
{
    (void)of;
    (void)host;
    (void)p;
    weft_run_at(stage.run, at, check_that_all_is_done, &checks);
}

START_TEST(a_hook_s_call_finds_nothing_undone)
{
    stage_describe(FOUR_PATHS, "ecmp");
    stage.clos.host_delay = 25000;
    stage.net.hooks.received = ask_for_a_check;
    stage_begin();
    checks = 0;
    for (uint32_t i = 0; i < 4; i++)
    {
        graph_add(&g, i, (i + 2) % 4, 200000);
    }
    graph_start(&g);
    weft_run_until(stage.run, WEFT_NEVER);
    ck_assert_int_gt(checks, 1000);
    stage_end();
}
END_TEST

static void
stop(void *of)
{
    note(of);
    weft_run_stop(stage.run);
}

START_TEST(a_run_that_is_stopped_goes_on_where_it_was)
{
    begin();
    graph_add(&g, 0, 2, 1000000);
    graph_start(&g);
    weft_run_at(stage.run, 10 * US + 7, stop, &names[0]);
    call_at(10 * US + 7, 1);
    call_at(20 * US, 2);
    ck_assert_int_eq(weft_run_until(stage.run, WEFT_NEVER), 10 * US + 7);
    ck_assert_uint_eq(calls.n, 1);
    ck_assert_int_eq(g.t[0].delivered, -1);
    ck_assert_int_eq(weft_run_until(stage.run, 15 * US), 15 * US);
    ck_assert_uint_eq(calls.n, 2);
    check_call(1, 1, 10 * US + 7);
    stage_run();
    check_call(2, 2, 20 * US);
    ck_assert_int_gt(g.t[0].acked, 20 * US);
    stage_end();
}
END_TEST

START_TEST(a_limit_is_reached_and_not_passed)
{
    begin();
    graph_add(&g, 0, 2, 1000000);
    graph_add(&g, 1, 3, 1000);
    g.m[1].start = 10 * US;
    graph_start(&g);
    call_at(10 * US, 0);
    call_at(10 * US + 1, 1);
    ck_assert_int_eq(weft_run_until(stage.run, 10 * US), 10 * US);
    ck_assert_int_eq(g.t[1].posted, -1);
    ck_assert_uint_eq(calls.n, 1);
    ck_assert_int_eq(weft_run_until(stage.run, 10 * US), 10 * US);
    ck_assert_int_eq(weft_run_until(stage.run, 5 * US), 10 * US); /* time does not go back */
    call_at(7 * US, 2);
    ck_assert_int_eq(weft_run_until(stage.run, 10 * US + 1), 10 * US + 1);
    ck_assert_int_eq(g.t[1].posted, 10 * US);
    check_call(1, 2, 10 * US);
    check_call(2, 1, 10 * US + 1);
    stage_end();
}
END_TEST

START_TEST(a_run_ends_when_nothing_is_left)
{
    begin();
    ck_assert_int_eq(weft_run_until(stage.run, WEFT_NEVER), 0);
    graph_add(&g, 0, 2, 100000);
    graph_start(&g);
    const int64_t end = weft_run_until(stage.run, WEFT_NEVER);
    ck_assert(weft_net_is_over(weft_run_net(stage.run)));
    const int64_t last = weft_net_last(weft_run_net(stage.run));
    ck_assert_int_eq(last, g.t[0].acked);
    ck_assert(end > last); /* timers come to nothing within a millisecond */
    ck_assert_int_lt(end, last + 1000 * US);
    ck_assert_int_eq(weft_run_until(stage.run, WEFT_NEVER), end);
    call_at(end + 3, 0);
    ck_assert_int_eq(weft_run_until(stage.run, WEFT_NEVER), end + 3);
    ck_assert_int_eq(weft_run_until(stage.run, end + 1000),
                     end + 1000); /* though nothing is left */
    ck_assert_int_eq(weft_run_now(stage.run), end + 1000);
    ck_assert_int_eq(now(), end + 1000);
    stage_end();
}
END_TEST

/* A hook on any thread may ask for a call. */
static void
ask(void *of, uint32_t message, int64_t at)
{
    (void)of;
    (void)message;
    weft_run_at(stage.run, at, note, &names[1]);
}

START_TEST(hooks_on_threads_ask_for_calls)
{
    stage_describe(MANY_HOSTS, "ecmp");
    stage_begin();
    ck_assert_int_eq(weft_run_set_threads(stage.run, 0), WEFT_ERANGE);
    ck_assert_int_eq(weft_run_set_threads(stage.run, 65), WEFT_ERANGE);
    ck_assert_int_eq(weft_run_set_threads(stage.run, 3), 0);
    for (uint32_t i = 0; i < 12; i++)
    {
        graph_add(&g, 5 * i % 32, (5 * i + 9) % 32, 1000 + 50 * i);
    }
    g.is.hooks.delivered = ask;
    graph_start(&g);
    ck_assert_int_eq(weft_run_set_threads(stage.run, 1), WEFT_ERANGE); /* once */
    weft_run_until(stage.run, 6 * US);
    ck_assert_uint_lt(graph_state(&g).acked, 12);
    ck_assert_uint_eq(graph_state(&g).unstarted, 0);
    stage_run();
    ck_assert_uint_eq(graph_state(&g).acked, 12);
    ck_assert_uint_eq(calls.n, 12);
    const int64_t window = weft_net_window(weft_run_net(stage.run));
    for (uint32_t i = 0; i < 12; i++)
    {
        ck_assert(i == 0 || calls.at[i] >= calls.at[i - 1]);
        ck_assert_int_eq(calls.at[i] % window, 0);
    }
    stage_end();
}
END_TEST

/* Program with a clock of its own: changes that it has been asked for, and calls that it has
 * passed on. */
static struct
{
    struct
    {
        int64_t at;
        void (*change)(struct weft_run *run, int64_t at);
    } change[32];
    uint32_t nchanges;
    uint32_t ncalls[4];
} host;

static void
plan_change(void *of, int64_t at, void (*change)(struct weft_run *run, int64_t at))
{
    ck_assert_ptr_eq(of, &host);
    ck_assert_uint_lt(host.nchanges, 32);
    host.change[host.nchanges].at = at;
    host.change[host.nchanges++].change = change;
}

static void
pass_on(void *of, uint32_t at_host, int64_t at, enum weft_net_step step, uint64_t what_number,
        void (*call)(void *of, uint64_t what, int64_t now), void *whose, uint64_t what)
{
    ck_assert_ptr_eq(of, &host);
    host.ncalls[step]++;
    weft_net_call(weft_run_net(stage.run), at_host, at, step, what_number, call, whose, what);
}

static void
drive(void)
{
    for (;;)
    {
        uint32_t first = 0;
        for (uint32_t i = 1; i < host.nchanges; i++)
        {
            first = host.change[i].at < host.change[first].at ? i : first;
        }
        if (host.nchanges == 0)
        {
            break;
        }
        const int64_t at = host.change[first].at;
        void (*const change)(struct weft_run *, int64_t) = host.change[first].change;
        memmove(&host.change[first], &host.change[first + 1],
                (--host.nchanges - first) * sizeof host.change[0]);
        weft_net_run(weft_run_net(stage.run), at);
        change(stage.run, at);
    }
    weft_net_run(weft_run_net(stage.run), LATER);
}

/* Times of a graph with planned parts, and links that fail under it. */
static void
run_graph(struct graph *graph, bool own_clock)
{
    memset(graph, 0, sizeof *graph);
    memset(&host, 0, sizeof host);
    stage_describe(FOUR_PATHS, "subflow n=2");
    stage.is.convergence = 30 * US;
    if (own_clock)
    {
        stage.is.host = (struct weft_run_host){.of = &host, .call = pass_on, .change = plan_change};
    }
    stage_begin();
    ck_assert_int_eq(weft_run_fail(stage.run, 5, 10 * US, 200 * US), 0);
    ck_assert_int_eq(weft_run_fail(stage.run, 4, 10 * US, 50 * US), 0);
    ck_assert_int_eq(weft_run_fail(stage.run, 11, 40 * US, WEFT_NEVER), 0);
    ck_assert_int_eq(weft_run_degrade(stage.run, 6, 1000000000, 15 * US, 90 * US), 0);
    for (uint32_t i = 0; i < 12; i++)
    {
        graph_add(graph, i % 2, 2 + i / 2 % 2, 50000);
        if (i >= 4)
        {
            graph_wait(graph, i, i - 4);
        }
    }
    graph_bar(graph, 11, 1);
    graph_start(graph);
    own_clock ? drive() : stage_run();
    ck_assert_uint_eq(graph_state(graph).acked, 12);
    stage_end();
}

START_TEST(a_program_with_a_clock_of_its_own_has_the_same_times)
{
    static struct graph own;
    run_graph(&g, false);
    run_graph(&own, true);
    ck_assert_mem_eq(g.t, own.t, sizeof g.t);
    ck_assert_uint_eq(host.ncalls[WEFT_NET_POST], 12);
    ck_assert_uint_gt(host.ncalls[WEFT_NET_PLAN], 3);
    ck_assert_uint_eq(host.ncalls[WEFT_NET_PART] + host.ncalls[WEFT_NET_CALL], 0);
}
END_TEST

START_TEST(a_run_needs_memory)
{
    const struct weft_run_config none = {.convergence = 0};
    ck_assert_ptr_null(weft_run_make(&none));
    begin();
    struct weft_net_config wrong = stage.net;
    wrong.nlevels = 0;
    struct weft_net *before = weft_run_net(stage.run);
    ck_assert_int_lt(weft_run_build(stage.run, &wrong, NULL), 0);
    ck_assert_ptr_eq(weft_run_net(stage.run), before);
    stage_end();
}
END_TEST

static void
clear(void)
{
    memset(&g, 0, sizeof g);
    memset(&calls, 0, sizeof calls);
}

Suite *run_clock_suite(void);

Suite *
run_clock_suite(void)
{
    Suite *suite = suite_create("run-clock");
    TCase *tcase = tcase_create("run-clock");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, clear, NULL);
    tcase_add_test(tcase, calls_come_in_order_behind_the_faults_of_their_time);
    tcase_add_test(tcase, a_call_may_ask_for_what_is_to_happen_at_once);
    tcase_add_test(tcase, a_call_that_is_removed_does_not_come_and_moves_no_clock);
    tcase_add_test(tcase, a_hook_removes_a_call_before_the_clock_gets_there);
    tcase_add_test(tcase, a_hook_s_call_finds_nothing_undone);
    tcase_add_test(tcase, a_run_that_is_stopped_goes_on_where_it_was);
    tcase_add_test(tcase, a_limit_is_reached_and_not_passed);
    tcase_add_test(tcase, a_run_ends_when_nothing_is_left);
    tcase_add_test(tcase, hooks_on_threads_ask_for_calls);
    tcase_add_test(tcase, a_program_with_a_clock_of_its_own_has_the_same_times);
    tcase_add_test(tcase, a_run_needs_memory);
    suite_add_tcase(suite, tcase);
    return suite;
}

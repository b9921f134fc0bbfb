/* SPDX-License-Identifier: MIT */
/* A user who studies failures would have links that fail at another time, come back while another
 * failure lasts, or forwarding that knows of it too early, too late or never. */
#include <check.h>
#include <string.h>

#include <weft/error.h>

#include "run-stage.h"

/* Changes of links that a run's host has been told of. */
static struct
{
    struct
    {
        int64_t at;
        uint64_t link;
        bool down;
    } link[32];
    struct
    {
        int64_t at;
        size_t down;
        bool whole;
    } route[32];
    uint32_t nlinks, nroutes;
} told;

static struct graph g;

static int64_t
now(void)
{
    return weft_net_now(weft_run_net(stage.run));
}

static void
note_link(void *of, uint64_t link, bool down)
{
    ck_assert_ptr_eq(of, &told);
    ck_assert(weft_run_is_down(stage.run, link) == down);
    ck_assert_uint_lt(told.nlinks, 32);
    told.link[told.nlinks].at = now();
    told.link[told.nlinks].link = link;
    told.link[told.nlinks++].down = down;
}

static void
note_route(void *of, size_t down, bool whole)
{
    ck_assert_ptr_eq(of, &told);
    ck_assert_uint_lt(told.nroutes, 32);
    told.route[told.nroutes].at = now();
    told.route[told.nroutes].down = down;
    told.route[told.nroutes++].whole = whole;
}

static void
begin(void)
{
    stage_describe(FOUR_PATHS, "ecmp");
    stage.is.host =
        (struct weft_run_host){.of = &told, .link_changed = note_link, .rerouted = note_route};
    stage_begin();
}

static void
check_link(uint32_t i, int64_t at, uint64_t link, bool down)
{
    ck_assert_uint_lt(i, told.nlinks);
    ck_assert_int_eq(told.link[i].at, at);
    ck_assert_uint_eq(told.link[i].link, link);
    ck_assert(told.link[i].down == down);
}

static void
check_route(uint32_t i, int64_t at, size_t down, bool whole)
{
    ck_assert_uint_lt(i, told.nroutes);
    ck_assert_int_eq(told.route[i].at, at);
    ck_assert_uint_eq(told.route[i].down, down);
    ck_assert(told.route[i].whole == whole);
}

static struct weft_net_port
port_of(uint64_t link)
{
    struct weft_link of;
    struct weft_net_port is;
    weft_clos_link(&stage.clos, link, &of);
    const uint32_t node = of.upper.is_host ? of.upper.index : stage.clos.nhosts + of.upper.index;
    weft_net_port_status(weft_run_net(stage.run), node, of.upper.port, &is);
    return is;
}

/* Ports that the first leaf has for the third host, as often as they count. */
static uint32_t
candidates(void)
{
    struct weft_switch_map map;
    struct weft_ports to = {.n = 0};
    weft_clos_switch(&stage.clos, 0, &map);
    return weft_fib_route(weft_net_fib(weft_run_net(stage.run), 0), 0, &map, 2, &to) ? to.n : 0;
}

static void
break_link(uint64_t link, int64_t at, int64_t repair)
{
    ck_assert_int_eq(weft_run_fail(stage.run, link, at, repair), 0);
}

START_TEST(a_link_is_down_as_long_as_one_of_its_failures_lasts)
{
    begin();
    break_link(5, 10 * US, 30 * US);
    break_link(5, 20 * US, 50 * US);
    break_link(6, 20 * US, 20 * US);
    break_link(5, 70 * US, WEFT_NEVER);
    static const bool down[] = {false, true, true, true, true, false, false, true};
    for (int64_t i = 0; i < 8; i++)
    {
        weft_run_until(stage.run, 10 * US * i);
        ck_assert(weft_run_is_down(stage.run, 5) == down[i]);
        ck_assert(port_of(5).down == down[i]);
    }
    ck_assert_uint_eq(told.nlinks, 5);
    check_link(0, 10 * US, 5, true);
    check_link(1, 20 * US, 6, true);
    check_link(2, 20 * US, 6, false);
    check_link(3, 50 * US, 5, false);
    check_link(4, 70 * US, 5, true);
    ck_assert_uint_eq(told.nroutes, 3); /* once for each instant that changes something */
    check_route(0, 10 * US, 1, false);
    check_route(1, 50 * US, 0, true);
    check_route(2, 70 * US, 1, false);
    stage_end();
}
END_TEST

START_TEST(links_that_fail_together_are_one_change)
{
    begin();
    static const uint64_t links[] = {9, 5, 11, 4, 7};
    for (uint32_t i = 0; i < 5; i++)
    {
        break_link(links[i], 10 * US, (20 + i) * US);
    }
    weft_run_until(stage.run, 100 * US);
    ck_assert_uint_eq(told.nlinks, 10);
    ck_assert_uint_eq(told.nroutes, 6);
    check_route(0, 10 * US, 5, false);
    for (uint32_t i = 0; i < 5; i++)
    {
        check_link(i, 10 * US, links[i], true);
        check_link(5 + i, (20 + i) * US, links[i], false);
        check_route(1 + i, (20 + i) * US, 4 - i, i == 4);
    }
    stage_end();
}
END_TEST

START_TEST(a_link_is_set_down_and_comes_back_whatever_fails)
{
    begin();
    break_link(5, 10 * US, 30 * US);
    break_link(5, 10 * US, 40 * US);
    break_link(6, 10 * US, WEFT_NEVER);
    weft_run_until(stage.run, 15 * US);
    ck_assert_int_eq(weft_run_set_down(stage.run, 5, true), 0); /* is down already */
    ck_assert_int_eq(weft_run_set_down(stage.run, 4, true), 0);
    ck_assert_int_eq(weft_run_set_down(stage.run, 4, true), 0);
    ck_assert_uint_eq(told.nlinks, 3);
    check_link(2, 15 * US, 4, true);
    check_route(1, 15 * US, 3, false);
    weft_run_until(stage.run, 20 * US);
    ck_assert_int_eq(weft_run_set_down(stage.run, 5, false), 0);
    ck_assert_int_eq(weft_run_set_down(stage.run, 5, false), 0);
    check_link(3, 20 * US, 5, false);
    check_route(2, 20 * US, 2, false);
    ck_assert(weft_run_is_down(stage.run, 4) && weft_run_is_down(stage.run, 6));
    ck_assert(!weft_run_is_down(stage.run, 5));
    weft_run_until(stage.run, 35 * US);
    ck_assert_int_eq(weft_run_set_down(stage.run, 5, true), 0);
    weft_run_until(stage.run, 100 * US);
    ck_assert(weft_run_is_down(stage.run, 5)); /* no repair of a failure that is over */
    ck_assert_uint_eq(told.nlinks, 5);
    ck_assert_uint_eq(told.nroutes, 4);
    stage_end();
}
END_TEST

START_TEST(forwarding_learns_of_each_change_a_delay_later)
{
    begin();
    weft_run_set_convergence(stage.run, 100 * US);
    break_link(5, 10 * US, 160 * US);
    break_link(6, 30 * US, 500 * US);
    weft_run_until(stage.run, 110 * US - 1);
    ck_assert_uint_eq(told.nroutes, 0);
    ck_assert_ptr_null(weft_net_fib(weft_run_net(stage.run), 0));
    weft_run_until(stage.run, 400 * US);
    ck_assert_uint_eq(told.nroutes, 3);
    check_route(0, 110 * US, 1, false);
    check_route(1, 130 * US, 2, false);
    check_route(2, 260 * US, 1, false);
    ck_assert_ptr_nonnull(weft_net_fib(weft_run_net(stage.run), 0));
    weft_run_until(stage.run, 1000 * US);
    check_route(3, 600 * US, 0, true);
    ck_assert_ptr_null(weft_net_fib(weft_run_net(stage.run), 0));
    stage_end();
}
END_TEST

/* An outage, or a time between two, that is no longer than the delay is never heard of; another
 * link's changes do not matter to that. */
START_TEST(what_does_not_last_is_never_heard_of)
{
    begin();
    weft_run_set_convergence(stage.run, 100 * US);
    weft_run_set_recovery(stage.run, 30 * US);
    break_link(5, 10 * US, 110 * US);
    break_link(7, 60 * US, 200 * US);
    break_link(7, 230 * US, 240 * US); /* back for as long as the recovery */
    break_link(6, 400 * US, 450 * US);
    break_link(6, 450 * US, 501 * US); /* no break */
    break_link(4, 600 * US, 700 * US - 1);
    weft_run_until(stage.run, 1000 * US);
    ck_assert_uint_eq(told.nroutes, 4);
    check_route(0, 160 * US, 1, false); /* 7, of which nothing is heard at 230 */
    check_route(1, 270 * US, 0, true);
    check_route(2, 500 * US, 1, false); /* 6 */
    check_route(3, 531 * US, 0, true);
    stage_end();
}
END_TEST

START_TEST(what_comes_back_is_never_heard_of_without_recovery)
{
    begin();
    weft_run_set_convergence(stage.run, 10 * US);
    weft_run_set_recovery(stage.run, WEFT_NEVER);
    break_link(5, 10 * US, 110 * US);
    weft_run_until(stage.run, 1000 * US);
    ck_assert(!weft_run_is_down(stage.run, 5));
    ck_assert_uint_eq(told.nroutes, 1);
    check_route(0, 20 * US, 1, false);
    stage_end();
}
END_TEST

START_TEST(forwarding_that_never_adapts_stays)
{
    begin();
    weft_run_set_convergence(stage.run, WEFT_NEVER);
    break_link(5, 10 * US, WEFT_NEVER);
    weft_run_until(stage.run, LATER);
    ck_assert_uint_eq(told.nlinks, 1);
    ck_assert_uint_eq(told.nroutes, 0);
    weft_run_set_convergence(stage.run, 0); /* of what fails from now on */
    break_link(6, 2 * LATER, WEFT_NEVER);
    weft_run_until(stage.run, 3 * LATER);
    check_route(0, 2 * LATER, 1, false);
    stage_end();
}
END_TEST

/* A delay that becomes shorter: what is known already is not forgotten. */
START_TEST(the_delay_is_that_of_what_fails_from_now_on)
{
    begin();
    weft_run_set_convergence(stage.run, 100 * US);
    break_link(5, 10 * US, WEFT_NEVER);
    break_link(6, 30 * US, WEFT_NEVER);
    weft_run_until(stage.run, 20 * US);
    weft_run_set_convergence(stage.run, 10 * US);
    weft_run_until(stage.run, 200 * US);
    check_route(0, 40 * US, 1, false);
    check_route(1, 110 * US, 2, false);
    ck_assert_uint_eq(told.nroutes, 2);
    stage_end();
}
END_TEST

START_TEST(a_link_is_slow_for_a_while)
{
    begin();
    const int64_t rate = port_of(5).rate;
    ck_assert_int_eq(weft_run_degrade(stage.run, 5, rate / 4, 10 * US, 30 * US), 0);
    ck_assert_int_eq(weft_run_degrade(stage.run, 6, rate / 2, 10 * US, WEFT_NEVER), 0);
    weft_run_until(stage.run, 10 * US - 1);
    ck_assert_int_eq(port_of(5).rate, rate);
    weft_run_until(stage.run, 10 * US);
    ck_assert_int_eq(port_of(5).rate, rate / 4);
    ck_assert_int_eq(port_of(6).rate, rate / 2);
    weft_run_until(stage.run, 40 * US);
    ck_assert_int_eq(port_of(5).rate, rate);
    ck_assert_int_eq(port_of(6).rate, rate / 2);
    ck_assert_int_eq(weft_run_set_rate(stage.run, 6, rate / 8), 0);
    ck_assert_int_eq(port_of(6).rate, rate / 8);
    ck_assert_uint_eq(told.nlinks + told.nroutes, 0); /* nothing weighs by capacity */
    stage_end();
}
END_TEST

/* The slowest of several counts, as long as each lasts. */
START_TEST(a_link_is_as_slow_as_its_slowest_fault)
{
    static const struct
    {
        int64_t from, part;
    } want[] = {{10, 4}, {20, 8}, {30, 8}, {40, 1}};
    begin();
    const int64_t rate = port_of(5).rate;
    ck_assert_int_eq(weft_run_degrade(stage.run, 5, rate / 4, 10 * US, 30 * US), 0);
    ck_assert_int_eq(weft_run_degrade(stage.run, 5, rate / 8, 20 * US, 40 * US), 0);
    for (uint32_t i = 0; i < 4; i++)
    {
        weft_run_until(stage.run, want[i].from * US);
        ck_assert_int_eq(port_of(5).rate, rate / want[i].part);
    }
    ck_assert_int_eq(weft_run_set_rate(stage.run, 5, rate / 2), 0);
    ck_assert_int_eq(weft_run_degrade(stage.run, 5, rate / 4, 50 * US, 60 * US), 0);
    weft_run_until(stage.run, 50 * US);
    ck_assert_int_eq(port_of(5).rate, rate / 4);
    weft_run_until(stage.run, 60 * US);
    ck_assert_int_eq(port_of(5).rate, rate / 2); /* as it was set */
    stage_end();
}
END_TEST

START_TEST(forwarding_that_weighs_by_capacity_follows_rates)
{
    begin();
    const int64_t rate = port_of(5).rate;
    weft_run_set_weights(stage.run, WEFT_WEIGHTS_CAPACITY);
    ck_assert_int_eq(weft_run_degrade(stage.run, 5, rate / 4, 10 * US, 30 * US), 0);
    weft_run_until(stage.run, 20 * US);
    ck_assert_uint_eq(told.nroutes, 1);
    check_route(0, 10 * US, 0, false);
    ck_assert_uint_eq(candidates(), 13); /* 4 + 1 + 4 + 4 */
    weft_run_until(stage.run, 40 * US);
    check_route(1, 30 * US, 0, true);
    ck_assert_int_eq(weft_run_set_rate(stage.run, 5, rate * 2), 0); /* more than planned is whole */
    ck_assert_uint_eq(told.nroutes, 2);
    ck_assert_int_eq(weft_run_set_rate(stage.run, 5, rate / 2), 0);
    check_route(2, now(), 0, false);
    ck_assert_int_eq(weft_run_set_rate(stage.run, 7, rate / 4), 0);
    ck_assert_uint_eq(candidates(), 11); /* 4 + 2 + 4 + 1 */
    ck_assert_int_eq(weft_run_set_rate(stage.run, 5, rate), 0);
    ck_assert_uint_eq(candidates(), 13); /* 4 + 4 + 4 + 1 */
    ck_assert_int_eq(weft_run_set_rate(stage.run, 7, rate), 0);
    check_route(5, now(), 0, true);
    ck_assert_int_eq(weft_run_set_rate(stage.run, 5, rate / 2), 0);
    weft_run_set_weights(stage.run, WEFT_WEIGHTS_NONE);
    ck_assert_int_eq(weft_run_set_rate(stage.run, 7, rate / 2), 0);
    ck_assert_uint_eq(told.nroutes, 7);
    break_link(4, 50 * US, 60 * US);
    weft_run_until(stage.run, 100 * US);
    check_route(7, 50 * US, 1, false);
    check_route(8, 60 * US, 0, true);
    weft_run_set_weights(stage.run, WEFT_WEIGHTS_CAPACITY);
    break_link(4, 110 * US, WEFT_NEVER);
    weft_run_until(stage.run, 200 * US);
    ck_assert_uint_eq(candidates(), 4); /* 0 + 1 + 2 + 1: it knows of all rates */
    stage_end();
}
END_TEST

/* A fault of several links is that of each of them. */
START_TEST(links_of_one_fault_fail_and_slow_down_together)
{
    static const uint64_t links[] = {5, 9};
    begin();
    const int64_t rate = port_of(5).rate;
    struct weft_fault fault = {.links = links, .nlinks = 2, .at = 10 * US, .repair = 30 * US};
    ck_assert_int_eq(weft_run_add_fault(stage.run, &fault), 0);
    fault.effect = WEFT_FAULT_SLOW;
    fault.rate = rate / 4;
    fault.repair = 40 * US;
    ck_assert_int_eq(weft_run_add_fault(stage.run, &fault), 0);
    weft_run_until(stage.run, 20 * US);
    ck_assert(port_of(5).down && port_of(9).down && !port_of(6).down);
    ck_assert_int_eq(port_of(9).rate, rate / 4);
    weft_run_until(stage.run, 30 * US);
    ck_assert(!port_of(5).down && !port_of(9).down);
    ck_assert_int_eq(port_of(5).rate, rate / 4);
    weft_run_until(stage.run, 50 * US);
    ck_assert_int_eq(port_of(5).rate, rate);
    check_route(0, 10 * US, 2, false);
    check_route(1, 30 * US, 0, true);
    stage_end();
}
END_TEST

START_TEST(there_are_such_links_and_times_or_no_fault)
{
    begin();
    struct weft_run *run = stage.run;
    const int64_t rate = port_of(5).rate;
    ck_assert_int_eq(weft_run_fail(run, 12, 0, WEFT_NEVER), WEFT_ERANGE);
    ck_assert_int_eq(weft_run_fail(run, 5, -1, WEFT_NEVER), WEFT_ERANGE);
    ck_assert_int_eq(weft_run_fail(run, 5, WEFT_LATEST + 1, WEFT_NEVER), WEFT_ERANGE);
    ck_assert_int_eq(weft_run_fail(run, 5, 10, WEFT_LATEST + 1), WEFT_ERANGE);
    ck_assert_int_eq(weft_run_fail(run, 5, 10, 9), WEFT_ERANGE);
    ck_assert_int_eq(weft_run_degrade(run, 12, rate, 0, WEFT_NEVER), WEFT_ERANGE);
    ck_assert_int_eq(weft_run_degrade(run, 5, rate, 10, 9), WEFT_ERANGE);
    ck_assert_int_eq(weft_run_degrade(run, 5, 0, 0, WEFT_NEVER), WEFT_ERANGE);
    ck_assert_int_eq(weft_run_degrade(run, 5, rate + 1, 0, WEFT_NEVER), WEFT_ERANGE);
    ck_assert_int_eq(weft_run_set_down(run, 12, true), WEFT_ERANGE);
    ck_assert_int_eq(weft_run_set_rate(run, 12, rate), WEFT_ERANGE);
    ck_assert_int_eq(weft_run_set_rate(run, 5, 0), WEFT_ERANGE);
    weft_run_until(run, WEFT_LATEST);
    ck_assert_uint_eq(told.nlinks, 0);
    ck_assert_int_eq(weft_run_fail(run, 11, WEFT_LATEST, WEFT_LATEST), 0);
    ck_assert_int_eq(weft_run_degrade(run, 11, 1, WEFT_LATEST, WEFT_NEVER), 0);
    ck_assert_int_eq(weft_run_degrade(run, 11, rate, WEFT_LATEST, WEFT_NEVER), 0);
    stage_end();
}
END_TEST

START_TEST(faults_that_are_forgotten_do_not_take_place)
{
    begin();
    weft_run_set_convergence(stage.run, 20 * US);
    break_link(5, 10 * US, 40 * US);
    break_link(4, 20 * US, WEFT_NEVER);
    ck_assert_int_eq(weft_run_degrade(stage.run, 7, 1000, 20 * US, WEFT_NEVER), 0);
    weft_run_until(stage.run, 15 * US);
    weft_run_forget_faults(stage.run);
    ck_assert_int_eq(weft_run_until(stage.run, WEFT_NEVER), 15 * US); /* nothing is left */
    weft_run_until(stage.run, 100 * US);
    ck_assert_uint_eq(told.nlinks, 1);
    ck_assert_uint_eq(told.nroutes, 0);
    ck_assert_int_gt(port_of(7).rate, 1000);
    break_link(6, 100 * US, 130 * US);
    weft_run_until(stage.run, 200 * US);
    ck_assert_uint_eq(told.nlinks, 3);
    check_route(0, 120 * US, 1, false);
    check_route(1, 150 * US, 0, true);
    stage_end();
}
END_TEST

START_TEST(a_fabric_that_is_made_anew_has_what_was_changed)
{
    begin();
    const int64_t rate = port_of(5).rate;
    ck_assert_int_eq(weft_run_set_down(stage.run, 6, true), 0);
    ck_assert_int_eq(weft_run_set_down(stage.run, 11, true), 0);
    ck_assert_int_eq(weft_run_set_rate(stage.run, 5, rate / 2), 0);
    ck_assert_int_eq(weft_run_set_rate(stage.run, 7, rate / 4), 0);
    ck_assert_int_eq(weft_run_build(stage.run, &stage.net, &stage.why), 0);
    ck_assert(port_of(6).down && port_of(11).down && !port_of(5).down);
    ck_assert_int_eq(port_of(5).rate, rate / 2);
    ck_assert_int_eq(port_of(7).rate, rate / 4);
    ck_assert_uint_eq(candidates(), 2); /* 4 paths, of which one is dead at each end */
    ck_assert_int_eq(weft_run_set_down(stage.run, 11, false), 0);
    ck_assert_uint_eq(candidates(), 3);
    ck_assert_int_eq(weft_run_set_down(stage.run, 6, false), 0);
    ck_assert_ptr_null(weft_net_fib(weft_run_net(stage.run), 0));
    stage_end();
}
END_TEST

START_TEST(a_share_counts_what_is_down_or_slow_from_0_on_for_good)
{
    static const struct weft_flow flows[] = {{0, 2}, {1, 3}, {2, 0}, {3, 1}};
    static const uint64_t dead[] = {4, 5, 6};
    stage_describe("leaf-spine leaves=2 spines=4 hosts-per-leaf=2 link-rate=100Gbps", "ecmp");
    stage_add_level("rsq");
    stage_add_level("ecmp");
    stage.level[1].cc =
        stage_choose("congestion-control", "ideal split=hop", &stage.level[1].cc_config);
    stage.is.host = (struct weft_run_host){.of = &told};
    stage.level[2].share = 0.75;
    stage_begin();
    ck_assert(weft_run_share(stage.run, 2) == 0.75);
    break_link(6, 0, WEFT_NEVER);
    break_link(4, 0, WEFT_NEVER);
    break_link(6, 0, WEFT_NEVER);
    break_link(5, 0, WEFT_NEVER);
    break_link(8, 0, 9 * US);
    break_link(9, 1, WEFT_NEVER);
    const struct weft_slow_link slow = {7, 20000000000};
    ck_assert_int_eq(weft_run_degrade(stage.run, 7, slow.rate, 0, WEFT_NEVER), 0);
    ck_assert_int_eq(weft_run_degrade(stage.run, 7, 30000000000, 0, WEFT_NEVER), 0);
    ck_assert_int_eq(weft_run_degrade(stage.run, 10, 2000, 0, 10 * US), 0);
    ck_assert_int_eq(weft_run_degrade(stage.run, 11, 2000, 1, WEFT_NEVER), 0);
    ck_assert_int_eq(weft_run_set_flows(stage.run, flows, 4), 0);
    const struct weft_fib_case of = {dead, 3, &slow, 1, WEFT_WEIGHTS_NONE};
    const double share = stage_share(flows, 4, &of, WEFT_SPLIT_PATH);
    ck_assert(share > 0 && share < 0.2);
    ck_assert(weft_run_share(stage.run, 0) == share);
    ck_assert(weft_run_share(stage.run, 1) == stage_share(flows, 4, &of, WEFT_SPLIT_HOP));
    ck_assert(weft_run_share(stage.run, 2) == share);
    stage_end();
}
END_TEST

/* Where paths from a leaf are not alike, hops and paths split differently. */
START_TEST(a_share_is_of_how_a_level_splits)
{
    static const uint64_t dead[] = {33, 37};
    static struct weft_flow flows[240];
    uint32_t n = 0;
    stage_describe("fat-tree k=4 link-rate=100Gbps", "ecmp");
    stage_add_level("rsq");
    stage.level[1].cc =
        stage_choose("congestion-control", "ideal split=hop", &stage.level[1].cc_config);
    stage_begin();
    for (uint32_t i = 0; i < 240; i++)
    {
        const uint32_t src = i / 15;
        flows[n++] = (struct weft_flow){src, (src + 1 + i % 15) % 16};
    }
    break_link(33, 0, WEFT_NEVER);
    break_link(37, 0, WEFT_NEVER);
    ck_assert_int_eq(weft_run_set_flows(stage.run, flows, n), 0);
    const struct weft_fib_case of = {dead, 2, NULL, 0, WEFT_WEIGHTS_NONE};
    const double path = stage_share(flows, n, &of, WEFT_SPLIT_PATH);
    const double hop = stage_share(flows, n, &of, WEFT_SPLIT_HOP);
    ck_assert(path != hop);
    ck_assert(weft_run_share(stage.run, 0) == path);
    ck_assert(weft_run_share(stage.run, 1) == hop);
    static const struct weft_flow none = {16, 0};
    ck_assert_int_eq(weft_run_set_flows(stage.run, &none, 1), WEFT_ERANGE);
    stage_end();
}
END_TEST

/* The share is computed beside forwarding that is in use, and spoils none of it. */
START_TEST(a_workload_that_begins_after_a_failure_leaves_forwarding)
{
    begin();
    break_link(4, 0, WEFT_NEVER);
    weft_run_until(stage.run, US);
    ck_assert_int_eq(weft_run_set_down(stage.run, 5, true), 0);
    for (uint32_t i = 0; i < 3; i++)
    {
        static const struct weft_flow flow = {0, 2};
        ck_assert_int_eq(weft_run_set_flows(stage.run, &flow, 1), 0);
        ck_assert_uint_eq(candidates(), 2);
        weft_run_set_down(stage.run, 6, i % 2 == 0);
        ck_assert_uint_eq(candidates(), i % 2 ? 2 : 1);
        weft_run_set_down(stage.run, 6, false);
    }
    graph_add(&g, 0, 2, 100000);
    graph_add(&g, 1, 3, 100000);
    graph_start(&g);
    stage_run();
    ck_assert_uint_eq(graph_state(&g).acked, 2);
    stage_end();
}
END_TEST

static void
clear(void)
{
    memset(&g, 0, sizeof g);
    memset(&told, 0, sizeof told);
}

Suite *run_faults_suite(void);

Suite *
run_faults_suite(void)
{
    Suite *suite = suite_create("run-faults");
    TCase *tcase = tcase_create("run-faults");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, clear, NULL);
    tcase_add_test(tcase, a_link_is_down_as_long_as_one_of_its_failures_lasts);
    tcase_add_test(tcase, links_that_fail_together_are_one_change);
    tcase_add_test(tcase, a_link_is_set_down_and_comes_back_whatever_fails);
    tcase_add_test(tcase, forwarding_learns_of_each_change_a_delay_later);
    tcase_add_test(tcase, what_does_not_last_is_never_heard_of);
    tcase_add_test(tcase, what_comes_back_is_never_heard_of_without_recovery);
    tcase_add_test(tcase, forwarding_that_never_adapts_stays);
    tcase_add_test(tcase, the_delay_is_that_of_what_fails_from_now_on);
    tcase_add_test(tcase, a_link_is_slow_for_a_while);
    tcase_add_test(tcase, a_link_is_as_slow_as_its_slowest_fault);
    tcase_add_test(tcase, forwarding_that_weighs_by_capacity_follows_rates);
    tcase_add_test(tcase, links_of_one_fault_fail_and_slow_down_together);
    tcase_add_test(tcase, there_are_such_links_and_times_or_no_fault);
    tcase_add_test(tcase, faults_that_are_forgotten_do_not_take_place);
    tcase_add_test(tcase, a_fabric_that_is_made_anew_has_what_was_changed);
    tcase_add_test(tcase, a_share_counts_what_is_down_or_slow_from_0_on_for_good);
    tcase_add_test(tcase, a_share_is_of_how_a_level_splits);
    tcase_add_test(tcase, a_workload_that_begins_after_a_failure_leaves_forwarding);
    suite_add_tcase(suite, tcase);
    return suite;
}

/* SPDX-License-Identifier: MIT */
/* A user would lose a fabric whose results are the same however it is run: step by step, watched,
 * at once, or on several threads; that loses no frame without saying so; that takes no memory once
 * it is under way; and that refuses what cannot work. */
#include <check.h>
#include <string.h>

#include <weft/weft.h>

#include "must.h"
#include "net-parts.h"
#include "net-world.h"

START_TEST(it_is_the_same_however_it_is_run)
{
    world_begin(&scenes[_i]);
    weft_net_run(world.net, LONG);
    const struct result whole = world_conclude();
    world_end();
    struct weft_rng rng;
    weft_rng_seed(&rng, 1, 1, (uint64_t)_i);
    world_begin(&scenes[_i]);
    for (int64_t at = 0; at < LONG;)
    {
        const uint32_t longest = at < INT64_C(200000000) ? 3000000U : 100000000U;
        at += 1 + weft_rng_below(&rng, longest);
        weft_net_run(world.net, at < LONG ? at : LONG);
        world_conclude(); /* who looks changes nothing */
    }
    const struct result cut = world_conclude();
    ck_assert_uint_gt(whole.total.delivered, 1000);
    ck_assert(scenes[_i].loss == 0 || whole.total.made_by_tors > 20);
    ck_assert_mem_eq(&whole, &cut, sizeof whole);
    world_end();
}
END_TEST

/* Switches that no short link reaches are run when the others have gone on for many windows. */
START_TEST(it_is_the_same_where_links_to_hosts_are_short)
{
    struct result r[4];
    world.host_delay = 25000;
    for (uint32_t i = 0; i < 4; i++)
    {
        world.threads = i == 2 ? 3 : 0;
        world_begin(&scenes[_i]);
        const int64_t cut = i == 0 ? weft_net_window(world.net) : i == 1 ? 1711111 : LONG;
        for (int64_t at = cut; at < INT64_C(100000000); at += cut)
        {
            weft_net_run(world.net, at);
            ck_assert_int_ge(weft_net_next(world.net), at);
        }
        weft_net_run(world.net, LONG);
        r[i] = world_conclude();
        world_end();
    }
    world.host_delay = 0;
    world.threads = 0;
    ck_assert_uint_gt(r[0].total.delivered, 1000);
    for (uint32_t i = 1; i < 4; i++)
    {
        ck_assert_mem_eq(&r[0], &r[i], sizeof r[0]);
    }
}
END_TEST

static void
add_qps(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
    {
        struct weft_qp *qp;
        const struct weft_net_qp_site site = {.src = i, .dst = (i + 1) % HOSTS, .stream = n + i};
        ck_assert_int_eq(weft_net_add_qp(world.net, &site, &qp, NULL), 0);
    }
}

START_TEST(what_a_hook_asks_of_another_host_comes_there_when_it_can)
{
    struct result r[2];
    for (int64_t cut = 0; cut < 2; cut++)
    {
        world_begin(&scenes[0]);
        add_qps(HOSTS);
        world.relays = true;
        for (int64_t at = 0; at < LONG; at += cut ? 370011 + at / 9 : LONG)
        {
            weft_net_run(world.net, at);
        }
        weft_net_run(world.net, LONG);
        ck_assert_uint_eq(world.delivered, 2 * HOSTS);
        ck_assert(!weft_net_is_telling(world.net, NULL));
        r[cut] = world_conclude();
        world.relays = false;
        world_end();
    }
    ck_assert_mem_eq(&r[0], &r[1], sizeof r[0]);
}
END_TEST

/* Answers each data packet by a message of the host half the fabric away. */
static void
answer_elsewhere(void *of, uint32_t host, const struct weft_packet *p, int64_t now)
{
    uint64_t *answers = of; /* [host] */
    if (p->kind == WEFT_DATA && p->qp < HOSTS && answers[host] < 1000)
    {
        struct weft_qp *qp = weft_net_qp(world.net, HOSTS + (host + HOSTS / 2) % HOSTS);
        weft_net_post(world.net, qp, 100, 0, now, (uint64_t)host << 32 | answers[host]++);
    }
}

START_TEST(a_hook_may_post_at_a_host_of_another_thread)
{
    struct result one = {0};
    for (uint32_t n = 1; n <= 4; n++)
    {
        uint64_t answers[HOSTS] = {0};
        struct scene longer = scenes[0];
        longer.bytes = 2000000;
        world.threads = n;
        world_begin(&longer);
        add_qps(HOSTS);
        const struct weft_net_hooks hooks = {.of = answers, .received = answer_elsewhere};
        weft_net_set_hooks(world.net, &hooks);
        weft_net_run(world.net, LONG);
        const struct result r = world_conclude();
        one = n == 1 ? r : one;
        ck_assert_mem_eq(&one, &r, sizeof one);
        world_end();
    }
    ck_assert_uint_gt(one.total.delivered, 10000);
    world.threads = 0;
}
END_TEST

static void
note_route(void *of, uint32_t index, const struct weft_packet *p, uint32_t out, uint32_t n,
           int64_t now)
{
    uint64_t *frames = of; /* [switch], as each is of one thread */
    frames[index] += n > 0 && out < 64 && p->hops > 0 && now >= 0;
}

/* Whoever asks for the ways of packets hears of each at each switch, and changes nothing. */
START_TEST(routes_that_are_watched_are_all_told_and_stay_the_same)
{
    struct result r[2];
    uint64_t frames[64] = {0}, told = 0;
    for (uint32_t i = 0; i < 2; i++)
    {
        world.threads = 1 + 2 * i;
        world_begin(&scenes[0]);
        weft_net_watch_routes(world.net, i ? note_route : NULL, frames);
        weft_net_run(world.net, LONG);
        r[i] = world_conclude();
        world_end();
    }
    for (uint32_t i = 0; i < 64; i++)
    {
        told += frames[i];
    }
    world.threads = 0;
    ck_assert_mem_eq(&r[0], &r[1], sizeof *r);
    ck_assert_uint_eq(told + r[1].total.delivered, r[1].total.hops);
}
END_TEST

/* Lets host 9 send a packet with a number that says who asked. */
static void
ask_host_9(void *of, uint64_t what, int64_t now)
{
    (void)of;
    const struct weft_packet p = {.kind = WEFT_RAW,
                                  .src = 9,
                                  .dst = 3,
                                  .bytes = 600,
                                  .tclass = 1,
                                  .psn = what & WEFT_PSN_MASK};
    weft_net_send(world.net, 9, &p, now + 50000000);
}

#define LAST_SIX UINT64_C(1000000000000) /* numbers of two digits */

static void
note_number(void *of, uint32_t host, const struct weft_packet *p, int64_t now)
{
    uint64_t *numbers = of;
    (void)now;
    if (host == 9 && p->kind == WEFT_RAW)
    {
        *numbers = (*numbers * 100 + p->psn) % LAST_SIX;
    }
}

START_TEST(what_several_hosts_ask_for_at_one_instant_has_an_order)
{
    for (uint32_t n = 1; n <= 3; n++)
    {
        uint64_t numbers = 0;
        world.threads = n;
        world_begin(&scenes[0]);
        const struct weft_net_hooks hooks = {.of = &numbers, .sent = note_number};
        weft_net_set_hooks(world.net, &hooks);
        for (uint32_t i = 16; i-- > 0;)
        {
            weft_net_call(world.net, i, 100000000, WEFT_NET_CALL, 0, ask_host_9, NULL, i);
        }
        weft_net_run(world.net, 100000001);
        weft_net_run(world.net, LONG);
        world_end();
        ck_assert_uint_eq(numbers, UINT64_C(101112131415));
    }
    world.threads = 0;
}
END_TEST

static void
note_call(void *of, uint64_t what, int64_t now)
{
    uint64_t *calls = of;
    *calls = *calls * 10 + what;
    ck_assert_int_eq(now, 5000000);
}

/* A program may take a hash for a number: its message is sent all the same, and the run goes on. */
START_TEST(what_is_asked_for_happens_whatever_its_number)
{
    uint64_t calls = 0;
    world_begin(&scenes[0]);
    const uint32_t messages = world.messages;
    struct weft_qp *qp = weft_net_qp(world.net, 0);
    weft_net_post(world.net, qp, 1000, qp->index, 5000000, UINT64_MAX);
    weft_net_post(world.net, qp, 1000, qp->index, 5000000, UINT64_C(1) << 56);
    weft_net_call(world.net, 0, 5000000, WEFT_NET_CALL, UINT64_MAX, note_call, &calls, 2);
    weft_net_call(world.net, 0, 5000000, WEFT_NET_CALL, 7, note_call, &calls, 1);
    weft_net_call(world.net, 0, 5000000, WEFT_NET_PLAN, 0, note_call, &calls, 3);
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(world.delivered, messages + 2);
    ck_assert_uint_eq(calls, 123);
    world_end();
}
END_TEST

START_TEST(it_is_the_same_where_nodes_are_watched)
{
    const int64_t until = INT64_C(600000000);
    world_begin(&scenes[_i]);
    weft_net_run(world.net, until);
    const struct result whole = world_conclude();
    world_end();
    world_begin(&scenes[_i]);
    world_run_watched(until);
    const struct result watched = world_conclude();
    ck_assert_uint_gt(whole.total.delivered, 1000);
    ck_assert_mem_eq(&whole, &watched, sizeof whole);
    world_end();
}
END_TEST

START_TEST(packets_of_the_program_go_their_way)
{
    world_begin(&scenes[0]);
    for (uint32_t i = 0; i < 300; i++)
    {
        const struct weft_packet p = {.kind = WEFT_RAW,
                                      .src = i % HOSTS & WEFT_HOST_MASK,
                                      .dst = (i + 7) % HOSTS & WEFT_HOST_MASK,
                                      .bytes = 600,
                                      .tclass = 1,
                                      .psn = i & WEFT_PSN_MASK,
                                      .sport = (uint16_t)(i * 77)};
        weft_net_send(world.net, p.src, &p, (int64_t)i * 1000);
    }
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(world.raw, 300);
    ck_assert_uint_eq(world.delivered, world.messages);
    world_end();
}
END_TEST

START_TEST(no_frame_goes_without_a_word)
{
    world_begin(&scenes[_i]);
    weft_net_run(world.net, LONG);
    const struct weft_net_counters t = world_conclude().total;
    uint64_t lost = 0;
    for (unsigned i = 0; i < WEFT_NET_LOSSES; i++)
    {
        lost += t.lost[i];
    }
    ck_assert_uint_eq(t.sent + t.made_by_tors, t.delivered + lost);
    ck_assert_uint_eq(t.sent_bytes + t.made_by_tors_bytes,
                      t.delivered_bytes + t.lost_bytes + t.trimmed_bytes);
    ck_assert_uint_eq(world.delivered, world.messages);
    for (uint32_t i = 0; i < world.clos.nswitches; i++)
    {
        ck_assert_int_eq(weft_net_buffer(world.net, i)->shared_used, 0);
    }
    world_end();
}
END_TEST

START_TEST(it_takes_no_memory_once_under_way)
{
    struct scene longer = scenes[_i];
    longer.bytes *= 8;
    world_begin(&longer);
    weft_net_run(world.net, world.clos.host_delay * 100);
    const size_t before = parts_taken();
    const uint64_t hops = world_conclude().total.hops;
    weft_net_run(world.net, world.clos.host_delay * 150);
    /* A queue may yet become longer than ever; nothing is taken per frame. */
    ck_assert_uint_le(parts_taken() - before, (world_conclude().total.hops - hops) / 50);
    world_end();
}
END_TEST

static size_t chunks; /* that frames have taken */

static void *
take_chunk(void *of, size_t bytes)
{
    chunks++;
    return parts_take(of, bytes);
}

/* A link by which nothing comes any more keeps nothing: a large fabric needs memory for frames that
 * are under way, not for links. */
START_TEST(links_that_are_done_lend_their_memory)
{
    world_describe(&scenes[0]);
    world.config.frames.take = take_chunk;
    chunks = 0;
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), 0);
    for (uint32_t i = 0; i < HOSTS * HOSTS; i++)
    {
        if (i / HOSTS != i % HOSTS)
        {
            world_post(i / HOSTS, i % HOSTS, 1000, i * INT64_C(100000000));
        }
    }
    weft_net_run(world.net, HOSTS * HOSTS * INT64_C(100000000));
    ck_assert_uint_eq(world_conclude().total.delivered, HOSTS * (HOSTS - 1) * 2); /* and ACKs */
    ck_assert_uint_le(chunks, 4);
    world_end();
}
END_TEST

START_TEST(a_frame_alone_needs_the_time_of_its_way)
{
    for (uint32_t dst = 1; dst < HOSTS; dst++)
    {
        world_describe(&scenes[0]);
        world.last = 0;
        ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), 0);
        world_post(0, dst, (uint64_t)world.config.frame.payload, 0);
        weft_net_run(world.net, LONG);
        ck_assert_int_eq(world.last,
                         weft_clos_way(&world.clos, 0, dst,
                                       world.config.frame.payload + world.config.frame.header));
        ck_assert_int_eq(weft_net_now(world.net), LONG);
        world_end();
    }
}
END_TEST

START_TEST(a_dead_link_loses_what_is_on_it)
{
    world_begin(&scenes[0]);
    weft_net_run(world.net, 8000000);
    weft_net_set_down(world.net, 0, true); /* host 0's */
    weft_net_run(world.net, LONG);
    ck_assert_uint_gt(world_conclude().total.lost[WEFT_NET_DROP_LINK], 0);
    ck_assert_uint_eq(world.delivered, world.messages - 2); /* to and from host 0 */
    weft_net_set_down(world.net, 0, false);
    weft_net_run(world.net, 10 * LONG);
    ck_assert_uint_eq(world.delivered, world.messages);
    world_end();
}
END_TEST

/* Frames that begin after a repair arrive, whatever rate the link has by then. */
START_TEST(a_link_that_becomes_slower_loses_nothing)
{
    world_begin(&scenes[0]);
    weft_net_run(world.net, 1000000);
    weft_net_set_down(world.net, 0, true);
    weft_net_set_down(world.net, 0, false);
    weft_net_run(world.net, 5400000);
    ck_assert_uint_gt(weft_net_node_counters(world.net, 0)->sent, 0);
    ck_assert_int_eq(weft_net_set_rate(world.net, 0, INT64_C(1000000000)), 0);
    weft_net_run(world.net, 20 * LONG);
    ck_assert_uint_eq(world_conclude().total.lost[WEFT_NET_DROP_LINK], 0);
    ck_assert_uint_eq(world.delivered, world.messages);
    world_end();
}
END_TEST

START_TEST(a_link_without_delay_is_not_faster_than_the_window_allows)
{
    const int64_t rate = INT64_C(100000000000);
    world_describe(&scenes[0]);
    world.clos.host_delay = _i;
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), 0);
    ck_assert_int_eq(weft_net_set_rate(world.net, 0, 2 * rate), _i ? 0 : WEFT_ERANGE);
    ck_assert_int_eq(weft_net_set_rate(world.net, 0, 0), WEFT_ERANGE);
    ck_assert_int_eq(weft_net_set_rate(world.net, 0, rate / 2), 0);
    ck_assert_int_eq(weft_net_set_rate(world.net, 0, rate), 0);
    world_end();
}
END_TEST

START_TEST(a_line_is_shared_by_those_who_begin)
{
    world_describe(&scenes[0]);
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), 0);
    const uint32_t alone = weft_net_bdp(world.net, 0, HOSTS - 1, 1);
    ck_assert_uint_gt(alone, 50);
    ck_assert_uint_eq(weft_net_bdp(world.net, 0, HOSTS - 1, 0), alone);
    ck_assert_uint_eq(weft_net_bdp(world.net, 0, HOSTS - 1, 2), (alone + 1) / 2);
    ck_assert_uint_eq(weft_net_bdp(world.net, 0, HOSTS - 1, 2 * alone), 1);
    world_end();
}
END_TEST

START_TEST(named_drops_are_sent_again)
{
    world_begin(&scenes[0]);
    weft_net_drop(world.net, weft_net_qp(world.net, 3), 5, 2, _i);
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(world_conclude().total.lost[WEFT_NET_DROP_INJECTED], 2);
    ck_assert_uint_eq(world.delivered, world.messages);
    world_end();
}
END_TEST

/* The sender's NIC asks by a probe, for which the host's timer must run out sooner than it was set.
 * */
START_TEST(a_lost_last_packet_waits_for_no_rto)
{
    world_begin(&scenes[0]);
    const uint64_t payload = (uint64_t)world.config.frame.payload;
    const uint32_t packets = (uint32_t)((scenes[0].bytes + payload - 1) / payload);
    weft_net_drop(world.net, weft_net_qp(world.net, 3), packets - 1, 1, false);
    weft_net_run(world.net, INT64_C(500000000)); /* half an RTO */
    ck_assert_uint_eq(world_conclude().total.lost[WEFT_NET_DROP_INJECTED], 1);
    ck_assert_uint_eq(world.delivered, world.messages);
    world_end();
}
END_TEST

/* Runs a fabric where links fail and frames are lost by name, and somebody looks. */
static struct result
run_with_faults(const struct scene *scene, uint32_t threads)
{
    world.threads = threads;
    world_begin(scene);
    weft_net_drop(world.net, weft_net_qp(world.net, 1), 5, 2, true);
    weft_net_run(world.net, 4000000);
    weft_net_set_down(world.net, HOSTS + 3, true);
    weft_net_set_rate(world.net, HOSTS + 9, INT64_C(50000000000));
    weft_net_run(world.net, 9300000);
    weft_net_set_down(world.net, HOSTS + 3, false);
    weft_net_inside(world.net);
    world_run_watched(INT64_C(30000000));
    weft_net_watch(world.net, 0, false);
    for (uint32_t i = 3; i < world.clos.nhosts + world.clos.nswitches; i += 3)
    {
        weft_net_watch(world.net, i, false);
    }
    weft_net_run(world.net, LONG);
    const struct result r = world_conclude();
    world_end();
    world.threads = 0;
    return r;
}

START_TEST(it_is_the_same_on_any_number_of_threads)
{
    const struct result one = run_with_faults(&scenes[_i], 1);
    ck_assert_uint_gt(one.total.delivered, 1000);
    for (uint32_t n = 2; n <= 8; n += n == 2 ? 1 : 5)
    {
        const struct result several = run_with_faults(&scenes[_i], n);
        ck_assert_mem_eq(&one, &several, sizeof one);
    }
}
END_TEST

START_TEST(the_number_of_threads_is_said_once)
{
    world_begin(&scenes[0]);
    ck_assert_int_eq(weft_net_set_threads(world.net, 0), WEFT_ERANGE);
    ck_assert_int_eq(weft_net_set_threads(world.net, WEFT_NET_THREADS + 1), WEFT_ERANGE);
    ck_assert_int_eq(weft_net_set_threads(world.net, 2), 0);
    ck_assert_int_eq(weft_net_set_threads(world.net, 2), WEFT_ERANGE);
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(world.delivered, weft_net_nqps(world.net));
    world_end();
}
END_TEST

/* Many NACKs are owed: they are blocked, and then a packet that comes later on its path passes. */
static struct result
lose_under_middleware(const struct weft_lb_ops *lb)
{
    static const char *const literal[] = {"compensation", "literal", NULL};
    world_begin_with(&scenes[1], lb, literal);
    for (uint32_t i = 0; i < weft_net_nqps(world.net); i++)
    {
        weft_net_drop(world.net, weft_net_qp(world.net, i), 20 + 7 * i, 2, false);
    }
    weft_net_run(world.net, LONG);
    const struct result r = world_conclude();
    world_end();
    return r;
}

START_TEST(middleware_need_not_say_what_it_owes)
{
    const struct weft_lb_ops *themis = weft_lb_find("themis");
    struct weft_tor_ops silent = *themis->tor;
    struct weft_lb_ops lb = *themis;
    silent.owes = NULL;
    lb.tor = &silent;
    const struct result told = lose_under_middleware(themis);
    const struct result untold = lose_under_middleware(&lb);
    ck_assert_uint_gt(told.total.made_by_tors, 0);
    ck_assert_mem_eq(&told, &untold, sizeof told);
}
END_TEST

Suite *net_suite(void);

Suite *
net_suite(void)
{
    const int n = sizeof scenes / sizeof scenes[0];
    Suite *suite = suite_create("net");
    TCase *tcase = tcase_create("net");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, it_is_the_same_however_it_is_run, 0, n);
    tcase_add_loop_test(tcase, it_is_the_same_where_links_to_hosts_are_short, 0, n);
    tcase_add_test(tcase, what_a_hook_asks_of_another_host_comes_there_when_it_can);
    tcase_add_loop_test(tcase, it_is_the_same_where_nodes_are_watched, 0, n);
    tcase_add_loop_test(tcase, it_is_the_same_on_any_number_of_threads, 0, n);
    tcase_add_test(tcase, a_hook_may_post_at_a_host_of_another_thread);
    tcase_add_test(tcase, routes_that_are_watched_are_all_told_and_stay_the_same);
    tcase_add_test(tcase, what_several_hosts_ask_for_at_one_instant_has_an_order);
    tcase_add_test(tcase, what_is_asked_for_happens_whatever_its_number);
    tcase_add_test(tcase, the_number_of_threads_is_said_once);
    tcase_add_test(tcase, packets_of_the_program_go_their_way);
    tcase_add_loop_test(tcase, no_frame_goes_without_a_word, 0, n);
    tcase_add_loop_test(tcase, it_takes_no_memory_once_under_way, 0, n);
    tcase_add_test(tcase, links_that_are_done_lend_their_memory);
    tcase_add_test(tcase, a_frame_alone_needs_the_time_of_its_way);
    tcase_add_test(tcase, a_dead_link_loses_what_is_on_it);
    tcase_add_test(tcase, a_link_that_becomes_slower_loses_nothing);
    tcase_add_loop_test(tcase, a_link_without_delay_is_not_faster_than_the_window_allows, 0, 2);
    tcase_add_test(tcase, a_line_is_shared_by_those_who_begin);
    tcase_add_loop_test(tcase, named_drops_are_sent_again, 0, 2);
    tcase_add_test(tcase, a_lost_last_packet_waits_for_no_rto);
    tcase_add_test(tcase, middleware_need_not_say_what_it_owes);
    suite_add_tcase(suite, tcase);
    return suite;
}

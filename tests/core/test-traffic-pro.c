/* SPDX-License-Identifier: MIT */
/*
 * PRO's traffic: a ring over all hosts in random order, two binary trees over them, all-to-alls of
 * which a host has so many messages under way. If these fail, the paper's figures are drawn from
 * traffic that it did not send, or a slowdown is measured against a bound that a run can beat.
 */
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/rng.h>
#include <weft/theory.h>
#include <weft/traffic.h>

#include "must.h"
#include "refused.h"
#include "traffic-rig.h"

Suite *traffic_pro_suite(void);

static struct weft_hosts hosts;

static void
choose(const char *name, uint32_t nhosts, const char *placement)
{
    traffic_choose(name);
    traffic_set("bytes", "1MB");
    traffic_set("placement", placement);
    hosts = (struct weft_hosts){.n = nhosts, .per_tor = 1, .per_pod = nhosts};
}

/* 100 Gb/s, 1 us, 1500 + 62 + 20 B, 4 links. */
static const struct weft_bound_case one_of = {
    .wire = {1500, 62, 20, 64, INT64_C(100000000000), 1000000, 4},
    .pace = INT64_C(100000000000),
};

/* Two messages on a wire, the first frame of which has three links behind it. */
#define BOTH ((2 * (666 * 1582 + 1082) - 20) * 80 + 3 * 1562 * 80 + 4 * 1000000)
/* A short last frame may pass those links instead. */
#define LEAVE ((2 * (666 * 1582 + 1082) - 20) * 80 + 3 * 1062 * 80 + 4 * 1000000)
/* A lone message: its last full frame is on its way for longer than the short one behind it. */
#define ONE ((665 * 1582 + 1562) * 80 + 3 * 1562 * 80 + 4 * 1000000)
/* The ACK. */
#define ANSWER (4 * (64 * 80 + 1000000))

static int64_t
bound(const struct weft_bound_case *of)
{
    ck_assert_int_eq(ops->size(&config, &hosts, &size), 0);
    return ops->bound(&config, &hosts, of);
}

static int64_t
acked_bound(bool ideal)
{
    struct weft_bound_case of = one_of;
    of.acked = 1;
    of.ideal_acks = ideal;
    return bound(&of);
}

/* --- ring ------------------------------------------------------------------------------------- */

/* The host to which each host sends. */
static void
receivers(uint32_t *to)
{
    ck_assert_uint_eq(size.nmessages, hosts.n);
    for (uint32_t i = 0; i < hosts.n; i++)
    {
        to[i] = UINT32_MAX;
    }
    for (uint32_t i = 0; i < hosts.n; i++)
    {
        MUST(to[messages[i].src] == UINT32_MAX && messages[i].dst < hosts.n);
        to[messages[i].src] = messages[i].dst;
    }
}

START_TEST(ring_in_random_order_is_one_cycle_over_all_hosts)
{
    uint32_t to[128], before[128] = {0}, same = 0;
    choose("ring", 128, "random");
    for (uint64_t run = 0; run < 50; run++)
    {
        uint32_t length = 1;
        traffic_build(&hosts, run);
        receivers(to);
        for (uint32_t host = to[0]; host != 0; host = to[host])
        {
            MUST(length++ < 128);
        }
        ck_assert_uint_eq(length, 128);
        for (uint32_t i = 0; i < 128; i++)
        {
            same += to[i] == before[i];
        }
        memcpy(before, to, sizeof before);
    }
    ck_assert_uint_lt(same, 150); /* one in a run is to be expected */
}
END_TEST

/* Four hosts have six cycles; 3,000 runs, 4.5 standard deviations around 500 each. */
START_TEST(every_ring_is_as_likely)
{
    int count[256] = {0}, kinds = 0;
    choose("ring", 4, "random");
    for (uint64_t run = 0; run < 3000; run++)
    {
        uint32_t to[4];
        traffic_build(&hosts, run);
        receivers(to);
        count[((to[0] * 4 + to[1]) * 4 + to[2]) * 4 + to[3]]++;
    }
    for (int i = 0; i < 256; i++)
    {
        kinds += count[i] > 0;
        MUST(count[i] == 0 || abs(count[i] - 500) < 92);
    }
    ck_assert_int_eq(kinds, 6);
}
END_TEST

START_TEST(bound_of_a_ring_is_one_message)
{
    struct weft_bound_case of = one_of;
    choose("ring", 16, "random");
    ck_assert_int_eq(bound(&of), ONE);
    of.partial = 1;
    ck_assert_int_eq(bound(&of), ONE);
    ck_assert_int_eq(acked_bound(false), -1);
}
END_TEST

/* --- tree ------------------------------------------------------------------------------------- */

/* NCCL's trees of 14 ranks, as drawn in its source, and of 5: children and their parents. */
START_TEST(tree_sends_over_every_edge_of_both_trees_once)
{
    static const uint32_t parent[] = {0, 2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12};
    static const uint32_t odd[][2] = {{1, 2}, {2, 4}, {3, 2}, {4, 0},
                                      {2, 3}, {3, 0}, {4, 3}, {0, 1}};
    for (int down = 0; down < 2; down++)
    {
        choose("tree", 14, "blocked");
        traffic_set("direction", down ? "broadcast" : "reduce");
        traffic_build(&hosts, 0);
        ck_assert_uint_eq(size.nmessages, 26);
        ck_assert_uint_eq(size.nqps, 26);
        for (uint32_t i = 0; i < 26; i++)
        {
            const struct weft_message *m = &messages[i];
            const uint32_t v = i % 13 + 1;
            const uint32_t child = i < 13 ? v : 13 - v, above = i < 13 ? parent[v] : 13 - parent[v];
            ck_assert_uint_eq(m->src, down ? above : child);
            ck_assert_uint_eq(m->dst, down ? child : above);
            MUST(m->bytes == 1000000 && m->qp == i && m->waits == 0 && m->nnext == 0);
        }
    }
    choose("tree", 5, "blocked");
    traffic_build(&hosts, 0);
    for (uint32_t i = 0; i < 8; i++)
    {
        ck_assert_uint_eq(messages[i].src, odd[i][0]);
        ck_assert_uint_eq(messages[i].dst, odd[i][1]);
    }
}
END_TEST

/* Else a host's wire is the bottleneck, whatever the balancer does. */
START_TEST(no_host_sends_or_receives_more_than_two_messages)
{
    for (uint32_t n = 2; n <= 64; n++)
    {
        uint32_t out[64] = {0}, in[64] = {0};
        choose("tree", n, "random");
        traffic_set("direction", n % 3 ? "reduce" : "broadcast");
        traffic_build(&hosts, n);
        for (uint32_t i = 0; i < size.nmessages; i++)
        {
            MUST(messages[i].src != messages[i].dst);
            MUST(++out[messages[i].src] <= 2 && ++in[messages[i].dst] <= 2);
        }
        for (uint32_t i = 0; i < n; i++)
        {
            MUST(out[i] + in[i] > 0);
        }
    }
}
END_TEST

START_TEST(trees_are_placed_at_random_in_every_run)
{
    uint32_t first[254], same = 0;
    choose("tree", 128, "random");
    traffic_build(&hosts, 1);
    for (uint32_t i = 0; i < 254; i++)
    {
        first[i] = messages[i].src;
    }
    traffic_build(&hosts, 1);
    for (uint32_t i = 0; i < 254; i++)
    {
        ck_assert_uint_eq(messages[i].src, first[i]);
    }
    traffic_build(&hosts, 2);
    for (uint32_t i = 0; i < 254; i++)
    {
        same += messages[i].src == first[i];
    }
    ck_assert_uint_lt(same, 16); /* two are to be expected */
}
END_TEST

/* Ranks whose contributions a rank has in each tree; for a broadcast, whether it has the data. */
static uint32_t got[2][32];

static void
send(uint32_t i, bool down)
{
    const struct weft_message *m = &messages[i];
    const uint32_t tree = i / (hosts.n - 1);
    if (down)
    {
        MUST(got[tree][m->src] == 1 && got[tree][m->dst] == 0);
        got[tree][m->dst] = 1;
        return;
    }
    MUST((got[tree][m->dst] & got[tree][m->src]) == 0);
    got[tree][m->dst] |= got[tree][m->src];
}

/* Delivers in a random order whatever may go. */
static void
deliver_all(bool down)
{
    uint32_t ready[62], nready = 0, done = 0;
    struct weft_rng rng;
    weft_rng_seed(&rng, 9, 9, hosts.n);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        ready[nready] = i;
        nready += messages[i].waits == 0;
    }
    for (; nready > 0; done++)
    {
        const uint32_t k = weft_rng_below(&rng, nready);
        const struct weft_message *m = &messages[ready[k]];
        send(ready[k], down);
        ready[k] = ready[--nready];
        for (uint32_t s = 0; s < m->nnext; s++)
        {
            const uint32_t after = next[m->first_next + s];
            MUST(messages[after].src == m->dst && messages[after].step > m->step);
            ready[nready] = after;
            nready += --messages[after].waits == 0;
        }
    }
    ck_assert_uint_eq(done, size.nmessages);
}

START_TEST(with_waits_a_root_gets_all_and_gives_all)
{
    for (uint32_t n = 2; n <= 31; n++)
    {
        const uint32_t roots[] = {0, n % 2 ? 1 : n - 1};
        for (int down = 0; down < 2; down++)
        {
            choose("tree", n, "blocked");
            traffic_set("direction", down ? "broadcast" : "reduce");
            traffic_set("waits", "on");
            traffic_build(&hosts, 0);
            for (uint32_t i = 0; i < 2 * n; i++)
            {
                got[i / n][i % n] = down ? i % n == roots[i / n] : 1U << i % n;
            }
            deliver_all(down);
            for (uint32_t i = 0; i < 2 * n; i++)
            {
                const uint32_t all = down ? 1 : (1U << n) - 1;
                MUST(got[i / n][i % n] == all || (!down && i % n != roots[i / n]));
            }
        }
    }
}
END_TEST

START_TEST(steps_of_a_tree_are_its_levels)
{
    choose("tree", 14, "blocked");
    traffic_set("waits", "on");
    traffic_set("compute", "7us");
    traffic_build(&hosts, 0);
    ck_assert_uint_eq(size.nsteps, 4);
    ck_assert_uint_eq(messages[8 - 1].step, 3); /* 8 to the root */
    ck_assert_uint_eq(messages[13 - 1].step, 0);
    MUST(messages[8 - 1].delayed && messages[8 - 1].start == 7000000);
    MUST(!messages[13 - 1].delayed && messages[13 - 1].start == 0);
    traffic_set("direction", "broadcast");
    traffic_build(&hosts, 0);
    ck_assert_uint_eq(size.nsteps, 4);
    ck_assert_uint_eq(messages[8 - 1].step, 0);
    ck_assert_uint_eq(messages[9 - 1].step, 3); /* by way of 8, 12 and 10 */
    MUST(!messages[8 - 1].delayed && messages[9 - 1].delayed);
    traffic_set("waits", "off");
    traffic_build(&hosts, 0);
    ck_assert_uint_eq(size.nsteps, 1);
    MUST(!messages[9 - 1].delayed && messages[9 - 1].start == 0);
}
END_TEST

START_TEST(bound_of_a_tree_is_two_messages)
{
    struct weft_bound_case of = one_of;
    choose("tree", 16, "random");
    ck_assert_int_eq(bound(&of), BOTH);
    traffic_set("direction", "broadcast");
    ck_assert_int_eq(bound(&of), BOTH);
    ck_assert_int_eq(acked_bound(true), BOTH + ANSWER);
    /* Data and ACKs of two messages, 667 packets each; three links before them. */
    const int64_t wire = (2 * (666 * 1582 + 1082) + 2 * 667 * 84 - 20) * 80;
    ck_assert_int_eq(acked_bound(false), wire + 3 * 1062 * 80 + 4 * 1000000);
    of.partial = 1;
    ck_assert_int_eq(bound(&of), -1);
    hosts.n = 3; /* nobody sends two messages and receives two */
    ck_assert_int_eq(acked_bound(false), BOTH + ANSWER);
    hosts.n = 2;
    ck_assert_int_eq(bound(&one_of), (666 * 1582 + 1062) * 80 + 3 * 1562 * 80 + 4 * 1000000);
}
END_TEST

START_TEST(bound_of_a_tree_with_waits_is_its_longest_chain)
{
    struct weft_bound_case of = one_of;
    choose("tree", 4, "blocked");
    traffic_set("waits", "on");
    ck_assert_int_eq(bound(&of), BOTH + ONE); /* 1 and 3 to 2, 2 to 0 */
    traffic_set("compute", "5us");
    ck_assert_int_eq(bound(&of), BOTH + 5000000 + ONE);
    ck_assert_int_eq(acked_bound(false), BOTH + 5000000 + ONE + ANSWER);
    traffic_set("direction", "broadcast");
    ck_assert_int_eq(bound(&of), LEAVE + 5000000 + ONE);
    hosts.n = 5; /* 0 to 4 to 2 to both 1 and 3 */
    ck_assert_int_eq(bound(&of), LEAVE + 2 * (5000000 + ONE));
    traffic_set("compute", "0s");
    hosts.n = 6; /* of 4's children 2 has two more below it, 5 nothing */
    ck_assert_int_eq(bound(&of), LEAVE + 2 * ONE);
    hosts.n = 8; /* but 6 as much as 2 */
    ck_assert_int_eq(bound(&of), 2 * LEAVE + ONE);
    traffic_set("bytes", "1000000GB");
    of.wire.rate = 1000000;
    ck_assert_int_eq(bound(&of), WEFT_NEVER);
}
END_TEST

START_TEST(trees_of_too_few_or_too_many_are_refused)
{
    choose("tree", 9, "blocked");
    traffic_set("groups", "2");
    ck_assert_int_eq(ops->size(&config, &hosts, &size), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(size_refused(ops, &config, &hosts), "do not divide"));
    hosts.n = 2;
    ck_assert_ptr_nonnull(strstr(size_refused(ops, &config, &hosts), "a group needs 2 hosts"));
    hosts.n = WEFT_MAX_MESSAGES / 2;
    ck_assert_int_eq(ops->size(&config, &hosts, &size), 0);
    hosts.n = WEFT_MAX_MESSAGES;
    ck_assert_int_eq(ops->size(&config, &hosts, &size), WEFT_EOVERFLOW);
}
END_TEST

/* --- all-to-all ------------------------------------------------------------------------------- */

/* A rank has the messages of 15 others: i + 4 waits for i, and for nothing else. */
START_TEST(a_message_begins_when_the_one_so_many_before_it_has_ended)
{
    choose("alltoall", 64, "random");
    traffic_set("groups", "4");
    traffic_set("concurrency", "4");
    for (int pair = 0; pair < 2; pair++)
    {
        traffic_set("scope", pair ? "pair" : "total");
        traffic_build(&hosts, 3);
        ck_assert_uint_eq(size.nmessages, 64 * 15);
        ck_assert_uint_eq(size.nsteps, 4);
        for (uint32_t i = 0; i < size.nmessages; i++)
        {
            const struct weft_message *m = &messages[i];
            const uint32_t number = i % 15;
            MUST(m->waits == (number >= 4) && m->nnext == (number + 4 < 15));
            MUST(m->step == number / 4 && m->bytes == (pair ? 1000000 : 62500));
            MUST(m->nnext == 0 || next[m->first_next] == i + 4);
            MUST(m->nnext == 0 || messages[i + 4].src == m->src);
        }
    }
}
END_TEST

/* Messages to 4 others, 3, 2 or 1 at a time: 3 + 1, 2 + 2, 1 + 1 + 1 + 1. */
START_TEST(steps_of_an_alltoall_are_its_turns)
{
    static const char *const windows[] = {"3", "2", "1"};
    static const uint32_t turns[] = {2, 2, 4};
    choose("alltoall", 5, "interleaved");
    for (int i = 0; i < 3; i++)
    {
        uint32_t last = 0;
        traffic_set("concurrency", windows[i]);
        traffic_build(&hosts, 0);
        for (uint32_t k = 0; k < size.nmessages; k++)
        {
            last = messages[k].step > last ? messages[k].step : last;
        }
        ck_assert_uint_eq(size.nsteps, turns[i]);
        ck_assert_uint_eq(last + 1, turns[i]);
    }
}
END_TEST

/* The results of all present scenarios rest on it. */
START_TEST(nothing_waits_where_all_may_go_at_once)
{
    static const char *const all[] = {"15", "16", "1048575"};
    struct weft_message plain[16 * 15];
    choose("alltoall", 16, "interleaved");
    traffic_build(&hosts, 0);
    ck_assert_uint_eq(size.nmessages, 16 * 15);
    memcpy(plain, messages, sizeof plain);
    for (int i = 0; i < 3; i++)
    {
        traffic_set("concurrency", all[i]);
        traffic_build(&hosts, 0);
        MUST(size.nnext == 0 && size.nsteps == 1);
        for (uint32_t k = 0; k < size.nmessages; k++)
        {
            const struct weft_message *m = &messages[k];
            MUST(m->src == plain[k].src && m->dst == plain[k].dst && m->step == plain[k].step);
            MUST(m->bytes == plain[k].bytes && m->waits == 0 && m->nnext == 0);
        }
    }
}
END_TEST

START_TEST(bound_of_an_alltoall_one_by_one_is_that_of_its_turns)
{
    const struct weft_bound_case *of = &one_of;
    choose("alltoall", 4, "blocked");
    traffic_set("scope", "pair");
    const int64_t at_once = bound(of);
    ck_assert_int_eq(at_once, weft_alltoall_bound(&of->wire, 4, 4000000));
    const int64_t at_once_acked = acked_bound(false);
    traffic_set("concurrency", "3");
    ck_assert_int_eq(bound(of), at_once);
    ck_assert_int_eq(acked_bound(false), at_once_acked);
    traffic_set("concurrency", "2"); /* two turns take no longer than three messages on a wire */
    ck_assert_int_eq(bound(of), at_once);
    traffic_set("concurrency", "1");
    ck_assert_int_eq(bound(of), 3 * (int64_t)ONE + 2 * ANSWER);
    ck_assert_int_eq(acked_bound(true), 3 * (int64_t)(ONE + ANSWER));
    traffic_set("concurrency", "2");
    traffic_set("bytes", "1500B"); /* but where the way is long and messages are short */
    ck_assert_int_eq(bound(of), 2 * 4 * (1562 * 80 + 1000000) + ANSWER);
}
END_TEST

Suite *
traffic_pro_suite(void)
{
    Suite *suite = suite_create("traffic-pro");
    TCase *tcase = tcase_create("traffic-pro");
    tcase_add_checked_fixture(tcase, NULL, traffic_forget);
    tcase_add_test(tcase, ring_in_random_order_is_one_cycle_over_all_hosts);
    tcase_add_test(tcase, every_ring_is_as_likely);
    tcase_add_test(tcase, bound_of_a_ring_is_one_message);
    tcase_add_test(tcase, tree_sends_over_every_edge_of_both_trees_once);
    tcase_add_test(tcase, no_host_sends_or_receives_more_than_two_messages);
    tcase_add_test(tcase, trees_are_placed_at_random_in_every_run);
    tcase_add_test(tcase, with_waits_a_root_gets_all_and_gives_all);
    tcase_add_test(tcase, steps_of_a_tree_are_its_levels);
    tcase_add_test(tcase, bound_of_a_tree_is_two_messages);
    tcase_add_test(tcase, bound_of_a_tree_with_waits_is_its_longest_chain);
    tcase_add_test(tcase, trees_of_too_few_or_too_many_are_refused);
    tcase_add_test(tcase, a_message_begins_when_the_one_so_many_before_it_has_ended);
    tcase_add_test(tcase, steps_of_an_alltoall_are_its_turns);
    tcase_add_test(tcase, nothing_waits_where_all_may_go_at_once);
    tcase_add_test(tcase, bound_of_an_alltoall_one_by_one_is_that_of_its_turns);
    suite_add_tcase(suite, tcase);
    return suite;
}

/* SPDX-License-Identifier: MIT */
/*
 * Workloads that the OFAN paper asks for: permutations between pods, senders with random phases,
 * servers at random places, phase after phase of sharded training. If these fail, figures compare
 * balancers on traffic that the paper did not send.
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

Suite *traffic_ofan_suite(void);

static struct weft_hosts hosts;

static void
choose(const char *name, uint32_t nhosts, uint32_t per_pod)
{
    traffic_choose(name);
    traffic_set("bytes", "1MB");
    hosts.n = nhosts;
    hosts.per_tor = 1;
    hosts.per_pod = per_pod;
}

/* Receivers of hosts 0, 1, ... as digits. */
static uint32_t
key(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < hosts.n; i++)
    {
        uint32_t place = 1;
        for (uint32_t j = 0; j < messages[i].src; j++)
        {
            place *= hosts.n;
        }
        sum += place * messages[i].dst;
    }
    return sum;
}

/* Pearson's statistic of the permutations of many runs against a uniform one over @p kinds. */
static double
chi_square(uint32_t kinds, uint32_t per_kind)
{
    static uint32_t count[46656];
    uint32_t seen = 0;
    double sum = 0;
    memset(count, 0, sizeof count);
    for (uint64_t run = 0; run < (uint64_t)kinds * per_kind; run++)
    {
        traffic_build(&hosts, run);
        MUST(key() < sizeof count / sizeof count[0]);
        seen += count[key()]++ == 0;
    }
    ck_assert_uint_eq(seen, kinds);
    for (uint32_t i = 0; i < sizeof count / sizeof count[0]; i++)
    {
        double off = count[i] ? (double)count[i] - per_kind : 0;
        sum += off * off / per_kind;
    }
    return sum;
}

/*
 * Hosts {0,1} {2,3} {4,5}: 80 permutations leave every pod (8 + 64 + 8: how many of pod 0 go to pod
 * 1 decides the rest). Swaps of two receivers alone never get from one of the three classes to
 * another. Limits are 4 standard deviations of chi-square above its mean.
 */
START_TEST(inter_pod_is_uniform_over_what_leaves_every_pod)
{
    choose("permutation", 6, 2);
    traffic_set("pattern", "inter-pod");
    ck_assert_double_lt(chi_square(80, 100), 79 + 4 * 12.6);
    choose("permutation", 4, 2);
    traffic_set("pattern", "inter-pod");
    ck_assert_double_lt(chi_square(4, 1000), 3 + 4 * 2.5);
    choose("permutation", 3, 1);
    traffic_set("pattern", "inter-pod");
    ck_assert_double_lt(chi_square(2, 1000), 1 + 4 * 1.5);
    choose("permutation", 5, 1); /* pods of one host: the derangements */
    traffic_set("pattern", "inter-pod");
    ck_assert_double_lt(chi_square(44, 100), 43 + 4 * 9.3);
}
END_TEST

/* Pods of 16 hosts, 8 of them; each of the 56 ordered pairs of pods gets 16 / 7 flows on average.
 * */
START_TEST(inter_pod_leaves_every_pod_and_everyone_receives_once)
{
    static uint32_t flows[8][8];
    memset(flows, 0, sizeof flows);
    choose("permutation", 128, 16);
    traffic_set("pattern", "inter-pod");
    for (uint64_t run = 0; run < 400; run++)
    {
        uint8_t received[128] = {0};
        traffic_set("groups", run % 2 ? "1" : "4");
        traffic_build(&hosts, run);
        for (uint32_t i = 0; i < 128; i++)
        {
            const struct weft_message *m = &messages[i];
            MUST(m->src / 16 != m->dst / 16 && received[m->dst]++ == 0);
            MUST(m->src % size.ngroups == m->dst % size.ngroups);
            flows[m->src / 16][m->dst / 16]++;
        }
    }
    for (uint32_t i = 0; i < 64; i++)
    {
        uint32_t n = flows[i / 8][i % 8];
        MUST(i / 8 == i % 8 ? n == 0 : n > 914 - 120 && n < 914 + 120);
    }
}
END_TEST

START_TEST(inter_pod_is_refused_with_the_reason_where_a_pod_holds_too_much)
{
    choose("permutation", 16, 16);
    traffic_set("pattern", "inter-pod");
    ck_assert_int_eq(ops->size(&config, &hosts, &size), WEFT_ERANGE);
    ck_assert_ptr_nonnull(
        strstr(size_refused(ops, &config, &hosts), "is one pod, and so is a graph"));
    hosts.per_pod = 8;
    ck_assert_int_eq(ops->size(&config, &hosts, &size), 0);
    traffic_set("groups", "4");
    ck_assert_int_eq(ops->size(&config, &hosts, &size), 0);
    traffic_set("placement", "blocked"); /* each group lies within one pod */
    ck_assert_int_eq(ops->size(&config, &hosts, &size), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(size_refused(ops, &config, &hosts), "at least two pods"));
    traffic_set("groups", "3");
    ck_assert_int_eq(ops->size(&config, &hosts, &size), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(size_refused(ops, &config, &hosts), "do not divide"));
    traffic_set("placement", "random");
    ck_assert_ptr_nonnull(ops->algo.check(&config));
}
END_TEST

/* A ring over four random hosts is one of six cycles. */
START_TEST(random_placement_is_uniform_and_keeps_the_graph)
{
    choose("ring", 4, 4);
    traffic_set("placement", "random");
    ck_assert_double_lt(chi_square(6, 1000), 5 + 4 * 3.2);
    choose("alltoall", 12, 12);
    traffic_set("groups", "3");
    traffic_set("placement", "random");
    traffic_build(&hosts, 0);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        for (uint32_t j = 0; j < size.nmessages; j++)
        {
            bool same = messages[i].group == messages[j].group;
            MUST(same || messages[i].src != messages[j].src); /* a host is in one group */
            MUST(same || messages[i].src != messages[j].dst);
        }
    }
}
END_TEST

/* Dependencies stay as they are: only the hosts change, one for one. */
START_TEST(random_placement_renames_the_hosts_of_the_blocked_one)
{
    static struct weft_message blocked[4096];
    uint32_t name[16];
    bool moved = false;
    choose("allreduce-ring", 16, 16);
    traffic_set("groups", "2");
    traffic_set("placement", "blocked");
    traffic_build(&hosts, 3);
    memcpy(blocked, messages, size.nmessages * sizeof *messages);
    traffic_set("placement", "random");
    traffic_build(&hosts, 3);
    memset(name, 0xff, sizeof name);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        uint32_t *src = &name[blocked[i].src];
        *src = *src == UINT32_MAX ? messages[i].src : *src;
        MUST(messages[i].src == *src && messages[i].group == blocked[i].group);
        MUST(messages[i].waits == blocked[i].waits && messages[i].nnext == blocked[i].nnext);
        moved = moved || messages[i].src != blocked[i].src;
    }
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        MUST(messages[i].dst == name[blocked[i].dst]);
    }
    ck_assert(moved);
}
END_TEST

/* A common start kills JSQ's linear growth; phases within a packet's time are what the paper has.
 */
START_TEST(every_host_starts_at_its_own_random_time_below_the_spread)
{
    double sum = 0;
    double squares = 0;
    choose("alltoall", 32, 32);
    traffic_set("start", "5us");
    traffic_set("spread", "41.78ns");
    for (uint64_t run = 0; run < 100; run++)
    {
        traffic_build(&hosts, run);
        for (uint32_t i = 0; i < size.nmessages; i++)
        {
            double late = (double)(messages[i].start - 5000000);
            MUST(late >= 0 && late < 41780);
            MUST(i % 31 == 0 || messages[i].start == messages[i - 1].start);
            sum += i % 31 == 0 ? late / 41780 : 0;
            squares += i % 31 == 0 ? late / 41780 * (late / 41780) : 0;
        }
    }
    ck_assert_double_eq_tol(sum / 3200, 0.5, 0.02);
    ck_assert_double_eq_tol(squares / 3200, 1.0 / 3, 0.02);
    traffic_set("spread", "0s");
    traffic_build(&hosts, 0);
    ck_assert_int_eq(messages[0].start, 5000000);
    traffic_set("spread", "1000s");
    traffic_build(&hosts, 0);
    ck_assert_int_gt(messages[0].start, 5000000);
}
END_TEST

static uint32_t gpus;
static uint32_t layers;

/* The logical GPU from which logical GPU @p i receives. */
static uint32_t
before(uint32_t i)
{
    return (i + hosts.n - gpus) % hosts.n;
}

/* Without a barrier: phase l + 1 of GPU i waits for two, its own message of phase l and the one it
 * receives. */
static void
check_neighbours(void)
{
    uint8_t *got = (uint8_t *)calloc(size.nmessages, 1);
    MUST(got);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        const struct weft_message *m = &messages[i];
        MUST(m->qp == i / layers && m->step == i % layers && m->group == 0 && m->barrier == 0);
        MUST(m->waits == (m->step ? 2 : 0) && m->nnext == (m->step + 1 < layers ? 2 : 0));
        for (uint32_t k = 0; k < m->nnext; k++)
        {
            uint32_t to = next[m->first_next + k];
            MUST(to % layers == m->step + 1);
            got[to] |= to / layers == m->qp ? 1 : 0;
            got[to] |= before(to / layers) == m->qp ? 2 : 0;
        }
    }
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        MUST(got[i] == (i % layers ? 3 : 0));
    }
    free(got);
}

/* With it: every message of a later phase waits for the barrier, and for nothing else. */
static void
check_barriers(int64_t begins)
{
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        const struct weft_message *m = &messages[i];
        MUST(m->qp == i / layers && m->step == i % layers && m->group == 0);
        MUST(m->barrier == (m->step > 0) && m->waits == m->barrier && m->nnext == 0);
        /* Every phase has the first one's random starts, counted from its own beginning. */
        MUST(m->start == messages[m->qp * layers].start - (m->step > 0 ? begins : 0));
    }
}

START_TEST(fsdp_runs_parallel_rings_over_whole_servers)
{
    choose("fsdp", 1024, 64);
    ck_assert_int_eq(weft_config_preset(&ops->algo, &config, "llama-405b"), 0);
    gpus = 8;
    layers = 126;
    traffic_build(&hosts, 7);
    ck_assert_uint_eq(size.nmessages, 1024 * 126);
    ck_assert_uint_eq(size.nqps, 1024);
    check_barriers(0);
    traffic_set("start", "10us");
    traffic_set("spread", "41.78ns");
    traffic_build(&hosts, 7);
    check_barriers(10000000);
    for (uint32_t i = 0; i < 1024; i++)
    {
        const struct weft_message *m = &messages[i * layers];
        MUST(m->src % 8 == i % 8 && m->dst % 8 == i % 8); /* GPU r of a server talks to GPU r */
        MUST(m->src / 8 == messages[i / 8 * 8 * layers].src / 8); /* servers stay together */
        MUST(m->dst == messages[(i + 8) % 1024 * layers].src);    /* and the rings close */
        MUST(m->src != m->dst);
    }
}
END_TEST

/* Three servers have two cyclic orders. */
START_TEST(fsdp_places_servers_uniformly)
{
    choose("fsdp", 3, 3);
    traffic_set("gpus", "1");
    ck_assert_double_lt(chi_square(2, 2000), 1 + 4 * 1.5);
    traffic_set("placement", "blocked");
    traffic_build(&hosts, 5);
    for (uint32_t i = 0; i < 3; i++)
    {
        ck_assert_uint_eq(messages[i].src, i);
        ck_assert_uint_eq(messages[i].dst, (i + 1) % 3);
    }
}
END_TEST

START_TEST(fsdp_without_a_barrier_waits_for_neighbours)
{
    choose("fsdp", 2, 2); /* two servers: each waits for the other's */
    traffic_set("gpus", "1");
    traffic_set("layers", "3");
    traffic_set("barrier", "off");
    gpus = 1;
    layers = 3;
    traffic_build(&hosts, 0);
    check_neighbours();
    hosts.n = 24;
    traffic_set("gpus", "4");
    traffic_set("layers", "7");
    gpus = 4;
    layers = 7;
    traffic_build(&hosts, 3);
    check_neighbours();
    traffic_set("layers", "1"); /* nothing to wait for */
    layers = 1;
    traffic_build(&hosts, 3);
    check_neighbours();
}
END_TEST

START_TEST(fsdp_presets_are_the_papers_packets)
{
    static const struct
    {
        const char *name;
        uint32_t packets, layers;
    } models[] = {{"llama-7b", 104, 32}, {"llama-70b", 418, 80}, {"llama-405b", 1570, 126}};
    for (int i = 0; i < 3; i++)
    {
        choose("fsdp", 16, 16);
        ck_assert_int_eq(weft_config_preset(&ops->algo, &config, models[i].name), 0);
        traffic_build(&hosts, 0);
        ck_assert_uint_eq(messages[0].bytes, UINT64_C(4096) * models[i].packets);
        ck_assert_uint_eq(size.nmessages, 16 * models[i].layers);
    }
}
END_TEST

START_TEST(fsdp_refuses_what_is_not_whole_servers)
{
    choose("fsdp", 12, 12);
    ck_assert_int_eq(ops->size(&config, &hosts, &size), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(size_refused(ops, &config, &hosts), "whole servers"));
    hosts.n = 8; /* one server has nobody to send to */
    ck_assert_int_eq(ops->size(&config, &hosts, &size), WEFT_ERANGE);
    hosts.n = 16;
    ck_assert_int_eq(ops->size(&config, &hosts, &size), 0);
    hosts.n = 1 << 20;
    traffic_set("layers", "16");
    ck_assert_int_eq(ops->size(&config, &hosts, &size), 0);
    traffic_set("layers", "17");
    ck_assert_int_eq(ops->size(&config, &hosts, &size), WEFT_EOVERFLOW);
    hosts.n = UINT32_MAX - 7;
    ck_assert_int_eq(ops->size(&config, &hosts, &size), WEFT_EOVERFLOW);
}
END_TEST

Suite *
traffic_ofan_suite(void)
{
    Suite *suite = suite_create("traffic-ofan");
    TCase *tc = tcase_create("traffic-ofan");
    tcase_add_checked_fixture(tc, NULL, traffic_forget);
    tcase_add_test(tc, inter_pod_is_uniform_over_what_leaves_every_pod);
    tcase_add_test(tc, inter_pod_leaves_every_pod_and_everyone_receives_once);
    tcase_add_test(tc, inter_pod_is_refused_with_the_reason_where_a_pod_holds_too_much);
    tcase_add_test(tc, random_placement_is_uniform_and_keeps_the_graph);
    tcase_add_test(tc, random_placement_renames_the_hosts_of_the_blocked_one);
    tcase_add_test(tc, every_host_starts_at_its_own_random_time_below_the_spread);
    tcase_add_test(tc, fsdp_runs_parallel_rings_over_whole_servers);
    tcase_add_test(tc, fsdp_places_servers_uniformly);
    tcase_add_test(tc, fsdp_without_a_barrier_waits_for_neighbours);
    tcase_add_test(tc, fsdp_presets_are_the_papers_packets);
    tcase_add_test(tc, fsdp_refuses_what_is_not_whole_servers);
    suite_add_tcase(suite, tc);
    return suite;
}

/* SPDX-License-Identifier: MIT */
/*
 * Workloads. If these fail, a collective hangs, or ends without every rank having what the
 * collective promises, and completion times mean nothing.
 */
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/rng.h>
#include <weft/traffic.h>

#include "refused.h"
#include "traffic-rig.h"

Suite *traffic_suite(void);

static void
choose(const char *name, const char *bytes, const char *groups)
{
    traffic_choose(name);
    traffic_set("bytes", bytes);
    traffic_set("groups", groups);
}

/* Returns a pod of n hosts, four at each ToR. */
static const struct weft_hosts *
hosts_of(uint32_t n)
{
    static struct weft_hosts hosts;
    hosts.n = n;
    hosts.per_tor = 4;
    hosts.per_pod = n;
    return &hosts;
}

/* Checks what every graph must satisfy, apart from ending (deliver_all sees to that). */
static void
check_graph(uint32_t nhosts)
{
    uint32_t *waits = (uint32_t *)calloc(size.nmessages, sizeof *waits);
    const struct weft_message **of_qp =
        (const struct weft_message **)calloc(size.nqps, sizeof *of_qp);
    uint32_t successors = 0;
    ck_assert(waits && of_qp);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        const struct weft_message *m = &messages[i];
        ck_assert(m->src != m->dst && m->src < nhosts && m->dst < nhosts);
        ck_assert(m->bytes > 0 && m->qp < size.nqps && m->group < size.ngroups);
        ck_assert_int_eq(m->start, config.groups.start);
        of_qp[m->qp] = of_qp[m->qp] ? of_qp[m->qp] : m;
        ck_assert(of_qp[m->qp]->src == m->src && of_qp[m->qp]->dst == m->dst);
        ck_assert_uint_le((uint64_t)m->first_next + m->nnext, size.nnext);
        successors += m->nnext;
        for (uint32_t k = 0; k < m->nnext; k++)
        {
            ck_assert_uint_lt(next[m->first_next + k], size.nmessages);
            waits[next[m->first_next + k]]++;
        }
    }
    ck_assert_uint_eq(successors, size.nnext);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        ck_assert_uint_eq(waits[i], messages[i].waits);
    }
    for (uint32_t q = 0; q < size.nqps; q++)
    {
        ck_assert_ptr_nonnull(of_qp[q]);
    }
    free(waits);
    free(of_qp);
}

/*
 * Delivers messages in a random order that respects waits and the order within a QP; calls back
 * for each. A cycle, or a wait that nobody ends, leaves messages undelivered.
 */
static void
deliver_all(uint64_t stream, void (*delivered)(const struct weft_message *m))
{
    uint32_t *waits = (uint32_t *)calloc(size.nmessages, sizeof *waits);
    uint32_t *ready = (uint32_t *)calloc(size.nmessages, sizeof *ready);
    uint32_t nready = 0;
    uint32_t done = 0;
    struct weft_rng rng;
    ck_assert(waits && ready);
    weft_rng_seed(&rng, 9, 9, stream);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        bool behind = i > 0 && messages[i - 1].qp == messages[i].qp;
        waits[i] = messages[i].waits + (behind ? 1U : 0U);
        ready[nready] = i;
        nready += waits[i] == 0;
    }
    while (nready > 0)
    {
        uint32_t k = weft_rng_below(&rng, nready);
        uint32_t i = ready[k];
        const struct weft_message *m = &messages[i];
        ready[k] = ready[--nready];
        done++;
        delivered(m);
        for (uint32_t s = 0; s < m->nnext; s++)
        {
            uint32_t after = next[m->first_next + s];
            ready[nready] = after;
            nready += --waits[after] == 0;
        }
        if (i + 1 < size.nmessages && messages[i + 1].qp == m->qp)
        {
            ready[nready] = i + 1;
            nready += --waits[i + 1] == 0;
        }
    }
    ck_assert_uint_eq(done, size.nmessages);
    free(waits);
    free(ready);
}

#define MAX_RANKS 16U

/* Allreduce by hand: who has contributed to chunk c at rank r of group g. */
static uint32_t has[4][MAX_RANKS][MAX_RANKS];
static uint32_t ranks;

static uint32_t
rank_of(uint32_t host)
{
    return config.groups.placement == WEFT_BLOCKED ? host % ranks : host / size.ngroups;
}

static void
reduce_or_gather(const struct weft_message *m)
{
    uint32_t from = rank_of(m->src);
    uint32_t to = rank_of(m->dst);
    uint32_t chunk = (from + 2 * ranks - m->step) % ranks;
    uint32_t sent = has[m->group][from][chunk];
    uint32_t *mine = &has[m->group][to][chunk];
    if (m->step < ranks - 1)
    {
        ck_assert_uint_eq(*mine & sent, 0); /* nobody's share is added twice */
        *mine |= sent;
    }
    else
    {
        ck_assert_uint_eq(sent, (1U << ranks) - 1); /* only finished chunks are handed round */
        *mine = sent;
    }
}

static void
start_contributions(void)
{
    memset(has, 0, sizeof has);
    for (uint32_t g = 0; g < size.ngroups; g++)
    {
        for (uint32_t r = 0; r < ranks; r++)
        {
            for (uint32_t c = 0; c < ranks; c++)
            {
                has[g][r][c] = 1U << r;
            }
        }
    }
}

START_TEST(allreduce_leaves_every_rank_with_every_contribution)
{
    for (ranks = 2; ranks <= MAX_RANKS; ranks++)
    {
        choose("allreduce-ring", "300MB", "4");
        traffic_set("placement", ranks % 2 ? "blocked" : "interleaved");
        traffic_build(hosts_of(4 * ranks), 0);
        check_graph(4 * ranks);
        start_contributions();
        deliver_all(ranks, reduce_or_gather);
        for (uint32_t i = 0; i < 4 * ranks * ranks; i++)
        {
            uint32_t g = i / (ranks * ranks);
            ck_assert_uint_eq(has[g][i / ranks % ranks][i % ranks], (1U << ranks) - 1);
        }
    }
}
END_TEST

static uint64_t
total_bytes(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        sum += messages[i].bytes;
    }
    return sum;
}

/* themis §5: 256 NICs in 16 groups of 16, 300 MB. */
START_TEST(byte_sums_equal_the_closed_forms)
{
    choose("allreduce-ring", "300MB", "16");
    traffic_build(hosts_of(256), 0);
    ck_assert_uint_eq(size.nmessages, 256 * 30);
    ck_assert_uint_eq(size.nqps, 256);
    ck_assert_uint_eq(total_bytes(), UINT64_C(256) * 30 * 18750000);
    choose("alltoall", "300MB", "16");
    traffic_build(hosts_of(256), 0);
    ck_assert_uint_eq(size.nmessages, 256 * 15);
    ck_assert_uint_eq(total_bytes(), UINT64_C(256) * 15 * 18750000);
    traffic_set("scope", "pair");
    traffic_build(hosts_of(256), 0);
    ck_assert_uint_eq(total_bytes(), UINT64_C(256) * 15 * 300000000);
    choose("ring", "100MB", "2");
    traffic_build(hosts_of(8), 0);
    ck_assert_uint_eq(total_bytes(), 800000000);
}
END_TEST

START_TEST(parts_are_rounded_up_and_never_empty)
{
    choose("allreduce-ring", "1B", "1");
    traffic_build(hosts_of(16), 0);
    ck_assert_uint_eq(messages[0].bytes, 1);
    traffic_set("bytes", "17B");
    traffic_build(hosts_of(16), 0);
    ck_assert_uint_eq(messages[0].bytes, 2);
    choose("alltoall", "33B", "1");
    traffic_build(hosts_of(16), 0);
    ck_assert_uint_eq(messages[0].bytes, 3);
    traffic_set("bytes", "1000000GB");
    traffic_build(hosts_of(16), 0);
    ck_assert_uint_eq(messages[0].bytes, UINT64_C(62500000000000));
}
END_TEST

static bool seen[64][64];

static void
once(const struct weft_message *m)
{
    ck_assert(!seen[m->src][m->dst]);
    seen[m->src][m->dst] = true;
}

START_TEST(alltoall_serves_every_pair_once_starting_with_the_next_rank)
{
    choose("alltoall", "1MB", "4");
    traffic_set("start", "5us");
    traffic_build(hosts_of(64), 0);
    check_graph(64);
    memset(seen, 0, sizeof seen);
    deliver_all(0, once);
    for (uint32_t i = 0; i < 64 * 64; i++)
    {
        uint32_t src = i / 64;
        uint32_t dst = i % 64;
        ck_assert_int_eq(seen[src][dst], src != dst && src % 4 == dst % 4);
    }
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        uint32_t hop = (messages[i].dst / 4 + 16 - messages[i].src / 4) % 16;
        ck_assert_uint_eq(hop, messages[i].step + 1);
        ck_assert_uint_eq(messages[i].step, i % 15); /* a rank's messages in order of step */
    }
}
END_TEST

/* themis §2.2: {0, 2, 4, 6} and {1, 3, 5, 7}. */
START_TEST(two_interleaved_rings_of_eight_nodes)
{
    choose("ring", "100MB", "2");
    traffic_build(hosts_of(8), 0);
    check_graph(8);
    for (uint32_t i = 0; i < 8; i++)
    {
        ck_assert_uint_eq(messages[i].dst, (messages[i].src + 2) % 8);
        ck_assert_uint_eq(messages[i].group, messages[i].src % 2);
        ck_assert_uint_eq(messages[i].bytes, 100000000);
    }
    traffic_set("placement", "blocked");
    traffic_build(hosts_of(8), 0);
    ck_assert_uint_eq(messages[3].src, 3);
    ck_assert_uint_eq(messages[3].dst, 0);
    ck_assert_uint_eq(messages[7].dst, 4);
}
END_TEST

static void
check_permutation(uint32_t nhosts)
{
    uint8_t received[128] = {0};
    check_graph(nhosts);
    ck_assert_uint_eq(size.nmessages, nhosts);
    for (uint32_t i = 0; i < nhosts; i++)
    {
        ck_assert_uint_eq(received[messages[i].dst]++, 0);
        ck_assert_uint_eq(messages[i].src % size.ngroups, messages[i].dst % size.ngroups);
    }
}

START_TEST(permutation_has_no_fixed_point_and_every_rank_receives_once)
{
    for (uint64_t run = 0; run < 200; run++)
    {
        choose("permutation", "1MB", run % 2 ? "4" : "1");
        traffic_build(hosts_of(128), run);
        check_permutation(128);
    }
    choose("permutation", "1MB", "2");
    traffic_set("pattern", "shift");
    traffic_set("shift", "67");
    traffic_build(hosts_of(128), 0);
    check_permutation(128);
    ck_assert_uint_eq(messages[0].dst, 6); /* rank 67 mod 64 = 3 of group 0 */
}
END_TEST

/* Four ranks have nine derangements; 9,000 runs, four standard deviations around 1,000 each. */
START_TEST(permutation_is_uniform_over_derangements)
{
    static int count[256];
    int kinds = 0;
    memset(count, 0, sizeof count);
    choose("permutation", "1MB", "1");
    for (uint64_t run = 0; run < 9000; run++)
    {
        unsigned key = 0;
        traffic_build(hosts_of(4), run);
        for (uint32_t i = 0; i < 4; i++)
        {
            key = key * 4 + messages[i].dst;
        }
        count[key]++;
    }
    for (int key = 0; key < 256; key++)
    {
        kinds += count[key] > 0;
        ck_assert(count[key] == 0 || abs(count[key] - 1000) < 120);
    }
    ck_assert_int_eq(kinds, 9);
}
END_TEST

START_TEST(permutation_depends_on_seed_run_and_group_only)
{
    uint32_t first[128];
    unsigned same = 0;
    unsigned between = 0;
    choose("permutation", "1MB", "2");
    traffic_build(hosts_of(128), 5);
    for (uint32_t i = 0; i < 128; i++)
    {
        first[i] = messages[i].dst;
        between += i >= 64 && messages[i].dst == first[i - 64] + 1; /* group 1 like group 0 */
    }
    traffic_build(hosts_of(128), 5);
    for (uint32_t i = 0; i < 128; i++)
    {
        ck_assert_uint_eq(messages[i].dst, first[i]);
    }
    traffic_build(hosts_of(128), 6);
    for (uint32_t i = 0; i < 128; i++)
    {
        same += messages[i].dst == first[i];
    }
    ck_assert_uint_lt(same, 16);
    ck_assert_uint_lt(between, 16);
}
END_TEST

START_TEST(impossible_sizes_are_refused)
{
    static const char *const all[] = {"ring", "allreduce-ring", "alltoall", "permutation"};
    for (int i = 0; i < 4; i++)
    {
        choose(all[i], "1MB", "2");
        ck_assert_int_eq(ops->size(&config, hosts_of(0), &size), WEFT_ERANGE);
        ck_assert_int_eq(ops->size(&config, hosts_of(2), &size), WEFT_ERANGE); /* groups of one */
        ck_assert_ptr_nonnull(
            strstr(size_refused(ops, &config, hosts_of(2)), "a group needs 2 hosts"));
        ck_assert_int_eq(ops->size(&config, hosts_of(9), &size), WEFT_ERANGE);
        ck_assert_ptr_nonnull(strstr(size_refused(ops, &config, hosts_of(9)), "do not divide"));
        ck_assert_int_eq(ops->size(&config, hosts_of(8), &size), 0);
        ck_assert_int_eq(ops->size(&config, hosts_of(1000000000), &size), WEFT_EOVERFLOW);
        ck_assert_int_eq(ops->size(&config, hosts_of(UINT32_MAX), &size), WEFT_EOVERFLOW);
        ck_assert_int_eq(weft_config_set(&ops->algo, &config, "bytes", "0B"), WEFT_ERANGE);
        ck_assert_int_eq(weft_config_set(&ops->algo, &config, "groups", "0"), WEFT_ERANGE);
    }
    choose("alltoall", "1MB", "1");
    ck_assert_int_eq(ops->size(&config, hosts_of(4096), &size), 0);
    ck_assert_uint_eq(size.nmessages, 4096U * 4095U);
    ck_assert_int_eq(ops->size(&config, hosts_of(4098), &size), WEFT_EOVERFLOW);
    choose("allreduce-ring", "1MB", "1");
    ck_assert_int_eq(ops->size(&config, hosts_of(WEFT_MAX_MESSAGES), &size), WEFT_EOVERFLOW);
    choose("permutation", "1MB", "1");
    traffic_set("pattern", "shift");
    traffic_set("shift", "8");
    ck_assert_int_eq(ops->size(&config, hosts_of(4), &size), WEFT_ERANGE); /* everyone to itself */
}
END_TEST

/* Two blocks of four ToRs with four hosts each are eight servers of four GPUs. Else rings that a
 * rail-optimised fabric keeps below one ToR would cross its spines. */
START_TEST(rails_put_the_hosts_of_a_server_at_different_tors)
{
    choose("ring", "1MB", "4");
    traffic_set("rails", "4");
    traffic_build(hosts_of(32), 0);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        /* GPU g of a server and of the next one: below the g-th ToR of a block. */
        ck_assert_uint_eq(messages[i].src / 4 % 4, messages[i].group);
        ck_assert_uint_eq(messages[i].dst / 4 % 4, messages[i].group);
    }
    ck_assert_uint_eq(messages[0].src, 0);
    ck_assert_uint_eq(messages[0].dst, 1);
    choose("ring", "1MB", "8");
    traffic_set("rails", "4");
    traffic_set("placement", "blocked");
    traffic_build(hosts_of(32), 0);
    bool met[32] = {false};
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        /* A group is a server, whose hosts are each at the same place of a ToR of its own. */
        ck_assert_uint_eq(messages[i].src % 4, messages[i].group % 4);
        ck_assert_uint_eq(messages[i].src / 16, messages[i].group / 4);
        ck_assert_uint_ne(messages[i].src / 4, messages[i].dst / 4);
        met[messages[i].src] = true;
    }
    for (uint32_t i = 0; i < 32; i++)
    {
        ck_assert(met[i]);
    }
    traffic_set("rails", "3");
    ck_assert_int_eq(ops->size(&config, hosts_of(32), &size), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(size_refused(ops, &config, hosts_of(32)), "whole servers"));
    /* A job on part of a ToR has no whole servers either. */
    uint32_t at[32];
    for (uint32_t i = 0; i < 32; i++)
    {
        at[i] = i + 2;
    }
    struct weft_hosts part = *hosts_of(32);
    part.at = at;
    traffic_set("rails", "4");
    ck_assert_int_eq(ops->size(&config, &part, &size), WEFT_ERANGE);
}
END_TEST

/* Bus bandwidth is what every rank sends over the time, in algorithms that send no more than they
 * must. If it is another number, what users compare with their clusters' nccl-tests is. */
START_TEST(bus_bandwidth_counts_what_each_rank_sends)
{
    static const char *const names[] = {
        "ring", "allreduce-ring", "allreduce-direct", "allreduce-doubling", "alltoall", "alltoall"};
    choose(names[_i], "8400B", "2");
    if (_i == 5)
    {
        traffic_set("scope", "pair");
    }
    traffic_build(hosts_of(16), 0);
    double bytes = 0;
    uint64_t sent[16] = {0};
    const double factor = ops->bus(&config, hosts_of(16), &bytes);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        sent[messages[i].src] += messages[i].bytes;
    }
    for (uint32_t host = 0; host < 16; host++)
    {
        ck_assert_double_eq_tol((double)sent[host], factor * bytes, 1e-9);
    }
    ck_assert_double_eq_tol(bytes, _i == 5 ? 8 * 8400 : 8400, 1e-9);
}
END_TEST

START_TEST(what_nccl_tests_does_not_have_has_no_bus_bandwidth)
{
    static const char *const names[] = {"permutation", "incast", "fsdp", "gpt2", "flows", "tree"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
        ck_assert(weft_workload_find(names[i])->bus == NULL);
    }
    choose("allreduce-tree", "8400B", "2");
    double bytes = 0;
    ck_assert_double_eq_tol(ops->bus(&config, hosts_of(16), &bytes), 1.75, 1e-12);
    ck_assert_double_eq_tol(bytes, 8400, 1e-12);
}
END_TEST

Suite *
traffic_suite(void)
{
    Suite *suite = suite_create("traffic");
    TCase *tc = tcase_create("traffic");
    tcase_add_checked_fixture(tc, NULL, traffic_forget);
    tcase_add_test(tc, allreduce_leaves_every_rank_with_every_contribution);
    tcase_add_test(tc, byte_sums_equal_the_closed_forms);
    tcase_add_test(tc, parts_are_rounded_up_and_never_empty);
    tcase_add_test(tc, alltoall_serves_every_pair_once_starting_with_the_next_rank);
    tcase_add_test(tc, two_interleaved_rings_of_eight_nodes);
    tcase_add_test(tc, permutation_has_no_fixed_point_and_every_rank_receives_once);
    tcase_add_test(tc, permutation_is_uniform_over_derangements);
    tcase_add_test(tc, permutation_depends_on_seed_run_and_group_only);
    tcase_add_test(tc, impossible_sizes_are_refused);
    tcase_add_test(tc, rails_put_the_hosts_of_a_server_at_different_tors);
    tcase_add_loop_test(tc, bus_bandwidth_counts_what_each_rank_sends, 0, 6);
    tcase_add_test(tc, what_nccl_tests_does_not_have_has_no_bus_bandwidth);
    suite_add_tcase(suite, tc);
    return suite;
}

/* SPDX-License-Identifier: MIT */
/*
 * Workloads that speak of servers, on fabrics that have some. If these fail, what is said to stay
 * inside a server crosses the fabric, or the other way round, and times are those of another
 * cluster.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>

#include "must.h"
#include "refused.h"
#include "traffic-rig.h"

Suite *traffic_servers_suite(void);

/* Two blocks of three ToRs and four servers; three ToRs of two servers of four; no servers. */
static const struct weft_hosts rails = {
    .n = 24, .per_tor = 4, .per_pod = 24, .gpus = 3, .rails = 3};
static const struct weft_hosts leaves = {.n = 24, .per_tor = 8, .per_pod = 24, .gpus = 4};
static const struct weft_hosts plain = {.n = 24, .per_tor = 4, .per_pod = 24};

static const uint32_t every[24] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                   12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};

static struct weft_hosts
some(const struct weft_hosts *of, const uint32_t *at, uint32_t n)
{
    struct weft_hosts hosts = *of;
    hosts.at = at;
    hosts.n = n;
    return hosts;
}

/* A host's server and place in it, by their definition: rails are numbered block by block, in it
 * GPU by GPU. */
static uint32_t
server_of(const struct weft_hosts *hosts, uint32_t i)
{
    const uint32_t at = weft_host_at(hosts, i);
    return hosts->rails ? at / 12 * 4 + at % 4 : at / 4;
}

static uint32_t
gpu_of(const struct weft_hosts *hosts, uint32_t i)
{
    const uint32_t at = weft_host_at(hosts, i);
    return hosts->rails ? at / 4 % 3 : at % 4;
}

static void
choose(const char *name, const char *setting, const char *value)
{
    traffic_choose(name);
    traffic_set("bytes", "96KB");
    if (setting)
    {
        traffic_set(setting, value);
    }
}

/* Returns how many of the messages stay inside a server; all others go to its GPU's rail. */
static uint32_t
count_inside(const struct weft_hosts *hosts)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        const struct weft_message *m = &messages[i];
        const bool inside = server_of(hosts, m->src) == server_of(hosts, m->dst);
        MUST(m->src < hosts->n && m->dst < hosts->n && m->src != m->dst);
        MUST(inside || gpu_of(hosts, m->src) == gpu_of(hosts, m->dst));
        n += inside;
    }
    return n;
}

/* Servers 1 and 2 of the first block and 0 and 3 of the second one; 2, 4 and 5. */
static const uint32_t of_rails[] = {1, 2, 5, 6, 9, 10, 12, 15, 16, 19, 20, 23};
static const uint32_t of_leaves[] = {8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23};

START_TEST(allreduce_in_servers_is_in_those_of_the_fabric)
{
    const struct weft_hosts cases[] = {
        rails,  some(&rails, every, 24),  some(&rails, of_rails, 12),
        leaves, some(&leaves, every, 24), some(&leaves, of_leaves, 12)};
    const struct weft_hosts *hosts = &cases[_i];
    static const char *const same[] = {"3", "4"};
    choose("allreduce-hierarchical", "placement", "blocked");
    for (uint32_t groups = 1; groups <= 2; groups++)
    {
        traffic_set("groups", groups == 1 || _i == 5 ? "1" : "2");
        traffic_set("gpus-per-server", groups == 1 ? "0" : same[_i / 3]);
        traffic_build(hosts, 0);
        ck_assert_uint_eq(count_inside(hosts), hosts->n * 2 * (hosts->gpus - 1));
    }
}
END_TEST

START_TEST(what_is_no_server_of_the_fabric_is_refused)
{
    static const uint32_t firsts[] = {0, 1, 2, 3, 12, 13}, more[] = {0, 1, 4, 5, 8, 10},
                          across[] = {2, 3, 4, 5, 6, 7, 8, 9};
    const struct
    {
        struct weft_hosts hosts;
        const char *kind, *setting, *value, *expected;
    } cases[] = {
        {some(&rails, firsts, 3), "allreduce-hierarchical", NULL, NULL, "whole servers"},
        {some(&rails, firsts, 6), "fsdp", NULL, NULL, "whole servers"},
        {some(&rails, more, 6), "allreduce-hierarchical", NULL, NULL, "whole servers"},
        {some(&leaves, across, 8), "allreduce-hierarchical", NULL, NULL, "whole servers"},
        {some(&leaves, across, 8), "fsdp", NULL, NULL, "whole servers"},
        {rails, "allreduce-hierarchical", "gpus-per-server", "6", "expected as many, or 0"},
        {rails, "allreduce-hierarchical", "gpus-per-server", "1", "expected as many, or 0"},
        {leaves, "allreduce-hierarchical", "gpus-per-server", "2", "expected as many, or 0"},
        {leaves, "fsdp", "gpus", "8", "expected as many, or 0"},
        {rails, "allreduce-hierarchical", "placement", "random", "expected blocked"},
        {leaves, "allreduce-hierarchical", "placement", "random", "expected blocked"},
        {rails, "alltoall", "rails", "6", "the fabric's servers are not as rails says"},
        {leaves, "alltoall", "rails", "3", "the fabric's servers are not as rails says"},
        {some(&rails, firsts, 6), "ring", "rails", "3", "the fabric's servers are not"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        choose(cases[i].kind, cases[i].setting, cases[i].value);
        const char *why = size_refused(ops, &config, &cases[i].hosts);
        ck_assert_msg(strstr(why, cases[i].expected) != NULL, "case %zu: %s", i, why);
    }
}
END_TEST

/* Where nothing says which hosts are a server, the workload may. */
START_TEST(without_servers_the_workload_says_what_one_is)
{
    choose("allreduce-hierarchical", "gpus-per-server", "6");
    traffic_set("placement", "random");
    traffic_build(&plain, 0);
    ck_assert_uint_eq(size.nsteps, 5 + 6 + 5);
    choose("alltoall", "rails", "3");
    traffic_build(&plain, 0);
    choose("fsdp", NULL, NULL);
    traffic_build(&plain, 0);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        MUST(messages[i].src % 8 == messages[i].dst % 8 && messages[i].src != messages[i].dst);
    }
}
END_TEST

START_TEST(fsdp_goes_from_server_to_server_by_rail)
{
    const struct weft_hosts cases[] = {rails, some(&rails, of_rails, 12), leaves,
                                       some(&leaves, of_leaves, 12)};
    const struct weft_hosts *hosts = &cases[_i / 2];
    static const char *const same[] = {"3", "4"};
    choose("fsdp", "placement", _i % 2 ? "random" : "blocked");
    traffic_set("barrier", _i % 2 ? "off" : "on");
    traffic_build(hosts, 0);
    ck_assert_uint_eq(count_inside(hosts), 0);
    traffic_set("gpus", same[_i / 4]);
    traffic_build(hosts, 0);
    ck_assert_uint_eq(count_inside(hosts), 0);
}
END_TEST

static void
choose_gpt2(const char *tensor)
{
    traffic_choose("gpt2");
    traffic_set("layers", "2");
    traffic_set("hidden", "8");
    traffic_set("vocabulary", "100");
    traffic_set("tensor", tensor);
}

/* As models are trained: activations stay in a server, gradients go by rail. */
START_TEST(tensor_groups_of_gpt2_are_servers)
{
    const struct weft_hosts cases[] = {rails, some(&rails, of_rails, 12), leaves,
                                       some(&leaves, of_leaves, 12)};
    static const char *const same[] = {"3", "4"};
    const struct weft_hosts *hosts = &cases[_i];
    choose_gpt2("0");
    traffic_build(hosts, 0);
    const uint32_t replicas = hosts->n / hosts->gpus, tensor_steps = 4 * 2;
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        const struct weft_message *m = &messages[i];
        const bool inside = server_of(hosts, m->src) == server_of(hosts, m->dst);
        MUST(inside == (m->step < tensor_steps));
        MUST(inside || gpu_of(hosts, m->src) == gpu_of(hosts, m->dst));
    }
    ck_assert_uint_eq(size.ngroups, replicas + hosts->gpus);
    struct weft_message *as_servers = messages;
    const struct weft_traffic_size other = size;
    messages = NULL;
    choose_gpt2(same[_i / 2]);
    traffic_build(hosts, 0);
    ck_assert_uint_eq(size.nmessages, other.nmessages);
    ck_assert_mem_eq(as_servers, messages, size.nmessages * sizeof *messages);
    free(as_servers);
}
END_TEST

START_TEST(tensor_groups_that_cannot_be_servers_are_refused)
{
    const struct
    {
        struct weft_hosts hosts;
        const char *placement, *collective, *expected;
    } cases[] = {
        {plain, "blocked", "ring", "expected a topology with gpus-per-server, or tensor above 0"},
        {leaves, "interleaved", "ring", "expected blocked"},
        {leaves, "random", "ring", "expected blocked"},
        {some(&leaves, of_leaves, 6), "blocked", "ring", "whole servers"},
        {rails, "blocked", "doubling", "a power of two"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        choose_gpt2("0");
        traffic_set("placement", cases[i].placement);
        traffic_set("collective", cases[i].collective);
        const char *why = size_refused(ops, &config, &cases[i].hosts);
        ck_assert_msg(strstr(why, cases[i].expected) != NULL, "case %zu: %s", i, why);
    }
}
END_TEST

/* Hosts that are no whole servers are in their own order. */
START_TEST(the_order_of_hosts_does_not_depend_on_how_they_are_named)
{

    static const uint32_t two[] = {1, 3, 5, 7, 9, 11}, no[] = {1, 3, 5, 7, 9, 10};
    const struct weft_hosts named = some(&rails, every, 24);
    struct weft_message first[24];
    choose("ring", "placement", "blocked");
    traffic_build(&rails, 0);
    ck_assert_uint_eq(size.nmessages, 24);
    memcpy(first, messages, sizeof first);
    ck_assert_uint_eq(first[0].dst, 4);
    traffic_build(&named, 0);
    ck_assert_mem_eq(first, messages, sizeof first);
    traffic_set("rails", "3");
    traffic_build(&named, 0);
    ck_assert_mem_eq(first, messages, sizeof first);
    traffic_set("rails", "0");
    for (uint32_t i = 0; i < 2; i++)
    {
        const struct weft_hosts part = some(&rails, i ? two : no, 6);
        traffic_build(&part, 0);
        for (uint32_t k = 0; k < 6; k++)
        {
            /* Two servers: 0, 2, 4 and 1, 3, 5. */
            const uint32_t src = messages[k].src, to = messages[k].dst;
            ck_assert_uint_eq(to, i == 0 ? (src + 1) % 6 : src == 4 ? 1 : src == 5 ? 0 : src + 2);
        }
    }
}
END_TEST

/* All that a rank has for the GPUs of its place in other servers, and what its server's others have
 * for them, which it gets first. */
static void
check_relay(const struct weft_hosts *hosts, uint64_t part)
{
    static uint64_t held[24][24], reaches[24][24];
    uint32_t come[24] = {0};
    memset(held, 0, sizeof held);
    memset(reaches, 0, sizeof reaches);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        const struct weft_message *m = &messages[i];
        const bool inside = server_of(hosts, m->src) == server_of(hosts, m->dst);
        MUST(m->nnext == 0 || (inside && m->nnext == 1 && m->waits == 0));
        reaches[m->src][m->dst] += m->bytes;
        if (m->nnext == 1)
        {
            const struct weft_message *then = &messages[next[m->first_next]];
            MUST(then->src == m->dst && then->step == 1 && m->step == 0);
            MUST(gpu_of(hosts, then->src) == gpu_of(hosts, then->dst));
            held[then->src][then->dst] += m->bytes;
            come[then->src]++;
        }
    }
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        const struct weft_message *m = &messages[i];
        if (server_of(hosts, m->src) != server_of(hosts, m->dst))
        {
            MUST(m->bytes == held[m->src][m->dst] + part); /* of the rank itself */
            MUST(m->waits == hosts->gpus - 1);
        }
    }
    for (uint32_t i = 0; i < hosts->n; i++)
    {
        const uint64_t others = hosts->n / hosts->gpus - 1;
        ck_assert_uint_eq(come[i], (hosts->gpus - 1) * others);
        for (uint32_t j = 0; j < hosts->n; j++)
        {
            const bool inside = server_of(hosts, i) == server_of(hosts, j);
            const bool rail = gpu_of(hosts, i) == gpu_of(hosts, j);
            ck_assert_uint_eq(reaches[i][j], i == j   ? 0
                                             : inside ? part * (others + 1)
                                             : rail   ? part * hosts->gpus
                                                      : 0);
        }
    }
}

START_TEST(an_alltoall_by_relays_leaves_a_server_on_the_rail_of_its_end)
{
    struct weft_hosts cases[] = {rails, leaves, some(&rails, of_rails, 12),
                                 some(&leaves, of_leaves, 12)};
    struct weft_hosts *hosts = &cases[_i];
    hosts->scale_up = 1;
    choose("alltoall", "relay", "pxn");
    traffic_set("scope", "pair");
    traffic_build(hosts, 0);
    const uint32_t servers = hosts->n / hosts->gpus;
    ck_assert_uint_eq(size.nmessages, hosts->n * (hosts->n - 1));
    ck_assert_uint_eq(size.nqps, hosts->n * (hosts->gpus - 1 + servers - 1));
    ck_assert_uint_eq(count_inside(hosts), hosts->n * (hosts->gpus - 1) * servers);
    check_relay(hosts, 96000);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        MUST(messages[i].qp < size.nqps);
        for (uint32_t k = 0; k < i; k++)
        {
            MUST((messages[i].qp == messages[k].qp) ==
                 (messages[i].src == messages[k].src && messages[i].dst == messages[k].dst));
        }
    }
}
END_TEST

/* Nothing is relayed of one server, nor of servers of one GPU. */
START_TEST(relays_of_one_server_or_of_one_gpu_are_none)
{
    struct weft_hosts one = some(&leaves, every, 4);
    struct weft_hosts lone = {.n = 4, .per_tor = 2, .per_pod = 4, .gpus = 1, .scale_up = 1};
    struct weft_hosts *const cases[] = {&one, &lone};
    for (int i = 0; i < 2; i++)
    {
        cases[i]->scale_up = 1;
        choose("alltoall", "relay", "pxn");
        traffic_build(cases[i], 0);
        ck_assert_uint_eq(size.nmessages, 12);
        ck_assert_uint_eq(size.bytes, 24000);
        for (uint32_t k = 0; k < 12; k++)
        {
            MUST(messages[k].bytes == 24000 && messages[k].waits == 0 && messages[k].nnext == 0);
        }
    }
}
END_TEST

START_TEST(relays_without_a_network_of_the_server_are_refused)
{
    struct weft_hosts up = leaves;
    up.scale_up = 1;
    const struct
    {
        struct weft_hosts hosts;
        const char *setting, *value, *expected;
    } cases[] = {
        {plain, NULL, NULL, "expected a topology with gpus-per-server and scale-up-rate"},
        {leaves, NULL, NULL, "expected a topology with gpus-per-server and scale-up-rate"},
        {up, "placement", "random", "expected blocked"},
        {up, "groups", "2", "expected blocked"},
        {some(&up, of_leaves, 6), NULL, NULL, "whole servers"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        choose("alltoall", cases[i].setting, cases[i].value);
        traffic_set("relay", "pxn");
        const char *why = size_refused(ops, &config, &cases[i].hosts);
        ck_assert_msg(strstr(why, cases[i].expected) != NULL, "case %zu: %s", i, why);
    }
    choose("alltoall", "relay", "pxn");
    traffic_set("groups", "4");
    traffic_set("placement", "blocked");
    ck_assert_ptr_nonnull(strstr(size_refused(ops, &config, &up), "a part of a server"));
    choose("alltoall", "relay", "pxn");
    traffic_set("concurrency", "2");
    ck_assert_ptr_nonnull(strstr(ops->algo.check(&config), "expected concurrency 0"));
}
END_TEST

Suite *
traffic_servers_suite(void)
{
    Suite *suite = suite_create("traffic-servers");
    TCase *tc = tcase_create("traffic-servers");
    tcase_add_checked_fixture(tc, NULL, traffic_forget);
    tcase_add_loop_test(tc, allreduce_in_servers_is_in_those_of_the_fabric, 0, 6);
    tcase_add_test(tc, what_is_no_server_of_the_fabric_is_refused);
    tcase_add_test(tc, without_servers_the_workload_says_what_one_is);
    tcase_add_loop_test(tc, fsdp_goes_from_server_to_server_by_rail, 0, 8);
    tcase_add_test(tc, the_order_of_hosts_does_not_depend_on_how_they_are_named);
    tcase_add_loop_test(tc, an_alltoall_by_relays_leaves_a_server_on_the_rail_of_its_end, 0, 4);
    tcase_add_test(tc, relays_of_one_server_or_of_one_gpu_are_none);
    tcase_add_test(tc, relays_without_a_network_of_the_server_are_refused);
    tcase_add_loop_test(tc, tensor_groups_of_gpt2_are_servers, 0, 4);
    tcase_add_test(tc, tensor_groups_that_cannot_be_servers_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}

/* SPDX-License-Identifier: MIT */
/*
 * A training iteration as a graph of messages. If these fail, the iteration sends other bytes than
 * the model has, begins a collective before its data is there, or forgets what GPUs compute.
 */
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/traffic.h>

#include "must.h"
#include "refused.h"
#include "traffic-rig.h"

Suite *traffic_gpt2_suite(void);

static struct weft_hosts hosts;
static int64_t *ends; /* of each message, in a fabric that takes no time */

/* 3 layers of h = 8: 872 parameters each; 4 sequences of 16 tokens, 100 in the vocabulary. */
static void
choose(uint32_t nhosts, const char *tensor, const char *collective)
{
    traffic_choose("gpt2");
    traffic_set("layers", "3");
    traffic_set("hidden", "8");
    traffic_set("sequence", "16");
    traffic_set("batch", "4");
    traffic_set("vocabulary", "100");
    traffic_set("tflops", "1");
    traffic_set("tensor", tensor);
    traffic_set("collective", collective);
    hosts = (struct weft_hosts){.n = nhosts, .per_tor = 4, .per_pod = nhosts};
}

static void
teardown(void)
{
    traffic_forget();
    free(ends);
    ends = NULL;
}

static void
build(void)
{
    teardown();
    traffic_build(&hosts, 1);
    ends = calloc(size.nmessages, sizeof *ends);
    MUST(ends);
}

static uint64_t
bytes_of_steps(uint32_t first, uint32_t last)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        sum += messages[i].step >= first && messages[i].step < last ? messages[i].bytes : 0;
    }
    return sum;
}

/* Plays the graph, each message taking @p takes: returns when the last one ends. */
static int64_t
play(int64_t takes)
{
    uint32_t *left = calloc(size.nmessages, sizeof *left);
    uint32_t *ready = calloc(size.nmessages, sizeof *ready);
    uint32_t nready = 0;
    int64_t last = 0;
    MUST(left && ready);
    memset(ends, 0, size.nmessages * sizeof *ends);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        left[i] = messages[i].waits;
        if (left[i] == 0)
        {
            ready[nready++] = i;
        }
    }
    for (uint32_t i = 0; i < nready; i++)
    {
        const struct weft_message *m = &messages[ready[i]];
        const int64_t base = ends[ready[i]];
        const int64_t start = m->delayed ? base + m->start : base > m->start ? base : m->start;
        const int64_t end = start + takes;
        last = end > last ? end : last;
        for (uint32_t k = 0; k < m->nnext; k++)
        {
            const uint32_t after = next[m->first_next + k];
            MUST(after < size.nmessages && messages[after].src == m->dst && left[after] > 0);
            ends[after] = end > ends[after] ? end : ends[after];
            if (--left[after] == 0)
            {
                ready[nready++] = after;
            }
        }
        ends[ready[i]] = end;
    }
    ck_assert_uint_eq(nready, size.nmessages); /* no circle, and nobody waits for nothing */
    free(left);
    free(ready);
    return last;
}

/* Sends of a rank in an allreduce, and the bytes of all ranks, in parts of @p bytes rounded up. */
static uint64_t
allreduce_bytes(const char *how, uint32_t ranks, uint64_t bytes, uint32_t *sends)
{
    uint64_t sum = 0;
    *sends = 2 * (ranks - 1);
    if (strcmp(how, "doubling") != 0)
    {
        return (uint64_t)ranks * *sends * ((bytes - 1) / ranks + 1);
    }
    *sends = 0;
    for (uint32_t parts = 2; parts <= ranks; parts *= 2)
    {
        sum += 2 * (uint64_t)ranks * ((bytes - 1) / parts + 1);
        *sends += 2;
    }
    return sum;
}

static void
check_sizes(const char *how, uint32_t t, uint32_t replicas)
{
    uint32_t tensor, data;
    const uint64_t activations =
        t > 1 ? replicas * allreduce_bytes(how, t, 4 * 16 * 8 * 2, &tensor) : (tensor = 0);
    const uint64_t layer = t * allreduce_bytes(how, replicas, (872 * 2 - 1) / t + 1, &data);
    const uint64_t embedding =
        t * allreduce_bytes(how, replicas, ((100 + 16) * 8 * 2 - 1) / t + 1, &data);
    const uint32_t first = t > 1 ? 12 : 0;
    ck_assert_uint_eq(size.nmessages, hosts.n * (12 * tensor + 4 * data));
    ck_assert_uint_eq(size.nsteps, first + 4);
    ck_assert_uint_eq(bytes_of_steps(0, first), 12 * activations);
    ck_assert_uint_eq(bytes_of_steps(first, first + 3), 3 * layer);
    ck_assert_uint_eq(bytes_of_steps(first + 3, first + 4), embedding);
}

static void
check_groups(uint32_t t)
{
    const uint32_t replicas = hosts.n / t;
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        const struct weft_message *m = &messages[i];
        const bool data = t == 1 || m->step >= 12;
        MUST(m->src != m->dst && m->src < hosts.n && m->dst < hosts.n);
        MUST(m->group < size.ngroups && m->step < size.nsteps && m->qp < size.nqps);
        MUST(data ? m->src % t == m->dst % t : m->src / t == m->dst / t);
        MUST(m->group == (data ? (t > 1 ? replicas : 0) + m->src % t : m->src / t));
    }
}

/* A QP has one pair of hosts, and each of them is used. */
static void
check_qps(void)
{
    uint32_t *of = calloc(size.nqps, sizeof *of);
    MUST(of);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        const struct weft_message *m = &messages[i];
        const uint32_t pair = m->src * hosts.n + m->dst + 1;
        MUST(of[m->qp] == 0 || of[m->qp] == pair);
        of[m->qp] = pair;
    }
    for (uint32_t i = 0; i < size.nqps; i++)
    {
        MUST(of[i] != 0);
    }
    free(of);
}

START_TEST(sends_what_the_model_has)
{
    static const char *const how[] = {"ring", "direct", "doubling"};
    static const struct
    {
        uint32_t t, n;
        const char *tensor;
    } of[] = {{4, 16, "4"}, {1, 8, "1"}, {2, 4, "2"}, {2, 16, "2"}};
    for (int i = 0; i < 12; i++)
    {
        const uint32_t t = of[i % 4].t;
        choose(of[i % 4].n, of[i % 4].tensor, how[i / 4]);
        build();
        check_sizes(how[i / 4], t, hosts.n / t);
        check_groups(t);
        check_qps();
        play(1);
    }
}
END_TEST

/* Alone, or in one replica: no group of one rank sends anything. */
START_TEST(one_replica_has_no_gradients_to_reduce)
{
    choose(4, "4", "ring");
    build();
    ck_assert_uint_eq(size.nmessages, 4 * 12 * 6);
    ck_assert_uint_eq(size.ngroups, 1);
    check_groups(4);
    play(1);
}
END_TEST

/* 64 tokens, t = 2, 10^12 operations/s: a layer takes 2 x 872 x 64 / 2 ps forward and twice that
 * backward, the output layer 6 x 800 x 64 / 2. */
START_TEST(gpus_compute_between_collectives)
{
    const int64_t forward = 55808, head = 153600;
    choose(8, "2", "direct");
    build();
    /* Allreduces of two steps, 12 of them; the last layer's gradients and then the embedding's. */
    ck_assert_int_eq(play(0), 9 * forward + head);
    ck_assert_int_eq(play(1) - (9 * forward + head), 12 * 2 + 2 * 2);
    traffic_set("tensor",
                "1"); /* nothing holds the passes up: the last gradients are there at the end */
    build();
    ck_assert_int_eq(play(0), 2 * (9 * forward + head));
    ck_assert_int_eq(messages[0].start, 2 * (5 * forward + head));
    traffic_set("start", "1us");
    build();
    ck_assert_int_eq(play(0), 1000000 + 2 * (9 * forward + head));
}
END_TEST

/* Each collective of a GPU ends before the next one of its group begins there, and gradients are
 * sent once the backward pass has left their layer. */
static void
check_order(uint32_t ntensor)
{
    enum
    {
        HOSTS = 16,
        STEPS = 64
    };
    static int64_t begins[HOSTS][STEPS], received[HOSTS][STEPS];
    memset(begins, 0x7f, sizeof begins);
    memset(received, 0, sizeof received);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        const struct weft_message *m = &messages[i];
        int64_t *begin = &begins[m->src][m->step], *end = &received[m->dst][m->step];
        *begin = ends[i] - 5 < *begin ? ends[i] - 5 : *begin;
        *end = ends[i] > *end ? ends[i] : *end;
    }
    for (uint32_t host = 0; host < hosts.n; host++)
    {
        for (uint32_t k = 1; k < size.nsteps; k++)
        {
            MUST(k == ntensor || begins[host][k] >= received[host][k - 1]);
        }
        for (uint32_t layer = 0; layer < 3; layer++)
        {
            MUST(begins[host][ntensor + layer] >= received[host][ntensor / 2 + 2 * layer + 1]);
        }
        /* And not later than that: the backward pass goes on beside it. */
        MUST(begins[host][ntensor] < begins[host][ntensor - 1]);
    }
}

START_TEST(gradients_follow_the_backward_pass)
{
    static const char *const how[] = {"ring", "direct", "doubling"};
    for (int i = 0; i < 6; i++)
    {
        choose(16, "4", how[i / 2]);
        traffic_set("sharded", i % 2 ? "on" : "off");
        build();
        play(5);
        check_order(12);
    }
}
END_TEST

/* Reduce-scatters of three layers and the embedding, then all-gathers in the order of the forward
 * pass: as many bytes as allreduces. */
START_TEST(sharded_gathers_once_all_is_reduced)
{
    choose(16, "4", "doubling");
    build();
    const uint64_t all = bytes_of_steps(12, 16);
    const uint64_t layer = bytes_of_steps(12, 13), embedding = bytes_of_steps(15, 16);
    traffic_set("sharded", "on");
    build();
    ck_assert_uint_eq(size.nsteps, 12 + 8);
    ck_assert_uint_eq(bytes_of_steps(12, 20), all);
    ck_assert_uint_eq(2 * bytes_of_steps(12, 13), layer);
    ck_assert_uint_eq(2 * bytes_of_steps(15, 16), embedding);
    ck_assert_uint_eq(2 * bytes_of_steps(16, 17), embedding);
    ck_assert_uint_eq(2 * bytes_of_steps(19, 20), layer);
}
END_TEST

START_TEST(random_placement_renames_hosts)
{
    choose(16, "4", "ring");
    traffic_set("placement", "random");
    build();
    bool moved = false;
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        moved = moved || messages[i].src / 4 != messages[i].dst / 4 || messages[i].step >= 12;
    }
    ck_assert(moved);
    check_qps();
    play(1);
    traffic_set("placement", "interleaved");
    build();
    ck_assert_uint_eq(messages[0].src % 4, messages[0].dst % 4);
}
END_TEST

START_TEST(refuses_what_is_no_whole_replica)
{
    choose(12, "8", "ring");
    ck_assert_ptr_nonnull(strstr(size_refused(ops, &config, &hosts), "whole replicas"));
    choose(1, "1", "ring");
    ck_assert_ptr_nonnull(strstr(size_refused(ops, &config, &hosts), "two hosts"));
    choose(12, "4", "doubling");
    ck_assert_ptr_nonnull(strstr(size_refused(ops, &config, &hosts), "power of two"));
    traffic_set("collective", "ring");
    ck_assert_int_eq(ops->size(&config, &hosts, &size), 0);
    choose(1 << 20, "8", "ring");
    ck_assert_int_eq(ops->size(&config, &hosts, &size), WEFT_EOVERFLOW);
    choose(4, "1", "ring");
    traffic_set("hidden", "16384");
    traffic_set("sequence", "65536");
    traffic_set("batch", "1024");
    traffic_set("layers", "1000");
    ck_assert_int_eq(ops->size(&config, &hosts, &size), WEFT_EOVERFLOW);
    traffic_set("tflops", "1000");
    ck_assert_int_eq(ops->size(&config, &hosts, &size), 0);
}
END_TEST

Suite *
traffic_gpt2_suite(void)
{
    Suite *suite = suite_create("traffic-gpt2");
    TCase *tc = tcase_create("traffic-gpt2");
    tcase_add_checked_fixture(tc, NULL, teardown);
    tcase_add_test(tc, sends_what_the_model_has);
    tcase_add_test(tc, one_replica_has_no_gradients_to_reduce);
    tcase_add_test(tc, gpus_compute_between_collectives);
    tcase_add_test(tc, gradients_follow_the_backward_pass);
    tcase_add_test(tc, sharded_gathers_once_all_is_reduced);
    tcase_add_test(tc, random_placement_renames_hosts);
    tcase_add_test(tc, refuses_what_is_no_whole_replica);
    suite_add_tcase(suite, tc);
    return suite;
}

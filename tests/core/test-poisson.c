/* SPDX-License-Identifier: MIT */
/* A user would simulate another load than asked for, other sizes, or pairs that are not uniform. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "must.h"
#include "refused.h"

Suite *poisson_suite(void);

#define FLOWS 100000U
#define RATE  INT64_C(100000000000)

static const struct weft_hosts hosts = {16, 4, 16, RATE};
/* A fifth of the flows have 1000 B, the others 2000 B to 10000 B: 5000 B on average. */
static const struct weft_table_size sizes[] = {{1000, 0}, {1000, 0.2}, {2000, 0.2}, {10000, 1}};
static const struct weft_table table = {.sizes = sizes, .nsizes = 4};
static const struct weft_workload_ops *ops;
static int64_t config[16];
static struct weft_message *messages;
static struct weft_traffic_size size;

static void
set(const char *name, const char *text)
{
    ck_assert_int_eq(weft_config_set(&ops->algo, config, name, text), 0);
}

static void
setup(void)
{
    ops = weft_workload_find("poisson");
    weft_config_default(&ops->algo, config);
    ops->use(config, &table);
    set("load", "0.4");
    set("flows", "100000");
    messages = malloc(FLOWS * sizeof *messages);
}

static void
teardown(void)
{
    free(messages);
}

static void
build(uint64_t seed, uint64_t run)
{
    uint32_t none[1];
    ck_assert_int_eq(ops->size(config, &hosts, &size), 0);
    ck_assert_uint_le(size.nmessages, FLOWS);
    ck_assert_int_eq(ops->fill(config, &hosts, seed, run, messages, none), 0);
}

/* The mean gap is 5000 B x 8 / (0.4 x 16 x 100 Gb/s) = 62.5 ns. Within 4 standard errors: the gaps'
 * deviation is their mean, and a fourth of them is longer than 1.386 of it. */
START_TEST(flows_come_at_the_load)
{
    uint32_t longer = 0;
    set("start", "1ms");
    build(1, 0);
    for (uint32_t i = 1; i < FLOWS; i++)
    {
        longer += messages[i].start - messages[i - 1].start > 86643;
    }
    const double mean = (double)(messages[FLOWS - 1].start - 1000000000) / FLOWS;
    ck_assert_double_eq_tol(mean, 62500, 4 * 62500 / sqrt(FLOWS));
    ck_assert_double_eq_tol(longer / (double)FLOWS, 0.25, 4 * sqrt(0.25 * 0.75 / FLOWS));
}
END_TEST

/* Variance: 0.2 x 4000^2 + 0.8 x (1000^2 + 8000^2 / 12) = 8.267e6. */
START_TEST(sizes_follow_the_distribution)
{
    double sum = 0;
    uint32_t small = 0, middle = 0;
    build(1, 0);
    for (uint32_t i = 0; i < FLOWS; i++)
    {
        sum += (double)messages[i].bytes;
        small += messages[i].bytes == 1000;
        middle += messages[i].bytes <= 6000;
        MUST(messages[i].bytes == 1000 ||
             (messages[i].bytes >= 2000 && messages[i].bytes <= 10000));
    }
    ck_assert_double_eq_tol(sum / FLOWS, 5000, 4 * sqrt(8.267e6 / FLOWS));
    ck_assert_double_eq_tol(small / (double)FLOWS, 0.2, 4 * sqrt(0.2 * 0.8 / FLOWS));
    ck_assert_double_eq_tol(middle / (double)FLOWS, 0.6, 4 * sqrt(0.6 * 0.4 / FLOWS));
}
END_TEST

START_TEST(pairs_are_uniform)
{
    uint32_t of[16][16] = {{0}};
    build(1, 0);
    for (uint32_t i = 0; i < FLOWS; i++)
    {
        of[messages[i].src][messages[i].dst]++;
    }
    for (uint32_t i = 0; i < 256; i++)
    {
        const double share = i / 16 == i % 16 ? 0 : 1.0 / 240;
        MUST(fabs(of[i / 16][i % 16] / (double)FLOWS - share) <= 5 * sqrt(share / FLOWS));
    }
    set("inter-rack", "on");
    build(1, 0);
    for (uint32_t i = 0; i < FLOWS; i++)
    {
        MUST(messages[i].src / 4 != messages[i].dst / 4);
    }
}
END_TEST

/* Another seed or run is another sample; another load moves the same flows. */
START_TEST(a_seed_and_a_run_are_one_sample)
{
    struct weft_message *first = malloc(FLOWS * sizeof *first);
    build(3, 2);
    memcpy(first, messages, FLOWS * sizeof *first);
    build(3, 2);
    ck_assert_int_eq(memcmp(first, messages, FLOWS * sizeof *first), 0);
    build(3, 1);
    ck_assert_int_ne(memcmp(first, messages, FLOWS * sizeof *first), 0);
    uint32_t same = 0;
    for (uint32_t i = 0; i < FLOWS; i++)
    {
        same += messages[i].src == first[i].src && messages[i].dst == first[i].dst;
    }
    ck_assert_uint_lt(same, FLOWS / 2); /* another run has other pairs, too */
    set("load", "0.8");
    build(3, 2);
    for (uint32_t i = 0; i < FLOWS; i++)
    {
        MUST(messages[i].bytes == first[i].bytes && messages[i].dst == first[i].dst);
        MUST(llabs(2 * messages[i].start - first[i].start) <= 2 * (int64_t)FLOWS);
    }
    free(first);
}
END_TEST

/* 100,000 flows, one every 62.5 ns; who says when they end says it of the average. */
START_TEST(flows_start_for_as_long_as_they_take_on_average)
{
    ck_assert_double_eq_tol(weft_poisson_span(config, &hosts), 6.25e9, 1);
    set("duration", "1ms");
    ck_assert_double_eq_tol(weft_poisson_span(config, &hosts), 1e9, 1);
}
END_TEST

START_TEST(a_duration_is_as_many_flows_as_it_takes_on_average)
{
    set("duration", "1ms");
    build(1, 0);
    ck_assert_uint_eq(size.nmessages, 16000);
    set("duration", "1ns");
    ck_assert_int_eq(ops->size(config, &hosts, &size), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(size_refused(ops, config, &hosts), "longer duration"));
}
END_TEST

/* In a graph hosts are at ToRs in any order. */
START_TEST(racks_of_a_graph_are_its_switches)
{
    uint32_t tor[16], none[1];
    struct weft_hosts graph = hosts;
    for (uint32_t i = 0; i < 16; i++)
    {
        tor[i] = i * 5 % 3;
    }
    graph.per_tor = 1;
    graph.tor = tor;
    set("inter-rack", "on");
    ck_assert_int_eq(ops->size(config, &graph, &size), 0);
    ck_assert_int_eq(ops->fill(config, &graph, 1, 0, messages, none), 0);
    for (uint32_t i = 0; i < FLOWS; i++)
    {
        MUST(tor[messages[i].src] != tor[messages[i].dst]);
    }
    memset(tor, 0, sizeof tor);
    ck_assert_int_eq(ops->size(config, &graph, &size), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(size_refused(ops, config, &graph), "inter-rack"));
}
END_TEST

START_TEST(what_is_no_distribution_is_refused)
{
    static const struct weft_table_size falls[] = {{10, 0}, {5, 0.5}, {20, 1}};
    static const struct weft_table_size ends[] = {{10, 0}, {20, 0.5}, {30, 0.9}};
    const struct weft_table first = {.sizes = falls, .nsizes = 3};
    const struct weft_table second = {.sizes = ends, .nsizes = 3};
    ops->use(config, &first);
    ck_assert_int_eq(ops->size(config, &hosts, &size), WEFT_ERANGE);
    ops->use(config, &second);
    ck_assert_int_eq(ops->size(config, &hosts, &size), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(size_refused(ops, config, &hosts), "no distribution"));
}
END_TEST

Suite *
poisson_suite(void)
{
    Suite *suite = suite_create("poisson");
    TCase *tcase = tcase_create("poisson");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, flows_come_at_the_load);
    tcase_add_test(tcase, sizes_follow_the_distribution);
    tcase_add_test(tcase, pairs_are_uniform);
    tcase_add_test(tcase, a_seed_and_a_run_are_one_sample);
    tcase_add_test(tcase, flows_start_for_as_long_as_they_take_on_average);
    tcase_add_test(tcase, a_duration_is_as_many_flows_as_it_takes_on_average);
    tcase_add_test(tcase, racks_of_a_graph_are_its_switches);
    tcase_add_test(tcase, what_is_no_distribution_is_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

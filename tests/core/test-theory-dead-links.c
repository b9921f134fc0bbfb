/* SPDX-License-Identifier: MIT */
/* A user would lose what to expect of spraying when a link dies (ethereal §2.2): the run of
 * ethereal-section2.xml would have nothing to be compared with. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <weft/theory.h>
#include <weft/weft.h>

#include "must.h"

Suite *theory_dead_links_suite(void);

#define MAX_HOSTS 64U

static void
near(double value, double expected)
{
    ck_assert_double_eq_tol(value, expected, 1e-12);
}

/* "Feedback is limited to only two congested paths": two of the uplinks lead to a spine that has
 * one link left of two. The scenario's fabric: twice the load on it, and 7/4 x 64/63 for all. */
START_TEST(the_papers_example)
{
    const struct weft_dead_links d = {8, 4, 8, 2, 1, 1.0};
    ck_assert_uint_eq(weft_sprayed_paths(&d), 8);
    ck_assert_uint_eq(weft_congested_paths(&d), 2);
    near(weft_sprayed_load(&d), 2);
    near(weft_sprayed_alltoall(&d), 2.0 * 56 / 63);
    near(weft_weighted_alltoall(&d), 8.0 / 7 * 56 / 63);
}
END_TEST

/* The share of the paths that can tell falls with the spines, and what is to be told does not. */
START_TEST(a_large_fabric_tells_less_of_the_same)
{
    for (uint32_t spines = 4; spines <= 128; spines *= 2)
    {
        const struct weft_dead_links d = {2 * spines, spines, 2 * spines, 2, 1, 1.0};
        ck_assert_uint_eq(weft_congested_paths(&d), 2);
        ck_assert_uint_eq(weft_sprayed_paths(&d), 2 * spines);
        near(weft_sprayed_load(&d), 2);
    }
}
END_TEST

START_TEST(nothing_is_slower_than_it_must_be)
{
    const struct weft_dead_links whole = {8, 4, 8, 2, 0, 1.0};
    const struct weft_dead_links fast = {8, 4, 8, 2, 1, 2.0};
    const struct weft_dead_links gone = {8, 4, 8, 2, 2, 1.0};
    ck_assert_uint_eq(weft_congested_paths(&whole), 0);
    near(weft_sprayed_alltoall(&whole), 1);
    near(weft_weighted_alltoall(&whole), 1);
    near(weft_sprayed_load(&fast), 1);
    near(weft_sprayed_alltoall(&fast), 1);
    ck_assert_uint_eq(weft_congested_paths(&gone), 0);
    ck_assert(isinf(weft_sprayed_load(&gone)));
}
END_TEST

/* The rate that links allow, counted link by link. */
static double
counted(const struct weft_dead_links *d, enum weft_split split)
{
    static struct weft_flow flows[MAX_HOSTS * MAX_HOSTS];
    const struct weft_topology_ops *ops = weft_topology_find("leaf-spine");
    struct weft_clos clos;
    struct weft_rho rho;
    uint64_t config[32], dead[8];
    size_t n = 0, killed = 0;
    const char *const names[] = {"leaves", "spines", "hosts-per-leaf", "parallel"};
    const uint32_t values[] = {d->leaves, d->spines, d->hosts, d->parallel};
    ck_assert_int_eq(weft_config_default(&ops->algo, config), 0);
    for (int i = 0; i < 4; i++)
    {
        char text[16];
        snprintf(text, sizeof(text), "%u", values[i]);
        ck_assert_int_eq(weft_config_set(&ops->algo, config, names[i], text), 0);
    }
    ck_assert_int_eq(ops->build(config, &clos), 0);
    for (uint32_t pair = 0; pair < clos.nhosts * clos.nhosts; pair++)
    {
        const struct weft_flow flow = {pair / clos.nhosts, pair % clos.nhosts};
        flows[n] = flow;
        n += flow.src != flow.dst;
    }
    for (uint64_t i = 0; i < clos.nlinks && killed < d->dead; i++)
    {
        struct weft_link link;
        weft_clos_link(&clos, i, &link);
        dead[killed] = i;
        killed += !link.lower.is_host && link.lower.index == 0 && link.upper.index == d->leaves;
    }
    ck_assert_uint_eq(killed, d->dead);
    const int64_t size = weft_fib_size(&clos, dead, killed, false);
    struct weft_fib *fib = malloc((size_t)size);
    ck_assert_int_eq(weft_fib_build(fib, (size_t)size, &clos, dead, killed, false), 0);
    const size_t room = (size_t)weft_rho_size(&clos, n);
    void *memory = malloc(room);
    const struct weft_rho_plane links = {fib, NULL, 0};
    ck_assert_int_eq(weft_rho_max(memory, room, &clos, &links, flows, n, split, &rho), 0);
    ck_assert_uint_eq(rho.lost, 0);
    free(memory);
    free(fib);
    return 1 / rho.share;
}

START_TEST(it_is_what_the_links_allow)
{
    static const struct weft_dead_links fabrics[] = {
        {8, 4, 8, 2, 1, 1.0}, {4, 2, 4, 2, 1, 1.0}, {3, 5, 6, 3, 2, 1.0},
        {2, 3, 9, 4, 1, 1.0}, {4, 1, 6, 3, 2, 1.0}, {6, 4, 2, 2, 1, 1.0},
    };
    for (size_t i = 0; i < sizeof(fabrics) / sizeof(fabrics[0]); i++)
    {
        near(weft_sprayed_alltoall(&fabrics[i]), counted(&fabrics[i], WEFT_SPLIT_HOP));
        MUST(weft_weighted_alltoall(&fabrics[i]) <= weft_sprayed_alltoall(&fabrics[i]));
    }
}
END_TEST

Suite *
theory_dead_links_suite(void)
{
    Suite *suite = suite_create("theory-dead-links");
    TCase *tcase = tcase_create("spraying");
    tcase_add_test(tcase, the_papers_example);
    tcase_add_test(tcase, a_large_fabric_tells_less_of_the_same);
    tcase_add_test(tcase, nothing_is_slower_than_it_must_be);
    tcase_add_test(tcase, it_is_what_the_links_allow);
    suite_add_tcase(suite, tcase);
    return suite;
}

/* SPDX-License-Identifier: MIT */
/* A user would lose runs with failures: packets sent into dead ends, or live paths left unused. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "fib-model.h"
#include "lb-rig.h"

static void
shape(struct weft_clos *clos, const char *kind, const int64_t *config)
{
    ck_assert_int_eq(weft_topology_find(kind)->build(config, clos), 0);
    ck_assert_uint_le(clos->hosts_per_tor + clos->up_tor * clos->parallel, FIB_MODEL_PORTS);
}

static struct weft_fib *
make_fib(const struct weft_clos *clos, const uint64_t *dead, size_t ndead, bool weighted)
{
    const int64_t size = weft_fib_size(clos, dead, ndead, weighted);
    ck_assert_int_gt(size, 0);
    /* A guard byte shows a write past the promised size. */
    uint8_t *memory = malloc((size_t)size + 8);
    ck_assert_ptr_nonnull(memory);
    memset(memory + size, 0xa5, 8);
    struct weft_fib *fib = (struct weft_fib *)(void *)memory;
    ck_assert_int_eq(weft_fib_build(fib, (size_t)size - 8, clos, dead, ndead, weighted),
                     WEFT_ENOMEM);
    ck_assert_int_eq(weft_fib_build(fib, (size_t)size, clos, dead, ndead, weighted), 0);
    for (unsigned i = 0; i < 8; i++)
    {
        ck_assert_uint_eq(memory[size + i], 0xa5);
    }
    return fib;
}

static void
check_failures(const struct weft_clos *clos, const uint64_t *dead, size_t ndead)
{
    struct graph g;
    g.clos = *clos;
    graph_init(&g);
    graph_wire(&g, dead, ndead);
    for (int weighted = 0; weighted < 2; weighted++)
    {
        struct weft_fib *fib = make_fib(clos, dead, ndead, weighted);
        /* Every ToR is met, at places that differ. */
        const uint32_t step = clos->nhosts > 64 ? clos->hosts_per_tor - 1 : 1;
        for (uint32_t dst = 0; dst < clos->nhosts; dst += step)
        {
            graph_compare(&g, fib, weighted, dst);
        }
        free(fib);
    }
    graph_free(&g);
}

/* Every link fails with a probability of percent/100. */
static size_t
draw(const struct weft_clos *clos, uint32_t percent, struct weft_rng *rng, uint64_t *dead)
{
    size_t n = 0;
    for (uint64_t i = 0; i < clos->nlinks; i++)
    {
        if (weft_rng_below(rng, 100) < percent)
        {
            dead[n++] = i;
        }
    }
    return n;
}

static const int64_t spines_4[32] = {4, 4, 2, 1, 1000000000, 0, 0, 0, 1, 0};
static const int64_t spines_uneven[32] = {5, 3, 2, 3, 1000000000, 0, 0, 0, 1, 0};
static const int64_t spines_1[32] = {3, 1, 2, 2, 1000000000, 0, 0, 0, 1, 0};
static const int64_t tree_4[32] = {4, 3, 1000000000, 0, 0, 0, [9] = 1};
static const int64_t tree_6[32] = {6, 3, 1000000000, 0, 0, 0, [9] = 1};
static const int64_t tree_8[32] = {8, 3, 1000000000, 0, 0, 0, [9] = 1};
static const int64_t tree_2[32] = {2, 3, 1000000000, 0, 0, 0, [9] = 1};
static const int64_t flat_6[32] = {6, 2, 1000000000, 0, 0, 0, [9] = 1};
/* Three tiers whose parallel links, rates and delays are their own. */
static const int64_t three_tiers[32] = {3,          2,          2,          2, 3, 2, 3,
                                        1000000000, 2000000000, 5000000000, 0, 0, 0, [13] = 1};

static const struct
{
    const char *kind;
    const int64_t *config;
} shapes[] = {
    {"leaf-spine", spines_4}, {"leaf-spine", spines_uneven},
    {"leaf-spine", spines_1}, {"fat-tree", tree_4},
    {"fat-tree", tree_6},     {"fat-tree", tree_2},
    {"fat-tree", flat_6},     {"clos", three_tiers},
    {"fat-tree", tree_8}, /* the last: it takes long */
};

#define NSHAPES ((int)(sizeof shapes / sizeof shapes[0]))

START_TEST(random_failures_match_a_search_of_the_graph)
{
    static const uint32_t percents[] = {0, 2, 5, 10, 20, 35, 60, 100};
    struct weft_clos clos;
    struct weft_rng rng;
    uint64_t dead[1024];
    weft_rng_seed(&rng, 7, (uint64_t)_i, 0);
    shape(&clos, shapes[_i].kind, shapes[_i].config);
    ck_assert_uint_le(clos.nlinks, 1024);
    for (unsigned i = 0; i < sizeof percents / sizeof percents[0]; i++)
    {
        for (unsigned repeat = 0; repeat < (_i < NSHAPES - 1 ? 12 : 3); repeat++)
        {
            const size_t n = draw(&clos, percents[i], &rng, dead);
            check_failures(&clos, dead, n);
        }
    }
}
END_TEST

START_TEST(each_single_failure_matches_a_search_of_the_graph)
{
    struct weft_clos clos;
    shape(&clos, shapes[_i].kind, shapes[_i].config);
    for (uint64_t i = 0; i < clos.nlinks; i++)
    {
        check_failures(&clos, &i, 1);
    }
}
END_TEST

/* k = 4, one core link of pod 3 is dead: half of the paths by aggregation 0 are left. */
START_TEST(a_lost_core_link_halves_its_aggregations_weight)
{
    struct weft_clos clos;
    struct weft_switch_map map;
    struct weft_ports ports;
    const uint16_t expected[] = {2, 3, 3};
    shape(&clos, "fat-tree", tree_4);
    const uint64_t dead = clos.nlinks - 4; /* aggregation 0 of pod 3 to core 0 */
    weft_clos_switch(&clos, 0, &map);
    struct weft_fib *plain = make_fib(&clos, &dead, 1, false);
    ck_assert(weft_fib_route(plain, 0, &map, 15, &ports));
    ck_assert_uint_eq(ports.n, 2);
    struct weft_fib *fib = make_fib(&clos, &dead, 1, true);
    ck_assert(weft_fib_route(fib, 0, &map, 15, &ports));
    ck_assert_uint_eq(ports.n, 3);
    for (uint32_t i = 0; i < 3; i++)
    {
        ck_assert_uint_eq(weft_port_at(&ports, i), expected[i]);
    }
    ck_assert(weft_fib_route(fib, 0, &map, 11, &ports));
    ck_assert_ptr_null(ports.list); /* other pods are as before */
    free(plain);
    free(fib);
}
END_TEST

/* Weights 26 and 100, of 100 ports each: 13 and 50, or 6,300 places, are too many. */
START_TEST(long_lists_are_scaled_down)
{
    struct weft_clos clos;
    struct weft_switch_map map;
    struct weft_ports ports;
    const int64_t config[32] = {2, 2, 1, 100, 1000000000, 0, 0, 0, 1, 0};
    uint64_t dead[74];
    uint32_t times[201] = {0};
    ck_assert_int_eq(weft_topology_find("leaf-spine")->build(config, &clos), 0);
    for (uint32_t i = 0; i < 74; i++)
    {
        dead[i] = clos.nhosts + 200 + i;
    }
    weft_clos_switch(&clos, 0, &map);
    struct weft_fib *fib = make_fib(&clos, dead, 74, true);
    ck_assert(weft_fib_route(fib, 0, &map, 1, &ports));
    ck_assert_uint_le(ports.n, WEFT_MAX_CANDIDATES);
    for (uint32_t i = 0; i < ports.n; i++)
    {
        times[weft_port_at(&ports, i)]++;
    }
    for (uint32_t i = 1; i <= 200; i++)
    {
        ck_assert_uint_eq(times[i], times[i <= 100 ? 1 : 200]);
    }
    ck_assert_double_eq_tol((double)times[1] / times[200], 26.0 / 100, 0.02);
    free(fib);
}
END_TEST

START_TEST(healthy_entries_take_no_memory)
{
    struct weft_clos clos;
    const int64_t config[32] = {32, 3, 1000000000, 0, 0, 0, [9] = 1};
    ck_assert_int_eq(weft_topology_find("fat-tree")->build(config, &clos), 0);
    const int64_t none = weft_fib_size(&clos, NULL, 0, true);
    const uint64_t one = clos.nhosts; /* between a ToR and an aggregation */
    ck_assert_int_lt(none, 4 * (int64_t)clos.ntors + 4 * (int64_t)clos.npods * clos.npods +
                               (int64_t)clos.nlinks / 8 + 512);
    ck_assert_int_lt(weft_fib_size(&clos, &one, 1, true), none + 4096);
}
END_TEST

START_TEST(links_that_do_not_exist_are_refused)
{
    struct weft_clos clos;
    uint64_t memory[512];
    shape(&clos, "leaf-spine", spines_4);
    const uint64_t beyond[] = {3, clos.nlinks};
    const uint64_t unsorted[] = {3, 2};
    const uint64_t twice[] = {3, 3};
    const uint64_t good[] = {3, 4};
    struct weft_fib *fib = (struct weft_fib *)(void *)memory;
    ck_assert_int_eq(weft_fib_build(fib, sizeof memory, &clos, beyond, 2, true), WEFT_ERANGE);
    ck_assert_int_eq(weft_fib_build(fib, sizeof memory, &clos, unsorted, 2, true), WEFT_ERANGE);
    ck_assert_int_eq(weft_fib_build(fib, sizeof memory, &clos, twice, 2, true), WEFT_ERANGE);
    ck_assert_int_eq(weft_fib_size(&clos, twice, 2, true), WEFT_ERANGE);
    ck_assert_int_eq(weft_fib_build(fib, sizeof memory, &clos, good, 2, true), 0);
    clos.ntors++;
    ck_assert_int_eq(weft_fib_build(fib, sizeof memory, &clos, good, 2, true), WEFT_EINVAL);
    ck_assert_int_eq(weft_fib_size(&clos, good, 2, true), WEFT_EINVAL);
}
END_TEST

Suite *
fib_suite(void)
{
    Suite *suite = suite_create("fib");
    TCase *tcase = tcase_create("fib");
    tcase_add_loop_test(tcase, random_failures_match_a_search_of_the_graph, 0, NSHAPES);
    tcase_add_loop_test(tcase, each_single_failure_matches_a_search_of_the_graph, 0, NSHAPES - 1);
    tcase_add_test(tcase, a_lost_core_link_halves_its_aggregations_weight);
    tcase_add_test(tcase, long_lists_are_scaled_down);
    tcase_add_test(tcase, healthy_entries_take_no_memory);
    tcase_add_test(tcase, links_that_do_not_exist_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

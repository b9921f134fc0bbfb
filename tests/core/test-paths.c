/* SPDX-License-Identifier: MIT */
/* A user would lose path selectors that send where they mean to, and weights that are true. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "lb-rig.h"

static const int64_t spines[32] = {4, 3, 2, 2, 1000000000, 0, 0, 0, 1, 0};
static const int64_t tree_4[32] = {4, 3, 1000000000, 0, 0, 0, [9] = 1};
static const int64_t tree_6[32] = {6, 3, 1000000000, 0, 0, 0, [9] = 1};
static const int64_t flat_6[32] = {6, 2, 1000000000, 0, 0, 0, [9] = 1};
#define NSHAPES 5

static const char *const kinds[NSHAPES] = {"leaf-spine", "fat-tree", "fat-tree", "fat-tree",
                                           "clos"};

/* Three tiers whose parallel links, rates and delays are their own. */
static const int64_t three_tiers[32] = {3,          2,          2,          2, 3, 2, 3,
                                        1000000000, 2000000000, 5000000000, 0, 0, 0, [13] = 1};

static void
shape(struct weft_clos *clos, int i)
{
    const int64_t *configs[] = {spines, flat_6, tree_4, tree_6, three_tiers};
    ck_assert_int_eq(weft_topology_find(kinds[i])->build(configs[i], clos), 0);
}

static bool
touches(const struct weft_end *end, bool is_host, uint32_t index)
{
    return end->is_host == is_host && end->index == index;
}

/* Follows the links from @p src; checks that they lead to @p dst. */
static void
follow(const struct weft_clos *clos, uint32_t src, uint32_t dst, const uint64_t *links, uint32_t n)
{
    bool is_host = true;
    uint32_t at = src;
    for (uint32_t i = 0; i < n; i++)
    {
        struct weft_link link;
        weft_clos_link(clos, links[i], &link);
        const bool up = touches(&link.lower, is_host, at);
        ck_assert_msg(up || touches(&link.upper, is_host, at), "link %u of a path does not join",
                      i);
        is_host = up ? link.upper.is_host : link.lower.is_host;
        at = up ? link.upper.index : link.lower.index;
    }
    ck_assert(is_host);
    ck_assert_uint_eq(at, dst);
}

/* A walk of links is a mixed-radix number, so that two paths are easily told apart. */
static uint64_t
mark(const struct weft_clos *clos, const uint64_t *links, uint32_t n)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        number = number * clos->nlinks + links[i];
    }
    return number;
}

START_TEST(paths_are_distinct_shortest_and_complete)
{
    struct weft_clos clos;
    shape(&clos, _i);
    for (uint32_t dst = 1; dst < clos.nhosts; dst++)
    {
        const uint32_t p = clos.parallel;
        const uint32_t c = clos.core_parallel;
        const uint32_t hops = weft_clos_hops(&clos, 0, dst);
        const uint32_t paths = weft_clos_paths(&clos, 0, dst);
        const uint32_t near = clos.up_tor * p * p;
        uint64_t seen[512];
        ck_assert_uint_eq(paths, hops == 2 ? 1 : hops == 4 ? near : near * clos.up_agg * c * c);
        ck_assert_uint_le(paths, 512);
        for (uint32_t path = 0; path < paths; path++)
        {
            uint64_t links[6];
            ck_assert_uint_eq(weft_clos_path(&clos, 0, dst, path, links), hops);
            follow(&clos, 0, dst, links, hops);
            seen[path] = mark(&clos, links, hops);
            for (uint32_t other = 0; other < path; other++)
            {
                ck_assert(seen[other] != seen[path]);
            }
        }
    }
    ck_assert_uint_eq(weft_clos_paths(&clos, 1, 1), 0);
}
END_TEST

/* k = 4, host 0 to the last pod: the aggregations alternate before the second core is used. */
/* Ideal replies and what tells of losses take this time: each link of the path, at its own rate. */
START_TEST(a_way_is_the_sum_of_its_links)
{
    struct weft_clos clos;
    shape(&clos, _i);
    clos.host_rate = INT64_C(100000000000);
    clos.fabric_rate = INT64_C(400000000000);
    clos.core_rate = INT64_C(300000000000);
    clos.host_delay = 1000;
    clos.fabric_delay = 70000;
    clos.core_delay = 6000000;
    for (uint32_t dst = 1; dst < clos.nhosts; dst++)
    {
        uint64_t links[6];
        int64_t sum = 0;
        const uint32_t n = weft_clos_path(&clos, 0, dst, 0, links);
        for (uint32_t i = 0; i < n; i++)
        {
            struct weft_link link;
            weft_clos_link(&clos, links[i], &link);
            sum += link.delay + weft_wire_time(1000, link.rate);
        }
        ck_assert_int_eq(weft_clos_way(&clos, 0, dst, 1000), sum);
    }
    ck_assert_int_eq(weft_clos_least_delay(&clos, 1000), 1000);
    clos.host_delay = 80000;
    ck_assert_int_eq(weft_clos_least_delay(&clos, 1000), 70000);
    clos.fabric_delay = 0; /* what 1,000 B take, less than any other link's delay */
    ck_assert_int_eq(weft_clos_least_delay(&clos, 1000), 20000);
}
END_TEST

START_TEST(numbers_go_aggregation_first)
{
    struct weft_clos clos;
    const uint32_t ports[4][2] = {{2, 2}, {3, 2}, {2, 3}, {3, 3}};
    shape(&clos, 2);
    for (uint32_t path = 0; path < 4; path++)
    {
        uint64_t links[6];
        struct weft_link link;
        ck_assert_uint_eq(weft_clos_path(&clos, 0, 15, path, links), 6);
        weft_clos_link(&clos, links[1], &link);
        ck_assert_uint_eq(link.lower.port, ports[path][0]);
        weft_clos_link(&clos, links[2], &link);
        ck_assert_uint_eq(link.lower.port, ports[path][1]);
    }
}
END_TEST

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

static struct weft_fib *
make_fib(const struct weft_clos *clos, const uint64_t *dead, size_t n)
{
    const int64_t size = weft_fib_size(clos, dead, n, true);
    ck_assert_int_gt(size, 0);
    struct weft_fib *fib = malloc((size_t)size);
    ck_assert_int_eq(weft_fib_build(fib, (size_t)size, clos, dead, n, true), 0);
    return fib;
}

static bool
listed(const uint64_t *dead, size_t n, uint64_t link)
{
    for (size_t i = 0; i < n; i++)
    {
        if (dead[i] == link)
        {
            return true;
        }
    }
    return false;
}

START_TEST(a_path_lives_if_all_its_links_do)
{
    struct weft_clos clos;
    struct weft_rng rng;
    uint64_t dead[512];
    shape(&clos, _i);
    weft_rng_seed(&rng, 3, (uint64_t)_i, 0);
    const size_t n = draw(&clos, 8, &rng, dead);
    struct weft_fib *fib = make_fib(&clos, dead, n);
    for (uint32_t src = 0; src < clos.nhosts; src++)
    {
        for (uint32_t dst = 0; dst < clos.nhosts; dst++)
        {
            for (uint32_t path = 0; path < weft_clos_paths(&clos, src, dst); path++)
            {
                uint64_t links[6];
                bool live = true;
                const uint32_t hops = weft_clos_path(&clos, src, dst, path, links);
                for (uint32_t i = 0; i < hops; i++)
                {
                    live = live && !listed(dead, n, links[i]);
                }
                ck_assert_int_eq(weft_fib_path(fib, src, dst, path), live);
            }
        }
    }
    free(fib);
}
END_TEST

/* Live continuations to the namesake in pod @p pod, found among all paths from a host of the pod
 * to one of that pod: of those that take up port @p up of switch tier @p tier. */
static uint32_t
count_paths(const struct weft_clos *clos, const uint64_t *dead, size_t n, uint32_t tor,
            uint32_t pod, uint64_t first)
{
    const uint32_t src = tor * clos->hosts_per_tor;
    const uint32_t dst = pod * clos->tors_per_pod * clos->hosts_per_tor;
    const uint32_t level = first < clos->nhosts + (uint64_t)clos->ntors * clos->up_tor ? 1 : 2;
    uint32_t count = 0;
    for (uint32_t path = 0; path < weft_clos_paths(clos, src, dst); path++)
    {
        uint64_t links[6];
        weft_clos_path(clos, src, dst, path, links);
        count += links[level] == first && !listed(dead, n, first) && !listed(dead, n, links[2]) &&
                 !listed(dead, n, links[3]);
    }
    return count;
}

/* Three tiers without parallel links: ToRs weigh by paths, aggregations by the cores' links. */
START_TEST(weights_count_the_paths_behind_a_port)
{
    struct weft_clos clos;
    struct weft_rng rng;
    uint64_t dead[512];
    shape(&clos, _i);
    weft_rng_seed(&rng, 4, (uint64_t)_i, 0);
    for (uint32_t percent = 0; percent < 60; percent += 6)
    {
        const size_t n = draw(&clos, percent, &rng, dead);
        struct weft_fib *fib = make_fib(&clos, dead, n);
        for (uint32_t pod = 1; pod < clos.npods; pod++)
        {
            for (uint32_t up = 0; up < clos.up_tor; up++)
            {
                const uint64_t tor_link = clos.nhosts + up;
                const uint64_t agg_link = clos.nhosts + (uint64_t)clos.ntors * clos.up_tor + up;
                ck_assert_uint_eq(weft_fib_pod_weight(fib, 0, clos.hosts_per_tor + up, pod),
                                  count_paths(&clos, dead, n, 0, pod, tor_link));
                ck_assert_uint_eq(weft_fib_pod_weight(fib, clos.ntors, clos.tors_per_pod + up, pod),
                                  count_paths(&clos, dead, n, 0, pod, agg_link));
            }
        }
        free(fib);
    }
}
END_TEST

START_TEST(in_the_own_pod_and_with_two_tiers_live_ports_weigh_one)
{
    struct weft_clos clos;
    const int i = _i == 0 ? 0 : 2;
    shape(&clos, i);
    const uint64_t dead[] = {clos.nhosts + 1};
    struct weft_fib *fib = make_fib(&clos, dead, 1);
    for (uint32_t up = 0; up < clos.up_tor * clos.parallel; up++)
    {
        ck_assert_uint_eq(weft_fib_pod_weight(fib, 0, clos.hosts_per_tor + up, 0), up != 1);
        ck_assert_uint_eq(weft_fib_pod_weight(fib, 1, clos.hosts_per_tor + up, 0), 1);
    }
    free(fib);
}
END_TEST

Suite *
paths_suite(void)
{
    Suite *suite = suite_create("paths");
    TCase *tcase = tcase_create("paths");
    tcase_add_loop_test(tcase, paths_are_distinct_shortest_and_complete, 0, NSHAPES);
    tcase_add_loop_test(tcase, a_way_is_the_sum_of_its_links, 0, NSHAPES);
    tcase_add_test(tcase, numbers_go_aggregation_first);
    tcase_add_loop_test(tcase, a_path_lives_if_all_its_links_do, 0, NSHAPES);
    tcase_add_loop_test(tcase, weights_count_the_paths_behind_a_port, 2, 4);
    tcase_add_loop_test(tcase, in_the_own_pod_and_with_two_tiers_live_ports_weigh_one, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}

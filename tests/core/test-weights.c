/* SPDX-License-Identifier: MIT */
/* A user would lose throughput where links have different rates: with as many packets for a slow
 * link as for a fast one, the slow one is full while the fast one waits. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "must.h"

#define GBPS INT64_C(1000000000)

static struct weft_fib *
capacity(const struct weft_clos *clos, const uint64_t *dead, size_t ndead,
         const struct weft_slow_link *slow, size_t nslow)
{
    const struct weft_fib_case of = {dead, ndead, slow, nslow, WEFT_WEIGHTS_CAPACITY};
    const int64_t size = weft_fib_size_for(clos, &of);
    ck_assert_int_gt(size, 0);
    struct weft_fib *fib = calloc(1, (size_t)size);
    ck_assert_int_eq(weft_fib_build_for(fib, (size_t)size - 8, clos, &of), WEFT_ENOMEM);
    ck_assert_int_eq(weft_fib_build_for(fib, (size_t)size, clos, &of), 0);
    return fib;
}

/* How often each port of switch s is a candidate towards a host; returns how many there are. */
static uint32_t
count(const struct weft_clos *clos, const struct weft_fib *fib, uint32_t s, uint32_t dst,
      uint32_t *times)
{
    struct weft_switch_map map;
    struct weft_ports ports;
    weft_clos_switch(clos, s, &map);
    memset(times, 0, WEFT_MAX_PORTS * sizeof *times);
    if (!weft_fib_route(fib, s, &map, dst, &ports))
    {
        return 0;
    }
    for (uint32_t i = 0; i < ports.n; i++)
    {
        times[weft_port_at(&ports, i)]++;
    }
    return ports.n;
}

static void
shape(struct weft_clos *clos, const char *kind, const int64_t *config)
{
    ck_assert_int_eq(weft_topology_find(kind)->build(config, clos), 0);
}

static const int64_t leaf_spine[32] = {3, 3, 2, 1, 100 * GBPS, 0, 0, 0, 1, 0};
static const int64_t uneven[32] = {4, 3, 2, 3, 100 * GBPS, 0, 0, 0, 1, 0};
static const int64_t tree_4[32] = {4, 3, 100 * GBPS, 0, 0, 0, [9] = 1};
static const int64_t tree_6[32] = {6, 3, 100 * GBPS, 0, 0, 0, [9] = 1};
/* Cores at four times the rate of the links below. */
static const int64_t fast_cores[32] = {3,          2,          2,          2, 2, 1, 1,
                                       100 * GBPS, 100 * GBPS, 400 * GBPS, 0, 0, 0, [13] = 1};

/* Three spines; ToR 0's link to the first has 25 Gbit/s, ToR 1's to the second 50, ToR 1's to the
 * first 75. What gets from ToR 0 to ToR 1: 25, 50 and 100. From ToR 0 to ToR 2: 25, 100, 100. */
START_TEST(spines_are_weighed_by_the_slower_of_two_links)
{
    struct weft_clos clos;
    uint32_t times[WEFT_MAX_PORTS];
    shape(&clos, "leaf-spine", leaf_spine);
    const struct weft_slow_link slow[] = {
        {clos.nhosts, 25 * GBPS}, {clos.nhosts + 3, 75 * GBPS}, {clos.nhosts + 4, 50 * GBPS}};
    struct weft_fib *fib = capacity(&clos, NULL, 0, slow, 3);
    ck_assert_uint_eq(count(&clos, fib, 0, 2, times), 7);
    ck_assert_uint_eq(times[2], 1);
    ck_assert_uint_eq(times[3], 2);
    ck_assert_uint_eq(times[4], 4);
    ck_assert_uint_eq(count(&clos, fib, 0, 4, times), 9);
    ck_assert_uint_eq(times[2], 1);
    ck_assert_uint_eq(times[3], 4);
    ck_assert_uint_eq(count(&clos, fib, 3, 2, times), 1); /* a spine has one port to a ToR */
    ck_assert_uint_eq(count(&clos, fib, 0, 1, times), 1); /* and hosts have one */
    free(fib);
}
END_TEST

/* An aggregation has two links of 400 Gbit/s to cores, one of which is left with 200: it gets three
 * quarters of what the other aggregation gets, though one ToR alone could not tell. */
START_TEST(a_tier_that_is_faster_is_weighed_by_its_own_plan)
{
    struct weft_clos clos;
    uint32_t times[WEFT_MAX_PORTS];
    shape(&clos, "clos", fast_cores);
    const uint64_t first_agg = clos.nlinks - (uint64_t)clos.naggs * clos.up_agg;
    const struct weft_slow_link slow = {first_agg, 200 * GBPS};
    struct weft_fib *fib = capacity(&clos, NULL, 0, &slow, 1);
    ck_assert_uint_eq(count(&clos, fib, 0, clos.nhosts - 1, times), 7);
    ck_assert_uint_eq(times[2], 3);
    ck_assert_uint_eq(times[3], 4);
    ck_assert_uint_eq(count(&clos, fib, clos.ntors, clos.nhosts - 1, times), 3);
    ck_assert_uint_eq(times[2], 1);
    ck_assert_uint_eq(times[3], 2);
    free(fib);
}
END_TEST

/* Returns what a link still carries, of 720,720. */
static uint64_t
part_of(const struct weft_clos *clos, uint64_t link, const uint64_t *dead, size_t ndead,
        const struct weft_slow_link *slow, size_t nslow)
{
    struct weft_link l;
    uint64_t rate;
    weft_clos_link(clos, link, &l);
    rate = (uint64_t)l.rate;
    for (size_t i = 0; i < nslow; i++)
    {
        rate = slow[i].link == link ? (uint64_t)slow[i].rate : rate;
    }
    for (size_t i = 0; i < ndead; i++)
    {
        rate = dead[i] == link ? 0 : rate;
    }
    return rate * 720720 / (uint64_t)l.rate;
}

/* The weights of a ToR's ports, path by path. */
static void
check_tor(const struct weft_clos *clos, const struct weft_fib *fib, uint32_t src, uint32_t dst,
          const uint64_t *dead, size_t ndead, const struct weft_slow_link *slow, size_t nslow)
{
    static uint32_t times[WEFT_MAX_PORTS];
    static uint64_t weight[WEFT_MAX_PORTS];
    uint64_t links[6], all = 0;
    memset(weight, 0, sizeof weight);
    for (uint32_t path = 0; path < weft_clos_paths(clos, src, dst); path++)
    {
        const uint32_t n = weft_clos_path(clos, src, dst, path, links);
        uint64_t least = UINT64_MAX;
        struct weft_link first;
        weft_clos_link(clos, links[1], &first);
        for (uint32_t i = 1; i + 1 < n; i++)
        {
            const uint64_t part = part_of(clos, links[i], dead, ndead, slow, nslow);
            least = part < least ? part : least;
        }
        weight[first.lower.port] += least;
        all += least;
    }
    const uint32_t n = count(clos, fib, src / clos->hosts_per_tor, dst, times);
    MUST((n == 0) == (all == 0));
    for (uint32_t port = 0; port < clos->hosts_per_tor + clos->up_tor * clos->parallel; port++)
    {
        MUST(times[port] * all == weight[port] * n);
    }
}

/* Links at a random share of their rate, from a few, and some that are dead. */
static void
draw(const struct weft_clos *clos, struct weft_rng *rng, uint64_t *dead, size_t *ndead,
     struct weft_slow_link *slow, size_t *nslow)
{
    *ndead = *nslow = 0;
    for (uint64_t i = clos->nhosts; i < clos->nlinks; i++)
    {
        struct weft_link link;
        weft_clos_link(clos, i, &link);
        if (weft_rng_below(rng, 10) == 0)
        {
            dead[(*ndead)++] = i;
        }
        if (weft_rng_below(rng, 5) == 0)
        {
            slow[(*nslow)++] =
                (struct weft_slow_link){i, link.rate / 4 * (1 + weft_rng_below(rng, 4))};
        }
    }
}

static const struct
{
    const char *kind;
    const int64_t *config;
} shapes[] = {
    {"leaf-spine", leaf_spine}, {"leaf-spine", uneven}, {"fat-tree", tree_4},
    {"fat-tree", tree_6},       {"clos", fast_cores},
};

#define NSHAPES ((int)(sizeof shapes / sizeof shapes[0]))

START_TEST(tors_weigh_every_path_by_its_slowest_link)
{
    struct weft_clos clos;
    struct weft_rng rng;
    uint64_t dead[512];
    struct weft_slow_link slow[512];
    size_t ndead, nslow;
    weft_rng_seed(&rng, 5, (uint64_t)_i, 0);
    shape(&clos, shapes[_i].kind, shapes[_i].config);
    ck_assert_uint_le(clos.nlinks, 512);
    for (unsigned repeat = 0; repeat < 20; repeat++)
    {
        draw(&clos, &rng, dead, &ndead, slow, &nslow);
        struct weft_fib *fib = capacity(&clos, dead, ndead, slow, nslow);
        for (uint32_t src = 0; src < clos.nhosts; src += clos.hosts_per_tor)
        {
            for (uint32_t dst = 0; dst < clos.nhosts; dst += clos.hosts_per_tor)
            {
                if (src != dst)
                {
                    check_tor(&clos, fib, src, dst, dead, ndead, slow, nslow);
                }
            }
        }
        free(fib);
    }
}
END_TEST

/* Where all links have their rate, capacity is the number of paths. */
START_TEST(without_degraded_links_capacity_is_paths)
{
    struct weft_clos clos;
    struct weft_rng rng;
    uint64_t dead[512];
    struct weft_slow_link slow[512];
    size_t ndead, nslow;
    static uint32_t times[WEFT_MAX_PORTS], plain[WEFT_MAX_PORTS];
    weft_rng_seed(&rng, 6, (uint64_t)_i, 0);
    shape(&clos, shapes[_i].kind, shapes[_i].config);
    draw(&clos, &rng, dead, &ndead, slow, &nslow);
    struct weft_fib *fib = capacity(&clos, dead, ndead, NULL, 0);
    const int64_t size = weft_fib_size(&clos, dead, ndead, true);
    struct weft_fib *paths = malloc((size_t)size);
    ck_assert_int_eq(weft_fib_build(paths, (size_t)size, &clos, dead, ndead, true), 0);
    for (uint32_t s = 0; s < clos.nswitches; s++)
    {
        for (uint32_t dst = 0; dst < clos.nhosts; dst++)
        {
            MUST(count(&clos, fib, s, dst, times) == count(&clos, paths, s, dst, plain));
            MUST(memcmp(times, plain, sizeof times) == 0);
        }
    }
    free(paths);
    free(fib);
}
END_TEST

/* --- graphs ----------------------------------------------------------------------------------- */

static struct graph_rig
{
    struct weft_graph graph;
    struct weft_clos shape;
    struct weft_graph_edge edges[400];
    uint32_t n;
    void *memory;
} g;

static void
add(uint32_t a, uint32_t b, int64_t rate)
{
    g.edges[g.n++] = (struct weft_graph_edge){a, b, rate, 1000, false};
}

static void
build(uint32_t nhosts, uint32_t nswitches)
{
    const struct weft_topology_ops *kind = weft_topology_find("graph");
    struct weft_graph_fault fault;
    uint64_t config[4];
    const int64_t size = weft_graph_size(nhosts, nswitches, g.edges, g.n);
    g.memory = malloc((size_t)size);
    ck_assert_msg(weft_graph_init(&g.graph, g.memory, (size_t)size, nhosts, nswitches, g.edges, g.n,
                                  &fault) == 0,
                  "%s", fault.reason);
    kind->use(config, &g.graph);
    ck_assert_int_eq(kind->build(config, &g.shape), 0);
}

static void
clear(void)
{
    free(g.memory);
    memset(&g, 0, sizeof g);
}

/* Host 0 at switch 2, host 1 at switch 3; between them switches 4 (400 Gbit/s there, 100 on) and 5
 * (two links of 100 there, one of 400 on). Capacities 100, and 100 for each of the two. */
START_TEST(a_graph_with_mixed_rates_by_hand)
{
    uint32_t times[WEFT_MAX_PORTS];
    add(0, 2, 100 * GBPS);
    add(1, 3, 100 * GBPS);
    add(2, 4, 400 * GBPS);
    add(4, 3, 100 * GBPS);
    add(2, 5, 100 * GBPS);
    add(2, 5, 100 * GBPS);
    add(5, 3, 400 * GBPS);
    build(2, 4);
    struct weft_fib *fib = capacity(&g.shape, NULL, 0, NULL, 0);
    ck_assert_uint_eq(count(&g.shape, fib, 0, 1, times), 3);
    ck_assert_uint_eq(times[1] + times[2] + times[3], 3);
    ck_assert_uint_eq(times[1], 1);
    free(fib);
    const struct weft_slow_link slow = {2, 25 * GBPS};
    fib = capacity(&g.shape, NULL, 0, &slow, 1);
    ck_assert_uint_eq(count(&g.shape, fib, 0, 1, times), 9);
    ck_assert_uint_eq(times[1], 1);
    ck_assert_uint_eq(times[2], 4);
    ck_assert_uint_eq(times[3], 4);
    free(fib);
    const uint64_t dead = 6; /* from 5 to 3 */
    fib = capacity(&g.shape, &dead, 1, &slow, 1);
    ck_assert_uint_eq(count(&g.shape, fib, 0, 1, times), 1);
    ck_assert_uint_eq(times[1], 1);
    free(fib);
    clear();
}
END_TEST

/* All that goes by the shortest ways from switch s on, when no more than @p least gets there. */
static int64_t
search(const uint32_t *distance, uint32_t s, int64_t least, int64_t *by_port)
{
    int64_t all = 0;
    if (distance[s] == 0)
    {
        return least;
    }
    for (uint32_t p = g.graph.nhost_ports[s]; g.graph.first_port[s] + p < g.graph.first_port[s + 1];
         p++)
    {
        const struct weft_graph_port *port = &g.graph.ports[g.graph.first_port[s] + p];
        const int64_t rate = g.graph.links[port->link].rate;
        if (distance[port->peer] + 1 == distance[s])
        {
            const int64_t found = search(distance, port->peer, rate < least ? rate : least, NULL);
            all += found;
            if (by_port)
            {
                by_port[p] += found;
            }
        }
    }
    return all;
}

START_TEST(random_graphs_match_a_search_of_all_paths)
{
    static uint32_t times[WEFT_MAX_PORTS];
    static int64_t weight[WEFT_MAX_PORTS];
    static const int64_t rates[] = {25 * GBPS, 50 * GBPS, 100 * GBPS, 400 * GBPS};
    const uint32_t n = 12;
    struct weft_rng rng;
    weft_rng_seed(&rng, 8, (uint64_t)_i, 0);
    for (uint32_t host = 0; host < n; host++)
    {
        add(host, n + host, 100 * GBPS);
    }
    for (uint32_t s = 1; s < n; s++)
    {
        const uint32_t other = n + weft_rng_below(&rng, s);
        add(n + s, other, rates[weft_rng_below(&rng, 4)]);
    }
    for (uint32_t i = 0; i < 24; i++)
    {
        const uint32_t a = weft_rng_below(&rng, n), b = weft_rng_below(&rng, n - 1);
        add(n + a, n + b + (b >= a), rates[weft_rng_below(&rng, 4)]);
    }
    build(n, n);
    struct weft_fib *fib = capacity(&g.shape, NULL, 0, NULL, 0);
    for (uint32_t dst = 0; dst < n; dst++)
    {
        uint32_t distance[12];
        for (uint32_t s = 0; s < n; s++)
        {
            distance[s] = weft_graph_hops(&g.graph, s, dst);
            distance[s] = distance[s] ? distance[s] - 2 : 0;
        }
        for (uint32_t s = 0; s < n; s++)
        {
            memset(weight, 0, sizeof weight);
            const int64_t all = s == dst ? 0 : search(distance, s, INT64_MAX, weight);
            const uint32_t found = s == dst ? 0 : count(&g.shape, fib, s, dst, times);
            for (uint32_t p = 1; s != dst && p < 64; p++)
            {
                MUST((int64_t)times[p] * all == weight[p] * (int64_t)found);
            }
        }
    }
    free(fib);
    clear();
}
END_TEST

START_TEST(degraded_links_that_cannot_be_are_refused)
{
    struct weft_clos clos;
    shape(&clos, "leaf-spine", leaf_spine);
    const struct weft_slow_link beyond = {clos.nlinks, GBPS}, none = {clos.nhosts, 0};
    const struct weft_slow_link twice[] = {{7, GBPS}, {7, GBPS}};
    struct weft_fib_case of = {.slow = &beyond, .nslow = 1, .weights = WEFT_WEIGHTS_CAPACITY};
    ck_assert_int_eq(weft_fib_size_for(&clos, &of), WEFT_ERANGE);
    of.slow = &none;
    ck_assert_int_eq(weft_fib_size_for(&clos, &of), WEFT_ERANGE);
    of.slow = twice;
    of.nslow = 2;
    ck_assert_int_eq(weft_fib_size_for(&clos, &of), WEFT_ERANGE);
    of.nslow = 1;
    ck_assert_int_gt(weft_fib_size_for(&clos, &of), 0);
}
END_TEST

Suite *
weights_suite(void)
{
    Suite *suite = suite_create("weights");
    TCase *tcase = tcase_create("weights");
    tcase_add_test(tcase, spines_are_weighed_by_the_slower_of_two_links);
    tcase_add_test(tcase, a_tier_that_is_faster_is_weighed_by_its_own_plan);
    tcase_add_loop_test(tcase, tors_weigh_every_path_by_its_slowest_link, 0, NSHAPES);
    tcase_add_loop_test(tcase, without_degraded_links_capacity_is_paths, 0, NSHAPES);
    tcase_add_test(tcase, a_graph_with_mixed_rates_by_hand);
    tcase_add_loop_test(tcase, random_graphs_match_a_search_of_all_paths, 0, 20);
    tcase_add_test(tcase, degraded_links_that_cannot_be_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

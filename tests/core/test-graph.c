/* SPDX-License-Identifier: MIT */
/* A user would lose the fabric of another simulator: packets on longer ways, or on a few of the
 * equal ones, or to other hosts. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "must.h"
#include "refused.h"

#define MAX_EDGES 4000
#define FAR       1000000U

static struct rig
{
    struct weft_graph graph;
    struct weft_clos shape;
    struct weft_graph_edge edges[MAX_EDGES];
    uint32_t nedges;
    uint32_t nhosts;
    uint32_t nswitches;
    void *memory;
    struct weft_fib *fib;
    const uint64_t *dead;
    size_t ndead;
} r;

static void
add(uint32_t a, uint32_t b)
{
    ck_assert_uint_lt(r.nedges, MAX_EDGES);
    r.edges[r.nedges++] = (struct weft_graph_edge){a, b, INT64_C(100000000000), 1000000, false};
}

static int
init(struct weft_graph_fault *fault)
{
    const int64_t size = weft_graph_size(r.nhosts, r.nswitches, r.edges, r.nedges);
    ck_assert_int_gt(size, 0);
    free(r.memory);
    r.memory = malloc((size_t)size);
    ck_assert_ptr_nonnull(r.memory);
    return weft_graph_init(&r.graph, r.memory, (size_t)size, r.nhosts, r.nswitches, r.edges,
                           r.nedges, fault);
}

static void
build(void)
{
    const struct weft_topology_ops *kind = weft_topology_find("graph");
    struct weft_graph_fault fault;
    uint64_t config[4];
    ck_assert_msg(init(&fault) == 0, "%s", fault.reason);
    ck_assert_int_eq(kind->build(memset(config, 0, sizeof config), &r.shape), WEFT_EINVAL);
    kind->use(config, &r.graph);
    ck_assert_int_eq(kind->build(config, &r.shape), 0);
}

static void
forward(const uint64_t *dead, size_t ndead)
{
    const int64_t size = weft_fib_size(&r.shape, dead, ndead, true);
    ck_assert_int_gt(size, 0);
    free(r.fib);
    r.fib = malloc((size_t)size);
    ck_assert_int_eq(weft_fib_build(r.fib, (size_t)size - 8, &r.shape, dead, ndead, true),
                     WEFT_ENOMEM);
    ck_assert_int_eq(weft_fib_build(r.fib, (size_t)size, &r.shape, dead, ndead, true), 0);
    r.dead = dead;
    r.ndead = ndead;
}

static void
clear(void)
{
    free(r.memory);
    free(r.fib);
    memset(&r, 0, sizeof r);
}

static bool
is_dead(uint64_t link)
{
    bool dead = false;
    for (size_t i = 0; i < r.ndead; i++)
    {
        dead = dead || r.dead[i] == link;
    }
    return dead;
}

/* Dijkstra as in the text books, over links of length 1: no queue, no order but the distance. */
static void
dijkstra(uint32_t to, uint32_t *distance)
{
    bool done[256] = {false};
    ck_assert_uint_le(r.nswitches, 256);
    for (uint32_t s = 0; s < r.nswitches; s++)
    {
        distance[s] = s == to ? 0 : FAR;
    }
    for (uint32_t round = 0; round < r.nswitches; round++)
    {
        uint32_t best = UINT32_MAX;
        for (uint32_t s = 0; s < r.nswitches; s++)
        {
            best = !done[s] && (best == UINT32_MAX || distance[s] < distance[best]) ? s : best;
        }
        done[best] = true;
        for (uint64_t l = r.nhosts; l < r.shape.nlinks; l++)
        {
            struct weft_link link;
            weft_clos_link(&r.shape, l, &link);
            const uint32_t a = link.lower.index;
            const uint32_t b = link.upper.index;
            if (!is_dead(l) && (a == best || b == best))
            {
                const uint32_t other = a == best ? b : a;
                distance[other] =
                    distance[best] + 1 < distance[other] ? distance[best] + 1 : distance[other];
            }
        }
    }
}

/* The candidates of switch s towards a host: exactly the ports that Dijkstra's distances allow. */
static void
check_row(uint32_t s, uint32_t dst, const uint32_t *distance)
{
    bool wanted[4096] = {false};
    struct weft_switch_map map;
    struct weft_ports ports;
    uint32_t n = 0;
    for (uint64_t l = r.nhosts; l < r.shape.nlinks; l++)
    {
        struct weft_link link;
        weft_clos_link(&r.shape, l, &link);
        const bool below = link.lower.index == s;
        const uint32_t peer = below ? link.upper.index : link.lower.index;
        if ((below || link.upper.index == s) && !is_dead(l) && distance[s] < FAR &&
            distance[peer] + 1 == distance[s])
        {
            wanted[below ? link.lower.port : link.upper.port] = true;
            n++;
        }
    }
    weft_clos_switch(&r.shape, s, &map);
    memset(&ports, 0, sizeof ports);
    ck_assert_int_eq(weft_fib_route(r.fib, s, &map, dst, &ports), n > 0);
    ck_assert_uint_eq(ports.n, n);
    for (uint32_t i = 0; i < n; i++)
    {
        const uint32_t port = weft_port_at(&ports, i);
        ck_assert_uint_lt(port, weft_map_nports(&map));
        ck_assert(wanted[port]);
        ck_assert(i == 0 ? port == ports.first : port > weft_port_at(&ports, i - 1));
    }
}

static void
check_all(void)
{
    uint32_t distance[256];
    for (uint32_t dst = 0; dst < r.nhosts; dst++)
    {
        const uint32_t tor = weft_clos_tor(&r.shape, dst);
        dijkstra(tor, distance);
        for (uint32_t s = 0; s < r.nswitches; s++)
        {
            if (s != tor)
            {
                check_row(s, dst, distance);
            }
        }
        for (uint32_t src = 0; src < r.nhosts && r.ndead == 0; src++)
        {
            const uint32_t links = 2 + distance[weft_clos_tor(&r.shape, src)];
            ck_assert_uint_eq(weft_clos_hops(&r.shape, src, dst), src == dst ? 0 : links);
        }
    }
}

/* Checks that the last hop is the host's own port, and none while its link is down. */
static void
check_last_hops(void)
{
    for (uint32_t dst = 0; dst < r.nhosts; dst++)
    {
        struct weft_link link;
        struct weft_switch_map map;
        struct weft_ports ports;
        weft_clos_link(&r.shape, dst, &link);
        ck_assert(link.lower.is_host && link.lower.index == dst);
        weft_clos_switch(&r.shape, link.upper.index, &map);
        ck_assert_int_eq(weft_fib_route(r.fib, link.upper.index, &map, dst, &ports), !is_dead(dst));
        ck_assert(is_dead(dst) || (ports.n == 1 && weft_port_at(&ports, 0) == link.upper.port));
        ck_assert_uint_lt(link.upper.port, map.first_up);
    }
}

/* A tree to hold it together, then links at random, some of them parallel; hosts anywhere. */
static void
draw(uint32_t nswitches, uint32_t nhosts, uint32_t more, struct weft_rng *rng)
{
    r.nswitches = nswitches;
    r.nhosts = nhosts;
    r.nedges = 0;
    for (uint32_t s = 1; s < nswitches; s++)
    {
        add(nhosts + s, nhosts + weft_rng_below(rng, s));
    }
    for (uint32_t host = 0; host < nhosts; host++)
    {
        add(nhosts + weft_rng_below(rng, nswitches), nhosts - 1 - host);
    }
    while (more > 0)
    {
        const uint32_t a = weft_rng_below(rng, nswitches);
        const uint32_t b = weft_rng_below(rng, nswitches);
        if (a != b)
        {
            add(nhosts + a, nhosts + b);
            more--;
        }
    }
}

START_TEST(forwarding_is_that_of_a_naive_dijkstra)
{
    static const uint32_t sizes[][3] = {{50, 40, 60}, {50, 20, 200}, {50, 60, 10}, {1, 5, 0},
                                        {2, 4, 5},    {7, 3, 30},    {50, 30, 100}};
    struct weft_rng rng;
    weft_rng_seed(&rng, 11, (uint64_t)_i, 0);
    draw(sizes[_i][0], sizes[_i][1], sizes[_i][2], &rng);
    build();
    forward(NULL, 0);
    check_all();
    check_last_hops();
    clear();
}
END_TEST

START_TEST(dead_links_are_gone_round)
{
    uint64_t dead[MAX_EDGES];
    struct weft_rng rng;
    weft_rng_seed(&rng, 12, (uint64_t)_i, 0);
    draw(50, 40, 80, &rng);
    build();
    size_t n = 0;
    for (uint64_t l = 0; l < r.shape.nlinks; l++)
    {
        dead[n] = l;
        n += weft_rng_below(&rng, 100) < 10 + 10 * (uint32_t)_i;
    }
    forward(dead, n);
    check_all();
    check_last_hops();
    clear();
}
END_TEST

/* A port has one link, a link is what was given, and its time counts at its own rate and delay. */
START_TEST(links_keep_their_rates_and_delays)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, 13, 0, 0);
    draw(20, 10, 30, &rng);
    for (uint32_t i = 0; i < r.nedges; i++)
    {
        r.edges[i].rate = (i + 1) * INT64_C(1000000000);
        r.edges[i].delay = i;
    }
    build();
    uint64_t seen = 0;
    for (uint64_t l = 0; l < r.shape.nlinks; l++)
    {
        struct weft_link link;
        int64_t rate;
        int64_t delay;
        weft_clos_link(&r.shape, l, &link);
        ck_assert_int_eq(link.rate, (link.delay + 1) * INT64_C(1000000000));
        seen += (uint64_t)link.delay;
        weft_clos_port(&r.shape, link.upper.index, link.upper.port, &rate, &delay);
        ck_assert(rate == link.rate && delay == link.delay);
        if (!link.lower.is_host)
        {
            weft_clos_port(&r.shape, link.lower.index, link.lower.port, &rate, &delay);
            ck_assert(rate == link.rate && delay == link.delay);
        }
    }
    ck_assert_uint_eq(seen, (uint64_t)r.nedges * (r.nedges - 1) / 2);
    clear();
    /* host 0 - switch 0 - switch 1 - host 1, at 1, 2 and 4 Gbit/s */
    r.nhosts = r.nswitches = 2;
    add(0, 2);
    add(3, 2);
    add(3, 1);
    r.edges[0].rate = INT64_C(1000000000);
    r.edges[1].rate = INT64_C(2000000000);
    r.edges[2].rate = INT64_C(4000000000);
    build();
    ck_assert_int_eq(weft_clos_way(&r.shape, 0, 1, 1000),
                     3 * 1000000 + 8000000 + 4000000 + 2000000);
    /* The load of a Poisson process is of the average host's rate, not of the fastest one's. */
    ck_assert_int_eq(weft_clos_hosts(&r.shape).rate,
                     (r.graph.links[0].rate + r.graph.links[1].rate) / 2);
    clear();
}
END_TEST

/* Takes over a Clos, link by link. */
static void
copy(const char *kind, const int64_t *config, struct weft_clos *clos)
{
    ck_assert_int_eq(weft_topology_find(kind)->build(config, clos), 0);
    r.nhosts = clos->nhosts;
    r.nswitches = clos->nswitches;
    for (uint64_t l = 0; l < clos->nlinks; l++)
    {
        struct weft_link link;
        weft_clos_link(clos, l, &link);
        add(link.lower.index + (link.lower.is_host ? 0 : r.nhosts), r.nhosts + link.upper.index);
        r.edges[l].rate = link.rate;
        r.edges[l].delay = link.delay;
    }
    build();
}

static const int64_t leaf_spine[32] = {5, 3, 2, 3, INT64_C(100000000000), 0, 1000000, 0, 1, 0};
static const int64_t three_tiers[32] = {3,          2,          2, 2, 3, 2, 3, 1000000000,
                                        2000000000, 5000000000, 0, 0, 0, 1, 0};

/* A leaf-spine given as a graph has the same candidates, in the same order. */
START_TEST(a_clos_as_a_graph_is_the_same_clos)
{
    struct weft_clos clos;
    copy("leaf-spine", leaf_spine, &clos);
    forward(NULL, 0);
    ck_assert_uint_eq(r.shape.hosts_per_tor, 2);
    ck_assert_uint_eq(r.shape.ntors, 5);
    for (uint32_t s = 0; s < clos.nswitches; s++)
    {
        struct weft_switch_map map;
        weft_clos_switch(&clos, s, &map);
        for (uint32_t dst = 0; dst < clos.nhosts; dst++)
        {
            struct weft_ports ports;
            struct weft_ports own;
            weft_route(&map, dst, &ports);
            ck_assert(weft_fib_route(r.fib, s, &map, dst, &own));
            ck_assert_uint_eq(ports.n, own.n);
            for (uint32_t i = 0; i < ports.n; i++)
            {
                ck_assert_uint_eq(weft_port_at(&ports, i), weft_port_at(&own, i));
            }
        }
    }
    clear();
}
END_TEST

/* The ideal completion time is that of the links on the way: of a Clos the same however it is
 * given.
 */
START_TEST(the_best_path_is_that_of_the_same_clos)
{
    struct weft_clos clos;
    copy("clos", three_tiers, &clos);
    for (uint32_t a = 0; a < clos.nhosts; a++)
    {
        for (uint32_t b = 0; b < clos.nhosts; b++)
        {
            struct weft_hop hops[6];
            struct weft_hop own[6];
            const uint32_t links = weft_clos_best_path(&clos, a, b, hops, 6);
            MUST(weft_clos_best_path(&r.shape, a, b, own, 6) == links);
            MUST(links == weft_clos_hops(&clos, a, b));
            for (uint32_t i = 0; i < links; i++)
            {
                MUST(own[i].rate == hops[i].rate && own[i].delay == hops[i].delay);
            }
        }
    }
    clear();
}
END_TEST

/* Two shortest ways, the first one slow, the other one long: nothing can be faster than the best of
 * both. The way round, by faster links, is not the shortest. */
START_TEST(the_best_path_has_the_best_of_all_shortest_ones)
{
    static const uint32_t ends[][2] = {{0, 2}, {2, 3}, {2, 4}, {3, 5}, {4, 5},
                                       {5, 1}, {2, 6}, {6, 7}, {7, 5}, {2, 3}};
    static const int64_t gbps[] = {400, 10, 100, 10, 100, 200, 800, 800, 800, 50};
    static const int64_t us[] = {1, 2, 9, 2, 9, 3, 1, 1, 1, 4};
    r.nhosts = 2;
    r.nswitches = 6;
    for (uint32_t i = 0; i < 10; i++)
    {
        add(ends[i][0], ends[i][1]);
        r.edges[i].rate = gbps[i] * INT64_C(1000000000);
        r.edges[i].delay = us[i] * 1000000;
    }
    build();
    static const int64_t best[4][2] = {{400, 1}, {100, 2}, {100, 2}, {200, 3}};
    for (uint32_t most = 0; most < 6; most++)
    {
        struct weft_hop hops[6] = {{0, 0}};
        ck_assert_uint_eq(weft_graph_best_path(&r.graph, 0, 1, hops, most), 4);
        for (uint32_t i = 0; i < 6; i++)
        {
            const bool given = i < most && i < 4;
            ck_assert_int_eq(hops[i].rate, given ? best[i][0] * 1000000000 : 0);
            ck_assert_int_eq(hops[i].delay, given ? best[i][1] * 1000000 : 0);
        }
    }
    ck_assert_uint_eq(weft_graph_best_path(&r.graph, 1, 1, NULL, 0), 0);
    clear();
}
END_TEST

static double
rho(const struct weft_clos *shape, uint64_t dead, const struct weft_flow *flows, size_t n,
    enum weft_split split)
{
    /* A host's link, or one between switches. */
    const struct weft_slow_link slow = {dead * 7 % shape->nlinks, INT64_C(300000000)};
    struct weft_rho out;
    const int64_t fib_size = weft_fib_size(shape, &dead, 1, false);
    const int64_t size = weft_rho_size(shape, n);
    struct weft_fib *fib = malloc((size_t)fib_size);
    void *memory = malloc((size_t)size);
    ck_assert_int_eq(weft_fib_build(fib, (size_t)fib_size, shape, &dead, 1, false), 0);
    const struct weft_rho_plane links = {fib, &slow, 1};
    ck_assert_int_eq(weft_rho_max(memory, (size_t)size, shape, &links, flows, n, split, &out), 0);
    ck_assert_uint_eq(out.lost, dead < shape->nhosts ? 2 * (shape->nhosts - 1) : 0);
    free(memory);
    free(fib);
    return out.share;
}

/* Hosts may send at the same rate by the formulas for a Clos and by the flows' ways. */
START_TEST(rho_max_is_that_of_the_same_clos)
{
    struct weft_clos clos;
    struct weft_flow flows[200];
    size_t n = 0;
    copy(_i ? "clos" : "leaf-spine", _i ? three_tiers : leaf_spine, &clos);
    for (uint32_t src = 0; src < clos.nhosts; src++)
    {
        for (uint32_t dst = 0; dst < clos.nhosts; dst++)
        {
            flows[n] = (struct weft_flow){src, dst};
            n += src != dst;
        }
    }
    for (uint64_t dead = 0; dead < clos.nlinks; dead++)
    {
        ck_assert_double_eq_tol(rho(&r.shape, dead, flows, n, WEFT_SPLIT_PATH),
                                rho(&clos, dead, flows, n, WEFT_SPLIT_PATH), 1e-9);
        ck_assert_double_eq_tol(rho(&r.shape, dead, flows, n, WEFT_SPLIT_HOP),
                                rho(&clos, dead, flows, n, WEFT_SPLIT_HOP), 1e-9);
    }
    clear();
}
END_TEST

static void
wrong(const char *part, uint32_t edge, uint32_t node)
{
    struct weft_graph_fault fault;
    ck_assert_int_lt(init(&fault), 0);
    ck_assert_msg(strstr(fault.reason, part) != NULL, "%s", fault.reason);
    ck_assert_uint_eq(fault.edge, edge);
    ck_assert_uint_eq(fault.node, node);
    clear();
}

static void
pair(void)
{
    r.nhosts = r.nswitches = 2;
    add(0, 2);
    add(1, 3);
    add(2, 3);
}

START_TEST(what_is_no_fabric_is_refused_by_name)
{
    pair();
    r.edges[1].b = 4;
    wrong("does not exist", 1, UINT32_MAX);
    pair();
    r.edges[2].b = 2;
    wrong("to itself", 2, UINT32_MAX);
    pair();
    r.edges[1] = r.edges[0];
    r.edges[1].b = 1;
    wrong("joins two hosts", 1, UINT32_MAX);
    pair();
    add(3, 1);
    wrong("has a link to that switch already", 3, UINT32_MAX);
    pair();
    r.edges[1].a = 2;
    wrong("has no link", UINT32_MAX, 1);
    pair();
    r.nedges = 2;
    wrong("no way leads", UINT32_MAX, 0);
    pair();
    r.nedges = 1;
    wrong("fewer links than hosts", UINT32_MAX, UINT32_MAX);
    pair();
    r.edges[2].rate = 0;
    wrong("rate is out of range", 2, UINT32_MAX);
    pair();
    r.edges[2].delay = -1;
    wrong("delay is out of range", 2, UINT32_MAX);
    static struct weft_graph_edge
        none[60000]; /* as good as none: all hosts at switches of theirs */
    for (uint32_t i = 0; i < 30000; i++)
    {
        none[i] = (struct weft_graph_edge){i, 30000 + i, 0, 0, false};
    }
    ck_assert_int_eq(weft_graph_size(0, 1, none, 1), WEFT_ERANGE);
    ck_assert_int_eq(weft_graph_size(1, 0, none, 1), WEFT_ERANGE);
    ck_assert_int_eq(weft_graph_size(UINT32_MAX, UINT32_MAX, none, UINT32_MAX), WEFT_EOVERFLOW);
    ck_assert_int_eq(weft_graph_size(30000, 30000, none, 60000), WEFT_EOVERFLOW);
}
END_TEST

/* Checks that balancers that rest on a Clos say so, whatever they have missed first. */
static void
check_refusals(const struct weft_site *site)
{
    static const char *const names[] = {"themis", "ofan",     "host-dr", "ethereal", "letflow",
                                        "conga",  "conweave", "prime",   "co-prime"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
    {
        const struct weft_lb_ops *lb = weft_lb_find(names[i]);
        uint64_t config[64];
        void *state = calloc(lb->state_size(memset(config, 0, sizeof config), site) / 8 + 2, 8);
        ck_assert_uint_le(lb->algo.config_size, sizeof config);
        ck_assert_int_eq(weft_config_default(&lb->algo, config), 0);
        struct weft_refusal why = {0};
        struct weft_site asked = *site;
        asked.why = &why;
        ck_assert_int_eq(lb->init(state, config, &asked), WEFT_ENOTCLOS);
        ck_assert_ptr_nonnull(strstr(refused(WEFT_ENOTCLOS, &why), "needs a Clos"));
        free(state);
    }
}

/* Balancers that rest on a Clos must not work on something else by chance. */
START_TEST(a_graph_is_no_clos)
{
    const struct weft_mmu_config buffer = {.buffer = 1 << 20};
    struct weft_site site;
    pair();
    build();
    ck_assert_int_eq(weft_clos_check(&r.shape), WEFT_EINVAL);
    ck_assert(!weft_clos_even(&r.shape));
    weft_clos_site(&r.shape, &buffer, 0, 1, 1, &site);
    site.provides = WEFT_NEEDS_ALL;
    ck_assert_ptr_null(site.clos);
    ck_assert_uint_eq(site.tiers, 0);
    check_refusals(&site);
    ck_assert_uint_eq(site.nports, 2);
    ck_assert_uint_eq(site.up_ports, 1);
    clear();
}
END_TEST

Suite *
graph_suite(void)
{
    Suite *suite = suite_create("graph");
    TCase *tcase = tcase_create("graph");
    tcase_add_loop_test(tcase, forwarding_is_that_of_a_naive_dijkstra, 0, 7);
    tcase_add_loop_test(tcase, dead_links_are_gone_round, 0, 6);
    tcase_add_test(tcase, links_keep_their_rates_and_delays);
    tcase_add_test(tcase, a_clos_as_a_graph_is_the_same_clos);
    tcase_add_test(tcase, the_best_path_is_that_of_the_same_clos);
    tcase_add_test(tcase, the_best_path_has_the_best_of_all_shortest_ones);
    tcase_add_loop_test(tcase, rho_max_is_that_of_the_same_clos, 0, 2);
    tcase_add_test(tcase, what_is_no_fabric_is_refused_by_name);
    tcase_add_test(tcase, a_graph_is_no_clos);
    suite_add_tcase(suite, tcase);
    return suite;
}

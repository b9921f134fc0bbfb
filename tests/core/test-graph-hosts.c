/* SPDX-License-Identifier: MIT */
/* Hosts of a graph with several links. If this fails, packets leave by ports that do not lead to
 * their receivers, or by longer ways, or a server's own network carries what is not its own. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "must.h"

#define MOST_EDGES    400U
#define MOST_SWITCHES 24U
#define MOST_PORTS    64U
#define FAR           1000000U
#define GBPS          INT64_C(1000000000)

static struct
{
    struct weft_graph graph;
    struct weft_clos shape;
    struct weft_graph_edge edge[MOST_EDGES];
    uint32_t n, nhosts, nswitches;
    uint64_t dead[MOST_EDGES];
    size_t ndead;
    void *memory;
    struct weft_fib *fib;
} g;

static void
add(uint32_t host, uint32_t sw, bool inside)
{
    MUST(g.n < MOST_EDGES);
    g.edge[g.n++] = (struct weft_graph_edge){host, g.nhosts + sw, (inside ? 900 : 100) * GBPS,
                                             inside ? 25000 : 1000000, inside};
}

static int
build(struct weft_graph_fault *fault)
{
    const struct weft_topology_ops *kind = weft_topology_find("graph");
    uint64_t config[4] = {0};
    const int64_t size = weft_graph_size(g.nhosts, g.nswitches, g.edge, g.n);
    MUST(size > 0);
    g.memory = malloc((size_t)size);
    const int code = weft_graph_init(&g.graph, g.memory, (size_t)size, g.nhosts, g.nswitches,
                                     g.edge, g.n, fault);
    if (code == 0)
    {
        kind->use(config, &g.graph);
        MUST(kind->build(config, &g.shape) == 0);
    }
    return code;
}

static void
forward(enum weft_weights weights)
{
    const struct weft_fib_case of = {.dead = g.dead, .ndead = g.ndead, .weights = weights};
    const int64_t size = weft_fib_size_for(&g.shape, &of);
    MUST(size > 0);
    g.fib = malloc((size_t)size);
    MUST(weft_fib_build_for(g.fib, (size_t)size, &g.shape, &of) == 0);
}

static void
clear(void)
{
    free(g.fib);
    free(g.memory);
    memset(&g, 0, sizeof g);
}

/* --- by hand ---------------------------------------------------------------------------------- */

static bool
is_dead(uint64_t link)
{
    bool dead = false;
    for (size_t i = 0; i < g.ndead; i++)
    {
        dead = dead || g.dead[i] == link;
    }
    return dead;
}

/* Whether there is a link between a host and a switch, dead or alive; *@p port is the host's then,
 * and *@p number the link's. */
static bool
is_given(uint32_t host, uint32_t sw, bool inside, uint32_t *port, uint32_t *number)
{
    uint32_t before = 0, link = 0;
    for (uint32_t i = 0; i < g.n; i++)
    {
        link += g.edge[i].a < host;
    }
    for (uint32_t i = 0; i < g.n; i++)
    {
        if (g.edge[i].a == host && g.edge[i].b == g.nhosts + sw && g.edge[i].scale_up == inside)
        {
            *port = before;
            *number = link + before;
            return true;
        }
        before += g.edge[i].a == host;
    }
    return false;
}

/* Whether that link is alive. */
static bool
is_joined(uint32_t host, uint32_t sw, bool inside, uint32_t *port)
{
    uint32_t number;
    return is_given(host, sw, inside, port, &number) && !is_dead(number);
}

static bool
is_linked(uint32_t a, uint32_t b)
{
    bool linked = false;
    for (uint64_t i = 0; i < g.shape.nlinks; i++)
    {
        struct weft_link link;
        weft_planes_link(&g.shape, i, &link);
        const bool same = (link.lower.index == a && link.upper.index == b) ||
                          (link.lower.index == b && link.upper.index == a);
        linked = linked || (!link.lower.is_host && same && !is_dead(i));
    }
    return linked;
}

/* Links from each switch to the nearest one of a host. */
static void
measure(uint32_t host, uint32_t *distance)
{
    bool linked[MOST_SWITCHES][MOST_SWITCHES];
    uint32_t port;
    for (uint32_t s = 0; s < g.nswitches; s++)
    {
        distance[s] = is_joined(host, s, false, &port) ? 0 : FAR;
        for (uint32_t t = 0; t < g.nswitches; t++)
        {
            linked[s][t] = is_linked(s, t);
        }
    }
    for (uint32_t round = 0; round < g.nswitches; round++)
    {
        for (uint32_t i = 0; i < g.nswitches * g.nswitches; i++)
        {
            const uint32_t s = i / g.nswitches, t = i % g.nswitches;
            const bool better = linked[s][t] && distance[t] + 1 < distance[s];
            distance[s] = better ? distance[t] + 1 : distance[s];
        }
    }
}

static uint64_t
ways_by_hand(uint32_t src, uint32_t dst, const uint32_t *distance)
{
    uint64_t inside = 0, outside = 0;
    uint32_t port, other, number, least = FAR;
    for (uint32_t s = 0; s < g.nswitches; s++)
    {
        if (is_given(dst, s, true, &other, &number) && is_given(src, s, true, &port, &number))
        {
            inside |= UINT64_C(1) << port;
        }
        if (is_joined(src, s, false, &port) && distance[s] < FAR)
        {
            outside = distance[s] < least ? 0 : outside;
            outside |= (uint64_t)(distance[s] <= least) << port;
            least = distance[s] < least ? distance[s] : least;
        }
    }
    return inside ? inside : outside;
}

/* --- comparisons ------------------------------------------------------------------------------ */

/* Whether a switch's candidates are those that they should be. */
static void
compare_route(uint32_t sw, uint32_t dst, const uint32_t *distance)
{
    struct weft_switch_map map;
    struct weft_ports ports;
    bool is[MOST_EDGES] = {false};
    uint32_t own, n = 0;
    const bool last = is_joined(dst, sw, false, &own) || is_joined(dst, sw, true, &own);
    weft_clos_switch(&g.shape, sw, &map);
    const bool any = weft_fib_route(g.fib, sw, &map, dst, &ports);
    for (uint32_t i = 0; i < ports.n; i++)
    {
        is[weft_port_at(&ports, i)] = true;
    }
    for (uint64_t i = 0; i < g.shape.nlinks; i++)
    {
        struct weft_link link;
        weft_planes_link(&g.shape, i, &link);
        const bool up = !link.lower.is_host && link.lower.index == sw;
        const struct weft_end *end = up ? &link.lower : &link.upper;
        if (end->index != sw || (end == &link.upper && link.upper.index != sw))
        {
            continue;
        }
        const uint32_t peer = up ? link.upper.index : link.lower.index;
        const bool leads = link.lower.is_host ? last && peer == dst
                                              : !last && distance[sw] < FAR && !is_dead(i) &&
                                                    distance[peer] + 1 == distance[sw];
        MUST(is[end->port] == leads);
        n += leads;
    }
    MUST(any == (n > 0));
}

/* Whether hosts can reach each other: by switches, or by one of a server that both are in. */
static bool
meet(uint32_t a, uint32_t b)
{
    bool reached[MOST_SWITCHES] = {false}, met = a == b;
    uint32_t port;
    for (uint32_t s = 0; s < g.nswitches; s++)
    {
        reached[s] = is_joined(a, s, false, &port);
        met = met || (is_joined(a, s, true, &port) && is_joined(b, s, true, &port));
    }
    for (uint32_t i = 0; i < g.n * g.nswitches; i++)
    {
        const struct weft_graph_edge *e = &g.edge[i % g.n];
        if (e->a >= g.nhosts && (reached[e->a - g.nhosts] || reached[e->b - g.nhosts]))
        {
            reached[e->a - g.nhosts] = reached[e->b - g.nhosts] = true;
        }
    }
    for (uint32_t s = 0; s < g.nswitches; s++)
    {
        met = met || (reached[s] && is_joined(b, s, false, &port));
    }
    return met;
}

static bool
all_meet(void)
{
    bool all = true;
    for (uint32_t i = 0; i < g.nhosts * g.nhosts; i++)
    {
        all = all && meet(i / g.nhosts, i % g.nhosts);
    }
    return all;
}

/* Draws a fabric: servers of @p each hosts with a network of their own, some without; leaves that
 * hosts have one to three links to; spines above. Where it has @p gaps, hosts may have none of
 * these, and leaves no link to a spine. */
static void
draw(struct weft_rng *rng, bool gaps)
{
    const uint32_t each = 1 + weft_rng_below(rng, 4), servers = 1 + weft_rng_below(rng, 4);
    const uint32_t leaves = 2 + weft_rng_below(rng, 6), spines = 1 + weft_rng_below(rng, 3);
    g.nhosts = each * servers;
    g.nswitches = servers + leaves + spines;
    const bool nv = weft_rng_below(rng, 4) > 0, last = weft_rng_below(rng, 2);
    for (uint32_t host = 0; host < g.nhosts; host++)
    {
        const bool alone = gaps && nv && weft_rng_below(rng, 4) == 0;
        const uint32_t links = alone ? 0 : 1 + weft_rng_below(rng, 3);
        const uint32_t first = weft_rng_below(rng, leaves);
        if (nv && !last)
        {
            add(host, host / each, true);
        }
        for (uint32_t i = 0; i < links && i < leaves; i++)
        {
            add(host, servers + (first + i) % leaves, false);
        }
        if (nv && last)
        {
            add(host, host / each, true);
        }
    }
    for (uint32_t leaf = 0; leaf < leaves; leaf++)
    {
        if (leaf > 0 && weft_rng_below(rng, 3) == 0)
        {
            add(g.nhosts + servers + leaf - 1, servers + leaf, false);
        }
        for (uint32_t spine = 0; spine < spines; spine++)
        {
            if (gaps ? weft_rng_below(rng, 2) : spine == 0 || weft_rng_below(rng, 4) > 0)
            {
                add(g.nhosts + servers + leaf, servers + leaves + spine, false);
            }
        }
    }
}

static void
compare_all(void)
{
    for (uint32_t dst = 0; dst < g.nhosts; dst++)
    {
        uint32_t distance[MOST_SWITCHES];
        measure(dst, distance);
        for (uint32_t src = 0; src < g.nhosts && g.graph.most_ports > 1; src++)
        {
            const uint64_t ways = src == dst ? 0 : ways_by_hand(src, dst, distance);
            MUST(src == dst || weft_fib_ways(g.fib, src, dst) == ways);
            MUST(src == dst || g.ndead > 0 || weft_clos_ways(&g.shape, src, dst) == ways);
        }
        for (uint32_t s = 0; s < g.nswitches && g.graph.most_ports > 1; s++)
        {
            compare_route(s, dst, distance);
        }
    }
}

START_TEST(ports_and_routes_are_those_found_by_hand)
{
    struct weft_rng rng;
    uint32_t several = 0;
    weft_rng_seed(&rng, (uint64_t)_i, 0, 0x686f7374);
    for (uint32_t round = 0; round < 30; round++)
    {
        struct weft_graph_fault fault;
        draw(&rng, false);
        MUST(all_meet() && build(&fault) == 0);
        several += g.graph.most_ports > 1;
        for (uint32_t i = 0; round % 3 > 0 && i < g.shape.nlinks; i++)
        {
            if (weft_rng_below(&rng, 6) == 0)
            {
                g.dead[g.ndead++] = i;
            }
        }
        forward(round % 2 ? WEFT_WEIGHTS_NONE : WEFT_WEIGHTS_CAPACITY);
        compare_all();
        clear();
    }
    ck_assert_uint_gt(several, 15);
}
END_TEST

START_TEST(hosts_that_do_not_meet_are_named)
{
    struct weft_rng rng;
    uint32_t refusals = 0;
    weft_rng_seed(&rng, (uint64_t)_i, 0, 0x67617073);
    for (uint32_t round = 0; round < 60; round++)
    {
        struct weft_graph_fault fault = {.reason = NULL};
        draw(&rng, true);
        const bool good = all_meet();
        const int code = build(&fault);
        MUST((code == 0) == good);
        refusals += !good;
        if (!good && strstr(fault.reason, "no way leads") != NULL)
        {
            MUST(fault.node < fault.other && fault.other < g.nhosts);
            MUST(!meet(fault.node, fault.other));
        }
        clear();
    }
    ck_assert_uint_gt(refusals, 15);
    ck_assert_uint_lt(refusals, 45);
}
END_TEST

/* --- examples --------------------------------------------------------------------------------- */

/* Two servers of two hosts, each with a network of its own and a link to both of two leaves. */
static void
two_servers(void)
{
    g.nhosts = 4;
    g.nswitches = 4;
    for (uint32_t host = 0; host < 4; host++)
    {
        add(host, host / 2, true);
        add(host, 2, false);
        add(host, 3, false);
    }
}

START_TEST(a_servers_hosts_reach_each_other_by_its_network_alone)
{
    struct weft_graph_fault fault;
    two_servers();
    ck_assert_int_eq(build(&fault), 0);
    ck_assert_uint_eq(weft_clos_ways(&g.shape, 0, 1), 1);
    ck_assert_uint_eq(weft_clos_ways(&g.shape, 0, 2), 6);
    ck_assert_int_eq(weft_clos_ways_rate(&g.shape, 0, 1), 900 * GBPS);
    ck_assert_int_eq(weft_clos_ways_rate(&g.shape, 0, 2), 200 * GBPS);
    ck_assert_uint_eq(weft_clos_hops(&g.shape, 0, 1), 2);
    ck_assert_uint_eq(weft_clos_hops(&g.shape, 0, 2), 2);
    /* 900 bytes at 900 and at 100 Gbit/s, twice each. */
    ck_assert_int_eq(weft_clos_way(&g.shape, 0, 1, 900), 2 * (8000 + 25000));
    ck_assert_int_eq(weft_clos_way(&g.shape, 0, 2, 900), 2 * (72000 + 1000000));
    ck_assert_int_eq(weft_planes_host_rate(&g.shape), 200 * GBPS);
    ck_assert_uint_eq(weft_clos_hosts(&g.shape).n, 4);
    ck_assert_int_eq(weft_clos_hosts(&g.shape).rate, 200 * GBPS);
    clear();
}
END_TEST

START_TEST(a_server_whose_network_is_dead_waits_for_it)
{
    struct weft_graph_fault fault;
    two_servers();
    ck_assert_int_eq(build(&fault), 0);
    g.dead[g.ndead++] = 3; /* host 1's */
    forward(WEFT_WEIGHTS_NONE);
    ck_assert_uint_eq(weft_fib_ways(g.fib, 0, 1), 1);
    ck_assert_uint_eq(weft_fib_ways(g.fib, 1, 0), 1);
    ck_assert_uint_eq(weft_fib_ways(g.fib, 1, 2), 6);
    ck_assert_uint_eq(weft_fib_ways(g.fib, 2, 3), 1);
    clear();
}
END_TEST

START_TEST(a_server_alone_is_a_fabric)
{
    struct weft_graph_fault fault;
    g.nhosts = 3;
    g.nswitches = 1;
    for (uint32_t host = 0; host < 3; host++)
    {
        add(host, 0, true);
    }
    ck_assert_int_eq(build(&fault), 0);
    ck_assert_uint_eq(weft_clos_ways(&g.shape, 0, 2), 1);
    ck_assert_int_eq(weft_clos_hosts(&g.shape).rate, 900 * GBPS);
    clear();
}
END_TEST

static void
refused(const char *part, uint32_t edge, uint32_t node, uint32_t other)
{
    struct weft_graph_fault fault;
    ck_assert_int_lt(build(&fault), 0);
    ck_assert_msg(strstr(fault.reason, part) != NULL, "%s", fault.reason);
    ck_assert_uint_eq(fault.edge, edge);
    ck_assert_uint_eq(fault.node, node);
    ck_assert_uint_eq(fault.other, other);
    clear();
}

START_TEST(what_cannot_be_is_refused)
{
    two_servers();
    g.edge[11].b = g.edge[10].b;
    refused("to that switch already", 11, UINT32_MAX, UINT32_MAX);
    two_servers();
    g.edge[g.n++] = (struct weft_graph_edge){4, 5, GBPS, 0, true};
    refused("joins two switches", 12, UINT32_MAX, UINT32_MAX);
    two_servers();
    g.edge[10].a = g.edge[11].a = 2; /* host 3 is in its server alone */
    g.edge[10].b = 4;
    g.edge[11].b = 5;
    g.nswitches = 6;
    g.edge[10].b = g.nhosts + 4;
    g.edge[11].b = g.nhosts + 5;
    refused("no way leads", UINT32_MAX, 0, 3);
    g.nhosts = 2;
    g.nswitches = 65;
    for (uint32_t s = 0; s < 65; s++)
    {
        add(0, s, false);
    }
    add(1, 0, false);
    refused("at most 64", UINT32_MAX, 0, UINT32_MAX);
}
END_TEST

START_TEST(a_scale_up_switch_is_of_one_server)
{
    struct weft_graph_fault fault;
    two_servers();
    add(g.nhosts, 2, false);
    refused("scale-up switch", 12, UINT32_MAX, UINT32_MAX);
    two_servers();
    add(g.nhosts, 1, false);
    refused("scale-up switch", 12, UINT32_MAX, UINT32_MAX);
    two_servers();
    add(0, 1, false);
    refused("scale-up switch", 12, UINT32_MAX, UINT32_MAX);
    two_servers();
    add(0, 1, true);
    refused("two servers", 12, UINT32_MAX, UINT32_MAX);
    two_servers(); /* a second switch of host 2's and 3's server, one of host 3's alone */
    g.nswitches = 6;
    add(2, 4, true);
    add(3, 4, true);
    add(3, 5, true);
    ck_assert_int_eq(build(&fault), 0);
    ck_assert_uint_eq(weft_clos_ways(&g.shape, 2, 3), 9);
    clear();
}
END_TEST

/* Two servers of two hosts, with a ToR for each rail and no link between the ToRs. */
static void
two_rails(void)
{
    g.nhosts = 4;
    g.nswitches = 4;
    for (uint32_t host = 0; host < 4; host++)
    {
        add(host, host / 2, true);
        add(host, 2 + host % 2, false);
    }
}

START_TEST(rails_that_do_not_meet_are_refused)
{
    two_rails();
    refused("no way leads", UINT32_MAX, 1, 2);
    two_rails();
    add(4 + 2, 3, false);
    struct weft_graph_fault fault;
    ck_assert_int_eq(build(&fault), 0);
    ck_assert_uint_eq(weft_clos_hops(&g.shape, 1, 2), 3);
    clear();
    two_servers(); /* host 3 is in no fabric, and reaches host 2 alone */
    g.n--;
    g.n--;
    refused("no way leads", UINT32_MAX, 0, 3);
    two_rails(); /* no host is in a fabric */
    for (uint32_t host = 0; host < 4; host++)
    {
        g.edge[host] = g.edge[2 * (size_t)host];
    }
    g.n = 4;
    refused("no way leads", UINT32_MAX, 0, 2);
}
END_TEST

Suite *
graph_hosts_suite(void)
{
    Suite *suite = suite_create("graph-hosts");
    TCase *tcase = tcase_create("graph-hosts");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, ports_and_routes_are_those_found_by_hand, 0, 10);
    tcase_add_loop_test(tcase, hosts_that_do_not_meet_are_named, 0, 10);
    tcase_add_test(tcase, a_servers_hosts_reach_each_other_by_its_network_alone);
    tcase_add_test(tcase, a_server_whose_network_is_dead_waits_for_it);
    tcase_add_test(tcase, a_server_alone_is_a_fabric);
    tcase_add_test(tcase, what_cannot_be_is_refused);
    tcase_add_test(tcase, a_scale_up_switch_is_of_one_server);
    tcase_add_test(tcase, rails_that_do_not_meet_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

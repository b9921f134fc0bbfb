/* SPDX-License-Identifier: MIT */
/* A user would lose a large dumbbell or star: it would be refused, or hosts behind the last ports
 * of a switch would be out of reach. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/weft.h>

#define MANY 8192U /* ports of a switch that a user may count on */

static struct rig
{
    struct weft_graph graph;
    struct weft_graph_fault fault;
    struct weft_clos shape;
    struct weft_graph_edge edges[2 * MANY + 1];
    uint32_t nedges;
    uint32_t nhosts;
    void *memory;
    struct weft_fib *fib;
} r;

static void
add(uint32_t a, uint32_t b)
{
    r.edges[r.nedges++] = (struct weft_graph_edge){a, b, INT64_C(100000000000), 1000000, false};
}

/* Two switches with @p hosts hosts each, and @p links links between them, the first one of half the
 * rate. */
static int
dumbbell(uint32_t hosts, uint32_t links)
{
    memset(&r, 0, sizeof r);
    r.nhosts = 2 * hosts;
    for (uint32_t i = 0; i < r.nhosts; i++)
    {
        add(i, r.nhosts + (i >= hosts));
    }
    for (uint32_t i = 0; i < links; i++)
    {
        add(r.nhosts, r.nhosts + 1);
    }
    r.edges[r.nhosts].rate /= 2;
    const int64_t size = weft_graph_size(r.nhosts, 2, r.edges, r.nedges);
    ck_assert_int_gt(size, 0);
    r.memory = malloc((size_t)size);
    return weft_graph_init(&r.graph, r.memory, (size_t)size, r.nhosts, 2, r.edges, r.nedges,
                           &r.fault);
}

static void
forward(enum weft_weights weights)
{
    const struct weft_topology_ops *kind = weft_topology_find("graph");
    const struct weft_fib_case of = {.weights = weights};
    uint64_t config[4] = {0};
    kind->use(config, &r.graph);
    ck_assert_int_eq(kind->build(config, &r.shape), 0);
    const int64_t size = weft_fib_size_for(&r.shape, &of);
    ck_assert_int_gt(size, 0);
    r.fib = malloc((size_t)size);
    ck_assert_int_eq(weft_fib_build_for(r.fib, (size_t)size, &r.shape, &of), 0);
}

static struct weft_ports
route(uint32_t sw, uint32_t host)
{
    struct weft_ports ports;
    struct weft_switch_map map;
    weft_clos_switch(&r.shape, sw, &map);
    ck_assert_uint_eq(weft_map_nports(&map), MANY);
    ck_assert(weft_fib_route(r.fib, sw, &map, host, &ports));
    return ports;
}

static void
clear(void)
{
    free(r.memory);
    free(r.fib);
}

/* Every host is behind a port of its own, and the last one's is not taken for another. */
START_TEST(a_switch_has_all_the_ports_that_it_may_have)
{
    ck_assert_msg(dumbbell(MANY - 1, 1) == 0, "%s", r.fault.reason);
    forward(WEFT_WEIGHTS_NONE);
    for (uint32_t host = 0; host < r.nhosts; host++)
    {
        const uint32_t own = host / (MANY - 1);
        const struct weft_ports down = route(own, host);
        const struct weft_ports across = route(1 - own, host);
        ck_assert_uint_eq(down.n, 1);
        ck_assert_uint_eq(weft_port_at(&down, 0), host % (MANY - 1));
        ck_assert_uint_eq(weft_port_at(&across, 0), MANY - 1);
    }
    clear();
    ck_assert_int_eq(dumbbell(MANY, 1), WEFT_EOVERFLOW);
    ck_assert_str_eq(r.fault.reason, "the switch has too many links; expected at most 8192");
    ck_assert_uint_eq(r.fault.node, r.nhosts);
    clear();
}
END_TEST

/* Parallel links are ports as well, each of them once, however they weigh. */
START_TEST(a_list_holds_every_port)
{
    static uint32_t times[MANY];
    ck_assert_msg(dumbbell(1, MANY - 1) == 0, "%s", r.fault.reason);
    forward(WEFT_WEIGHTS_CAPACITY);
    ck_assert_uint_eq(r.graph.width, MANY - 1);
    const struct weft_ports ports = route(0, 1);
    ck_assert_uint_eq(ports.n, MANY - 1);
    for (uint32_t i = 0; i < ports.n; i++)
    {
        times[weft_port_at(&ports, i)]++;
    }
    for (uint32_t port = 1; port < MANY; port++)
    {
        ck_assert_uint_eq(times[port], 1);
    }
    clear();
}
END_TEST

/* Hosts at the same pairs of ToRs share their rows: 65,536 GPUs in servers of eight at 512 pairs,
 * as in Alibaba's HPN, are no more than these. The links of a server's own network make no
 * difference.
 */
START_TEST(hosts_at_the_same_switches_take_no_rows_of_their_own)
{
    const uint32_t hosts = 65536, servers = hosts / 8, tors = 1024, n = 3 * hosts;
    struct weft_graph_edge *edges = calloc(n, sizeof *edges);
    for (uint32_t host = 0; host < hosts; host++)
    {
        const uint32_t pair = host / 1024 * 8 + host % 8;
        const uint32_t to[] = {host / 8, servers + 2 * pair, servers + 2 * pair + 1};
        for (uint32_t k = 0; k < 3; k++)
        {
            edges[k * hosts + host] =
                (struct weft_graph_edge){host, hosts + to[k], INT64_C(100000000000), 1000, k == 0};
        }
    }
    const int64_t size = weft_graph_size(hosts, servers + tors, edges, n);
    ck_assert_int_gt(size, 0);
    ck_assert_int_lt(size, 150000000);
    free(edges);
}
END_TEST

#define EACH 11U /* switches, at all of which all hosts are */

/* Hosts lose some of their links, each of them others, so that hardly any two are at the same
 * switches: there is room for many of them, and beyond that an error. */
START_TEST(groups_that_failures_split_have_room_or_are_refused)
{
    static uint64_t dead[EACH * 1100];
    size_t ndead = 0;
    memset(&r, 0, sizeof r);
    r.nhosts = 1100;
    for (uint32_t i = 0; i < EACH * r.nhosts; i++)
    {
        add(i / EACH, r.nhosts + i % EACH);
    }
    const int64_t size = weft_graph_size(r.nhosts, EACH, r.edges, r.nedges);
    r.memory = malloc((size_t)size);
    ck_assert_int_eq(weft_graph_init(&r.graph, r.memory, (size_t)size, r.nhosts, EACH, r.edges,
                                     r.nedges, &r.fault),
                     0);
    ck_assert_uint_eq(r.graph.ngroups, 1);
    forward(WEFT_WEIGHTS_NONE);
    for (uint32_t host = 0; host < r.nhosts; host++)
    {
        for (uint32_t port = 0; port < EACH; port++)
        {
            dead[ndead] = (uint64_t)host * EACH + port;
            ndead += host >> port & 1U;
        }
        if (host == 1000 || host == 1099)
        {
            free(r.fib);
            r.fib = NULL;
            const int64_t need = weft_fib_size(&r.shape, dead, ndead, false);
            ck_assert_int_eq(need < 0 ? need : 0, host == 1000 ? 0 : (int64_t)WEFT_EOVERFLOW);
            r.fib = malloc(need < 0 ? 8 : (size_t)need);
            ck_assert_int_eq(
                weft_fib_build(r.fib, need < 0 ? 8 : (size_t)need, &r.shape, dead, ndead, false),
                need < 0 ? (int)WEFT_EOVERFLOW : 0);
        }
        if (host == 1000)
        {
            ck_assert_uint_eq(weft_fib_ways(r.fib, 5, 1001), 0x7ff & ~5U);
            ck_assert_uint_eq(weft_fib_ways(r.fib, 1001, 5), 0x7ff & ~5U);
        }
    }
    clear();
}
END_TEST

Suite *
graph_ports_suite(void)
{
    Suite *suite = suite_create("graph-ports");
    TCase *tcase = tcase_create("graph-ports");
    tcase_add_test(tcase, a_switch_has_all_the_ports_that_it_may_have);
    tcase_add_test(tcase, a_list_holds_every_port);
    tcase_add_test(tcase, hosts_at_the_same_switches_take_no_rows_of_their_own);
    tcase_add_test(tcase, groups_that_failures_split_have_room_or_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

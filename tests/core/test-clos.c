/* SPDX-License-Identifier: MIT */
/* A user would lose the fabric: links wired twice or not at all, packets routed to other hosts. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

/* A configuration by name, with settings "name=value". */
static int
build(const char *kind, const char *const *names, const char *const *values, struct weft_clos *clos)
{
    int64_t config[32];
    const struct weft_topology_ops *ops = weft_topology_find(kind);
    ck_assert_ptr_nonnull(ops);
    ck_assert_uint_le(ops->algo.config_size, sizeof config);
    ck_assert_int_eq(weft_config_default(&ops->algo, config), 0);
    for (; *names; names++, values++)
    {
        int error = weft_config_set(&ops->algo, config, *names, *values);
        if (error)
        {
            return error;
        }
    }
    return ops->build(config, clos);
}

static void
fat_tree(uint32_t k, uint32_t tiers, struct weft_clos *clos)
{
    char texts[2][16];
    const char *const names[] = {"k", "tiers", NULL};
    const char *const values[] = {texts[0], texts[1]};
    sprintf(texts[0], "%u", k);
    sprintf(texts[1], "%u", tiers);
    ck_assert_int_eq(build("fat-tree", names, values, clos), 0);
}

static void
leaf_spine(uint32_t leaves, uint32_t spines, uint32_t hosts, uint32_t parallel,
           struct weft_clos *clos)
{
    char texts[4][16];
    const char *const names[] = {"leaves", "spines", "hosts-per-leaf", "parallel", NULL};
    const char *const values[] = {texts[0], texts[1], texts[2], texts[3]};
    sprintf(texts[0], "%u", leaves);
    sprintf(texts[1], "%u", spines);
    sprintf(texts[2], "%u", hosts);
    sprintf(texts[3], "%u", parallel);
    ck_assert_int_eq(build("leaf-spine", names, values, clos), 0);
}

/* Three tiers whose parallel links are their own: @p sizes are pods, ToRs, hosts, aggregations,
 * cores, links to aggregations, links to cores. */
static void
three_tiers(const char *const sizes[7], struct weft_clos *clos)
{
    const char *const names[] = {"pods",  "tors-per-pod", "hosts-per-tor", "aggregations",
                                 "cores", "parallel",     "core-parallel", NULL};
    ck_assert_int_eq(build("clos", names, sizes, clos), 0);
}

/* Fabrics of every shape: small, uneven, parallel, one of everything. */
static unsigned
fabrics(struct weft_clos *clos)
{
    unsigned n = 0;
    leaf_spine(16, 16, 16, 1, &clos[n++]);
    leaf_spine(4, 2, 2, 1, &clos[n++]);
    leaf_spine(3, 5, 7, 1, &clos[n++]);
    leaf_spine(5, 3, 2, 3, &clos[n++]);
    leaf_spine(2, 1, 1, 1, &clos[n++]);
    fat_tree(2, 2, &clos[n++]);
    fat_tree(8, 2, &clos[n++]);
    fat_tree(2, 3, &clos[n++]);
    fat_tree(4, 3, &clos[n++]);
    fat_tree(10, 3, &clos[n++]);
    three_tiers((const char *const[]){"3", "5", "4", "2", "3", "2", "4"}, &clos[n++]);
    three_tiers((const char *const[]){"1", "2", "3", "3", "1", "1", "2"}, &clos[n++]);
    return n;
}

START_TEST(sizes_are_those_of_the_text_books)
{
    struct weft_clos c;
    fat_tree(32, 3,
             &c); /* themis §4: 512 ToRs, 512 aggregations, 256 cores, 8192 NICs, 256 paths */
    ck_assert_uint_eq(c.ntors, 512);
    ck_assert_uint_eq(c.naggs, 512);
    ck_assert_uint_eq(c.ncores, 256);
    ck_assert_uint_eq(c.nhosts, 8192);
    ck_assert_uint_eq(c.npaths, 256);
    ck_assert_uint_eq(c.hosts_per_tor, 16);
    ck_assert_uint_eq(c.nlinks, 3 * 8192);
    fat_tree(8, 2, &c);
    ck_assert_uint_eq(c.nhosts, 32);
    ck_assert_uint_eq(c.ntors, 8);
    ck_assert_uint_eq(c.naggs, 4);
    ck_assert_uint_eq(c.nlinks, 64);
    leaf_spine(16, 16, 16, 2, &c);
    ck_assert_uint_eq(c.nhosts, 256);
    ck_assert_uint_eq(c.nswitches, 32);
    ck_assert_uint_eq(c.npaths, 32);
    ck_assert_uint_eq(c.nlinks, 256 + 512);
}
END_TEST

START_TEST(rates_and_delays_fall_back_to_the_hosts)
{
    struct weft_clos c;
    struct weft_link link;
    const char *const names[] = {"link-rate", "fabric-rate", "link-delay", NULL};
    const char *const values[] = {"100Gbps", "200Gbps", "500ns"};
    ck_assert_int_eq(build("leaf-spine", names, values, &c), 0);
    weft_clos_link(&c, 0, &link);
    ck_assert_int_eq(link.rate, INT64_C(100000000000));
    ck_assert_int_eq(link.delay, 500000);
    weft_clos_link(&c, c.nlinks - 1, &link);
    ck_assert_int_eq(link.rate, INT64_C(200000000000));
    ck_assert_int_eq(link.delay, 500000);
    const char *const delay_names[] = {"link-rate", "fabric-delay", NULL};
    const char *const delay_values[] = {"100Gbps", "3us"};
    ck_assert_int_eq(build("fat-tree", delay_names, delay_values, &c), 0);
    weft_clos_link(&c, c.nlinks - 1, &link);
    ck_assert_int_eq(link.rate, INT64_C(100000000000));
    ck_assert_int_eq(link.delay, 3000000);
}
END_TEST

/* Each tier has its own rates and delays, and a port is as fast as the link at it. */
START_TEST(tiers_have_rates_and_delays_of_their_own)
{
    struct weft_clos c;
    const char *const names[] = {"link-rate",  "fabric-rate",   "core-rate",
                                 "link-delay", "fabric-delay",  "core-delay",
                                 "parallel",   "core-parallel", NULL};
    const char *const values[] = {"100Gbps", "200Gbps", "400Gbps", "1ns", "2ns", "3ns", "2", "3"};
    const int64_t rates[] = {100, 200, 400};
    ck_assert_int_eq(build("clos", names, values, &c), 0);
    ck_assert(!weft_clos_even(&c));
    for (uint64_t i = 0; i < c.nlinks; i++)
    {
        struct weft_link link;
        struct weft_switch_map map;
        int64_t rate;
        int64_t delay;
        weft_clos_link(&c, i, &link);
        weft_clos_switch(&c, link.upper.index, &map);
        ck_assert_int_eq(link.rate, rates[map.tier] * INT64_C(1000000000));
        ck_assert_int_eq(link.delay, 1000 * (map.tier + 1));
        weft_clos_port(&c, link.upper.index, link.upper.port, &rate, &delay);
        ck_assert(rate == link.rate && delay == link.delay);
        if (!link.lower.is_host)
        {
            weft_clos_port(&c, link.lower.index, link.lower.port, &rate, &delay);
            ck_assert(rate == link.rate && delay == link.delay);
        }
    }
}
END_TEST

START_TEST(cores_stay_as_fast_as_the_fabric_unless_told)
{
    struct weft_clos c;
    const char *const names[] = {"fabric-rate", "fabric-delay", NULL};
    const char *const values[] = {"800Gbps", "7ns"};
    ck_assert_int_eq(build("fat-tree", names, values, &c), 0);
    ck_assert_int_eq(c.core_rate, INT64_C(800000000000));
    ck_assert_int_eq(c.core_delay, 7000);
    ck_assert_int_eq(build("leaf-spine", names, values, &c), 0);
    ck_assert_int_eq(c.core_rate, c.fabric_rate);
    ck_assert(!weft_clos_even(&c));
    leaf_spine(2, 2, 2, 1, &c);
    ck_assert(weft_clos_even(&c));
}
END_TEST

/* The fat-tree of ConWeave's evaluation: 8 hosts at each edge of k = 8, 256 in all. */
START_TEST(an_oversubscribed_fat_tree_has_more_hosts_per_edge)
{
    struct weft_clos c;
    const char *const names[] = {"k", "hosts-per-edge", NULL};
    const char *const values[] = {"8", "8"};
    ck_assert_int_eq(build("fat-tree", names, values, &c), 0);
    ck_assert_uint_eq(c.nhosts, 256);
    ck_assert_uint_eq(c.nswitches, 80);
    ck_assert_uint_eq(c.nlinks, 512);
}
END_TEST

/* Raw members in table order, past the bounds that the table would enforce. */
static int
build_raw(const char *kind, const int64_t *config, struct weft_clos *clos)
{
    return weft_topology_find(kind)->build(config, clos);
}

START_TEST(absurd_sizes_are_refused)
{
    struct weft_clos c;
    const char *const hosts[] = {"hosts-per-leaf", NULL};
    const char *const zero[] = {"0"};
    const char *const billion[] = {"1000000000"};
    ck_assert_int_eq(build("leaf-spine", hosts, zero, &c), WEFT_ERANGE);
    ck_assert_int_eq(build("leaf-spine", hosts, billion, &c), WEFT_ERANGE);
    const int64_t many[32] = {1000, 16, 1000000, 1, 1000000000, 0, 0, 0, 1, 0};
    const int64_t ports[32] = {WEFT_MAX_PORTS + 1, 16, 1, 1, 1000000000, 0, 0, 0, 1, 0};
    const int64_t most[32] = {
        WEFT_MAX_PORTS, 1, WEFT_MAX_HOSTS / WEFT_MAX_PORTS, 1, 1000000000, 0, 0, 0, 1, 0};
    const int64_t down[32] = {2, 1, WEFT_MAX_PORTS - 1, 1, 1000000000, 0, 0, 0, 1, 0};
    const int64_t down_more[32] = {2, 1, WEFT_MAX_PORTS, 1, 1000000000, 0, 0, 0, 1, 0};
    const int64_t product[32] = {4000, 16, 4000, 1, 1000000000, 0, 0, 0, 1, 0};
    const int64_t cables[32] = {16, 64, 16, 128, 1000000000, 0, 0, 0, 1, 0};
    const int64_t huge[32] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, 1000000000,
                              0,         0,         0,         1,         0};
    const int64_t none[32] = {0, 16, 16, 1, 1000000000, 0, 0, 0, 1, 0};
    const int64_t below[32] = {16, -1, 16, 1, 1000000000, 0, 0, 0, 1, 0};
    const int64_t slow[32] = {16, 16, 16, 1, 0, 0, 0, 0, 1, 0};
    ck_assert_int_eq(build_raw("leaf-spine", many, &c), WEFT_EOVERFLOW);
    ck_assert_int_eq(build_raw("leaf-spine", ports, &c), WEFT_EOVERFLOW);
    ck_assert_int_eq(build_raw("leaf-spine", most, &c), 0);
    ck_assert_int_eq(build_raw("leaf-spine", down, &c), 0);
    ck_assert_int_eq(build_raw("leaf-spine", down_more, &c), WEFT_EOVERFLOW);
    ck_assert_int_eq(build_raw("leaf-spine", product, &c), WEFT_EOVERFLOW);
    ck_assert_int_eq(build_raw("leaf-spine", cables, &c), WEFT_EOVERFLOW);
    ck_assert_int_eq(build_raw("leaf-spine", huge, &c), WEFT_EOVERFLOW);
    ck_assert_int_eq(build_raw("leaf-spine", none, &c), WEFT_ERANGE);
    ck_assert_int_eq(build_raw("leaf-spine", below, &c), WEFT_ERANGE);
    ck_assert_int_eq(build_raw("leaf-spine", slow, &c), WEFT_ERANGE);
    const int64_t odd[32] = {7, 3, 1000000000, 0, 0, 0, [9] = 1};
    const int64_t large[32] = {162, 3, 1000000000, 0, 0, 0, [9] = 1};
    const int64_t largest[32] = {160, 3, 1000000000, 0, 0, 0, [9] = 1};
    const int64_t vast[32] = {2000000, 3, 1000000000, 0, 0, 0, [9] = 1};
    ck_assert_int_eq(build_raw("fat-tree", odd, &c), WEFT_ERANGE);
    ck_assert_int_eq(build_raw("fat-tree", large, &c), WEFT_EOVERFLOW);
    ck_assert_int_eq(build_raw("fat-tree", largest, &c), 0);
    ck_assert_int_eq(build_raw("fat-tree", vast, &c), WEFT_EOVERFLOW);
    ck_assert_ptr_nonnull(weft_topology_find("fat-tree")->algo.check(odd));
    ck_assert_ptr_nonnull(weft_topology_find("fat-tree")->algo.check(large));
    ck_assert_ptr_null(weft_topology_find("fat-tree")->algo.check(largest));
}
END_TEST

/* [switch * WEFT_MAX_PORTS + port] = link number + 1. */
static uint64_t *
wire(const struct weft_clos *c)
{
    uint64_t *at = calloc((size_t)c->nswitches * WEFT_MAX_PORTS, sizeof *at);
    ck_assert_ptr_nonnull(at);
    for (uint64_t i = 0; i < c->nlinks; i++)
    {
        struct weft_link link;
        weft_clos_link(c, i, &link);
        ck_assert(!link.upper.is_host && link.upper.index < c->nswitches);
        uint64_t *upper = &at[(size_t)link.upper.index * WEFT_MAX_PORTS + link.upper.port];
        ck_assert_msg(*upper == 0, "port %u of switch %u has two links", link.upper.port,
                      link.upper.index);
        *upper = i + 1;
        ck_assert_int_eq(link.lower.is_host, i < c->nhosts);
        if (link.lower.is_host)
        {
            ck_assert_uint_eq(link.lower.index, i);
            ck_assert_uint_eq(link.lower.port, 0);
            continue;
        }
        uint64_t *lower = &at[(size_t)link.lower.index * WEFT_MAX_PORTS + link.lower.port];
        ck_assert(*lower == 0);
        *lower = i + 1;
    }
    return at;
}

START_TEST(every_port_has_exactly_one_link)
{
    struct weft_clos c[16];
    unsigned n = fabrics(c);
    for (unsigned f = 0; f < n; f++)
    {
        uint64_t *at = wire(&c[f]);
        uint64_t ends = c[f].nhosts;
        for (uint32_t s = 0; s < c[f].nswitches; s++)
        {
            struct weft_switch_map map;
            weft_clos_switch(&c[f], s, &map);
            ends += weft_map_nports(&map);
            for (uint32_t p = 0; p < weft_map_nports(&map); p++)
            {
                struct weft_link link;
                ck_assert_uint_ne(at[(size_t)s * WEFT_MAX_PORTS + p], 0);
                weft_clos_link(&c[f], at[(size_t)s * WEFT_MAX_PORTS + p] - 1, &link);
                /* down ports first, and each tier's neighbour is the next one */
                ck_assert_int_eq(link.upper.index == s, p < map.first_up);
            }
        }
        ck_assert_uint_eq(ends, 2 * c[f].nlinks);
        free(at);
    }
}
END_TEST

/* Follows a random choice among the candidates from host to host; returns the links crossed. */
static uint32_t
walk(const struct weft_clos *c, const uint64_t *at, uint32_t src, uint32_t dst,
     struct weft_rng *rng)
{
    struct weft_link link;
    weft_clos_link(c, src, &link);
    uint32_t s = link.upper.index;
    for (uint32_t hops = 2; hops <= 6; hops++)
    {
        struct weft_switch_map map;
        struct weft_ports ports;
        weft_clos_switch(c, s, &map);
        memset(&ports, 0, sizeof ports);
        weft_route(&map, dst, &ports);
        ck_assert_uint_ge(ports.n, 1);
        ck_assert_uint_eq(ports.n, ports.width);
        uint32_t port = weft_port_at(&ports, weft_rng_below(rng, ports.n));
        weft_clos_link(c, at[(size_t)s * WEFT_MAX_PORTS + port] - 1, &link);
        if (link.lower.is_host)
        {
            ck_assert_uint_eq(link.lower.index, dst);
            return hops;
        }
        s = link.upper.index == s ? link.lower.index : link.upper.index;
    }
    ck_abort_msg("a packet from %u to %u wanders", src, dst);
    return 0;
}

START_TEST(every_walk_ends_at_its_host_by_a_shortest_path)
{
    struct weft_clos c[16];
    struct weft_rng rng;
    unsigned n = fabrics(c);
    weft_rng_seed(&rng, 1, 1, 1);
    for (unsigned f = 0; f < n; f++)
    {
        uint64_t *at = wire(&c[f]);
        for (unsigned i = 0; i < 3000; i++)
        {
            uint32_t a = weft_rng_below(&rng, c[f].nhosts);
            uint32_t b = weft_rng_below(&rng, c[f].nhosts);
            if (a != b)
            {
                ck_assert_uint_eq(walk(&c[f], at, a, b, &rng), weft_clos_hops(&c[f], a, b));
            }
        }
        ck_assert_uint_eq(weft_clos_hops(&c[f], 0, 0), 0);
        free(at);
    }
}
END_TEST

START_TEST(hops_are_2_4_or_6)
{
    struct weft_clos c;
    fat_tree(4, 3, &c);
    ck_assert_uint_eq(weft_clos_hops(&c, 0, 1), 2);
    ck_assert_uint_eq(weft_clos_hops(&c, 0, 2), 4);
    ck_assert_uint_eq(weft_clos_hops(&c, 0, 4), 6);
    leaf_spine(4, 4, 2, 1, &c);
    ck_assert_uint_eq(weft_clos_hops(&c, 0, 7), 4);
}
END_TEST

START_TEST(aggregation_j_has_the_cores_of_its_place)
{
    struct weft_clos c;
    fat_tree(8, 3, &c);
    for (uint64_t i = 0; i < c.nlinks; i++)
    {
        struct weft_link link;
        weft_clos_link(&c, i, &link);
        if (!link.lower.is_host && link.lower.index >= c.ntors)
        {
            uint32_t j = (link.lower.index - c.ntors) % 4;
            uint32_t core = link.upper.index - c.ntors - c.naggs;
            ck_assert_uint_eq(core / 4, j);
            ck_assert_uint_eq(link.upper.port, (link.lower.index - c.ntors) / 4);
        }
    }
}
END_TEST

/* The division is the core's own: its divisors come from fabrics with that many hosts per ToR. */
START_TEST(division_by_multiplication_is_exact)
{
    static const uint32_t divisors[] = {
        1,  2,  3,  4,  5,  6,   7,   8,   9,   10,   11,   12,   13,   24,   31,   32,   33,
        48, 63, 64, 65, 96, 100, 127, 128, 129, 1000, 1023, 1024, 1025, 2047, 2048, 3001, 4000};
    for (unsigned i = 0; i < sizeof divisors / sizeof divisors[0]; i++)
    {
        struct weft_clos c;
        struct weft_switch_map map;
        const uint32_t d = divisors[i];
        leaf_spine(2, 1, d, 1, &c);
        weft_clos_switch(&c, 2, &map);
        ck_assert_uint_eq(map.hosts_per_child, d);
        for (uint32_t x = 0; x < WEFT_MAX_HOSTS; x++)
        {
            if (weft_map_child(&map, x) != x / d)
            {
                ck_abort_msg("%u / %u gave %u", x, d, weft_map_child(&map, x));
            }
        }
    }
}
END_TEST

START_TEST(division_by_a_pods_hosts_is_exact)
{
    for (uint32_t k = 2; k <= 160; k += 2)
    {
        struct weft_clos c;
        struct weft_switch_map map;
        fat_tree(k, 3, &c);
        weft_clos_switch(&c, c.nswitches - 1, &map);
        const uint32_t d = map.hosts_per_child;
        ck_assert_uint_eq(d, k * k / 4);
        for (uint32_t q = 0; q * d < WEFT_MAX_HOSTS; q++)
        {
            ck_assert_uint_eq(weft_map_child(&map, q * d), q);
            if (q > 0)
            {
                ck_assert_uint_eq(weft_map_child(&map, q * d - 1), q - 1);
            }
        }
    }
}
END_TEST

/* A ToR's ring would be too short on short cables: what is under way is not propagation alone. */
START_TEST(the_last_hop_counts_frames_and_not_only_cables)
{
    struct weft_clos clos;
    struct weft_fabric_config frames;
    struct weft_last_hop hop;
    memset(&clos, 0, sizeof clos);
    weft_config_default(&weft_fabric_algo, &frames);
    clos.npaths = 16;
    clos.host_rate = 400000000000;
    clos.host_delay = 1000000;
    weft_clos_last_hop(&clos, &frames, &hop);
    /* 2 us, a frame of 30 ns, one in the NIC's way with its gap, 30.4 ns, a NACK of 1.28 ns. */
    ck_assert_int_eq(hop.rtt, 2000000 + 30000 + 30400 + 1280);
    ck_assert_int_eq(hop.mtu, 1500);
    ck_assert_uint_eq(hop.npaths, 16);
    clos.host_delay = 0;
    weft_clos_last_hop(&clos, &frames, &hop);
    ck_assert_uint_ge(weft_themis_ring_entries(hop.rate, hop.rtt, 1500, hop.mtu), 3);
}
END_TEST

Suite *
clos_suite(void)
{
    Suite *suite = suite_create("clos");
    TCase *tcase = tcase_create("clos");
    tcase_add_test(tcase, sizes_are_those_of_the_text_books);
    tcase_add_test(tcase, rates_and_delays_fall_back_to_the_hosts);
    tcase_add_test(tcase, tiers_have_rates_and_delays_of_their_own);
    tcase_add_test(tcase, cores_stay_as_fast_as_the_fabric_unless_told);
    tcase_add_test(tcase, an_oversubscribed_fat_tree_has_more_hosts_per_edge);
    tcase_add_test(tcase, absurd_sizes_are_refused);
    tcase_add_test(tcase, every_port_has_exactly_one_link);
    tcase_add_test(tcase, every_walk_ends_at_its_host_by_a_shortest_path);
    tcase_add_test(tcase, hops_are_2_4_or_6);
    tcase_add_test(tcase, aggregation_j_has_the_cores_of_its_place);
    tcase_add_test(tcase, division_by_multiplication_is_exact);
    tcase_add_test(tcase, the_last_hop_counts_frames_and_not_only_cables);
    tcase_add_test(tcase, division_by_a_pods_hosts_is_exact);
    suite_add_tcase(suite, tcase);
    return suite;
}

/* SPDX-License-Identifier: MIT */
/* Servers with a network of their own, rails, and hosts at several ToRs. If these fail, a GPU is in
 * another server or at another ToR than the topology says, or packets take another way. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "must.h"
#include "net-parts.h"

Suite *servers_suite(void);

#define LONG     INT64_C(3000000000000) /* ps: after this nothing happens any more */
#define MESSAGES 64U

static struct
{
    struct weft_clos clos;
    struct weft_graph graph;
    struct weft_net_level level;
    struct weft_net_config config;
    struct weft_net *net;
    int64_t delivered[MESSAGES];
    uint32_t ndelivered;
    uint32_t inside; /* data frames that left by the port of their host's server */
    uint32_t across; /* by others */
} world;

static void
delivered(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)of;
    (void)qp;
    world.delivered[tag] = now;
    world.ndelivered++;
}

static void
sent(void *of, uint32_t host, const struct weft_packet *p, int64_t now)
{
    (void)of;
    (void)host;
    (void)now;
    const bool inside = p->in_port == weft_clos_host_ports(&world.clos, host);
    world.inside += p->kind == WEFT_DATA && inside;
    world.across += p->kind == WEFT_DATA && !inside;
}

/* Makes the shape of @p settings: names and values in turn. */
static void
shape(const char *kind, const char *const *settings)
{
    const struct weft_topology_ops *ops = weft_topology_find(kind);
    void *config = parts_defaults(&ops->algo);
    parts_set_all(&ops->algo, config, settings);
    memset(&world, 0, sizeof world);
    ck_assert_int_eq(ops->build(config, &world.clos), 0);
}

/* Makes a graph of links, and its shape. */
static void
graph_of(uint32_t nhosts, uint32_t nswitches, const struct weft_graph_edge *edges, uint32_t n)
{
    const struct weft_topology_ops *kind = weft_topology_find("graph");
    struct weft_graph_fault fault;
    void *config = parts_defaults(&kind->algo);
    const int64_t size = weft_graph_size(nhosts, nswitches, edges, n);
    ck_assert_int_gt(size, 0);
    ck_assert_msg(weft_graph_init(&world.graph, parts_take(NULL, (size_t)size), (size_t)size,
                                  nhosts, nswitches, edges, n, &fault) == 0,
                  "%s", fault.reason);
    kind->use(config, &world.graph);
    ck_assert_int_eq(kind->build(config, &world.clos), 0);
}

/* Makes of a Clos with servers the graph of its links. */
static void
as_graph(void)
{
    const struct weft_clos clos = world.clos;
    const uint32_t n = (uint32_t)weft_planes_links(&clos);
    struct weft_graph_edge *edges = calloc(n, sizeof *edges);
    for (uint32_t i = 0; i < n; i++)
    {
        struct weft_link link;
        weft_planes_link(&clos, i, &link);
        const uint32_t lower = link.lower.is_host ? 0 : clos.nhosts;
        edges[i] =
            (struct weft_graph_edge){lower + link.lower.index, clos.nhosts + link.upper.index,
                                     link.rate, link.delay, i >= clos.planes * clos.nlinks};
    }
    graph_of(clos.nhosts, weft_planes_switches(&clos), edges, n);
    free(edges);
}

/* @p buffer: settings of the switches besides. */
static void
make_with(const char *balancer, const char *pace, double share, const char *const *buffer)
{
    static const char *const never[] = {"rto", "1s", NULL};
    parts_describe(&world.config, &world.level, &world.clos, balancer, "sack", never);
    world.level.share = share;
    world.level.cc = weft_cc_find(pace);
    world.level.cc_config = parts_defaults(&world.level.cc->algo);
    world.config.hooks = (struct weft_net_hooks){.delivered = delivered, .sent = sent};
    world.config.frame.host_port = WEFT_PORT_IN_TURN;
    parts_set_all(&weft_mmu_algo, &world.config.buffer, buffer);
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), 0);
}

static void
make_paced(const char *balancer, const char *pace, double share)
{
    static const char *const none[] = {NULL};
    make_with(balancer, pace, share, none);
}

static void
make(const char *balancer)
{
    make_paced(balancer, "none", 1);
}

static void
post(uint32_t src, uint32_t dst, uint64_t bytes, int64_t at)
{
    struct weft_qp *qp;
    const uint32_t i = weft_net_nqps(world.net);
    const struct weft_net_qp_site site = {.src = src, .dst = dst, .stream = i};
    ck_assert_int_eq(weft_net_add_qp(world.net, &site, &qp, NULL), 0);
    weft_net_post(world.net, qp, bytes, i, at, i);
}

static void
post_some(uint64_t stream)
{
    struct weft_rng rng;
    weft_rng_seed(&rng, stream, 0, 0x73657276);
    for (uint32_t i = 0; i < MESSAGES; i++)
    {
        const uint32_t src = weft_rng_below(&rng, world.clos.nhosts);
        const uint32_t dst = (src + 1 + weft_rng_below(&rng, world.clos.nhosts - 1));
        const uint64_t bytes = 1 + weft_rng_below(&rng, 60000);
        post(src, dst % world.clos.nhosts, bytes, weft_rng_below(&rng, 3000000));
    }
}

static void
end(void)
{
    ck_assert_uint_eq(weft_net_inside(world.net), 0);
    parts_free();
}

/* --- shapes ----------------------------------------------------------------------------------- */

static const char *const leaves[] = {"leaves",
                                     "3",
                                     "spines",
                                     "2",
                                     "hosts-per-leaf",
                                     "4",
                                     "gpus-per-server",
                                     "2",
                                     "scale-up-rate",
                                     "900Gbps",
                                     "link-rate",
                                     "100Gbps",
                                     "scale-up-delay",
                                     "50ns",
                                     "parallel",
                                     "2",
                                     NULL};
static const char *const planes[] = {
    "pods",  "2", "tors-per-pod", "2", "hosts-per-tor",   "6", "aggregations",  "1",
    "cores", "1", "planes",       "3", "gpus-per-server", "3", "scale-up-rate", "1Tbps",
    NULL};
static const char *const rails[] = {"blocks",
                                    "2",
                                    "gpus-per-server",
                                    "3",
                                    "servers-per-block",
                                    "4",
                                    "spines",
                                    "3",
                                    "scale-up-rate",
                                    "900Gbps",
                                    NULL};
static const char *const rail_planes[] = {
    "blocks", "1", "gpus-per-server", "4", "servers-per-block", "3",
    "spines", "1", "planes",          "2", "scale-up-rate",     "900Gbps",
    NULL};

static const struct
{
    const char *kind;
    const char *const *settings;
    uint32_t gpus;
    uint32_t apart; /* hosts between those of a server */
} shapes[] = {{"leaf-spine", leaves, 2, 1},
              {"clos", planes, 3, 1},
              {"rail-optimised", rails, 3, 4},
              {"rail-optimised", rail_planes, 4, 3}};

#define NSHAPES (sizeof shapes / sizeof shapes[0])

/* A host's server by its definition: rails are numbered block by block, in it GPU by GPU. */
static uint32_t
server_by_hand(uint32_t which, uint32_t host)
{
    const uint32_t gpus = shapes[which].gpus, apart = shapes[which].apart;
    return host / (gpus * apart) * apart + (apart > 1 ? host % apart : 0);
}

START_TEST(every_gpu_has_a_link_to_its_servers_switch_and_no_port_has_two)
{
    const uint32_t which = (uint32_t)_i;
    shape(shapes[which].kind, shapes[which].settings);
    const struct weft_clos *c = &world.clos;
    const uint64_t fabric = c->planes * c->nlinks;
    uint8_t *seen = calloc(weft_planes_switches(c), WEFT_MAX_PORTS);
    ck_assert_uint_eq(weft_planes_links(c), fabric + c->nhosts);
    ck_assert_uint_eq(weft_planes_switches(c),
                      c->planes * c->nswitches + c->nhosts / shapes[which].gpus);
    for (uint64_t i = 0; i < weft_planes_links(c); i++)
    {
        struct weft_link link;
        weft_planes_link(c, i, &link);
        MUST(seen[link.upper.index * WEFT_MAX_PORTS + link.upper.port]++ == 0);
        if (i >= fabric)
        {
            const uint32_t host = link.lower.index;
            MUST(link.lower.is_host && link.lower.port == c->planes);
            MUST(link.rate == c->server_rate && link.delay == c->server_delay);
            MUST(link.upper.index == c->planes * c->nswitches + server_by_hand(which, host));
            MUST(weft_clos_host_link(c, host, c->planes) == i);
            MUST(weft_clos_first_gpu(c, weft_clos_server(c, host)) +
                     weft_clos_gpu(c, host) * shapes[which].apart ==
                 host);
        }
    }
    free(seen);
    parts_free();
}
END_TEST

/* Planes draw of their own: they have one path here. Else a GPU's NVLink would be wired, routed or
 * timed otherwise than any other link is. */
START_TEST(a_clos_with_servers_is_the_graph_of_its_links)
{
    const uint32_t which = (uint32_t)_i % NSHAPES;
    int64_t first[MESSAGES];
    shape(shapes[which].kind, shapes[which].settings);
    make("ecmp");
    post_some((uint64_t)_i);
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(world.ndelivered, MESSAGES);
    ck_assert(world.inside > 0 && world.across > 0);
    memcpy(first, world.delivered, sizeof first);
    end();
    shape(shapes[which].kind, shapes[which].settings);
    as_graph();
    make("ecmp");
    post_some((uint64_t)_i);
    weft_net_run(world.net, LONG);
    for (uint32_t i = 0; i < MESSAGES; i++)
    {
        ck_assert_int_eq(world.delivered[i], first[i]);
    }
    end();
}
END_TEST

/* --- inside a server -------------------------------------------------------------------------- */

/* Two hops of a frame of 1000 + 62 bytes and their gap; the second one is the reply's business. */
START_TEST(inside_a_server_only_its_network_counts)
{
    shape("leaf-spine", leaves);
    make("ecmp");
    const struct weft_fabric_config *f = &world.config.frame;
    const int64_t wire = f->payload + f->header;
    post(0, 1, (uint64_t)f->payload, 0);
    weft_net_run(world.net, LONG);
    ck_assert_int_eq(world.delivered[0], 2 * (weft_wire_time(wire, INT64_C(900000000000)) + 50000));
    ck_assert_int_eq(weft_clos_way(&world.clos, 0, 1, wire), world.delivered[0]);
    ck_assert(world.inside == 1 && world.across == 0);
    end();
}
END_TEST

/* As NCCL's does: what goes inside a server goes by its network or not at all. */
START_TEST(a_server_whose_network_is_cut_waits_for_it)
{
    shape("leaf-spine", leaves);
    make("ecmp");
    weft_net_set_down(world.net, weft_clos_host_link(&world.clos, 1, 1), true);
    post(0, 1, 60000, 0); /* to the cut one, from it, of another server, and of it to another */
    post(1, 0, 60000, 0);
    post(2, 3, 60000, 0);
    post(1, 2, 60000, 0);
    weft_net_run(world.net, INT64_C(100000000));
    ck_assert_uint_eq(world.ndelivered, 2);
    ck_assert_int_gt(world.delivered[2], 0);
    ck_assert_int_gt(world.delivered[3], world.delivered[2]);
    weft_net_set_down(world.net, weft_clos_host_link(&world.clos, 1, 1), false);
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(world.ndelivered, 4);
    end();
}
END_TEST

/* NVLink waits for credits and loses nothing: seven GPUs send to one, by a switch whose settings
 * would drop, mark and trim. */
START_TEST(the_network_of_a_server_is_lossless)
{
    static const char *const eight[] = {
        "leaves",        "2",       "spines", "1", "hosts-per-leaf", "8", "gpus-per-server", "8",
        "scale-up-rate", "900Gbps", NULL};
    static const char *const tiny[] = {"pfc",  "off", "port-buffer", "20KB", "ecn", "on",
                                       "kmin", "1KB", "kmax",        "1KB",  NULL};
    shape("leaf-spine", eight);
    make_with("ecmp", "none", 1, tiny);
    for (uint32_t host = 1; host < 8; host++)
    {
        post(host, 0, 1000000, 0);
    }
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(world.ndelivered, 7);
    const struct weft_mmu *buffer = weft_net_buffer(world.net, 3); /* behind two leaves, a spine */
    ck_assert_uint_eq(buffer->drops, 0);
    ck_assert_uint_eq(buffer->marks, 0);
    ck_assert_int_gt(buffer->peak_used, 500000);
    end();
}
END_TEST

/* Posts a message inside and one across, on hosts that send at a share of their rate, and returns
 * when the first one is there. */
static int64_t
send_both(bool graph, const char *pace, double share)
{
    shape("leaf-spine", leaves);
    if (graph)
    {
        as_graph();
    }
    make_paced("ecmp", pace, share);
    post(0, 1, 600000, 0);
    post(0, 7, 600000, 0);
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(world.ndelivered, 2);
    ck_assert_int_gt(world.delivered[1], (int64_t)(600000 * 80 / share));
    const int64_t inside = world.delivered[0];
    end();
    return inside;
}

START_TEST(what_the_fabric_can_serve_slows_nothing_inside_a_server)
{
    const int64_t free_to_go = send_both(_i == 1, "none", 1);
    ck_assert_int_le(send_both(_i == 1, "ideal", 0.25), free_to_go + free_to_go / 50);
}
END_TEST

/* Two send one what it can take of one; that its server's GPU sends it much more is of no account.
 */
START_TEST(what_is_sent_inside_a_server_counts_for_no_share)
{
    static uint64_t memory[4096];
    struct weft_flow flows[32] = {{.src = 4, .dst = 0}, {.src = 8, .dst = 0}};
    for (uint32_t i = 2; i < 32; i++)
    {
        flows[i] = (struct weft_flow){.src = 1, .dst = 0};
    }
    shape("leaf-spine", leaves);
    if (_i % 2)
    {
        as_graph();
    }
    for (uint32_t n = 2; n <= 32; n += 30)
    {
        const int64_t size = weft_rho_size(&world.clos, n);
        struct weft_rho rho;
        ck_assert(size > 0 && (size_t)size <= sizeof memory);
        const struct weft_rho_plane links = {NULL, NULL, 0};
        ck_assert_int_eq(weft_rho_max(memory, (size_t)size, &world.clos, &links, flows, n,
                                      (enum weft_split)(_i / 2), &rho),
                         0);
        ck_assert_double_eq(rho.share, 0.5);
        ck_assert_uint_eq(rho.lost, 0);
    }
    parts_free();
}
END_TEST

/* --- several ToRs ----------------------------------------------------------------------------- */

/* Returns the number of links between two nodes. */
static uint32_t
joined(const struct weft_graph_edge *edges, uint32_t n, uint32_t a, uint32_t b)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        found += (edges[i].a == a && edges[i].b == b) || (edges[i].a == b && edges[i].b == a);
    }
    return found;
}

/* Three pairs of ToRs have three hosts each; four spines; twice. */
static const char *const dual[] = {"leaves",
                                   "6",
                                   "spines",
                                   "4",
                                   "hosts-per-leaf",
                                   "3",
                                   "planes",
                                   "2",
                                   "tors-per-host",
                                   "2",
                                   "link-rate",
                                   "200Gbps",
                                   "gpus-per-server",
                                   "3",
                                   "fabric-rate",
                                   "400Gbps",
                                   "scale-up-rate",
                                   "900Gbps",
                                   "divide-rates",
                                   "on",
                                   NULL};

static uint32_t
dual_edges(struct weft_graph_edge *edges, uint32_t most)
{
    const struct weft_topology_ops *kind = weft_topology_find("leaf-spine");
    void *config = parts_defaults(&kind->algo);
    uint32_t hosts, switches;
    parts_set_all(&kind->algo, config, dual);
    memset(&world, 0, sizeof world);
    ck_assert_int_eq(kind->build(config, &world.clos), WEFT_EINVAL);
    const uint32_t n = kind->edges(config, NULL, &hosts, &switches);
    ck_assert_uint_le(n, most);
    ck_assert_uint_eq(kind->edges(config, edges, &hosts, &switches), n);
    ck_assert_uint_eq(hosts, 9);
    ck_assert_uint_eq(switches, 2 * 10 + 3);
    graph_of(hosts, switches, edges, n);
    kind->use(config, &world.graph);
    ck_assert_int_eq(kind->build(config, &world.clos), 0);
    return n;
}

START_TEST(a_host_has_a_link_to_each_of_its_tors_in_every_plane)
{
    struct weft_graph_edge edges[128];
    const uint32_t n = dual_edges(edges, 128);
    ck_assert_uint_eq(n, 2 * (6 * 3 + 6 * 4) + 9);
    for (uint32_t host = 0; host < 9; host++)
    {
        for (uint32_t plane = 0; plane < 2; plane++)
        {
            for (uint32_t sw = 0; sw < 10; sw++)
            {
                const bool own = sw < 6 && sw / 2 == host / 3;
                ck_assert_uint_eq(joined(edges, n, host, 9 + plane * 10 + sw), own);
            }
        }
        ck_assert_uint_eq(joined(edges, n, host, 9 + 20 + host / 3), 1);
        ck_assert_uint_eq(weft_clos_host_ports(&world.clos, host), 5);
    }
    for (uint32_t leaf = 0; leaf < 6; leaf++)
    {
        ck_assert_uint_eq(joined(edges, n, 9 + leaf, 9 + 6), 1);
        ck_assert_uint_eq(joined(edges, n, 9 + 10 + leaf, 9 + 10 + 9), 1);
    }
    ck_assert(edges[0].rate == 100000000000 && edges[18].rate == 200000000000);
    ck_assert_int_eq(weft_planes_host_rate(&world.clos), INT64_C(400000000000));
    ck_assert_uint_eq(weft_clos_ways(&world.clos, 0, 3), 15);
    ck_assert_uint_eq(weft_clos_ways(&world.clos, 0, 2), 16);
    parts_free();
}
END_TEST

/* Both ToRs of plane 0 and one of plane 1 are dead: the last one carries everything. */
START_TEST(hosts_whose_tors_die_one_by_one_are_not_cut_off)
{
    struct weft_graph_edge edges[128];
    (void)dual_edges(edges, 128);
    make("ops");
    for (uint32_t host = 0; host < 3; host++)
    {
        for (uint32_t port = 0; port < 3; port++)
        {
            weft_net_set_down(world.net, weft_clos_host_link(&world.clos, host, port), true);
        }
    }
    post(0, 4, 600000, 0);
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(world.ndelivered, 1);
    ck_assert_uint_eq(world.inside, 0);
    end();
}
END_TEST

/* Else workloads would take eight GPUs for a server, whatever the topology says. */
START_TEST(hosts_at_several_tors_are_in_the_servers_of_their_shape)
{
    static const char *const none[] = {"scale-up-rate", "0bps", NULL};
    struct weft_graph_edge edges[128];
    const struct weft_topology_ops *kind = weft_topology_find("leaf-spine");
    (void)dual_edges(edges, 128);
    void *config = parts_defaults(&kind->algo);
    parts_set_all(&kind->algo, config, dual);
    parts_set_all(&kind->algo, config, none);
    kind->use(config, &world.graph);
    ck_assert_int_eq(kind->build(config, &world.clos), 0);
    ck_assert_uint_eq(weft_clos_hosts(&world.clos).gpus, 3);
    parts_free();
}
END_TEST

/* Three hosts of one server; only the first one has a link to the fabric. */
START_TEST(hosts_without_a_fabric_send_by_their_servers_network)
{
    static const struct weft_graph_edge edges[] = {
        {0, 3, INT64_C(900000000000), 25000, true}, {0, 4, INT64_C(100000000000), 1000000, false},
        {1, 3, INT64_C(900000000000), 25000, true}, {1, 5, INT64_C(900000000000), 25000, true},
        {2, 3, INT64_C(900000000000), 25000, true}, {2, 5, INT64_C(900000000000), 25000, true}};
    memset(&world, 0, sizeof world);
    graph_of(3, 3, edges, 6);
    make("ops");
    post(1, 2, 100000, 0);
    post(2, 0, 100000, 0);
    weft_net_run(world.net, LONG);
    ck_assert_uint_eq(world.ndelivered, 2);
    end();
}
END_TEST

START_TEST(tors_that_cannot_be_shared_are_refused)
{
    const struct weft_topology_ops *kind = weft_topology_find("leaf-spine");
    static const char *const odd[] = {"leaves", "5", "tors-per-host", "2", NULL};
    static const char *const many[] = {"leaves", "66", "planes", "33", "tors-per-host", "2", NULL};
    static const char *const one_more[] = {
        "planes",  "32", "tors-per-host", "2", "gpus-per-server", "2", "scale-up-rate",
        "900Gbps", NULL};
    const char *const *const wrong[] = {odd, many, one_more};
    static const char *const expected[] = {"divides the ToRs", "64 ports per host",
                                           "64 ports per host, that to its server"};
    for (uint32_t i = 0; i < 3; i++)
    {
        void *config = parts_defaults(&kind->algo);
        struct weft_clos clos;
        uint32_t hosts, switches;
        parts_set_all(&kind->algo, config, wrong[i]);
        ck_assert_int_eq(kind->build(config, &clos), WEFT_ERANGE);
        ck_assert_uint_eq(kind->edges(config, NULL, &hosts, &switches), 0);
        ck_assert_ptr_nonnull(strstr(kind->algo.check(config), expected[i]));
        parts_free();
    }
}
END_TEST

Suite *
servers_suite(void)
{
    Suite *suite = suite_create("servers");
    TCase *tcase = tcase_create("servers");
    tcase_add_loop_test(tcase, every_gpu_has_a_link_to_its_servers_switch_and_no_port_has_two, 0,
                        NSHAPES);
    tcase_add_loop_test(tcase, a_clos_with_servers_is_the_graph_of_its_links, 0, 10 * NSHAPES);
    tcase_add_test(tcase, inside_a_server_only_its_network_counts);
    tcase_add_test(tcase, a_server_whose_network_is_cut_waits_for_it);
    tcase_add_test(tcase, the_network_of_a_server_is_lossless);
    tcase_add_loop_test(tcase, what_the_fabric_can_serve_slows_nothing_inside_a_server, 0, 2);
    tcase_add_loop_test(tcase, what_is_sent_inside_a_server_counts_for_no_share, 0, 4);
    tcase_add_test(tcase, a_host_has_a_link_to_each_of_its_tors_in_every_plane);
    tcase_add_test(tcase, hosts_whose_tors_die_one_by_one_are_not_cut_off);
    tcase_add_test(tcase, hosts_at_several_tors_are_in_the_servers_of_their_shape);
    tcase_add_test(tcase, hosts_without_a_fabric_send_by_their_servers_network);
    tcase_add_test(tcase, tors_that_cannot_be_shared_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

/* SPDX-License-Identifier: MIT */
/* A user would lose what a fabric of several planes can serve: hosts with a dead port would be told
 * to send at the rate of all of them. */
#include <check.h>
#include <string.h>

#include "lb-rig.h"
#include "net-parts.h"
#include "run-stage.h"
#include "topo/clos-shape.h"

#define MOST_EDGES 512

static struct weft_clos planes;
static struct weft_graph graph;
static uint64_t in_graph[MOST_EDGES]; /* [link of the planes]: the same one of the graph */

/* Makes the stage's planes a graph in which each switch and link is one by itself. */
static void
as_graph(void)
{
    const struct weft_topology_ops *kind = weft_topology_find("graph");
    const struct weft_clos *c = &planes;
    static struct weft_graph_edge edges[MOST_EDGES];
    struct weft_graph_fault fault;
    uint64_t config[32] = {0};
    uint32_t n = 0, between = 0;
    ck_assert_uint_le(weft_planes_links(c), MOST_EDGES);
    for (uint64_t i = 0; i < weft_planes_links(c); i++)
    {
        struct weft_link link;
        const uint32_t plane = (uint32_t)(i / c->nlinks), l = (uint32_t)(i % c->nlinks);
        weft_clos_link(c, l, &link);
        const uint32_t first = c->nhosts + plane * c->nswitches;
        const bool host = link.lower.is_host;
        edges[n++] = (struct weft_graph_edge){(host ? 0 : first) + link.lower.index,
                                              first + link.upper.index, link.rate, 1000, false};
        in_graph[i] = host ? l * c->planes + plane : c->planes * c->nhosts + between++;
    }
    const uint32_t switches = c->planes * c->nswitches;
    const int64_t size = weft_graph_size(c->nhosts, switches, edges, n);
    ck_assert_msg(weft_graph_init(&graph, stage_take(NULL, (size_t)size), (size_t)size, c->nhosts,
                                  switches, edges, n, &fault) == 0,
                  "%s", fault.reason);
    kind->use(config, &graph);
    ck_assert_int_eq(kind->build(config, &stage.clos), 0);
}

/* A second level splits by hop. */
static void
begin(const char *topology, bool is_graph)
{
    stage_describe(topology, "ecmp");
    stage_add_level("ecmp");
    stage.level[1].cc =
        stage_choose("congestion-control", "ideal split=hop", &stage.level[1].cc_config);
    planes = stage.clos;
    if (is_graph)
    {
        as_graph();
    }
    stage_begin();
}

static void
break_in(uint32_t plane, uint64_t link)
{
    const uint64_t l = plane * planes.nlinks + link;
    ck_assert_int_eq(weft_run_fail(stage.run, stage.clos.graph ? in_graph[l] : l, 0, WEFT_NEVER),
                     0);
}

/* A ToR's links, those of its hosts too or only those to other switches. */
static void
break_tor(uint32_t plane, uint32_t tor, bool hosts)
{
    for (uint64_t l = 0; l < planes.nlinks; l++)
    {
        struct weft_link link;
        weft_clos_link(&planes, l, &link);
        const bool of =
            link.lower.is_host ? hosts && link.upper.index == tor : link.lower.index == tor;
        if (of)
        {
            break_in(plane, l);
        }
    }
}

static void
check_shares(const struct weft_flow *flows, size_t n, double share)
{
    ck_assert_int_eq(weft_run_set_flows(stage.run, flows, n), 0);
    ck_assert_double_eq_tol(weft_run_share(stage.run, 0), share, 1e-12);
    ck_assert_double_eq_tol(weft_run_share(stage.run, 1), share, 1e-12);
}

static const struct weft_flow shift[] = {{0, 3}, {1, 4}, {2, 5}, {3, 6}, {4, 7},
                                         {5, 8}, {6, 0}, {7, 1}, {8, 2}};

static const char *const shapes[] = {
    "leaf-spine leaves=3 spines=2 hosts-per-leaf=3 planes=2 link-rate=100Gbps",
    "leaf-spine leaves=3 spines=3 hosts-per-leaf=3 planes=3 link-rate=100Gbps",
    "leaf-spine leaves=3 spines=4 hosts-per-leaf=3 planes=4 link-rate=100Gbps",
};

/* Three kinds of failure of all planes but one to two. */
START_TEST(a_host_with_dead_ports_sends_by_the_others)
{
    const bool is_graph = _i % 2 != 0;
    const uint32_t kind = (uint32_t)_i / 2 % 3, n = (uint32_t)_i / 6 + 2;
    begin(shapes[n - 2], is_graph);
    check_shares(shift, 9, n == 2 ? 2.0 / 3 : 1);
    for (uint32_t left = n - 1; left > 0; left--)
    {
        if (kind == 0)
        {
            break_in(left, 4);
        }
        else
        {
            break_tor(left, 1, kind == 1);
        }
        /* Two spines are two thirds of what three hosts send. */
        check_shares(shift, 9, (n == 2 && kind ? 2.0 / 3 : 1) * left / n);
    }
    stage_end();
}
END_TEST

/* Planes serve what the same links serve as a graph, whatever has failed. */
START_TEST(planes_serve_what_the_same_graph_serves)
{
    static struct weft_flow flows[24];
    double share[2][2];
    for (int is_graph = 0; is_graph < 2; is_graph++)
    {
        struct weft_rng rng;
        weft_rng_seed(&rng, 7, 1, (uint64_t)_i);
        begin(shapes[_i % 3], is_graph);
        for (uint32_t i = 0; i < 24; i++)
        {
            const uint32_t src = weft_rng_below(&rng, 9);
            flows[i] = (struct weft_flow){src, (src + 1 + weft_rng_below(&rng, 8)) % 9};
        }
        for (uint32_t dead = weft_rng_below(&rng, 4); dead > 0; dead--)
        {
            break_in(weft_rng_below(&rng, planes.planes),
                     weft_rng_below(&rng, (uint32_t)planes.nlinks));
        }
        ck_assert_int_eq(weft_run_set_flows(stage.run, flows, 24), 0);
        share[is_graph][0] = weft_run_share(stage.run, 0);
        share[is_graph][1] = weft_run_share(stage.run, 1);
        stage_end();
    }
    ck_assert_double_eq_tol(share[0][0], share[1][0], 1e-12);
    ck_assert_double_eq_tol(share[0][1], share[1][1], 1e-12);
}
END_TEST

/* By path a plane gets as much as it has of a flow's paths: as few as are left of it. Every flow of
 * leaf 0 has one path of one plane and four of the other, and its port there takes 4/5. */
START_TEST(a_plane_that_has_lost_most_paths_gets_few)
{
    begin("leaf-spine leaves=3 spines=4 hosts-per-leaf=3 planes=2 link-rate=100Gbps", _i);
    for (uint64_t uplink = 0; uplink < 3; uplink++)
    {
        break_in(1, weft_clos_tor_link(&planes, 0) + uplink);
    }
    ck_assert_int_eq(weft_run_set_flows(stage.run, shift, 9), 0);
    ck_assert_double_eq_tol(weft_run_share(stage.run, 0), 5.0 / 8, 1e-12);
    ck_assert_double_eq_tol(weft_run_share(stage.run, 1), 1.0 / 3, 1e-12);
    stage_end();
}
END_TEST

Suite *
rho_planes_suite(void)
{
    Suite *suite = suite_create("rho-planes");
    TCase *tcase = tcase_create("rho-planes");
    tcase_add_loop_test(tcase, a_host_with_dead_ports_sends_by_the_others, 0, 18);
    tcase_add_loop_test(tcase, planes_serve_what_the_same_graph_serves, 0, 120);
    tcase_add_loop_test(tcase, a_plane_that_has_lost_most_paths_gets_few, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}

/* SPDX-License-Identifier: MIT */
/* A Clos in a file, whatever its numbers. If this fails, fabrics of other simulators are refused to
 * balancers that run on them, or are run as fabrics that they are not. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/rng.h>
#include <weft/weft.h>

#include "must.h"
#include "topo/clos-shape.h"

#define MOST_EDGES 20000U
#define MOST_NODES 4000U
#define GBPS       INT64_C(1000000000)

static struct weft_graph_edge edge[MOST_EDGES];
static uint32_t name[MOST_NODES]; /* of each node of the Clos, in the graph */
static uint32_t host[MOST_NODES], sw[MOST_NODES];
static uint64_t number[MOST_EDGES];
static struct weft_clos given, found;
static uint32_t nedges;
static struct weft_rng rng;

static uint32_t
draw(uint32_t n)
{
    return (uint32_t)(weft_rng_unit(&rng) * n);
}

static void
shuffle(uint32_t *row, uint32_t n)
{
    for (uint32_t i = n; i > 1; i--)
    {
        const uint32_t j = draw(i), was = row[i - 1];
        row[i - 1] = row[j];
        row[j] = was;
    }
}

/* Draws a shape of every kind: two and three tiers, planes, parallel links, servers, rails. */
static struct weft_clos_shape
draw_shape(void)
{
    const bool cores = draw(2), servers = draw(2), rails = servers && draw(2);
    const uint32_t gpus = servers ? 2 + draw(3) : 0;
    struct weft_clos_shape s = {
        .pods = cores ? 1 + draw(4) : 1,
        .tors_per_pod = rails ? gpus * (1 + draw(2)) : 1 + draw(4),
        .hosts_per_tor = servers && !rails ? gpus * (1 + draw(2)) : 1 + draw(5),
        .aggs_per_pod = 1 + draw(4),
        .up_agg = cores ? 1 + draw(3) : 0,
        .parallel = 1 + draw(2),
        .core_parallel = 1 + draw(2),
        .host_rate = 100 * GBPS,
        .fabric_rate = 200 * GBPS,
        .core_rate = 400 * GBPS,
        .host_delay = 1000,
        .fabric_delay = 2000,
        .core_delay = 3000,
        .hosts = {.planes = 1 + draw(3),
                  .gpus = gpus,
                  .server_rate = servers ? 900 * GBPS : 0,
                  .server_delay = servers ? 25000 : 0},
        .rails = rails,
    };
    return s;
}

/* Fills the edges of a Clos; nodes are named by `name`, and edges in the order that `turn` says. */
static void
take_edges(bool turned)
{
    const uint32_t nodes = given.nhosts + weft_planes_switches(&given);
    nedges = (uint32_t)weft_planes_links(&given);
    MUST(nodes <= MOST_NODES && nedges <= MOST_EDGES);
    for (uint32_t i = 0; i < nodes; i++)
    {
        name[i] = i;
    }
    if (turned)
    {
        shuffle(name, given.nhosts);
        shuffle(name + given.nhosts, nodes - given.nhosts);
        for (uint32_t i = given.nhosts; i < nodes; i++)
        {
            MUST(name[i] >= given.nhosts);
        }
    }
    for (uint32_t i = 0; i < nedges; i++)
    {
        struct weft_link link;
        weft_planes_link(&given, i, &link);
        const uint32_t a = name[link.lower.index + (link.lower.is_host ? 0 : given.nhosts)];
        const uint32_t b = name[link.upper.index + given.nhosts];
        const bool swap = turned && draw(2);
        edge[i] = (struct weft_graph_edge){swap ? b : a, swap ? a : b, link.rate, link.delay,
                                           i >= given.planes * given.nlinks};
    }
    /* Ports of a host stay in the order of its planes. */
    for (uint32_t i = given.nhosts * given.planes; turned && i > 1; i--)
    {
        const uint32_t at = nedges - 1 - draw(nedges - 1);
        const uint32_t to = nedges - 1 - draw(nedges - 1);
        const bool hosts = (edge[at].a < given.nhosts || edge[at].b < given.nhosts) ||
                           (edge[to].a < given.nhosts || edge[to].b < given.nhosts);
        const struct weft_graph_edge was = edge[at];
        edge[at] = hosts ? edge[at] : edge[to];
        edge[to] = hosts ? edge[to] : was;
    }
}

/* A link of the graph has the number of the one in the Clos that joins the same nodes. */
static void
check_link(const struct weft_link *link, uint64_t at)
{
    struct weft_link same;
    MUST(at < weft_planes_links(&found));
    weft_planes_link(&found, at, &same);
    const uint32_t a = link->lower.is_host ? host[link->lower.index] : sw[link->lower.index];
    const uint32_t b = sw[link->upper.index];
    MUST(same.lower.is_host == link->lower.is_host && same.rate == link->rate);
    MUST((same.lower.index == a && same.upper.index == b) ||
         (!same.lower.is_host && same.lower.index == b && same.upper.index == a));
}

/* Returns whether the edges are a Clos. */
static bool
recognise(void)
{
    struct weft_graph graph;
    struct weft_graph_fault fault;
    const uint32_t switches = weft_planes_switches(&given);
    const int64_t size = weft_graph_size(given.nhosts, switches, edge, nedges);
    MUST(size > 0);
    void *memory = malloc((size_t)size);
    const int code =
        weft_graph_init(&graph, memory, (size_t)size, given.nhosts, switches, edge, nedges, &fault);
    const bool is = code == 0 && weft_clos_recognise(&graph, &found, host, sw, number);
    for (uint32_t i = 0; is && i < nedges; i++)
    {
        check_link(&graph.links[i], number[i]);
    }
    free(memory);
    return is;
}

static int
by_ends(const void *a, const void *b)
{
    return memcmp(a, b, 4 * sizeof(int64_t));
}

/* Fills a sorted row of links: ends, rate and delay. @p mapped: of the graph's edges by the numbers
 * that were found; else of the Clos that was found. */
static int64_t (*rows(bool mapped))[4]
{
    int64_t(*row)[4] = malloc(nedges * sizeof *row);
    for (uint32_t i = 0; i < nedges; i++)
    {
        struct weft_link link;
        weft_planes_link(&found, i, &link);
        uint32_t a = link.lower.index + (link.lower.is_host ? 0 : found.nhosts);
        uint32_t b = link.upper.index + found.nhosts;
        if (mapped)
        {
            const uint32_t x = edge[i].a, y = edge[i].b, n = given.nhosts;
            a = x < n ? host[x] : n + sw[x - n];
            b = y < n ? host[y] : n + sw[y - n];
            link.rate = edge[i].rate;
            link.delay = edge[i].delay;
        }
        row[i][0] = a < b ? a : b;
        row[i][1] = a < b ? b : a;
        row[i][2] = link.rate;
        row[i][3] = link.delay;
    }
    qsort(row, nedges, sizeof *row, by_ends);
    return row;
}

START_TEST(a_clos_is_found_whatever_its_numbers)
{
    weft_rng_seed(&rng, (uint64_t)_i, 1, 2);
    for (int i = 0; i < 60; i++)
    {
        const struct weft_clos_shape shape = draw_shape();
        if (weft_clos_fill(&shape, &given) != 0)
        {
            continue;
        }
        take_edges(true);
        MUST(recognise());
        MUST(found.nhosts == given.nhosts && found.tiers == given.tiers &&
             found.ntors == given.ntors && found.npods == given.npods &&
             found.planes == given.planes && found.npaths == given.npaths &&
             found.server_rate == given.server_rate && found.gpus == given.gpus);
        MUST(weft_clos_check(&found) == 0);
        int64_t(*mine)[4] = rows(true), (*theirs)[4] = rows(false);
        MUST(memcmp(mine, theirs, nedges * sizeof *mine) == 0);
        free(mine);
        free(theirs);
    }
}
END_TEST

START_TEST(one_in_wefts_numbers_keeps_them)
{
    weft_rng_seed(&rng, (uint64_t)_i, 2, 2);
    for (int i = 0; i < 60; i++)
    {
        const struct weft_clos_shape shape = draw_shape();
        if (weft_clos_fill(&shape, &given) != 0)
        {
            continue;
        }
        take_edges(false);
        MUST(recognise());
        for (uint32_t node = 0; node < given.nhosts; node++)
        {
            MUST(host[node] == node);
        }
        for (uint32_t node = 0; node < weft_planes_switches(&given); node++)
        {
            MUST(sw[node] == node);
        }
        MUST(given.gpus == 0 || given.gpus == 1 || given.tors_per_pod * given.npods == 1 ||
             found.rails == given.rails);
    }
}
END_TEST

/* Does something to one edge; false: that is none. */
static bool
spoil(uint32_t how)
{
    struct weft_graph_edge *one = &edge[draw(nedges)];
    struct weft_graph_edge *other = &edge[draw(nedges)];
    const struct weft_graph_edge was = *one;
    const uint32_t nodes = given.nhosts + weft_planes_switches(&given);
    switch (how)
    {
    case 0:
        one->rate += GBPS;
        return nedges > given.nhosts * given.planes + 1;
    case 1:
        one->delay += 1;
        return nedges > given.nhosts * given.planes + 1;
    case 2: /* another switch */
        if (one->a < given.nhosts || one->b < given.nhosts)
        {
            return false;
        }
        one->b = given.nhosts + draw(nodes - given.nhosts);
        return one->b != was.b && one->b != one->a;
    default: /* a link twice, and another never */
        if (one->scale_up || other->scale_up || (one->a == other->a && one->b == other->b))
        {
            return false;
        }
        *one = *other;
        return true;
    }
}

/* Returns whether a kind of links has one link alone: with another rate it is a Clos all the same.
 */
static bool
has_a_single_link(void)
{
    const uint64_t tors = (uint64_t)given.ntors * given.up_tor * given.parallel;
    const uint64_t cores = (uint64_t)given.naggs * given.up_agg * given.core_parallel;
    return given.nhosts * given.planes == 1 || tors * given.planes == 1 ||
           cores * given.planes == 1;
}

START_TEST(what_is_nearly_one_is_none)
{
    weft_rng_seed(&rng, (uint64_t)_i, 3, 2);
    uint32_t spoilt = 0;
    for (int i = 0; i < 400; i++)
    {
        const struct weft_clos_shape shape = draw_shape();
        if (weft_clos_fill(&shape, &given) != 0 || has_a_single_link())
        {
            continue;
        }
        take_edges(true);
        if (spoil(draw(4)) && recognise())
        {
            /* Another Clos is possible where a switch is as good as another: then its links are
             * those of the edges all the same. */
            int64_t(*mine)[4] = rows(true), (*theirs)[4] = rows(false);
            MUST(memcmp(mine, theirs, nedges * sizeof *mine) == 0);
            free(mine);
            free(theirs);
        }
        else
        {
            spoilt++;
        }
    }
    MUST(spoilt > 200);
}
END_TEST

Suite *
clos_in_graph_suite(void)
{
    Suite *suite = suite_create("clos-in-graph");
    TCase *tcase = tcase_create("clos-in-graph");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, a_clos_is_found_whatever_its_numbers, 0, 10);
    tcase_add_loop_test(tcase, one_in_wefts_numbers_keeps_them, 0, 5);
    tcase_add_loop_test(tcase, what_is_nearly_one_is_none, 0, 5);
    suite_add_tcase(suite, tcase);
    return suite;
}

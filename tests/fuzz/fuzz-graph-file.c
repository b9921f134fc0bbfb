/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of topologies that nobody would write, as text and as XML: reading one must end in a graph
 * or in messages that name a line. In what is taken for a graph every packet must arrive, by as few
 * links as the graph itself says. Else a slip in a topology takes the command down, or a run sends
 * packets to where there is no link.
 */
#include <stdlib.h>
#include <string.h>

#include <weft/clos.h>

#include "fuzz.h"
#include "graph-file.h"
#include "must.h"
#include "textbuf.h"

/* Larger graphs only take longer. */
#define MOST_ROWS  20000
#define MOST_WALKS 2000

/** From host to host by one of the source's ports, and the first or the last candidates. */
static void
walk(const struct weft_graph *g, const struct weft_fib *fib, uint32_t src, uint32_t dst,
     uint32_t own, bool last)
{
    struct weft_switch_map map = {0};
    uint32_t s = g->links[g->first_link[src] + own].upper.index, links = 1;
    for (;; links++)
    {
        struct weft_ports ports;
        MUST(weft_fib_route(fib, s, &map, dst, &ports));
        const uint32_t port = weft_port_at(&ports, last ? ports.n - 1U : 0);
        const struct weft_graph_port *to = &g->ports[g->first_port[s] + port];
        MUST(g->first_port[s] + port < g->first_port[s + 1] && links < g->nswitches + 2);
        if (to->peer == UINT32_MAX)
        {
            MUST(g->links[to->link].lower.index == dst);
            break;
        }
        s = to->peer;
    }
    MUST(src == dst || links + 1 == weft_graph_hops(g, src, dst));
}

static void
check_routes(const struct weft_graph *g, const struct weft_clos *shape, enum weft_weights weights)
{
    const struct weft_fib_case of = {.weights = weights};
    const int64_t size = weft_fib_size_for(shape, &of);
    MUST(size > 0);
    struct weft_fib *fib = xcalloc((size_t)size / 8, 8);
    MUST(weft_fib_build_for(fib, (size_t)size, shape, &of) == 0);
    for (uint32_t i = 0; i < MOST_WALKS && i < g->nhosts * g->nhosts; i++)
    {
        const uint32_t src = i % g->nhosts, dst = i / g->nhosts % g->nhosts;
        const uint64_t ways = g->most_ports > 1 ? weft_fib_ways(fib, src, dst) : 1;
        MUST(ways == weft_graph_ways(g, src, dst));
        for (uint32_t port = 0; port < WEFT_GRAPH_HOST_LINKS; port++)
        {
            if (ways >> port & 1U)
            {
                walk(g, fib, src, dst, port, i % 2);
            }
        }
    }
    free(fib);
}

static void
check_graph(const struct weft_graph *g)
{
    const struct weft_topology_ops *ops = weft_topology_find("graph");
    uint64_t config[4] = {0};
    struct weft_clos shape;
    MUST(ops->algo.config_size <= sizeof config);
    ops->use(config, g);
    MUST(ops->build(config, &shape) == 0 && shape.nhosts == g->nhosts);
    MUST(!g->clos || weft_clos_check(g->clos) == 0);
    if ((uint64_t)g->ngroups * g->nswitches > MOST_ROWS)
    {
        return;
    }
    check_routes(g, &shape, WEFT_WEIGHTS_NONE);
    check_routes(g, &shape, WEFT_WEIGHTS_CAPACITY);
}

/** Every id finds the node of that name, and no other. */
static void
check_ids(const struct graph_names *names)
{
    for (uint32_t node = 0; node < names->count[NODE_HOST] + names->count[NODE_SWITCH]; node++)
    {
        const bool host = node < names->count[NODE_HOST];
        enum node_kind kind;
        uint32_t number;
        if (names->has_ids[host ? NODE_HOST : NODE_SWITCH])
        {
            MUST(graph_names_find(names, strtoull(names->name[node], NULL, 10), &kind, &number));
            MUST((kind == NODE_HOST) == host);
            MUST(number == node - (host ? 0 : names->count[NODE_HOST]));
        }
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics d = {.file = "fuzz.xml"};
    struct input_source from = {.path = "fuzz.txt", .scenario_line = 1, .d = &d};
    struct weft_graph graph;
    struct graph_names names;
    double *losses[2] = {NULL, NULL};
    char *bytes = xcalloc(size + 1, 1);
    if (size > 0)
    {
        memcpy(bytes, data, size);
    }
    void *memory = graph_file_parse(&from, bytes, size, &graph, losses, &names);
    MUST((memory == NULL) == (d.n > 0));
    MUST(d.n == 0 || strncmp(d.items[0].message, "fuzz.txt:", 9) == 0);
    if (memory)
    {
        check_graph(&graph);
        check_ids(&names);
    }
    graph_names_free(&names);
    free(losses[0]);
    free(losses[1]);
    free(memory);
    free(bytes);
    diag_free(&d);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* A graph as a topology: what is asked of a Clos and has a meaning here as well. */
#include "roster/tables.h"
#include "topo/clos-shape.h"
#include "topo/graph-distance.h"

#include <string.h>

#include <weft/error.h>
#include <weft/graph.h>

struct graph_config
{
    const struct weft_graph *graph;
    int64_t recognise;
};

static const struct weft_param params[] = {
    {"recognise", WEFT_BOOL, WEFT_P(struct graph_config, recognise), "on", NULL, NULL, NULL,
     "A file whose hosts and switches are a Clos, whatever their numbers, makes the fabric one, as "
     "leaf-spine, clos or rail-optimised would: balancers that need a Clos run on it.",
     "(ours)"},
};

/* Hosts of each group, where they are as many in each and numbered in a row. */
static uint32_t
hosts_in_a_row(const struct weft_graph *g)
{
    const uint32_t n = g->nhosts / g->ngroups;
    for (uint32_t host = 0; host < g->nhosts; host++)
    {
        const uint32_t first = host - host % n;
        if (n * g->ngroups != g->nhosts || g->group[host] != g->group[first])
        {
            return 1;
        }
    }
    return n;
}

static void
use(void *config, const struct weft_graph *graph)
{
    ((struct graph_config *)config)->graph = graph;
}

/* Fills the greatest rates and delays; of a host, that of its ports to the fabric together. */
static void
find_most(const struct weft_graph *g, struct weft_clos *clos)
{
    int64_t together = 0;
    for (uint32_t i = 0; i < g->nlinks; i++)
    {
        const struct weft_link *link = &g->links[i];
        const bool host = link->lower.is_host;
        int64_t *rate = host ? &clos->host_rate : &clos->fabric_rate;
        int64_t *delay = host ? &clos->host_delay : &clos->fabric_delay;
        together = (host && link->lower.port > 0 ? together : 0) +
                   (weft_graph_is_inside(g, link) ? 0 : link->rate);
        *rate = together > *rate ? together : *rate;
        *delay = link->delay > *delay ? link->delay : *delay;
    }
}

int
weft_graph_shape(const struct weft_graph *g, struct weft_clos *clos)
{
    if (!g || g->nhosts == 0)
    {
        return weft_clos_refuse(clos, WEFT_EINVAL);
    }
    memset(clos, 0, sizeof *clos);
    clos->graph = g;
    clos->gpus = g->gpus;
    clos->tiers = weft_graph_has_cores(g) ? 3 : 2;
    clos->nhosts = g->nhosts;
    clos->nswitches = g->nswitches;
    clos->nlinks = g->nlinks;
    clos->ntors = g->ntors;
    clos->hosts_per_tor = hosts_in_a_row(g);
    clos->npods = 1;
    clos->planes = 1;
    clos->tors_per_pod = g->nhosts / clos->hosts_per_tor;
    clos->parallel = clos->core_parallel = 1;
    clos->npaths = g->width;
    find_most(g, clos);
    clos->core_rate = clos->fabric_rate;
    clos->core_delay = clos->fabric_delay;
    return 0;
}

static int
build(const void *config, struct weft_clos *clos)
{
    const struct graph_config *c = (const struct graph_config *)config;
    if (c->recognise && c->graph && c->graph->clos)
    {
        *clos = *c->graph->clos;
        return 0;
    }
    return weft_graph_shape(c->graph, clos);
}

const struct weft_topology_ops weft_topology_graph = {
    .algo =
        {
            .name = "graph",
            .doc =
                "Any switches and links, from a file; packets take a path with the fewest links.",
            .source = "(ours)",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct graph_config),
        },
    .build = build,
    .use = use,
};

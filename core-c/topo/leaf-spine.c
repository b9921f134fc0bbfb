/* SPDX-License-Identifier: MIT */
/* Leaf-spine: every leaf is linked to every spine by the same number of parallel links. */
#include "roster/tables.h"
#include "topo/clos-shape.h"

struct leaf_spine_config
{
    int64_t leaves;
    int64_t spines;
    int64_t hosts_per_leaf;
    struct weft_leaf_links links;
    struct weft_hosts_shape hosts;
};

static const struct weft_param params[] = {
    {"leaves", WEFT_COUNT, WEFT_P(struct leaf_spine_config, leaves), "16", "1", "8192", NULL,
     "Leaf switches (ToRs).", "themis §5"},
    {"spines", WEFT_COUNT, WEFT_P(struct leaf_spine_config, spines), "16", "1", "8191", NULL,
     "Spine switches.", "themis §5"},
    {"hosts-per-leaf", WEFT_COUNT, WEFT_P(struct leaf_spine_config, hosts_per_leaf), "16", "1",
     "8191", NULL, "Hosts at each leaf.", "themis §5"},
    WEFT_LEAF_PARAMS(struct leaf_spine_config, "1us", "themis §5"),
    WEFT_PLANES_PARAMS(struct leaf_spine_config),
    WEFT_SERVER_PARAMS(struct leaf_spine_config),
    WEFT_SCALE_UP_PARAMS(struct leaf_spine_config),
};

static const struct weft_preset presets[] = {
    {"themis-fig1", "leaves=4 spines=4 hosts-per-leaf=2 link-rate=100Gbps link-delay=1us",
     "The eight nodes of the motivation experiment.", "themis §2.2; switch counts (ours)"},
    {"themis-fig5", "leaves=16 spines=16 hosts-per-leaf=16 link-rate=400Gbps link-delay=1us",
     "256 NICs, no oversubscription.", "themis §5"},
    {"pro", "leaves=16 spines=8 hosts-per-leaf=8 link-rate=200Gbps link-delay=1us",
     "128 servers at 16 ToRs below 8 aggregations.", "pro §VI-A"},
};

static struct weft_clos_shape
shape_of(const struct leaf_spine_config *c)
{
    return weft_leaf_shape(c->leaves, c->hosts_per_leaf, c->spines, &c->links, &c->hosts);
}

static const char *
check(const void *config)
{
    const struct weft_clos_shape shape = shape_of((const struct leaf_spine_config *)config);
    return weft_clos_wrong(&shape);
}

static int
build(const void *config, struct weft_clos *clos)
{
    const struct leaf_spine_config *c = (const struct leaf_spine_config *)config;
    const struct weft_clos_shape shape = shape_of(c);
    return weft_clos_build(&shape, clos);
}

static void
use(void *config, const struct weft_graph *graph)
{
    ((struct leaf_spine_config *)config)->hosts.graph = graph;
}

static uint32_t
edges(const void *config, struct weft_graph_edge *to, uint32_t *nhosts, uint32_t *nswitches)
{
    const struct weft_clos_shape shape = shape_of((const struct leaf_spine_config *)config);
    return weft_clos_edges(&shape, to, nhosts, nswitches);
}

const struct weft_topology_ops weft_topology_leaf_spine = {
    .algo =
        {
            .name = "leaf-spine",
            .doc = "Two tiers: every leaf is linked to every spine.",
            .source = "themis §5",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .presets = presets,
            .npresets = sizeof presets / sizeof presets[0],
            .config_size = sizeof(struct leaf_spine_config),
            .check = check,
        },
    .build = build,
    .use = use,
    .edges = edges,
};

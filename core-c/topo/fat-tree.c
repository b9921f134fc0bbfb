/* SPDX-License-Identifier: MIT */
/* k-ary fat-tree (Al-Fares et al. 2008) of switches with k ports, with two or three tiers. */
#include "roster/tables.h"
#include "topo/clos-shape.h"

#include <weft/error.h>

struct fat_tree_config
{
    int64_t k;
    int64_t tiers;
    int64_t link_rate;
    int64_t fabric_rate;
    int64_t link_delay;
    int64_t fabric_delay;
    int64_t hosts_per_edge;
    int64_t core_rate;
    int64_t core_delay;
    struct weft_hosts_shape hosts;
};

static const struct weft_param params[] = {
    {"k", WEFT_COUNT, WEFT_P(struct fat_tree_config, k), "8", "2", "1448", NULL,
     "Ports of every switch; even.", "Al-Fares et al. 2008"},
    {"tiers", WEFT_COUNT, WEFT_P(struct fat_tree_config, tiers), "3", "2", "3", NULL,
     "3: k pods below (k/2)^2 cores, k^3/4 hosts; 2: k edges below k/2 spines, k^2/2 hosts.",
     "Al-Fares et al. 2008"},
    {"link-rate", WEFT_RATE, WEFT_P(struct fat_tree_config, link_rate), "400Gbps", "1Mbps", "8Tbps",
     NULL, "Rate of the hosts' links.", "themis §5"},
    {"fabric-rate", WEFT_RATE, WEFT_P(struct fat_tree_config, fabric_rate), "0bps", "0bps", "8Tbps",
     NULL, "Rate of each link between edge and aggregation; 0bps: as link-rate.", "(ours)"},
    {"link-delay", WEFT_TIME, WEFT_P(struct fat_tree_config, link_delay), "1us", "0ps", "1s", NULL,
     "Propagation delay of the hosts' links.", "themis §5"},
    {"fabric-delay", WEFT_TIME, WEFT_P(struct fat_tree_config, fabric_delay), "0ps", "0ps", "1s",
     NULL, "Propagation delay of each link between edge and aggregation; 0ps: as link-delay.",
     "(ours)"},
    {"hosts-per-edge", WEFT_COUNT, WEFT_P(struct fat_tree_config, hosts_per_edge), "0", "0", "8191",
     NULL,
     "Hosts at each edge; 0: k/2, no oversubscription. More than k/2 oversubscribe the edges' "
     "ports "
     "upwards, which stay k/2.",
     "(ours)"},
    {"core-rate", WEFT_RATE, WEFT_P(struct fat_tree_config, core_rate), "0bps", "0bps", "8Tbps",
     NULL, "Rate of each link between aggregation and core; 0bps: as between edge and aggregation.",
     "(ours)"},
    {"core-delay", WEFT_TIME, WEFT_P(struct fat_tree_config, core_delay), "0ps", "0ps", "1s", NULL,
     "Propagation delay of each link between aggregation and core; 0ps: as between edge and "
     "aggregation.",
     "(ours)"},
    WEFT_PLANES_PARAMS(struct fat_tree_config),
    WEFT_SERVER_PARAMS(struct fat_tree_config),
    WEFT_SCALE_UP_PARAMS(struct fat_tree_config),
};

static const struct weft_preset presets[] = {
    {"ofan", "k=8 tiers=3 link-rate=800Gbps link-delay=500ns", "128 hosts.", "ofan §5"},
    {"ofan-k4", "k=4 tiers=3 link-rate=800Gbps link-delay=500ns",
     "The fabric of the closed form for permutations.", "ofan App. B"},
    {"themis-table1", "k=32 tiers=3 link-rate=400Gbps", "The fabric of the memory estimate.",
     "themis §4"},
};

static struct weft_clos_shape
shape_of(const struct fat_tree_config *c)
{
    return (struct weft_clos_shape){
        .pods = c->tiers == 3 ? c->k : 1,
        .tors_per_pod = c->tiers == 3 ? c->k / 2 : c->k,
        .hosts_per_tor = c->hosts_per_edge ? c->hosts_per_edge : c->k / 2,
        .aggs_per_pod = c->k / 2,
        .up_agg = c->tiers == 3 ? c->k / 2 : 0,
        .parallel = 1,
        .core_parallel = 1,
        .host_rate = c->link_rate,
        .fabric_rate = c->fabric_rate,
        .core_rate = c->core_rate,
        .host_delay = c->link_delay,
        .fabric_delay = c->fabric_delay,
        .core_delay = c->core_delay,
        .hosts = c->hosts,
    };
}

static const char *
check(const void *config)
{
    const struct fat_tree_config *c = (const struct fat_tree_config *)config;
    if (c->k % 2 != 0)
    {
        return "k is odd; expected an even number of ports per switch";
    }
    if (c->tiers == 3 && c->k > 160)
    {
        return "k gives more than 1048576 hosts; expected k <= 160 with three tiers";
    }
    if (c->tiers == 2 && (c->core_rate || c->core_delay))
    {
        return "two tiers have no cores; expected core-rate and core-delay with tiers=3 only";
    }
    const struct weft_clos_shape shape = shape_of(c);
    return weft_clos_wrong(&shape);
}

static int
build(const void *config, struct weft_clos *clos)
{
    const struct fat_tree_config *c = (const struct fat_tree_config *)config;
    if (c->k < 2 || c->k % 2 != 0 || c->tiers < 2 || c->tiers > 3)
    {
        return weft_clos_refuse(clos, WEFT_ERANGE);
    }
    const struct weft_clos_shape shape = shape_of(c);
    return weft_clos_build(&shape, clos);
}

static void
use(void *config, const struct weft_graph *graph)
{
    ((struct fat_tree_config *)config)->hosts.graph = graph;
}

static uint32_t
edges(const void *config, struct weft_graph_edge *to, uint32_t *nhosts, uint32_t *nswitches)
{
    const struct weft_clos_shape shape = shape_of((const struct fat_tree_config *)config);
    return weft_clos_edges(&shape, to, nhosts, nswitches);
}

const struct weft_topology_ops weft_topology_fat_tree = {
    .algo =
        {
            .name = "fat-tree",
            .doc = "k-ary fat-tree of two or three tiers.",
            .source = "Al-Fares et al. 2008",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .presets = presets,
            .npresets = sizeof presets / sizeof presets[0],
            .config_size = sizeof(struct fat_tree_config),
            .check = check,
        },
    .build = build,
    .use = use,
    .edges = edges,
};

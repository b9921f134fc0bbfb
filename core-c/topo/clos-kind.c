/* SPDX-License-Identifier: MIT */
/* Three tiers of any width: pods of ToRs and aggregations, and cores above them. */
#include "roster/tables.h"
#include "topo/clos-shape.h"

#include <weft/error.h>

struct clos_kind_config
{
    int64_t pods;
    int64_t tors_per_pod;
    int64_t hosts_per_tor;
    int64_t aggregations;
    int64_t cores;
    int64_t parallel;
    int64_t core_parallel;
    int64_t link_rate;
    int64_t fabric_rate;
    int64_t core_rate;
    int64_t link_delay;
    int64_t fabric_delay;
    int64_t core_delay;
    struct weft_hosts_shape hosts;
};

static const struct weft_param params[] = {
    {"pods", WEFT_COUNT, WEFT_P(struct clos_kind_config, pods), "4", "1", "8192", NULL, "Pods.",
     "(ours)"},
    {"tors-per-pod", WEFT_COUNT, WEFT_P(struct clos_kind_config, tors_per_pod), "4", "1", "8191",
     NULL, "ToRs of each pod.", "(ours)"},
    {"hosts-per-tor", WEFT_COUNT, WEFT_P(struct clos_kind_config, hosts_per_tor), "8", "1", "8191",
     NULL, "Hosts at each ToR.", "(ours)"},
    {"aggregations", WEFT_COUNT, WEFT_P(struct clos_kind_config, aggregations), "4", "1", "8191",
     NULL, "Aggregations of each pod; every ToR of the pod is linked to each of them.", "(ours)"},
    {"cores", WEFT_COUNT, WEFT_P(struct clos_kind_config, cores), "4", "1", "8191", NULL,
     "Cores above each aggregation: the j-th aggregations of all pods share theirs, so there are "
     "aggregations times cores in all.",
     "(ours)"},
    {"parallel", WEFT_COUNT, WEFT_P(struct clos_kind_config, parallel), "1", "1", "8191", NULL,
     "Parallel links between a ToR and an aggregation.", "(ours)"},
    {"core-parallel", WEFT_COUNT, WEFT_P(struct clos_kind_config, core_parallel), "1", "1", "8191",
     NULL, "Parallel links between an aggregation and a core.", "(ours)"},
    {"link-rate", WEFT_RATE, WEFT_P(struct clos_kind_config, link_rate), "400Gbps", "1Mbps",
     "8Tbps", NULL, "Rate of the hosts' links.", "themis §5"},
    {"fabric-rate", WEFT_RATE, WEFT_P(struct clos_kind_config, fabric_rate), "0bps", "0bps",
     "8Tbps", NULL, "Rate of each link between ToR and aggregation; 0bps: as link-rate.", "(ours)"},
    {"core-rate", WEFT_RATE, WEFT_P(struct clos_kind_config, core_rate), "0bps", "0bps", "8Tbps",
     NULL, "Rate of each link between aggregation and core; 0bps: as between ToR and aggregation.",
     "(ours)"},
    {"link-delay", WEFT_TIME, WEFT_P(struct clos_kind_config, link_delay), "1us", "0ps", "1s", NULL,
     "Propagation delay of the hosts' links.", "themis §5"},
    {"fabric-delay", WEFT_TIME, WEFT_P(struct clos_kind_config, fabric_delay), "0ps", "0ps", "1s",
     NULL, "Propagation delay of each link between ToR and aggregation; 0ps: as link-delay.",
     "(ours)"},
    {"core-delay", WEFT_TIME, WEFT_P(struct clos_kind_config, core_delay), "0ps", "0ps", "1s", NULL,
     "Propagation delay of each link between aggregation and core; 0ps: as between ToR and "
     "aggregation.",
     "(ours)"},
    WEFT_PLANES_PARAMS(struct clos_kind_config),
    WEFT_SERVER_PARAMS(struct clos_kind_config),
    WEFT_SCALE_UP_PARAMS(struct clos_kind_config),
};

static const struct weft_preset presets[] = {
    {"fast-cores",
     "pods=4 tors-per-pod=4 hosts-per-tor=8 aggregations=4 cores=2 link-rate=100Gbps "
     "fabric-rate=200Gbps core-rate=400Gbps",
     "128 hosts: each tier above the hosts has half as many links as the one below, at twice the "
     "rate.",
     "(ours)"},
};

static struct weft_clos_shape
shape_of(const struct clos_kind_config *c)
{
    return (struct weft_clos_shape){
        .pods = c->pods,
        .tors_per_pod = c->tors_per_pod,
        .hosts_per_tor = c->hosts_per_tor,
        .aggs_per_pod = c->aggregations,
        .up_agg = c->cores,
        .parallel = c->parallel,
        .core_parallel = c->core_parallel,
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
    const struct weft_clos_shape shape = shape_of((const struct clos_kind_config *)config);
    return weft_clos_wrong(&shape);
}

static int
build(const void *config, struct weft_clos *clos)
{
    const struct clos_kind_config *c = (const struct clos_kind_config *)config;
    const struct weft_clos_shape shape = shape_of(c);
    return c->cores < 1 ? weft_clos_refuse(clos, WEFT_ERANGE) : weft_clos_build(&shape, clos);
}

static void
use(void *config, const struct weft_graph *graph)
{
    ((struct clos_kind_config *)config)->hosts.graph = graph;
}

static uint32_t
edges(const void *config, struct weft_graph_edge *to, uint32_t *nhosts, uint32_t *nswitches)
{
    const struct weft_clos_shape shape = shape_of((const struct clos_kind_config *)config);
    return weft_clos_edges(&shape, to, nhosts, nswitches);
}

const struct weft_topology_ops weft_topology_clos = {
    .algo =
        {
            .name = "clos",
            .doc = "Three tiers of any width, with rates, delays and parallel links for each tier.",
            .source = "Clos 1953; Greenberg et al. 2009",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .presets = presets,
            .npresets = sizeof presets / sizeof presets[0],
            .config_size = sizeof(struct clos_kind_config),
            .check = check,
        },
    .build = build,
    .use = use,
    .edges = edges,
};

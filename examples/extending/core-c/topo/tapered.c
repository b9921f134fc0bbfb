/* SPDX-License-Identifier: MIT */
/* A leaf-spine that is described by its taper: how many times what comes up from a leaf's spines
 * its hosts can send. */
#include "roster/tables.h"
#include "topo/clos-shape.h"

struct tapered_config
{
    int64_t leaves;
    int64_t hosts_per_leaf;
    int64_t taper;
    int64_t link_rate;
    int64_t link_delay;
};

#define P(member) WEFT_P(struct tapered_config, member)

static const struct weft_param params[] = {
    {"leaves", WEFT_COUNT, P(leaves), "8", "1", "8192", NULL, "Leaf switches (ToRs).", "(ours)"},
    {"hosts-per-leaf", WEFT_COUNT, P(hosts_per_leaf), "16", "1", "8191", NULL,
     "Hosts at each leaf.", "(ours)"},
    {"taper", WEFT_COUNT, P(taper), "2", "1", "64", NULL,
     "Hosts of a leaf for each of its spines; it divides hosts-per-leaf.", "(ours)"},
    {"link-rate", WEFT_RATE, P(link_rate), "400Gbps", "1Mbps", "8Tbps", NULL, "Rate of every link.",
     "(ours)"},
    {"link-delay", WEFT_TIME, P(link_delay), "1us", "0ps", "1s", NULL,
     "Propagation delay of every link.", "(ours)"},
};

static struct weft_clos_shape
shape_of(const struct tapered_config *c)
{
    return (struct weft_clos_shape){
        .pods = 1,
        .tors_per_pod = c->leaves,
        .hosts_per_tor = c->hosts_per_leaf,
        .aggs_per_pod = c->taper < 1 ? 0 : c->hosts_per_leaf / c->taper,
        .parallel = 1,
        .host_rate = c->link_rate,
        .host_delay = c->link_delay,
    };
}

static const char *
check(const void *config)
{
    const struct tapered_config *c = config;
    const struct weft_clos_shape shape = shape_of(c);
    return c->taper < 1 || c->hosts_per_leaf % c->taper != 0
               ? "taper does not divide hosts-per-leaf; expected a divisor, such as 2"
               : weft_clos_wrong(&shape);
}

static int
build(const void *config, struct weft_clos *clos)
{
    const struct tapered_config *c = config;
    const struct weft_clos_shape shape = shape_of(c);
    return c->taper < 1 || c->hosts_per_leaf % c->taper != 0 ? (int)WEFT_ERANGE
                                                             : weft_clos_fill(&shape, clos);
}

const struct weft_topology_ops weft_topology_tapered = {
    .algo =
        {
            .name = "tapered",
            .doc = "A leaf-spine with fewer spines than a leaf has hosts.",
            .source = "(ours)",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct tapered_config),
            .check = check,
        },
    .build = build,
};

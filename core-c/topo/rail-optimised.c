/* SPDX-License-Identifier: MIT */
/* Rail-optimised: the GPUs of a server are at different leaves, the i-th of all servers of a block
 * at the block's i-th leaf; every leaf is linked to every spine. */
#include "roster/tables.h"
#include "topo/clos-shape.h"

struct rail_config
{
    int64_t blocks;
    int64_t servers;
    int64_t spines;
    struct weft_leaf_links links;
    struct weft_hosts_shape hosts;
};

static const struct weft_param params[] = {
    {"blocks", WEFT_COUNT, WEFT_P(struct rail_config, blocks), "1", "1", "8192", NULL,
     "Blocks: as many leaves (ToRs) as a server has GPUs, and the servers at them.", "simai"},
    {"gpus-per-server", WEFT_COUNT, WEFT_P(struct rail_config, hosts.gpus), "8", "1", "8191", NULL,
     "GPUs of a server, each of them a host at a leaf of its own: its rail.", "simai"},
    {"servers-per-block", WEFT_COUNT, WEFT_P(struct rail_config, servers), "16", "1", "8191", NULL,
     "Servers of a block: hosts at each leaf.", "simai"},
    {"spines", WEFT_COUNT, WEFT_P(struct rail_config, spines), "16", "1", "8191", NULL,
     "Spine switches, by which hosts of different rails or blocks reach each other.", "simai"},
    WEFT_LEAF_PARAMS(struct rail_config, "500ns", "simai"),
    WEFT_PLANES_PARAMS(struct rail_config),
    WEFT_SCALE_UP_PARAMS(struct rail_config),
};

static const struct weft_preset presets[] = {
    {"h100", "gpus-per-server=8 link-rate=400Gbps link-delay=500ns scale-up-rate=2880Gbps",
     "Servers of eight H100 with NVLink, as SimAI has them.", "simai"},
};

static struct weft_clos_shape
shape_of(const struct rail_config *c)
{
    struct weft_clos_shape shape =
        weft_leaf_shape(c->blocks * c->hosts.gpus, c->servers, c->spines, &c->links, &c->hosts);
    shape.rails = true;
    return shape;
}

static const char *
check(const void *config)
{
    const struct weft_clos_shape shape = shape_of((const struct rail_config *)config);
    return weft_clos_wrong(&shape);
}

static int
build(const void *config, struct weft_clos *clos)
{
    const struct weft_clos_shape shape = shape_of((const struct rail_config *)config);
    return weft_clos_fill(&shape, clos);
}

const struct weft_topology_ops weft_topology_rail_optimised = {
    .algo =
        {
            .name = "rail-optimised",
            .doc = "Two tiers: GPU i of every server of a block is at the block's i-th leaf.",
            .source = "NVIDIA DGX SuperPOD; Wang et al. 2023 (the term); simai",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .presets = presets,
            .npresets = sizeof presets / sizeof presets[0],
            .config_size = sizeof(struct rail_config),
            .check = check,
        },
    .build = build,
};

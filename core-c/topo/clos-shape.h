/* SPDX-License-Identifier: MIT */
/** @file clos-shape.h Shape of a Clos as a topology kind says it; clos.c derives the rest. Private.
 * */
#ifndef WEFT_TOPO_CLOS_SHAPE_H
#define WEFT_TOPO_CLOS_SHAPE_H

#include <stdint.h>

#include <weft/clos.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** Hosts as a user gave them: their ports, ToRs and servers. Any value. */
    struct weft_hosts_shape
    {
        int64_t planes;       /**< 0: one */
        int64_t divided;      /**< not 0: rates are those of all planes together */
        int64_t tors;         /**< of each host, in every plane; 0: one */
        int64_t gpus;         /**< hosts of a server; 0: each is one by itself */
        int64_t server_rate;  /**< of a host's link to its server's network; 0: there is none */
        int64_t server_delay; /**< of the same */
        const struct weft_graph *graph; /**< of hosts at several ToRs; NULL: it is missing yet */
    };

    /** Counts as a user gave them: any value. */
    struct weft_clos_shape
    {
        int64_t pods;
        int64_t tors_per_pod;
        int64_t hosts_per_tor; /**< links of a ToR to hosts */
        int64_t aggs_per_pod;  /**< parents of a ToR; with 2 tiers the spines */
        int64_t up_agg;        /**< parents of an aggregation; 0: 2 tiers */
        int64_t parallel;
        int64_t core_parallel; /**< 3 tiers */
        int64_t host_rate;
        int64_t fabric_rate; /**< 0: as host_rate */
        int64_t core_rate;   /**< 3 tiers; 0: as fabric_rate, or what that stands for */
        int64_t host_delay;
        int64_t fabric_delay; /**< 0: as host_delay */
        int64_t core_delay;   /**< 3 tiers; 0: as fabric_delay, or what that stands for */
        struct weft_hosts_shape hosts;
        bool rails; /**< a server's hosts are at ToRs in a row, else at one ToR */
    };

    /** Links of leaves and spines, as a user gave them. */
    struct weft_leaf_links
    {
        int64_t parallel;
        int64_t link_rate;
        int64_t fabric_rate; /**< 0: as link_rate */
        int64_t link_delay;
        int64_t fabric_delay; /**< 0: as link_delay */
    };

    /** Returns leaves that are linked to all spines. */
    static inline struct weft_clos_shape weft_leaf_shape(int64_t leaves, int64_t hosts_per_leaf,
                                                         int64_t spines,
                                                         const struct weft_leaf_links *links,
                                                         const struct weft_hosts_shape *hosts)
    {
        return (struct weft_clos_shape){
            .pods = 1,
            .tors_per_pod = leaves,
            .hosts_per_tor = hosts_per_leaf,
            .aggs_per_pod = spines,
            .parallel = links->parallel,
            .host_rate = links->link_rate,
            .fabric_rate = links->fabric_rate,
            .host_delay = links->link_delay,
            .fabric_delay = links->fabric_delay,
            .hosts = *hosts,
        };
    }

/** Entries of a kind's table of parameters, whose config has a struct weft_leaf_links links. */
#define WEFT_LEAF_PARAMS(config, delay, source)                                                    \
    {"parallel",                                                                                   \
     WEFT_COUNT,                                                                                   \
     WEFT_P(config, links.parallel),                                                               \
     "1",                                                                                          \
     "1",                                                                                          \
     "8191",                                                                                       \
     NULL,                                                                                         \
     "Parallel links between a leaf and a spine.",                                                 \
     "(ours)"},                                                                                    \
        {"link-rate", WEFT_RATE, WEFT_P(config, links.link_rate), "400Gbps", "1Mbps",              \
         "8Tbps",     NULL,      "Rate of the hosts' links.",     source},                         \
        {"fabric-rate",                                                                            \
         WEFT_RATE,                                                                                \
         WEFT_P(config, links.fabric_rate),                                                        \
         "0bps",                                                                                   \
         "0bps",                                                                                   \
         "8Tbps",                                                                                  \
         NULL,                                                                                     \
         "Rate of each link between leaf and spine; 0bps: as link-rate.",                          \
         "(ours)"},                                                                                \
        {"link-delay", WEFT_TIME, WEFT_P(config, links.link_delay),         delay, "0ps",          \
         "1s",         NULL,      "Propagation delay of the hosts' links.", source},               \
    {                                                                                              \
        "fabric-delay", WEFT_TIME, WEFT_P(config, links.fabric_delay), "0ps", "0ps", "1s", NULL,   \
            "Propagation delay of each link between leaf and spine; 0ps: as link-delay.", "(ours)" \
    }

/** Entries of a kind's table of parameters, whose config has a struct weft_hosts_shape hosts: its
 * planes. */
#define WEFT_PLANES_PARAMS(config)                                                                 \
    {"planes",                                                                                     \
     WEFT_COUNT,                                                                                   \
     WEFT_P(config, hosts.planes),                                                                 \
     "1",                                                                                          \
     "1",                                                                                          \
     "64",                                                                                         \
     NULL,                                                                                         \
     "Planes: fabrics of this shape side by side, in each of which every host has a port.",        \
     "(ours)"},                                                                                    \
    {                                                                                              \
        "divide-rates", WEFT_BOOL, WEFT_P(config, hosts.divided), "off", NULL, NULL, NULL,         \
            "Rates are of all planes together: each plane's links have one plane's part of them.", \
            "(ours)"                                                                               \
    }
/** Entries of a host's ToRs, and of the hosts of a server at one ToR. */
#define WEFT_SERVER_PARAMS(config)                                                                 \
    {"tors-per-host",                                                                              \
     WEFT_COUNT,                                                                                   \
     WEFT_P(config, hosts.tors),                                                                   \
     "1",                                                                                          \
     "1",                                                                                          \
     "64",                                                                                         \
     NULL,                                                                                         \
     "ToRs of each host, in each plane: it has a link of link-rate to each of so many ToRs in a "  \
     "row (2: dual ToR), which have the same hosts.",                                              \
     "Qian et al. 2024"},                                                                          \
    {                                                                                              \
        "gpus-per-server", WEFT_COUNT, WEFT_P(config, hosts.gpus), "0", "0", "8191", NULL,         \
            "GPUs of a server, each of them a host; 0: a host is a server by itself. A server's "  \
            "GPUs are hosts in a row at one ToR.",                                                 \
            "(ours)"                                                                               \
    }
/** Entries of the servers' own networks. */
#define WEFT_SCALE_UP_PARAMS(config)                                                               \
    {"scale-up-rate",                                                                              \
     WEFT_RATE,                                                                                    \
     WEFT_P(config, hosts.server_rate),                                                            \
     "0bps",                                                                                       \
     "0bps",                                                                                       \
     "8Tbps",                                                                                      \
     NULL,                                                                                         \
     "Scale-up: rate of each GPU's link to its server's own network (NVLink and an NVSwitch), by " \
     "which alone the GPUs of a server reach each other; 0bps: there is none.",                    \
     "simai"},                                                                                     \
    {                                                                                              \
        "scale-up-delay", WEFT_TIME, WEFT_P(config, hosts.server_delay), "25ns", "0ps", "1s",      \
            NULL, "Scale-up: propagation delay of these links.", "simai"                           \
    }

    /** Makes @p clos the shape of nothing, whose look-ups divide by no zero. Returns @p code. */
    int weft_clos_refuse(struct weft_clos *clos, int code);

    /** Fills @p clos, whose hosts are at one ToR of each plane. Returns 0, WEFT_ERANGE (a count
     * below 1) or WEFT_EOVERFLOW (hosts, ports, links). */
    int weft_clos_fill(const struct weft_clos_shape *shape, struct weft_clos *clos);

    /** For a topology's build(): weft_clos_fill(), or the same of the graph of hosts at several
     * ToRs; WEFT_EINVAL where it is missing. */
    int weft_clos_build(const struct weft_clos_shape *shape, struct weft_clos *clos);

    /** For a topology's edges(). */
    uint32_t weft_clos_edges(const struct weft_clos_shape *shape, struct weft_graph_edge *edges,
                             uint32_t *nhosts, uint32_t *nswitches);

    /** Fills @p clos with what is asked of a Clos and has a meaning in a graph; NULL, or one that
     * is empty: WEFT_EINVAL. */
    int weft_graph_shape(const struct weft_graph *graph, struct weft_clos *clos);

    /** The first link upwards of ToR @p tor; its other links follow in port order. */
    static inline uint64_t weft_clos_tor_link(const struct weft_clos *clos, uint32_t tor)
    {
        return clos->nhosts + (uint64_t)tor * clos->up_tor * clos->parallel;
    }

    /** The first link upwards of the @p agg-th switch of tier 1. */
    static inline uint64_t weft_clos_agg_link(const struct weft_clos *clos, uint32_t agg)
    {
        return weft_clos_tor_link(clos, clos->ntors) +
               (uint64_t)agg * clos->up_agg * clos->core_parallel;
    }

    /** For a topology's check(): why weft_clos_fill() refuses this shape, or NULL. */
    const char *weft_clos_wrong(const struct weft_clos_shape *shape);

#ifdef __cplusplus
}
#endif
#endif

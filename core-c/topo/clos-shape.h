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

    /** Counts as a user gave them: any value. */
    struct weft_clos_shape
    {
        int64_t pods;
        int64_t tors_per_pod;
        int64_t hosts_per_tor;
        int64_t aggs_per_pod; /**< parents of a ToR; with 2 tiers the spines */
        int64_t up_agg;       /**< parents of an aggregation; 0: 2 tiers */
        int64_t parallel;
        int64_t core_parallel; /**< 3 tiers */
        int64_t host_rate;
        int64_t fabric_rate; /**< 0: as host_rate */
        int64_t core_rate;   /**< 3 tiers; 0: as fabric_rate, or what that stands for */
        int64_t host_delay;
        int64_t fabric_delay; /**< 0: as host_delay */
        int64_t core_delay;   /**< 3 tiers; 0: as fabric_delay, or what that stands for */
        int64_t planes;       /**< 0: one */
        bool divided;         /**< rates are those of all planes together */
        int64_t gpus;         /**< hosts of a server; 0: each is one by itself */
        bool rails;           /**< a server's hosts are at ToRs in a row, else at one ToR */
        int64_t server_rate;  /**< of a host's link to its server's network; 0: there is none */
        int64_t server_delay;
    };

/** Descriptions of parameters that all kinds have. */
#define WEFT_PLANES_DOC                                                                            \
    "Planes: fabrics of this shape side by side, in each of which every host has a port."
#define WEFT_DIVIDE_DOC                                                                            \
    "Rates are of all planes together: each plane's links have one plane's part of them."

#define WEFT_GPUS_DOC                                                                              \
    "GPUs of a server, each of them a host; 0: a host is a server by itself. A server's GPUs are " \
    "hosts in a row at one ToR."
#define WEFT_SERVER_RATE_DOC                                                                       \
    "Scale-up: rate of each GPU's link to its server's own network (NVLink and an NVSwitch), by "  \
    "which alone the GPUs of a server reach each other; 0bps: there is none."
#define WEFT_SERVER_DELAY_DOC "Scale-up: propagation delay of these links."
/** Entries of a table of parameters: the scale-up network's. */
#define WEFT_SCALE_UP_PARAMS(config)                                                               \
    {"scale-up-rate", WEFT_RATE, WEFT_P(config, server_rate), "0bps", "0bps",                      \
     "8Tbps",         NULL,      WEFT_SERVER_RATE_DOC,        "simai"},                            \
    {                                                                                              \
        "scale-up-delay", WEFT_TIME, WEFT_P(config, server_delay), "25ns", "0ps", "1s", NULL,      \
            WEFT_SERVER_DELAY_DOC, "simai"                                                         \
    }

    /** Makes @p clos the shape of nothing, whose look-ups divide by no zero. Returns @p code. */
    int weft_clos_refuse(struct weft_clos *clos, int code);

    /** Fills @p clos. 0, WEFT_ERANGE (a count below 1) or WEFT_EOVERFLOW (hosts, ports, links). */
    int weft_clos_fill(const struct weft_clos_shape *shape, struct weft_clos *clos);

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

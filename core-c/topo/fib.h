/* SPDX-License-Identifier: MIT */
/** @file fib.h Inside of the exceptions to structured forwarding. Private. */
#ifndef WEFT_TOPO_FIB_H
#define WEFT_TOPO_FIB_H

#include <stdbool.h>
#include <stdint.h>

#include <weft/clos.h>
#include <weft/rng.h>

#ifdef __cplusplus
extern "C"
{
#endif

/**
 * Places of lists in the pool. A list is three numbers, those of struct weft_ports (n, round,
 * even), and its ports. 0 stands for "no exception".
 */
#define WEFT_FIB_NONE  0U
#define WEFT_FIB_EMPTY 1U
#define WEFT_FIB_HEAD  3U

    struct weft_fib_entry
    {
        uint32_t sw;
        uint32_t target; /**< a ToR, ntors + a pod, or ntors + npods + a host: the tier says which
                          */
        uint32_t list;   /**< WEFT_FIB_NONE: a free slot */
    };

    struct weft_fib
    {
        struct weft_clos clos;
        struct weft_switch_map by_tor; /**< divides by the hosts of a ToR */
        struct weft_switch_map by_pod; /**< divides by the hosts of a pod; 3 tiers */
        bool dead_hosts;
        uint32_t mask;       /**< slots - 1 */
        uint32_t nclasses;   /**< of ToRs */
        uint64_t *dead;      /**< one bit per link */
        uint32_t *class_of;  /**< [ToR]: its pod; one of its own if it has lost a link upwards */
        uint32_t *tor_lists; /**< [from * nclasses + to], by classes */
        struct weft_fib_entry *at; /**< the other tiers' lists: hash table with linear probing */
        uint16_t *pool;
        uint32_t *rows;     /**< of a graph: [switch * ngroups + group]: its list */
        uint32_t ngroups;   /**< of hosts, as dead links leave them */
        uint32_t *group;    /**< [host] */
        uint16_t *distance; /**< [group * nswitches + switch]; hosts with several links only */
    };

    /** Size, build and look-up for a graph. */
    int64_t weft_graph_fib_size(const struct weft_graph *g, const struct weft_fib_case *of);
    int weft_graph_fib_build(struct weft_fib *fib, size_t size, const struct weft_clos *shape,
                             const struct weft_fib_case *of);
    bool weft_graph_fib_route(const struct weft_fib *fib, uint32_t index, uint32_t dst,
                              struct weft_ports *out);

    /** Sums of the weights of a group. */
    struct weft_fib_rounds
    {
        uint64_t ports; /**< of weight above 0 */
        uint64_t least; /**< of their weights */
        uint64_t most;
        uint64_t total;
    };

    /** Makes @p n weights small: divides them by their greatest common divisor, and scales them
     * down if they come to more than WEFT_MAX_CANDIDATES, and to more than one per port. Not @p
     * weighted: all become 0 or 1. */
    void weft_fib_reduce(uint64_t *weight, uint32_t n, bool weighted, struct weft_fib_rounds *out);

    /** Numbers of the pool that a list takes whose weights weft_fib_reduce() has made small. */
    uint64_t weft_fib_words(const struct weft_fib_rounds *r);

    /** Writes such a list: round r holds the ports of weight >= r, and equal rounds stand there
     * once. @p port: the @p n ports; NULL: @p first and the following ones. */
    void weft_fib_write(const struct weft_fib_rounds *r, const uint64_t *weight,
                        const uint16_t *port, uint32_t first, uint32_t n, uint16_t *to);

    /** The lists of a graph, weighted by capacity, into fib (NULL: only counts); returns the size
     * of the pool. Links that are down and groups are in the graph's memory. */
    uint64_t weft_graph_weigh(const struct weft_graph *g, const struct weft_fib_case *of,
                              uint32_t ngroups, struct weft_fib *fib);

    /** The entry of a switch and its target, or the free slot where it belongs. */
    static inline struct weft_fib_entry *weft_fib_slot(const struct weft_fib *fib, uint32_t sw,
                                                       uint32_t target)
    {
        uint32_t i = (uint32_t)weft_mix64((uint64_t)sw << 32 | target) & fib->mask;
        while (fib->at[i].list != WEFT_FIB_NONE &&
               (fib->at[i].sw != sw || fib->at[i].target != target))
        {
            i = (i + 1) & fib->mask;
        }
        return &fib->at[i];
    }

    static inline bool weft_fib_dead(const struct weft_fib *fib, uint64_t link)
    {
        return (fib->dead[link >> 6] >> (link & 63U) & 1U) != 0;
    }

    /** Live links among the @p n from link @p first on. */
    static inline uint32_t weft_fib_live(const struct weft_fib *fib, uint64_t first, uint32_t n)
    {
        uint32_t live = 0;
        for (uint32_t m = 0; m < n; m++)
        {
            live += !weft_fib_dead(fib, first + m);
        }
        return live;
    }

#ifdef __cplusplus
}
#endif
#endif

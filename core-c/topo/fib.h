/* SPDX-License-Identifier: MIT */
/** @file fib.h  What is inside the exceptions to structured forwarding. Private. */
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

/** Places of lists in the pool: a list is its length and its ports. 0 stands for "no exception". */
#define WEFT_FIB_NONE  0U
#define WEFT_FIB_EMPTY 1U

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
        bool split;                    /**< some aggregations of two pods have no core in common */
        bool dead_hosts;
        uint32_t mask;  /**< slots - 1 */
        uint64_t *dead; /**< one bit per link */
        uint32_t *up;   /**< [ToR]: its list if some of its own links are dead */
        uint32_t *cut; /**< [ToR]: the list towards it from an intact ToR, if it is cut from some */
        struct weft_fib_entry *at; /**< hash table with linear probing */
        uint16_t *pool;
    };

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

#ifdef __cplusplus
}
#endif
#endif

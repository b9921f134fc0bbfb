/* SPDX-License-Identifier: MIT */
/**
 * @file levels.h  Several balancers in one fabric: one for each service level.
 *
 * A packet's service level (`sl`, the term of InfiniBand) says to which set of QPs it belongs, each
 * of which may have a balancer of its own. A switch keeps the states of all of them side by side
 * and asks that of the packet's level. They see each other only by the queues that they fill.
 */
#ifndef WEFT_LEVELS_H
#define WEFT_LEVELS_H

#include <stdint.h>

#include <weft/lb.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

/** Most service levels. */
#define WEFT_LEVELS 8

    /** The balancers of a fabric: what the table of weft_levels_ops() takes as its configuration.
     */
    struct weft_levels
    {
        uint32_t n; /**< service levels, from 1 to WEFT_LEVELS; packets have an sl below it */
        const struct weft_lb_ops *lb[WEFT_LEVELS];
        const void *config[WEFT_LEVELS]; /**< each balancer's; they outlive the states */
        uint8_t tclass[WEFT_LEVELS];     /**< traffic class of each level's data, 1 to 7 */
    };

    /**
     * Fills @p ops: what a switch does for all levels at once. Its states are as of any balancer;
     * they point to what @p levels points to, but not to @p levels. Two levels with the same
     * balancer draw different random numbers. The init refuses a level without a balancer
     * (WEFT_EINVAL). Its `path`, `plan`, `tor` and per-QP states (flow_size) are empty: those are
     * of the QP's own balancer.
     */
    WEFT_API void weft_levels_ops(const struct weft_levels *levels, struct weft_lb_ops *ops);

    /** The seed of a site for what a level draws: level 0 has the run's own. */
    static inline uint64_t weft_level_seed(uint64_t seed, uint32_t level)
    {
        return seed ^ level * UINT64_C(0x9e3779b97f4a7c15);
    }

#ifdef __cplusplus
}
#endif
#endif

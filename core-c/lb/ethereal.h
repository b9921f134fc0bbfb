/* SPDX-License-Identifier: MIT */
/** @file ethereal.h Knowledge of an Ethereal host about its paths, for its path selector and its
 * planner. Private. */
#ifndef WEFT_LB_ETHEREAL_H
#define WEFT_LB_ETHEREAL_H

#include <stdint.h>

#include <weft/clos.h>
#include <weft/plan.h>
#include <weft/rng.h>

#ifdef __cplusplus
extern "C"
{
#endif

    struct weft_ethereal_config
    {
        int64_t replies; /**< swap or copy */
        int64_t shun;    /**< ps */
        int64_t spread;  /**< ps */
    };

    /** A host's; until when each path is shunned follows. Paths are numbered: the ToR's uplink plus
     * `tor_up` times the aggregation's. Where hosts have several ports, the ToRs of all planes
     * count as one: its uplink times the planes, plus the plane. */
    struct weft_ethereal_host
    {
        struct weft_rng rng;
        const struct weft_clos *clos;
        uint64_t salt; /**< for where the deal towards each ToR begins */
        int64_t shun;
        uint64_t replies;
        uint32_t tor; /**< its own */
        uint32_t planes;
        uint32_t tor_up; /**< paths to other ToRs of its pod */
        uint32_t npaths; /**< paths to other pods */
    };

    static inline int64_t *weft_ethereal_shunned(struct weft_ethereal_host *h)
    {
        return (int64_t *)(void *)(h + 1);
    }

    /** The name of a path: 8 bits for the ToR's uplink, 8 for the aggregation's. */
    static inline uint16_t weft_ethereal_label(const struct weft_ethereal_host *h, uint32_t path)
    {
        return (uint16_t)(path % h->tor_up << 8 | path / h->tor_up);
    }

    /** Paths to a ToR; 0: it is the host's own, and there is one plane. */
    static inline uint32_t weft_ethereal_paths(const struct weft_ethereal_host *h, uint32_t tor)
    {
        const uint32_t pod = h->clos->tors_per_pod;
        if (tor == h->tor)
        {
            return h->planes > 1 ? h->planes : 0;
        }
        return tor / pod == h->tor / pod ? h->tor_up : h->npaths;
    }

    extern const struct weft_plan_ops weft_ethereal_plan;

#ifdef __cplusplus
}
#endif
#endif

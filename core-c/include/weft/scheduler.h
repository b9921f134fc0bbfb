/* SPDX-License-Identifier: MIT */
/**
 * @file scheduler.h  Schedulers: which traffic class of an egress port sends the next frame.
 *
 * Class 0 (control) is none of a scheduler's business: under all of them the host sends what waits
 * there first, as far as it is not paused. Frames of a class leave in the order of their arrival.
 */
#ifndef WEFT_SCHEDULER_H
#define WEFT_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/mmu.h>
#include <weft/param.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** The port that a scheduler works at. */
    struct weft_scheduler_site
    {
        uint32_t classes; /**< traffic classes, class 0 included; at most WEFT_MAX_CLASSES */
        uint32_t frame;   /**< bytes of a full data frame with its headers */
    };

    struct weft_scheduler_ops
    {
        struct weft_algo algo;

        /** pick() returns the lowest class that is ready, always, and keeps nothing: a host may
         * spare itself the call. */
        bool lowest_first;

        /** Bytes of a port's state: 8-byte aligned, plain, may be moved. */
        size_t (*state_size)(const void *config);
        /** Returns 0, or WEFT_ERANGE: a parameter is out of its bounds, as in a configuration
         * without its defaults; a site without classes or frames. */
        int (*init)(void *state, const void *config, const struct weft_scheduler_site *site);
        /**
         * The class that sends next. To be called for every frame that leaves from a class other
         * than 0, whether it had to wait or not.
         * @p ready  a bit for each class of which a frame may leave, bit 0 clear; at least one
         * @p last   of those, the classes whose only frame that is
         * @p bytes  [class] length of the frame that is to leave next, for those that are ready
         */
        uint32_t (*pick)(void *state, uint32_t ready, uint32_t last, const uint32_t *bytes);
    };

    /** The scheduler of that name, or NULL (also of NULL). */
    WEFT_API const struct weft_scheduler_ops *weft_scheduler_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif

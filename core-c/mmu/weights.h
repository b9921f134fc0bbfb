/* SPDX-License-Identifier: MIT */
/** @file weights.h Common part of weighted schedulers: the weights, and whose turn comes next.
 * Private. */
#ifndef WEFT_MMU_WEIGHTS_H
#define WEFT_MMU_WEIGHTS_H

#include "roster/tables.h"

#ifdef __cplusplus
extern "C"
{
#endif

    struct weft_class_weights
    {
        int64_t weight[WEFT_MAX_CLASSES]; /**< by class; that of class 0 is not used */
    };

    extern const struct weft_param weft_weights_params[];
#define WEFT_WEIGHTS_NPARAMS (WEFT_MAX_CLASSES - 1)

    /** Takes the weights of a configuration. 0, or WEFT_ERANGE: no such weights or site. */
    int weft_weights_take(uint32_t weight[WEFT_MAX_CLASSES],
                          const struct weft_class_weights *config,
                          const struct weft_scheduler_site *site);

    /** The first class of @p ready behind @p tclass, round the port. There must be one. */
    uint32_t weft_weights_next(uint32_t ready, uint32_t tclass);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file fct.h  Flow completion times beside the ideal ones. */
#ifndef WEFT_RUNNER_FCT_H
#define WEFT_RUNNER_FCT_H

#include <stdint.h>

#include "results.h"
#include "scenario.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /**
     * ps from a message's post to its last delivery if it had the fabric for itself, without
     * failures, at line rate and on one path: weft_message_path() on weft_clos_best_path(). -1:
     * there is no such path. A message whose packets take several paths can be faster: a short last
     * packet then overtakes others, and links slower than the NIC's carry it side by side.
     */
    int64_t ideal_fct(const struct scenario *s, uint32_t src, uint32_t dst, uint64_t bytes);

    /** The slowdown of @p fct, ps; NaN if that is negative or there is no ideal one. */
    double fct_slowdown(const struct scenario *s, uint32_t src, uint32_t dst, uint64_t bytes,
                        int64_t fct);

    /** Fills the percentiles of r->summary from r->flows: nearest rank. */
    void collect_fct(struct run_results *r);

#ifdef __cplusplus
}
#endif
#endif

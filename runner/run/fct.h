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

    /** The messages that fct_* are of, by when they could start, and what was delivered meanwhile.
     */
    struct fct_window
    {
        int64_t begin;          /**< ps: from then on */
        int64_t end;            /**< ps: up to before it; WEFT_NEVER: to the end of the run */
        uint64_t before, until; /**< payload delivered by begin and by end */
    };

    /** Fills the percentiles of r->summary from r->flows, by nearest rank, the loads, and how slow
     * QPs are. r->summary must have the end of the run. */
    void collect_fct(const struct scenario *s, const struct fct_window *w, struct run_results *r);

#ifdef __cplusplus
}
#endif
#endif

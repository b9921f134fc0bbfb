/* SPDX-License-Identifier: GPL-2.0-only */
/** @file completion.h  Completion times, of messages, steps and workloads, beside their bounds. */
#ifndef WEFT_RUNNER_COMPLETION_H
#define WEFT_RUNNER_COMPLETION_H

#include <stdint.h>

#include <weft/traffic.h>

#include "results.h"
#include "scenario.h"

#ifdef __cplusplus
extern "C"
{
#endif

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

    /**
     * Fills r->steps and, in r->summary, the bounds with ACKs and the increases over them. @p
     * next: the successors that the messages name. r->flows, completion times and rho_max must be
     * there.
     */
    void collect_steps(const struct scenario *s, const struct weft_message *messages,
                       const uint32_t *next, struct run_results *r);

    /** Fills r->nodes if the topology is from a file, whose memory holds their names. */
    void collect_nodes(const struct scenario *s, struct run_results *r);

    /** Fills r->workloads if there are several. @p next: the successors that the messages name.
     * r->flows must be there. */
    void collect_workloads(const struct scenario *s, const struct weft_message *messages,
                           const uint32_t *next, struct run_results *r);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file acked-bounds.h  Completion with ACKs, step by step, beside its lower bounds. */
#ifndef WEFT_RUNNER_ACKED_BOUNDS_H
#define WEFT_RUNNER_ACKED_BOUNDS_H

#include "results.h"
#include "scenario.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /** By which part @p time is later than a bound, both counted from @p first; NaN: it did not
     * happen, or no bound is known. */
    double increase_over(int64_t time, int64_t bound, int64_t first);

    /** Nothing can bring the last ACK of a job's @p n messages earlier, ps from time 0, on a fabric
     * that it has for itself; -1: no bound is known. Groups, QPs and successors count from the
     * job's own first one. @p flows: what became of these messages. */
    int64_t bound_acked_of_job(const struct scenario *s, const struct weft_job *job,
                               const struct weft_message *messages, const uint32_t *next,
                               const struct flow_result *flows, size_t n);

    /**
     * Fills r->steps and, in r->summary, the bounds with ACKs and the increases over them. @p
     * next: the successors that the messages name. r->flows, completion times and rho_max must be
     * there.
     */
    void collect_steps(const struct scenario *s, const struct weft_message *messages,
                       const uint32_t *next, struct run_results *r);

#ifdef __cplusplus
}
#endif
#endif

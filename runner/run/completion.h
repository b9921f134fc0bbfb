/* SPDX-License-Identifier: GPL-2.0-only */
/** @file completion.h  Completion times, of messages, steps and workloads, beside their bounds. */
#ifndef WEFT_RUNNER_COMPLETION_H
#define WEFT_RUNNER_COMPLETION_H

#include <stdbool.h>
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

    /** The ideal one, ps: alone in a healthy fabric, on one path; below 0: there is none. */
    int64_t fct_ideal(const struct scenario *s, uint32_t src, uint32_t dst, uint64_t bytes);

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

    /** Fills the times in r->qps that QPs were busy and that they lost, and in r->summary what is
     * said of the straggler. r->flows, r->qps and the end of the run must be there. @p cut:
     * messages that were under way at the end are those that were stopped; else they have failed.
     */
    void collect_straggler(const struct scenario *s, bool cut, struct run_results *r);

    /**
     * Fills r->steps and, in r->summary, the bounds with ACKs and the increases over them. @p
     * next: the successors that the messages name. r->flows, completion times and rho_max must be
     * there.
     */
    void collect_steps(const struct scenario *s, const struct weft_message *messages,
                       const uint32_t *next, struct run_results *r);

    /** Returns the bound of the last delivery: by the workload's closed form, or where servers have
     * networks of their own, of which there is none, that of any traffic. -1: none is known. @p
     * partial: some messages are never delivered. */
    int64_t delivery_bound(const struct weft_traffic *t, bool partial);

    /** Fills r->nodes if the topology is from a file, whose memory holds their names. */
    void collect_nodes(const struct scenario *s, struct run_results *r);

    /** Sets the bandwidths, bit/s, of a workload whose last delivery is @p time ps after its first
     * start (below 0: not all was delivered), as nccl-tests defines them; NaN: it has none. */
    void collect_bandwidth(const struct weft_job *job, const struct weft_hosts *all, int64_t time,
                           double *algbw, double *busbw);

    /** Fills r->workloads if there are several. @p next: the successors that the messages name.
     * r->flows must be there. */
    void collect_workloads(const struct scenario *s, const struct weft_message *messages,
                           const uint32_t *next, struct run_results *r);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file workload-results.h  Completion times of several workloads, each by itself. */
#ifndef WEFT_RUNNER_WORKLOAD_RESULTS_H
#define WEFT_RUNNER_WORKLOAD_RESULTS_H

#include "results.h"
#include "scenario.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /** Fills r->workloads if there are several. @p next: the successors that the messages name.
     * r->flows must be there. */
    void collect_workloads(const struct scenario *s, const struct weft_message *messages,
                           const uint32_t *next, struct run_results *r);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file simulate.h  Runs a scenario in ns-3. */
#ifndef WEFT_RUNNER_SIMULATE_H
#define WEFT_RUNNER_SIMULATE_H

#include <stddef.h>
#include <stdint.h>

#include "results.h"

#ifdef __cplusplus
extern "C"
{
#endif

    struct scenario;

    /** How far a run is. */
    struct run_progress
    {
        double done;                  /**< share of the payload that is delivered, 0 to 1 */
        int64_t now;                  /**< simulated time, ps */
        uint64_t delivered, messages; /**< messages, of how many */
    };

    /** Called now and then while a run goes on. */
    typedef void (*progress_fn)(void *user, const struct run_progress *progress);

    /** How a simulation ended. */
    enum simulated
    {
        SIMULATED_NOT = -1,
        SIMULATED = 0,
        SIMULATED_PART = 1,
    };

    /**
     * Runs one scenario in this process on @p threads threads (once per process: ns-3's simulator
     * is a singleton). Returns SIMULATED or SIMULATED_PART and fills @p results (free with
     * run_results_free()), or SIMULATED_NOT. @p why gets a sentence on what was wrong; of a run
     * that ends at its limit, and may, what its QPs waited for; else "". SIMULATED_PART: messages
     * are left at the time limit, or for ever. SIMULATED_NOT: a balancer that cannot work on this
     * topology, a conservation violation (or messages acknowledged that were not delivered), no
     * memory. Messages that senders have given up are a result.
     */
    enum simulated simulate(const struct scenario *scenario, unsigned threads,
                            struct run_results *results, progress_fn progress, void *user,
                            char *why, size_t why_size);

#ifdef __cplusplus
}
#endif

#endif

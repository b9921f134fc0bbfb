/* SPDX-License-Identifier: GPL-2.0-only */
/** @file steps.h  Completion with ACKs, step by step, beside its lower bounds. */
#ifndef WEFT_RUNNER_STEPS_H
#define WEFT_RUNNER_STEPS_H

#include "results.h"
#include "scenario.h"

#ifdef __cplusplus
extern "C"
{
#endif

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

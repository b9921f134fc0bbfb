/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file cost.h  What a run will cost, told before it: from its scenario alone, in microseconds.
 *
 * What congestion adds is not known before: packets sent again, CNPs, the time that senders wait.
 */
#ifndef WEFT_RUNNER_COST_H
#define WEFT_RUNNER_COST_H

#include "sweep-run.h"

/** Prints what each selected run and all of them cost; measures this machine's speed for it. False
 * after messages if a run does not fit the memory of this machine and may not exceed it. */
bool cost_print(const struct plan *plan, const struct sweep_options *options);

/** Whether runs that are to be done fit the memory of this machine, or may exceed it; says which do
 * not. *at_once gets how many of the largest of them fit at a time, at least 1. */
bool cost_check_runs(const struct plan *plan, const struct sweep_options *options,
                     const size_t *runs, size_t n, size_t *at_once);

#endif

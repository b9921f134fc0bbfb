/* SPDX-License-Identifier: GPL-2.0-only */
/** @file summary.h  One table over all runs of a scenario: on disk and on the terminal. */
#ifndef WEFT_RUNNER_SUMMARY_H
#define WEFT_RUNNER_SUMMARY_H

#include "sweep-plan.h"

/** Whether run @p i is finished, with exactly the scenario that it has now. */
bool plan_run_finished(const struct plan *plan, size_t i, const char *runs);

/** What has changed in the scenario of run @p i since it was made, or NULL; see stale_reason(). */
char *plan_run_stale(const struct plan *plan, size_t i, const char *runs);

/**
 * Writes summary.csv (one row per finished run: its name, the values that vary, its totals) and,
 * where there are seeds, aggregate.csv; prints a short table. False after a message.
 */
bool summary_write(const struct plan *plan, const char *out);

#endif

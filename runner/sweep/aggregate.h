/* SPDX-License-Identifier: GPL-2.0-only */
/** @file aggregate.h  One row for all seeds of a case: aggregate.csv. */
#ifndef WEFT_RUNNER_AGGREGATE_H
#define WEFT_RUNNER_AGGREGATE_H

#include "csv.h"
#include "sweep-plan.h"

/** Adds the values in a run of what varies, each behind a comma; of run plan->nruns: their names.
 * @p with_seeds: the seed's as well. */
void plan_add_cells(struct text *t, const struct plan *plan, size_t run, bool with_seeds);

/** Adds what each column of @p summary (summary.csv) is over the seeds: the mean, least and
 * greatest of the runs that have a value, how many these are, their standard deviation, and half of
 * the mean's 95 % confidence interval. NULL: the header alone. @p runs: the run of each row. */
void aggregate_build(struct text *t, const struct plan *plan, const struct csv *summary,
                     const size_t *runs);

/** Says which runs lack values that others of their case have, as aggregate.csv tells. */
void aggregate_warn(const struct plan *plan, const struct csv *aggregate);

#endif

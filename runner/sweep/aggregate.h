/* SPDX-License-Identifier: GPL-2.0-only */
/** @file aggregate.h  One row for all seeds of a case: aggregate.csv. */
#ifndef WEFT_RUNNER_AGGREGATE_H
#define WEFT_RUNNER_AGGREGATE_H

#include "csv.h"
#include "sweep-plan.h"

/** Adds the names of what varies, each behind a comma; @p with_seeds: the seed's as well. */
void plan_add_columns(struct text *t, const struct plan *plan, bool with_seeds);

/** The same for its values in a run. */
void plan_add_cells(struct text *t, const struct plan *plan, size_t run, bool with_seeds);

/** Adds what each column of @p summary (summary.csv) is over the seeds: the mean, least and
 * greatest of the runs that have a value, how many these are, their standard deviation, and half of
 * the mean's 95 % confidence interval. NULL: the header alone. */
void aggregate_build(struct text *t, const struct plan *plan, const struct csv *summary);

/** Says which runs lack values that others of their case have. */
void aggregate_warn(const struct plan *plan, const struct csv *summary);

#endif

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

/** Adds the mean, least and greatest of each column of @p summary (summary.csv) over the seeds;
 * empty where a run has no value. */
void aggregate_build(struct text *t, const struct plan *plan, const struct csv *summary);

/** Says which runs lack values that others of their case have. */
void aggregate_warn(const struct plan *plan, const struct csv *summary);

#endif

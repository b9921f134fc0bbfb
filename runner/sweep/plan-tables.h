/* SPDX-License-Identifier: GPL-2.0-only */
/** @file plan-tables.h  What varies in a plan as columns of results.sqlite. */
#ifndef WEFT_RUNNER_PLAN_TABLES_H
#define WEFT_RUNNER_PLAN_TABLES_H

#include "database.h"
#include "query.h"
#include "sweep-plan.h"

/** One column of what varies. The name is the plan's. */
struct database_key plan_key(const struct plan_dimension *dim, size_t column);

/** What varies in a plan, as columns; *n of them. The names are the plan's; the caller frees the
 * array. */
struct database_key *plan_keys(const struct plan *plan, size_t *n);

/** The values in run @p i of what varies, one for each of plan_keys(). They are the plan's; the
 * caller frees the array. */
const char **plan_cells(const struct plan *plan, size_t i);

/** The tables that the results of a plan will have, without rows: to try queries before there are
 * any results. NULL if there is no memory for them. */
struct database *plan_tables(const struct plan *plan);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file database-fill.h  From the runs of a plan to results.sqlite. */
#ifndef WEFT_RUNNER_DATABASE_FILL_H
#define WEFT_RUNNER_DATABASE_FILL_H

#include "database.h"
#include "query.h"
#include "sweep-plan.h"

/** One column of what varies. The name is the plan's. */
struct database_key plan_key(const struct plan_dimension *dim, size_t column);

/** What varies in a plan, as columns; *n of them. The names are the plan's; the caller frees the
 * array. */
struct database_key *plan_keys(const struct plan *plan, size_t *n);

/** The tables that the results of a plan will have, without rows: to try queries before there are
 * any results. NULL if there is no memory for them. */
struct database *plan_tables(const struct plan *plan);

/** Adds run @p i with all its CSV files, parameters and provenance; @p run: its open folder, which
 * was found whole. False with a sentence in *why. */
bool database_fill_run(struct database_writer *w, const struct plan *plan, size_t i,
                       const struct folder *run, char **why);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file summary-print.h  What a sweep says on the terminal. */
#ifndef WEFT_RUNNER_SUMMARY_PRINT_H
#define WEFT_RUNNER_SUMMARY_PRINT_H

#include "database.h"
#include "query.h"
#include "sweep-plan.h"

/** Prints short tables of results that are complete, what their numbers mean that a reader may
 * miss, and warns of cases in which some seeds have no value. @p db: a reader of @p w, with @p
 * nruns runs.
 */
void summary_print(const struct plan *plan, struct database *db, const struct database_writer *w,
                   size_t nruns);

#endif

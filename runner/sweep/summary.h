/* SPDX-License-Identifier: GPL-2.0-only */
/** @file summary.h Table over all runs of a scenario: on disk and on the terminal. */
#ifndef WEFT_RUNNER_SUMMARY_H
#define WEFT_RUNNER_SUMMARY_H

#include "database.h"
#include "query.h"
#include "results-folder.h"
#include "run-file.h"
#include "sweep-plan.h"

struct sqlite3;

/** The state of run @p i with the scenario that it has now, as run_file_state(). */
enum run_state plan_run_state(const struct plan *plan, size_t i, const struct folder *runs,
                              struct sqlite3 *db, char **why);

/**
 * Writes results.sqlite and, of it, summary.csv (one row per finished run: its name, the values
 * that vary, its totals), layers.csv, the tables of samples and, where there are seeds,
 * aggregate.csv; prints a short table, and how many runs have rows. Others may
 * write runs and wait to write tables meanwhile. False after a message. @p some: the folder's name
 * if it is an error that no run is finished, and nothing is written then.
 */
bool summary_write(const struct plan *plan, const struct results_folder *r, const char *some);

/** Prints short tables of results that are complete, and their notes: what the numbers mean that a
 * reader may miss, and cases in which some seeds have no value. @p db: a reader of @p w. */
void summary_print(struct database *db, const struct database_writer *w);

/** Whether its tables show a column of `summary`. */
bool summary_prints(const char *column);

#endif

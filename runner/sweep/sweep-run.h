/* SPDX-License-Identifier: GPL-2.0-only */
/** @file sweep-run.h  Runs the runs of a plan in parallel processes and keeps what is finished. */
#ifndef WEFT_RUNNER_SWEEP_RUN_H
#define WEFT_RUNNER_SWEEP_RUN_H

#include "progress.h"
#include "sweep-plan.h"

struct sweep_options
{
    const char *out;                    /**< results folder; NULL: results/<name> */
    const char *only;                   /**< part of a run's name, or a pattern with * ? [ ] */
    char *const *runs;                  /**< exactly these runs, and no summary (run-one) */
    size_t nruns;                       /**< how many; 0: as only says */
    long jobs;                          /**< processes at a time; 0: one per core */
    long threads;                       /**< of each run; 0: cores that processes leave over */
    bool again;                         /**< also runs that are finished */
    bool exceed_memory;                 /**< also runs that will take more than there is */
    long log_interval;                  /**< s between lines of progress in a file; 0: none */
    const struct progress_whole *whole; /**< of which this sweep is a part; NULL: it is all */
};

enum exit_status
{
    EXIT_GOOD = 0,
    EXIT_FAILED = 1,    /**< a run failed, or results could not be written */
    EXIT_BAD_INPUT = 2, /**< nothing was run */
    EXIT_NO_FIGURE = 3, /**< everything ran, but a figure could not be drawn */
};

/** The results folder; the caller frees it. */
char *results_folder(const struct plan *plan, const char *out);

/** Runs what is selected and not finished, then writes and prints the summary. Returns an exit
 * status, as the others that are int. */
int sweep_run(const struct plan *plan, const struct sweep_options *options);

/** How many runs it would do now. */
size_t sweep_count_due(const struct plan *plan, const struct sweep_options *options);

/** Whether Ctrl-C or a polite kill has ended a sweep of this process. */
bool sweep_was_interrupted(void);

/** Lists the runs and whether they are finished; runs and writes nothing. */
int sweep_dry_run(const struct plan *plan, const struct sweep_options *options);

/** Prints commands of @p batch selected runs each; @p sets as given on the command line. */
int sweep_print_plan(const struct plan *plan, const struct sweep_options *options,
                     const struct plan_options *sets, size_t batch);

/** Makes the tables of what is finished and runs nothing; others may run meanwhile. */
int sweep_collect(const struct plan *plan, const struct sweep_options *options);

/** Whether the run of that name is among the selected ones. */
bool run_is_selected(const struct sweep_options *options, const char *name);

/** Whether each of the names, or where there are none the pattern, selects a run; false after a
 * message. */
bool sweep_any_selected(const struct plan *plan, const struct sweep_options *options);

/** Prints @p why as an error and frees it. Returns @p status. */
int sweep_refuse(char *why, int status);

/* Costs of runs are told from their scenarios alone, in microseconds. Congestion adds what is not
 * known before: packets sent again, CNPs, the time that senders wait. */

/** Prints what each selected run and all of them cost; measures this machine's speed for it. False
 * after messages if a run does not fit the memory of this machine and may not exceed it. */
bool cost_print(const struct plan *plan, const struct sweep_options *options);

/** Whether runs that are to be done fit the memory of this machine, or may exceed it; says which do
 * not. *at_once gets how many of the largest of them fit at a time, at least 1. */
bool cost_check_runs(const struct plan *plan, const struct sweep_options *options,
                     const size_t *runs, size_t n, size_t *at_once);

#endif

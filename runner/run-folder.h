/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file run-folder.h  The folder of one run. A finished folder means a finished run: results are
 * written into a temporary folder beside it, which is renamed when it is whole. The lock that keeps
 * two processes off one run is a lock on the temporary folder itself, so that it dies with its
 * process.
 */
#ifndef WEFT_RUNNER_RUN_FOLDER_H
#define WEFT_RUNNER_RUN_FOLDER_H

#include <stdbool.h>

#include "results.h"
#include "scenario.h"

struct run_folder
{
    char *runs;      /**< results/<scenario>/runs */
    char *path;      /**< runs/<name> */
    char *temporary; /**< runs/.tmp-<name> */
    char *aside;     /**< results/<scenario>/unfinished/<name> */
    int lock;        /**< open temporary folder; -1: not held */
};

/** Whether the folder of run @p name is whole and came from exactly this resolved scenario. */
bool run_is_finished(const char *runs, const char *name, const char *resolved);

/**
 * Makes and locks the temporary folder of a run. False with a sentence in *why: the folder cannot
 * be written, or another process works on this run.
 */
bool run_folder_open(struct run_folder *f, const char *runs, const char *name, char **why);

/** Writes one run's files into the temporary folder. */
bool run_folder_write(struct run_folder *f, const struct scenario *s, const char *resolved,
                      const struct run_results *results, const char *provenance, char **why);

/** Renames it into place; an older folder of that name goes only then, and what was set aside. */
bool run_folder_finish(struct run_folder *f, char **why);

/** Renames the results of a run that was cut to `aside`, where they count for nothing; what an
 * earlier one left there goes. */
bool run_folder_set_aside(struct run_folder *f, char **why);

/** Removes what is unfinished and frees. */
void run_folder_close(struct run_folder *f);

/** Removes temporary folders whose processes are dead. */
void run_folders_clean(const char *runs);

#endif

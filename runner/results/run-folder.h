/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file run-folder.h  The folder of one run. A finished folder means a finished run: results are
 * written into a temporary folder beside it, the list of its files last, and that is renamed when
 * it is whole. The lock that keeps two processes off one run is one on a file in the temporary
 * folder, so that it dies with its process.
 */
#ifndef WEFT_RUNNER_RUN_FOLDER_H
#define WEFT_RUNNER_RUN_FOLDER_H

#include <stdbool.h>

#include "columns.h"
#include "csv.h"
#include "files.h"
#include "results.h"
#include "scenario.h"
#include "textbuf.h"

struct run_folder
{
    const struct folder *runs; /**< results/<scenario>/runs */
    char *name;                /**< of the run and of its folder */
    char *temporary_name;      /**< .tmp-<name> */
    char *aside;               /**< results/<scenario>/unfinished/<name>, for messages */
    struct folder temporary;
    int lock;         /**< open file in the temporary folder; -1: not held */
    bool busy;        /**< run_folder_open() failed as another process works on this run */
    struct text list; /**< of the files written so far */
};

enum run_state
{
    RUN_TO_DO,
    RUN_STALE,   /**< another resolved scenario or other code made it, or its tables are not today's
                  */
    RUN_DAMAGED, /**< its files are not those that were written */
    RUN_FINISHED,
};

/** What results are made of. */
struct run_source
{
    char *resolved; /**< the resolved scenario, as scenario_write() gives it */
    char *code;     /**< built_code() */
};

/** The state of run @p name; a sentence in *why if it is damaged, or stale for its columns or its
 * code, else NULL. If @p finished is not NULL, it is the open folder of a finished run, the very
 * one that was looked at, else not open. */
enum run_state run_folder_state(const struct folder *runs, const char *name,
                                const struct run_source *source, struct folder *finished,
                                char **why);

/** Whether an open folder is still that of run @p name: another process may have replaced it, and
 * what was open goes. */
bool run_folder_is_in_place(const struct folder *runs, const char *name, const struct folder *run);

/** Whether the CSV files of a run have the columns of their tables and those that every run has are
 * there; else a sentence in *why. */
bool run_folder_tables_fit(const struct folder *run, char **why);

/** A CSV file of a finished run, whose open folder @p run is. NULL with a sentence; also if it does
 * not have the columns of its table. */
struct csv *run_folder_table(const struct folder *run, const struct column_table *table,
                             char **why);

/** Whether the run may take the places of its folders: else something that no run made is there,
 * and a sentence in *why. */
bool run_folder_may_be_made(const struct folder *runs, const char *name, char **why);

/**
 * Makes and locks the temporary folder of a run. False with a sentence in *why: the folder cannot
 * be written, or another process works on this run.
 */
bool run_folder_open(struct run_folder *f, const struct folder *runs, const char *name, char **why);

/** Writes one run's files into the temporary folder, the list of them last. */
bool run_folder_write(struct run_folder *f, const struct scenario *s, const char *resolved,
                      const struct run_results *results, const char *provenance, char **why);

/** Renames it into place; an older folder of that name goes only then. */
bool run_folder_finish(struct run_folder *f, char **why);

/** Removes what an earlier attempt at this run has set aside. */
bool run_folder_forget_aside(const struct run_folder *f, char **why);

/** Renames the results of a run that was cut to `aside`, where they count for nothing; what an
 * earlier one left there goes. */
bool run_folder_set_aside(struct run_folder *f, char **why);

/** Removes what is unfinished and frees. */
void run_folder_close(struct run_folder *f);

/** Removes what a dead process left of one run. */
void run_folder_forget(const struct folder *runs, const char *name);

/** Removes temporary folders whose processes are dead; for who has all runs alone, as others may
 * just have made one and not have locked it. */
void run_folders_clean(const struct folder *runs);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file results-folder.h  The folder of a scenario's results. Weft writes into a folder only if it
 * is new, empty or bears Weft's mark, the file .weft-results. The folder itself may be a symbolic
 * link; within it none is followed.
 */
#ifndef WEFT_RUNNER_RESULTS_FOLDER_H
#define WEFT_RUNNER_RESULTS_FOLDER_H

#include "files.h"

struct results_folder
{
    struct folder top;
    struct folder runs; /**< not open: there are no runs yet */
};

/** Whether Weft may write there, or could once it is made; writes nothing. Else a sentence in *why.
 */
bool results_folder_is_ours(const char *out, char **why);

/** Opens what is there for reading; nothing is made, and what is not there is not open. */
void results_folder_open(struct results_folder *r, const char *out);

/** Makes and marks it, with its runs/. False with a sentence; to be asked whose it is before. */
bool results_folder_make(struct results_folder *r, const char *out, char **why);

void results_folder_close(struct results_folder *r);

/** Whether an SQLite file beside the runs has the bytes that were written, and is read by the
 * deadline, as sql_file_look(); else false with a sentence. */
bool results_file_is_whole(const char *out, const char *file, double deadline, char **why);

/** Locks runs: one sweep has them alone, single runs (run-one) share them. The lock to be closed,
 * or -1 with a sentence. */
int results_folder_lock_runs(const struct results_folder *r, bool shared, char **why);

/** Waits for the right to write tables and figures, so that a table never gives way to one that was
 * begun before it, and removes what was left by a process that was killed with that right. The lock
 * to be closed, or -1 with a sentence; a folder without a mark is none.
 */
int results_folder_lock_tables(const char *out, char **why);

#endif

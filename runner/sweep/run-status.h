/* SPDX-License-Identifier: GPL-2.0-only */
/** @file run-status.h  Where the runs under way are, in words. */
#ifndef WEFT_RUNNER_RUN_STATUS_H
#define WEFT_RUNNER_RUN_STATUS_H

#include <sys/types.h>

#include "simulate.h"
#include "textbuf.h"

/** One run under way. */
struct run_status
{
    pid_t pid; /**< 0: none */
    size_t run;
    const char *name;
    struct run_progress progress;
    char *last_words; /**< what its process said last of it; NULL: nothing yet */
    ino_t before;     /**< the file of its results when it began; 0: none */
};

/** Adds "NAME: at 1.25 ms, 12 of 64 messages, 40 % of the payload, 52 MB, process 123". */
void run_status_add(struct text *t, const struct run_status *status);

/** Adds those of @p n that are under way in one line for a log: "2 under way (NAME at 1.25 ms, 12
 * of 64 messages; ...), 104 MB in all". */
void run_status_add_all(struct text *t, const struct run_status *status, size_t n);

#endif

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
    const char *name;
    pid_t pid;
    struct run_progress progress;
};

/** Adds "NAME: at 1.25 ms, 12 of 64 messages, 40 % of the payload, 52 MB, process 123". */
void run_status_add(struct text *t, const struct run_status *status);

/** Adds all of them in one line for a log: "2 under way (NAME at 1.25 ms, 12 of 64 messages; ...),
 * 104 MB in all". */
void run_status_add_all(struct text *t, const struct run_status *status, size_t n);

#endif

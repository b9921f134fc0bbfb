/* SPDX-License-Identifier: GPL-2.0-only */
/** @file run-child.h  One run in a process of its own, which reports through a pipe. */
#ifndef WEFT_RUNNER_RUN_CHILD_H
#define WEFT_RUNNER_RUN_CHILD_H

#include <signal.h>
#include <sys/types.h>

#include "files.h"
#include "simulate.h"
#include "sweep-plan.h"

enum report_kind
{
    REPORT_PROGRESS,
    REPORT_ASKED,   /**< progress that SIGUSR1 asked this process for */
    REPORT_WARNING, /**< text: what the user should know of the results that follow */
    REPORT_DONE,    /**< text: the main figures */
    REPORT_FAILED,  /**< text: why */
};

/** What a child tells its parent; written in one piece (shorter than PIPE_BUF). */
struct report
{
    size_t run;
    enum report_kind kind;
    struct run_progress progress;
    char text[1000];
};

/** Exit status of a child whose results could not be written. */
#define CHILD_CANNOT_WRITE 4
/** Exit status of a child whose run another process is at. */
#define CHILD_BUSY 5

/** Takes a report. */
typedef void (*report_fn)(void *of, const struct report *report);

/** Simulates run @p i in this process, together with those that mpi-ranks.h joins, and keeps its
 * results; reports go to @p take with @p of. The exit status that a child would have. */
int child_run_here(const struct plan *plan, size_t i, const struct folder *runs, unsigned threads,
                   report_fn take, void *of);

/** Helps rank 0 with all runs that it orders. An exit status. */
int child_help(const struct plan *plan, unsigned threads);

/** Starts run @p i of the plan, on @p threads threads, in a new process that dies with this one and
 * blocks the signals @p blocked. The new process's id, or -1. */
pid_t child_start(const struct plan *plan, size_t i, const struct folder *runs, unsigned threads,
                  int pipe_fd, const sigset_t *blocked);

#endif

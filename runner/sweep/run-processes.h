/* SPDX-License-Identifier: GPL-2.0-only */
/** @file run-processes.h  The processes of a sweep: starts them, listens to them, says how far they
 * are. */
#ifndef WEFT_RUNNER_RUN_PROCESSES_H
#define WEFT_RUNNER_RUN_PROCESSES_H

#include <signal.h>
#include <sys/types.h>

#include "files.h"
#include "progress.h"
#include "simulate.h"
#include "sweep-plan.h"

struct engine_task
{
    const struct plan *plan;
    const struct folder *runs;
    size_t before;     /**< other runs that were asked for and are finished */
    const size_t *due; /**< numbers of the runs to be done */
    size_t ndue;       /**< at least 1 */
    size_t at_once;    /**< processes at a time */
    unsigned threads;  /**< of each */
    long log_interval; /**< s between lines of progress where there is no terminal; 0: none */
    const struct progress_whole *whole;
};

/** Does them; returns how many failed. Ctrl-C and a polite kill end it, SIGUSR1 makes it say where
 * the runs are. */
size_t engine_run(const struct engine_task *task);

/* --- one run ---------------------------------------------------------------------------------- */

/* In a process of its own, which reports through a pipe. */

enum report_kind
{
    REPORT_PROGRESS,
    REPORT_ASKED,   /**< progress that SIGUSR1 asked this process for */
    REPORT_WARNING, /**< text: what the user should know of the results that follow */
    REPORT_DONE,    /**< text: the main figures */
    REPORT_FAILED,  /**< text: why */
};

/** Report of a child to its parent; written in one piece (shorter than PIPE_BUF). */
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

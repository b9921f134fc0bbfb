/* SPDX-License-Identifier: GPL-2.0-only */
/** @file sweep-engine.h  The processes of a sweep: starts them, listens to them, says how far they
 * are. */
#ifndef WEFT_RUNNER_SWEEP_ENGINE_H
#define WEFT_RUNNER_SWEEP_ENGINE_H

#include "files.h"
#include "progress.h"
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

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file progress.h  How far a sweep is: a bar with the time left on a terminal, plain lines
 * otherwise; and where each run under way is, in words. */
#ifndef WEFT_RUNNER_PROGRESS_H
#define WEFT_RUNNER_PROGRESS_H

#include "simulate.h"
#include "textbuf.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** Several sweeps, one after the other. */
struct progress_whole
{
    size_t sweep, nsweeps; /**< the one under way, from 1, and how many there are */
    size_t before, total;  /**< runs that ended in those before it, and runs to do in all */
    double start;          /**< clock_seconds() */
};

struct progress
{
    bool terminal;                      /**< draw a bar on standard error */
    size_t total;                       /**< runs to do in this call */
    size_t ended;                       /**< of these, ended, well or not */
    double start;                       /**< clock_seconds() */
    double drawn;                       /**< when the bar was drawn last */
    bool shown;                         /**< a bar stands on the terminal's line */
    const struct progress_whole *whole; /**< NULL: this sweep is all there is */
};

void progress_start(struct progress *p, size_t total, const struct progress_whole *whole);
/** @p running: the shares done of the runs under way, added up. */
void progress_draw(struct progress *p, double running, size_t nrunning);
/** A line of its own, above the bar. */
void progress_line(struct progress *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void progress_end(struct progress *p);

/** "1h20m", "3m05s", "9s". */
void duration_text(char *out, size_t size, double seconds);

/** Status of a run under way. */
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

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file progress.h  A bar with the time left on a terminal, plain lines otherwise. */
#ifndef WEFT_RUNNER_PROGRESS_H
#define WEFT_RUNNER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Several sweeps, one after the other. */
struct progress_whole
{
    size_t sweep, nsweeps; /**< the one under way, from 1, and how many there are */
    size_t before, total;  /**< runs that ended in those before it, and runs to do in all */
    double start;          /**< clock_seconds() */
    FILE *log;             /**< gets a line for each run that ends well; NULL: standard error */
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

#endif

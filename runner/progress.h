/* SPDX-License-Identifier: GPL-2.0-only */
/** @file progress.h  A bar with the time left on a terminal, plain lines otherwise. */
#ifndef WEFT_RUNNER_PROGRESS_H
#define WEFT_RUNNER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress
{
    bool terminal; /**< draw a bar on standard error */
    size_t total;  /**< runs to do in this call */
    size_t ended;  /**< of these, ended, well or not */
    double start;  /**< clock_seconds() */
    double drawn;  /**< when the bar was drawn last */
    bool shown;    /**< a bar stands on the terminal's line */
};

void progress_start(struct progress *p, size_t total);
/** @p running: the shares done of the runs under way, added up. */
void progress_draw(struct progress *p, double running, size_t nrunning);
/** A line of its own, above the bar. */
void progress_line(struct progress *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void progress_end(struct progress *p);

#endif

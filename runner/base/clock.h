/* SPDX-License-Identifier: GPL-2.0-only */
/** @file clock.h  How long things take. */
#ifndef WEFT_RUNNER_CLOCK_H
#define WEFT_RUNNER_CLOCK_H

/** Seconds of a clock that only moves forward. */
double clock_seconds(void);

#endif

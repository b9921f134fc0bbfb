/* SPDX-License-Identifier: GPL-2.0-only */
/** @file query-watchdog.h  Ends the process where one step of SQLite's does not end: nothing else
 * can. */
#ifndef WEFT_RUNNER_QUERY_WATCHDOG_H
#define WEFT_RUNNER_QUERY_WATCHDOG_H

/** From now on the process ends with a message and exit status 2 if this takes longer than @p
 * seconds and a little; until query_watchdog_stop(). */
void query_watchdog_start(double seconds);

void query_watchdog_stop(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file sql-printf.h  printf() and format() of SQL with bounds: SQLite's own writes a character
 * two billion times in one step, which no limit of time ends. */
#ifndef WEFT_RUNNER_SQL_PRINTF_H
#define WEFT_RUNNER_SQL_PRINTF_H

#include <sqlite3.h>

/** Greatest width and precision. */
#define SQL_PRINTF_MOST 1000

/** Registers them in place of SQLite's. A status of SQLite. */
int sql_printf_register(sqlite3 *db);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file sql-printf.h  SQLite's printf() and format() for queries. */
#ifndef WEFT_RUNNER_SQL_PRINTF_H
#define WEFT_RUNNER_SQL_PRINTF_H

struct sqlite3;

/** Puts them in the place of SQLite's, which are NULL where the text is longer than its limit:
 * these are an error, as all other functions are. An SQLite result code. */
int sql_printf_register(struct sqlite3 *db);

#endif

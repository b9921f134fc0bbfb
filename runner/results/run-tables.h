/* SPDX-License-Identifier: GPL-2.0-only */
/** @file run-tables.h  The tables in the file of a run, as runs write them. */
#ifndef WEFT_RUNNER_RUN_TABLES_H
#define WEFT_RUNNER_RUN_TABLES_H

#include <stdbool.h>
#include <stdint.h>

struct sqlite3;

/** How SQLite makes each of column_tables(). */
char *const *run_table_statements(void);

/** Whether the schema `run` is a file's that a run may have written: ordinary tables alone, those
 * that every run has among them, with values of their kind, and no more than fit into @p size
 * bytes. The file may be a stranger's: it ends in steps that grow with these bytes. Tables of
 * another version have any columns. Else a sentence in *why that begins with "its". */
bool run_tables_look(struct sqlite3 *db, uint64_t size, char **why);

#endif

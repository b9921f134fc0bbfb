/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file open-data.h  Results that are kept with the sources: OPEN_DATA/NAME.sqlite.gz is an SQLite
 * file, compressed by gzip. It has the whole table `summary` of a scenario's results, and of other
 * tables what claims read. database_open() and database_attach() take such a file in the place of a
 * results folder.
 */
#ifndef WEFT_RUNNER_OPEN_DATA_H
#define WEFT_RUNNER_OPEN_DATA_H

#include <stdbool.h>
#include <stddef.h>

#define OPEN_DATA        "docs/data"
#define OPEN_DATA_ENDING ".sqlite.gz"

/** Most bytes that a file gives. */
#define OPEN_DATA_MOST ((size_t)256 << 20)

/** Functions that return bool or a pointer return true, or false or NULL with a sentence in *why;
 * the caller frees what it gets. */

/** Whether a path names such a file rather than a results folder. */
bool open_data_is(const char *path);

/** The path of the results of a name in a folder; NULL with the names that may be meant. */
char *open_data_find(const char *folder, const char *name, char **why);

/** The SQLite file that is in it. Damage is an error, and so is what gives more than 256 MiB. */
unsigned char *open_data_read(const char *path, size_t *n, char **why);

#endif

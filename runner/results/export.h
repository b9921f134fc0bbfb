/* SPDX-License-Identifier: GPL-2.0-only */
/** @file export.h  Tables as CSV files, for who does not ask in SQL. */
#ifndef WEFT_RUNNER_EXPORT_H
#define WEFT_RUNNER_EXPORT_H

#include "files.h"

struct sqlite3;

/** The rows of a SELECT. Whole numbers, texts and NULL are written as they are, others with six
 * decimals; but those in the first @p nkeys columns, which vary in a sweep, as they were given. */
struct csv_source
{
    struct sqlite3 *db;
    const char *select;
    int nkeys;
};

/** Writes the names of the columns and the rows; for struct file_writer, whose user is a struct
 * csv_source. */
bool csv_write(FILE *file, const void *source);

/** Writes all that the schema `run` of @p db holds, as run_file_attach() sets it: the tables,
 * scenario.xml with the files that it names, provenance.txt. False with a sentence in *why. */
bool export_run(struct sqlite3 *db, const struct folder *to, char **why);

#endif

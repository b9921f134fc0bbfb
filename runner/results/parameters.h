/* SPDX-License-Identifier: GPL-2.0-only */
/** @file parameters.h  A resolved scenario as rows of SQL. */
#ifndef WEFT_RUNNER_PARAMETERS_H
#define WEFT_RUNNER_PARAMETERS_H

#include <stdbool.h>

struct sqlite3;

#define PARAMETERS_COLUMNS                                                                         \
    "name TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL, value REAL, unit TEXT"

/** Makes a table `parameters` in a schema, with every attribute of a resolved scenario. False with
 * a sentence in *why. */
bool parameters_add(struct sqlite3 *db, const char *schema, const char *resolved, char **why);

/** What differs between the parameters in the schemas `run` and `temp`: "transport.rto changed
 * (100us, now 150us)". The caller frees it. */
char *parameters_changed(struct sqlite3 *db);

#endif

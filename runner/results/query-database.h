/* SPDX-License-Identifier: GPL-2.0-only */
/** @file query-database.h  What query.c, query-rows.c and query-holes.c have in common. */
#ifndef WEFT_RUNNER_QUERY_DATABASE_H
#define WEFT_RUNNER_QUERY_DATABASE_H

#include "query.h"

struct sql_holes;

/** Opens the same results, with the same others attached, and with aggregates that tell @p holes of
 * rows without a value. NULL with a sentence in *why. */
struct database *database_open_again(const struct database *db, struct sql_holes *holes,
                                     char **why);

/** That a query needs more memory than it may have. */
char *query_too_large(struct query_limits limits);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file summary-print.h  What a sweep says on the terminal. */
#ifndef WEFT_RUNNER_SUMMARY_PRINT_H
#define WEFT_RUNNER_SUMMARY_PRINT_H

#include "database.h"
#include "query.h"

/** Prints short tables of results that are complete, and warns of cases in which some seeds have no
 * value. @p db: a reader of @p w. @p scenario: its name. */
void summary_print(struct database *db, const struct database_writer *w, const char *scenario);

/** The rows of a SELECT, to be freed; none after a message. */
struct query_rows *summary_rows(struct database *db, const char *sql);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file figure-query.h  What a figure shows, as a query of results.sqlite. Its columns are those
 * that a <query> in a figure has as well: figure-read.h.
 */
#ifndef WEFT_RUNNER_FIGURE_QUERY_H
#define WEFT_RUNNER_FIGURE_QUERY_H

#include <math.h>

#include "figure.h"

/** Of queries that Weft has made: they take as much as the results do. */
#define FIGURE_LIMITS ((struct query_limits){INFINITY, SIZE_MAX, SIZE_MAX / 2, 0})

/** The query that a figure's attributes make, or its own <query>. The caller frees it. */
char *figure_query(const struct plan *plan, const struct element *figure);

/** Of a figure without <query>: how many runs are in it, and how many of these lack (some) values.
 * The caller frees it. */
char *figure_query_of_runs(const struct plan *plan, const struct element *figure);

#endif

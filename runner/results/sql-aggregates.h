/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file sql-aggregates.h  The aggregates that queries have beside SQLite's own. Rows without a
 * value (NULL) do not count; of no values the result is NULL.
 *
 * | function | is |
 * |---|---|
 * | p50(x), p90, p95, p99, p99_9 | the least value that this share of them does not exceed |
 * | percentile(x, p) | the same for p from 0 to 100 |
 * | stddev(x) | the sample's standard deviation; NULL of less than two |
 * | ci95(x) | half of the mean's 95 % confidence interval, by Student's t; NULL of less than two |
 * | slope_loglog(y, x) | e of y ~ x^e: least squares over the logarithms of x and of y's means |
 * | corr(y, x) | Pearson's correlation |
 */
#ifndef WEFT_RUNNER_SQL_AGGREGATES_H
#define WEFT_RUNNER_SQL_AGGREGATES_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** An aggregate of @p of rows of which @p have had a value: fewer, or none of none. */
struct sql_hole
{
    size_t have, of;
};

/** Counts that are told apart; cells that rest on others are said to rest on the worst. */
#define SQL_MOST_HOLES 64

/** In the place of the altered hole: all that are met are added. */
#define SQL_RECORDING SIZE_MAX

struct sql_holes
{
    struct sql_hole holes[SQL_MOST_HOLES]; /**< different ones */
    size_t n;
    size_t altered; /**< aggregates with this hole have no result where they have one, and some
                     * number where they have none; so have those before it that have none */
    size_t nfilled; /**< numbers that were given */
};

/** Registers them; an SQLite result code. With @p holes, which must live as long, also avg(),
 * sum(), total(), min() and max() in the place of SQLite's, and all of them tell it of rows that
 * had no value. These are no window functions, and min() and max() do not choose a row. */
int sql_aggregates_register(sqlite3 *db, struct sql_holes *holes);

#endif

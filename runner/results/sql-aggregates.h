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

/** An aggregate of @p of rows of which @p have had a value: fewer, or none of none. */
struct sql_hole
{
    size_t have, of;
    bool altered; /**< its result is none where it has one, and some number where it has none */
};

struct sql_holes
{
    struct sql_hole *holes; /**< different ones, in the order in which they were met */
    size_t n;
    bool recording;      /**< others are added to them */
    bool alters_unknown; /**< others have no result */
    size_t nfilled;
};

/** Bytes that the aggregates of the query in hand may still keep, as SQLite does not count them. */
struct sql_budget
{
    size_t bytes;
    bool is_over; /**< the query has met a limit: what it has gathered is of no use */
};

/** Registers them; an SQLite result code. @p budget must live as long. With @p holes, which must
 * live as long, also avg(), sum(), total(), min() and max() in the place of SQLite's, and all of
 * them tell it of rows that had no value. These are no window functions, and min() and max() do not
 * choose a row. */
int sql_aggregates_register(sqlite3 *db, struct sql_budget *budget, struct sql_holes *holes);

#endif

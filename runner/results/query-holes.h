/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file query-holes.h  Which cells of a query's answer rest on rows without a value. A mean over
 * the runs of ten seeds of which two have no value is a mean of eight, and SQL does not say so.
 *
 * The query is asked once more with aggregates that count, and if any lacked values once more for
 * each such count, with NULL as the result of the aggregates that have it: what changes rests on
 * them, whatever the query does with their results.
 */
#ifndef WEFT_RUNNER_QUERY_HOLES_H
#define WEFT_RUNNER_QUERY_HOLES_H

#include "query.h"

/** What a cell rests on. */
enum query_ground
{
    QUERY_WHOLE,   /**< all rows that were asked for have a value, or no aggregate was asked */
    QUERY_PARTLY,  /**< only some have: `have` of `of` */
    QUERY_NO_ROWS, /**< there is no such row, so that the cell is NULL */
};

struct query_hole
{
    enum query_ground ground;
    size_t have, of; /**< of that aggregate which lacks most; QUERY_PARTLY */
};

/**
 * For each cell of database_query()'s answer, [row * ncolumns + column]; the caller frees it. NULL
 * with what was wrong: avg(), sum(), total(), min() and max() cannot be window functions here.
 */
struct query_hole *database_holes(const struct database *db, const char *sql,
                                  struct query_limits limits, const struct query_rows *rows,
                                  struct query_mistake *mistake);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file sql-holes.h  Rows without a value that aggregates of a query met. query-holes.c uses it.
 */
#ifndef WEFT_RUNNER_SQL_HOLES_H
#define WEFT_RUNNER_SQL_HOLES_H

#include <stdbool.h>
#include <stddef.h>

/** What an aggregate gives instead of its result. */
enum sql_hole_action
{
    SQL_HOLE_KEEP,  /**< its result */
    SQL_HOLE_BLANK, /**< NULL */
    SQL_HOLE_FILL,  /**< some number */
};

/** An aggregate of @p of rows of which @p have had a value: fewer, or none of none. */
struct sql_hole
{
    size_t have, of;
    enum sql_hole_action action;
};

struct sql_holes
{
    struct sql_hole *holes; /**< different ones, in the order in which they were met */
    size_t n;
    bool recording;               /**< others are added to them; else */
    enum sql_hole_action unknown; /**< this is done with others */
    size_t nfilled;
};

/** What the aggregate that met this hole is to do. */
enum sql_hole_action sql_holes_action(struct sql_holes *holes, size_t have, size_t of);

#endif

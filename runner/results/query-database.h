/* SPDX-License-Identifier: GPL-2.0-only */
/** @file query-database.h Inside of an open database, for the files that make query.h. */
#ifndef WEFT_RUNNER_QUERY_DATABASE_H
#define WEFT_RUNNER_QUERY_DATABASE_H

#include <sqlite3.h>

#include "query.h"
#include "sql-aggregates.h"

/** An SQLite file that is in memory; no bytes: it is on disk. */
struct image
{
    unsigned char *bytes;
    size_t n;
};

struct database
{
    sqlite3 *db;
    struct image *images; /**< those that SQLite reads, also for `counting` */
    size_t nimages;
    struct database *counting; /**< the same results, with aggregates that fill `holes`; or NULL */
    struct sql_holes holes;
    double opens_by;     /**< deadline of what is opened and attached; INFINITY: none */
    double deadline;     /**< of the query in hand */
    uint64_t steps_left; /**< likewise */
    struct sql_budget budget;
};

#endif

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
    struct image *images; /**< those that SQLite reads */
    size_t nimages;
    double opens_by;         /**< deadline of what is opened and attached; INFINITY: none */
    struct sql_holes *holes; /**< of the query in hand, in shared memory; NULL: nobody asks */
};

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file results.h  Results of a run: a struct for each row of a table, whose members
 * results-tables.h says. columns.h has the tables that write them.
 */
#ifndef WEFT_RUNNER_RESULTS_H
#define WEFT_RUNNER_RESULTS_H

#include <stddef.h>
#include <stdint.h>

#include <weft/lb.h>
#include <weft/tor.h>

#ifdef __cplusplus
extern "C"
{
#endif

/* The rows of the tables: struct run_summary, flow_result, ... */
#define TABLE_BEGIN(table)                                                                         \
    struct ROW                                                                                     \
    {
#define TABLE_END(table, doc)                                                                      \
    }                                                                                              \
    ;
#define TIME(name, member, doc)  int64_t member;
#define RATE(name, member, doc)  double member;
#define RATIO(name, member, doc) double member;
#define REAL(name, member, doc)  double member;
#define U32(name, member, doc)   uint32_t member;
#define U64(name, member, doc)   uint64_t member;
#define INDEX(name, member, doc) int64_t member;
#define COUNTER(member, doc)     uint64_t member;
#define TEXT(name, member, doc)  const char *member;
#define SHARE(name, part, sent, resent, doc)
#define COUNTED(of, member, doc)
#define ALSO(declaration) declaration;
#include "results-tables.h"

/* struct qp_result *qps; size_t nqps; and so on: the rows of each table, and how many. */
#define TABLE_END(table, doc)                                                                      \
    struct ROW *table;                                                                             \
    size_t n##table;
#define ONE_ROW_END(table, doc) struct ROW table;

    struct run_results
    {
        uint32_t processes;  /**< processes that simulated it together; 0 or 1: this one alone */
        const char *host;    /**< the version of ns-3 in which it ran; NULL or "none": in none */
        int64_t peak_memory; /**< KiB: of the one that took most, up to the end of the simulation */
#include "results-tables.h"
        char *link_names; /**< texts of links[].link */
        char **lanes;     /**< texts of timeline[].lane */
        size_t nlanes;
        char *path_names;  /**< texts of paths[].link */
        uint64_t unposted; /**< messages that wait for others, of a run that was cut */
    };

    void run_results_free(struct run_results *results);

#ifdef __cplusplus
}
#endif
#endif

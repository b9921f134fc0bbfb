/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file results.h  What a run measured: a struct for each row of a CSV file, whose members
 * results-tables.h says. columns.h has the tables that write them.
 */
#ifndef WEFT_RUNNER_RESULTS_H
#define WEFT_RUNNER_RESULTS_H

#include <stddef.h>
#include <stdint.h>

#include <weft/lb.h>

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
#define COUNTED(member, doc)
#define ALSO(declaration) declaration;
#include "results-tables.h"

    struct run_results
    {
        struct run_summary summary;
        struct stuck_qp *stuck;
        size_t nstuck;     /**< 0 unless the run was cut */
        uint64_t unposted; /**< messages that wait for others, of a run that was cut */
        struct flow_result *flows;
        size_t nflows;
        struct qp_result *qps;
        size_t nqps;
        struct group_result *groups;
        size_t ngroups;
        struct qp_sample *samples;
        size_t nsamples;
        struct queue_sample *queues;
        size_t nqueues;
        struct port_sample *ports;
        size_t nports;
        struct balance_sample *balance;
        size_t nbalance;
        struct reordering_result *reordering;
        size_t nreordering; /**< 0: all arrived in order */
        struct layer_result *layers;
        size_t nlayers;
        struct tor_result *tors;
        size_t ntors; /**< 0: its balancer counts nothing */
        struct trim_result *trims;
        size_t ntrims; /**< 0: trimming is off */
        struct workload_result *workloads;
        size_t nworkloads; /**< 0: there is one only */
        struct step_result *steps;
        size_t nsteps; /**< 0: its messages do not go step by step */
    };

    void run_results_free(struct run_results *results);

#ifdef __cplusplus
}
#endif
#endif

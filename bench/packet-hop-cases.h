/* SPDX-License-Identifier: GPL-2.0-only */
/** @file packet-hop-cases.h  The fixed cases of the benchmarks, which README.md describes. */
#ifndef WEFT_PACKET_HOP_CASES_H
#define WEFT_PACKET_HOP_CASES_H

#include <stdint.h>
#include <weft/traffic.h>

#ifdef __cplusplus
extern "C"
{
#endif

/** Case of the fixed ones: a fabric, its algorithms and a workload, as README.md describes them. */
struct BenchCase
{
    char letter;                   /**< as in --cases=a,b */
    const char* name;              /**< what to call it instead */
    const char* topology;          /**< as WeftHelper takes it, like the next six */
    const char* frames;            /**< frame sizes */
    const char* switches;          /**< buffers */
    const char* balancer;          /**< load balancer */
    const char* transport;         /**< transport */
    const char* congestionControl; /**< congestion control */
    const char* workload;          /**< without its bytes */
    uint32_t shifts;    /**< 0: one workload; n: n permutations, shifted by 15, 30, ... */
    uint32_t busy;      /**< n: so many hosts send, in a ring over the whole fabric; `workload`
                           takes flows */
    int64_t bytes;      /**< of a message */
    int64_t quickBytes; /**< the same with --quick; 0: it is only run where it is named */
    int64_t countBytes; /**< the lesser of the two sizes for callgrind; 0: not counted */
};

#define BENCH_NCASES 11U

/** All cases, in the order of their letters. */
extern const struct BenchCase BENCH_CASES[BENCH_NCASES];

/** The case of that letter or name, or NULL. */
const struct BenchCase* FindBenchCase(const char* name);

/** The flows of a case with busy hosts, which are far from one another: each sends to the next one.
 * @p flows has room for c->busy. */
void FillBenchRing(const struct BenchCase* c,
                   uint32_t hosts,
                   int64_t bytes,
                   struct weft_table_flow* flows);

#ifdef __cplusplus
}
#endif
#endif

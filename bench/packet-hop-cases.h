// SPDX-License-Identifier: GPL-2.0-only
#ifndef WEFT_PACKET_HOP_CASES_H
#define WEFT_PACKET_HOP_CASES_H

#include <array>
#include <cstdint>
#include <string>

/** One of the fixed cases: a fabric, its algorithms and a workload, as README.md describes them. */
struct BenchCase
{
    char letter;                   //!< as in --cases=a,b
    const char* name;              //!< what to call it instead
    const char* topology;          //!< as WeftHelper takes it, like the next five
    const char* frames;            //!< frame sizes
    const char* switches;          //!< buffers
    const char* balancer;          //!< load balancer
    const char* transport;         //!< transport
    const char* congestionControl; //!< congestion control
    const char* workload;          //!< without its bytes
    uint32_t shifts;               //!< 0: one workload; n: n permutations, shifted by 15, 30, ...
    int64_t bytes;                 //!< of a message
    int64_t quickBytes;            //!< the same with --quick
    int64_t ratioBytes;            //!< the most at which ns-3's default scheduler is timed
    int64_t countBytes;            //!< the lesser of the two sizes for callgrind; 0: not counted
};

/** All cases, in the order of their letters. */
extern const std::array<BenchCase, 6> BENCH_CASES;

/**
 * @param [in] name A case's letter or name.
 * @return The case, or nullptr.
 */
const BenchCase* FindBenchCase(const std::string& name);

#endif // WEFT_PACKET_HOP_CASES_H

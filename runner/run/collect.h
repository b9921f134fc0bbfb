/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/** @file collect.h Outcome of a fabric in ns-3 and of its workload, for struct run_results. */
#ifndef WEFT_RUNNER_COLLECT_H
#define WEFT_RUNNER_COLLECT_H

#include "results.h"
#include "scenario.h"

#include "ns3/weft-collective.h"
#include "ns3/weft-fabric.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

/** Copies a vector into memory that run_results_free() releases. @param v the vector @param p gets
 * the memory, also of an empty one @param n gets how many there are */
template <typename T>
void
ToC(const std::vector<T> &v, T *&p, size_t &n)
{
    p = static_cast<T *>(std::malloc(v.size() * sizeof(T) + 1));
    if (!p)
    {
        throw std::bad_alloc();
    }
    if (!v.empty())
    {
        std::memcpy(p, v.data(), v.size() * sizeof(T));
    }
    n = v.size();
}

/** Adds up rows that are words over all ranks. @param fabric the fabric @param rows what this rank
 * has of each, zeros where it is another's: rank 0 gets what all have */
template <typename T>
void
SumRows(const ns3::WeftFabric &fabric, std::vector<T> &rows)
{
    static_assert(sizeof(T) % sizeof(uint64_t) == 0, "a row of words");
    if (rows.empty())
    {
        return; // on all ranks
    }
    std::vector<uint64_t> words(rows.size() * (sizeof(T) / sizeof(uint64_t)));
    std::memcpy(words.data(), rows.data(), rows.size() * sizeof(T));
    fabric.Sum(words);
    std::memcpy(rows.data(), words.data(), rows.size() * sizeof(T));
}

/** Adds what the switches counted. @param fabric the fabric @param sum gets it */
void CollectSwitches(ns3::Ptr<ns3::WeftFabric> fabric, run_summary &sum);

/** @param fabric the fabric @return what its ToRs' balancers counted, nothing if they do not count
 */
std::vector<tor_result> CollectTors(ns3::Ptr<ns3::WeftFabric> fabric);

/** @param fabric the fabric @return what its switches trimmed, nothing if trimming is off */
std::vector<trim_result> CollectTrims(ns3::Ptr<ns3::WeftFabric> fabric);

/** Completion times. Of a run that was cut, the slowest group has none before all have ended.
 * @param r its groups and what is stuck @param sum gets them */
void CollectTimes(const run_results &r, run_summary &sum);

/** @param fabric one in which a workload has run @param out gets the packets by their out-of-order
 * degree, if some have one, and its percentiles */
void CollectReordering(const ns3::WeftFabric &fabric, run_results *out);

/** Collects the bytes that the algorithms keep, of QPs that exist at the end of a run. @param
 * fabric the fabric @param sum gets the most of any switch and of any NIC */
void CollectStateBytes(ns3::Ptr<ns3::WeftFabric> fabric, run_summary &sum);

/** Lists the QPs with unfinished messages, and what each waits for. @param fabric the fabric @param
 * work the workload @param out gets stuck, nstuck and unposted */
void CollectStuck(ns3::Ptr<ns3::WeftFabric> fabric, ns3::Ptr<ns3::WeftCollective> work,
                  run_results *out);

/** @param s the scenario @param r a run that was cut @return "3 paced by congestion control (such
 * as ...)": for each cause how many QPs there are and the first of them */
std::string DescribeCauses(const scenario &s, const run_results &r);

/** @param s the scenario @param r a run that was cut @return "; 3 QPs are not done: ..." for each
 * cause how many there are and the first of them */
std::string DescribeStuck(const scenario &s, const run_results &r);

#endif

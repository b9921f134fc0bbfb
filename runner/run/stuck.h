/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef WEFT_RUNNER_STUCK_H
#define WEFT_RUNNER_STUCK_H

#include "results.h"

#include "ns3/weft-collective.h"
#include "ns3/weft-fabric.h"

#include <string>

/** Lists the QPs with unfinished messages, and what each waits for. @param fabric the fabric @param
 * work the workload @param out gets stuck, nstuck and unposted */
void CollectStuck(ns3::Ptr<ns3::WeftFabric> fabric, ns3::Ptr<ns3::WeftCollective> work,
                  run_results *out);

/** @param r a run that was cut @return "3 paced by congestion control (such as ...)": for each
 * cause how many QPs there are and the first of them */
std::string DescribeCauses(const run_results &r);

/** @param r a run that was cut @return "; 3 QPs are not done: ..." for each cause how many there
 * are and the first of them */
std::string DescribeStuck(const run_results &r);

#endif /* WEFT_RUNNER_STUCK_H */

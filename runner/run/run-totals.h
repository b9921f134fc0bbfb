/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef WEFT_RUNNER_RUN_TOTALS_H
#define WEFT_RUNNER_RUN_TOTALS_H

#include "results.h"

#include "ns3/weft-fabric.h"

#include <vector>

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

#endif /* WEFT_RUNNER_RUN_TOTALS_H */

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/** @file fabric-setup.h  From a scenario to a fabric in ns-3. */
#ifndef WEFT_RUNNER_FABRIC_SETUP_H
#define WEFT_RUNNER_FABRIC_SETUP_H

#include "scenario.h"

#include "ns3/weft-fabric.h"

#include <string>
#include <vector>

/** Builds the fabric with its service levels, and schedules the losses, failures and degradations
 * of its links. @param s a scenario @param threads that run
 * its nodes @param ranks that share them, or nullptr @param failures gets the failures, resolved
 * @param error gets what is wrong @return the fabric; nullptr after an error */
ns3::Ptr<ns3::WeftFabric> BuildFabric(const scenario &s, unsigned threads, const weft_ranks *ranks,
                                      std::vector<link_fault> &failures, std::string &error);

#endif

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/** @file fabric-setup.h  From a scenario to a fabric in ns-3. */
#ifndef WEFT_RUNNER_FABRIC_SETUP_H
#define WEFT_RUNNER_FABRIC_SETUP_H

#include "scenario.h"

#include "ns3/weft-fabric.h"

#include <string>

/** Builds the fabric with its service levels. @param s a scenario @param threads that run its nodes
 * @param ranks that share them, or nullptr @param error gets what is wrong @return the fabric;
 * nullptr after an error */
ns3::Ptr<ns3::WeftFabric> BuildFabric(const scenario &s, unsigned threads, const weft_ranks *ranks,
                                      std::string &error);

#endif

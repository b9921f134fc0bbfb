/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef WEFT_RUNNER_STATE_BYTES_H
#define WEFT_RUNNER_STATE_BYTES_H

#include "results.h"

#include "ns3/weft-fabric.h"

/** What the algorithms keep, of QPs that exist at the end of a run. @param fabric the fabric
 * @param sum gets the most of any switch and of any NIC */
void CollectStateBytes(ns3::Ptr<ns3::WeftFabric> fabric, run_summary &sum);

#endif /* WEFT_RUNNER_STATE_BYTES_H */

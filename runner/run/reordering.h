/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/** @file reordering.h  How far data packets arrived out of order. */
#ifndef WEFT_RUNNER_REORDERING_H
#define WEFT_RUNNER_REORDERING_H

#include "results.h"

#include "ns3/weft-fabric.h"

/** @param fabric one in which a workload has run @param out gets the packets by their out-of-order
 * degree, if some have one, and its percentiles */
void CollectReordering(const ns3::WeftFabric &fabric, run_results *out);

#endif

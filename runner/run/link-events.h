/* SPDX-License-Identifier: GPL-2.0-only */
/** @file link-events.h  What happens to single links in a run. */
#ifndef WEFT_RUNNER_LINK_EVENTS_H
#define WEFT_RUNNER_LINK_EVENTS_H

#include "scenario.h"

#include "ns3/ptr.h"
#include "ns3/weft-fabric.h"

#include <vector>

/** Schedules failures and degradations. @param fabric of the run @param s its scenario @return all
 * failures, those drawn at random too */
std::vector<link_failure> ScheduleLinks(ns3::Ptr<ns3::WeftFabric> fabric, const scenario &s);

#endif

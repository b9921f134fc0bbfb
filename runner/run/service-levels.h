/* SPDX-License-Identifier: GPL-2.0-only */
/** @file service-levels.h  The classes of a scenario, as service levels of a fabric. */
#ifndef WEFT_RUNNER_SERVICE_LEVELS_H
#define WEFT_RUNNER_SERVICE_LEVELS_H

#include "scenario.h"

#include "ns3/weft-fabric.h"

/** Adds a service level for each class. @param fabric not yet built @param s the scenario */
void AddServiceLevels(ns3::Ptr<ns3::WeftFabric> fabric, const scenario &s);

#endif

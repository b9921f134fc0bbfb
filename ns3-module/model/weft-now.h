/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_NOW_H
#define NS3_WEFT_NOW_H

#include "ns3/simulator.h"

#include <cstdint>

namespace ns3
{

/** @ingroup weft @return Simulator::Now(), ps */
inline int64_t
WeftNow()
{
    return Simulator::Now().GetTimeStep();
}

} // namespace ns3

#endif /* NS3_WEFT_NOW_H */

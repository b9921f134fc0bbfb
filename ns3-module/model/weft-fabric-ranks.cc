/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftFabric: the ranks that run its nodes, and what rank 0 gathers of them.
#include "weft-fabric.h"

namespace ns3
{

bool
WeftFabric::IsHere(uint32_t node) const
{
    return weft_net_is_here(m_net, node);
}

void
WeftFabric::SetRanks(const weft_ranks& ranks)
{
    RequireUnbuilt("SetRanks()");
    m_ranks = ranks;
}

void
WeftFabric::Gather(unsigned what) const
{
    weft_net_gather(GetNet(), what);
}

void
WeftFabric::Sum(std::vector<uint64_t>& words) const
{
    weft_net_sum(GetNet(), words.data(), words.size());
}

} // namespace ns3

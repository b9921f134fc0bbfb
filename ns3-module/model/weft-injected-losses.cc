/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-injected-losses.h"

#include <weft/psn.h>

namespace ns3
{

void
WeftInjectedLosses::AddDrop(uint32_t qp, uint32_t offset, uint32_t count, Place place)
{
    const bool top = place == AT_TOP;
    (top ? m_topDrops : m_lastHopDrops)[static_cast<uint64_t>(qp) << 32 | offset] += count;
    m_activeAtTop = m_activeAtTop || top;
}

void
WeftInjectedLosses::SetProbability(double probability)
{
    m_probability = probability;
    m_activeAtTop = m_activeAtTop || probability > 0;
}

bool
WeftInjectedLosses::Take(Drops& drops, const weft_packet& d, uint32_t firstPsn)
{
    const uint64_t offset = weft_psn_add(d.psn, 0U - firstPsn);
    const auto it = drops.find(static_cast<uint64_t>(d.qp) << 32 | offset);
    if (it == drops.end())
    {
        return false;
    }
    if (--it->second == 0)
    {
        drops.erase(it);
    }
    return true;
}

bool
WeftInjectedLosses::TakeAtTop(const weft_packet& d, uint32_t firstPsn, weft_rng& rng)
{
    if (!m_topDrops.empty() && Take(m_topDrops, d, firstPsn))
    {
        return true;
    }
    return m_probability > 0 && weft_rng_unit(&rng) < m_probability;
}

bool
WeftInjectedLosses::TakeAtLastHop(const weft_packet& d, uint32_t firstPsn)
{
    return Take(m_lastHopDrops, d, firstPsn);
}

} // namespace ns3

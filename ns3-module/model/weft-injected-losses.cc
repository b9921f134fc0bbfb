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
    Drops& drops = m_drops[static_cast<uint64_t>(qp) << 32 | offset];
    (place == AT_TOP ? drops.atTop : drops.atLastHop) += count;
    m_activeAtTop = m_activeAtTop || place == AT_TOP;
}

void
WeftInjectedLosses::SetProbability(double probability)
{
    m_probability = probability;
    m_activeAtTop = m_activeAtTop || probability > 0;
}

void
WeftInjectedLosses::Mark(weft_packet& d, uint32_t firstPsn)
{
    const uint64_t offset = weft_psn_add(d.psn, 0U - firstPsn);
    const auto it = m_drops.find(static_cast<uint64_t>(d.qp) << 32 | offset);
    if (it == m_drops.end())
    {
        return;
    }
    const bool top = it->second.atTop > 0;
    d.flags |= top ? WEFT_F_DROP_AT_TOP : WEFT_F_DROP_AT_LAST_HOP;
    --(top ? it->second.atTop : it->second.atLastHop);
    if (it->second.atTop == 0 && it->second.atLastHop == 0)
    {
        m_drops.erase(it);
    }
}

bool
WeftInjectedLosses::IsLostAtTop(const weft_packet& d, weft_rng& rng) const
{
    return (d.flags & WEFT_F_DROP_AT_TOP) ||
           (m_probability > 0 && weft_rng_unit(&rng) < m_probability);
}

} // namespace ns3

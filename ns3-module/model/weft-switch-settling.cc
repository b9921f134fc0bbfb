/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftSwitch: when the buffer of frames that have left is given back, and what PFC frames that
// sends.
#include "weft-switch.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftSwitchSettling");

class WeftSwitch::Drain final : public FabricEvent, public WeftInArena
{
  public:
    /** @param sw whose frames end */
    explicit Drain(WeftSwitch* sw)
        : m_switch(sw)
    {
    }

    void Fire(int64_t /* now */) override
    {
        m_switch->GetInstant().Note(
            WeftInstant::END,
            0,
            [](void* of, uint64_t /* what */, int64_t now) {
                static_cast<WeftSwitch*>(of)->Settle(now);
            },
            m_switch);
    }

  private:
    WeftSwitch* m_switch; //!< whose frames end
};

void
WeftSwitch::MakeDrain()
{
    m_drain = new Drain(this);
}

void
WeftSwitch::SettleAll(int64_t now)
{
    if (m_pausedIngress != 0)
    {
        SettleInOrder(now);
        return;
    }
    // The sums are all that counts, and the order does not matter.
    for (uint32_t out = 0; out < GetNPorts(); out++)
    {
        if (m_inService[out].end <= now)
        {
            Release(out);
        }
    }
}

void
WeftSwitch::SettleInOrder(int64_t now)
{
    for (uint32_t out = FindFirstLeft(now); out < GetNPorts(); out = FindFirstLeft(now))
    {
        InService& s = m_inService[out];
        const uint32_t in = s.ingress >> m_mmu->class_shift;
        const uint32_t tclass = s.ingress - weft_mmu_index(m_mmu, in, 0);
        s.end = INT64_MAX;
        if (weft_mmu_release_at(m_mmu, s.ingress, out, s.bytes))
        {
            NS_LOG_INFO("switch " << m_index << " resumes port " << in << " class " << tclass);
            m_pausedIngress--;
            m_pauseTrace(in, tclass, false);
            m_port[in].SendPause(tclass, false, now);
        }
    }
}

uint32_t
WeftSwitch::FindFirstLeft(int64_t now) const
{
    uint32_t first = GetNPorts();
    int64_t end = now;
    for (uint32_t out = 0; out < GetNPorts(); out++)
    {
        const InService& s = m_inService[out];
        if (s.end < end || (s.end == end && first == GetNPorts()))
        {
            first = out;
            end = s.end;
        }
    }
    return first;
}

void
WeftSwitch::ScheduleDrain(int64_t time)
{
    WeftSchedule(time, m_drain, m_port[0].GetContext());
}

void
WeftSwitch::Pause(uint32_t in, uint32_t tclass, int64_t now)
{
    NS_LOG_INFO("switch " << m_index << " pauses port " << in << " class " << tclass);
    m_pausedIngress++;
    m_pauseTrace(in, tclass, true);
    m_port[in].SendPause(tclass, true, now);
    // From now on the end of every frame counts, of those that are on a wire as well.
    for (uint32_t i = 0; i < m_nports; i++)
    {
        if (m_inService[i].end != INT64_MAX)
        {
            ExpectDrain(std::max<int64_t>(m_inService[i].end - now, 0));
        }
    }
}

} // namespace ns3

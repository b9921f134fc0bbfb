/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-port.h"

#include "weft-nic.h"
#include "weft-switch.h"

#include "ns3/assert.h"
#include "ns3/log.h"
#include "ns3/node.h"

#include <weft/theory.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftPort");

namespace
{
constexpr int64_t PS_BIT_PER_BYTE = INT64_C(8000000000000); //!< ps per byte at 1 bit/s
constexpr int64_t PFC_FRAME = 64;                           //!< bytes of a PFC frame
} // namespace

WeftPort::WeftPort(uint32_t index, int64_t rate, int64_t delay, int64_t gap)
    : m_index(static_cast<uint16_t>(index)),
      m_delay(delay),
      m_gap(gap)
{
    SetRate(rate);
}

void
WeftPort::SetRate(int64_t rate)
{
    const int64_t psPerByte = PS_BIT_PER_BYTE / rate;
    const bool whole =
        PS_BIT_PER_BYTE % rate == 0 && psPerByte <= UINT32_MAX && m_gap <= UINT32_MAX / psPerByte;
    m_psPerByte = whole ? static_cast<uint32_t>(psPerByte) : 0;
    m_gapTime = whole ? static_cast<uint32_t>(m_gap * psPerByte) : 0;
    m_rate = rate;
    m_carry = 0; // it counts in parts of the former rate
}

void
WeftPort::SetSwitch(WeftSwitch* sw)
{
    m_switch = sw;
    m_instant = &sw->GetInstant();
}

void
WeftPort::SetNic(WeftNic* nic)
{
    m_nic = nic;
    m_instant = &nic->GetInstant();
}

void
WeftPort::SetClasses(WeftClassQueues* queues)
{
    m_many = queues;
    m_state = static_cast<uint16_t>(m_state | MANY);
}

void
WeftPort::Connect(WeftPort* a, WeftPort* b)
{
    a->SetPeer(b);
    b->SetPeer(a);
}

void
WeftPort::SetPeer(WeftPort* peer)
{
    m_peer = peer;
    m_peerIndex = peer->m_index;
    m_facesHost = m_switch && peer->m_nic;
    if (peer->m_switch)
    {
        m_receiver = peer->m_switch;
        m_peerContext = peer->m_switch->GetNode()->GetId();
    }
    else
    {
        m_receiver = peer->m_nic;
        m_peerContext = peer->m_nic->GetNode()->GetId();
    }
    peer->m_context = m_peerContext;
}

int64_t
WeftPort::SlowWireTime(int64_t bytes) const
{
    return weft_wire_time(bytes, m_rate);
}

int64_t
WeftPort::FreeAfterSlowly(int64_t bytes, int64_t now) const
{
    // If this frame starts by a fraction before now, the wire is free that much earlier.
    return now + SlowWireTime(bytes) - 1;
}

int64_t
WeftPort::OccupySlowly(int64_t bytes, int64_t now, bool waited)
{
    int64_t carry = waited && now == m_freeAt ? m_carry : 0;
    m_carry = carry;
    m_freeAt = now + weft_wire_carry(bytes + m_gap, m_rate, &m_carry);
    return weft_wire_carry(bytes, m_rate, &carry);
}

void
WeftPort::Fire(int64_t /* now */)
{
    m_instant->Note(
        WeftInstant::START,
        m_index,
        [](void* of, uint64_t /* what */, int64_t now) { static_cast<WeftPort*>(of)->Start(now); },
        this);
}

void
WeftPort::Start(int64_t now)
{
    if (!m_switch)
    {
        m_nic->Wake(now);
        return;
    }
    m_state = static_cast<uint16_t>(m_state & ~ARMED);
    m_switch->Settle(now);
    Serve<true>(now);
}

template <bool WAITED>
void
WeftPort::Serve(int64_t now)
{
    const uint32_t ready = GetReady();
    if (ready == 0)
    {
        ServeAmongMany<WAITED>(now);
        return;
    }
    const uint32_t c = ready & WAITS ? 0 : 1;
    WeftPacket* p = m_head[c];
    WeftPacket* next = p->GetNext();
    m_head[c] = next;
    SetTarget(next);
    if (!next)
    {
        m_state = static_cast<uint16_t>(m_state & ~(WAITS << c));
    }
    TransmitFromSwitch<WAITED, false>(p, now);
    if (GetReady() != 0)
    {
        Arm(now);
    }
}

template void WeftPort::Serve<false>(int64_t now);

void
WeftPort::Expect() const
{
    __builtin_prefetch(m_tail, 1);
}

void
WeftPort::SetPaused(uint32_t tclass, bool paused)
{
    m_instant->Note(
        WeftInstant::PFC,
        m_index,
        [](void* of, uint64_t what, int64_t now) {
            static_cast<WeftPort*>(of)->ApplyPause(static_cast<uint32_t>(what >> 1), what & 1, now);
        },
        this,
        uint64_t{tclass} << 1 | paused);
}

void
WeftPort::ApplyPause(uint32_t tclass, bool paused, int64_t now)
{
    NS_LOG_INFO("port " << m_index << (paused ? " is paused in" : " goes on with") << " class "
                        << tclass);
    const auto bit = static_cast<uint16_t>(PAUSED << tclass);
    m_state = static_cast<uint16_t>(paused ? m_state | bit : m_state & ~bit);
    if (paused)
    {
        return;
    }
    if (m_nic)
    {
        m_nic->Kick(now);
    }
    else if (GetNewest(tclass) && !(m_state & ARMED))
    {
        GoOn(now);
    }
}

void
WeftPort::SendPause(uint32_t tclass, bool pause, int64_t now)
{
    // The PFC frame waits for the frame in service, then crosses the link like any other. Its own
    // 64 bytes are not charged to the wire: one per pause, against thousands of data frames.
    const int64_t start = m_freeAt > now ? m_freeAt : now;
    const int64_t delay = start - now + WireTime(PFC_FRAME) + m_delay;
    Ptr<WeftPort> peer(m_peer);
    Simulator::ScheduleWithContext(m_peerContext,
                                   TimeStep(static_cast<uint64_t>(delay)),
                                   &WeftPort::SetPaused,
                                   peer,
                                   tclass,
                                   pause);
}

void
WeftPort::SetDown(bool down)
{
    if (down != IsDown())
    {
        if (m_switch)
        {
            m_switch->WatchLinks();
        }
        m_lostBefore = down ? DOWN : WeftNow();
        m_carry = 0; // what starts now starts now
    }
}

} // namespace ns3

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-port.h"

#include "weft-fabric.h"
#include "weft-nic.h"
#include "weft-switch.h"

#include "ns3/assert.h"

#include <weft/theory.h>

namespace ns3
{

namespace
{
constexpr int64_t PS_BIT_PER_BYTE = INT64_C(8000000000000); //!< ps per byte at 1 bit/s
constexpr int64_t PFC_FRAME = 64;                           //!< bytes of a PFC frame
} // namespace

WeftPort::WeftPort(WeftFabric* fabric, uint32_t index, int64_t rate, int64_t delay, int64_t gap)
    : m_psPerByte(PS_BIT_PER_BYTE % rate == 0 ? PS_BIT_PER_BYTE / rate : 0),
      m_delay(delay),
      m_gapTime(gap * m_psPerByte),
      m_index(index),
      m_rate(rate),
      m_gap(gap),
      m_fabric(fabric)
{
}

void
WeftPort::SetSwitch(WeftSwitch* sw)
{
    m_switch = sw;
}

void
WeftPort::SetNic(WeftNic* nic)
{
    m_nic = nic;
}

void
WeftPort::Connect(WeftPort* a, WeftPort* b)
{
    a->m_peer = b;
    b->m_peer = a;
    a->m_facesHost = a->m_switch && b->m_nic;
    b->m_facesHost = b->m_switch && a->m_nic;
}

int64_t
WeftPort::SlowWireTime(int64_t bytes) const
{
    return weft_wire_time(bytes, m_rate);
}

void
WeftPort::Transmit(WeftPacket* p, int64_t now)
{
    NS_ASSERT(now >= m_freeAt);
    const int64_t serialization = WireTime(p->d.bytes);
    m_freeAt = now + (m_psPerByte ? serialization + m_gapTime : SlowWireTime(p->d.bytes + m_gap));
    m_frames++;
    m_bytes += p->d.bytes;
    if (m_switch)
    {
        m_switch->Leaving(p, m_index, m_facesHost, now, now + serialization);
        if (m_switch->NeedsDrainEvent())
        {
            Arm(now);
        }
    }
    p->to = m_peer;
    WeftSchedule(serialization + m_delay, p);
}

void
WeftPort::Arrive(WeftPacket* p)
{
    m_fabric->CountHop();
    if (m_lostBefore != NEVER_DOWN && WasCut(p))
    {
        m_fabric->Drop(p, WeftFabric::DROP_LINK);
        return;
    }
    p->d.hops++;
    if (m_switch)
    {
        m_switch->Receive(p, m_index, WeftNow());
    }
    else
    {
        m_nic->Receive(p, WeftNow());
    }
}

bool
WeftPort::WasCut(const WeftPacket* p) const
{
    // It arrives after the last repair, or the link is DOWN: only when it departed matters.
    return WeftNow() - m_delay - WireTime(p->d.bytes) < m_lostBefore;
}

void
WeftPort::Notify()
{
    const int64_t now = WeftNow();
    if (m_nic)
    {
        m_nic->Wake(now);
        return;
    }
    m_armed = false;
    m_switch->Settle(now);
    TransmitNext(now);
}

void
WeftPort::TransmitNext(int64_t now)
{
    for (uint32_t c = 0; c < WEFT_CLASSES; c++)
    {
        WeftPacket* p = m_head[c];
        if (p && !m_paused[c])
        {
            m_head[c] = p->next;
            Transmit(p, now);
            break;
        }
    }
    if ((m_head[0] && !m_paused[0]) || (m_head[1] && !m_paused[1]))
    {
        Arm(now);
    }
}

void
WeftPort::SetPaused(uint32_t tclass, bool paused)
{
    m_paused[tclass] = paused;
    if (paused)
    {
        return;
    }
    const int64_t now = WeftNow();
    if (m_nic)
    {
        m_nic->Kick(now);
    }
    else if (m_head[tclass])
    {
        Arm(now);
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
    Simulator::Schedule(TimeStep(static_cast<uint64_t>(delay)),
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
        m_lostBefore = down ? DOWN : WeftNow();
    }
}

} // namespace ns3

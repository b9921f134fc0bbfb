/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-port.h"

#include "weft-fabric.h"

#include "ns3/abort.h"

namespace ns3
{

WeftPort::WeftPort(WeftFabric* fabric, uint32_t node, uint32_t index)
    : m_fabric(fabric),
      m_node(node),
      m_index(index)
{
}

weft_net_port
WeftPort::Get() const
{
    NS_ABORT_MSG_UNLESS(m_fabric, "Weft: a port after Simulator::Destroy(), with which it ends");
    weft_net_port is;
    weft_net_port_status(m_fabric->GetNet(), m_node, m_index, &is);
    return is;
}

int64_t
WeftPort::GetRate() const
{
    return Get().rate;
}

int64_t
WeftPort::GetDelay() const
{
    return Get().delay;
}

int64_t
WeftPort::GetFreeAt() const
{
    return Get().free_at;
}

uint32_t
WeftPort::GetPausedClasses() const
{
    return Get().paused;
}

bool
WeftPort::IsPaused(uint32_t tclass) const
{
    return Get().paused >> tclass & 1;
}

bool
WeftPort::IsDown() const
{
    return Get().down;
}

uint64_t
WeftPort::GetFrames() const
{
    return Get().frames;
}

uint64_t
WeftPort::GetBytes() const
{
    return Get().bytes;
}

} // namespace ns3

/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftFabric: QPs and connections, their numbers, and what is to become of their packets.
#include "weft-fabric.h"

#include "ns3/abort.h"

#include <algorithm>
#include <weft/error.h>

namespace ns3
{

void
WeftFabric::RequireLevel(uint32_t level) const
{
    NS_ABORT_MSG_IF(level >= m_levels.GetN(),
                    "Weft: no service level " << level << ": the fabric has 0.."
                                              << m_levels.GetN() - 1);
}

WeftQp*
WeftFabric::CreateQp(uint32_t src, uint32_t dst, WeftMessageListener* listener, uint32_t level)
{
    RequireAlive("CreateQp()");
    RequireLevel(level);
    return CreateQpOf(ReserveQps(1, false), TakeStream(), src, dst, listener, level);
}

uint64_t
WeftFabric::TakeStream()
{
    return m_streams++;
}

uint32_t
WeftFabric::ReserveQps(uint32_t n, bool threads)
{
    uint32_t first = 0;
    const int code = weft_net_reserve_qps(m_net, n, &first);
    NS_ABORT_MSG_IF(code == WEFT_EOVERFLOW,
                    "Weft: a fabric has at most " << WEFT_QP_MASK + 1
                                                  << " QPs, and of a connection whose messages are "
                                                  << "planned all that its parts may need count");
    NS_ABORT_MSG_IF(code != 0,
                    "Weft: a QP or a connection is made by a listener that is told on one of "
                    "several threads; expected an event of its own, as by "
                    "Simulator::ScheduleWithContext(), or Threads=1");
    m_listeners.resize(size_t{first} + n);
    const auto drops = m_drops.lower_bound(first);
    if (threads && drops != m_drops.end() && drops->first < first + n)
    {
        RequireOneRank(drops->first);
        StopThreads(); // a drop is told to all nodes when its QP is made
    }
    return first;
}

void
WeftFabric::RequireOneRank(uint32_t qp) const
{
    NS_ABORT_MSG_IF(m_hasRanks,
                    "Weft: several ranks run the fabric, and a drop names QP "
                        << qp << ", which is only made when a part of a message needs it; expected "
                        << "one rank");
}

void
WeftFabric::SetListeners(uint32_t first, uint32_t n, WeftMessageListener* listener)
{
    const auto begin = m_listeners.begin() + first;
    std::fill(begin, begin + n, WeftListenerRef(listener));
}

void
WeftFabric::AddStarters(const std::vector<uint32_t>& qps, uint32_t created)
{
    m_starters.resize(m_clos.nhosts);
    for (size_t host = 0; host < qps.size(); host++)
    {
        m_starters.at(host) += qps[host];
    }
    m_announced += created;
}

void
WeftFabric::CountStarter(uint32_t host)
{
    if (m_announced > 0)
    {
        m_announced--;
        return;
    }
    m_starters.resize(m_clos.nhosts);
    m_starters[host]++;
}

uint32_t
WeftFabric::GetQpBdp(uint32_t src, uint32_t dst) const
{
    RequireNumber(std::max(src, dst), GetNHosts(), "GetQpBdp()", "host");
    return weft_net_bdp(m_net, src, dst, src < m_starters.size() ? m_starters[src] : 1);
}

WeftConnection*
WeftFabric::ConnectFirst(uint32_t src, uint32_t dst, WeftMessageListener* listener, uint32_t level)
{
    RequireAlive("Connect()");
    RequireLevel(level);
    const auto index = static_cast<uint32_t>(m_connections.size());
    m_connections.push_back(
        std::make_unique<WeftConnection>(this, index, src, dst, listener, level));
    return m_connections.back().get();
}

WeftConnection*
WeftFabric::Connect(uint32_t src, uint32_t dst, WeftMessageListener* listener, uint32_t level)
{
    WeftConnection* connection = ConnectFirst(src, dst, listener, level);
    connection->Reserve(0);
    return connection;
}

void
WeftFabric::AddDrop(uint32_t qp, uint32_t offset, uint32_t count, DropPlace place)
{
    RequireAlive("AddDrop()");
    if (qp >= GetNQps())
    {
        m_drops[qp].push_back({offset, count, place});
        return;
    }
    m_ticks.ChangeNow([this, qp, offset, count, place] {
        if (WeftQp* of = weft_net_qp(m_net, qp))
        {
            weft_net_drop(m_net, of, offset, count, place == DROP_AT_LAST_HOP);
            return;
        }
        RequireOneRank(qp);
        m_drops[qp].push_back({offset, count, place});
        StopThreads(); // it is told to all nodes when the QP is made
    });
}

void
WeftFabric::ApplyDrops(WeftQp* qp)
{
    const auto drops = m_drops.extract(qp->index);
    if (!drops.empty())
    {
        for (const NamedDrop& d : drops.mapped())
        {
            weft_net_drop(m_net, qp, d.offset, d.count, d.place == DROP_AT_LAST_HOP);
        }
    }
}

WeftQp*
WeftFabric::GetQp(uint32_t index) const
{
    RequireNumber(index, GetNQps(), "GetQp()", "QP");
    return weft_net_qp(GetNet(), index);
}

uint32_t
WeftFabric::GetNQps() const
{
    return static_cast<uint32_t>(m_listeners.size());
}

} // namespace ns3

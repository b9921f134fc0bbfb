/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftFabric: QPs and connections, and what is to become of their packets.
#include "weft-fabric.h"

#include "ns3/abort.h"

#include <algorithm>
#include <weft/error.h>
#include <weft/refusal.h>

namespace ns3
{

void
WeftFabric::RequireLevel(uint32_t level) const
{
    NS_ABORT_MSG_IF(level >= m_levels.GetN(),
                    "Weft: no service level " << level << ": the fabric has 0.."
                                              << m_levels.GetN() - 1);
}

void
WeftFabric::RequireMade(int code, uint32_t level, const weft_refusal& why) const
{
    NS_ABORT_MSG_IF(code == WEFT_EOVERFLOW && why.code == 0,
                    "Weft: a fabric has at most " << WEFT_QP_MASK + 1
                                                  << " QPs, and of a connection whose messages are "
                                                  << "planned all that its parts may need count");
    NS_ABORT_MSG_IF(code == WEFT_EINVAL && why.code == 0,
                    "Weft: a QP or a connection is made by a listener that is told on one of "
                    "several threads; expected an event of its own, as by "
                    "Simulator::ScheduleWithContext(), or Threads=1");
    NS_ABORT_MSG_IF(code != 0,
                    "Weft: " << m_levels.Get(level)->Format() << ": "
                             << weft_refusal_text(code, &why));
}

void
WeftFabric::RequireHosts(uint32_t src, uint32_t dst) const
{
    NS_ABORT_MSG_IF(src == dst || src >= m_clos.nhosts || dst >= m_clos.nhosts,
                    "Weft: no QP from host " << src << " to host " << dst
                                             << ": the fabric has hosts 0.." << m_clos.nhosts - 1);
}

void
WeftFabric::Attend(uint32_t src, uint32_t dst, const WeftMessageListener* listener)
{
    if (listener && !listener->NeedsTime() && !listener->IsThreadSafe())
    {
        StopThreads();
    }
    if (listener && listener->NeedsTime())
    {
        Watch(src);
        Watch(dst);
    }
}

WeftQp*
WeftFabric::CreateQp(uint32_t src, uint32_t dst, WeftMessageListener* listener, uint32_t level)
{
    RequireAlive("CreateQp()");
    RequireLevel(level);
    RequireHosts(src, dst);
    Sync();
    m_ends.emplace_back(listener);
    WeftQp* qp = nullptr;
    weft_refusal why{};
    const int code = weft_run_add_qp(m_coreRun, src, dst, level, m_ends.back().Get(), &qp, &why);
    RequireMade(code, level, why);
    Attend(src, dst, listener);
    return qp;
}

WeftConnection*
WeftFabric::Connect(uint32_t src, uint32_t dst, WeftMessageListener* listener, uint32_t level)
{
    RequireAlive("Connect()");
    RequireLevel(level);
    RequireHosts(src, dst);
    Sync();
    auto made = std::make_unique<WeftConnection>(this, listener);
    weft_refusal why{};
    const int code =
        weft_run_connect(m_coreRun, src, dst, level, made->m_ends.Get(), &made->m_of, &why);
    RequireMade(code, level, why);
    const uint32_t index = made->GetIndex();
    m_connections.resize(std::max<size_t>(m_connections.size(), index + size_t{1}));
    m_connections[index] = std::move(made);
    Attend(src, dst, listener);
    return m_connections[index].get();
}

WeftConnection*
WeftFabric::GetConnection(weft_connection* of)
{
    const uint32_t index = weft_connection_index(of);
    m_connections.resize(std::max<size_t>(m_connections.size(), index + size_t{1}));
    if (!m_connections[index])
    {
        m_connections[index] = std::make_unique<WeftConnection>(this, nullptr);
        m_connections[index]->m_of = of;
    }
    return m_connections[index].get();
}

void
WeftFabric::AddStarters(const std::vector<uint32_t>& qps, uint32_t created)
{
    std::vector<uint32_t> all(qps);
    all.resize(m_clos.nhosts);
    weft_run_add_starters(m_coreRun, all.data(), created);
}

uint32_t
WeftFabric::GetQpBdp(uint32_t src, uint32_t dst) const
{
    RequireNumber(std::max(src, dst), GetNHosts(), "GetQpBdp()", "host");
    return weft_run_qp_bdp(m_coreRun, src, dst);
}

void
WeftFabric::AddDrop(uint32_t qp, uint32_t offset, uint32_t count, DropPlace place)
{
    RequireAlive("AddDrop()");
    const auto add = [this, qp, offset, count, place] {
        const int code = weft_run_drop(m_coreRun, qp, offset, count, place == DROP_AT_LAST_HOP);
        NS_ABORT_MSG_IF(code != 0,
                        "Weft: several ranks run the fabric, and a drop names QP "
                            << qp << ", which is only made when a part of a message needs it; "
                            << "expected one rank");
    };
    if (qp >= GetNQps())
    {
        add();
        return;
    }
    m_ticks.ChangeNow(add);
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
    return m_net ? weft_net_nqps(m_net) : 0;
}

} // namespace ns3

/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-connection.h"

#include "weft-fabric.h"

namespace ns3
{

WeftConnection::WeftConnection(WeftFabric* fabric,
                               uint32_t index,
                               uint32_t src,
                               uint32_t dst,
                               WeftMessageListener* listener,
                               uint32_t level)
    : m_fabric(fabric),
      m_index(index),
      m_stream(fabric->TakeStream()),
      m_src(src),
      m_dst(dst),
      m_listener(listener),
      m_level(level)
{
    const WeftPlanner& planner = fabric->GetServiceLevel(level)->planner;
    const uint32_t qps = planner.GetQpsPerConnection();
    for (uint32_t i = 0; i < qps; i++)
    {
        AddQp(fabric->ReserveQps(1, false), planner.IsActive() ? this : listener);
    }
    m_first = m_qps.front();
}

void
WeftConnection::AddQp(uint32_t number, WeftMessageListener* listener)
{
    // By connection and part: which host's planner made its QPs first must not matter.
    const uint64_t stream = m_stream + (uint64_t{m_qps.size()} << 24);
    m_qps.push_back(m_fabric->CreateQpOf(number, stream, m_src, m_dst, listener, m_level));
}

WeftQp*
WeftConnection::GetQp(std::size_t i) const
{
    m_fabric->Sync();
    return m_qps[i];
}

void
WeftConnection::Reserve(std::size_t messages)
{
    const WeftPlanner& planner = m_fabric->GetServiceLevel(m_level)->planner;
    const uint32_t late = planner.GetMostQps(m_src, m_dst) - planner.GetQpsPerConnection();
    if (planner.IsActive())
    {
        m_messages.reserve(messages);
        m_reserved = m_fabric->ReserveQps(late, true);
        m_fabric->SetListeners(m_reserved, late, this); // another rank may make them
    }
}

std::size_t
WeftConnection::Begin(uint64_t tag, std::size_t parts)
{
    const std::lock_guard<std::mutex> lock(m_mutex);
    m_messages.push_back({tag, parts, parts, false});
    if (m_fabric->IsHere(m_src))
    {
        m_fabric->NoteBegun(m_index, static_cast<uint32_t>(parts), tag);
    }
    return m_messages.size() - 1;
}

void
WeftConnection::PostLater(std::size_t message, const weft_plan_part& part, int64_t at)
{
    m_later.emplace_back(message, part);
    m_fabric->GetTicks().CallAt(m_src,
                                at,
                                WEFT_NET_PART,
                                m_index,
                                &WeftConnection::PostDelayed,
                                this,
                                m_later.size() - 1);
}

void
WeftConnection::PostDelayed(void* of, uint64_t what, int64_t /* now */)
{
    auto self = static_cast<WeftConnection*>(of);
    const Later later = self->m_later[what];
    self->PostPart(later.first, later.second);
}

void
WeftConnection::PostPart(std::size_t message, const weft_plan_part& part)
{
    const WeftPlanner& planner = m_fabric->GetServiceLevel(m_level)->planner;
    while (m_qps.size() <= part.qp)
    {
        const size_t late = m_qps.size() - planner.GetQpsPerConnection();
        AddQp(m_reserved + static_cast<uint32_t>(late), this);
    }
    WeftQp* of = m_qps[part.qp];
    if (part.labelled && of->path && of->algos->path->on_label)
    {
        of->algos->path->on_label(of->path, part.label, m_fabric->GetTime());
    }
    m_fabric->PostNow(of, part.bytes, message);
}

bool
WeftConnection::NeedsTime() const
{
    return m_listener.NeedsTime();
}

bool
WeftConnection::IsThreadSafe() const
{
    return m_listener.IsThreadSafe();
}

void
WeftConnection::MessageDelivered(const WeftQp& /* qp */, uint64_t tag)
{
    std::unique_lock<std::mutex> lock(m_mutex);
    Message& message = m_messages[tag];
    const bool whole = --message.undelivered == 0;
    const uint64_t own = message.tag;
    lock.unlock();
    if (whole)
    {
        m_listener.Tell(&WeftMessageListener::MessageDelivered, *m_first, own);
    }
}

void
WeftConnection::Settle(uint64_t tag, bool failed)
{
    std::unique_lock<std::mutex> lock(m_mutex);
    Message& message = m_messages[tag];
    message.failed = message.failed || failed;
    const bool settled = --message.unsettled == 0;
    const bool lost = message.failed;
    const uint64_t own = message.tag;
    lock.unlock();
    if (settled)
    {
        m_listener.Tell(lost ? &WeftMessageListener::MessageFailed
                             : &WeftMessageListener::MessageAcked,
                        *m_first,
                        own);
    }
}

void
WeftConnection::MessageAcked(const WeftQp& /* qp */, uint64_t tag)
{
    Settle(tag, false);
}

void
WeftConnection::MessageFailed(const WeftQp& /* qp */, uint64_t tag)
{
    Settle(tag, true);
}

} // namespace ns3

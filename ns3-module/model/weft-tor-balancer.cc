/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-tor-balancer.h"

#include "weft-fabric.h"
#include "weft-qp.h"
#include "weft-switch.h"

#include "ns3/log.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftTorBalancer");

WeftTorBalancer::WeftTorBalancer(WeftFabric* fabric, WeftSwitch* sw)
    : m_fabric(fabric),
      m_switch(sw),
      m_lb(fabric->GetBalancer())
{
}

bool
WeftTorBalancer::Arrive(WeftPacket* p, int64_t now)
{
    uint32_t queue = 0;
    void* flow = p->d.kind == WEFT_RAW ? nullptr : m_fabric->GetQpOf(p->d)->flow;
    const weft_arrival what = m_lb->arrive(m_switch->GetBalancerState(), flow, &p->d, &queue, now);
    if (what == WEFT_ARRIVAL_HOLD && m_switch->BuffersForHost(p, now))
    {
        NS_LOG_LOGIC("switch " << m_switch->GetIndex() << " holds " << p->d << " in queue "
                               << queue);
        Hold(p, queue);
    }
    else if (what == WEFT_ARRIVAL_END)
    {
        m_fabric->Drop(p, WeftFabric::ENDED);
    }
    CarryOut(now);
    return what == WEFT_ARRIVAL_FORWARD;
}

void
WeftTorBalancer::Fire(int64_t /* now */)
{
    m_switch->GetInstant().Note(
        WeftInstant::BALANCER,
        0,
        [](void* of, uint64_t /* what */, int64_t now) {
            static_cast<WeftTorBalancer*>(of)->RunOut(now);
        },
        this);
}

void
WeftTorBalancer::RunOut(int64_t now)
{
    m_firesAt = now >= m_firesAt ? INT64_MAX : m_firesAt;
    m_switch->Settle(now);
    if (m_lb->deadline(m_switch->GetBalancerState()) <= now)
    {
        m_lb->on_deadline(m_switch->GetBalancerState(), now);
    }
    CarryOut(now);
}

void
WeftTorBalancer::Hold(WeftPacket* p, uint32_t queue)
{
    Queue& q = m_held[queue];
    p->SetNext(nullptr);
    if (q.tail)
    {
        q.tail->SetNext(p);
    }
    q.head = q.head ? q.head : p;
    q.tail = p;
}

void
WeftTorBalancer::CarryOut(int64_t now)
{
    weft_request request;
    while (m_lb->request && m_lb->request(m_switch->GetBalancerState(), &request, now))
    {
        if (request.what == WEFT_REQUEST_EMIT)
        {
            Emit(request.packet, now);
        }
        else
        {
            Release(request.queue, now);
        }
    }
    ArmTimer(now);
}

void
WeftTorBalancer::Emit(const weft_packet& packet, int64_t now)
{
    WeftPacket* p = m_fabric->NewPacket();
    p->d = packet;
    NS_LOG_LOGIC("switch " << m_switch->GetIndex() << " emits " << p->d);
    m_fabric->GetAccounts().CountMadeByTor(p->d.bytes);
    m_switch->GoOn(p, now);
}

void
WeftTorBalancer::Release(uint32_t queue, int64_t now)
{
    const auto it = m_held.find(queue);
    if (it == m_held.end())
    {
        return;
    }
    WeftPacket* p = it->second.head;
    m_held.erase(it);
    NS_LOG_LOGIC("switch " << m_switch->GetIndex() << " releases queue " << queue);
    while (p)
    {
        WeftPacket* next = p->GetNext();
        m_switch->EnqueueForHost(p, now);
        p = next;
    }
}

void
WeftTorBalancer::ArmTimer(int64_t now)
{
    const int64_t at = m_lb->deadline ? m_lb->deadline(m_switch->GetBalancerState()) : WEFT_NEVER;
    if (at < m_firesAt)
    {
        m_firesAt = std::max(at, now);
        WeftSchedule(m_firesAt - now, this, m_switch->GetPort(0)->GetContext());
    }
}

} // namespace ns3

/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftSwitch: ToR middleware, which sees the data for NICs and their replies.
#include "weft-fabric.h"
#include "weft-qp.h"
#include "weft-switch.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftSwitchTor");

bool
WeftSwitch::PassesTor(WeftPacket* p)
{
    void* state = m_owner->GetQpOf(p->d)->tor;
    if (!state || !m_owner->IsTorActive())
    {
        return true;
    }
    const bool nack = p->d.kind == WEFT_NACK;
    switch (m_torOps[p->d.sl]->from_host(state, &p->d, &m_tor))
    {
    case WEFT_TOR_BLOCK:
        NS_LOG_INFO("switch " << m_index << " blocks " << p->d);
        m_blockTrace(p->d);
        m_owner->Drop(p, WeftFabric::BLOCKED);
        return false;
    case WEFT_TOR_NACK:
        p->d.kind = WEFT_NACK;
        p->d.flags |= WEFT_F_COMPENSATED;
        NS_LOG_INFO("switch " << m_index << " makes of an ACK " << p->d);
        return true;
    case WEFT_TOR_FORWARD:
        if (nack)
        {
            NS_LOG_INFO("switch " << m_index << " lets pass " << p->d);
        }
        return true;
    }
    return true;
}

bool
WeftSwitch::HasPausedReplies(uint32_t out, uint32_t level) const
{
    const uint32_t tclass = weft_reply_class(m_owner->GetServiceLevel(level));
    return m_pausedIngress != 0 && weft_mmu_is_paused(m_mmu, out, tclass);
}

void
WeftSwitch::RunTor(const WeftPacket* p, uint32_t out, int64_t now)
{
    WeftQp* qp = m_owner->GetQpOf(p->d);
    uint32_t epsn;
    if (!qp->tor ||
        !m_torOps[p->d.sl]->to_host(qp->tor, &p->d, HasPausedReplies(out, p->d.sl), &m_tor, &epsn))
    {
        return;
    }
    MakeUp(p->d, out, epsn, now);
}

void
WeftSwitch::ReleaseTor(WeftQp* qp)
{
    uint32_t epsn;
    const weft_tor_ops* ops = m_torOps[qp->algos->sl];
    if (ops->release && ops->release(qp->tor, &m_tor, &epsn))
    {
        m_instant->Note(WeftInstant::CALL, 0, [this, index = qp->index, epsn] {
            AskFor(index, epsn);
        });
    }
}

void
WeftSwitch::AskFor(uint32_t qp, uint32_t epsn)
{
    const int64_t now = WeftNow();
    Settle(now);
    const WeftQp& of = *m_owner->GetQp(qp);
    weft_packet data{};
    const weft_fabric_config& frame = m_owner->GetFrameConfig();
    const int64_t way =
        weft_clos_way(&m_owner->GetClos(), of.src, of.dst, frame.payload + frame.header);
    data.sent = std::max<int64_t>(now - way, 0); // as if it had just come
    data.src = of.src;
    data.dst = of.dst;
    data.qp = qp;
    data.sl = of.algos->sl;
    data.psn = epsn;
    weft_ports ports;
    weft_route(&m_map, of.dst, &ports);
    MakeUp(data, weft_port_at(&ports, 0), epsn, now);
}

void
WeftSwitch::MakeUp(const weft_packet& data, uint32_t out, uint32_t epsn, int64_t now)
{
    WeftPacket* nack = m_owner->NewReply(data, WEFT_NACK, epsn);
    nack->d.flags = WEFT_F_COMPENSATED;
    nack->d.in_port = static_cast<uint16_t>(out);
    NS_LOG_INFO("switch " << m_index << " makes up for a blocked one: " << nack->d);
    m_owner->GetAccounts().CountMadeByTor(nack->d.bytes);
    Forward(nack, now);
}

} // namespace ns3

/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftNic: messages, the QPs that have something to send, and whether their window lets them.
#include "weft-fabric.h"
#include "weft-nic.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <weft/cc.h>
#include <weft/theory.h>
#include <weft/transport.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftNicActive");

void
WeftNic::Post(WeftQp* qp, uint64_t bytes, uint64_t tag)
{
    if (qp->givenUp)
    {
        if (qp->listener)
        {
            qp->listener->MessageFailed(*qp, tag);
        }
        return;
    }
    const uint64_t packets = weft_packets(bytes, m_fabric->GetFrameConfig().payload);
    NS_LOG_INFO("QP " << qp->index << ": message " << qp->messages.size() + 1 << ", " << bytes
                      << " B, to host " << qp->dst);
    qp->Add({qp->posted, qp->posted + packets, bytes, tag});
    for (uint64_t left = packets; left > 0;)
    {
        const auto part = static_cast<uint32_t>(std::min<uint64_t>(left, UINT32_MAX));
        m_fabric->GetTransport()->tx_post(qp->tx, part);
        left -= part;
    }
    Activate(qp);
    KickInContext();
}

int64_t
WeftNic::GetRate(const WeftQp* qp) const
{
    return m_fabric->GetCc()->rate(qp->cc, WeftNow());
}

void
WeftNic::KickInContext()
{
    const uint32_t context = m_port->GetContext();
    if (Simulator::GetContext() == context)
    {
        Kick(WeftNow());
        return;
    }
    Simulator::ScheduleWithContext(context, Time(0), &WeftNic::KickInContext, Ptr<WeftNic>(this));
}

void
WeftNic::Activate(WeftQp* qp)
{
    if (qp->slot < 0 && !qp->givenUp)
    {
        qp->slot = static_cast<int32_t>(m_active.size());
        m_active.push_back(qp);
        m_sendAt.push_back(qp->sendAt);
    }
}

void
WeftNic::Deactivate(WeftQp* qp)
{
    const auto i = static_cast<size_t>(qp->slot);
    qp->sendAt = m_sendAt[i];
    qp->slot = -1;
    m_active.erase(m_active.begin() + static_cast<ptrdiff_t>(i));
    m_sendAt.erase(m_sendAt.begin() + static_cast<ptrdiff_t>(i));
    for (size_t k = i; k < m_active.size(); k++)
    {
        m_active[k]->slot = static_cast<int32_t>(k);
    }
    if (m_next > i)
    {
        m_next--;
    }
    else if (m_next == i)
    {
        m_batchLeft = 0;
    }
}

void
WeftNic::Hasten(WeftQp* qp, int64_t now)
{
    // A window below one packet put its next one off by many round trips.
    const weft_fabric_config& frame = m_fabric->GetFrameConfig();
    const int64_t wire = frame.payload + frame.header + frame.gap;
    int64_t& at = m_sendAt[static_cast<size_t>(qp->slot)];
    if (at - now > m_port->WireTime(wire))
    {
        at =
            std::min(at, qp->lastSent + weft_wire_time(wire, m_fabric->GetCc()->rate(qp->cc, now)));
    }
}

bool
WeftNic::HasRoom(WeftQp* qp, int64_t now) const
{
    // What was taken for lost is in flight no more; where nothing is, what the receiver or the
    // timer asks for must leave all the same, or the stream would stop for good.
    return qp->urgent ||
           m_fabric->GetTransport()->tx_flight(qp->tx) < m_fabric->GetCc()->window(qp->cc, now);
}

void
WeftNic::TellCc(WeftQp* qp, const weft_packet& reply, uint32_t packets, int64_t now)
{
    const weft_transport_ops* transport = m_fabric->GetTransport();
    const weft_cc_ack ack{&reply,
                          packets,
                          transport->tx_flight(qp->tx),
                          qp->una + packets,
                          transport->tx_counters(qp->tx)->sent};
    m_fabric->GetCc()->on_ack(qp->cc, &ack, now);
}

} // namespace ns3

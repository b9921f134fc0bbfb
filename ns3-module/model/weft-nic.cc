/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-nic.h"

#include "weft-channel.h"
#include "weft-fabric.h"
#include "weft-packet.h"
#include "weft-ticks.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftNic");
NS_OBJECT_ENSURE_REGISTERED(WeftNic);

TypeId
WeftNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeftNic")
            .SetParent<WeftHostPort>()
            .SetGroupName("Weft")
            .AddConstructor<WeftNic>()
            .AddAttribute(
                "IpQueueSize",
                "Packets of IP stacks, or their bytes, that may wait for "
                "the wire of each port, at least 1; further ones are dropped",
                QueueSizeValue(QueueSize("1000p")),
                MakeQueueSizeAccessor(&WeftHostPort::SetIpQueueSize, &WeftHostPort::GetIpQueueSize),
                MakeQueueSizeChecker())
            .AddTraceSource("Tx",
                            "A frame starts to leave",
                            WeftWatching(MakeTraceSourceAccessor(&WeftNic::m_txTrace)),
                            "ns3::WeftNetDevice::PacketTracedCallback")
            .AddTraceSource("Rx",
                            "A frame has arrived",
                            WeftWatching(MakeTraceSourceAccessor(&WeftNic::m_rxTrace)),
                            "ns3::WeftNetDevice::PacketTracedCallback")
            .AddTraceSource("TxEnd",
                            "The last bit of a frame has left by a port",
                            WeftWatching(MakeTraceSourceAccessor(&WeftNic::m_txEndTrace)),
                            "ns3::WeftNetDevice::PortTracedCallback")
            .AddTraceSource("RxDrop",
                            "A frame was lost on the link by which it came, and why",
                            WeftWatching(MakeTraceSourceAccessor(&WeftNic::m_rxDropTrace)),
                            "ns3::WeftNetDevice::LossTracedCallback")
            .AddTraceSource("GiveUp",
                            "A QP is given up: the retry limit is reached",
                            WeftWatching(MakeTraceSourceAccessor(&WeftNic::m_giveUpTrace)),
                            "ns3::WeftNic::QpTracedCallback");
    return tid;
}

WeftNic::WeftNic()
{
}

WeftNic::~WeftNic()
{
}

void
WeftNic::DoDispose()
{
    m_more.clear();
    m_ports.assign(m_ports.size(), WeftPort(nullptr, 0, 0)); // somebody may hold one
    WeftHostPort::DoDispose();
}

void
WeftNic::Setup(Ptr<WeftFabric> fabric, uint32_t host)
{
    WeftHostPort::Setup(fabric, host, 0);
    for (uint32_t i = 0; i < weft_clos_host_ports(&fabric->GetClos(), host); i++)
    {
        m_ports.emplace_back(PeekPointer(fabric), host, i);
        if (i > 0)
        {
            m_more.push_back(CreateObject<WeftHostPort>());
            m_more.back()->Setup(fabric, host, i);
            m_more.back()->SetIpQueueSize(GetIpQueueSize());
        }
    }
}

Ptr<WeftHostPort>
WeftNic::GetDevice(uint32_t port)
{
    AliveFabric();
    NS_ABORT_MSG_IF(port >= GetNPorts(),
                    "Weft: GetDevice(): no port " << port << "; host " << m_number << " has "
                                                  << GetNPorts() << ", numbered from 0");
    return port == 0 ? Ptr<WeftHostPort>(this) : m_more.at(port - 1);
}

void
WeftNic::SetIpQueueSize(QueueSize size)
{
    WeftHostPort::SetIpQueueSize(size);
    for (const auto& port : m_more)
    {
        port->SetIpQueueSize(size);
    }
}

DataRate
WeftNic::GetRate(const WeftQp* qp) const
{
    AliveFabric().Sync();
    return DataRate(static_cast<uint64_t>(weft_qp_rate(qp, m_fabric->GetTime())));
}

int64_t
WeftNic::GetSendAt(const WeftQp& qp) const
{
    return weft_net_send_at(AliveFabric().GetNet(), &qp);
}

uint64_t
WeftNic::GetWaiting() const
{
    return weft_net_waiting(AliveFabric().GetNet(), m_number);
}

void
WeftNic::LogSent(const weft_packet& p)
{
    if (p.kind == WEFT_CNP)
    {
        NS_LOG_LOGIC("sends a CNP: " << p);
    }
    if (p.kind != WEFT_DATA)
    {
        return;
    }
    const WeftQp* qp = m_fabric->GetQp(p.qp);
    double& before = m_rates[p.qp];
    NS_LOG_LOGIC((p.flags & WEFT_F_RETX ? "sends again " : "sends ") << p);
    if (before == 0 || qp->last_rate < before)
    {
        NS_LOG_INFO("QP " << p.qp << (before == 0 ? " starts at " : " slows down to ")
                          << static_cast<int64_t>(qp->last_rate) << " bit/s");
    }
    before = qp->last_rate;
}

void
WeftNic::TellSent(const weft_packet& p)
{
#ifdef NS3_LOG_ENABLE
    LogSent(p);
#endif
    // The wire is taken: those who are told now may send more.
    Fire(m_txTrace, p);
    const uint32_t port = GetNPorts() > 1 ? p.in_port - 1U : 0;
    if (!m_txEndTrace.IsEmpty() && IsTimely())
    {
        Simulator::Schedule(WireTime(p.bytes, m_ports[port]),
                            &WeftCall,
                            std::function<void()>([self = Ptr<WeftNic>(this), p, port] {
                                self->m_txEndTrace(p, port);
                            }));
    }
    if (p.kind == WEFT_RAW)
    {
        GetDevice(port)->TellIpSent(p, m_ports[port]);
        GetDevice(port)->TellIpQueue(p.bytes);
    }
}

void
WeftNic::TellReceived(const weft_packet& p)
{
    Fire(m_rxTrace, p);
    switch (p.kind)
    {
    case WEFT_NACK:
        NS_LOG_INFO("QP " << p.qp << " gets a NACK of ePSN " << p.psn);
        break;
    case WEFT_CNP:
        NS_LOG_INFO("QP " << p.qp << " gets a CNP");
        break;
    case WEFT_RAW:
    {
        const WeftPayload payload = m_fabric->TakePayload(p);
        GetDevice(payload.port)->Receive(payload);
        break;
    }
    default:
        break;
    }
}

void
WeftNic::TellLost(const weft_packet& p, weft_net_loss why)
{
    if (!IsLostOnLink(why))
    {
        return;
    }
    Fire(m_rxDropTrace, p, why);
    if (p.kind == WEFT_RAW)
    {
        const WeftPayload payload = m_fabric->GetPayload(p);
        GetDevice(payload.port)->TellIpLost(payload);
    }
}

void
WeftNic::TellGaveUp(const WeftQp& qp)
{
    NS_LOG_WARN("QP " << qp.index << " to host " << qp.dst << " is given up");
    Fire(m_giveUpTrace, qp);
}

} // namespace ns3

/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-switch.h"

#include "weft-fabric.h"
#include "weft-packet.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftSwitch");
NS_OBJECT_ENSURE_REGISTERED(WeftSwitch);

TypeId
WeftSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeftSwitch")
            .SetParent<WeftNetDevice>()
            .SetGroupName("Weft")
            .AddConstructor<WeftSwitch>()
            .AddTraceSource("Drop",
                            "A frame was dropped: no buffer, no route, or an injected loss",
                            WeftWatching(MakeTraceSourceAccessor(&WeftSwitch::m_dropTrace)),
                            "ns3::WeftNetDevice::PacketTracedCallback")
            .AddTraceSource("RxDrop",
                            "A frame was lost on the link by which it came, and why",
                            WeftWatching(MakeTraceSourceAccessor(&WeftSwitch::m_rxDropTrace)),
                            "ns3::WeftNetDevice::LossTracedCallback")
            .AddTraceSource(
                "Enqueue",
                "A frame joins the queue of a port",
                WeftWatchingQueues(MakeTraceSourceAccessor(&WeftSwitch::m_enqueueTrace)),
                "ns3::WeftNetDevice::PortTracedCallback")
            .AddTraceSource(
                "Dequeue",
                "A frame starts to leave by a port",
                WeftWatchingQueues(MakeTraceSourceAccessor(&WeftSwitch::m_dequeueTrace)),
                "ns3::WeftNetDevice::PortTracedCallback")
            .AddTraceSource("TxEnd",
                            "The last bit of a frame has left by a port",
                            WeftWatchingQueues(MakeTraceSourceAccessor(&WeftSwitch::m_txEndTrace)),
                            "ns3::WeftNetDevice::PortTracedCallback")
            .AddTraceSource("Mark",
                            "A data frame got its ECN mark here",
                            WeftWatching(MakeTraceSourceAccessor(&WeftSwitch::m_markTrace)),
                            "ns3::WeftNetDevice::PacketTracedCallback")
            .AddTraceSource("Trim",
                            "A data frame loses its payload here: the frame as it was",
                            WeftWatching(MakeTraceSourceAccessor(&WeftSwitch::m_trimTrace)),
                            "ns3::WeftNetDevice::PacketTracedCallback")
            .AddTraceSource("NackBlocked",
                            "The ToR middleware blocked a NACK",
                            WeftWatching(MakeTraceSourceAccessor(&WeftSwitch::m_blockTrace)),
                            "ns3::WeftNetDevice::PacketTracedCallback")
            .AddTraceSource("Pause",
                            "A PFC frame was sent: port, class, pause or resume",
                            WeftWatching(MakeTraceSourceAccessor(&WeftSwitch::m_pauseTrace)),
                            "ns3::WeftSwitch::PauseTracedCallback");
    return tid;
}

WeftSwitch::WeftSwitch()
{
}

WeftSwitch::~WeftSwitch()
{
}

void
WeftSwitch::DoDispose()
{
    m_ports.assign(m_ports.size(), WeftPort(nullptr, 0, 0)); // somebody may hold one
    WeftNetDevice::DoDispose();
}

void
WeftSwitch::Setup(Ptr<WeftFabric> fabric, uint32_t index)
{
    m_fabric = fabric;
    m_index = index;
    m_number = fabric->GetNHosts() + index;
    weft_clos_switch(&fabric->GetClos(), index, &m_map);
    for (uint32_t i = 0; i < weft_map_nports(&m_map); i++)
    {
        m_ports.emplace_back(PeekPointer(fabric), m_number, i);
    }
}

const weft_mmu&
WeftSwitch::GetBuffer() const
{
    return *weft_net_buffer(AliveFabric().GetNet(), m_index);
}

const weft_tor_counters&
WeftSwitch::GetTorCounters() const
{
    return *weft_net_tor_counters(AliveFabric().GetNet(), m_index);
}

uint32_t
WeftSwitch::GetPeakQueue() const
{
    return std::max(GetPeakQueue(false), GetPeakQueue(true));
}

uint32_t
WeftSwitch::GetPeakQueue(bool up) const
{
    return weft_net_peak_queue(AliveFabric().GetNet(), m_index, up);
}

uint64_t
WeftSwitch::GetMarks(bool up) const
{
    return weft_net_marks(AliveFabric().GetNet(), m_index, up);
}

void*
WeftSwitch::GetBalancerState() const
{
    return weft_net_balancer(AliveFabric().GetNet(), m_index);
}

void
WeftSwitch::AddCounters(weft_lb_counters& sum) const
{
    const weft_lb_ops* lb = AliveFabric().GetBalancer();
    if (lb->counters)
    {
        const weft_lb_counters* c = lb->counters(GetBalancerState());
        sum.reroutes += c->reroutes;
        sum.probes += c->probes;
        sum.notices += c->notices;
        sum.held += c->held;
        sum.flushed += c->flushed;
        sum.full += c->full;
        sum.queues = std::max(sum.queues, c->queues);
    }
}

void
WeftSwitch::TellLost(const weft_packet& p, weft_net_loss why)
{
    if (why == WEFT_NET_BLOCKED)
    {
        NS_LOG_INFO("switch " << m_index << " blocks " << p);
        Fire(m_blockTrace, p);
    }
    else if (why == WEFT_NET_DROP_BUFFER || why == WEFT_NET_DROP_INJECTED ||
             why == WEFT_NET_NO_ROUTE) // others were lost on the way, or have come
    {
        Fire(m_dropTrace, p);
    }
    else if (IsLostOnLink(why))
    {
        Fire(m_rxDropTrace, p, why);
    }
}

void
WeftSwitch::TellQueued(const weft_packet& p, uint32_t port)
{
    Fire(m_enqueueTrace, p, port);
}

void
WeftSwitch::TellLeaving(const weft_packet& p, uint32_t port)
{
    Fire(m_dequeueTrace, p, port);
    if (!m_txEndTrace.IsEmpty() && IsTimely())
    {
        Simulator::Schedule(WireTime(p.bytes, m_ports[port]),
                            &WeftCall,
                            std::function<void()>([self = Ptr<WeftSwitch>(this), p, port] {
                                self->m_txEndTrace(p, port);
                            }));
    }
}

void
WeftSwitch::TellMarked(const weft_packet& p)
{
    NS_LOG_LOGIC("switch " << m_index << " marks " << p);
    Fire(m_markTrace, p);
}

void
WeftSwitch::TellTrimmed(const weft_packet& p)
{
    NS_LOG_LOGIC("switch " << m_index << " trims " << p);
    Fire(m_trimTrace, p);
}

void
WeftSwitch::TellPaused(uint32_t port, uint32_t tclass, bool pause)
{
    NS_LOG_INFO("switch " << m_index << (pause ? " pauses" : " resumes") << " port " << port
                          << " class " << tclass);
    Fire(m_pauseTrace, port, tclass, pause);
}

void
WeftSwitch::TellPicked(const weft_packet& p, uint32_t out, uint32_t n) const
{
    NS_LOG_LOGIC("switch " << m_index << ": port " << out << ", one of " << n << ", for " << p);
}

} // namespace ns3

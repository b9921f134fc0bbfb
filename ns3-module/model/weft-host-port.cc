/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-host-port.h"

#include "weft-channel.h"
#include "weft-fabric.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstddef>
#include <weft/rng.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftNicIp");
NS_OBJECT_ENSURE_REGISTERED(WeftHostPort);

namespace
{
constexpr uint32_t ETHERNET_FRAMING = 18; //!< bytes of Ethernet header and FCS
constexpr uint32_t ETHERNET_LEAST = 64;   //!< bytes of a frame, to which a shorter one is padded
constexpr uint16_t IPV4 = 0x0800;         //!< EtherType
constexpr uint16_t IPV6 = 0x86dd;         //!< EtherType
constexpr std::size_t LONGEST_FLOW = 64;  //!< bytes of a packet in which its flow is looked for

/** @param protocol of IP @return whether its header begins with two ports */
bool
HasPorts(uint8_t protocol)
{
    constexpr uint8_t TCP = 6;
    constexpr uint8_t UDP = 17;
    constexpr uint8_t DCCP = 33;
    constexpr uint8_t SCTP = 132;
    return protocol == TCP || protocol == UDP || protocol == DCCP || protocol == SCTP;
}

/** @param hash so far @param from first byte @param to behind the last one @return with those */
uint64_t
HashBytes(uint64_t hash, const uint8_t* from, const uint8_t* to)
{
    for (; from != to; from++)
    {
        hash = weft_mix64(hash ^ *from);
    }
    return hash;
}

/** Hashes what switches take a flow for: addresses and protocol and, where a packet is no fragment,
 * ports. @param packet of an IP stack @param type EtherType @return the hash, as a source port */
uint16_t
HashFlow(const Packet& packet, uint16_t type)
{
    uint8_t bytes[LONGEST_FLOW]{};
    const uint32_t n = packet.CopyData(bytes, sizeof(bytes));
    uint64_t hash = weft_mix64(type);
    if (type == IPV4 && n >= 20)
    {
        const uint32_t header = (bytes[0] & 0xfU) * 4U;
        const bool whole = (bytes[6] & 0x3f) == 0 && bytes[7] == 0; // nor more fragments
        const bool ports = whole && HasPorts(bytes[9]) && header + 4 <= n;
        hash = HashBytes(weft_mix64(hash ^ bytes[9]), bytes + 12, bytes + 20);
        hash = ports ? HashBytes(hash, bytes + header, bytes + header + 4) : hash;
    }
    else if (type == IPV6 && n >= 44)
    {
        hash = HashBytes(weft_mix64(hash ^ bytes[6]), bytes + 8, bytes + 40);
        hash = HasPorts(bytes[6]) ? HashBytes(hash, bytes + 40, bytes + 44) : hash;
    }
    return static_cast<uint16_t>(hash);
}
} // namespace

TypeId
WeftHostPort::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeftHostPort")
            .SetParent<WeftNetDevice>()
            .SetGroupName("Weft")
            .AddConstructor<WeftHostPort>()
            .AddTraceSource("MacTx",
                            "A packet of an IP stack was taken, to be sent",
                            MakeTraceSourceAccessor(&WeftHostPort::m_macTxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A packet of an IP stack was not taken: the queue is "
                            "full, the link down, or nobody has that address",
                            MakeTraceSourceAccessor(&WeftHostPort::m_dropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacPromiscRx",
                            "A packet goes to who hears all of them; the same as MacRx, as a NIC "
                            "gets no others",
                            MakeTraceSourceAccessor(&WeftHostPort::m_macPromiscRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A packet goes to the IP stack",
                            MakeTraceSourceAccessor(&WeftHostPort::m_macRxTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxBegin",
                            "A packet of an IP stack starts to leave",
                            MakeTraceSourceAccessor(&WeftHostPort::m_phyTxBeginTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxEnd",
                            "Its last bit has left",
                            MakeTraceSourceAccessor(&WeftHostPort::m_phyTxEndTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxEnd",
                            "A packet for an IP stack has come",
                            MakeTraceSourceAccessor(&WeftHostPort::m_phyRxEndTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxDrop",
                            "A packet for an IP stack was lost on the last link",
                            MakeTraceSourceAccessor(&WeftHostPort::m_phyRxDropTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Sniffer",
                            "A packet of an IP stack on the wire of this port, with its Ethernet "
                            "header: it starts to leave, or has come",
                            MakeTraceSourceAccessor(&WeftHostPort::m_snifferTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PromiscSniffer",
                            "The same, as a NIC gets no others",
                            MakeTraceSourceAccessor(&WeftHostPort::m_promiscSnifferTrace),
                            "ns3::Packet::TracedCallback");
    return tid;
}

WeftHostPort::WeftHostPort()
{
}

WeftHostPort::~WeftHostPort()
{
}

void
WeftHostPort::DoDispose()
{
    m_link = nullptr;
    m_lan = nullptr;
    m_ipQueue = nullptr;
    WeftNetDevice::DoDispose();
}

void
WeftHostPort::Setup(Ptr<WeftFabric> fabric, uint32_t host, uint32_t port)
{
    m_fabric = fabric;
    m_number = host;
    m_port = port;
    auto queues = CreateObject<NetDeviceQueueInterface>();
    AggregateObject(queues);
    m_ipQueue = queues->GetTxQueue(0);
}

void
WeftHostPort::Connect(Ptr<WeftChannel> link, Ptr<WeftLan> lan)
{
    m_link = link;
    m_lan = lan;
    lan->Add(this);
}

void
WeftHostPort::SetAddress(Address address)
{
    if (m_fabric)
    {
        m_fabric->ChangeAddress(*this, Mac48Address::ConvertFrom(address));
    }
    WeftNetDevice::SetAddress(address);
}

void
WeftHostPort::SetIpQueueSize(QueueSize size)
{
    NS_ABORT_MSG_IF(size.GetValue() == 0,
                    "Weft: attribute IpQueueSize is " << size << ", and no packet would ever fit; "
                                                      << "expected at least 1p or 1B");
    m_ipQueueSize = size;
}

QueueSize
WeftHostPort::GetIpQueueSize() const
{
    return m_ipQueueSize;
}

bool
WeftHostPort::IsIpQueueFull() const
{
    const uint64_t held =
        m_ipQueueSize.GetUnit() == QueueSizeUnit::PACKETS ? m_rawPackets : m_rawBytes;
    return held >= m_ipQueueSize.GetValue();
}

bool
WeftHostPort::MaySend(Mac48Address to) const
{
    if (!IsLinkUp() || IsIpQueueFull())
    {
        return false;
    }
    const WeftHostPort* at = m_fabric->FindPort(to);
    return to.IsBroadcast() || to.IsGroup() ||
           (at && at->m_lan == m_lan && at->m_number != m_number);
}

bool
WeftHostPort::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    const Mac48Address to = Mac48Address::ConvertFrom(dest);
    const bool fits = packet->GetSize() <= UINT16_MAX - ETHERNET_FRAMING;
    if (!fits || !MaySend(to))
    {
        NS_LOG_INFO("drops a packet for " << to << ": "
                                          << (!fits             ? "it is larger than any frame"
                                              : !IsLinkUp()     ? "the link is down"
                                              : IsIpQueueFull() ? "the queue is full"
                                                                : "nobody has that address"));
        m_ipDrops++;
        m_dropTrace(packet);
        return false;
    }
    m_macTxTrace(packet);
    if (!to.IsBroadcast() && !to.IsGroup())
    {
        SendRaw(packet, *m_fabric->FindPort(to), protocolNumber, to);
    }
    else
    {
        // Taken whole: the queue may become longer than its limit by the copies.
        for (std::size_t i = 0; i < m_lan->GetNDevices(); i++)
        {
            const auto at = DynamicCast<WeftHostPort>(m_lan->GetDevice(i));
            if (at->m_number != m_number)
            {
                SendRaw(packet, *at, protocolNumber, to);
            }
        }
    }
    if (IsIpQueueFull())
    {
        NS_LOG_LOGIC("the queue is full: " << m_rawPackets << " packets, " << m_rawBytes << " B");
        m_ipQueue->Stop();
    }
    return true;
}

void
WeftHostPort::SendRaw(Ptr<const Packet> packet,
                      const WeftHostPort& at,
                      uint16_t protocol,
                      Mac48Address to)
{
    weft_packet p{};
    p.src = m_number & WEFT_HOST_MASK;
    p.dst = at.m_number & WEFT_HOST_MASK;
    p.bytes = static_cast<uint16_t>(std::max(packet->GetSize() + ETHERNET_FRAMING, ETHERNET_LEAST));
    p.in_port = static_cast<uint16_t>(1 + m_port);
    p.kind = WEFT_RAW;
    p.tclass = RAW_CLASS;
    p.sport = HashFlow(*packet, protocol);
    m_rawPackets++;
    m_rawBytes += p.bytes;
    m_ipQueue->NotifyQueuedBytes(p.bytes);
    m_fabric->SendPayload(p,
                          WeftPayload{packet->Copy(),
                                      protocol,
                                      Mac48Address::ConvertFrom(GetAddress()),
                                      to,
                                      at.m_port});
}

void
WeftHostPort::TellIpQueue(uint32_t bytes)
{
    m_rawPackets--;
    m_rawBytes -= bytes;
    m_ipQueue->NotifyTransmittedBytes(bytes);
    if (!IsIpQueueFull())
    {
        m_ipQueue->Wake();
    }
}

void
WeftHostPort::Sniff(const WeftPayload& payload) const
{
    if (m_snifferTrace.IsEmpty() && m_promiscSnifferTrace.IsEmpty())
    {
        return;
    }
    const Ptr<const Packet> frame = payload.GetFrame();
    m_snifferTrace(frame);
    m_promiscSnifferTrace(frame);
}

void
WeftHostPort::TellIpSent(const weft_packet& p, const WeftPort& port)
{
    if (m_phyTxBeginTrace.IsEmpty() && m_phyTxEndTrace.IsEmpty() && m_snifferTrace.IsEmpty() &&
        m_promiscSnifferTrace.IsEmpty())
    {
        return;
    }
    const WeftPayload payload = m_fabric->GetPayload(p);
    m_phyTxBeginTrace(payload.packet);
    Sniff(payload);
    if (!m_phyTxEndTrace.IsEmpty())
    {
        Simulator::Schedule(
            WireTime(p.bytes, port),
            &WeftCall,
            std::function<void()>([self = Ptr<WeftHostPort>(this), packet = payload.packet] {
                self->m_phyTxEndTrace(packet);
            }));
    }
}

void
WeftHostPort::TellIpLost(const WeftPayload& payload)
{
    m_phyRxDropTrace(payload.packet);
}

void
WeftHostPort::Receive(const WeftPayload& payload)
{
    m_phyRxEndTrace(payload.packet);
    Sniff(payload);
    m_macPromiscRxTrace(payload.packet);
    m_macRxTrace(payload.packet);
    if (!m_promisc.IsNull())
    {
        const PacketType type = payload.to.IsBroadcast() ? NetDevice::PACKET_BROADCAST
                              : payload.to.IsGroup()     ? NetDevice::PACKET_MULTICAST
                                                         : NetDevice::PACKET_HOST;
        m_promisc(this, payload.packet, payload.protocol, payload.from, payload.to, type);
    }
    if (!m_receive.IsNull())
    {
        m_receive(this, payload.packet, payload.protocol, payload.from);
    }
}

Ptr<Channel>
WeftHostPort::GetChannel() const
{
    return m_lan;
}

bool
WeftHostPort::IsLinkUp() const
{
    return m_link && !m_link->IsDown();
}

bool
WeftHostPort::IsBroadcast() const
{
    return true;
}

bool
WeftHostPort::NeedsArp() const
{
    return true;
}

} // namespace ns3

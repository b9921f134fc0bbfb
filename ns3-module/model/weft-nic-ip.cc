/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftNic as the NetDevice of an IP stack.
#include "weft-channel.h"
#include "weft-fabric.h"
#include "weft-nic.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/packet.h"

#include <algorithm>
#include <cstddef>
#include <weft/rng.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftNicIp");

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

void
WeftNic::SetAddress(Address address)
{
    if (m_fabric)
    {
        m_fabric->ChangeAddress(m_number, Mac48Address::ConvertFrom(address));
    }
    WeftNetDevice::SetAddress(address);
}

void
WeftNic::SetIpQueueSize(QueueSize size)
{
    NS_ABORT_MSG_IF(size.GetValue() == 0,
                    "Weft: attribute IpQueueSize is " << size << ", and no packet would ever fit; "
                                                      << "expected at least 1p or 1B");
    m_ipQueueSize = size;
}

QueueSize
WeftNic::GetIpQueueSize() const
{
    return m_ipQueueSize;
}

bool
WeftNic::IsIpQueueFull() const
{
    const uint64_t held =
        m_ipQueueSize.GetUnit() == QueueSizeUnit::PACKETS ? m_rawPackets : m_rawBytes;
    return held >= m_ipQueueSize.GetValue();
}

bool
WeftNic::MaySend(Mac48Address to) const
{
    if (!IsLinkUp() || IsIpQueueFull())
    {
        return false;
    }
    const uint32_t host = m_fabric->FindHost(to);
    return to.IsBroadcast() || to.IsGroup() || (host != m_fabric->GetNHosts() && host != m_number);
}

bool
WeftNic::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
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
    if (!to.IsBroadcast() && !to.IsGroup())
    {
        SendRaw(packet, m_fabric->FindHost(dest), protocolNumber, to);
    }
    else
    {
        // Taken whole: the queue may become longer than its limit by the copies.
        for (uint32_t host = 0; host < m_fabric->GetNHosts(); host++)
        {
            if (host != m_number)
            {
                SendRaw(packet, host, protocolNumber, to);
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
WeftNic::SendRaw(Ptr<const Packet> packet, uint32_t host, uint16_t protocol, Mac48Address to)
{
    weft_packet p{};
    p.src = m_number & WEFT_HOST_MASK;
    p.dst = host & WEFT_HOST_MASK;
    p.bytes = static_cast<uint16_t>(std::max(packet->GetSize() + ETHERNET_FRAMING, ETHERNET_LEAST));
    p.kind = WEFT_RAW;
    p.tclass = RAW_CLASS;
    p.sport = HashFlow(*packet, protocol);
    m_rawPackets++;
    m_rawBytes += p.bytes;
    m_ipQueue->NotifyQueuedBytes(p.bytes);
    m_fabric->SendPayload(p, WeftFabric::Payload{packet->Copy(), protocol, to});
}

void
WeftNic::TellIpQueue(uint32_t bytes)
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
WeftNic::ReceiveRaw(const weft_packet& p)
{
    const WeftFabric::Payload payload = m_fabric->TakePayload(p);
    const Address from = m_fabric->GetNic(p.src)->GetAddress();
    if (!m_promisc.IsNull())
    {
        const PacketType type = payload.to.IsBroadcast() ? NetDevice::PACKET_BROADCAST
                              : payload.to.IsGroup()     ? NetDevice::PACKET_MULTICAST
                                                         : NetDevice::PACKET_HOST;
        m_promisc(this, payload.packet, payload.protocol, from, payload.to, type);
    }
    if (!m_receive.IsNull())
    {
        m_receive(this, payload.packet, payload.protocol, from);
    }
}

Ptr<Channel>
WeftNic::GetChannel() const
{
    return m_lan;
}

void
WeftNic::AddLink(Ptr<WeftChannel> link)
{
    m_links.push_back(link);
}

void
WeftNic::Join(Ptr<WeftLan> lan)
{
    m_lan = lan;
    lan->Add(this);
}

bool
WeftNic::IsLinkUp() const
{
    return std::any_of(m_links.begin(), m_links.end(), [](const Ptr<WeftChannel>& link) {
        return !link->IsDown();
    });
}

bool
WeftNic::IsBroadcast() const
{
    return true;
}

bool
WeftNic::NeedsArp() const
{
    return true;
}

} // namespace ns3

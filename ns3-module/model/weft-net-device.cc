/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-net-device.h"

#include "weft-fabric.h"

#include "ns3/abort.h"
#include "ns3/channel.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <weft/wire-time.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(WeftNetDevice);

TypeId
WeftNetDevice::GetTypeId()
{
    static TypeId tid = TypeId("ns3::WeftNetDevice").SetParent<NetDevice>().SetGroupName("Weft");
    return tid;
}

WeftNetDevice::WeftNetDevice()
{
}

WeftNetDevice::~WeftNetDevice()
{
}

void
WeftNetDevice::DoDispose()
{
    m_node = nullptr;
    m_fabric = nullptr;
    m_receive = NetDevice::ReceiveCallback();
    m_promisc = NetDevice::PromiscReceiveCallback();
    NetDevice::DoDispose();
}

Ptr<WeftFabric>
WeftNetDevice::GetFabric() const
{
    return m_fabric;
}

WeftFabric&
WeftNetDevice::AliveFabric() const
{
    NS_ABORT_MSG_UNLESS(m_fabric, "Weft: a device after Simulator::Destroy(), with which it ends");
    return *m_fabric;
}

bool
WeftNetDevice::IsTimely() const
{
    return m_fabric->IsTimely();
}

void
WeftNetDevice::Watch()
{
    if (m_fabric)
    {
        m_fabric->Watch(m_number);
    }
}

void
WeftNetDevice::WatchQueues()
{
    if (m_fabric)
    {
        m_fabric->WatchQueues();
        m_fabric->Watch(m_number);
    }
}

bool
WeftNetDevice::IsLostOnLink(weft_net_loss why)
{
    return why == WEFT_NET_DROP_LINK || why == WEFT_NET_DROP_LOSSY || why == WEFT_NET_CORRUPTED;
}

Time
WeftNetDevice::WireTime(uint32_t bytes, const WeftPort& port)
{
    return PicoSeconds(weft_wire_time(bytes, port.GetRate()));
}

void
WeftNetDevice::NotifyLinkChange()
{
    if (m_hasListeners)
    {
        Simulator::ScheduleWithContext(m_node->GetId(),
                                       Time(0),
                                       &WeftNetDevice::TellLinkChange,
                                       Ptr<WeftNetDevice>(this));
    }
}

void
WeftNetDevice::TellLinkChange()
{
    m_linkCallbacks();
}

void
WeftNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
WeftNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
WeftNetDevice::GetChannel() const
{
    return nullptr;
}

void
WeftNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
WeftNetDevice::GetAddress() const
{
    return m_address;
}

bool
WeftNetDevice::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return true;
}

uint16_t
WeftNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
WeftNetDevice::IsLinkUp() const
{
    return m_fabric != nullptr;
}

void
WeftNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkCallbacks.ConnectWithoutContext(callback);
    m_hasListeners = true;
}

bool
WeftNetDevice::IsBroadcast() const
{
    return false;
}

Address
WeftNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
WeftNetDevice::IsMulticast() const
{
    return false;
}

Address
WeftNetDevice::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
WeftNetDevice::GetMulticast(Ipv6Address addr) const
{
    return Mac48Address::GetMulticast(addr);
}

bool
WeftNetDevice::IsBridge() const
{
    return false;
}

bool
WeftNetDevice::IsPointToPoint() const
{
    return false;
}

bool
WeftNetDevice::Send(Ptr<Packet>, const Address&, uint16_t)
{
    return false;
}

bool
WeftNetDevice::SendFrom(Ptr<Packet>, const Address&, const Address&, uint16_t)
{
    return false;
}

Ptr<Node>
WeftNetDevice::GetNode() const
{
    return m_node;
}

void
WeftNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
WeftNetDevice::NeedsArp() const
{
    return false;
}

void
WeftNetDevice::SetReceiveCallback(NetDevice::ReceiveCallback cb)
{
    m_receive = cb;
}

void
WeftNetDevice::SetPromiscReceiveCallback(NetDevice::PromiscReceiveCallback cb)
{
    m_promisc = cb;
}

bool
WeftNetDevice::SupportsSendFrom() const
{
    return false;
}

} // namespace ns3

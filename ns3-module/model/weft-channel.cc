/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-channel.h"

#include "weft-fabric.h"
#include "weft-net-device.h"

#include "ns3/abort.h"
#include "ns3/net-device.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(WeftChannel);
NS_OBJECT_ENSURE_REGISTERED(WeftLan);

TypeId
WeftChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::WeftChannel")
                            .SetParent<Channel>()
                            .SetGroupName("Weft")
                            .AddConstructor<WeftChannel>()
                            .AddAttribute("DataRate",
                                          "Bit rate of each direction",
                                          TypeId::ATTR_GET,
                                          DataRateValue(),
                                          MakeDataRateAccessor(&WeftChannel::GetDataRate),
                                          MakeDataRateChecker())
                            .AddAttribute("Delay",
                                          "Propagation delay",
                                          TypeId::ATTR_GET,
                                          TimeValue(),
                                          MakeTimeAccessor(&WeftChannel::GetDelay),
                                          MakeTimeChecker());
    return tid;
}

WeftChannel::WeftChannel()
{
}

WeftChannel::~WeftChannel()
{
}

void
WeftChannel::DoDispose()
{
    m_devices[0] = m_devices[1] = nullptr;
    m_fabric = nullptr;
    Channel::DoDispose();
}

void
WeftChannel::Setup(WeftFabric* fabric, uint64_t link, Ptr<NetDevice> a, Ptr<NetDevice> b)
{
    m_fabric = fabric;
    m_link = link;
    m_devices[0] = a;
    m_devices[1] = b;
}

weft_net_port
WeftChannel::Get() const
{
    weft_net_port is{};
    if (m_fabric)
    {
        /* Ranks that share out the two ends have one of them here. */
        const weft_link link = m_fabric->GetLink(m_link);
        const weft_end end = m_devices[0] ? link.lower : link.upper;
        const uint32_t node = end.is_host ? end.index : m_fabric->GetNHosts() + end.index;
        weft_net_port_status(m_fabric->GetNet(), node, end.port, &is);
    }
    return is;
}

std::size_t
WeftChannel::GetNDevices() const
{
    return (m_devices[0] ? 1 : 0) + (m_devices[1] ? 1 : 0);
}

Ptr<NetDevice>
WeftChannel::GetDevice(std::size_t i) const
{
    return m_devices[0] ? m_devices[i] : m_devices[1 - i];
}

DataRate
WeftChannel::GetDataRate() const
{
    return DataRate(static_cast<uint64_t>(Get().rate));
}

Time
WeftChannel::GetDelay() const
{
    return TimeStep(static_cast<uint64_t>(Get().delay));
}

void
WeftChannel::SetDown(bool down)
{
    NS_ABORT_MSG_UNLESS(m_fabric, "Weft: SetDown() of a link that is in no fabric, or after it");
    m_fabric->SetLinkDown(m_link, down);
}

void
WeftChannel::SetRate(DataRate rate)
{
    NS_ABORT_MSG_UNLESS(m_fabric, "Weft: SetRate() of a link that is in no fabric, or after it");
    const uint64_t bits = rate.GetBitRate();
    NS_ABORT_MSG_IF(bits < 1 || bits > INT64_MAX,
                    "Weft: SetRate() of link " << m_link << " to " << bits
                                               << " bit/s; expected at least 1, or SetDown()");
    m_fabric->SetLinkRate(m_link, static_cast<int64_t>(bits));
}

void
WeftChannel::NotifyChange() const
{
    for (const auto& device : m_devices)
    {
        if (device)
        {
            DynamicCast<WeftNetDevice>(device)->NotifyLinkChange();
        }
    }
}

bool
WeftChannel::IsDown() const
{
    return m_fabric && m_fabric->IsLinkDown(m_link);
}

TypeId
WeftLan::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeftLan").SetParent<Channel>().SetGroupName("Weft").AddConstructor<WeftLan>();
    return tid;
}

WeftLan::WeftLan()
{
}

WeftLan::~WeftLan()
{
}

void
WeftLan::DoDispose()
{
    m_ports.clear();
    Channel::DoDispose();
}

void
WeftLan::Add(Ptr<NetDevice> port)
{
    m_ports.push_back(port);
}

std::size_t
WeftLan::GetNDevices() const
{
    return m_ports.size();
}

Ptr<NetDevice>
WeftLan::GetDevice(std::size_t i) const
{
    return m_ports.at(i);
}

} // namespace ns3

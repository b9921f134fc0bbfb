/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-helper.h"

#include "ns3/abort.h"
#include "ns3/global-value.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/type-id.h"
#include "ns3/weft-nic.h"
#include "ns3/weft-switch.h"

namespace ns3
{

WeftHelper::WeftHelper()
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
    m_factory.SetTypeId("ns3::WeftFabric");
}

void
WeftHelper::SetTopology(const std::string& text)
{
    m_factory.Set("Topology", StringValue(text));
}

void
WeftHelper::SetFrames(const std::string& text)
{
    m_factory.Set("Frames", StringValue(text));
}

void
WeftHelper::SetSwitch(const std::string& text)
{
    m_factory.Set("Switch", StringValue(text));
}

void
WeftHelper::SetBalancer(const std::string& text)
{
    m_factory.Set("Balancer", StringValue(text));
}

void
WeftHelper::SetTransport(const std::string& text)
{
    m_factory.Set("Transport", StringValue(text));
}

void
WeftHelper::SetCongestionControl(const std::string& text)
{
    m_factory.Set("CongestionControl", StringValue(text));
}

void
WeftHelper::SetFabricAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

NetDeviceContainer
WeftHelper::Install()
{
    weft_clos shape;
    std::string error;
    const bool sound = m_factory.Create<WeftFabric>()->GetShape(&shape, error);
    NS_ABORT_MSG_UNLESS(sound, "Weft: " << error);
    NodeContainer hosts;
    hosts.Create(shape.nhosts);
    return Install(hosts);
}

NetDeviceContainer
WeftHelper::Install(const NodeContainer& hosts)
{
    weft_clos shape;
    std::string error;
    m_fabric = m_factory.Create<WeftFabric>();
    bool sound = m_fabric->GetShape(&shape, error);
    NS_ABORT_MSG_UNLESS(sound, "Weft: " << error);
    m_hosts = hosts;
    m_switches = NodeContainer();
    m_switches.Create(shape.nswitches);
    sound = m_fabric->Build(m_hosts, m_switches, error);
    NS_ABORT_MSG_UNLESS(sound, "Weft: " << error);

    NetDeviceContainer nics;
    for (uint32_t i = 0; i < m_fabric->GetNHosts(); i++)
    {
        nics.Add(m_fabric->GetNic(i));
    }
    return nics;
}

int64_t
WeftHelper::AssignStreams(int64_t stream)
{
    NS_ABORT_MSG_UNLESS(m_fabric, "WeftHelper: Install() comes before AssignStreams()");
    return m_fabric->AssignStreams(stream);
}

Ptr<WeftFabric>
WeftHelper::GetFabric() const
{
    return m_fabric;
}

NodeContainer
WeftHelper::GetHosts() const
{
    return m_hosts;
}

NodeContainer
WeftHelper::GetSwitches() const
{
    return m_switches;
}

Ptr<WeftCollective>
WeftHelper::InstallWorkload(const std::string& text, const weft_table* table)
{
    NS_ABORT_MSG_UNLESS(m_fabric, "WeftHelper: Install() comes before InstallWorkload()");
    auto workload = CreateObjectWithAttributes<WeftCollective>("Workload", StringValue(text));
    workload->SetTable(table);
    std::string error;
    const bool sound = workload->Install(m_fabric, error);
    NS_ABORT_MSG_UNLESS(sound, "Weft: " << error);
    return workload;
}

void
WeftHelper::UseFabricSimulator()
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
    StringValue simulator;
    GlobalValue::GetValueByName("SimulatorImplementationType", simulator);
    if (simulator.Get() == "ns3::DefaultSimulatorImpl")
    {
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));
    }
    TypeIdValue chosen;
    GlobalValue::GetValueByName("SchedulerType", chosen);
    if (chosen.Get().GetName() == "ns3::MapScheduler")
    {
        GlobalValue::Bind("SchedulerType", StringValue("ns3::LaneScheduler"));
    }
}

} // namespace ns3

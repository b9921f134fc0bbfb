/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-helper.h"

#include "weft-input-files.h"

#include "ns3/abort.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"
#include "ns3/weft-nic.h"
#include "ns3/weft-switch.h"

#include <cstddef>
#include <map>

namespace ns3
{

namespace
{

/** @return whether ns-3 still knows all Times: it forgets them when a simulation runs, and when the
 * resolution is set. Time::SetResolution() crashes after that. */
bool CanSetResolution();

/** Sees the private member that says so: only an explicit instantiation may. */
template <auto MARKED>
struct MarkedTimes
{
    friend bool CanSetResolution()
    {
        return *MARKED != nullptr;
    }
};

template struct MarkedTimes<&Time::g_markingTimes>;

} // namespace

WeftHelper::WeftHelper()
{
    UsePicoseconds();
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
WeftHelper::SetScheduler(const std::string& text)
{
    m_factory.Set("Scheduler", StringValue(text));
}

void
WeftHelper::SetBalancer(const std::string& text, uint32_t level)
{
    Set("balancer", "Balancer", text, level);
}

void
WeftHelper::SetTransport(const std::string& text, uint32_t level)
{
    Set("transport", "Transport", text, level);
}

void
WeftHelper::SetCongestionControl(const std::string& text, uint32_t level)
{
    Set("congestion-control", "CongestionControl", text, level);
}

void
WeftHelper::Set(const char* kind, const char* attribute, const std::string& text, uint32_t level)
{
    NS_ABORT_MSG_IF(level > m_levels.size(),
                    "Weft: no service level " << level << " for the " << kind << " \"" << text
                                              << "\"; expected 0 to " << m_levels.size()
                                              << ", or AddServiceLevel() first");
    if (level == 0)
    {
        m_factory.Set(attribute, StringValue(text));
    }
    else
    {
        m_levels[level - 1].texts[kind] = text;
    }
}

uint32_t
WeftHelper::AddServiceLevel(uint32_t queue)
{
    m_levels.push_back({queue, {}});
    return static_cast<uint32_t>(m_levels.size());
}

void
WeftHelper::SetFabricAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

void
WeftHelper::SetGraph(uint32_t hosts,
                     uint32_t switches,
                     const std::vector<weft_graph_edge>& links,
                     uint32_t gpus)
{
    m_graphHosts = hosts;
    m_graphSwitches = switches;
    m_graphLinks = links;
    m_graphGpus = gpus;
    m_topologyFile = nullptr;
}

void
WeftHelper::SetTopologyFile(const std::string& path)
{
    const auto file = std::make_shared<const WeftTopologyFile>(path);
    SetGraph(file->GetNHosts(), file->GetNSwitches(), file->GetLinks(), file->GetGpus());
    m_topologyFile = file;
}

uint32_t
WeftHelper::GetHostOfId(uint32_t id) const
{
    NS_ABORT_MSG_UNLESS(m_topologyFile, "WeftHelper: SetTopologyFile() comes before GetHostOfId()");
    uint32_t host = 0;
    const std::string wrong = m_topologyFile->FindHost(id, host);
    NS_ABORT_MSG_UNLESS(wrong.empty(), "WeftHelper: GetHostOfId(): " << wrong);
    return host;
}

uint32_t
WeftHelper::GetIdOfHost(uint32_t host) const
{
    NS_ABORT_MSG_UNLESS(m_topologyFile, "WeftHelper: SetTopologyFile() comes before GetIdOfHost()");
    return m_topologyFile->GetId(host);
}

Ptr<WeftFabric>
WeftHelper::Create(weft_clos* shape) const
{
    Ptr<WeftFabric> fabric = m_factory.Create<WeftFabric>();
    std::string error;
    for (const Level& level : m_levels)
    {
        const uint32_t number = fabric->AddServiceLevel(level.queue);
        for (const auto& [kind, text] : level.texts)
        {
            fabric->SetLevelText(number, kind, text);
        }
    }
    const bool sound =
        (m_graphHosts == 0 ||
         fabric->SetGraph(m_graphHosts, m_graphSwitches, m_graphLinks, error, m_graphGpus)) &&
        fabric->GetShape(shape, error);
    NS_ABORT_MSG_UNLESS(sound, "Weft: " << error);
    return fabric;
}

NetDeviceContainer
WeftHelper::Install()
{
    weft_clos shape;
    Create(&shape);
    NodeContainer hosts;
    hosts.Create(shape.nhosts);
    return Install(hosts);
}

void
WeftHelper::AddLosses()
{
    std::map<double, std::vector<uint64_t>> links;
    for (std::size_t i = 0; m_topologyFile && i < m_topologyFile->GetLosses().size(); i++)
    {
        links[m_topologyFile->GetLosses()[i]].push_back(i);
    }
    links.erase(0.0);
    for (const auto& [loss, of] : links)
    {
        WeftFabric::Fault fault;
        fault.links = of;
        fault.effect = WEFT_FAULT_LOSSY;
        fault.losses.good = loss;
        m_fabric->AddFault(fault);
    }
}

NetDeviceContainer
WeftHelper::Install(const NodeContainer& hosts)
{
    weft_clos shape;
    std::string error;
    m_fabric = Create(&shape);
    m_installedFile = m_topologyFile;
    m_hosts = hosts;
    m_switches = NodeContainer();
    m_switches.Create(weft_planes_switches(&shape));
    const bool sound = m_fabric->Build(m_hosts, m_switches, error);
    NS_ABORT_MSG_UNLESS(sound, "Weft: " << error);
    AddLosses();
    return GetDevices(0);
}

NetDeviceContainer
WeftHelper::GetDevices(uint32_t port) const
{
    NS_ABORT_MSG_UNLESS(m_fabric, "WeftHelper: Install() comes before GetDevices()");
    const uint32_t most = weft_clos_most_ports(&m_fabric->GetClos());
    NS_ABORT_MSG_IF(port >= most,
                    "WeftHelper: GetDevices(): no host has a port " << port << "; expected 0 to "
                                                                    << most - 1);
    NetDeviceContainer devices;
    for (uint32_t i = 0; i < m_fabric->GetNHosts(); i++)
    {
        const Ptr<WeftNic> nic = m_fabric->GetNic(i);
        if (port < nic->GetNPorts())
        {
            devices.Add(nic->GetDevice(port));
        }
    }
    return devices;
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
WeftHelper::InstallWorkload(const std::string& text, const weft_table* table, uint32_t level)
{
    NS_ABORT_MSG_UNLESS(m_fabric, "WeftHelper: Install() comes before InstallWorkload()");
    auto workload = CreateObjectWithAttributes<WeftCollective>("Workload",
                                                               StringValue(text),
                                                               "ServiceLevel",
                                                               UintegerValue(level));
    workload->SetTable(table);
    std::string error;
    const bool sound = workload->Install(m_fabric, error);
    NS_ABORT_MSG_UNLESS(sound, "Weft: " << error);
    return workload;
}

Ptr<WeftCollective>
WeftHelper::InstallFlowFile(const std::string& path, uint32_t level, const std::string& startUnit)
{
    NS_ABORT_MSG_UNLESS(m_fabric, "WeftHelper: Install() comes before InstallFlowFile()");
    WeftFlowFile file(path, startUnit);
    return InstallWorkload("flows",
                           file.Place(m_installedFile.get(), m_fabric->GetNHosts()),
                           level);
}

Ptr<WeftCollective>
WeftHelper::InstallTrace(const std::string& path,
                         const std::string& parameters,
                         uint32_t level,
                         uint32_t ranks)
{
    NS_ABORT_MSG_UNLESS(m_fabric, "WeftHelper: Install() comes before InstallTrace()");
    const auto file = std::make_shared<const WeftTraceFile>(path, ranks, m_fabric->GetClos());
    auto job = InstallWorkload("trace " + parameters, file->GetTable(), level);
    job->Keep(file);
    return job;
}

void
WeftHelper::UsePicoseconds()
{
    if (Time::GetResolution() != Time::PS)
    {
        NS_ABORT_MSG_UNLESS(CanSetResolution(),
                            "Weft: a fabric needs picoseconds, and ns-3's time resolution cannot "
                            "change any more: a simulation has run, or it was set before. Call "
                            "WeftHelper::UsePicoseconds() first in main()");
        Time::SetResolution(Time::PS);
    }
}

void
WeftHelper::UseFabricSimulator()
{
    UsePicoseconds();
}

} // namespace ns3

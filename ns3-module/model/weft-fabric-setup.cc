/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftFabric: what can be set, until when, and where it can be built.
#include "weft-fabric.h"
#include "weft-nic.h"
#include "weft-switch.h"

#include "ns3/abort.h"
#include "ns3/node-container.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>
#include <weft/error.h>

namespace ns3
{

namespace
{

/** A simulator implementation that a fabric cannot run under. */
struct Refusal
{
    const char* simulator; //!< its TypeId
    const char* reason;    //!< why
};

constexpr Refusal REFUSALS[] = {
    {"ns3::DistributedSimulatorImpl",
     "a fabric is not divided: each rank would simulate all of it"},
    {"ns3::NullMessageSimulatorImpl",
     "a fabric is not divided: each rank would simulate all of it"},
    {"ns3::MultithreadedSimulatorImpl", "a fabric is not divided among threads"},
    {"ns3::HybridSimulatorImpl", "a fabric is not divided among threads"},
    {"ns3::RealtimeSimulatorImpl", "no computer simulates a fabric as fast as it runs"},
};

} // namespace

void
WeftFabric::RequireUnbuilt(const std::string& what) const
{
    NS_ABORT_MSG_IF(m_built,
                    "Weft: " << what
                             << " was set after the fabric had been built, which would change "
                                "nothing; set it before WeftHelper::Install() or "
                                "WeftFabric::Build()");
}

void
WeftFabric::SetTopology(std::string text)
{
    RequireUnbuilt("attribute Topology");
    m_topology.Set(text);
}

void
WeftFabric::SetFrames(std::string text)
{
    RequireUnbuilt("attribute Frames");
    m_frames.Set(text);
}

void
WeftFabric::SetSwitch(std::string text)
{
    RequireUnbuilt("attribute Switch");
    m_switch.Set(text);
}

void
WeftFabric::SetScheduler(std::string text)
{
    RequireUnbuilt("attribute Scheduler");
    m_scheduler.Set(text);
}

void
WeftFabric::SetBalancer(std::string text)
{
    RequireUnbuilt("attribute Balancer");
    m_levels[0]->balancer.Set(text);
}

void
WeftFabric::SetTransport(std::string text)
{
    RequireUnbuilt("attribute Transport");
    m_levels[0]->transports.Set(text);
}

void
WeftFabric::SetCc(std::string text)
{
    RequireUnbuilt("attribute CongestionControl");
    m_levels[0]->controls.Set(text);
}

std::string
WeftFabric::GetTopologyText() const
{
    return m_topology.Format();
}

std::string
WeftFabric::GetFramesText() const
{
    return m_frames.Format();
}

std::string
WeftFabric::GetSwitchText() const
{
    return m_switch.Format();
}

std::string
WeftFabric::GetSchedulerText() const
{
    return m_scheduler.Format();
}

std::string
WeftFabric::GetBalancerText() const
{
    return m_levels[0]->balancer.Format();
}

std::string
WeftFabric::GetTransportText() const
{
    return m_levels[0]->transports.Format();
}

std::string
WeftFabric::GetCcText() const
{
    return m_levels[0]->controls.Format();
}

WeftChoice&
WeftFabric::GetChoiceOf(const std::string& kind)
{
    if (kind == "topology")
    {
        return m_topology;
    }
    if (kind == "fabric")
    {
        return m_frames;
    }
    if (kind == "switch")
    {
        return m_switch;
    }
    if (kind == "scheduler")
    {
        return m_scheduler;
    }
    return GetLevelChoiceOf(0, kind);
}

void
WeftFabric::SetChoice(const std::string& kind, const weft_algo* algo, const void* config)
{
    RequireUnbuilt("the " + kind);
    GetChoiceOf(kind).Set(algo, config);
}

bool
WeftFabric::CheckSimulator(std::string& error)
{
    // By name: ns-3 may have been built without MPI. A subclass is no better than its parent.
    TypeId type = Simulator::GetImplementation()->GetInstanceTypeId();
    for (; type.HasParent(); type = type.GetParent())
    {
        for (const Refusal& refusal : REFUSALS)
        {
            if (type.GetName() == refusal.simulator)
            {
                error = type.GetName() + ": " + refusal.reason +
                        "; expected ns3::FabricSimulatorImpl or ns3::DefaultSimulatorImpl as "
                        "SimulatorImplementationType";
                return false;
            }
        }
    }
    return true;
}

bool
WeftFabric::CheckSizes(const NodeContainer& hosts,
                       const NodeContainer& switches,
                       std::string& error) const
{
    std::ostringstream text;
    if (Time::GetResolution() != Time::PS)
    {
        text << "the fabric counts picoseconds: call Time::SetResolution(Time::PS) before anything "
                "else";
    }
    else if (hosts.GetN() != m_clos.nhosts || switches.GetN() != m_clos.nswitches)
    {
        text << "this topology has " << m_clos.nhosts << " hosts and " << m_clos.nswitches
             << " switches, but there are " << hosts.GetN() << " and " << switches.GetN()
             << " nodes";
    }
    error = text.str();
    return error.empty();
}

bool
WeftFabric::GetShape(weft_clos* clos, std::string& error) const
{
    const auto ops = m_topology.GetOps<weft_topology_ops>();
    const int code = ops->build(m_topology.GetConfig(), clos);
    if (code != 0)
    {
        error =
            m_topology.Format() + ": " +
            (ops->use ? "its links are missing; expected SetGraph() first" : weft_strerror(code));
    }
    return code == 0;
}

bool
WeftFabric::SetGraph(uint32_t hosts,
                     uint32_t switches,
                     const std::vector<weft_graph_edge>& links,
                     std::string& error)
{
    RequireUnbuilt("the graph");
    const auto nlinks =
        static_cast<uint32_t>(std::min<size_t>(links.size(), WEFT_GRAPH_LINKS + size_t{1}));
    const int64_t size = weft_graph_size(hosts, switches, nlinks);
    m_graphMemory.assign(size > 0 ? static_cast<size_t>(size) / 8 : 0, 0);
    weft_graph_fault fault{};
    const int code = weft_graph_init(&m_graph,
                                     m_graphMemory.data(),
                                     m_graphMemory.size() * 8,
                                     hosts,
                                     switches,
                                     links.data(),
                                     nlinks,
                                     &fault);
    if (code != 0)
    {
        std::ostringstream text;
        text << "the graph";
        if (fault.edge != UINT32_MAX)
        {
            text << ", link " << fault.edge;
        }
        else if (fault.node != UINT32_MAX)
        {
            text << ", node " << fault.node;
        }
        text << ": " << fault.reason;
        error = text.str();
        return false;
    }
    const weft_topology_ops* kind = weft_topology_find("graph");
    std::vector<uint64_t> config(kind->algo.config_size / 8 + 1, 0);
    kind->use(config.data(), &m_graph);
    SetChoice("topology", &kind->algo, config.data());
    return true;
}

void
WeftFabric::SetSeed(uint64_t seed)
{
    RequireUnbuilt("attribute Seed");
    m_seed = seed;
}

void
WeftFabric::SetRun(uint64_t run)
{
    RequireUnbuilt("attribute Run");
    m_run = run;
}

uint64_t
WeftFabric::GetSeedNumber() const
{
    return m_seed;
}

uint64_t
WeftFabric::GetRunNumber() const
{
    return m_run;
}

void
WeftFabric::SetSeedAndRun(uint64_t seed, uint64_t run)
{
    RequireUnbuilt("SetSeedAndRun()");
    m_seed = seed;
    m_run = run;
    m_pinned = true;
}

void
WeftFabric::PinRandomness()
{
    if (!m_pinned)
    {
        m_seed = m_seed ? m_seed : RngSeedManager::GetSeed();
        m_run = m_run ? m_run : RngSeedManager::GetRun();
        m_pinned = true;
    }
    m_streamSeed = m_stream < 0
                     ? m_seed
                     : weft_mix64(weft_mix64(m_seed) ^ weft_mix64(static_cast<uint64_t>(m_stream)));
}

int64_t
WeftFabric::AssignStreams(int64_t stream)
{
    NS_ABORT_MSG_IF(!m_qps.empty() || m_counters.sent || (m_fib && !m_clos.graph),
                    "Weft: AssignStreams() comes before the first QP, workload, packet or failure");
    m_stream = stream;
    if (m_built)
    {
        PinRandomness();
        std::string error;
        bool sound = BuildLevels(error);
        for (WeftSwitch* sw : m_switches)
        {
            sound = sw->InitRandomness() == 0 && sound;
        }
        NS_ABORT_MSG_UNLESS(sound, "Weft: " << error);
    }
    return 1;
}

void
WeftFabric::ChangeAddress(uint32_t host, Mac48Address address)
{
    const uint32_t holder = FindHost(address);
    NS_ABORT_MSG_IF(holder != host && holder != m_clos.nhosts,
                    "Weft: host " << host << " cannot have the address " << address << " of host "
                                  << holder);
    m_hostOf.erase(Mac48Address::ConvertFrom(m_nics[host]->GetAddress()));
    m_hostOf[address] = host;
}

uint32_t
WeftFabric::FindHost(const Address& address) const
{
    const auto it = m_hostOf.find(Mac48Address::ConvertFrom(address));
    return it == m_hostOf.end() ? m_clos.nhosts : it->second;
}

} // namespace ns3

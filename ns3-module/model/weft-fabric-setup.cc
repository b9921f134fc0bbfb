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

#include <sstream>

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
    NS_ABORT_MSG_IF(!m_qps.empty() || m_counters.sent || m_fib,
                    "Weft: AssignStreams() comes before the first QP, workload, packet or failure");
    m_stream = stream;
    if (m_built)
    {
        PinRandomness();
        std::string error;
        bool sound = InitPaths(error);
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

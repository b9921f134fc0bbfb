/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-setup.h"

#include "ns3/boolean.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"
#include "ns3/weft-helper.h"

using namespace ns3;

namespace
{

/** @param t ps or WEFT_NEVER @return the same, or the end of ns-3's clock, which no run reaches */
Time
TimeOf(int64_t t)
{
    return t == WEFT_NEVER ? Time::Max() : TimeStep(static_cast<uint64_t>(t));
}

/** @param fabric gets the algorithms @param s that choose them, and those of its classes */
void
SetChoices(WeftFabric& fabric, const scenario& s)
{
    fabric.SetChoice("topology", s.topology.algo, s.topology.config);
    fabric.SetChoice("fabric", s.fabric.algo, s.fabric.config);
    fabric.SetChoice("switch", s.switches.algo, s.switches.config);
    fabric.SetChoice("scheduler", s.scheduler.algo, s.scheduler.config);
    fabric.SetChoice("balancer", s.balancer.algo, s.balancer.config);
    fabric.SetChoice("transport", s.transport.algo, s.transport.config);
    fabric.SetChoice("congestion-control", s.cc.algo, s.cc.config);
    for (size_t i = 0; i < s.nclasses; i++)
    {
        const qp_class& c = s.classes[i];
        const uint32_t level = fabric.AddServiceLevel(c.queue);
        fabric.SetLevelChoice(level, "balancer", c.balancer.algo, c.balancer.config);
        fabric.SetLevelChoice(level, "transport", c.transport.algo, c.transport.config);
        fabric.SetLevelChoice(level, "congestion-control", c.cc.algo, c.cc.config);
    }
}

} // namespace

Ptr<WeftFabric>
BuildFabric(const scenario& s, unsigned threads, const weft_ranks* ranks, std::string& error)
{
    if (Time::GetResolution() != Time::PS) // it is set once in a process
    {
        Time::SetResolution(Time::PS);
    }
    WeftHelper::UsePicoseconds();
    Ptr<WeftFabric> fabric = CreateObject<WeftFabric>();
    fabric->SetSeedAndRun(s.seed, s.run);
    if (ranks)
    {
        fabric->SetRanks(*ranks);
    }
    fabric->SetAttribute("Threads", UintegerValue(threads));
    fabric->SetAttribute("ConvergenceDelay", TimeValue(TimeOf(s.convergence)));
    fabric->SetAttribute("ConvergenceWeights", BooleanValue(s.weights != WEFT_WEIGHTS_NONE));
    fabric->SetAttribute("ConvergenceCapacity", BooleanValue(s.weights == WEFT_WEIGHTS_CAPACITY));
    SetChoices(*fabric, s);
    NodeContainer hosts;
    NodeContainer switches;
    if (!ranks) // else it makes nodes of its own
    {
        hosts.Create(s.clos.nhosts);
        switches.Create(weft_planes_switches(&s.clos));
    }
    return fabric->Build(hosts, switches, error) ? fabric : nullptr;
}

/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftFabric: what can be set, until when, and where it can be built.
#include "weft-fabric.h"
#include "weft-nic.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/node-container.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>
#include <utility>
#include <weft/error.h>
#include <weft/refusal.h>
#include <weft/rng.h>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(WeftFabric);

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

/** An attribute that names an algorithm. */
struct ChoiceAttribute
{
    const char* attribute; //!< its name
    const char* kind;      //!< registry of the algorithm
};

/** All of them, by WeftFabric::Chosen. */
constexpr ChoiceAttribute CHOICES[] = {
    {"Topology", "topology"},
    {"Frames", "fabric"},
    {"Switch", "switch"},
    {"Scheduler", "scheduler"},
    {"Balancer", "balancer"},
    {"Transport", "transport"},
    {"CongestionControl", "congestion-control"},
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

enum WeftFabric::Chosen : unsigned
{
    TOPOLOGY,
    FRAMES,
    SWITCH,
    SCHEDULER,
    BALANCER,
    TRANSPORT,
    CONGESTION_CONTROL,
};

template <WeftFabric::Chosen WHICH>
void
WeftFabric::SetText(std::string text)
{
    const std::string kind = CHOICES[WHICH].kind;
    if (m_built && WeftChoice(kind, text).Format() == GetChoice(kind).Format())
    {
        return; // ConfigStore sets what was saved
    }
    RequireUnbuilt(std::string("attribute ") + CHOICES[WHICH].attribute);
    GetChoice(kind).Set(text);
}

template <WeftFabric::Chosen WHICH>
std::string
WeftFabric::GetText() const
{
    return GetChoice(CHOICES[WHICH].kind).Format();
}

/** Attribute of a kind of algorithm, a line of text. */
#define WEFT_CHOICE_ATTRIBUTE(which, text, doc)                                                \
    AddAttribute(CHOICES[which].attribute,                                                     \
                 doc,                                                                          \
                 StringValue(text),                                                            \
                 MakeStringAccessor(&WeftFabric::SetText<which>, &WeftFabric::GetText<which>), \
                 MakeStringChecker())

TypeId
WeftFabric::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeftFabric")
            .SetParent<Object>()
            .SetGroupName("Weft")
            .AddConstructor<WeftFabric>()
            .WEFT_CHOICE_ATTRIBUTE(TOPOLOGY,
                                   "leaf-spine",
                                   "Shape, rates and delays: a topology and its parameters")
            .WEFT_CHOICE_ATTRIBUTE(FRAMES, "roce", "Frame sizes and NIC behaviour")
            .WEFT_CHOICE_ATTRIBUTE(SWITCH, "shared-buffer", "Buffer, PFC and ECN")
            .WEFT_CHOICE_ATTRIBUTE(SCHEDULER,
                                   "strict",
                                   "Which traffic class of a switch's port sends next")
            .WEFT_CHOICE_ATTRIBUTE(BALANCER, "ecmp", "Load balancer")
            .WEFT_CHOICE_ATTRIBUTE(TRANSPORT, "nic-sr", "NIC transport")
            .WEFT_CHOICE_ATTRIBUTE(CONGESTION_CONTROL, "dcqcn", "Congestion control of the NICs")
            .AddAttribute("Seed",
                          "Seed of all random streams of this fabric; 0: RngSeedManager's",
                          UintegerValue(0),
                          MakeUintegerAccessor(&WeftFabric::SetSeed, &WeftFabric::GetSeedNumber),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Run",
                          "Run number: independent streams under the same seed; 0: "
                          "RngSeedManager's, as set by --RngRun",
                          UintegerValue(0),
                          MakeUintegerAccessor(&WeftFabric::SetRun, &WeftFabric::GetRunNumber),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Threads",
                          "Threads that run the nodes, with the same results for any number: as "
                          "many as there are idle processors. Nodes of which a program hears are "
                          "run on its own thread",
                          UintegerValue(1),
                          MakeUintegerAccessor(&WeftFabric::SetThreads, &WeftFabric::GetThreads),
                          MakeUintegerChecker<uint32_t>(1, WEFT_NET_THREADS))
            .AddAttribute("ConvergenceDelay",
                          "For how long a link must be down, or back, before forwarding knows",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&WeftFabric::SetConvergenceDelay,
                                           &WeftFabric::GetConvergenceDelay),
                          MakeTimeChecker())
            .AddAttribute(
                "RecoveryDelay",
                "For how long a link must be back before forwarding knows; negative: as "
                "ConvergenceDelay",
                TimeValue(NanoSeconds(-1)),
                MakeTimeAccessor(&WeftFabric::SetRecoveryDelay, &WeftFabric::GetRecoveryDelay),
                MakeTimeChecker())
            .AddAttribute("ConvergenceWeights",
                          "New forwarding weighs ports by the paths behind them (W-ECMP)",
                          BooleanValue(true),
                          MakeBooleanAccessor(&WeftFabric::SetWeights, &WeftFabric::GetWeights),
                          MakeBooleanChecker())
            .AddAttribute("ConvergenceCapacity",
                          "It weighs them by the capacity of these paths, not their number",
                          BooleanValue(false),
                          MakeBooleanAccessor(&WeftFabric::SetCapacityWeights,
                                              &WeftFabric::GetCapacityWeights),
                          MakeBooleanChecker());
    return tid;
}

WeftChoice&
WeftFabric::GetChoice(const std::string& kind)
{
    return const_cast<WeftChoice&>(std::as_const(*this).GetChoice(kind));
}

const WeftChoice&
WeftFabric::GetChoice(const std::string& kind) const
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
    return m_levels.GetChoice(0, kind);
}

uint32_t
WeftFabric::AddServiceLevel(uint32_t queue)
{
    RequireUnbuilt("a service level");
    return m_levels.Add(queue);
}

void
WeftFabric::SetLevelText(uint32_t level, const std::string& kind, const std::string& text)
{
    RequireUnbuilt("the " + kind);
    m_levels.GetChoice(level, kind).Set(text);
}

void
WeftFabric::SetLevelChoice(uint32_t level,
                           const std::string& kind,
                           const weft_algo* algo,
                           const void* config)
{
    RequireUnbuilt("the " + kind);
    m_levels.GetChoice(level, kind).Set(algo, config);
}

void
WeftFabric::SetChoice(const std::string& kind, const weft_algo* algo, const void* config)
{
    RequireUnbuilt("the " + kind);
    GetChoice(kind).Set(algo, config);
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
                        "; expected ns3::DefaultSimulatorImpl as "
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
    else if (m_ranks.n > 1 && hosts.GetN() + switches.GetN() > 0)
    {
        text << "of several ranks each makes the nodes that it runs; expected none that are there "
                "already";
    }
    else if (m_ranks.n <= 1 &&
             (hosts.GetN() != m_clos.nhosts || switches.GetN() != weft_planes_switches(&m_clos)))
    {
        text << "this topology has " << m_clos.nhosts << " hosts and "
             << weft_planes_switches(&m_clos) << " switches, but there are " << hosts.GetN()
             << " and " << switches.GetN() << " nodes";
    }
    error = text.str();
    return error.empty();
}

bool
WeftFabric::GetShape(weft_clos* clos, std::string& error) const
{
    const auto ops = m_topology.GetOps<weft_topology_ops>();
    int code = ops->build(m_topology.GetConfig(), clos);
    if (code == WEFT_EINVAL && ops->edges)
    {
        std::vector<uint64_t> config(m_topology.GetAlgo()->config_size / 8 + 1);
        std::memcpy(config.data(), m_topology.GetConfig(), m_topology.GetAlgo()->config_size);
        uint32_t hosts = 0;
        uint32_t switches = 0;
        const uint32_t n = ops->edges(config.data(), nullptr, &hosts, &switches);
        std::vector<weft_graph_edge> links(n <= WEFT_GRAPH_LINKS ? n : 0);
        ops->edges(config.data(), links.data(), &hosts, &switches);
        if (!MakeGraph(hosts, switches, links, error))
        {
            error = m_topology.Format() + ": " + error;
            return false;
        }
        ops->use(config.data(), &m_graph);
        code = ops->build(config.data(), clos);
    }
    if (code != 0)
    {
        error =
            m_topology.Format() + ": " +
            (ops->use ? "its links are missing; expected SetGraph() first" : weft_strerror(code));
    }
    return code == 0;
}

bool
WeftFabric::MakeGraph(uint32_t hosts,
                      uint32_t switches,
                      const std::vector<weft_graph_edge>& links,
                      std::string& error) const
{
    const auto nlinks =
        static_cast<uint32_t>(std::min<size_t>(links.size(), WEFT_GRAPH_LINKS + size_t{1}));
    const int64_t size = weft_graph_size(hosts, switches, links.data(), nlinks);
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
        if (fault.other != UINT32_MAX)
        {
            text << " and node " << fault.other;
        }
        text << ": " << fault.reason;
        error = text.str();
    }
    return code == 0;
}

void
WeftFabric::Recognise()
{
    std::vector<uint32_t> place(size_t{m_graph.nhosts} + m_graph.nswitches);
    uint32_t* switches = place.data() + m_graph.nhosts;
    bool same = weft_clos_recognise(&m_graph, &m_graphClos, place.data(), switches, nullptr);
    for (uint32_t i = 0; same && i < m_graph.nhosts; i++)
    {
        same = place[i] == i;
    }
    for (uint32_t i = 0; same && i < m_graph.nswitches; i++)
    {
        same = switches[i] == i;
    }
    m_graph.clos = same ? &m_graphClos : nullptr;
}

bool
WeftFabric::SetGraph(uint32_t hosts,
                     uint32_t switches,
                     const std::vector<weft_graph_edge>& links,
                     std::string& error,
                     uint32_t gpus)
{
    RequireUnbuilt("the graph");
    if (!MakeGraph(hosts, switches, links, error))
    {
        return false;
    }
    m_graph.gpus = m_graph.gpus ? m_graph.gpus : gpus;
    Recognise();
    const weft_topology_ops* kind = weft_topology_find("graph");
    std::vector<uint64_t> config(kind->algo.config_size / 8 + 1, 0);
    weft_config_default(&kind->algo, config.data());
    kind->use(config.data(), &m_graph);
    SetChoice("topology", &kind->algo, config.data());
    return true;
}

void
WeftFabric::SetSeed(uint64_t seed)
{
    if (!m_built || seed != m_seed)
    {
        RequireUnbuilt("attribute Seed");
        m_seed = seed;
    }
}

void
WeftFabric::SetRun(uint64_t run)
{
    if (!m_built || run != m_run)
    {
        RequireUnbuilt("attribute Run");
        m_run = run;
    }
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
    m_seedInForce =
        m_stream < 0 ? m_seed
                     : weft_mix64(weft_mix64(m_seed) ^ weft_mix64(static_cast<uint64_t>(m_stream)));
}

int64_t
WeftFabric::AssignStreams(int64_t stream)
{
    NS_ABORT_MSG_IF(m_built && (GetNQps() || GetCounters().sent || m_payloads.size()),
                    "Weft: AssignStreams() comes before the first QP, workload or packet");
    m_stream = stream;
    if (m_built)
    {
        PinRandomness();
        std::string error;
        const bool sound = MakeNet(error);
        NS_ABORT_MSG_UNLESS(sound, "Weft: " << error);
        m_ticks.Begin(m_net, m_ticks.GetContexts());
    }
    return 1;
}

void
WeftFabric::SetLossProbability(double probability)
{
    RequireAlive("SetLossProbability()");
    m_loss = probability;
    if (m_net)
    {
        m_ticks.ChangeNow([this, probability] { weft_net_lose(m_net, probability); });
    }
}

void
WeftFabric::ChangeAddress(WeftHostPort& port, Mac48Address address)
{
    const WeftHostPort* holder = FindPort(address);
    NS_ABORT_MSG_IF(holder && holder != &port,
                    "Weft: host " << port.GetHost() << " cannot have the address " << address
                                  << " of host " << holder->GetHost());
    m_portOf.erase(Mac48Address::ConvertFrom(port.GetAddress()));
    m_portOf[address] = &port;
}

WeftHostPort*
WeftFabric::FindPort(const Address& address) const
{
    const auto it = m_portOf.find(Mac48Address::ConvertFrom(address));
    return it == m_portOf.end() ? nullptr : it->second;
}

uint32_t
WeftFabric::FindHost(const Address& address) const
{
    const WeftHostPort* port = FindPort(address);
    return port ? port->GetHost() : m_clos.nhosts;
}

bool
WeftFabric::MakeNet(std::string& error)
{
    StopThreads();
    m_memory.Clear();
    m_packets.Clear();
    const std::vector<weft_net_level> levels = m_levels.Describe();
    weft_net_config config{};
    config.clos = &m_clos;
    config.frame = m_frame;
    config.buffer = GetMmuConfig();
    config.scheduler = GetScheduler();
    config.scheduler_config = GetSchedulerConfig();
    config.weights = GetKindOfWeights();
    config.levels = levels.data();
    config.nlevels = GetNServiceLevels();
    config.seed = m_seedInForce;
    config.run = m_run;
    config.hooks = MakeHooks();
    config.memory = m_memory.Get();
    config.frames = m_packets.Get();
    m_hasRanks = m_ranks.n > 1 && !weft_run_is_alone(&config);
    config.ranks = m_hasRanks ? &m_ranks : nullptr;
    weft_refusal why{};
    weft_run_set_convergence(m_coreRun, m_convergence.GetTimeStep());
    const int code = weft_run_build(m_coreRun, &config, &why);
    if (code != 0)
    {
        error = weft_refusal_text(code, &why) + (" (balancer " + m_levels.FormatBalancers()) +
                "; buffer " + m_switch.Format() + ")";
        return false;
    }
    m_net = weft_run_net(m_coreRun);
    LogWarnings(config);
    weft_net_lose(m_net, m_loss);
    weft_run_set_threads(m_coreRun, m_threads);
    return true;
}

void
WeftFabric::SetThreads(uint32_t threads)
{
    if (threads != m_threads)
    {
        RequireUnbuilt("attribute Threads");
        m_threads = threads;
    }
}

uint32_t
WeftFabric::GetThreads() const
{
    return m_threads;
}

} // namespace ns3

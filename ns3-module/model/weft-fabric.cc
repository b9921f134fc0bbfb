/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-fabric.h"

#include "weft-channel.h"
#include "weft-nic.h"
#include "weft-packet.h"
#include "weft-root.h"
#include "weft-switch.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <new>
#include <numeric>
#include <weft/error.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftFabric");

WeftFabric::WeftFabric()
    : m_topology("topology", "leaf-spine"),
      m_frames("fabric", "roce"),
      m_switch("switch", "shared-buffer"),
      m_scheduler("scheduler", "strict")
{
    weft_run_config config{};
    config.memory = m_runMemory.Get();
    config.scratch = {[](void*, size_t bytes) { return ::operator new(bytes); },
                      [](void*, void* memory) { ::operator delete(memory); },
                      nullptr};
    config.host = MakeHost();
    m_coreRun = weft_run_make(&config);
}

WeftFabric::~WeftFabric()
{
    StopThreads();
}

weft_run_host
WeftFabric::MakeHost()
{
    weft_run_host host{};
    host.of = this;
    host.call = [](void* of,
                   uint32_t at,
                   int64_t when,
                   weft_net_step step,
                   uint64_t number,
                   void (*call)(void*, uint64_t, int64_t),
                   void* whose,
                   uint64_t what) {
        Told(of)->m_ticks.CallAt(at, when, step, number, call, whose, what);
    };
    host.change = [](void* of, int64_t at, void (*change)(weft_run*, int64_t)) {
        weft_run* run = Told(of)->m_coreRun;
        Told(of)->m_ticks.Change(at, [run, at, change] { change(run, at); });
    };
    host.made = [](void*, weft_qp* qp) {
        NS_LOG_INFO("QP " << qp->index << " from host " << qp->src << " to host " << qp->dst
                          << ", UDP port " << qp->sport << ", first PSN " << qp->first_psn);
    };
    host.posts = &WeftFabric::LogPost;
    host.broken = [](void*, const char* why) { NS_ABORT_MSG("Weft: " << why); };
    AddFaultHooks(host);
    return host;
}

void
WeftFabric::LogPost(void* /* of */, const weft_qp* qp, uint64_t bytes)
{
    if (!qp->given_up)
    {
        NS_LOG_INFO("QP " << qp->index << ": message " << qp->nwqes + 1 << ", " << bytes
                          << " B, to host " << qp->dst);
    }
}

void
WeftFabric::StopThreads()
{
    if (m_net)
    {
        weft_net_stop_threads(m_net);
    }
}

void
WeftFabric::DoDispose()
{
    m_ticks.End();
    StopThreads();
    m_channels.clear();
    m_payloads.clear();
    m_nics.clear();
    m_switches.clear();
    m_destroyed = true;
    Object::DoDispose();
}

void
WeftFabric::RequireAlive(const char* call) const
{
    NS_ABORT_MSG_IF(m_destroyed,
                    "Weft: " << call
                             << " after Simulator::Destroy(), with which NICs, switches and "
                             << "links end; expected before it");
}

void
WeftFabric::RequirePackets(const char* call) const
{
    RequireAlive(call);
    NS_ABORT_MSG_IF(m_released,
                    "Weft: " << call << " after ReleasePackets(), with which the memory of packets "
                             << "is gone; expected before it");
}

void
WeftFabric::RequireSettled(const char* call) const
{
    NS_ABORT_MSG_IF(m_ticks.IsTelling(),
                    "Weft: " << call << " by one who is being told of something, in the midst of "
                             << "it; expected in an event of its own, as by "
                             << "Simulator::ScheduleNow()");
}

void
WeftFabric::RequireNumber(uint64_t i, uint64_t n, const char* call, const char* kind)
{
    NS_ABORT_MSG_IF(i >= n,
                    "Weft: " << call << ": no " << kind << " " << i << "; the fabric has " << n
                             << ", numbered from 0");
}

template <typename T>
const T&
WeftFabric::Find(const std::vector<T>& all, uint64_t i, const char* call, const char* kind) const
{
    RequireAlive(call);
    RequireNumber(i, all.size(), call, kind);
    NS_ABORT_MSG_UNLESS(all[i], "Weft: " << call << ": another rank runs " << kind << " " << i);
    return all[i];
}

bool
WeftFabric::Build(const NodeContainer& hosts, const NodeContainer& switches, std::string& error)
{
    if (m_built)
    {
        error = "this fabric has been built already";
        return false;
    }
    if (!CheckSimulator(error) || !GetShape(&m_clos, error) || !CheckSizes(hosts, switches, error))
    {
        return false;
    }
    m_built = true;
    // NICs, switches and links end then, whoever holds the fabric.
    Simulator::ScheduleDestroy(&WeftFabric::Dispose, Ptr<WeftFabric>(this));
    PinRandomness();
    m_frame = m_frames.GetConfigAs<weft_fabric_config>();
    m_levels.Join();
    if (!MakeNet(error))
    {
        return false;
    }
    BuildSwitches(switches);
    BuildNics(hosts);
    BuildLinks();
    BeginTicks();
    WeftRoot::Add(this);
    for (uint32_t i = 0; i < m_levels.GetN(); i++)
    {
        NS_LOG_INFO(m_topology.Format() << "; " << m_levels.Get(i)->Format() << "; seed " << m_seed
                                        << " run " << m_run);
    }
    return true;
}

void
WeftFabric::BuildSwitches(const NodeContainer& switches)
{
    m_switches.assign(weft_planes_switches(&m_clos), nullptr);
    for (uint32_t i = 0; i < m_switches.size(); i++)
    {
        if (IsHere(m_clos.nhosts + i))
        {
            auto sw = CreateObject<WeftSwitch>();
            sw->SetAddress(Mac48Address::Allocate());
            sw->Setup(this, i);
            GetNode(switches, i)->AddDevice(sw);
            m_switches[i] = PeekPointer(sw);
        }
    }
}

void
WeftFabric::BuildNics(const NodeContainer& hosts)
{
    m_nics.assign(m_clos.nhosts, nullptr);
    for (uint32_t i = 0; i < m_clos.nhosts; i++)
    {
        if (IsHere(i))
        {
            auto nic = CreateObject<WeftNic>();
            nic->Setup(this, i);
            AddPorts(nic, GetNode(hosts, i));
            m_nics[i] = PeekPointer(nic);
        }
    }
}

void
WeftFabric::AddPorts(const Ptr<WeftNic>& nic, const Ptr<Node>& node)
{
    for (uint32_t i = 0; i < nic->GetNPorts(); i++)
    {
        const Ptr<WeftHostPort> port = nic->GetDevice(i);
        port->SetAddress(Mac48Address::Allocate());
        node->AddDevice(port);
    }
}

Ptr<Node>
WeftFabric::GetNode(const NodeContainer& nodes, uint32_t i) const
{
    return nodes.GetN() > 0 ? nodes.Get(i) : CreateObject<Node>(m_ranks.rank);
}

Ptr<NetDevice>
WeftFabric::GetDevice(const weft_end& end) const
{
    if (!end.is_host)
    {
        return m_switches[end.index];
    }
    WeftNic* nic = m_nics[end.index];
    return nic ? Ptr<NetDevice>(nic->GetDevice(end.port)) : nullptr;
}

std::vector<uint32_t>
WeftFabric::FindNetworks() const
{
    std::vector<uint32_t> network(m_switches.size());
    std::iota(network.begin(), network.end(), 0U);
    const auto find = [&network](uint32_t sw) {
        while (network[sw] != sw)
        {
            network[sw] = network[network[sw]];
            sw = network[sw];
        }
        return sw;
    };
    for (uint64_t i = 0; i < weft_planes_links(&m_clos); i++)
    {
        const weft_link link = GetLink(i);
        if (!link.lower.is_host)
        {
            network[find(link.lower.index)] = find(link.upper.index);
        }
    }
    std::for_each(network.begin(), network.end(), [&find](uint32_t& of) { of = find(of); });
    return network;
}

void
WeftFabric::BuildLinks()
{
    const std::vector<uint32_t> networks = FindNetworks();
    std::map<uint32_t, Ptr<WeftLan>> lans;
    m_channels.assign(weft_planes_links(&m_clos), nullptr);
    for (uint64_t i = 0; i < m_channels.size(); i++)
    {
        weft_link link;
        weft_planes_link(&m_clos, i, &link);
        const Ptr<NetDevice> lower = GetDevice(link.lower);
        const Ptr<NetDevice> upper = GetDevice(link.upper);
        if (lower || upper)
        {
            m_channels[i] = CreateObject<WeftChannel>();
            m_channels[i]->Setup(this, i, lower, upper);
        }
        if (lower && link.lower.is_host)
        {
            Ptr<WeftLan>& lan = lans[networks[link.upper.index]];
            lan = lan ? lan : CreateObject<WeftLan>();
            m_nics[link.lower.index]->GetDevice(link.lower.port)->Connect(m_channels[i], lan);
        }
    }
}

void
WeftFabric::BeginTicks()
{
    const auto contextOf = [](const WeftNetDevice* device) {
        return device ? device->GetNode()->GetId() : Simulator::NO_CONTEXT;
    };
    std::vector<uint32_t> contexts;
    std::transform(m_nics.begin(), m_nics.end(), std::back_inserter(contexts), contextOf);
    std::transform(m_switches.begin(), m_switches.end(), std::back_inserter(contexts), contextOf);
    m_ticks.Begin(m_net, contexts);
#ifdef NS3_LOG_ENABLE
    Simulator::ScheduleNow(&WeftFabric::WatchForLogs, this); // logs may be enabled until Run()
#endif
}

void
WeftFabric::PostMessages(uint32_t src, const std::vector<WeftPost>& posts)
{
    for (const WeftPost& post : posts)
    {
        NS_ABORT_MSG_IF(post.bytes == 0, "Weft: a message of 0 bytes");
        NS_ABORT_MSG_IF(post.connection->GetSrc() != src,
                        "Weft: a message of host " << post.connection->GetSrc()
                                                   << " among those of host " << src);
    }
    RequireNumber(src, GetNHosts(), "PostMessages()", "host");
    RequirePackets("PostMessages()");
    std::vector<weft_post> all;
    std::transform(posts.begin(), posts.end(), std::back_inserter(all), [](const WeftPost& post) {
        return weft_post{post.connection->Get(), post.bytes, post.tag};
    });
    m_ticks.Do(src, [this, src, all] {
        weft_run_post(m_coreRun, src, all.data(), all.size(), GetTime());
    });
}

void
WeftFabric::Post(WeftQp* qp, uint64_t bytes, uint64_t tag)
{
    NS_ABORT_MSG_IF(bytes == 0, "Weft: a message of 0 bytes");
    RequirePackets("Post()");
    m_ticks.Do(qp->src, [this, qp, bytes, tag] { PostNow(qp, bytes, tag); });
}

void
WeftFabric::PostNow(WeftQp* qp, uint64_t bytes, uint64_t tag)
{
    LogPost(nullptr, qp, bytes);
    weft_net_post(m_net, qp, bytes, tag, GetTime(), 0);
}

void
WeftFabric::SetFlows(const std::vector<weft_flow>& flows)
{
    const int code = weft_run_set_flows(m_coreRun, flows.data(), flows.size());
    NS_ABORT_MSG_IF(code != 0, "Weft: " << weft_strerror(code));
    NoteShares();
}

void
WeftFabric::NoteShares()
{
    for (uint32_t i = 0; i < GetNServiceLevels(); i++)
    {
        m_levels.Get(i)->share = weft_run_share(m_coreRun, i);
    }
}

bool
WeftFabric::CheckConservation(std::string& error) const
{
    RequireAlive("CheckConservation()");
    RequireSettled("CheckConservation()");
    Gather();
    if (m_hasRanks && m_ranks.rank > 0)
    {
        return true; // rank 0 knows
    }
    Sync();
    std::array<char, 4096> why{};
    const bool conserves = weft_run_conserves(m_coreRun, why.data(), why.size());
    error = why.data();
    return conserves;
}

uint64_t
WeftFabric::GetPacketsInFabric() const
{
    RequireAlive("GetPacketsInFabric()");
    RequireSettled("GetPacketsInFabric()");
    return weft_net_inside(GetNet());
}

uint64_t
WeftFabric::GetPacketsInUse() const
{
    RequireSettled("GetPacketsInUse()");
    uint64_t frames = weft_net_inside(GetNet());
    for (uint32_t host = 0; host < GetNHosts(); host++)
    {
        frames += weft_net_waiting(m_net, host);
    }
    return frames;
}

void
WeftFabric::ReleasePackets()
{
    RequireSettled("ReleasePackets()");
    if (weft_net_is_over(GetNet()))
    {
        m_packets.Clear();
        m_released = true;
    }
}

Time
WeftFabric::GetLastTime() const
{
    return TimeStep(static_cast<uint64_t>(weft_net_last(GetNet())));
}

Ptr<WeftNic>
WeftFabric::GetNic(uint32_t host) const
{
    return Find(m_nics, host, "GetNic()", "host");
}

Ptr<WeftSwitch>
WeftFabric::GetSwitch(uint32_t index) const
{
    return Find(m_switches, index, "GetSwitch()", "switch");
}

Ptr<WeftChannel>
WeftFabric::GetChannel(uint64_t link) const
{
    return Find(m_channels, link, "GetChannel()", "link");
}

const weft_lb_ops*
WeftFabric::GetBalancer() const
{
    return m_levels.GetBalancer();
}

const void*
WeftFabric::GetBalancerConfig() const
{
    return m_levels.GetBalancerConfig();
}

std::vector<uint64_t>
WeftFabric::GetOutOfOrderDegrees() const
{
    std::vector<uint64_t> sum(WEFT_OOO_DEGREES);
    for (uint32_t level = 0; level < GetNServiceLevels(); level++)
    {
        const uint64_t* degrees = weft_net_algos(GetNet(), level)->ooo_degrees;
        std::transform(sum.begin(), sum.end(), degrees, sum.begin(), std::plus<>());
    }
    return sum;
}

uint32_t
WeftFabric::GetNServiceLevels() const
{
    return m_levels.GetN();
}

const weft_transport_ops*
WeftFabric::GetTransport() const
{
    return m_levels.Get(0)->transports.GetOps<weft_transport_ops>();
}

const weft_cc_ops*
WeftFabric::GetCc() const
{
    return m_levels.Get(0)->controls.GetOps<weft_cc_ops>();
}

const weft_mmu_config&
WeftFabric::GetMmuConfig() const
{
    return m_switch.GetConfigAs<weft_mmu_config>();
}

const weft_scheduler_ops*
WeftFabric::GetScheduler() const
{
    return m_scheduler.GetOps<weft_scheduler_ops>();
}

const void*
WeftFabric::GetSchedulerConfig() const
{
    return m_scheduler.GetConfig();
}

weft_link
WeftFabric::GetLink(uint64_t link) const
{
    RequireNumber(link, weft_planes_links(&m_clos), "GetLink()", "link");
    weft_link l;
    weft_planes_link(&m_clos, link, &l);
    return l;
}

weft_site
WeftFabric::GetSite(uint32_t index) const
{
    weft_site site;
    weft_clos_site(&m_clos, &GetMmuConfig(), index, m_seedInForce, m_run, &site);
    site.provides = WEFT_NEEDS_ALL;
    return site;
}

double
WeftFabric::GetRhoMax() const
{
    return m_net ? weft_run_share(m_coreRun, 0) : 1;
}

uint64_t
WeftFabric::GetSeed() const
{
    return m_seedInForce;
}

uint64_t
WeftFabric::GetRun() const
{
    return m_run;
}

DataRate
WeftFabric::GetHostRate() const
{
    return DataRate(static_cast<uint64_t>(weft_planes_host_rate(&m_clos)));
}

WeftCounters
WeftFabric::GetCounters() const
{
    WeftCounters sum{};
    if (m_net)
    {
        Gather(WEFT_GATHER_TOTAL);
        weft_net_total(GetNet(), &sum);
    }
    return sum;
}

const weft_fib*
WeftFabric::GetFib(uint32_t plane) const
{
    RequireNumber(plane, m_clos.planes, "GetFib()", "plane");
    return weft_net_fib(GetNet(), plane);
}

} // namespace ns3

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
#include <iterator>
#include <sstream>
#include <weft/psn.h>
#include <weft/refusal.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftFabric");

namespace
{
constexpr size_t NAMED_MESSAGES = 8; //!< in one error
} // namespace

WeftFabric::WeftFabric()
    : m_topology("topology", "leaf-spine"),
      m_frames("fabric", "roce"),
      m_switch("switch", "shared-buffer"),
      m_scheduler("scheduler", "strict"),
      m_faults(m_clos, m_channels, m_ticks)
{
}

WeftFabric::~WeftFabric()
{
    StopThreads();
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
    m_switches.assign(m_clos.nswitches, nullptr);
    for (uint32_t i = 0; i < m_clos.nswitches; i++)
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
    auto lan = CreateObject<WeftLan>();
    m_nics.assign(m_clos.nhosts, nullptr);
    for (uint32_t i = 0; i < m_clos.nhosts; i++)
    {
        if (IsHere(i))
        {
            auto nic = CreateObject<WeftNic>();
            const Mac48Address address = Mac48Address::Allocate();
            nic->SetAddress(address);
            nic->Setup(this, i);
            nic->Join(lan);
            GetNode(hosts, i)->AddDevice(nic);
            m_nics[i] = PeekPointer(nic);
            m_hostOf[address] = i;
        }
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
    return end.is_host ? Ptr<NetDevice>(m_nics[end.index]) : Ptr<NetDevice>(m_switches[end.index]);
}

void
WeftFabric::BuildLinks()
{
    m_channels.assign(m_clos.nlinks, nullptr);
    for (uint64_t i = 0; i < m_clos.nlinks; i++)
    {
        weft_link link;
        weft_clos_link(&m_clos, i, &link);
        const Ptr<NetDevice> lower = GetDevice(link.lower);
        const Ptr<NetDevice> upper = GetDevice(link.upper);
        if (lower || upper)
        {
            m_channels[i] = CreateObject<WeftChannel>();
            m_channels[i]->Setup(this, &m_faults, i, lower, upper);
        }
        if (lower && link.lower.is_host)
        {
            m_nics[link.lower.index]->SetLink(m_channels[i]);
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

WeftQp*
WeftFabric::CreateQpOf(uint32_t number,
                       uint64_t stream,
                       uint32_t src,
                       uint32_t dst,
                       WeftMessageListener* listener,
                       uint32_t level)
{
    NS_ABORT_MSG_IF(src == dst || src >= m_clos.nhosts || dst >= m_clos.nhosts,
                    "Weft: no QP from host " << src << " to host " << dst
                                             << ": the fabric has hosts 0.." << m_clos.nhosts - 1);
    Sync();
    CountStarter(src);
    const weft_net_qp_site site{src, dst, level, GetQpBdp(src, dst), stream, true, number};
    WeftQp* qp = nullptr;
    weft_refusal why{};
    const int code = weft_net_add_qp(m_net, &site, &qp, &why);
    NS_ABORT_MSG_IF(code != 0,
                    "Weft: " << m_levels.Get(level)->Format() << ": "
                             << weft_refusal_text(code, &why));
    m_listeners[number] = WeftListenerRef(listener);
    if (listener && !listener->NeedsTime() && !listener->IsThreadSafe())
    {
        StopThreads();
    }
    if (listener && listener->NeedsTime())
    {
        Watch(src);
        Watch(dst);
    }
    ApplyDrops(qp);
    NS_LOG_INFO("QP " << qp->index << " from host " << src << " to host " << dst << ", UDP port "
                      << qp->sport << ", first PSN " << qp->first_psn);
    return qp;
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
    m_ticks.Do(src, [this, src, posts] { PostAllNow(src, posts); });
}

void
WeftFabric::PostAllNow(uint32_t src, const std::vector<WeftPost>& posts)
{
    uint32_t planned = 0; // bit of each service level whose planner has seen its messages
    for (const WeftPost& post : posts)
    {
        const uint32_t level = post.connection->GetServiceLevel();
        WeftPlanner& planner = m_levels.Get(level)->planner;
        if (!planner.IsActive())
        {
            PostNow(post.connection->GetQp(0), post.bytes, post.tag);
        }
        else if (!(planned >> level & 1))
        {
            planned |= 1U << level;
            std::vector<WeftPost> its;
            std::copy_if(posts.begin(), posts.end(), std::back_inserter(its), [level](auto& one) {
                return one.connection->GetServiceLevel() == level;
            });
            planner.Post(src, its, GetTime());
        }
    }
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
    if (!qp->given_up)
    {
        NS_LOG_INFO("QP " << qp->index << ": message " << qp->nwqes + 1 << ", " << bytes
                          << " B, to host " << qp->dst);
    }
    weft_net_post(m_net, qp, bytes, tag, GetTime(), 0);
}

void
WeftFabric::ScheduleFailure(uint64_t link, Time at, Time repair)
{
    RequireAlive("ScheduleFailure()");
    m_faults.ScheduleFailure(link, at, repair);
}

void
WeftFabric::ForgetFaults()
{
    m_faults.Forget();
}

void
WeftFabric::ScheduleDegradation(uint64_t link, DataRate rate, Time at, Time repair)
{
    RequireAlive("ScheduleDegradation()");
    m_faults.ScheduleDegradation(link, rate, at, repair);
}

void
WeftFabric::SetFlows(const std::vector<weft_flow>& flows)
{
    const auto splitOf = [](const WeftServiceLevel& level) {
        const bool ideal = level.controls.GetOps<weft_cc_ops>() == weft_cc_find("ideal");
        return ideal
                 ? static_cast<weft_split>(level.controls.GetConfigAs<weft_cc_ideal_config>().split)
                 : WEFT_SPLIT_PATH;
    };
    const weft_split split = splitOf(*m_levels.Get(0));
    m_rhoMax = m_faults.GetRhoMax(flows, split);
    for (uint32_t i = 0; i < GetNServiceLevels(); i++)
    {
        const weft_split own = splitOf(*m_levels.Get(i));
        m_levels.Get(i)->share = own == split ? m_rhoMax : m_faults.GetRhoMax(flows, own);
        weft_net_set_share(m_net, i, m_levels.Get(i)->share);
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
    WeftAccounts::Check(GetNet(), m_clos.nswitches, error);
    error += DescribeUndelivered();
    return error.empty();
}

std::string
WeftFabric::DescribeUndelivered() const
{
    std::ostringstream text;
    size_t n = 0;
    for (uint32_t k = 0; k < GetNQps(); k++)
    {
        const WeftQp* qp = weft_net_qp(m_net, k);
        for (size_t i = qp ? qp->delivered : 0; qp && i < qp->acked; i++)
        {
            if (n++ < NAMED_MESSAGES)
            {
                text << (n == 1 ? ": " : ", ") << "message " << qp->wqes[i].tag << " of QP "
                     << qp->index << " (host " << qp->src << " to host " << qp->dst << ")";
            }
        }
    }
    const std::string those = text.str() + (n > NAMED_MESSAGES ? " and others. " : ". ");
    return n == 0 ? ""
                  : std::to_string(n) + (n == 1 ? " message is" : " messages are") +
                        " acknowledged and not delivered" + those;
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
    RequireNumber(link, m_clos.nlinks, "GetLink()", "link");
    weft_link l;
    weft_clos_link(&m_clos, link, &l);
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
    return m_rhoMax;
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
    return DataRate(static_cast<uint64_t>(m_clos.host_rate));
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
WeftFabric::GetFib() const
{
    return weft_net_fib(GetNet());
}

} // namespace ns3

/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-fabric.h"

#include "weft-channel.h"
#include "weft-nic.h"
#include "weft-switch.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <weft/error.h>
#include <weft/tor.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftFabric");

namespace
{

constexpr uint32_t LARGE_HOSTS = 1024; //!< from here on a fabric does not fit the caches
constexpr uint32_t LARGE_QPS = 8192;   //!< or its QPs do not

} // namespace

WeftFabric::WeftFabric()
    : m_topology("topology", "leaf-spine"),
      m_frames("fabric", "roce"),
      m_switch("switch", "shared-buffer"),
      m_scheduler("scheduler", "strict"),
      m_sites(m_clos, m_frame),
      m_qps(m_sites),
      m_faults(m_clos, m_channels, MakeCallback(&WeftFabric::Reroute, this)),
      m_lossTeller(this)
{
}

WeftFabric::~WeftFabric()
{
}

void
WeftFabric::DoDispose()
{
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
    m_torActive = m_levels.HasTor();
    if (!m_levels.Check(m_frame, GetMmuConfig(), error) || !BuildSwitches(switches, error))
    {
        return false;
    }
    BuildNics(hosts);
    BuildLinks();
    m_faults.Begin();
    UpdateFaulty();
    CheckFootprint();
    for (uint32_t i = 0; i < m_levels.GetN(); i++)
    {
        NS_LOG_INFO(m_topology.Format() << "; " << m_levels.Get(i)->Format() << "; seed " << m_seed
                                        << " run " << m_run);
    }
    return m_levels.Build(m_sites, error);
}

void
WeftFabric::CheckFootprint() const
{
    FabricSimulatorImpl* simulator = FabricSimulatorImpl::Get();
    if (simulator && (m_clos.nhosts >= LARGE_HOSTS || m_qps.GetN() >= LARGE_QPS))
    {
        simulator->SetLarge(true);
    }
}

void
WeftFabric::RequireLevel(uint32_t level) const
{
    NS_ABORT_MSG_IF(level >= m_levels.GetN(),
                    "Weft: no service level " << level << ": the fabric has 0.."
                                              << m_levels.GetN() - 1);
}

WeftQp*
WeftFabric::CreateQp(uint32_t src, uint32_t dst, WeftMessageListener* listener, uint32_t level)
{
    RequireAlive("CreateQp()");
    RequireLevel(level);
    return CreateQpOf(m_qps.TakeStream(), src, dst, listener, level);
}

WeftQp*
WeftFabric::CreateQpOf(uint64_t stream,
                       uint32_t src,
                       uint32_t dst,
                       WeftMessageListener* listener,
                       uint32_t level)
{
    NS_ABORT_MSG_IF(src == dst || src >= m_clos.nhosts || dst >= m_clos.nhosts,
                    "Weft: no QP from host " << src << " to host " << dst
                                             << ": the fabric has hosts 0.." << m_clos.nhosts - 1);
    WeftQp* qp = m_qps.Create(src, dst, *m_levels.Get(level), stream);
    qp->nic = m_nics[src];
    qp->listener = listener;
    qp->nic->AddQp();
    NS_LOG_INFO("QP " << qp->index << " from host " << src << " to host " << dst << ", UDP port "
                      << qp->sport << ", first PSN " << qp->first_psn);
    CheckFootprint();
    return qp;
}

void
WeftFabric::AddStarters(const std::vector<uint32_t>& qps, uint32_t created)
{
    m_qps.AddStarters(qps, created);
}

uint32_t
WeftFabric::GetQpBdp(uint32_t src, uint32_t dst) const
{
    return m_qps.GetBdp(src, dst);
}

WeftConnection*
WeftFabric::Connect(uint32_t src, uint32_t dst, WeftMessageListener* listener, uint32_t level)
{
    RequireLevel(level);
    return m_qps.Connect(this, src, dst, listener, level);
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
    GetNic(src)->GetInstant().Do([this, src, posts] { PostNow(src, posts); });
}

void
WeftFabric::PostNow(uint32_t src, const std::vector<WeftPost>& posts)
{
    uint32_t planned = 0; // bit of each service level whose planner has seen its messages
    for (const WeftPost& post : posts)
    {
        const uint32_t level = post.connection->GetServiceLevel();
        WeftPlanner& planner = m_levels.Get(level)->planner;
        if (!planner.IsActive())
        {
            Post(post.connection->GetQp(0), post.bytes, post.tag);
        }
        else if (!(planned >> level & 1))
        {
            planned |= 1U << level;
            std::vector<WeftPost> its;
            std::copy_if(posts.begin(), posts.end(), std::back_inserter(its), [level](auto& one) {
                return one.connection->GetServiceLevel() == level;
            });
            planner.Post(src, its);
        }
    }
}

void
WeftFabric::Post(WeftQp* qp, uint64_t bytes, uint64_t tag)
{
    NS_ABORT_MSG_IF(bytes == 0, "Weft: a message of 0 bytes");
    RequireAlive("Post()");
    qp->nic->Post(qp, bytes, tag);
}

WeftPacket*
WeftFabric::NewReply(const weft_packet& data, weft_packet_kind kind, uint32_t psn)
{
    WeftPacket* p = m_pool.Get();
    p->d = data;
    weft_qp_make_reply(m_qps.Get(data.qp), &p->d, kind, psn);
    return p;
}

void
WeftFabric::Drop(WeftPacket* p, Loss why)
{
    NS_LOG_INFO("drop, " << WeftAccounts::GetReason(why) << ": " << p->d);
    m_accounts.CountLost(why, p->d.bytes);
    if (p->d.kind == WEFT_RAW)
    {
        m_payloads.erase(p);
    }
    if ((p->d.kind == WEFT_DATA || p->d.kind == WEFT_ACK) &&
        m_qps.Get(p->d.qp)->algos->transport->tx_lost)
    {
        m_lossTeller.Tell(p);
        return;
    }
    m_pool.Put(p);
}

void
WeftFabric::AttachPayload(WeftPacket* p, const Payload& payload)
{
    m_payloads[p] = payload;
}

WeftFabric::Payload
WeftFabric::DetachPayload(WeftPacket* p)
{
    const auto it = m_payloads.find(p);
    NS_ASSERT(it != m_payloads.end());
    Payload payload = it->second;
    m_payloads.erase(it);
    return payload;
}

void
WeftFabric::AddDrop(uint32_t qp, uint32_t offset, uint32_t count, DropPlace place)
{
    m_losses.AddDrop(qp, offset, count, place);
    UpdateFaulty();
}

void
WeftFabric::SetLossProbability(double probability)
{
    m_losses.SetProbability(probability);
    UpdateFaulty();
}

void
WeftFabric::UpdateFaulty()
{
    m_faulty = m_losses.IsActiveAtTop() || m_faults.GetFib();
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
        WeftServiceLevel* level = m_levels.Get(i);
        const weft_split own = splitOf(*level);
        level->share = own == split ? m_rhoMax : m_faults.GetRhoMax(flows, own);
    }
}

void
WeftFabric::Reroute(const weft_fib* fib, bool whole)
{
    UpdateFaulty();
    for (WeftSwitch* sw : m_switches)
    {
        sw->SetRoutes(fib);
    }
    m_levels.SetRoutes(fib, m_clos.nhosts);
    if (m_levels.HasTor() && whole != m_torActive)
    {
        SetTorActive(whole);
    }
}

void
WeftFabric::SetTorActive(bool active)
{
    NS_LOG_INFO("middleware of the ToRs is " << (active ? "on" : "off"));
    for (WeftQp* qp : m_qps.GetAll())
    {
        if (active)
        {
            m_qps.RestartTor(qp);
        }
        else if (qp->tor)
        {
            m_switches[weft_clos_tor(&m_clos, qp->dst)]->ReleaseTor(qp);
        }
    }
    m_torActive = active;
}

bool
WeftFabric::CheckConservation(std::string& error) const
{
    RequireAlive("CheckConservation()");
    m_accounts.Check(GetPacketsInFabric(), m_switches, error);
    error += m_qps.DescribeUndelivered();
    return error.empty();
}

uint64_t
WeftFabric::GetPacketsInFabric() const
{
    RequireAlive("GetPacketsInFabric()");
    uint64_t waiting = 0;
    for (const WeftNic* nic : m_nics)
    {
        waiting += nic->GetWaiting();
    }
    return GetPacketsInUse() - waiting - m_lossTeller.GetUnderWay();
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

WeftQp*
WeftFabric::GetQp(uint32_t index) const
{
    RequireNumber(index, m_qps.GetN(), "GetQp()", "QP");
    return m_qps.Get(index);
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
        const uint64_t* degrees = m_levels.Get(level)->ooo_degrees;
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
    return m_levels.Get(0)->transport;
}

const weft_cc_ops*
WeftFabric::GetCc() const
{
    return m_levels.Get(0)->cc;
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
    return m_sites.GetSwitch(index, GetMmuConfig());
}

double
WeftFabric::GetRhoMax() const
{
    return m_rhoMax;
}

uint64_t
WeftFabric::GetSeed() const
{
    return m_sites.GetSeed();
}

uint64_t
WeftFabric::GetRun() const
{
    return m_sites.GetRun();
}

DataRate
WeftFabric::GetHostRate() const
{
    return DataRate(static_cast<uint64_t>(m_clos.host_rate));
}

uint64_t
WeftFabric::GetPacketsInUse() const
{
    return m_pool.GetUsed();
}

uint64_t
WeftFabric::GetPacketsMade() const
{
    return m_pool.GetMade();
}

uint32_t
WeftFabric::GetNQps() const
{
    return m_qps.GetN();
}

const WeftCounters&
WeftFabric::GetCounters() const
{
    return m_accounts.GetCounters();
}

} // namespace ns3

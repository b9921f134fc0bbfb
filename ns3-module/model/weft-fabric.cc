/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-fabric.h"

#include "weft-channel.h"
#include "weft-nic.h"
#include "weft-switch.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <sstream>
#include <weft/error.h>
#include <weft/psn.h>
#include <weft/tor.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftFabric");
NS_OBJECT_ENSURE_REGISTERED(WeftFabric);

namespace
{

constexpr uint64_t QP_STREAM = UINT64_C(0x9b) << 40; //!< rng streams of QPs
constexpr uint32_t LARGE_HOSTS = 1024;      //!< from here on a fabric does not fit the caches
constexpr uint32_t LARGE_QPS = 8192;        //!< or its QPs do not
constexpr uint16_t FIRST_EPHEMERAL = 49152; //!< RoCEv2 source ports (RFC 6335 dynamic range)

/** @param kind registry @param text line of text @return a choice; a wrong text is fatal */
WeftChoice
MakeChoice(const char* kind, const char* text)
{
    WeftChoice choice(kind);
    choice.Set(text);
    return choice;
}

} // namespace

/** One attribute per kind of algorithm, each a line of text. */
#define WEFT_CHOICE_ATTRIBUTE(attribute, member, text, doc)                                    \
    AddAttribute(attribute,                                                                    \
                 doc,                                                                          \
                 StringValue(text),                                                            \
                 MakeStringAccessor(&WeftFabric::Set##member, &WeftFabric::Get##member##Text), \
                 MakeStringChecker())

TypeId
WeftFabric::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeftFabric")
            .SetParent<Object>()
            .SetGroupName("Weft")
            .AddConstructor<WeftFabric>()
            .WEFT_CHOICE_ATTRIBUTE("Topology",
                                   Topology,
                                   "leaf-spine",
                                   "Shape, rates and delays: a topology and its parameters")
            .WEFT_CHOICE_ATTRIBUTE("Frames", Frames, "roce", "Frame sizes and NIC behaviour")
            .WEFT_CHOICE_ATTRIBUTE("Switch", Switch, "shared-buffer", "Buffer, PFC and ECN")
            .WEFT_CHOICE_ATTRIBUTE("Scheduler",
                                   Scheduler,
                                   "strict",
                                   "Which traffic class of a switch's port sends next")
            .WEFT_CHOICE_ATTRIBUTE("Balancer", Balancer, "ecmp", "Load balancer")
            .WEFT_CHOICE_ATTRIBUTE("Transport", Transport, "nic-sr", "NIC transport")
            .WEFT_CHOICE_ATTRIBUTE("CongestionControl",
                                   Cc,
                                   "dcqcn",
                                   "Congestion control of the NICs")
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
            .AddAttribute("ConvergenceDelay",
                          "From a failure or repair to new forwarding everywhere",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&WeftFabric::m_convergence),
                          MakeTimeChecker())
            .AddAttribute("ConvergenceWeights",
                          "New forwarding weighs ports by the paths behind them (W-ECMP)",
                          BooleanValue(true),
                          MakeBooleanAccessor(&WeftFabric::m_weights),
                          MakeBooleanChecker())
            .AddAttribute("ConvergenceCapacity",
                          "It weighs them by the capacity of these paths, not their number",
                          BooleanValue(false),
                          MakeBooleanAccessor(&WeftFabric::m_capacity),
                          MakeBooleanChecker());
    return tid;
}

WeftFabric::WeftFabric()
    : m_topology(MakeChoice("topology", "leaf-spine")),
      m_frames(MakeChoice("fabric", "roce")),
      m_switch(MakeChoice("switch", "shared-buffer")),
      m_scheduler(MakeChoice("scheduler", "strict")),
      m_lossTeller(this)
{
    m_levels.push_back(std::make_unique<WeftServiceLevel>(0));
}

WeftFabric::~WeftFabric()
{
    for (WeftQp* qp : m_qps)
    {
        qp->Unref();
    }
}

void
WeftFabric::DoDispose()
{
    m_channels.clear();
    m_payloads.clear();
    Object::DoDispose();
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
    PinRandomness();
    m_frame = m_frames.GetConfigAs<weft_fabric_config>();
    JoinBalancers();
    if (!CheckLevels(error) || !BuildSwitches(switches, error))
    {
        return false;
    }
    BuildNics(hosts);
    BuildLinks();
    if (m_clos.graph)
    {
        m_fib = MakeFib({}, GetWeights(), m_fibMemory);
    }
    CheckFootprint();
    for (const auto& level : m_levels)
    {
        NS_LOG_INFO(m_topology.Format()
                    << "; " << level->Format() << "; seed " << m_seed << " run " << m_run);
    }
    return BuildLevels(error);
}

void
WeftFabric::CheckFootprint() const
{
    FabricSimulatorImpl* simulator = FabricSimulatorImpl::Get();
    if (simulator && (m_clos.nhosts >= LARGE_HOSTS || m_qps.size() >= LARGE_QPS))
    {
        simulator->SetLarge(true);
    }
}

bool
WeftFabric::BuildSwitches(const NodeContainer& switches, std::string& error)
{
    for (uint32_t i = 0; i < m_clos.nswitches; i++)
    {
        auto sw = CreateObject<WeftSwitch>();
        sw->SetAddress(Mac48Address::Allocate());
        weft_refusal why{};
        const int code = sw->Setup(this, i, &why);
        if (code != 0)
        {
            std::ostringstream text;
            text << "switch " << i << ": balancer " << FormatBalancers() << ", buffer "
                 << m_switch.Format() << ": " << weft_refusal_text(code, &why);
            error = text.str();
            return false;
        }
        switches.Get(i)->AddDevice(sw);
        m_switches.push_back(PeekPointer(sw));
    }
    return true;
}

void
WeftFabric::BuildNics(const NodeContainer& hosts)
{
    for (uint32_t i = 0; i < m_clos.nhosts; i++)
    {
        auto nic = CreateObject<WeftNic>();
        const Mac48Address address = Mac48Address::Allocate();
        nic->SetAddress(address);
        nic->Setup(this, i);
        hosts.Get(i)->AddDevice(nic);
        m_nics.push_back(PeekPointer(nic));
        m_hostOf[address] = i;
    }
}

WeftPort*
WeftFabric::GetPort(const weft_end& end) const
{
    return end.is_host ? m_nics[end.index]->GetPort() : m_switches[end.index]->GetPort(end.port);
}

void
WeftFabric::BuildLinks()
{
    m_channels.reserve(m_clos.nlinks);
    for (uint64_t i = 0; i < m_clos.nlinks; i++)
    {
        weft_link link;
        weft_clos_link(&m_clos, i, &link);
        auto channel = CreateObject<WeftChannel>();
        Ptr<NetDevice> lower(m_switches[link.upper.index]);
        if (link.lower.is_host)
        {
            m_nics[link.lower.index]->SetChannel(channel);
            lower = m_nics[link.lower.index];
        }
        else
        {
            lower = m_switches[link.lower.index];
        }
        channel->Attach(GetPort(link.lower),
                        lower,
                        GetPort(link.upper),
                        m_switches[link.upper.index]);
        m_channels.push_back(channel);
    }
}

WeftQp*
WeftFabric::CreateQp(uint32_t src, uint32_t dst, WeftMessageListener* listener, uint32_t level)
{
    NS_ABORT_MSG_IF(level >= m_levels.size(),
                    "Weft: no service level " << level << ": the fabric has 0.."
                                              << m_levels.size() - 1);
    NS_ABORT_MSG_IF(src == dst || src >= m_clos.nhosts || dst >= m_clos.nhosts,
                    "Weft: no QP from host " << src << " to host " << dst
                                             << ": the fabric has hosts 0.." << m_clos.nhosts - 1);
    NS_ABORT_MSG_IF(m_qps.size() > WEFT_QP_MASK,
                    "Weft: a fabric has at most " << WEFT_QP_MASK + 1 << " QPs");
    const auto index = static_cast<uint32_t>(m_qps.size());
    weft_rng rng;
    weft_rng_seed(&rng, m_streamSeed, m_run, QP_STREAM + index);
    weft_qp_site site{};
    site.index = index;
    site.src = src;
    site.dst = dst;
    site.sport = static_cast<uint16_t>(FIRST_EPHEMERAL +
                                       weft_rng_below(&rng, UINT16_MAX + 1 - FIRST_EPHEMERAL));
    site.transport.first_psn = m_frame.first_psn < 0 ? weft_rng_u32(&rng) & WEFT_PSN_MASK
                                                     : static_cast<uint32_t>(m_frame.first_psn);
    auto qp = new WeftQp;
    qp->nic = m_nics[src];
    qp->listener = listener;
    CountStarter(src);
    InitQpState(qp, site, *m_levels[level]);
    qp->nic->AddQp();
    m_qps.push_back(qp);
    NS_LOG_INFO("QP " << qp->index << " from host " << src << " to host " << dst << ", UDP port "
                      << qp->sport << ", first PSN " << qp->first_psn);
    CheckFootprint();
    return qp;
}

void
WeftFabric::InitQpState(WeftQp* qp, weft_qp_site& site, const WeftServiceLevel& level)
{
    const auto words = [](size_t bytes) { return (bytes + 7) / 8; };
    const weft_lb_ops* lb = level.GetBalancer();
    const void* config = level.path_config;
    const weft_last_hop hop = GetLastHop();
    const bool tracked = (lb->tor || lb->flow_size) &&
                         weft_clos_tor(&m_clos, site.src) != weft_clos_tor(&m_clos, site.dst);
    const size_t nic = words(weft_qp_size(&level));
    const size_t tor = tracked && lb->tor ? words(lb->tor->qp_size(config, &hop)) : 0;
    const size_t flow = tracked && lb->flow_size ? words(lb->flow_size(config)) : 0;
    qp->memory.assign(nic + tor + flow, 0);
    site.cc = GetCcSite(site.src, site.dst);
    site.transport.qp = site.index;
    site.transport.rate = site.cc.line_rate;
    site.transport.base_rtt = site.cc.base_rtt;
    site.transport.frame = site.cc.frame;
    site.transport.seed = m_streamSeed;
    site.transport.run = m_run;
    if (level.path)
    {
        site.path = GetPathSite(site.src);
        site.path.seed = weft_level_seed(m_streamSeed, level.sl);
        site.path.qp_bdp = GetQpBdp(site.src, site.dst);
        site.path.dst = site.dst;
    }
    weft_refusal why{};
    site.cc.why = &why;
    site.path.why = &why;
    const int code = weft_qp_init(qp, qp->memory.data(), &level, &site, WeftNow());
    NS_ABORT_MSG_IF(code != 0, "Weft: " << level.Format() << ": " << weft_refusal_text(code, &why));
    if (tracked)
    {
        qp->tor = lb->tor ? qp->memory.data() + nic : nullptr;
        qp->flow = lb->flow_size ? qp->memory.data() + nic + tor : nullptr;
        InitQpTor(qp, level);
    }
}

WeftConnection*
WeftFabric::Connect(uint32_t src, uint32_t dst, WeftMessageListener* listener, uint32_t level)
{
    const auto index = static_cast<uint32_t>(m_connections.size());
    m_connections.push_back(
        std::make_unique<WeftConnection>(this, index, src, dst, listener, level));
    return m_connections.back().get();
}

void
WeftFabric::PostMessages(uint32_t src, const std::vector<WeftPost>& posts)
{
    WeftPlanner& planner = m_levels[posts.front().connection->GetServiceLevel()]->planner;
    if (planner.IsActive())
    {
        planner.Post(src, posts);
        return;
    }
    for (const WeftPost& post : posts)
    {
        Post(post.connection->GetQp(0), post.bytes, post.tag);
    }
}

void
WeftFabric::Post(WeftQp* qp, uint64_t bytes, uint64_t tag)
{
    NS_ABORT_MSG_IF(bytes == 0, "Weft: a message of 0 bytes");
    qp->nic->Post(qp, bytes, tag);
}

WeftPacket*
WeftFabric::NewReply(const weft_packet& data, weft_packet_kind kind, uint32_t psn)
{
    WeftPacket* p = m_pool.Get();
    p->d = data;
    weft_qp_make_reply(m_qps[data.qp], &p->d, kind, psn);
    return p;
}

const char*
WeftFabric::GetReason(Loss why)
{
    static const char* const reasons[] = {"no room in the switch",
                                          "dead link or no route",
                                          "injected",
                                          "NACK blocked by the ToR",
                                          "has come to its ToR"};
    return reasons[why];
}

void
WeftFabric::Drop(WeftPacket* p, Loss why)
{
    NS_LOG_INFO("drop, " << GetReason(why) << ": " << p->d);
    m_counters.lost[why]++;
    m_counters.lostBytes += p->d.bytes;
    if (p->d.kind == WEFT_RAW)
    {
        m_payloads.erase(p);
    }
    if ((p->d.kind == WEFT_DATA || p->d.kind == WEFT_ACK) &&
        m_qps[p->d.qp]->algos->transport->tx_lost)
    {
        TellLoss(p);
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

Ptr<WeftNic>
WeftFabric::GetNic(uint32_t host) const
{
    return m_nics[host];
}

Ptr<WeftSwitch>
WeftFabric::GetSwitch(uint32_t index) const
{
    return m_switches[index];
}

Ptr<WeftChannel>
WeftFabric::GetChannel(uint64_t link) const
{
    return m_channels[link];
}

} // namespace ns3

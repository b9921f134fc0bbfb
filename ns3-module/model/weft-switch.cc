/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-switch.h"

#include "weft-fabric.h"
#include "weft-qp.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <weft/error.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftSwitch");
NS_OBJECT_ENSURE_REGISTERED(WeftSwitch);

namespace
{
constexpr uint64_t SWITCH_STREAM = UINT64_C(0x5317c4) << 32; //!< rng streams of switches
constexpr uint64_t PORT_STREAM = UINT64_C(0x3907) << 48;     //!< rng streams of their ports
constexpr uint64_t TIE_STREAM = UINT64_C(0x71e5) << 32;      //!< rng streams of their ties
} // namespace

TypeId
WeftSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeftSwitch")
            .SetParent<WeftNetDevice>()
            .SetGroupName("Weft")
            .AddConstructor<WeftSwitch>()
            .AddTraceSource("Drop",
                            "A frame was dropped: no buffer, no route, or an injected loss",
                            MakeTraceSourceAccessor(&WeftSwitch::m_dropTrace),
                            "ns3::WeftNetDevice::PacketTracedCallback")
            .AddTraceSource("Mark",
                            "A data frame got its ECN mark here",
                            MakeTraceSourceAccessor(&WeftSwitch::m_markTrace),
                            "ns3::WeftNetDevice::PacketTracedCallback")
            .AddTraceSource("Trim",
                            "A data frame loses its payload here: the frame as it was",
                            MakeTraceSourceAccessor(&WeftSwitch::m_trimTrace),
                            "ns3::WeftNetDevice::PacketTracedCallback")
            .AddTraceSource("NackBlocked",
                            "The ToR middleware blocked a NACK",
                            MakeTraceSourceAccessor(&WeftSwitch::m_blockTrace),
                            "ns3::WeftNetDevice::PacketTracedCallback")
            .AddTraceSource("Pause",
                            "A PFC frame was sent: port, class, pause or resume",
                            MakeTraceSourceAccessor(&WeftSwitch::m_pauseTrace),
                            "ns3::WeftSwitch::PauseTracedCallback");
    return tid;
}

WeftSwitch::WeftSwitch()
{
}

WeftSwitch::~WeftSwitch()
{
}

void
WeftSwitch::DoDispose()
{
    for (uint32_t i = 0; i < m_nports; i++)
    {
        m_port[i].Unref();
    }
    m_nports = 0;
    if (m_torBalancer)
    {
        m_torBalancer->Unref(); // a scheduler may still hold it
        m_torBalancer = nullptr;
    }
    if (m_drain)
    {
        m_drain->Unref();
        m_drain = nullptr;
    }
    WeftNetDevice::DoDispose();
}

int
WeftSwitch::Setup(Ptr<WeftFabric> fabric, uint32_t index, weft_refusal* why)
{
    m_fabric = fabric;
    m_index = index;
    weft_clos_switch(&fabric->GetClos(), index, &m_map);
    const uint32_t nports = weft_map_nports(&m_map);
    if (const int code = weft_mmu_check(&fabric->GetMmuConfig(), nports, why))
    {
        return code;
    }
    const int64_t size = weft_mmu_size(&fabric->GetMmuConfig(), nports);
    m_mmuMemory.assign(static_cast<size_t>(size) / 8 + 1, 0);
    m_mmu = reinterpret_cast<weft_mmu*>(m_mmuMemory.data());
    if (const int code = weft_mmu_init(m_mmu, &fabric->GetMmuConfig(), nports))
    {
        return code;
    }
    m_owner = PeekPointer(fabric);
    const weft_mmu_config& buffer = m_mmu->config;
    m_marksAtEnqueue = buffer.ecn && buffer.ecn_at == WEFT_ECN_ENQUEUE;
    m_marksAtDequeue = buffer.ecn && buffer.ecn_at == WEFT_ECN_DEQUEUE;
    m_countsByClass = weft_mmu_counts_by_class(&buffer);

    m_port = static_cast<WeftPort*>(WeftArenaAllocateRow(nports, sizeof(WeftPort)));
    for (; m_nports < nports; m_nports++)
    {
        int64_t rate;
        int64_t delay;
        weft_clos_port(&fabric->GetClos(), index, m_nports, &rate, &delay);
        ::new (m_port + m_nports) WeftPort(m_nports, rate, delay, fabric->GetFrameConfig().gap);
        m_port[m_nports].SetSwitch(this);
    }
    m_instant->Reserve(nports);
    m_inServiceMemory.resize(nports);
    m_inService = m_inServiceMemory.data();

    // An ingress and its class share 16 bits in InService.
    NS_ABORT_MSG_IF(weft_mmu_index(m_mmu, nports, 0) > UINT16_MAX,
                    "Weft: a switch of " << nports << " ports");
    SetUpClasses();

    m_lb = fabric->GetBalancer();
    for (uint32_t i = 0; m_map.tier == 0 && i < fabric->GetNServiceLevels(); i++)
    {
        m_torOps[i] = fabric->GetServiceLevel(i)->GetBalancer()->tor;
        m_hasTorOps = m_hasTorOps || m_torOps[i];
    }
    m_pick = m_lb->pick;
    m_oblivious = !weft_lb_looks(m_lb, fabric->GetBalancerConfig());
    m_peek = m_lb->peek;
    m_inspects[0] = m_marksAtDequeue || m_lb->leave;
    m_inspects[1] = m_inspects[0] || m_hasTorOps;
    const int code = InitRandomness(why);
    MakeDrain();
    if (m_lb->arrive && m_map.tier == 0)
    {
        m_torBalancer = new WeftTorBalancer(m_owner, this);
    }
    return code;
}

int
WeftSwitch::InitRandomness(weft_refusal* why)
{
    const uint64_t seed = m_owner->GetSeed();
    const uint64_t run = m_owner->GetRun();
    weft_rng ties;
    weft_rng_seed(&ties, seed, run, TIE_STREAM + m_index);
    m_tieSalt = uint64_t{weft_rng_u32(&ties)} << 32;
    m_tieSalt |= weft_rng_u32(&ties);
    weft_rng_seed(&m_rng, seed, run, SWITCH_STREAM + m_index);
    m_departureRng.resize(m_marksAtDequeue ? m_nports : 0);
    for (uint32_t port = 0; port < m_departureRng.size(); port++)
    {
        const uint64_t stream = PORT_STREAM + (uint64_t{m_index} << 16 | port);
        weft_rng_seed(&m_departureRng[port], seed, run, stream);
    }
    weft_site site = m_owner->GetSite(m_index);
    site.reader = &m_reader;
    site.why = why;
    m_lbMemory.assign(m_lb->state_size(m_owner->GetBalancerConfig(), &site) / 8 + 2, 0);
    m_lbState = m_lbMemory.data();
    return m_lb->init(m_lbState, m_owner->GetBalancerConfig(), &site);
}

const weft_mmu&
WeftSwitch::GetBuffer(bool through)
{
    // Settling may resume a paused neighbour, and looking must change nothing. While one is paused,
    // an event at the end of each frame keeps the buffer up to date.
    if (m_pausedIngress == 0)
    {
        const int64_t now = WeftNow();
        SettleAll(through || m_instant->HasReached(now) ? now : now - 1);
    }
    return *m_mmu;
}

void
WeftSwitch::SetRoutes(const weft_fib* fib)
{
    if (m_lb->set_routes)
    {
        m_lb->set_routes(m_lbState, fib);
    }
}

void
WeftSwitch::Note(WeftPacket* p)
{
    m_instant->Note(
        WeftInstant::ARRIVAL,
        static_cast<uint64_t>(p->d.in_port ^ weft_tie_order(m_tieSalt, WeftNow())),
        [](void* of, uint64_t what, int64_t now) {
            static_cast<WeftSwitch*>(of)->Arrive(PacketOf(what), now);
        },
        this,
        WhatOf(p));
}

void
WeftSwitch::Arrive(WeftPacket* p, int64_t now)
{
    m_owner->GetAccounts().CountHop();
    if (__builtin_expect(m_watchesLinks, 0) && IsCut(p, now))
    {
        return;
    }
    p->d.hops++;
    Settle(now);
    if (m_hasTorOps && p->d.in_port < m_map.first_up &&
        (p->d.kind == WEFT_ACK || p->d.kind == WEFT_NACK))
    {
        ArriveAtTor(p, now);
        return;
    }
    PassBalancer(p, now);
}

void
WeftSwitch::RequireBalancersOwn(const WeftPacket* p) const
{
    const unsigned kind = p->d.kind;
    NS_ABORT_MSG_IF(kind == WEFT_ACK || kind == WEFT_NACK || kind == WEFT_CNP,
                    "Weft: balancer " << m_lb->algo.name << " has written into a reply: " << p->d
                                      << "; its echo and meta are the transport's");
}

bool
WeftSwitch::IsCut(WeftPacket* p, int64_t now)
{
    const bool cut = m_port[p->d.in_port].WasCut(p, now);
    if (cut)
    {
        m_owner->Drop(p, WeftFabric::DROP_LINK);
    }
    return cut;
}

void
WeftSwitch::ArriveAtTor(WeftPacket* p, int64_t now)
{
    if (PassesTor(p))
    {
        PassBalancer(p, now);
    }
}

void
WeftSwitch::ArriveAtBalancer(WeftPacket* p, int64_t now)
{
    const uint64_t notes = p->GetNotes();
    const bool forwards = m_torBalancer->Arrive(p, now);
    if (forwards)
    {
        if (p->GetNotes() != notes)
        {
            RequireBalancersOwn(p);
        }
        Forward(p, now);
    }
}

void
WeftSwitch::ReadPort(void* of, uint32_t port, int64_t now, weft_port_status* status)
{
    auto sw = static_cast<WeftSwitch*>(of);
    if (sw->m_inService[port].end <= now && sw->m_pausedIngress == 0)
    {
        sw->Release(port);
    }
    const WeftPort& p = sw->m_port[port];
    *status = {p.GetRate(), p.GetBytes(), weft_mmu_queues(sw->m_mmu)[port], p.GetPausedClasses()};
}

void
WeftSwitch::AddCounters(weft_lb_counters& sum) const
{
    if (m_lb->counters)
    {
        const weft_lb_counters* c = m_lb->counters(m_lbState);
        sum.reroutes += c->reroutes;
        sum.probes += c->probes;
        sum.notices += c->notices;
        sum.held += c->held;
        sum.flushed += c->flushed;
        sum.full += c->full;
        sum.queues = std::max(sum.queues, c->queues);
    }
}

// Inlined: a call of Buffer() or Dispatch() would cost every hop 15 instructions.
[[gnu::always_inline]] inline bool
WeftSwitch::Buffer(WeftPacket* p, uint32_t out, bool held, int64_t now)
{
    if (m_inService[out].end <= now)
    {
        Release(out);
    }
    if (weft_mmu_admits_easily(m_mmu, p->d.in_port, out, p->d.tclass, p->d.bytes))
    {
        weft_mmu_take(m_mmu, p->d.in_port, out, p->d.tclass, p->d.bytes);
    }
    else if (!AdmitsExactly(p, out, held, now))
    {
        return false;
    }
    // What was queued before it, and itself, may have been trimmed.
    const uint32_t queue = weft_mmu_queues(m_mmu)[out];
    uint32_t& peak = m_peakQueue[out >= m_map.first_up];
    if (queue > peak)
    {
        peak = queue;
    }
    MarkAtEnqueue(p, out, queue - p->d.bytes);
    return true;
}

[[gnu::always_inline]] inline void
WeftSwitch::Dispatch(WeftPacket* p, uint32_t out, int64_t now)
{
    if (Buffer(p, out, false, now))
    {
        m_port[out].Enqueue(p, now);
    }
}

void
WeftSwitch::Forward(WeftPacket* p, int64_t now)
{
    if (__builtin_expect(m_owner->IsFaulty(), 0))
    {
        ForwardFaulty(p, now);
        return;
    }
    weft_ports ports;
    weft_route(&m_map, p->d.dst, &ports);
    ports.queue_bytes = weft_mmu_queues(m_mmu);
    const uint32_t out = Choose(p, ports, now);
    NS_LOG_LOGIC("switch " << m_index << ": port " << out << ", one of " << ports.n << ", for "
                           << p->d);
    Dispatch(p, out, now);
}

void
WeftSwitch::ForwardFaulty(WeftPacket* p, int64_t now)
{
    const weft_fib* fib = m_owner->GetFib();
    weft_ports ports;
    if (!fib)
    {
        weft_route(&m_map, p->d.dst, &ports);
    }
    else if (!weft_fib_route(fib, m_index, &m_map, p->d.dst, &ports))
    {
        Drop(p, WeftFabric::DROP_LINK);
        return;
    }
    ports.queue_bytes = weft_mmu_queues(m_mmu);
    const uint32_t out = weft_lb_picks(m_lb, &ports) ? Ask(p, ports, now) : weft_port_at(&ports, 0);
    NS_LOG_LOGIC("switch " << m_index << ": port " << out << ", one of the " << ports.n
                           << " that are left, for " << p->d);
    if (IsInjectedLoss(p, out))
    {
        Drop(p, WeftFabric::DROP_INJECTED);
        return;
    }
    Dispatch(p, out, now);
}

bool
WeftSwitch::IsInjectedLoss(const WeftPacket* p, uint32_t out)
{
    if (p->d.kind != WEFT_DATA)
    {
        return false;
    }
    // A graph has no top: its last switch stands for it.
    const bool turns = m_owner->GetClos().graph
                         ? m_port[out].FacesHost()
                         : out < m_map.first_up && p->d.in_port < m_map.first_up;
    return turns && m_owner->GetInjectedLosses().IsLostAtTop(p->d, m_rng);
}

void
WeftSwitch::Expect(const WeftPacket* p) const
{
    weft_ports ports;
    weft_route(&m_map, p->d.dst, &ports);
    if (ports.n == 1)
    {
        Prefetch(p, weft_port_at(&ports, 0));
    }
    else if (m_peek && ports.n > 0)
    {
        Prefetch(p, m_peek(m_lbState, &ports, &p->d));
    }
}

void
WeftSwitch::Prefetch(const WeftPacket* p, uint32_t out) const
{
    m_port[out].Prefetch();
    __builtin_prefetch(m_inService + out, 1);
    __builtin_prefetch(weft_mmu_queues(m_mmu) + out, 1);
    __builtin_prefetch(weft_mmu_ingresses(m_mmu) + p->d.in_port * 2U, 1);
}

uint32_t
WeftSwitch::GetHostPort(const WeftPacket* p) const
{
    weft_ports ports;
    weft_route(&m_map, p->d.dst, &ports);
    NS_ASSERT(ports.n == 1);
    return weft_port_at(&ports, 0);
}

bool
WeftSwitch::BuffersForHost(WeftPacket* p, int64_t now)
{
    return Buffer(p, GetHostPort(p), true, now);
}

void
WeftSwitch::EnqueueForHost(WeftPacket* p, int64_t now)
{
    m_port[GetHostPort(p)].Enqueue(p, now);
}

bool
WeftSwitch::AdmitsExactly(WeftPacket* p, uint32_t out, bool held, int64_t now)
{
    SettleAll(now);
    const weft_packet& d = p->d;
    const bool header = (d.flags & WEFT_F_TRIMMED) != 0;
    unsigned verdict = weft_mmu_admit(m_mmu, d.in_port, out, d.tclass, d.bytes);
    if (verdict == WEFT_MMU_TRIM)
    {
        verdict = d.kind == WEFT_DATA
                    ? Trim(p, out, held)
                    : weft_mmu_admit_whole(m_mmu, d.in_port, out, d.tclass, d.bytes);
    }
    if (verdict & WEFT_MMU_PAUSE)
    {
        Pause(d.in_port, d.tclass, now);
    }
    if (verdict & WEFT_MMU_ADMIT)
    {
        return true;
    }
    m_mmu->header_drops += header; // weft_mmu_admit_header() counts one that was trimmed here
    Drop(p, WeftFabric::DROP_BUFFER);
    return false;
}

void
WeftSwitch::Drop(WeftPacket* p, int why)
{
    m_dropTrace(p->d);
    m_owner->Drop(p, static_cast<WeftFabric::Loss>(why));
}

void
WeftSwitch::Mark(WeftPacket* p, uint32_t out)
{
    NS_LOG_LOGIC("switch " << m_index << " marks " << p->d);
    p->d.flags |= WEFT_F_CE;
    m_marks[out >= m_map.first_up]++;
    m_markTrace(p->d);
}

void
WeftSwitch::Inspect(WeftPacket* p, uint32_t out, bool toHost, int64_t now)
{
    if (m_marksAtDequeue &&
        weft_mmu_mark(m_mmu,
                      GetMarkedQueue(p, out, weft_mmu_queues(m_mmu)[out] - p->d.bytes),
                      &m_departureRng[out]))
    {
        Mark(p, out);
    }
    if (m_lb->leave)
    {
        m_lb->leave(m_lbState, &p->d, out, now);
    }
    if (toHost && m_hasTorOps && m_owner->IsTorActive())
    {
        RunTor(p, out, now);
    }
}

} // namespace ns3

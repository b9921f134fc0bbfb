/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-switch.h"

#include "weft-fabric.h"
#include "weft-qp.h"

#include "ns3/log.h"

#include <weft/error.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftSwitch");
NS_OBJECT_ENSURE_REGISTERED(WeftSwitch);

namespace
{
constexpr uint64_t SWITCH_STREAM = UINT64_C(0x5317c4) << 32; //!< rng streams of switches
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
    for (WeftPort* port : m_ports)
    {
        port->Unref();
    }
    m_ports.clear();
    WeftNetDevice::DoDispose();
}

int
WeftSwitch::Setup(Ptr<WeftFabric> fabric, uint32_t index)
{
    m_fabric = fabric;
    m_index = index;
    weft_clos_switch(&fabric->GetClos(), index, &m_map);
    const uint32_t nports = weft_map_nports(&m_map);
    weft_rng_seed(&m_rng, fabric->GetSeed(), fabric->GetRun(), SWITCH_STREAM + index);

    const int64_t size = weft_mmu_size(nports);
    if (size < 0)
    {
        return static_cast<int>(size);
    }
    m_mmuMemory.assign(static_cast<size_t>(size) / 8 + 1, 0);
    m_mmu = weft_mmu_init(m_mmuMemory.data(), &fabric->GetMmuConfig(), nports);
    if (!m_mmu)
    {
        return WEFT_ERANGE;
    }
    m_owner = PeekPointer(fabric);
    m_shortFrame = static_cast<uint32_t>(fabric->GetFrameConfig().ack);
    const weft_mmu_config& buffer = m_mmu->config;
    m_marksAtEnqueue = buffer.ecn && buffer.ecn_at == WEFT_ECN_ENQUEUE;
    m_marksAtDequeue = buffer.ecn && buffer.ecn_at == WEFT_ECN_DEQUEUE;

    for (uint32_t i = 0; i < nports; i++)
    {
        const bool host = m_map.tier == 0 && i < m_map.first_up;
        auto port = new WeftPort(i,
                                 fabric->GetLinkRate(host),
                                 fabric->GetLinkDelay(host),
                                 fabric->GetFrameConfig().gap);
        port->SetSwitch(this);
        m_ports.push_back(port);
    }
    m_port = m_ports.data();

    m_lb = fabric->GetBalancer();
    m_torOps = m_map.tier == 0 ? m_lb->tor : nullptr;
    m_pick = m_lb->pick;
    const weft_site site = fabric->GetSite(index);
    m_lbMemory.assign(m_lb->state_size(fabric->GetBalancerConfig(), &site) / 8 + 2, 0);
    m_lbState = m_lbMemory.data();
    return m_lb->init(m_lbState, fabric->GetBalancerConfig(), &site);
}

const weft_mmu&
WeftSwitch::GetBuffer()
{
    // Settling may resume a paused neighbour, and looking must change nothing. While one is paused,
    // an event at the end of each frame keeps the buffer up to date.
    if (m_pausedIngress == 0)
    {
        Settle(WeftNow());
    }
    return *m_mmu;
}

void
WeftSwitch::SetHealthy(bool healthy)
{
    if (m_lb->set_healthy)
    {
        m_lb->set_healthy(m_lbState, healthy);
    }
}

void
WeftSwitch::Arrive(WeftPacket* p, int64_t now)
{
    m_owner->CountHop();
    if (m_watchesLinks && m_port[p->d.in_port]->WasCut(p, now))
    {
        m_owner->Drop(p, WeftFabric::DROP_LINK);
        return;
    }
    p->d.hops++;
    Settle(now);
    if (m_torOps && p->d.kind == WEFT_NACK && !PassesTor(p))
    {
        return;
    }
    Forward(p, now);
}

bool
WeftSwitch::PassesTor(WeftPacket* p)
{
    if (p->d.in_port >= m_map.first_up || !m_owner->IsTorActive())
    {
        return true;
    }
    void* state = m_owner->GetQp(p->d.qp)->tor;
    if (!state || m_torOps->from_host(state, &p->d, &m_tor))
    {
        return true;
    }
    m_blockTrace(p->d);
    m_owner->Drop(p, WeftFabric::BLOCKED);
    return false;
}

bool
WeftSwitch::Route(const WeftPacket* p, weft_ports& ports) const
{
    const weft_fib* fib = m_owner->GetFib();
    if (fib)
    {
        return weft_fib_route(fib, m_index, &m_map, p->d.dst, &ports);
    }
    weft_route(&m_map, p->d.dst, &ports);
    return true;
}

bool
WeftSwitch::IsInjectedLoss(const WeftPacket* p)
{
    return p->d.kind == WEFT_DATA && m_owner->TakeInjectedLoss(p->d, m_rng);
}

void
WeftSwitch::Forward(WeftPacket* p, int64_t now)
{
    weft_ports ports;
    ports.queue_bytes = m_mmu->queue_bytes;
    if (!Route(p, ports))
    {
        m_dropTrace(p->d);
        m_owner->Drop(p, WeftFabric::DROP_LINK);
        return;
    }
    const uint32_t out =
        ports.n == 1 ? weft_port_at(&ports, 0) : m_pick(m_lbState, &ports, &p->d, now);
    if (m_owner->InjectsLoss() && out < m_map.first_up && p->d.in_port < m_map.first_up &&
        IsInjectedLoss(p))
    {
        m_dropTrace(p->d);
        m_owner->Drop(p, WeftFabric::DROP_INJECTED);
        return;
    }
    if (Admit(p, out, now))
    {
        m_port[out]->Enqueue(p, now);
    }
}

bool
WeftSwitch::Admit(WeftPacket* p, uint32_t out, int64_t now)
{
    const uint32_t bytes = p->d.bytes;
    const uint32_t queue = m_mmu->queue_bytes[out];
    const unsigned verdict = weft_mmu_admit(m_mmu, p->d.in_port, out, p->d.tclass, bytes);
    if (verdict != WEFT_MMU_ADMIT)
    {
        if (verdict & WEFT_MMU_PAUSE)
        {
            Pause(p->d.in_port, p->d.tclass, now);
        }
        if (!(verdict & WEFT_MMU_ADMIT))
        {
            m_dropTrace(p->d);
            m_owner->Drop(p, WeftFabric::DROP_BUFFER);
            return false;
        }
    }
    if (queue + bytes > m_peakQueue)
    {
        m_peakQueue = queue + bytes;
    }
    if (m_marksAtEnqueue && p->d.kind == WEFT_DATA && weft_mmu_mark(m_mmu, queue, &m_rng))
    {
        p->d.flags |= WEFT_F_CE;
        m_markTrace(p->d);
    }
    return true;
}

void
WeftSwitch::Leaving(WeftPacket* p, uint32_t out, bool toHost, int64_t now, int64_t end)
{
    if (p->d.kind == WEFT_DATA)
    {
        if (m_marksAtDequeue && weft_mmu_mark(m_mmu, m_mmu->queue_bytes[out] - p->d.bytes, &m_rng))
        {
            p->d.flags |= WEFT_F_CE;
            m_markTrace(p->d);
        }
        if (toHost && m_torOps && m_owner->IsTorActive())
        {
            RunTor(p, out, now);
        }
    }
    m_left[p->d.bytes > m_shortFrame].Push(
        {end,
         p->d.bytes,
         static_cast<uint16_t>(p->d.in_port * WEFT_CLASSES + p->d.tclass),
         static_cast<uint16_t>(out)});
}

void
WeftSwitch::RunTor(const WeftPacket* p, uint32_t out, int64_t now)
{
    WeftQp* qp = m_owner->GetQp(p->d.qp);
    uint32_t epsn;
    if (!qp->tor || !m_torOps->to_host(qp->tor, &p->d, &m_tor, &epsn))
    {
        return;
    }
    WeftPacket* nack = m_owner->NewReply(p->d, WEFT_NACK, epsn);
    nack->d.flags = WEFT_F_COMPENSATED;
    nack->d.in_port = static_cast<uint16_t>(out);
    m_owner->CountMadeByTor(nack->d.bytes);
    Forward(nack, now);
}

void
WeftSwitch::Departures::Push(const Left& left)
{
    if (!ring || tail - head > mask)
    {
        Grow();
    }
    // Frames of unlike lengths and rates end out of order; the right place is near the tail.
    uint32_t i = tail++;
    for (; i != head && ring[(i - 1) & mask].end > left.end; i--)
    {
        ring[i & mask] = ring[(i - 1) & mask];
    }
    ring[i & mask] = left;
    next = ring[head & mask].end;
}

WeftSwitch::Left
WeftSwitch::Departures::Pop()
{
    const Left left = ring[head++ & mask];
    next = head != tail ? ring[head & mask].end : INT64_MAX;
    return left;
}

void
WeftSwitch::Departures::Grow()
{
    const uint32_t places = ring ? 2 * (mask + 1) : 16;
    std::unique_ptr<Left[]> larger(new Left[places]());
    for (uint32_t i = head; i != tail; i++)
    {
        larger[i & (places - 1)] = ring[i & mask];
    }
    ring = std::move(larger);
    mask = places - 1;
}

void
WeftSwitch::ReleaseDue(int64_t now)
{
    for (;;)
    {
        // Of two frames that end together the longer one began, and is given back, first.
        Departures& first = m_left[m_left[SHORT].next < m_left[LONG].next ? SHORT : LONG];
        if (!first.IsDue(now))
        {
            return;
        }
        Release(first.Pop(), now);
    }
}

void
WeftSwitch::Release(const Left& left, int64_t now)
{
    const uint32_t in = left.inAndClass / WEFT_CLASSES;
    const uint32_t tclass = left.inAndClass % WEFT_CLASSES;
    if (weft_mmu_release(m_mmu, in, left.out, tclass, left.bytes))
    {
        m_pausedIngress--;
        m_pauseTrace(in, tclass, false);
        m_port[in]->SendPause(tclass, false, now);
    }
}

void
WeftSwitch::Pause(uint32_t in, uint32_t tclass, int64_t now)
{
    NS_LOG_LOGIC("switch " << m_index << " pauses port " << in << " class " << tclass);
    m_pausedIngress++;
    m_pauseTrace(in, tclass, true);
    m_ports[in]->SendPause(tclass, true, now);
    // From now on the end of every frame counts: arm an event for those already on a wire.
    for (WeftPort* port : m_ports)
    {
        if (now < port->GetFreeAt())
        {
            port->Arm(now);
        }
    }
}

} // namespace ns3

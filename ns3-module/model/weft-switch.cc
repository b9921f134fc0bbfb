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
    m_left.resize(64);
    m_leftMask = 63;

    for (uint32_t i = 0; i < nports; i++)
    {
        const bool host = m_map.tier == 0 && i < m_map.first_up;
        auto port = new WeftPort(PeekPointer(fabric),
                                 i,
                                 fabric->GetLinkRate(host),
                                 fabric->GetLinkDelay(host),
                                 fabric->GetFrameConfig().gap);
        port->SetSwitch(this);
        m_ports.push_back(port);
    }

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
WeftSwitch::Receive(WeftPacket* p, uint32_t in, int64_t now)
{
    Settle(now);
    p->d.in_port = static_cast<uint16_t>(in);
    if (m_torOps && p->d.kind == WEFT_NACK && in < m_map.first_up && m_fabric->IsTorActive())
    {
        void* state = m_fabric->GetQp(p->d.qp)->tor;
        if (state && !m_torOps->from_host(state, &p->d, &m_tor))
        {
            m_blockTrace(p->d);
            m_fabric->Drop(p, WeftFabric::BLOCKED);
            return;
        }
    }
    Forward(p, now);
}

bool
WeftSwitch::Route(const WeftPacket* p, weft_ports& ports) const
{
    const weft_fib* fib = m_fabric->GetFib();
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
    return p->d.kind == WEFT_DATA && m_fabric->TakeInjectedLoss(p->d, m_rng);
}

void
WeftSwitch::Forward(WeftPacket* p, int64_t now)
{
    weft_ports ports;
    ports.queue_bytes = m_mmu->queue_bytes;
    if (!Route(p, ports))
    {
        m_dropTrace(p->d);
        m_fabric->Drop(p, WeftFabric::DROP_LINK);
        return;
    }
    const uint32_t out =
        ports.n == 1 ? weft_port_at(&ports, 0) : m_pick(m_lbState, &ports, &p->d, now);
    if (m_fabric->InjectsLoss() && out < m_map.first_up && p->d.in_port < m_map.first_up &&
        IsInjectedLoss(p))
    {
        m_dropTrace(p->d);
        m_fabric->Drop(p, WeftFabric::DROP_INJECTED);
        return;
    }
    const uint32_t queue = m_mmu->queue_bytes[out];
    const unsigned verdict = weft_mmu_admit(m_mmu, p->d.in_port, out, p->d.tclass, p->d.bytes);
    if (verdict & WEFT_MMU_PAUSE)
    {
        Pause(p->d.in_port, p->d.tclass, now);
    }
    if (!(verdict & WEFT_MMU_ADMIT))
    {
        m_dropTrace(p->d);
        m_fabric->Drop(p, WeftFabric::DROP_BUFFER);
        return;
    }
    if (queue + p->d.bytes > m_peakQueue)
    {
        m_peakQueue = queue + p->d.bytes;
    }
    if (p->d.kind == WEFT_DATA && m_mmu->config.ecn_at == WEFT_ECN_ENQUEUE &&
        weft_mmu_mark(m_mmu, queue, &m_rng))
    {
        p->d.flags |= WEFT_F_CE;
        m_markTrace(p->d);
    }
    m_ports[out]->Enqueue(p, now);
}

void
WeftSwitch::Leaving(WeftPacket* p, uint32_t out, bool toHost, int64_t now, int64_t end)
{
    if (p->d.kind == WEFT_DATA)
    {
        if (m_mmu->config.ecn_at == WEFT_ECN_DEQUEUE &&
            weft_mmu_mark(m_mmu, m_mmu->queue_bytes[out] - p->d.bytes, &m_rng))
        {
            p->d.flags |= WEFT_F_CE;
            m_markTrace(p->d);
        }
        if (toHost && m_torOps && m_fabric->IsTorActive())
        {
            RunTor(p, out, now);
        }
    }
    Remember(Left{end, p->d.bytes, p->d.in_port, static_cast<uint16_t>(out), p->d.tclass});
}

void
WeftSwitch::RunTor(const WeftPacket* p, uint32_t out, int64_t now)
{
    WeftQp* qp = m_fabric->GetQp(p->d.qp);
    uint32_t epsn;
    if (!qp->tor || !m_torOps->to_host(qp->tor, &p->d, &m_tor, &epsn))
    {
        return;
    }
    WeftPacket* nack = m_fabric->NewReply(p->d, WEFT_NACK, epsn);
    nack->d.flags = WEFT_F_COMPENSATED;
    nack->d.in_port = static_cast<uint16_t>(out);
    m_fabric->CountMadeByTor(nack->d.bytes);
    Forward(nack, now);
}

void
WeftSwitch::Remember(const Left& left)
{
    if (m_leftTail - m_leftHead > m_leftMask)
    {
        GrowLeft();
    }
    // Frames of unlike sizes and rates end out of order; the right place is near the tail.
    uint32_t i = m_leftTail++;
    while (i != m_leftHead && m_left[(i - 1) & m_leftMask].end > left.end)
    {
        m_left[i & m_leftMask] = m_left[(i - 1) & m_leftMask];
        i--;
    }
    m_left[i & m_leftMask] = left;
}

void
WeftSwitch::GrowLeft()
{
    std::vector<Left> larger(m_left.size() * 2);
    for (uint32_t i = m_leftHead; i != m_leftTail; i++)
    {
        larger[i - m_leftHead] = m_left[i & m_leftMask];
    }
    m_leftTail -= m_leftHead;
    m_leftHead = 0;
    m_left.swap(larger);
    m_leftMask = static_cast<uint32_t>(m_left.size()) - 1;
}

void
WeftSwitch::Release(const Left& left, int64_t now)
{
    if (weft_mmu_release(m_mmu, left.in, left.out, left.tclass, left.bytes))
    {
        m_pausedIngress--;
        m_pauseTrace(left.in, left.tclass, false);
        m_ports[left.in]->SendPause(left.tclass, false, now);
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

/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftFabric: what the core tells of, and to whom it goes; what frames of IP stacks carry.
#include "weft-fabric.h"
#include "weft-nic.h"
#include "weft-packet.h"
#include "weft-switch.h"

#include "ns3/abort.h"
#include "ns3/ethernet-header.h"
#include "ns3/log.h"
#include "ns3/packet.h"

#include <iterator>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftFabricHooks");

namespace
{

/** Reasons why a frame did not get to a NIC, by weft_net_loss. */
const char* const REASONS[] = {"no room in the switch",
                               "dead link",
                               "injected",
                               "NACK blocked by the ToR",
                               "has come to its ToR",
                               "lossy link",
                               "corrupted",
                               "no route"};
static_assert(std::size(REASONS) == WEFT_NET_NO_ROUTE + 1);

} // namespace

Ptr<Packet>
WeftPayload::GetFrame() const
{
    EthernetHeader header(false);
    header.SetSource(from);
    header.SetDestination(to);
    header.SetLengthType(protocol);
    Ptr<Packet> frame = packet->Copy();
    frame->AddHeader(header);
    return frame;
}

WeftFabric*
WeftFabric::Told(void* of)
{
    return static_cast<WeftFabric*>(of);
}

WeftSwitch*
WeftFabric::FindSwitch(uint32_t node) const
{
    return node < GetNHosts() ? nullptr : m_switches[node - GetNHosts()];
}

weft_net_hooks
WeftFabric::MakeHooks()
{
    weft_net_hooks hooks{};
    hooks.of = this;
    hooks.delivered = [](void*, weft_qp* qp, uint64_t, int64_t) {
        NS_LOG_INFO("QP " << qp->index << ": message " << qp->delivered << " is delivered");
    };
    hooks.acked = [](void*, weft_qp* qp, uint64_t, int64_t) {
        NS_LOG_INFO("QP " << qp->index << ": message " << qp->acked << " of " << qp->nwqes
                          << " is acknowledged");
    };
    hooks.lost = [](void* of, uint32_t node, const weft_packet* p, weft_net_loss why, int64_t) {
        WeftFabric* self = Told(of);
        NS_LOG_INFO("drop, " << REASONS[why] << ": " << *p);
        if (WeftSwitch* sw = self->FindSwitch(node))
        {
            sw->TellLost(*p, why);
        }
        else
        {
            self->m_nics[node]->TellLost(*p, why);
        }
        if (p->kind == WEFT_RAW)
        {
            self->ForgetPayload(*p);
        }
    };
    hooks.gave_up = [](void* of, weft_qp* qp, int64_t) {
        Told(of)->m_nics[qp->src]->TellGaveUp(*qp);
    };
    if (m_watches)
    {
        AddFrameHooks(hooks);
    }
    if (m_watchesQueues)
    {
        AddQueueHooks(hooks);
    }
    if (m_logs)
    {
        AddLogHooks(hooks);
    }
    return hooks;
}

void
WeftFabric::AddFrameHooks(weft_net_hooks& hooks)
{
    hooks.sent = [](void* of, uint32_t host, const weft_packet* p, int64_t) {
        Told(of)->m_nics[host]->TellSent(*p);
    };
    hooks.received = [](void* of, uint32_t host, const weft_packet* p, int64_t) {
        Told(of)->m_nics[host]->TellReceived(*p);
    };
    hooks.marked = [](void* of, uint32_t index, const weft_packet* p, int64_t) {
        Told(of)->m_switches[index]->TellMarked(*p);
    };
    hooks.trimmed = [](void* of, uint32_t index, const weft_packet* p, int64_t) {
        Told(of)->m_switches[index]->TellTrimmed(*p);
    };
    hooks.paused =
        [](void* of, uint32_t index, uint32_t port, uint32_t tclass, bool pause, int64_t) {
            Told(of)->m_switches[index]->TellPaused(port, tclass, pause);
        };
}

void
WeftFabric::AddQueueHooks(weft_net_hooks& hooks)
{
    hooks.queued = [](void* of, uint32_t index, const weft_packet* p, uint32_t port, int64_t) {
        Told(of)->m_switches[index]->TellQueued(*p, port);
    };
    hooks.leaves = [](void* of, uint32_t index, const weft_packet* p, uint32_t port, int64_t) {
        Told(of)->m_switches[index]->TellLeaving(*p, port);
    };
}

void
WeftFabric::AddLogHooks(weft_net_hooks& hooks)
{
    hooks.picked =
        [](void* of, uint32_t index, const weft_packet* p, uint32_t out, uint32_t n, int64_t) {
            Told(of)->m_switches[index]->TellPicked(*p, out, n);
        };
    hooks.timed_out = [](void*, weft_qp* qp, int64_t) {
        NS_LOG_INFO("QP " << qp->index << " has a timeout at packet " << qp->una);
    };
    hooks.told_lost = [](void*, weft_qp* qp, const weft_packet* lost, int64_t) {
        NS_LOG_INFO("QP " << qp->index << " hears that " << *lost << " is lost");
    };
}

void
WeftFabric::Watch(uint32_t node)
{
    NS_ABORT_MSG_IF(m_hasRanks,
                    "Weft: something is to hear of each frame of node "
                        << node << " (a listener, a trace sink, a log or an IP stack), of a "
                        << "fabric that several ranks run; expected one rank");
    if (!m_watches)
    {
        m_watches = true;
        const weft_net_hooks hooks = MakeHooks();
        weft_net_set_hooks(m_net, &hooks);
    }
    m_ticks.Watch(node);
}

void
WeftFabric::WatchQueues()
{
    if (!m_watchesQueues)
    {
        m_watchesQueues = true;
        const weft_net_hooks hooks = MakeHooks();
        weft_net_set_hooks(m_net, &hooks);
    }
}

void
WeftFabric::WatchForLogs()
{
#ifdef NS3_LOG_ENABLE
    for (const char* name :
         {"WeftFabric", "WeftFabricHooks", "WeftNic", "WeftSwitch", "WeftCollective"})
    {
        const auto log = LogComponent::GetComponentList()->find(name);
        m_logs = m_logs ||
                 (log != LogComponent::GetComponentList()->end() && !log->second->IsNoneEnabled());
    }
    m_watches = m_watches && !m_logs; // the core is to tell of more
    for (uint32_t node = 0; m_logs && node < GetNHosts() + GetNSwitches(); node++)
    {
        Watch(node);
    }
#endif
}

void
WeftFabric::SendPayload(const weft_packet& p, const WeftPayload& payload)
{
    RequirePackets("Send()");
    Watch(p.src);
    Watch(p.dst);
    weft_packet numbered = p;
    numbered.psn = m_npayloads++ & WEFT_PSN_MASK;
    m_payloads[numbered.psn] = payload;
    m_ticks.Do(p.src,
               [this, numbered] { weft_net_send(m_net, numbered.src, &numbered, GetTime()); });
}

WeftPayload
WeftFabric::TakePayload(const weft_packet& p)
{
    auto payload = m_payloads.extract(p.psn);
    NS_ASSERT(!payload.empty());
    return payload.mapped();
}

WeftPayload
WeftFabric::GetPayload(const weft_packet& p)
{
    const std::lock_guard<std::mutex> lock(m_payloadMutex);
    return m_payloads.at(p.psn);
}

void
WeftFabric::ForgetPayload(const weft_packet& p)
{
    const std::lock_guard<std::mutex> lock(m_payloadMutex);
    m_payloads.erase(p.psn);
}

void
WeftFabric::LogWarnings(const weft_net_config& config)
{
    for (uint32_t level = 0; level < config.nlevels; level++)
    {
        uint32_t at = 0;
        weft_net_part part{};
        weft_refusal what{};
        while (weft_net_warning(&config, level, &at, &part, &what))
        {
            weft_net_name_part(&config, part, level, nullptr, &what);
            NS_LOG_WARN(what.text);
        }
    }
}

} // namespace ns3

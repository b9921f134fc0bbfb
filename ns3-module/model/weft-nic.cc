/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-nic.h"

#include "weft-channel.h"
#include "weft-fabric.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/net-device-queue-interface.h"

#include <algorithm>
#include <weft/clos.h>
#include <weft/host.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftNic");
NS_OBJECT_ENSURE_REGISTERED(WeftNic);

TypeId
WeftNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeftNic")
            .SetParent<WeftNetDevice>()
            .SetGroupName("Weft")
            .AddConstructor<WeftNic>()
            .AddAttribute("IpQueueSize",
                          "Packets of IP stacks, or their bytes, that may wait for "
                          "the wire, at least 1; further ones are dropped",
                          QueueSizeValue(QueueSize("1000p")),
                          MakeQueueSizeAccessor(&WeftNic::SetIpQueueSize, &WeftNic::GetIpQueueSize),
                          MakeQueueSizeChecker())
            .AddTraceSource("Tx",
                            "A frame starts to leave",
                            MakeTraceSourceAccessor(&WeftNic::m_txTrace),
                            "ns3::WeftNetDevice::PacketTracedCallback")
            .AddTraceSource("Rx",
                            "A frame has arrived",
                            MakeTraceSourceAccessor(&WeftNic::m_rxTrace),
                            "ns3::WeftNetDevice::PacketTracedCallback")
            .AddTraceSource("GiveUp",
                            "A QP is given up: the retry limit is reached",
                            MakeTraceSourceAccessor(&WeftNic::m_giveUpTrace),
                            "ns3::WeftNic::QpTracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A packet of an IP stack was not taken: the queue is "
                            "full, the link down, or nobody has that address",
                            MakeTraceSourceAccessor(&WeftNic::m_dropTrace),
                            "ns3::Packet::TracedCallback");
    return tid;
}

WeftNic::WeftNic()
    : m_wakeAt(WEFT_NEVER)
{
}

WeftNic::~WeftNic()
{
}

void
WeftNic::DoDispose()
{
    if (m_port)
    {
        m_port->Unref();
        m_port = nullptr;
    }
    m_link = nullptr;
    m_lan = nullptr;
    m_ipQueue = nullptr;
    WeftNetDevice::DoDispose();
}

void
WeftNic::Setup(Ptr<WeftFabric> fabric, uint32_t host)
{
    m_fabric = fabric;
    m_index = host;
    m_repliesIdeal = fabric->GetFrameConfig().ack_priority == WEFT_ACK_IDEAL;
    weft_host_init(&m_host,
                   fabric->GetLink(host).rate,
                   fabric->GetFrameConfig().ack_priority == WEFT_ACK_FIRST);
    m_port = new WeftPort(0,
                          fabric->GetLink(host).rate,
                          fabric->GetLink(host).delay,
                          fabric->GetFrameConfig().gap);
    m_port->SetNic(this);
    m_instant->Reserve(1);
    auto queues = CreateObject<NetDeviceQueueInterface>();
    AggregateObject(queues);
    m_ipQueue = queues->GetTxQueue(0);
}

void
WeftNic::Note(WeftPacket* p)
{
    const bool mail = m_repliesIdeal && p->d.kind != WEFT_DATA && p->d.kind != WEFT_RAW;
    m_instant->Note(
        mail ? WeftInstant::MAIL : WeftInstant::ARRIVAL,
        mail ? WeftInstant::MailNumber(WeftInstant::REPLY, p->d.src) : 0,
        [](void* of, uint64_t what, int64_t now) {
            static_cast<WeftNic*>(of)->Arrive(PacketOf(what), now);
        },
        this,
        WhatOf(p));
}

void
WeftNic::Arrive(WeftPacket* p, int64_t now)
{
    m_fabric->GetAccounts().CountHop();
    if (m_port->WasCut(p, now))
    {
        m_fabric->Drop(p, WeftFabric::DROP_LINK);
        return;
    }
    if (p->d.kind == WEFT_DATA && (p->d.flags & WEFT_F_DROP_AT_LAST_HOP))
    {
        m_fabric->Drop(p, WeftFabric::DROP_INJECTED);
        return;
    }
    p->d.hops++;
    m_rxTrace(p->d);
    m_fabric->GetAccounts().CountDelivered(p->d.bytes);
    switch (p->d.kind)
    {
    case WEFT_DATA:
        ReceiveData(p, now);
        break;
    case WEFT_ACK:
    case WEFT_NACK:
        ReceiveReply(p, now);
        break;
    case WEFT_CNP:
        ReceiveCnp(p, now);
        break;
    case WEFT_CONTROL:
        NS_ABORT_MSG("Weft: " << p->d << ", which is for a ToR, has come to a NIC");
    default:
        ReceiveRaw(p);
    }
}

void
WeftNic::Expect(const WeftPacket* p) const
{
    if (p->d.kind != WEFT_RAW)
    {
        m_fabric->GetQpOf(p->d)->Prefetch(p->d.kind == WEFT_DATA);
    }
}

void
WeftNic::ReceiveData(WeftPacket* p, int64_t now)
{
    WeftQp* qp = m_fabric->GetQpOf(p->d);
    weft_qp_answer answer;
    weft_qp_data(qp, &p->d, now, &answer);
    const weft_rx_verdict& v = answer.verdict;
    if (v.fresh)
    {
        m_fabric->GetAccounts().CountPayload(p->d.bytes -
                                             static_cast<uint64_t>(qp->algos_rx->frame.header));
    }
    if (answer.cnp)
    {
        NS_LOG_LOGIC("sends a CNP for " << p->d);
        Reply(m_fabric->NewReply(p->d, WEFT_CNP, p->d.psn));
    }
    if (v.reply == WEFT_REPLY_NONE)
    {
        m_fabric->Free(p);
    }
    else
    {
        weft_qp_answer_with(qp, &p->d, &answer);
        Reply(p);
    }
    if (qp->algos_rx->transport->rx_deadline)
    {
        ArmReceiverTimer(qp, now);
    }
    TellDelivered(qp, now);
    Kick(now);
}

void
WeftNic::ReplyIdeally(WeftPacket* p)
{
    WeftNic* sender = PeekPointer(m_fabric->GetNic(p->d.dst));
    const int64_t way = weft_clos_way(&m_fabric->GetClos(), m_index, p->d.dst, p->d.bytes);
    m_txTrace(p->d);
    m_fabric->GetAccounts().CountSent(p->d.bytes);
    p->SetReceiver(sender);
    WeftSchedule(way, p, sender->m_port->GetContext());
}

void
WeftNic::TellDelivered(WeftQp* qp, int64_t now)
{
    while (const weft_wqe* message = weft_qp_next_delivered(qp, now))
    {
        NS_LOG_INFO("QP " << qp->index << ": message " << qp->delivered << " is delivered");
        qp->listener.Tell(&WeftMessageListener::MessageDelivered, *qp, message->tag);
    }
}

void
WeftNic::ReceiveReply(WeftPacket* p, int64_t now)
{
    WeftQp* qp = m_fabric->GetQpOf(p->d);
    weft_qp_reply(qp, &p->d, now);
    if (p->d.kind == WEFT_NACK)
    {
        NS_LOG_INFO("QP " << qp->index << " gets a NACK of ePSN " << p->d.psn);
    }
    m_fabric->Free(p);
    TellAcked(qp);
    Resume(qp, now);
}

void
WeftNic::Resume(WeftQp* qp, int64_t now)
{
    if (weft_host_resume(&m_host, qp, now))
    {
        Kick(now);
    }
}

void
WeftNic::TellAcked(WeftQp* qp)
{
    while (const weft_wqe* message = weft_qp_next_acked(qp))
    {
        NS_LOG_INFO("QP " << qp->index << ": message " << qp->acked << " of " << qp->nwqes
                          << " is acknowledged");
        qp->listener.Tell(&WeftMessageListener::MessageAcked, *qp, message->tag);
    }
}

void
WeftNic::ReceiveCnp(WeftPacket* p, int64_t now)
{
    WeftQp* qp = m_fabric->GetQpOf(p->d);
    weft_qp_cnp(qp, &p->d, now);
    NS_LOG_INFO("QP " << qp->index << " gets a CNP");
    m_fabric->Free(p);
}

void
WeftNic::ArmTimer(WeftQp* qp, int64_t now)
{
    if (qp->timerArmed)
    {
        return;
    }
    const int64_t deadline = weft_qp_deadline(qp);
    if (deadline != WEFT_NEVER)
    {
        qp->timerArmed = true;
        WeftSchedule(std::max<int64_t>(deadline - now, 0), qp, m_port->GetContext());
    }
}

void
WeftNic::Kick(int64_t now)
{
    if (now >= m_port->GetFreeAt())
    {
        m_port->StartAnew();
        TransmitNext(now);
    }
    else
    {
        WakeAt(m_port->GetFreeAt(), now);
    }
}

void
WeftNic::Wake(int64_t now)
{
    if (now >= m_wakeAt)
    {
        m_wakeAt = WEFT_NEVER;
    }
    if (now >= m_port->GetFreeAt())
    {
        TransmitNext(now);
    }
    else
    {
        Plan(now);
    }
}

void
WeftNic::WakeAt(int64_t at, int64_t now)
{
    // A wake-up that comes to nothing is harmless, so an earlier one need not cancel a later one.
    if (at < m_wakeAt)
    {
        m_wakeAt = at;
        WeftSchedule(at - now, m_port, m_port->GetContext());
    }
}

void
WeftNic::TransmitNext(int64_t now)
{
    WeftPacket* p = Pull(now);
    if (p)
    {
        m_fabric->GetAccounts().CountSent(p->d.bytes);
        m_port->Transmit(p, now);
        // The wire is taken: those who are told now may send more.
        m_txTrace(p->d);
        if (__builtin_expect(p->d.kind == WEFT_RAW, 0))
        {
            TellIpQueue(p->d.bytes);
        }
    }
    Plan(now);
}

uint32_t
WeftNic::GetWaiting(uint32_t paused) const
{
    uint32_t waiting = 0;
    if (m_replies.head && (paused == 0 || m_replies.Find(paused)))
    {
        waiting = 1U << WEFT_SEND_REPLY;
    }
    if (__builtin_expect(m_raw.head != nullptr, 0) && !(paused >> RAW_CLASS & 1))
    {
        waiting |= 1U << WEFT_SEND_OTHER;
    }
    return waiting;
}

void
WeftNic::Plan(int64_t now)
{
    const uint32_t paused = m_port->GetPausedClasses();
    const int64_t work = weft_host_next_at(&m_host, GetWaiting(paused), paused);
    if (work != WEFT_NEVER)
    {
        WakeAt(std::max({work, m_port->GetFreeAt(), now}), now);
    }
}

WeftPacket*
WeftNic::TakeReply(uint32_t paused)
{
    if (paused == 0)
    {
        return m_replies.Pop();
    }
    WeftPacket* p = m_replies.Find(paused);
    m_replies.Remove(p);
    return p;
}

WeftPacket*
WeftNic::Pull(int64_t now)
{
    const uint32_t paused = m_port->GetPausedClasses();
    WeftPacket* p = nullptr;
    switch (weft_host_next(&m_host, GetWaiting(paused), paused, now))
    {
    case WEFT_SEND_REPLY:
        return TakeReply(paused);
    case WEFT_SEND_OTHER:
        p = m_raw.Pop();
        TakeRaw(p, now);
        return p;
    case WEFT_SEND_DATA:
        return MakeData(now);
    case WEFT_SEND_NOTHING:
        break;
    }
    return nullptr;
}

WeftPacket*
WeftNic::MakeData(int64_t now)
{
    auto qp = static_cast<WeftQp*>(m_host.chosen);
    const double before = qp->last_rate;
    WeftPacket* p = m_fabric->NewPacket();
    weft_host_data(&m_host, &p->d, now);
    if (__builtin_expect(m_fabric->GetInjectedLosses().HasDrops(), 0))
    {
        m_fabric->GetInjectedLosses().Mark(p->d, qp->first_psn);
    }
    NS_LOG_LOGIC((p->d.flags & WEFT_F_RETX ? "sends again " : "sends ") << p->d);
    const int64_t freeAfter = m_port->GetFreeAfter(p->d.bytes + qp->algos->frame.gap, now);
    if (weft_host_pace(&m_host, &p->d, freeAfter, now))
    {
        m_port->StartAnew();
    }
    if (qp->last_rate < before)
    {
        NS_LOG_INFO("QP " << qp->index << " slows down to " << static_cast<int64_t>(qp->last_rate)
                          << " bit/s");
    }
    else if (before == 0)
    {
        NS_LOG_INFO("QP " << qp->index << " starts at " << static_cast<int64_t>(qp->last_rate)
                          << " bit/s");
    }
    ArmTimer(qp, now);
    return p;
}

} // namespace ns3

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
#include <weft/cc.h>
#include <weft/psn.h>
#include <weft/theory.h>
#include <weft/transport.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftNic");
NS_OBJECT_ENSURE_REGISTERED(WeftNic);

namespace
{
constexpr uint32_t DATA_CLASS = 1; //!< traffic class of data
} // namespace

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
    m_channel = nullptr;
    m_ipQueue = nullptr;
    WeftNetDevice::DoDispose();
}

void
WeftNic::Setup(Ptr<WeftFabric> fabric, uint32_t host)
{
    m_fabric = fabric;
    m_host = host;
    m_repliesFirst = fabric->GetFrameConfig().ack_priority == WEFT_ACK_FIRST;
    m_repliesIdeal = fabric->GetFrameConfig().ack_priority == WEFT_ACK_IDEAL;
    m_replyClass = fabric->GetReplyClass();
    m_port = new WeftPort(0,
                          fabric->GetLink(host).rate,
                          fabric->GetLink(host).delay,
                          fabric->GetFrameConfig().gap);
    m_port->SetNic(this);
    auto queues = CreateObject<NetDeviceQueueInterface>();
    AggregateObject(queues);
    m_ipQueue = queues->GetTxQueue(0);
}

void
WeftNic::Arrive(WeftPacket* p, int64_t now)
{
    m_fabric->CountHop();
    if (m_port->WasCut(p, now))
    {
        m_fabric->Drop(p, WeftFabric::DROP_LINK);
        return;
    }
    if (p->d.kind == WEFT_DATA && m_fabric->TakeLastHopLoss(p->d))
    {
        m_fabric->Drop(p, WeftFabric::DROP_INJECTED);
        return;
    }
    p->d.hops++;
    m_rxTrace(p->d);
    m_fabric->CountDelivered(p->d.bytes);
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
        m_fabric->GetQp(p->d.qp)->Prefetch(p->d.kind == WEFT_DATA);
    }
}

void
WeftNic::ReceiveData(WeftPacket* p, int64_t now)
{
    WeftQp* qp = m_fabric->GetQp(p->d.qp);
    weft_rx_verdict v;
    v.place = p->d.psn;
    m_fabric->GetTransport()->rx_data(qp->rx, &p->d, &v);
    if (v.fresh)
    {
        m_fabric->CountPayload(p->d.bytes -
                               static_cast<uint64_t>(m_fabric->GetFrameConfig().header));
    }
    qp->counters.duplicates += v.duplicate;
    qp->counters.outOfOrder += weft_psn_before(qp->epsn, p->d.psn);
    if (p->d.flags & WEFT_F_CE)
    {
        MaybeSendCnp(qp, p->d, now);
    }
    if (v.reply == WEFT_REPLY_NONE || (v.reply == WEFT_REPLY_ACK && MayDelayAck(qp, p->d, v)))
    {
        qp->unacked++;
        m_fabric->Free(p);
    }
    else
    {
        qp->unacked = 0;
        p->d.psn = v.place;
        qp->counters.nacksSent += v.reply == WEFT_REPLY_NACK;
        m_fabric->TurnIntoReply(p, v.reply == WEFT_REPLY_NACK ? WEFT_NACK : WEFT_ACK, v.epsn);
        Reply(p);
    }
    if (v.epsn != qp->epsn)
    {
        Advance(qp, v.epsn, now);
    }
    Kick(now);
}

bool
WeftNic::MayDelayAck(WeftQp* qp, const weft_packet& d, const weft_rx_verdict& v) const
{
    return qp->unacked + 1 < m_fabric->GetFrameConfig().ack_every && d.flags == 0 && v.fresh &&
           v.epsn == weft_psn_add(qp->epsn, 1);
}

void
WeftNic::MaybeSendCnp(WeftQp* qp, const weft_packet& d, int64_t now)
{
    const int64_t interval = m_fabric->GetCnpInterval();
    if (interval == WEFT_NEVER || (qp->counters.cnpsSent && now - qp->lastCnp < interval))
    {
        return;
    }
    NS_LOG_LOGIC("sends a CNP for " << d);
    qp->lastCnp = now;
    qp->counters.cnpsSent++;
    Reply(m_fabric->NewReply(d, WEFT_CNP, 0));
}

void
WeftNic::Reply(WeftPacket* p)
{
    if (!m_repliesIdeal)
    {
        m_replies.Push(p);
        return;
    }
    WeftNic* sender = PeekPointer(m_fabric->GetNic(p->d.dst));
    const int64_t way = weft_clos_way(&m_fabric->GetClos(), m_host, p->d.dst, p->d.bytes);
    m_txTrace(p->d);
    m_fabric->CountSent(p->d.bytes);
    p->target = static_cast<WeftReceiver*>(sender);
    WeftSchedule(way, p, sender->m_port->GetContext());
}

void
WeftNic::Advance(WeftQp* qp, uint32_t epsn, int64_t now)
{
    qp->arrived += static_cast<uint64_t>(weft_psn_diff(epsn, qp->epsn));
    qp->epsn = epsn;
    while (qp->arrived >= qp->deliverAt)
    {
        const uint64_t tag = qp->messages[qp->delivered++].tag;
        qp->deliverAt = qp->GetEnd(qp->delivered);
        qp->lastDelivery = now;
        NS_LOG_INFO("QP " << qp->index << ": message " << qp->delivered << " is delivered");
        if (qp->listener)
        {
            qp->listener->MessageDelivered(*qp, tag);
        }
    }
}

void
WeftNic::ReceiveReply(WeftPacket* p, int64_t now)
{
    WeftQp* qp = m_fabric->GetQp(p->d.qp);
    const weft_cc_ops* cc = m_fabric->GetCc();
    const uint32_t packets = m_fabric->GetTransport()->tx_reply(qp->tx, &p->d, now);
    qp->counters.acks += p->d.kind == WEFT_ACK;
    if (p->d.kind == WEFT_NACK)
    {
        qp->counters.torNacks += (p->d.flags & WEFT_F_COMPENSATED) != 0;
        qp->urgent = true;
        if (cc->on_nack)
        {
            cc->on_nack(qp->cc, &p->d, now);
        }
        NS_LOG_INFO("QP " << qp->index << " gets a NACK of ePSN " << p->d.psn);
    }
    if (cc->on_ack)
    {
        TellCc(qp, p->d, packets, now);
    }
    if (qp->path && m_fabric->GetPath()->on_reply)
    {
        m_fabric->GetPath()->on_reply(qp->path, &p->d, now);
    }
    m_fabric->Free(p);
    if (packets)
    {
        Acknowledge(qp, packets);
    }
    Resume(qp, now);
}

void
WeftNic::Resume(WeftQp* qp, int64_t now)
{
    if (m_fabric->GetTransport()->tx_ready(qp->tx))
    {
        Activate(qp);
        if (m_fabric->GetCc()->window && qp->slot >= 0)
        {
            Hasten(qp, now);
        }
        Kick(now);
    }
}

void
WeftNic::Acknowledge(WeftQp* qp, uint32_t packets)
{
    qp->una += packets;
    while (qp->una >= qp->ackAt)
    {
        const uint64_t tag = qp->messages[qp->acked++].tag;
        qp->ackAt = qp->GetEnd(qp->acked);
        NS_LOG_INFO("QP " << qp->index << ": message " << qp->acked << " of " << qp->messages.size()
                          << " is acknowledged");
        if (qp->listener)
        {
            qp->listener->MessageAcked(*qp, tag);
        }
    }
}

void
WeftNic::ReceiveCnp(WeftPacket* p, int64_t now)
{
    WeftQp* qp = m_fabric->GetQp(p->d.qp);
    qp->counters.cnps++;
    if (m_fabric->GetCc()->on_cnp)
    {
        m_fabric->GetCc()->on_cnp(qp->cc, &p->d, now);
        NS_LOG_INFO("QP " << qp->index << " gets a CNP");
    }
    m_fabric->Free(p);
}

void
WeftNic::ArmTimer(WeftQp* qp, int64_t now)
{
    if (qp->timerArmed)
    {
        return;
    }
    const int64_t deadline = m_fabric->GetTransport()->tx_deadline(qp->tx);
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
        m_fabric->CountSent(p->d.bytes);
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

void
WeftNic::Plan(int64_t now)
{
    const int64_t work = NextWork();
    if (work != WEFT_NEVER)
    {
        WakeAt(std::max({work, m_port->GetFreeAt(), now}), now);
    }
}

int64_t
WeftNic::NextWork() const
{
    if (m_replies.head && !m_port->IsPaused(m_replyClass))
    {
        return 0;
    }
    if (m_port->IsPaused(DATA_CLASS))
    {
        return WEFT_NEVER;
    }
    if (m_raw.head)
    {
        return 0;
    }
    int64_t at = WEFT_NEVER;
    for (const int64_t t : m_sendAt)
    {
        at = std::min(at, t);
    }
    return std::max(at, m_hostSendAt);
}

WeftPacket*
WeftNic::Pull(int64_t now)
{
    const bool repliesGo = m_replies.head && !m_port->IsPaused(m_replyClass);
    if (repliesGo && m_repliesFirst)
    {
        return m_replies.Pop();
    }
    const bool dataGo = !m_port->IsPaused(DATA_CLASS);
    for (uint32_t i = 0; i < SOURCES; i++)
    {
        const uint32_t source = (m_turn + i) % SOURCES;
        WeftPacket* p = nullptr;
        if (source == REPLIES)
        {
            p = repliesGo ? m_replies.Pop() : nullptr;
        }
        else if (dataGo)
        {
            p = source == RAW ? m_raw.Pop() : now >= m_hostSendAt ? PullData(now) : nullptr;
        }
        if (p)
        {
            if (source == RAW)
            {
                TakeRaw(p, now);
            }
            m_turn = source + 1;
            return p;
        }
    }
    return nullptr;
}

WeftPacket*
WeftNic::PullData(int64_t now)
{
    size_t i = m_next;
    size_t left = m_active.size();
    while (left > 0)
    {
        if (i >= m_active.size())
        {
            i = 0;
        }
        if (m_sendAt[i] <= now)
        {
            WeftQp* qp = m_active[i];
            WeftPacket* p = MakeData(qp, now);
            if (p)
            {
                const int64_t batch =
                    i == m_next && m_batchLeft > 0 ? m_batchLeft : m_fabric->GetFrameConfig().batch;
                m_batchLeft = batch - 1;
                m_next = m_batchLeft > 0 ? i : i + 1;
                return p;
            }
            Deactivate(qp);
        }
        else
        {
            i++;
        }
        left--;
    }
    return nullptr;
}

bool
WeftNic::IsLast(WeftQp* qp, uint64_t seq, int64_t* payload)
{
    const WeftQp::Message& message = qp->FindMessage(seq);
    qp->bulkFirst = message.first;
    qp->bulkEnd = message.end - 1;
    if (seq < qp->bulkEnd)
    {
        return false;
    }
    *payload = message.GetLastPayload(*payload);
    return true;
}

WeftPacket*
WeftNic::MakeData(WeftQp* qp, int64_t now)
{
    const weft_transport_ops* transport = m_fabric->GetTransport();
    if (m_fabric->GetCc()->window && !HasRoom(qp, now))
    {
        return nullptr;
    }
    uint32_t psn;
    const int what = transport->tx_next(qp->tx, now, &psn);
    if (what == WEFT_TX_NONE)
    {
        return nullptr;
    }
    qp->urgent = false;
    const weft_fabric_config& frame = m_fabric->GetFrameConfig();
    const uint32_t una = weft_psn_add(qp->firstPsn, static_cast<uint32_t>(qp->una));
    const uint64_t seq = qp->una + static_cast<uint64_t>(weft_psn_diff(psn, una));
    int64_t payload = frame.payload;
    const bool last = !IsBulk(qp, seq) && IsLast(qp, seq, &payload);

    WeftPacket* p = m_fabric->NewPacket();
    p->d = weft_packet{};
    p->d.sent = now;
    p->d.src = qp->src;
    p->d.dst = qp->dst;
    p->d.qp = qp->index;
    p->d.psn = psn;
    p->d.bytes = static_cast<uint16_t>(payload + frame.header);
    p->d.sport = qp->sport;
    p->d.kind = WEFT_DATA;
    p->d.flags =
        static_cast<uint8_t>((what == WEFT_TX_RETX ? WEFT_F_RETX : 0) | (last ? WEFT_F_LAST : 0));
    p->d.tclass = DATA_CLASS;
    if (transport->tx_stamp)
    {
        transport->tx_stamp(qp->tx, &p->d);
    }
    if (qp->path)
    {
        m_fabric->GetPath()->data(qp->path, &p->d, now);
    }
    NS_LOG_LOGIC((what == WEFT_TX_RETX ? "sends again " : "sends ") << p->d);
    Pace(qp, p->d, now);
    ArmTimer(qp, now);
    return p;
}

void
WeftNic::Pace(WeftQp* qp, const weft_packet& data, int64_t now)
{
    const weft_cc_ops* cc = m_fabric->GetCc();
    const int64_t wire = data.bytes + m_fabric->GetFrameConfig().gap;
    const int64_t rate = cc->rate(qp->cc, now);
    int64_t& at = m_sendAt[static_cast<size_t>(qp->slot)];
    const bool isPaced = rate != m_port->GetRate();
    if (isPaced && at == now)
    {
        m_port->StartAnew(); // it waited for its turn, not for the wire
    }
    at = isPaced ? now + weft_wire_time(wire, rate) : m_port->GetFreeAfter(wire, now);
    if (cc->per_host)
    {
        m_hostSendAt = at;
    }
    if (cc->on_sent)
    {
        cc->on_sent(qp->cc, &data, now);
    }
    if (static_cast<double>(rate) < qp->lastRate)
    {
        NS_LOG_INFO("QP " << qp->index << " slows down to " << rate << " bit/s");
    }
    if (qp->lastRate > 0)
    {
        qp->rateTime += qp->lastRate * static_cast<double>(now - qp->lastSent);
    }
    else
    {
        NS_LOG_INFO("QP " << qp->index << " starts at " << rate << " bit/s");
        qp->firstSent = now;
    }
    qp->lastRate = static_cast<double>(rate);
    qp->lastSent = now;
    qp->sentBytes += data.bytes;
}

} // namespace ns3

/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftNic: what happens when a QP's retransmission timer fires, or the fabric tells of a loss.
#include "weft-fabric.h"
#include "weft-nic.h"

#include "ns3/log.h"

#include <algorithm>
#include <weft/host.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftNicTimer");

namespace
{
/** Kinds of timers, in the order in which they run out at one instant. */
enum Timer : uint8_t
{
    SENDER,   //!< retransmission
    RECEIVER, //!< of the receiver's part of a transport
};

/** @param timer of a QP @param qp the QP @return its number in WeftInstant::TIMER */
uint64_t
TimerNumber(Timer timer, const WeftQp& qp)
{
    return uint64_t{timer} << 32 | qp.index;
}
} // namespace

void
WeftQp::Fire(int64_t /* now */)
{
    nic->GetInstant().Note(
        WeftInstant::TIMER,
        TimerNumber(SENDER, *this),
        [](void* of, uint64_t /* what */, int64_t now) {
            auto qp = static_cast<WeftQp*>(of);
            qp->nic->CheckTimer(qp, now);
        },
        this);
}

WeftReceiverTimer::WeftReceiverTimer(WeftQp* qp, WeftNic* nic)
    : m_qp(qp),
      m_nic(nic)
{
}

void
WeftReceiverTimer::Fire(int64_t /* now */)
{
    m_nic->GetInstant().Note(
        WeftInstant::TIMER,
        TimerNumber(RECEIVER, *m_qp),
        [](void* of, uint64_t /* what */, int64_t now) {
            static_cast<WeftReceiverTimer*>(of)->RunOut(now);
        },
        this);
}

void
WeftReceiverTimer::RunOut(int64_t now)
{
    if (now >= armedAt)
    {
        armedAt = WEFT_NEVER;
    }
    m_nic->CheckReceiverTimer(m_qp, now);
}

void
WeftNic::ArmReceiverTimer(WeftQp* qp, int64_t now)
{
    if (!qp->receiverTimer)
    {
        qp->receiverTimer = Create<WeftReceiverTimer>(qp, this);
    }
    const int64_t deadline = weft_qp_rx_deadline(qp);
    // A timer that fires too early is harmless, so an earlier one need not cancel a later one.
    if (deadline < qp->receiverTimer->armedAt)
    {
        qp->receiverTimer->armedAt = deadline;
        WeftSchedule(std::max<int64_t>(deadline - now, 0),
                     PeekPointer(qp->receiverTimer),
                     m_port->GetContext());
    }
}

void
WeftNic::CheckReceiverTimer(WeftQp* qp, int64_t now)
{
    weft_qp_answer answer;
    weft_qp_rx_timer(qp, now, &answer);
    if (answer.verdict.reply != WEFT_REPLY_NONE)
    {
        WeftPacket* p = m_fabric->NewPacket();
        p->d = qp->newest;
        weft_qp_answer_with(qp, &p->d, &answer);
        NS_LOG_LOGIC("sends by its timer " << p->d);
        Reply(p);
    }
    ArmReceiverTimer(qp, now);
    TellDelivered(qp, now);
    Kick(now);
}

void
WeftNic::CheckTimer(WeftQp* qp, int64_t now)
{
    qp->timerArmed = false;
    const bool due = weft_qp_deadline(qp) <= now;
    const enum weft_qp_timeout outcome = weft_qp_timer(qp, now);
    if (outcome != WEFT_TIMER_NOTHING)
    {
        NS_LOG_INFO("QP " << qp->index << " has a timeout at packet " << qp->una);
    }
    if (outcome == WEFT_TIMER_GIVE_UP)
    {
        TellFailed(qp);
        return;
    }
    if (due && weft_qp_ready(qp))
    {
        weft_host_activate(&m_host, qp);
        Kick(now);
    }
    ArmTimer(qp, now);
}

void
WeftNic::TellFailed(WeftQp* qp)
{
    NS_LOG_WARN("QP " << qp->index << " to host " << qp->dst << " is given up");
    weft_host_drop(&m_host, qp);
    m_giveUpTrace(*qp);
    while (const weft_wqe* message = weft_qp_next_failed(qp))
    {
        qp->listener.Tell(&WeftMessageListener::MessageFailed, *qp, message->tag);
    }
}

void
WeftNic::HearLoss(WeftQp* qp, const weft_packet& lost, int64_t now)
{
    NS_LOG_INFO("QP " << qp->index << " hears that " << lost << " is lost");
    weft_qp_told_lost(qp, &lost, now);
    Resume(qp, now);
}

} // namespace ns3

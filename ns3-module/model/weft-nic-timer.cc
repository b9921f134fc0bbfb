/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftNic: what happens when a QP's retransmission timer fires, or the fabric tells of a loss.
#include "weft-fabric.h"
#include "weft-nic.h"

#include "ns3/log.h"

#include <weft/host.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftNicTimer");

void
WeftQp::Fire(int64_t now)
{
    nic->CheckTimer(this, now);
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
        if (qp->listener)
        {
            qp->listener->MessageFailed(*qp, message->tag);
        }
    }
}

void
WeftNic::HearLoss(WeftQp* qp, const weft_packet& lost, int64_t now)
{
    NS_LOG_INFO("QP " << qp->index << " hears that " << lost << " is lost");
    qp->algos->transport->tx_lost(qp->tx, &lost, now);
    Resume(qp, now);
}

} // namespace ns3

/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftNic: what happens when a QP's retransmission timer fires, or the fabric tells of a loss.
#include "weft-fabric.h"
#include "weft-nic.h"

#include "ns3/log.h"

#include <weft/cc.h>
#include <weft/transport.h>

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
    const weft_transport_ops* transport = m_fabric->GetTransport();
    qp->timerArmed = false;
    if (transport->tx_deadline(qp->tx) <= now)
    {
        const weft_tx_counters* counters = transport->tx_counters(qp->tx);
        const uint64_t before = counters->timeouts;
        transport->tx_timeout(qp->tx, now);
        if (counters->timeouts != before && IsGivenUpAfterTimeout(qp, now))
        {
            return;
        }
        if (transport->tx_ready(qp->tx))
        {
            Activate(qp);
            Kick(now);
        }
    }
    ArmTimer(qp, now);
}

bool
WeftNic::IsGivenUpAfterTimeout(WeftQp* qp, int64_t now)
{
    qp->urgent = true;
    if (m_fabric->GetCc()->on_timeout)
    {
        m_fabric->GetCc()->on_timeout(qp->cc, now);
    }
    NS_LOG_INFO("QP " << qp->index << " has a timeout at packet " << qp->una);
    if (qp->path && m_fabric->GetPath()->on_timeout)
    {
        m_fabric->GetPath()->on_timeout(qp->path, now);
    }
    if (IsOutOfRetries(qp))
    {
        GiveUp(qp);
    }
    return qp->givenUp;
}

bool
WeftNic::IsOutOfRetries(WeftQp* qp) const
{
    qp->retries = qp->una == qp->timeoutUna ? qp->retries : 0;
    qp->timeoutUna = qp->una;
    const int64_t limit = m_fabric->GetFrameConfig().retry_limit;
    return qp->retries++ >= limit && limit > 0;
}

void
WeftNic::GiveUp(WeftQp* qp)
{
    NS_LOG_WARN("QP " << qp->index << " to host " << qp->dst << " is given up");
    qp->givenUp = true;
    qp->ackAt = UINT64_MAX; // a reply that still comes completes no message
    if (qp->slot >= 0)
    {
        Deactivate(qp);
    }
    m_giveUpTrace(*qp);
    for (std::size_t i = qp->acked; qp->listener && i < qp->messages.size(); i++)
    {
        qp->listener->MessageFailed(*qp, qp->messages[i].tag);
    }
}

void
WeftNic::HearLoss(WeftQp* qp, const weft_packet& lost, int64_t now)
{
    NS_LOG_INFO("QP " << qp->index << " hears that " << lost << " is lost");
    m_fabric->GetTransport()->tx_lost(qp->tx, &lost, now);
    Resume(qp, now);
}

} // namespace ns3

/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftNic: messages, the QPs that have something to send, and whether their window lets them.
#include "weft-fabric.h"
#include "weft-nic.h"

#include "ns3/log.h"

#include <algorithm>
#include <weft/cc.h>
#include <weft/theory.h>
#include <weft/transport.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftNicActive");

void
WeftNic::AddQp()
{
    if (++m_qps <= m_host.capacity)
    {
        return;
    }
    const size_t capacity = std::max<size_t>(4, size_t{2} * m_host.capacity);
    WeftVector<weft_qp*> active(capacity);
    WeftVector<int64_t> sendAt(capacity);
    const int code =
        weft_host_lend(&m_host, active.data(), sendAt.data(), static_cast<uint32_t>(capacity));
    NS_ASSERT(code == 0);
    m_active.swap(active);
    m_sendAt.swap(sendAt);
}

void
WeftNic::Post(WeftQp* qp, uint64_t bytes, uint64_t tag)
{
    m_instant->Do([this, qp, bytes, tag] { PostNow(qp, bytes, tag); });
}

void
WeftNic::PostNow(WeftQp* qp, uint64_t bytes, uint64_t tag)
{
    if (qp->given_up)
    {
        qp->listener.Tell(&WeftMessageListener::MessageFailed, *qp, tag);
        return;
    }
    NS_LOG_INFO("QP " << qp->index << ": message " << qp->nwqes + 1 << ", " << bytes
                      << " B, to host " << qp->dst);
    qp->posts.resize(qp->nwqes + 1);
    weft_qp_post(qp, qp->posts.data(), bytes, tag, WeftNow());
    weft_host_activate(&m_host, qp);
    Kick(WeftNow());
}

DataRate
WeftNic::GetRate(const WeftQp* qp) const
{
    return DataRate(static_cast<uint64_t>(weft_qp_rate(qp, WeftNow())));
}

} // namespace ns3

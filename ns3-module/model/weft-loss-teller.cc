/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-loss-teller.h"

#include "weft-fabric.h"
#include "weft-nic.h"

#include <algorithm>

namespace ns3
{

WeftLossTeller::WeftLossTeller(WeftFabric* fabric)
    : m_fabric(fabric)
{
}

void
WeftLossTeller::Tell(WeftPacket* p)
{
    const WeftQp* qp = m_fabric->GetQpOf(p->d);
    const int64_t way =
        weft_clos_way(&m_fabric->GetClos(), qp->dst, qp->src, m_fabric->GetFrameConfig().ack);
    const int64_t roundTrip = m_fabric->GetSites().GetIdleRoundTrip(qp->src, qp->dst);
    m_underWay++;
    p->SetReceiver(this);
    WeftSchedule(std::max(p->d.sent + roundTrip - WeftNow(), way),
                 p,
                 qp->nic->GetPort()->GetContext());
}

void
WeftLossTeller::Note(WeftPacket* p)
{
    WeftInstant& instant = m_fabric->GetQpOf(p->d)->nic->GetInstant();
    instant.Note(
        WeftInstant::MAIL,
        WeftInstant::MailNumber(WeftInstant::LOSS, uint64_t{p->d.qp} << 24 | p->d.psn),
        [](void* of, uint64_t what, int64_t now) {
            static_cast<WeftLossTeller*>(of)->Arrive(PacketOf(what), now);
        },
        this,
        WhatOf(p));
}

void
WeftLossTeller::Arrive(WeftPacket* p, int64_t now)
{
    m_underWay--;
    WeftQp* qp = m_fabric->GetQpOf(p->d);
    qp->nic->HearLoss(qp, p->d, now);
    m_fabric->Free(p);
}

void
WeftLossTeller::Expect(const WeftPacket* /* p */) const
{
}

} // namespace ns3

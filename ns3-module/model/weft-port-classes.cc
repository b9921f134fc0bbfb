/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftPort: more than two classes, and the schedulers between them.
#include "weft-switch.h"

namespace ns3
{

void
WeftClassQueues::Push(WeftPacket* p)
{
    const uint32_t c = p->d.tclass;
    Queue& q = queue[c];
    p->SetNext(nullptr);
    if (waits >> c & 1)
    {
        q.tail->SetNext(p);
    }
    else
    {
        q.head = p;
        waits |= 1U << c;
    }
    q.tail = p;
}

WeftPacket*
WeftClassQueues::Pop(uint32_t c)
{
    WeftPacket* p = queue[c].head;
    queue[c].head = p->GetNext();
    if (!queue[c].head)
    {
        waits &= ~(1U << c);
    }
    return p;
}

uint32_t
WeftClassQueues::Pick(uint32_t ready) const
{
    if (ready & 1)
    {
        return 0;
    }
    if (!scheduler)
    {
        return static_cast<uint32_t>(__builtin_ctz(ready));
    }
    uint32_t last = 0;
    uint32_t bytes[WEFT_MAX_CLASSES]{};
    for (uint32_t left = ready; left != 0; left &= left - 1)
    {
        const auto c = static_cast<uint32_t>(__builtin_ctz(left));
        last |= static_cast<uint32_t>(queue[c].head == queue[c].tail) << c;
        bytes[c] = queue[c].head->d.bytes;
    }
    return scheduler->pick(state, ready, last, bytes);
}

void
WeftClassQueues::Pass(const WeftPacket* p) const
{
    const uint32_t c = p->d.tclass;
    if (scheduler && c != 0)
    {
        uint32_t bytes[WEFT_MAX_CLASSES]{};
        bytes[c] = p->d.bytes;
        scheduler->pick(state, 1U << c, 1U << c, bytes);
    }
}

void
WeftPort::EnqueueAmongMany(WeftPacket* p, int64_t now)
{
    const uint32_t c = p->d.tclass;
    if (m_many->waits == 0 && !(m_state & (ARMED | PAUSED << c)) && now >= m_freeAt)
    {
        m_many->Pass(p);
        TransmitFromSwitch<false, true>(p, now);
        return;
    }
    m_many->Push(p);
    if (!(m_state & (ARMED | PAUSED << c)))
    {
        GoOn(now);
    }
}

template <bool WAITED>
void
WeftPort::ServeAmongMany(int64_t now)
{
    const uint32_t ready = m_state & MANY ? GetReadyAmongMany() : 0;
    if (ready == 0)
    {
        return;
    }
    TransmitFromSwitch<WAITED, true>(m_many->Pop(m_many->Pick(ready)), now);
    if (GetReadyAmongMany() != 0)
    {
        Arm(now);
    }
}

template void WeftPort::ServeAmongMany<false>(int64_t now);
template void WeftPort::ServeAmongMany<true>(int64_t now);

} // namespace ns3

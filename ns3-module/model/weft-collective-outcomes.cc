/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftCollective: what becomes of its messages, of which all ranks hear.
#include "weft-collective.h"
#include "weft-fabric.h"

#include <algorithm>

namespace ns3
{

void
WeftCollective::NoteDelivered(uint32_t message, int64_t now)
{
    Times& t = m_times[message];
    m_lastDelivery = std::max(m_lastDelivery, now);
    t.delivered = now;
    if (t.failed)
    {
        SetLost(message, false);
    }
    if (t.asked >= 0)
    {
        TellGivenUp(message);
    }
    if (t.acked >= 0)
    {
        m_done++; // acknowledged too soon, by a transport that is wrong
        CheckDone(now);
    }
}

void
WeftCollective::NoteAcked(uint32_t message, int64_t now)
{
    m_times[message].acked = now;
    m_acked++;
    m_done += m_times[message].delivered >= 0;
    EndInStep(message, now);
    CheckDone(now);
}

bool
WeftCollective::IsHere(uint32_t host) const
{
    return m_fabric->GetTicks().IsHere(host);
}

void
WeftCollective::Note(const Event& event)
{
    if (m_fabric->HasRanks())
    {
        m_events.push_back(event); // all ranks hear of it at the end of the window
        return;
    }
    Hear(event);
}

void
WeftCollective::Hear(const Event& event)
{
    switch (event.what)
    {
    case DELIVERED:
        NoteDelivered(event.message, event.at);
        break;
    case ACKED:
        NoteAcked(event.message, event.at);
        break;
    case FAILED:
        NoteFailed(event.message, event.at);
        break;
    }
}

std::vector<WeftCollective::Event>
WeftCollective::TakeEvents()
{
    std::vector<Event> events;
    events.swap(m_events);
    return events;
}

bool
WeftCollective::HearAll(const Event* events, size_t n)
{
    m_released = false;
    std::for_each(events, events + n, [this](const Event& event) { Hear(event); });
    return m_released;
}

void
WeftCollective::GatherTimes()
{
    std::vector<uint64_t> posted(m_messages.size(), 0);
    for (size_t i = 0; i < posted.size(); i++)
    {
        if (IsHere(m_messages[i].src))
        {
            posted[i] = static_cast<uint64_t>(m_times[i].posted);
        }
    }
    m_fabric->Sum(posted);
    for (size_t i = 0; i < posted.size(); i++)
    {
        m_times[i].posted = static_cast<int64_t>(posted[i]);
    }
}

int64_t
WeftCollective::GetWay(uint32_t from, uint32_t to) const
{
    return weft_clos_way(&m_fabric->GetClos(), from, to, m_fabric->GetFrameConfig().ack);
}

void
WeftCollective::TellGivenUp(uint32_t message)
{
    const weft_message& m = m_messages[message];
    const Times& t = m_times[message];
    const int64_t at = std::max(t.asked, t.delivered) + GetWay(m.dst, m.src);
    m_released = true;
    if (IsHere(m.src))
    {
        Tell(message, true, at);
    }
    EndInStep(message, at);
}

} // namespace ns3

/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftFabric: who runs its nodes, what ranks tell each other of messages, and what rank 0 gathers.
#include "weft-collective.h"
#include "weft-fabric.h"

#include <cstring>

namespace ns3
{

bool
WeftFabric::Plans(bool atTors) const
{
    bool plans = false;
    for (uint32_t i = 0; i < GetNServiceLevels(); i++)
    {
        const weft_lb_ops* lb = m_levels.Get(i)->GetBalancer();
        plans = plans || (lb->plan && (lb->tor || !atTors));
    }
    return plans;
}

void
WeftFabric::StartThreads()
{
    if (!Plans(true)) // else a QP that a host makes as it is run is for a ToR to know of
    {
        weft_net_set_threads(m_net, m_threads);
    }
}

bool
WeftFabric::IsHere(uint32_t node) const
{
    return weft_net_is_here(m_net, node);
}

void
WeftFabric::SetRanks(const weft_ranks& ranks)
{
    RequireUnbuilt("SetRanks()");
    m_ranks = ranks;
}

void
WeftFabric::JoinNews(WeftCollective* work)
{
    if (!m_hasRanks)
    {
        return;
    }
    m_works.push_back(work);
    weft_net_news news{};
    news.of = this;
    news.tell = [](void* of) { return Told(of)->TellNews(); };
    news.hear = [](void* of, uint32_t, weft_parcel parcel) { return Told(of)->HearNews(parcel); };
    weft_net_set_news(m_net, &news);
}

weft_parcel
WeftFabric::TellNews()
{
    m_told.clear();
    for (uint32_t i = 0; i < m_works.size(); i++)
    {
        const auto events = m_works[i]->TakeEvents();
        const uint64_t head[] = {i, events.size()};
        if (!events.empty())
        {
            const size_t at = m_told.size();
            const size_t bytes = events.size() * sizeof events[0];
            m_told.resize(at + sizeof head + bytes);
            std::memcpy(&m_told[at], head, sizeof head);
            std::memcpy(&m_told[at + sizeof head], events.data(), bytes);
        }
    }
    return {m_told.data(), m_told.size()};
}

bool
WeftFabric::HearNews(weft_parcel news)
{
    bool released = false;
    auto bytes = static_cast<const unsigned char*>(news.bytes);
    const unsigned char* end = bytes + news.n;
    while (bytes < end)
    {
        uint64_t head[2];
        std::memcpy(head, bytes, sizeof head);
        std::vector<WeftCollective::Event> events(head[1]);
        std::memcpy(events.data(), bytes + sizeof head, head[1] * sizeof events[0]);
        bytes += sizeof head + head[1] * sizeof events[0];
        released = m_works[head[0]]->HearAll(events.data(), events.size()) || released;
    }
    return released;
}

void
WeftFabric::Gather(unsigned what) const
{
    weft_net_gather(GetNet(), what);
}

void
WeftFabric::Sum(std::vector<uint64_t>& words) const
{
    weft_net_sum(GetNet(), words.data(), words.size());
}

} // namespace ns3

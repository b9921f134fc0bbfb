/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
// WeftFabric: who runs its nodes, what ranks tell each other of messages, and what rank 0 gathers.
#include "weft-collective.h"
#include "weft-fabric.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace ns3
{

bool
WeftFabric::Plans() const
{
    bool plans = false;
    for (uint32_t i = 0; i < GetNServiceLevels(); i++)
    {
        const weft_lb_ops* lb = m_levels.Get(i)->GetBalancer();
        plans = plans || (lb->plan && lb->tor);
    }
    return plans;
}

void
WeftFabric::StartThreads()
{
    if (!Plans()) // else a QP that a host makes as it is run is for a ToR to know of
    {
        weft_net_set_threads(m_net, m_threads);
    }
    if (m_hasRanks)
    {
        weft_net_news news{};
        news.of = this;
        news.tell = [](void* of) { return Told(of)->TellNews(); };
        news.hear = [](void* of, uint32_t, weft_parcel its) { return Told(of)->HearNews(its); };
        weft_net_set_news(m_net, &news);
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
    m_works.push_back(work);
}

void
WeftFabric::NoteBegun(uint32_t connection, uint32_t parts, uint64_t tag)
{
    if (m_hasRanks)
    {
        const std::lock_guard<std::mutex> lock(m_begunMutex);
        m_begun.push_back({connection, parts, tag});
    }
}

template <typename T>
void
WeftFabric::PutNews(uint64_t of, const std::vector<T>& rows)
{
    const uint64_t head[] = {of, rows.size()};
    if (!rows.empty())
    {
        const size_t at = m_told.size();
        const size_t bytes = rows.size() * sizeof rows[0];
        m_told.resize(at + sizeof head + bytes);
        std::memcpy(&m_told[at], head, sizeof head);
        std::memcpy(&m_told[at + sizeof head], rows.data(), bytes);
    }
}

weft_parcel
WeftFabric::TellNews()
{
    m_told.clear();
    PutNews(BEGUN, m_begun);
    m_begun.clear();
    for (uint32_t i = 0; i < m_works.size(); i++)
    {
        PutNews(i, m_works[i]->TakeEvents());
    }
    return {m_told.data(), m_told.size()};
}

template <typename T>
std::vector<T>
WeftFabric::TakeNews(weft_parcel& news, uint64_t n)
{
    std::vector<T> rows(n);
    std::memcpy(rows.data(), news.bytes, n * sizeof(T));
    news = {static_cast<const unsigned char*>(news.bytes) + n * sizeof(T), news.n - n * sizeof(T)};
    return rows;
}

void
WeftFabric::HearBegun(const Begun& begun)
{
    WeftConnection* connection = m_connections[begun.connection].get();
    if (!IsHere(connection->GetSrc()))
    {
        connection->Begin(begun.tag, begun.parts);
    }
}

bool
WeftFabric::HearNews(weft_parcel news)
{
    bool released = false;
    while (news.n > 0)
    {
        const auto head = TakeNews<std::array<uint64_t, 2>>(news, 1).front();
        if (head[0] == BEGUN)
        {
            const auto begun = TakeNews<Begun>(news, head[1]);
            std::for_each(begun.begin(), begun.end(), [this](const Begun& b) { HearBegun(b); });
            continue;
        }
        const auto events = TakeNews<WeftCollective::Event>(news, head[1]);
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

/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-event-wheel.h"

#include <algorithm>

namespace ns3
{

WeftEventWheel::WeftEventWheel()
{
    m_chain.fill(NONE);
}

void
WeftEventWheel::Push(const WeftEventEntry& entry)
{
    const uint64_t bucket = entry.key.ts >> SHIFT;
    if (bucket <= m_bucket)
    {
        m_sorted.insert(std::upper_bound(m_sorted.begin(), m_sorted.end(), entry, WeftIsLater),
                        entry);
        return;
    }
    if (m_free == NONE)
    {
        m_free = static_cast<uint32_t>(m_links.size());
        m_links.push_back({entry, NONE});
    }
    const uint32_t link = m_free;
    const auto place = static_cast<uint32_t>(bucket % BUCKETS);
    m_free = m_links[link].next;
    m_links[link] = {entry, m_chain[place]};
    m_chain[place] = link;
    m_map[place / 64] |= uint64_t{1} << place % 64;
    m_chained++;
    if (m_sorted.empty())
    {
        Advance();
    }
}

WeftEventEntry
WeftEventWheel::Pop()
{
    const WeftEventEntry entry = m_sorted.back();
    m_sorted.pop_back();
    if (m_sorted.empty())
    {
        Advance();
    }
    if (m_sorted.size() > AHEAD)
    {
        const WeftEventEntry* const last = m_sorted.data() + m_sorted.size() - 1;
        __builtin_prefetch(last[-static_cast<std::ptrdiff_t>(AHEAD)].event, 1);
        __builtin_prefetch(last[-static_cast<std::ptrdiff_t>(AHEAD / 2)].event->target, 1);
    }
    return entry;
}

void
WeftEventWheel::Advance()
{
    if (m_chained == 0)
    {
        return;
    }
    m_bucket = FindNext();
    const auto place = static_cast<uint32_t>(m_bucket % BUCKETS);
    uint32_t last = NONE;
    for (uint32_t i = m_chain[place]; i != NONE; i = m_links[i].next)
    {
        m_sorted.push_back(m_links[i].entry);
        last = i;
    }
    m_links[last].next = m_free;
    m_free = m_chain[place];
    m_chain[place] = NONE;
    m_map[place / 64] &= ~(uint64_t{1} << place % 64);
    m_chained -= static_cast<uint32_t>(m_sorted.size());
    std::sort(m_sorted.begin(), m_sorted.end(), WeftIsLater);
}

uint64_t
WeftEventWheel::FindNext() const
{
    uint64_t bucket = m_bucket + 1;
    for (;;)
    {
        const auto place = static_cast<uint32_t>(bucket % BUCKETS);
        const uint64_t rest = m_map[place / 64] >> place % 64;
        if (rest != 0)
        {
            return bucket + static_cast<uint64_t>(__builtin_ctzll(rest));
        }
        bucket += 64 - place % 64;
    }
}

void
WeftEventWheel::Clear()
{
    m_bucket = 0;
    m_sorted.clear();
    m_links.clear();
    m_free = NONE;
    m_chained = 0;
    m_chain.fill(NONE);
    m_map.fill(0);
}

} // namespace ns3

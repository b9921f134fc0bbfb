/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-event-wheel.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{
constexpr std::size_t FIRST = 1024; //!< places at first: small models never need more

/** @param a one @param b another @return whether the first comes earlier */
bool
IsEarlier(const WeftEventEntry& a, const WeftEventEntry& b)
{
    return a.key < b.key;
}
} // namespace

WeftEventWheel::WeftEventWheel()
{
    m_sorted.reserve(FIRST);
    m_late.reserve(FIRST);
    m_chunks.reserve(FIRST);
    m_following.reserve(FIRST);
    m_buckets.fill({NONE, 0});
}

void
WeftEventWheel::Push(const WeftEventEntry& entry)
{
    const uint64_t bucket = entry.key.ts >> SHIFT;
    m_first = entry.key < m_first ? entry.key : m_first;
    if (bucket == m_bucket && IsOpen())
    {
        m_late.push_back(entry);
        std::push_heap(m_late.begin(), m_late.end(), WeftIsLater);
        return;
    }
    Append(static_cast<uint32_t>(bucket % BUCKETS), entry);
}

void
WeftEventWheel::Append(uint32_t place, const WeftEventEntry& entry)
{
    Bucket& bucket = m_buckets[place];
    const uint32_t i = bucket.count++ % PLACES;
    if (i == 0)
    {
        bucket.last = AddChunk(bucket.last, bucket.count == 1);
    }
    m_chunks[bucket.last].entries[i] = entry;
    m_map[place / 64] |= uint64_t{1} << place % 64;
    m_waiting++;
}

uint32_t
WeftEventWheel::AddChunk(uint32_t last, bool isFirst)
{
    if (m_free == NONE)
    {
        m_free = static_cast<uint32_t>(m_chunks.size());
        m_chunks.emplace_back();
        m_following.push_back(NONE);
    }
    const uint32_t chunk = m_free;
    m_free = m_following[chunk];
    m_following[chunk] = isFirst ? chunk : m_following[last];
    if (!isFirst)
    {
        m_following[last] = chunk;
    }
    return chunk;
}

WeftEventEntry
WeftEventWheel::Pop()
{
    if (!IsOpen())
    {
        m_bucket = m_first.ts >> SHIFT;
        Open(static_cast<uint32_t>(m_bucket % BUCKETS));
    }
    WeftEventEntry entry;
    if (m_next == m_sorted.size() || m_sorted[m_next].key.rank != m_first.rank)
    {
        std::pop_heap(m_late.begin(), m_late.end(), WeftIsLater);
        entry = m_late.back();
        m_late.pop_back();
    }
    else
    {
        entry = m_sorted[m_next++];
    }
    FindFirst();
    if (m_next + FAR < m_sorted.size())
    {
        __builtin_prefetch(m_sorted[m_next + FAR].event, 1);
        __builtin_prefetch(m_sorted[m_next + MIDDLE].event->GetTarget(), 1);
    }
    return entry;
}

template <typename F>
void
WeftEventWheel::ForEach(const Bucket& bucket, F f) const
{
    uint32_t left = bucket.count;
    for (uint32_t chunk = m_following[bucket.last]; left > 0; chunk = m_following[chunk])
    {
        const uint32_t n = std::min(left, PLACES);
        std::for_each_n(m_chunks[chunk].entries, n, f);
        left -= n;
    }
}

void
WeftEventWheel::Open(uint32_t place)
{
    Bucket& bucket = m_buckets[place];
    m_next = 0;
    if (bucket.count >= MANY)
    {
        SortByCounting(bucket);
    }
    else
    {
        m_sorted.clear();
        ForEach(bucket, [this](const WeftEventEntry& entry) { m_sorted.push_back(entry); });
        std::sort(m_sorted.begin(), m_sorted.end(), IsEarlier);
    }
    m_waiting -= bucket.count;
    std::swap(m_following[bucket.last], m_free);
    bucket = {NONE, 0};
    m_map[place / 64] &= ~(uint64_t{1} << place % 64);
}

void
WeftEventWheel::SortByCounting(const Bucket& bucket)
{
    std::array<uint32_t, STEPS> places{};
    ForEach(bucket, [&places](const WeftEventEntry& entry) { places[entry.key.ts % STEPS]++; });
    uint32_t before = 0;
    for (uint32_t& place : places)
    {
        before += std::exchange(place, before);
    }
    uint64_t rank = 0;
    bool byUid = true;
    m_sorted.resize(bucket.count);
    ForEach(bucket, [&](const WeftEventEntry& entry) {
        m_sorted[places[entry.key.ts % STEPS]++] = entry;
        byUid = byUid && entry.key.rank >= rank;
        rank = entry.key.rank;
    });
    if (!byUid)
    {
        std::sort(m_sorted.begin(), m_sorted.end(), IsEarlier);
    }
}

void
WeftEventWheel::FindFirst()
{
    if (!IsOpen())
    {
        m_first = FindFirstOfBuckets();
        return;
    }
    m_first = m_next != m_sorted.size() ? m_sorted[m_next].key : WeftEventKey{};
    if (!m_late.empty())
    {
        m_first = std::min(m_first, m_late.front().key);
    }
}

WeftEventKey
WeftEventWheel::FindFirstOfBuckets() const
{
    WeftEventKey first;
    if (m_waiting > 0)
    {
        ForEach(m_buckets[FindBucket()],
                [&first](const WeftEventEntry& entry) { first = std::min(first, entry.key); });
    }
    return first;
}

uint32_t
WeftEventWheel::FindBucket() const
{
    uint64_t bucket = m_bucket;
    for (;;)
    {
        const auto place = static_cast<uint32_t>(bucket % BUCKETS);
        const uint64_t rest = m_map[place / 64] >> place % 64;
        if (rest != 0)
        {
            return place + static_cast<uint32_t>(__builtin_ctzll(rest));
        }
        bucket += 64 - place % 64;
    }
}

void
WeftEventWheel::Clear()
{
    m_bucket = 0;
    m_first = {};
    m_next = 0;
    m_sorted.clear();
    m_late.clear();
    m_free = NONE;
    m_waiting = 0;
    m_chunks.clear();
    m_following.clear();
    m_buckets.fill({NONE, 0});
    m_map.fill(0);
}

} // namespace ns3

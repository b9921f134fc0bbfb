/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-event-lanes.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{
constexpr uint32_t FIRST_RING = 64;         //!< places of a lane's first ring
constexpr uint64_t MISSES_PERIOD = 1024;    //!< events without a lane between two reviews
constexpr uint64_t EVENTS_PERIOD = 1 << 18; //!< or events of all kinds, if a lane is hardly used
constexpr uint64_t LANE_SHARE = 512;        //!< a lane takes at least one in so many events
constexpr uint64_t LEVEL_SHARE = 20;        //!< and those of a level of the tournament one in these

/** @param multiplier an odd number whose products spread delays @return another */
constexpr uint64_t
NextMultiplier(uint64_t multiplier)
{
    return (multiplier * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963406)) | 1;
}
} // namespace

WeftEventLanes::WeftEventLanes()
{
    m_places.fill({});
    RebuildTournament();
}

bool
WeftEventLanes::IsEmpty() const
{
    return m_wheel.IsEmpty() && m_heap.empty() &&
           std::all_of(m_lanes.begin(), m_lanes.end(), [](const Lane& lane) {
               return lane.head == lane.tail;
           });
}

void
WeftEventLanes::Clear()
{
    m_wheel.Clear();
    m_heap.clear();
    for (Lane& lane : m_lanes)
    {
        lane.head = lane.tail;
    }
    m_places.fill({});
    RebuildTournament();
}

std::vector<int64_t>
WeftEventLanes::GetDelays() const
{
    std::vector<int64_t> delays;
    for (const Lane& lane : m_lanes)
    {
        if (lane.delay != CLOSED)
        {
            delays.push_back(lane.delay);
        }
    }
    return delays;
}

void
WeftEventLanes::Lane::Grow()
{
    const uint32_t places = ring ? 2 * (mask + 1) : FIRST_RING;
    std::unique_ptr<WeftEventEntry[]> larger(new WeftEventEntry[places]());
    for (uint32_t i = head; i != tail; i++)
    {
        larger[i & (places - 1)] = ring[i & mask];
    }
    memory = std::move(larger);
    ring = memory.get();
    mask = places - 1;
}

// The tournament

WeftEventLanes::Place
WeftEventLanes::GetPlace() const
{
    const Place heap = (m_places[LATE] < m_places[SOON]) ? LATE : SOON;
    return (m_places[ELSEWHERE] < m_places[heap]) ? ELSEWHERE : heap;
}

void
WeftEventLanes::SetPlace(Place place, const WeftEventKey& first)
{
    m_places[place] = first;
    Play(0, m_places[GetPlace()]);
}

void
WeftEventLanes::SetElsewhere(uint64_t ts, uint64_t uid)
{
    SetPlace(ELSEWHERE, {ts, uid << WeftEventKey::SLOT_BITS});
}

void
WeftEventLanes::ClearElsewhere()
{
    SetPlace(ELSEWHERE, {});
}

void
WeftEventLanes::Drained(uint32_t slot)
{
    const Lane& lane = m_lanes[slot];
    const WeftEventKey key = lane.ring[(lane.head - 1) & lane.mask].key;
    Play(slot, {});
    // Lanes that are hardly used run empty, and are found out here.
    if (key.GetUid() >= m_uidReviewed + EVENTS_PERIOD)
    {
        Review(key.GetUid(), key.ts);
    }
}

void
WeftEventLanes::RebuildTournament()
{
    uint32_t last = 0;
    for (uint32_t slot = 1; slot < WeftEventKey::SLOTS; slot++)
    {
        last = m_lanes[slot].delay != CLOSED ? slot : last;
    }
    m_leaves = 2;
    while (m_leaves <= last)
    {
        m_leaves *= 2;
    }
    m_ts.fill(UINT64_MAX);
    m_rank.fill(WeftEventKey::NOTHING);
    Play(0, m_places[GetPlace()]);
    for (uint32_t slot = 1; slot <= last; slot++)
    {
        const Lane& lane = m_lanes[slot];
        if (lane.head != lane.tail)
        {
            Play(slot, lane.ring[lane.head & lane.mask].key);
        }
    }
}

// Where most events do not come by

void
WeftEventLanes::PushSlowly(WeftEventKey key, FabricEvent* event, uint32_t context, int64_t delay)
{
    const WeftEventEntry entry{key, event, context};
    const uint32_t slot = m_table[Bucket(delay)];
    Lane& lane = m_lanes[slot];
    if (lane.delay == delay)
    {
        if (lane.tail - lane.head == lane.mask + 1)
        {
            lane.Grow();
        }
        lane.ring[lane.tail++ & lane.mask] = entry;
        if (lane.tail - lane.head == 1)
        {
            Play(slot, entry.key);
        }
        return;
    }
    const uint64_t now = key.ts - static_cast<uint64_t>(delay);
    PushOffLane(entry, now);
    Vote(delay, key.GetUid(), now);
}

void
WeftEventLanes::PushOffLane(WeftEventEntry entry, uint64_t now)
{
    entry.key.rank &= ~uint64_t{WeftEventKey::SLOTS - 1};
    m_wheel.SetNow(now);
    if (m_wheel.Holds(entry.key.ts))
    {
        m_wheel.Push(entry);
        SetPlace(SOON, m_wheel.GetFirst());
        return;
    }
    m_heap.push_back(entry);
    std::push_heap(m_heap.begin(), m_heap.end(), WeftIsLater);
    SetPlace(LATE, m_heap[0].key);
}

FabricEvent*
WeftEventLanes::PopOffLane(Place place, uint32_t& context)
{
    WeftEventEntry entry;
    if (place == SOON)
    {
        entry = m_wheel.Pop();
        if (m_large)
        {
            m_wheel.Expect();
        }
        SetPlace(SOON, m_wheel.GetFirst());
    }
    else
    {
        std::pop_heap(m_heap.begin(), m_heap.end(), WeftIsLater);
        entry = m_heap.back();
        m_heap.pop_back();
        SetPlace(LATE, m_heap.empty() ? WeftEventKey{} : m_heap[0].key);
    }
    context = entry.context;
    return entry.event;
}

// Learning

void
WeftEventLanes::Vote(int64_t delay, uint64_t uid, uint64_t now)
{
    Candidate& candidate =
        m_candidates[(static_cast<uint64_t>(delay) * m_ballot) >> (64 - CANDIDATE_BITS)];
    if (candidate.delay == delay)
    {
        candidate.votes++;
    }
    else if (candidate.votes > 0)
    {
        candidate.votes--;
    }
    else
    {
        candidate = {delay, 1};
    }
    if (++m_misses >= m_missesReviewed + MISSES_PERIOD)
    {
        Review(uid, now);
    }
}

void
WeftEventLanes::Rank(Ranking& all)
{
    std::copy(m_candidates.begin(), m_candidates.end(), all.begin());
    auto to = all.begin() + m_candidates.size();
    for (Lane& lane : m_lanes)
    {
        const bool open = lane.delay != CLOSED;
        *to++ = {lane.delay, open ? lane.tail - lane.reviewed : 0};
        lane.reviewed = lane.tail;
    }
    std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
        return a.votes != b.votes ? a.votes > b.votes : a.delay < b.delay;
    });
}

uint32_t
WeftEventLanes::CountWorthwhile(const Ranking& best, uint64_t events)
{
    // Each further level of the tournament costs every event, so its lanes must be worth it.
    uint32_t lanes = 0;
    for (uint32_t room = 3; room < WeftEventKey::SLOTS; room = 2 * room + 1)
    {
        uint64_t votes = 0;
        uint32_t n = lanes;
        for (; n < room && best[n].votes * LANE_SHARE > events; n++)
        {
            votes += best[n].votes;
        }
        if (lanes > 0 && votes * LEVEL_SHARE <= events)
        {
            break;
        }
        lanes = n;
    }
    return lanes;
}

void
WeftEventLanes::Review(uint64_t uid, uint64_t now)
{
    const uint64_t events = uid - m_uidReviewed;
    Ranking best;
    Rank(best);
    const uint32_t lanes = CountWorthwhile(best, events);
    const auto end = best.begin() + lanes;
    for (uint32_t slot = 1; slot < WeftEventKey::SLOTS; slot++)
    {
        Lane& lane = m_lanes[slot];
        const bool stays = slot <= lanes && std::any_of(best.begin(), end, [&lane](const auto& c) {
                               return c.delay == lane.delay;
                           });
        if (lane.delay != CLOSED && !stays)
        {
            Close(lane, now);
        }
    }
    std::for_each(best.begin(), end, [this](const Candidate& c) { Open(c.delay); });
    m_candidates.fill({0, 0});
    // Frequent delays that shared a place, and voted one another down, will not do so again.
    m_ballot = NextMultiplier(m_ballot);
    m_missesReviewed = m_misses;
    m_uidReviewed = uid;
    RebuildTable();
    RebuildTournament();
}

void
WeftEventLanes::Open(int64_t delay)
{
    Lane* closed = nullptr;
    for (uint32_t slot = WeftEventKey::SLOTS - 1; slot > 0; slot--)
    {
        if (m_lanes[slot].delay == delay)
        {
            return;
        }
        closed = m_lanes[slot].delay == CLOSED ? &m_lanes[slot] : closed;
    }
    if (!closed->ring)
    {
        closed->Grow();
    }
    closed->delay = delay;
    closed->reviewed = closed->tail;
}

void
WeftEventLanes::Close(Lane& lane, uint64_t now)
{
    for (; lane.head != lane.tail; lane.head++)
    {
        PushOffLane(lane.ring[lane.head & lane.mask], now);
    }
    lane.delay = CLOSED;
}

bool
WeftEventLanes::FillTable()
{
    bool distinct = true;
    m_table.fill(0);
    for (uint32_t slot = 1; slot < WeftEventKey::SLOTS; slot++)
    {
        if (m_lanes[slot].delay != CLOSED)
        {
            uint8_t& place = m_table[Bucket(m_lanes[slot].delay)];
            distinct = distinct && place == 0;
            place = static_cast<uint8_t>(slot);
        }
    }
    return distinct;
}

void
WeftEventLanes::RebuildTable()
{
    // Should the tries run out, a lane that is hidden by another is merely given up as unused.
    for (uint32_t tries = 0; !FillTable() && tries < 100; tries++)
    {
        m_multiplier = NextMultiplier(m_multiplier);
    }
}

} // namespace ns3

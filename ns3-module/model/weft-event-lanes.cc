/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-event-lanes.h"

#include "weft-fabric-simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{
constexpr uint32_t FIRST_RING = 64;      //!< places of a lane's first ring
constexpr std::size_t ARITY = 4;         //!< children of a node of the heap
constexpr uint32_t REVIEW_PERIOD = 1024; //!< events without a lane between two reviews
constexpr uint32_t OPEN_VOTES = 8;       //!< a delay is given a lane for so many votes in a period
constexpr uint32_t CLOSE_USES = 4;       //!< a lane is given up if it took fewer events in a period
constexpr uint32_t REPLACE_RATIO = 2;    //!< or if a candidate has so many times its uses

/** @param multiplier an odd number whose products spread delays @return another */
constexpr uint64_t
NextMultiplier(uint64_t multiplier)
{
    return (multiplier * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963406)) | 1;
}
} // namespace

void
FabricEvent::Notify()
{
    Fire(WeftNow());
}

WeftEventLanes::WeftEventLanes()
    : m_reviewAt(REVIEW_PERIOD)
{
    RebuildTournament();
}

bool
WeftEventLanes::IsEmpty() const
{
    return m_heap.empty() && std::all_of(m_lanes.begin(), m_lanes.end(), [](const Lane& lane) {
               return lane.head == lane.tail;
           });
}

void
WeftEventLanes::Clear()
{
    m_heap.clear();
    for (Lane& lane : m_lanes)
    {
        lane.head = lane.tail;
    }
    m_elsewhere = {UINT64_MAX, NOTHING};
    m_tournament.fill(m_elsewhere);
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
    std::unique_ptr<Entry[]> larger(new Entry[places]());
    for (uint32_t i = head; i != tail; i++)
    {
        larger[i & (places - 1)] = ring[i & mask];
    }
    ring = std::move(larger);
    mask = places - 1;
}

// The tournament

WeftEventLanes::Head
WeftEventLanes::HeapHead() const
{
    if (m_heap.empty())
    {
        return {UINT64_MAX, NOTHING};
    }
    return {static_cast<uint64_t>(m_heap[0].entry.ts), m_heap[0].uid << SLOT_BITS | HEAP};
}

void
WeftEventLanes::RebuildTournament()
{
    uint32_t last = ELSEWHERE;
    for (uint32_t slot = FIRST_LANE; slot < SLOTS; slot++)
    {
        last = m_lanes[slot].delay != CLOSED ? slot : last;
    }
    m_leaves = 2;
    while (m_leaves <= last)
    {
        m_leaves *= 2;
    }
    m_tournament.fill({UINT64_MAX, NOTHING});
    Play(HEAP, HeapHead());
    Play(ELSEWHERE, m_elsewhere);
    for (uint32_t slot = FIRST_LANE; slot <= last; slot++)
    {
        const Lane& lane = m_lanes[slot];
        if (lane.head != lane.tail)
        {
            const Entry& next = lane.ring[lane.head & lane.mask];
            Play(slot, {static_cast<uint64_t>(next.ts), lane.headUid << SLOT_BITS | slot});
        }
    }
}

// The heap

void
WeftEventLanes::PushHeap(const Entry& entry, uint64_t uid, int64_t delay)
{
    HeapPush({entry, uid});
    if (m_heap[0].uid == uid)
    {
        Play(HEAP, HeapHead());
    }
    Vote(delay);
}

void
WeftEventLanes::HeapPush(const Late& late)
{
    std::size_t i = m_heap.size();
    m_heap.push_back(late);
    for (; i > 0 && late < m_heap[(i - 1) / ARITY]; i = (i - 1) / ARITY)
    {
        m_heap[i] = m_heap[(i - 1) / ARITY];
    }
    m_heap[i] = late;
}

FabricEvent*
WeftEventLanes::PopHeap(uint32_t& context)
{
    FabricEvent* const event = m_heap[0].entry.event;
    context = m_heap[0].entry.context;
    const Late last = m_heap.back();
    m_heap.pop_back();
    const std::size_t size = m_heap.size();
    std::size_t i = 0;
    for (std::size_t child = 1; child < size; child = i * ARITY + 1)
    {
        const auto begin = m_heap.begin() + static_cast<std::ptrdiff_t>(child);
        const auto least =
            std::min_element(begin,
                             begin + static_cast<std::ptrdiff_t>(std::min(ARITY, size - child)));
        if (!(*least < last))
        {
            break;
        }
        m_heap[i] = *least;
        i = static_cast<std::size_t>(least - m_heap.begin());
    }
    if (size > 0)
    {
        m_heap[i] = last;
    }
    Play(HEAP, HeapHead());
    return event;
}

// Learning

void
WeftEventLanes::Vote(int64_t delay)
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
    if (++m_misses >= m_reviewAt)
    {
        Review();
    }
}

void
WeftEventLanes::Review()
{
    for (Lane& lane : m_lanes)
    {
        lane.uses = lane.tail - lane.reviewed;
        if (lane.delay != CLOSED && lane.uses < CLOSE_USES)
        {
            Close(lane);
        }
    }
    const auto end = std::partition(m_candidates.begin(),
                                    m_candidates.end(),
                                    [](const Candidate& c) { return c.votes >= OPEN_VOTES; });
    std::sort(m_candidates.begin(), end, [](const Candidate& a, const Candidate& b) {
        return a.votes != b.votes ? a.votes > b.votes : a.delay < b.delay;
    });
    std::for_each(m_candidates.begin(), end, [this](const Candidate& c) { Open(c); });
    m_candidates.fill({0, 0});
    // Frequent delays that shared a place, and voted one another down, will not do so again.
    m_ballot = NextMultiplier(m_ballot);
    m_reviewAt = m_misses + REVIEW_PERIOD;
    for (Lane& lane : m_lanes)
    {
        lane.reviewed = lane.tail;
    }
    RebuildTable();
    RebuildTournament();
}

void
WeftEventLanes::Open(const Candidate& candidate)
{
    Lane* victim = nullptr;
    for (uint32_t slot = FIRST_LANE; slot < SLOTS; slot++)
    {
        Lane& lane = m_lanes[slot];
        if (lane.delay == candidate.delay)
        {
            return;
        }
        const uint32_t uses = lane.delay == CLOSED ? 0 : lane.uses;
        if (!victim || uses < victim->uses)
        {
            victim = &lane;
        }
    }
    if (candidate.votes < REPLACE_RATIO * victim->uses)
    {
        return;
    }
    if (victim->delay != CLOSED)
    {
        Close(*victim);
    }
    if (!victim->ring)
    {
        victim->Grow();
    }
    victim->delay = candidate.delay;
    victim->uses = candidate.votes;
}

void
WeftEventLanes::Close(Lane& lane)
{
    uint64_t uid = lane.headUid;
    for (; lane.head != lane.tail; lane.head++)
    {
        const Entry& entry = lane.ring[lane.head & lane.mask];
        uid += entry.uid - static_cast<uint32_t>(uid);
        HeapPush({entry, uid});
    }
    lane.delay = CLOSED;
    lane.uses = 0;
}

bool
WeftEventLanes::FillTable()
{
    bool distinct = true;
    m_table.fill(HEAP);
    for (uint32_t slot = FIRST_LANE; slot < SLOTS; slot++)
    {
        if (m_lanes[slot].delay != CLOSED)
        {
            uint8_t& place = m_table[Bucket(m_lanes[slot].delay)];
            distinct = distinct && place == HEAP;
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

// Copyright (c) 2026 The Weft Authors
// SPDX-License-Identifier: GPL-2.0-only
#include "weft-lane-scheduler.h"

#include "ns3/assert.h"
#include "ns3/event-impl.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

/**
 * @file
 * @ingroup weft
 * ns3::LaneScheduler implementation.
 */

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("LaneScheduler");

NS_OBJECT_ENSURE_REGISTERED(LaneScheduler);

namespace
{

/** Slots of a lane's first ring. */
constexpr uint32_t FIRST_RING = 64;
/** Children of a node of the heap. */
constexpr std::size_t ARITY = 4;
/** A delay is given a lane if at least one in so many events that found none is its. */
constexpr uint32_t OPEN_SHARE = 128;
/** A lane is given up if it took less than one event for so many that found no lane. */
constexpr uint32_t CLOSE_SHARE = 256;
/** A lane is replaced by a candidate that has this many times its uses. */
constexpr uint32_t REPLACE_RATIO = 2;

/**
 * @param [in] multiplier An odd number that spreads delays by the high bits of their product.
 * @return Another.
 */
constexpr uint64_t
NextMultiplier(uint64_t multiplier)
{
    return (multiplier * 6364136223846793005 + 1442695040888963406) | 1;
}

/** Its address marks, on a lane, an event that was removed. */
char g_removed;

/**
 * @return The mark of a removed event.
 */
inline EventImpl*
Removed()
{
    return reinterpret_cast<EventImpl*>(&g_removed);
}

/**
 * Compare two pairs without a branch: which comes first is anyone's guess, the processor's too.
 * @param [in] ts One's high part.
 * @param [in] low Its low part.
 * @param [in] otherTs The other's high part.
 * @param [in] otherLow Its low part.
 * @return Whether one is less than the other.
 */
inline bool
IsLess(uint64_t ts, uint64_t low, uint64_t otherTs, uint64_t otherLow)
{
#ifdef __SIZEOF_INT128__
    __extension__ using Wide = unsigned __int128;
    return (Wide{ts} << 64 | low) < (Wide{otherTs} << 64 | otherLow);
#else
    return (ts < otherTs) | ((ts == otherTs) & (low < otherLow));
#endif
}

/**
 * @param [in] a An event's key.
 * @param [in] b Another event's key.
 * @return One if the first comes first, else zero.
 */
inline std::size_t
IsLess(const Scheduler::EventKey& a, const Scheduler::EventKey& b)
{
    return IsLess(a.m_ts, a.m_uid, b.m_ts, b.m_uid) ? 1 : 0;
}

} // namespace

TypeId
LaneScheduler::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::LaneScheduler")
            .SetParent<Scheduler>()
            .SetGroupName("Weft")
            .AddConstructor<LaneScheduler>()
            .AddAttribute("MaxLanes",
                          "The most delays that may have a lane of their own; 2^n - 1 suits best. "
                          "0 leaves the heap alone.",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          UintegerValue(15),
                          MakeUintegerAccessor(&LaneScheduler::m_maxLanes),
                          MakeUintegerChecker<uint32_t>(0, MAX_LANES))
            .AddAttribute("ReviewPeriod",
                          "Lanes are opened and given up each time that this many events have "
                          "found no lane.",
                          TypeId::ATTR_GET | TypeId::ATTR_CONSTRUCT,
                          UintegerValue(1024),
                          MakeUintegerAccessor(&LaneScheduler::m_reviewPeriod),
                          MakeUintegerChecker<uint32_t>(CLOSE_SHARE, 1U << 30));
    return tid;
}

LaneScheduler::LaneScheduler()
{
    NS_LOG_FUNCTION(this);
    m_table.fill(HEAP);
    m_candidates.fill({0, 0});
    RebuildTournament();
}

LaneScheduler::~LaneScheduler()
{
    NS_LOG_FUNCTION(this);
}

void
LaneScheduler::Insert(const Scheduler::Event& ev)
{
    const uint64_t delay = ev.key.m_ts - m_now;
    const uint32_t slot = m_table[Bucket(delay)];
    Lane& lane = m_lanes[slot];
    if (slot == HEAP || lane.delay != delay || !lane.Admits(ev.key))
    {
        InsertIntoHeap(ev, delay);
        return;
    }
    const bool first = lane.IsEmpty();
    lane.Append(ev);
    if (first)
    {
        Replay(slot);
    }
}

bool
LaneScheduler::IsEmpty() const
{
    return m_tournament[1].low == UINT64_MAX;
}

Scheduler::Event
LaneScheduler::PeekNext() const
{
    return Top();
}

Scheduler::Event
LaneScheduler::RemoveNext()
{
    NS_ASSERT_MSG(!IsEmpty(), "no event is pending");
    m_now = m_tournament[1].ts;
    const auto slot = static_cast<uint32_t>(m_tournament[1].low);
    if (slot == HEAP)
    {
        return RemoveNextOfHeap();
    }
    Lane& lane = m_lanes[slot];
    const Scheduler::Event ev = lane.At(lane.head);
    lane.DropHead();
    // A lane knows what comes soon: have the second event ready by the time that it is next.
    __builtin_prefetch(lane.At(lane.head + 1).impl);
    Replay(slot);
    return ev;
}

Scheduler::Event
LaneScheduler::RemoveNextOfHeap()
{
    const Scheduler::Event ev = m_heap[0];
    HeapErase(0);
    Replay(HEAP);
    return ev;
}

void
LaneScheduler::Remove(const Scheduler::Event& ev)
{
    for (uint32_t slot = 1; slot < m_leaves; slot++)
    {
        Lane& lane = m_lanes[slot];
        const uint64_t i = lane.Find(ev.key);
        if (i == lane.tail)
        {
            continue;
        }
        if (i == lane.head)
        {
            lane.DropHead();
            Replay(slot);
        }
        else
        {
            lane.At(i).impl = Removed();
        }
        return;
    }
    const auto it = std::find(m_heap.begin(), m_heap.end(), ev);
    NS_ASSERT_MSG(it != m_heap.end(), "the event to remove is not pending");
    HeapErase(static_cast<std::size_t>(it - m_heap.begin()));
    Replay(HEAP);
}

std::vector<uint64_t>
LaneScheduler::GetLaneDelays() const
{
    std::vector<uint64_t> delays;
    for (const Lane& lane : m_lanes)
    {
        if (lane.open)
        {
            delays.push_back(lane.delay);
        }
    }
    return delays;
}

std::size_t
LaneScheduler::GetHeapSize() const
{
    return m_heap.size();
}

// The tournament

inline LaneScheduler::Head
LaneScheduler::HeadOf(uint32_t slot) const
{
    const Lane& lane = m_lanes[slot];
    const bool empty = slot == HEAP ? m_heap.empty() : lane.IsEmpty();
    if (empty)
    {
        return {UINT64_MAX, UINT64_MAX};
    }
    const Scheduler::EventKey& key = slot == HEAP ? m_heap[0].key : lane.At(lane.head).key;
    return {key.m_ts, (static_cast<uint64_t>(key.m_uid) << 32) | slot};
}

inline void
LaneScheduler::Play(uint32_t slot, Head head)
{
    uint32_t i = m_leaves + slot;
    m_tournament[i] = head;
    while (i > 1)
    {
        const Head other = m_tournament[i ^ 1];
        const uint64_t less =
            -static_cast<uint64_t>(IsLess(other.ts, other.low, head.ts, head.low));
        head.ts ^= (head.ts ^ other.ts) & less;
        head.low ^= (head.low ^ other.low) & less;
        i >>= 1;
        m_tournament[i] = head;
    }
}

inline void
LaneScheduler::Replay(uint32_t slot)
{
    Play(slot, HeadOf(slot));
}

inline const Scheduler::Event&
LaneScheduler::Top() const
{
    NS_ASSERT_MSG(!IsEmpty(), "no event is pending");
    const auto slot = static_cast<uint32_t>(m_tournament[1].low);
    const Lane& lane = m_lanes[slot];
    return slot == HEAP ? m_heap[0] : lane.At(lane.head);
}

void
LaneScheduler::RebuildTournament()
{
    uint32_t last = 0;
    for (uint32_t slot = 1; slot <= MAX_LANES; slot++)
    {
        last = m_lanes[slot].open ? slot : last;
    }
    m_leaves = 1;
    while (m_leaves <= last)
    {
        m_leaves *= 2;
    }
    m_tournament.fill({UINT64_MAX, UINT64_MAX});
    for (uint32_t slot = 0; slot < m_leaves; slot++)
    {
        Replay(slot);
    }
}

// A lane

void
LaneScheduler::Lane::Grow()
{
    const uint32_t slots = ring ? 2 * (mask + 1) : FIRST_RING;
    std::unique_ptr<Scheduler::Event[]> larger(new Scheduler::Event[slots]());
    for (uint64_t i = head; i != tail; i++)
    {
        larger[i & (slots - 1)] = At(i);
    }
    ring = std::move(larger);
    mask = slots - 1;
}

inline void
LaneScheduler::Lane::DropHead()
{
    do
    {
        head++;
    } while (head != tail && At(head).impl == Removed());
}

uint64_t
LaneScheduler::Lane::Find(const Scheduler::EventKey& key) const
{
    uint64_t low = 0;
    uint64_t high = tail - head;
    while (low < high)
    {
        const uint64_t middle = low + (high - low) / 2;
        if (At(head + middle).key < key)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    const uint64_t i = head + low;
    const bool found = i != tail && At(i).key.m_ts == key.m_ts && At(i).key.m_uid == key.m_uid;
    return found && At(i).impl != Removed() ? i : tail;
}

// The heap

void
LaneScheduler::InsertIntoHeap(const Scheduler::Event& ev, uint64_t delay)
{
    HeapPush(ev);
    if (m_heap[0].key.m_uid == ev.key.m_uid)
    {
        Replay(HEAP);
    }
    // Until time passes, delays say nothing: all is yet to begin, or this scheduler has taken
    // over from another and does not know the time.
    if (m_now == 0)
    {
        return;
    }
    Candidate& candidate = m_candidates[(delay * m_ballot) >> (64 - CANDIDATE_BITS)];
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
    if (++m_misses >= m_reviewPeriod)
    {
        Review();
    }
}

void
LaneScheduler::HeapPush(const Scheduler::Event& ev)
{
    m_heap.push_back(ev);
    SiftUp(m_heap.size() - 1, ev);
}

void
LaneScheduler::HeapErase(std::size_t i)
{
    // The last event, which belongs low down, is carried up from a leaf: fewer comparisons than
    // on its way down from the hole.
    const Scheduler::Event last = m_heap.back();
    m_heap.pop_back();
    if (i < m_heap.size())
    {
        SiftUp(SinkHole(i), last);
    }
}

void
LaneScheduler::SiftUp(std::size_t i, const Scheduler::Event& ev)
{
    while (i > 0 && ev < m_heap[(i - 1) / ARITY])
    {
        m_heap[i] = m_heap[(i - 1) / ARITY];
        i = (i - 1) / ARITY;
    }
    m_heap[i] = ev;
}

std::size_t
LaneScheduler::SinkHole(std::size_t i)
{
    const std::size_t size = m_heap.size();
    Scheduler::Event* const heap = m_heap.data();
    std::size_t child = i * ARITY + 1;
    while (child + ARITY <= size)
    {
        const std::size_t a = child + IsLess(heap[child + 1].key, heap[child].key);
        const std::size_t b = child + 2 + IsLess(heap[child + 3].key, heap[child + 2].key);
        const std::size_t least = a + (b - a) * IsLess(heap[b].key, heap[a].key);
        heap[i] = heap[least];
        i = least;
        child = i * ARITY + 1;
    }
    if (child < size)
    {
        const auto least = std::min_element(heap + child, heap + size);
        heap[i] = *least;
        i = static_cast<std::size_t>(least - heap);
    }
    return i;
}

// Learning

void
LaneScheduler::Review()
{
    for (Lane& lane : m_lanes)
    {
        lane.uses = lane.tail - lane.tailAtReview;
        if (lane.open && lane.uses < m_reviewPeriod / CLOSE_SHARE)
        {
            CloseLane(lane);
        }
    }
    const uint32_t least = m_reviewPeriod / OPEN_SHARE;
    const auto end = std::partition(m_candidates.begin(),
                                    m_candidates.end(),
                                    [least](const Candidate& c) { return c.votes >= least; });
    std::sort(m_candidates.begin(), end, [](const Candidate& a, const Candidate& b) {
        return a.votes != b.votes ? a.votes > b.votes : a.delay < b.delay;
    });
    std::for_each(m_candidates.begin(), end, [this](const Candidate& c) { OpenLane(c); });
    m_candidates.fill({0, 0});
    // Frequent delays that shared a place, and voted one another down, will not do so again.
    m_ballot = NextMultiplier(m_ballot);
    m_misses = 0;
    for (Lane& lane : m_lanes)
    {
        lane.tailAtReview = lane.tail;
    }
    RebuildTable();
    RebuildTournament();
}

void
LaneScheduler::OpenLane(const Candidate& candidate)
{
    Lane* victim = nullptr;
    for (uint32_t slot = 1; slot <= m_maxLanes; slot++)
    {
        Lane& lane = m_lanes[slot];
        if (lane.open && lane.delay == candidate.delay)
        {
            return;
        }
        if (!victim || lane.uses < victim->uses)
        {
            victim = &lane;
        }
    }
    if (!victim || candidate.votes < REPLACE_RATIO * victim->uses)
    {
        return;
    }
    if (victim->open)
    {
        CloseLane(*victim);
    }
    NS_LOG_INFO("lane opened for a delay of " << candidate.delay);
    if (!victim->ring)
    {
        victim->Grow();
    }
    victim->open = true;
    victim->delay = candidate.delay;
    victim->uses = candidate.votes;
}

void
LaneScheduler::CloseLane(Lane& lane)
{
    NS_LOG_INFO("lane given up for a delay of " << lane.delay);
    for (; !lane.IsEmpty(); lane.DropHead())
    {
        HeapPush(lane.At(lane.head));
    }
    lane.open = false;
    lane.uses = 0;
}

bool
LaneScheduler::FillTable()
{
    bool distinct = true;
    m_table.fill(HEAP);
    for (uint32_t slot = 1; slot <= MAX_LANES; slot++)
    {
        if (m_lanes[slot].open)
        {
            uint8_t& entry = m_table[Bucket(m_lanes[slot].delay)];
            distinct = distinct && entry == HEAP;
            entry = static_cast<uint8_t>(slot);
        }
    }
    return distinct;
}

void
LaneScheduler::RebuildTable()
{
    // Should the tries run out, a lane that is hidden by another is merely given up as unused.
    for (uint32_t tries = 0; !FillTable() && tries < 100; tries++)
    {
        m_multiplier = NextMultiplier(m_multiplier);
    }
}

} // namespace ns3

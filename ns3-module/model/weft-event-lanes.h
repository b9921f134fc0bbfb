/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_EVENT_LANES_H
#define NS3_WEFT_EVENT_LANES_H

#include "ns3/event-impl.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup weft
 * @brief An event that its owner keeps and schedules again and again.
 *
 * Nobody counts references to it while it is scheduled under FabricSimulatorImpl: it must live
 * until it has run, or until the simulation is over.
 */
class FabricEvent : public EventImpl
{
  public:
    /** It happens. @param now ps */
    virtual void Fire(int64_t now) = 0;

    /** What Fire() reads first beyond the event itself: prefetched while it waits. May be stale. */
    void* target{nullptr};

  private:
    void Notify() final;
};

/**
 * @ingroup weft
 * @brief The pending events of a fabric in the order of (timestamp, uid).
 *
 * In a homogeneous fabric nearly every event is scheduled at one of a handful of constant delays (a
 * frame's serialization, the same plus propagation, ...). Events of one delay are born sorted: a
 * FIFO ring, here called a lane, keeps them in order. A heap holds the events of all other delays.
 * The next event is the least among the heads of the lanes, the top of the heap, and one event that
 * lies elsewhere; a tournament finds it. Delays that recur are given a lane by themselves.
 *
 * Unlike LaneScheduler, which any ns-3 program may use, it keeps no EventId, removes nothing but
 * the next event, and knows each event's delay when it is scheduled.
 */
class WeftEventLanes
{
  public:
    /** Who holds an event that is on no lane. */
    enum Place : uint32_t
    {
        SOON,      //!< the heap
        LATE,      //!< the heap of long delays, so that idle timers do not burden the other one
        ELSEWHERE, //!< not in here: see SetElsewhere()
        PLACES
    };

    static constexpr uint64_t NOTHING = UINT64_MAX; //!< rank of a slot that is empty

    /** An event's place in the order of all. The slot is in the low bits: one comparison yields
     * both. */
    struct Key
    {
        uint64_t ts;   //!< time step
        uint64_t rank; //!< uid and slot: its lane, or 0

        /** @return whether there is no event */
        bool IsNothing() const
        {
            return rank == NOTHING;
        }

        /** @return the lane that holds it, or 0 */
        uint32_t GetSlot() const
        {
            return static_cast<uint32_t>(rank) & (SLOTS - 1);
        }

        /** @return its uid */
        uint64_t GetUid() const
        {
            return rank >> SLOT_BITS;
        }
    };

    WeftEventLanes();

    /**
     * Adds an event.
     * @param now time step
     * @param delay from now
     * @param uid greater than any before
     * @param event event
     * @param context its context
     */
    void Push(int64_t now, int64_t delay, uint64_t uid, FabricEvent* event, uint32_t context)
    {
        const uint32_t slot = m_table[Bucket(delay)];
        Lane& lane = m_lanes[slot];
        const uint32_t size = lane.tail - lane.head;
        const Key key{static_cast<uint64_t>(now + delay), uid << SLOT_BITS | slot};
        // One test for all that is rare: no lane, an empty one, a full one.
        if (__builtin_expect((lane.delay != delay) | (size - 1 >= lane.mask), 0))
        {
            PushSlowly(key, event, context, delay);
            return;
        }
        Entry& entry = lane.ring[lane.tail++ & lane.mask];
        entry.key = key;
        entry.event = event;
        entry.context = context;
    }

    /** @return the first event of all */
    const Key& Next() const
    {
        return m_tournament[1];
    }

    /** Takes the next event. @param slot the lane that holds it @param context gets its context
     * @return it */
    FabricEvent* PopLane(uint32_t slot, uint32_t& context)
    {
        Lane& lane = m_lanes[slot];
        const uint32_t mask = lane.mask;
        const Entry* const ring = lane.ring;
        const uint32_t head = lane.head;
        const uint32_t left = lane.tail - head - 1;
        FabricEvent* const event = ring[head & mask].event;
        context = ring[head & mask].context;
        lane.head = head + 1;
        if (__builtin_expect(left == 0, 0))
        {
            Drained(slot);
            return event;
        }
        Play(slot, ring[(head + 1) & mask].key);
        if (left > FAR)
        {
            // Events stand in line, so what the next ones touch can be fetched.
            __builtin_prefetch(ring[(head + FAR) & mask].event, 1);
            __builtin_prefetch(ring[(head + NEAR) & mask].event->target, 1);
        }
        return event;
    }

    /** @return who holds the next event, given that no lane does */
    Place GetPlace() const;

    /** Takes the next event. @param place the heap that holds it @param context gets its context
     * @return it */
    FabricEvent* PopHeap(Place place, uint32_t& context);

    /** Says when the first event that lies elsewhere is due. @param ts time step @param uid its uid
     */
    void SetElsewhere(uint64_t ts, uint64_t uid);

    /** Nothing lies elsewhere. */
    void ClearElsewhere();

    /** @return when the first event that lies elsewhere is due, or UINT64_MAX */
    uint64_t GetElsewhere() const
    {
        return m_places[ELSEWHERE].ts;
    }

    /** @return whether no event is in here */
    bool IsEmpty() const;

    /** Forgets all events. */
    void Clear();

    /** @return the delays that have a lane, time steps */
    std::vector<int64_t> GetDelays() const;

    /** @return events that found no lane so far */
    uint64_t GetMisses() const
    {
        return m_misses;
    }

  private:
    static constexpr uint32_t SLOT_BITS = 5;           //!< bits of a slot's number
    static constexpr uint32_t SLOTS = 1U << SLOT_BITS; //!< lanes, and 0 for all places besides
    static constexpr uint32_t TABLE_BITS = 10;         //!< log2 of the size of the table of delays
    static constexpr uint32_t CANDIDATE_BITS = 6;      //!< log2 of the number of candidates

    /** An event and when it is due. */
    struct Entry
    {
        Key key;            //!< when
        FabricEvent* event; //!< what
        uint32_t context;   //!< where
    };

    /** A FIFO ring of events of one delay. */
    struct alignas(64) Lane
    {
        Entry* ring{nullptr};            //!< mask + 1 places, once it was open
        uint32_t head{0};                //!< events ever taken, modulo 2^32
        uint32_t tail{0};                //!< events ever put in, modulo 2^32
        uint32_t mask{0};                //!< places less one
        uint32_t reviewed{0};            //!< tail at the last review
        int64_t delay{CLOSED};           //!< delay of its events
        std::unique_ptr<Entry[]> memory; //!< of the ring

        /** Doubles the ring. */
        void Grow();
    };

    /** A delay and how often it was seen of late. */
    struct Candidate
    {
        int64_t delay;  //!< delay
        uint32_t votes; //!< its events, less those of others that share its place
    };

    /** All delays in use. */
    using Ranking = std::array<Candidate, SLOTS + (1U << CANDIDATE_BITS)>;

    static constexpr int64_t CLOSED = -1; //!< delay of a lane that is not in use
    static constexpr uint32_t FAR = 8;    //!< an event is fetched when so many are before it
    static constexpr uint32_t NEAR = 4;   //!< its target is fetched when so many are before it

    /** @param delay a delay @return its place in the table */
    uint32_t Bucket(int64_t delay) const
    {
        return static_cast<uint32_t>((static_cast<uint64_t>(delay) * m_multiplier) >>
                                     (64 - TABLE_BITS));
    }

    /** Enters a slot's first event into the tournament. @param slot the slot @param key the event's
     */
    void Play(uint32_t slot, Key key)
    {
        Key* const nodes = m_tournament.data();
        uint32_t i = m_leaves + slot;
        nodes[i] = key;
        for (; i > 1; i >>= 1)
        {
            // Which one is less is anyone's guess, the processor's too: no branch.
            const Key other = nodes[i ^ 1];
            const bool less = IsLess(other, key);
            key.ts = less ? other.ts : key.ts;
            key.rank = less ? other.rank : key.rank;
            nodes[i >> 1] = key;
        }
    }

    /** @param a one @param b another @return whether the first is less */
    static bool IsLess(const Key& a, const Key& b)
    {
#ifdef __SIZEOF_INT128__
        __extension__ using Wide = unsigned __int128;
        return (Wide{a.ts} << 64 | a.rank) < (Wide{b.ts} << 64 | b.rank);
#else
        return (a.ts < b.ts) | ((a.ts == b.ts) & (a.rank < b.rank));
#endif
    }

    /** Adds an event that has no lane, or whose lane is empty or full. @param key when @param event
     * what @param context where @param delay its delay */
    [[gnu::noinline]] void
    PushSlowly(const Key& key, FabricEvent* event, uint32_t context, int64_t delay);
    /** Puts an event on a heap, and leaves the rest alone. @param place heap @param entry event */
    void HeapPush(Place place, Entry entry);
    /** A heap's first event has changed. @param place heap */
    void HeapChanged(Place place);
    /** A place's first event has changed. @param place place @param first its first event */
    void SetPlace(Place place, const Key& first);
    /** A lane has run empty. @param slot its slot */
    [[gnu::noinline]] void Drained(uint32_t slot);
    /** Counts a delay that has no lane. @param delay delay @param uid of its event */
    void Vote(int64_t delay, uint64_t uid);
    /** Gives lanes to the delays that are worth it. @param uid of the newest event */
    void Review(uint64_t uid);
    /** Ranks the delays in use, with and without lanes. @param all gets them, the most frequent
     * first
     */
    void Rank(Ranking& all);
    /** @param best delays, the most frequent first @param events of all delays @return how many of
     * them are worth a lane */
    static uint32_t CountWorthwhile(const Ranking& best, uint64_t events);
    /** Opens a lane in a free slot. @param delay its delay */
    void Open(int64_t delay);
    /** Gives a lane up: its events move to the heap. @param lane lane */
    void Close(Lane& lane);
    /** Fills the table of delays, by a multiplier that keeps them apart. */
    void RebuildTable();
    /** Fills the table of delays. @return whether no two lanes share a place */
    bool FillTable();
    /** Sizes the tournament by the lanes in use, and plays it anew. */
    void RebuildTournament();

    std::array<Lane, SLOTS> m_lanes;                     //!< slot 0 is never open
    uint64_t m_multiplier{UINT64_C(0x9e3779b97f4a7c15)}; //!< spreads delays over the table
    uint32_t m_leaves{2};                                //!< leaves of the tournament, 2^n
    std::array<Key, 2 * SLOTS> m_tournament;             //!< node i is the lesser of 2i and 2i + 1
    std::array<uint8_t, 1U << TABLE_BITS> m_table{};     //!< by delay: its slot, or 0
    std::array<Key, PLACES> m_places;                    //!< their first events
    std::array<std::vector<Entry>, 2> m_heaps;           //!< 4-ary; by place
    uint64_t m_misses{0};                                //!< events that found no lane
    uint64_t m_missesReviewed{0};                        //!< the same at the last review
    uint64_t m_uidReviewed{0};                           //!< newest uid at the last review
    uint64_t m_ballot{UINT64_C(0x9e3779b97f4a7c15)};     //!< spreads delays over the candidates
    std::array<Candidate, 1U << CANDIDATE_BITS> m_candidates{}; //!< delays that have no lane
};

} // namespace ns3

#endif /* NS3_WEFT_EVENT_LANES_H */

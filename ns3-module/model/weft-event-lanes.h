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
    /** An event and when it is due. */
    struct Entry
    {
        int64_t ts;         //!< time step
        FabricEvent* event; //!< event
        uint32_t uid;       //!< its low 32 bits
        uint32_t context;   //!< context
    };

    /** Who holds the next event. */
    enum Slot : uint32_t
    {
        HEAP,       //!< delays without a lane
        ELSEWHERE,  //!< not in here: see SetElsewhere()
        FIRST_LANE, //!< and all further ones
    };

    static constexpr uint64_t NOTHING = UINT64_MAX; //!< rank of a slot that is empty

    /** The first event of a slot. Slots are in the low bits, so that one comparison yields both. */
    struct Head
    {
        uint64_t ts;   //!< time step
        uint64_t rank; //!< uid and slot

        /** @return whether there is none */
        bool IsNothing() const
        {
            return rank == NOTHING;
        }

        /** @return who holds it */
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
        const Entry entry{now + delay, event, static_cast<uint32_t>(uid), context};
        if (__builtin_expect(lane.delay != delay, 0))
        {
            PushHeap(entry, uid, delay);
            return;
        }
        if (__builtin_expect(lane.tail - lane.head > lane.mask, 0))
        {
            lane.Grow();
        }
        lane.ring[lane.tail++ & lane.mask] = entry;
        if (lane.tail - lane.head == 1)
        {
            lane.headUid = uid;
            Play(slot, {static_cast<uint64_t>(entry.ts), uid << SLOT_BITS | slot});
        }
    }

    /** @return the first event of all */
    const Head& Next() const
    {
        return m_tournament[1];
    }

    /** Takes the next event, which must not be elsewhere. @param slot who holds it @param context
     * gets its context @return it */
    FabricEvent* Pop(uint32_t slot, uint32_t& context)
    {
        if (__builtin_expect(slot == HEAP, 0))
        {
            return PopHeap(context);
        }
        Lane& lane = m_lanes[slot];
        FabricEvent* const event = lane.ring[lane.head & lane.mask].event;
        context = lane.ring[lane.head & lane.mask].context;
        const uint32_t left = lane.tail - ++lane.head;
        if (left == 0)
        {
            Play(slot, {UINT64_MAX, NOTHING});
            return event;
        }
        const Entry& next = lane.ring[lane.head & lane.mask];
        lane.headUid += next.uid - static_cast<uint32_t>(lane.headUid);
        Play(slot, {static_cast<uint64_t>(next.ts), lane.headUid << SLOT_BITS | slot});
        lane.Prefetch(left);
        return event;
    }

    /** Says when the first event that lies elsewhere is due. @param ts time step @param uid its uid
     */
    void SetElsewhere(uint64_t ts, uint64_t uid)
    {
        m_elsewhere = {ts, uid << SLOT_BITS | ELSEWHERE};
        Play(ELSEWHERE, m_elsewhere);
    }

    /** Nothing lies elsewhere. */
    void ClearElsewhere()
    {
        m_elsewhere = {UINT64_MAX, NOTHING};
        Play(ELSEWHERE, m_elsewhere);
    }

    /** @return when the first event that lies elsewhere is due, or UINT64_MAX */
    uint64_t GetElsewhere() const
    {
        return m_elsewhere.ts;
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
    static constexpr uint32_t SLOTS = 1U << SLOT_BITS; //!< heap, elsewhere, and lanes
    static constexpr uint32_t TABLE_BITS = 10;         //!< log2 of the size of the table of delays
    static constexpr uint32_t CANDIDATE_BITS = 6;      //!< log2 of the number of candidates

    /** A FIFO ring of events of one delay. */
    struct Lane
    {
        std::unique_ptr<Entry[]> ring; //!< mask + 1 places, once it was open
        uint32_t head{0};              //!< events ever taken, modulo 2^32
        uint32_t tail{0};              //!< events ever put in, modulo 2^32
        uint32_t mask{0};              //!< places less one
        uint32_t reviewed{0};          //!< tail at the last review
        uint32_t uses{0};              //!< events between the last two reviews
        uint64_t headUid{0};           //!< uid of the first event
        int64_t delay{CLOSED};         //!< delay of its events

        /** Doubles the ring. */
        [[gnu::noinline]] void Grow();

        /** Events stand in line, so what the next ones touch can be fetched. @param left events */
        void Prefetch(uint32_t left) const
        {
            if (left > FAR)
            {
                __builtin_prefetch(ring[(head + FAR) & mask].event, 1);
                __builtin_prefetch(ring[(head + NEAR) & mask].event->target, 1);
            }
        }
    };

    /** An event in the heap. */
    struct Late
    {
        Entry entry;  //!< the event
        uint64_t uid; //!< all of its uid

        /** @param other another @return whether this one comes first */
        bool operator<(const Late& other) const
        {
            return entry.ts != other.entry.ts ? entry.ts < other.entry.ts : uid < other.uid;
        }
    };

    /** A delay that has no lane, and how often it was seen of late. */
    struct Candidate
    {
        int64_t delay;  //!< delay
        uint32_t votes; //!< its events less those of others that share its place
    };

    static constexpr int64_t CLOSED = -1; //!< delay of a lane that is not in use
    static constexpr uint32_t FAR = 8;    //!< an event is fetched when so many are before it
    static constexpr uint32_t NEAR = 4;   //!< its target is fetched when so many are before it

    /** @param delay a delay @return its place in the table */
    uint32_t Bucket(int64_t delay) const
    {
        return static_cast<uint32_t>((static_cast<uint64_t>(delay) * m_multiplier) >>
                                     (64 - TABLE_BITS));
    }

    /** Enters a slot's new head into the tournament. @param slot the slot @param head its head */
    void Play(uint32_t slot, Head head)
    {
        uint32_t i = m_leaves + slot;
        m_tournament[i] = head;
        while (i > 1)
        {
            // Which one is less is anyone's guess, the processor's too: no branch.
            const Head other = m_tournament[i ^ 1];
            const uint64_t less = -static_cast<uint64_t>(IsLess(other, head));
            head.ts ^= (head.ts ^ other.ts) & less;
            head.rank ^= (head.rank ^ other.rank) & less;
            i >>= 1;
            m_tournament[i] = head;
        }
    }

    /** @param a one @param b another @return whether the first is less */
    static bool IsLess(const Head& a, const Head& b)
    {
#ifdef __SIZEOF_INT128__
        __extension__ using Wide = unsigned __int128;
        return (Wide{a.ts} << 64 | a.rank) < (Wide{b.ts} << 64 | b.rank);
#else
        return (a.ts < b.ts) | ((a.ts == b.ts) & (a.rank < b.rank));
#endif
    }

    /** Adds an event that has no lane. @param entry event @param uid its uid @param delay its delay
     */
    [[gnu::noinline]] void PushHeap(const Entry& entry, uint64_t uid, int64_t delay);
    /** Puts an event on the heap, and leaves the tournament alone. @param late event */
    void HeapPush(const Late& late);
    /** @param context gets its context @return the first event of the heap, taken */
    [[gnu::noinline]] FabricEvent* PopHeap(uint32_t& context);
    /** @return the heap's first event */
    Head HeapHead() const;
    /** Counts a delay that has no lane. @param delay delay */
    void Vote(int64_t delay);
    /** Opens lanes for the delays that were frequent of late. */
    void Review();
    /** Opens a lane, in place of one that is used far less if none is free. @param candidate delay
     */
    void Open(const Candidate& candidate);
    /** Gives a lane up: its events move to the heap. @param lane lane */
    void Close(Lane& lane);
    /** Fills the table of delays, by a multiplier that keeps them apart. */
    void RebuildTable();
    /** Fills the table of delays. @return whether no two lanes share a place */
    bool FillTable();
    /** Sizes the tournament by the lanes in use, and plays it anew. */
    void RebuildTournament();

    uint64_t m_multiplier{UINT64_C(0x9e3779b97f4a7c15)}; //!< spreads delays over the table
    Head m_elsewhere{UINT64_MAX, NOTHING};               //!< see SetElsewhere()
    uint32_t m_leaves{2};                                //!< leaves of the tournament, 2^n
    std::array<Head, 2 * SLOTS> m_tournament;            //!< node i is the lesser of 2i and 2i + 1
    std::array<Lane, SLOTS> m_lanes;                     //!< the first two are never open
    std::array<uint8_t, 1U << TABLE_BITS> m_table{};     //!< by delay: its slot, or HEAP
    std::vector<Late> m_heap;                            //!< 4-ary
    uint64_t m_misses{0};                                //!< events that found no lane
    uint64_t m_reviewAt{0};                              //!< misses at the next review
    uint64_t m_ballot{UINT64_C(0x9e3779b97f4a7c15)};     //!< spreads delays over the candidates
    std::array<Candidate, 1U << CANDIDATE_BITS> m_candidates{}; //!< delays that may earn a lane
};

} // namespace ns3

#endif /* NS3_WEFT_EVENT_LANES_H */

/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_EVENT_LANES_H
#define NS3_WEFT_EVENT_LANES_H

#include "weft-event-wheel.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup weft
 * @brief Pending events that their owners keep, in the order of (timestamp, uid).
 *
 * It is made for models that schedule nearly every event at one of a handful of constant delays, as
 * a homogeneous network does. Events of one delay are born sorted: a FIFO ring, here called a lane,
 * keeps them in order. Events of other delays lie in a timing wheel,
 * or, if they are due beyond its horizon, in a heap. The next event is the least among the heads of
 * the lanes, the first of the wheel, the top of the heap, and one event that lies elsewhere; a
 * tournament finds it. Delays that recur are given a lane by themselves.
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
        SOON,      //!< the wheel
        LATE,      //!< the heap
        ELSEWHERE, //!< not in here: see SetElsewhere()
        PLACES
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
        const WeftEventKey key{static_cast<uint64_t>(now + delay),
                               uid << WeftEventKey::SLOT_BITS | slot};
        // One test for all that is rare: no lane, an empty one, a full one.
        if (__builtin_expect((lane.delay != delay) | (size - 1 >= lane.mask), 0))
        {
            PushSlowly(key, event, context, delay);
            return;
        }
        WeftEventEntry& entry = lane.ring[lane.tail++ & lane.mask];
        entry.key = key;
        entry.event = event;
        entry.context = context;
    }

    /** @return the first event of all */
    WeftEventKey Next() const
    {
        return {m_ts[1], m_rank[1]};
    }

    /** Takes the next event. @param slot the lane that holds it @param context gets its context
     * @return it */
    FabricEvent* PopLane(uint32_t slot, uint32_t& context)
    {
        Lane& lane = m_lanes[slot];
        const uint32_t mask = lane.mask;
        const WeftEventEntry* const ring = lane.ring;
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
            __builtin_prefetch(&ring[(head + AHEAD) & mask]);
            __builtin_prefetch(ring[(head + FAR) & mask].event, 1);
            __builtin_prefetch(ring[(head + MIDDLE) & mask].event->GetTarget(), 1);
            if (__builtin_expect(m_large, 0))
            {
                ring[(head + NEAR) & mask].event->Expect();
            }
        }
        return event;
    }

    /** @return who holds the next event, given that no lane does */
    Place GetPlace() const;

    /** Takes the next event. @param place wheel or heap @param context gets its context
     * @return it */
    FabricEvent* PopOffLane(Place place, uint32_t& context);

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

    /** Says that the model does not fit the caches, so that events are worth being told that their
     * time comes. @param large whether that is so */
    void SetLarge(bool large)
    {
        m_large = large;
    }

    /** @return the delays that have a lane, time steps */
    std::vector<int64_t> GetDelays() const;

    /** @return events that found no lane so far */
    uint64_t GetMisses() const
    {
        return m_misses;
    }

  private:
    static constexpr uint32_t TABLE_BITS = 10;    //!< log2 of the size of the table of delays
    static constexpr uint32_t CANDIDATE_BITS = 6; //!< log2 of the number of candidates

    /** A FIFO ring of events of one delay. */
    struct alignas(64) Lane
    {
        WeftEventEntry* ring{nullptr};            //!< mask + 1 places, once it was open
        uint32_t head{0};                         //!< events ever taken, modulo 2^32
        uint32_t tail{0};                         //!< events ever put in, modulo 2^32
        uint32_t mask{0};                         //!< places less one
        uint32_t reviewed{0};                     //!< tail at the last review
        int64_t delay{CLOSED};                    //!< delay of its events
        std::unique_ptr<WeftEventEntry[]> memory; //!< of the ring

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
    using Ranking = std::array<Candidate, WeftEventKey::SLOTS + (1U << CANDIDATE_BITS)>;

    static constexpr int64_t CLOSED = -1; //!< delay of a lane that is not in use
    static constexpr uint32_t AHEAD = 32; //!< the line itself is fetched so far ahead
    static constexpr uint32_t FAR = 12;   //!< an event is fetched when so many are before it
    static constexpr uint32_t MIDDLE = 8; //!< its target is fetched when so many are before it
    static constexpr uint32_t NEAR = 4;   //!< it is told to expect its time

    /** @param delay a delay @return its place in the table */
    uint32_t Bucket(int64_t delay) const
    {
        return static_cast<uint32_t>((static_cast<uint64_t>(delay) * m_multiplier) >>
                                     (64 - TABLE_BITS));
    }

    /** Enters a slot's first event into the tournament. @param slot the slot @param key the event's
     */
    void Play(uint32_t slot, WeftEventKey key)
    {
        uint64_t ts = key.ts;
        uint64_t rank = key.rank;
        uint32_t i = m_leaves + slot;
        m_ts[i] = ts;
        m_rank[i] = rank;
        for (; i > 1; i >>= 1)
        {
            // Which one is less is anyone's guess, the processor's too: no branch.
            const uint64_t otherTs = m_ts[i ^ 1];
            const uint64_t otherRank = m_rank[i ^ 1];
            const bool less = WeftEventKey{otherTs, otherRank} < WeftEventKey{ts, rank};
            ts = less ? otherTs : ts;
            rank = less ? otherRank : rank;
            m_ts[i >> 1] = ts;
            m_rank[i >> 1] = rank;
        }
    }

    /** Adds an event that has no lane, or whose lane is empty or full. @param key when; by value,
     * so that Push() may keep it in registers @param event what @param context where @param delay
     * its delay */
    [[gnu::noinline]] void
    PushSlowly(WeftEventKey key, FabricEvent* event, uint32_t context, int64_t delay);
    /** Adds an event to the wheel or to the heap. @param entry event @param now time step */
    void PushOffLane(WeftEventEntry entry, uint64_t now);
    /** A place's first event has changed. @param place place @param first its first event */
    void SetPlace(Place place, const WeftEventKey& first);
    /** A lane has run empty. @param slot its slot */
    [[gnu::noinline]] void Drained(uint32_t slot);
    /** Counts a delay that has no lane. @param delay delay @param uid of its event @param now time
     * step */
    void Vote(int64_t delay, uint64_t uid, uint64_t now);
    /** Gives lanes to the delays that are worth it. @param uid of the newest event
     * @param now time step */
    void Review(uint64_t uid, uint64_t now);
    /** Ranks the delays in use, with and without lanes. @param all gets them, the most frequent
     * first
     */
    void Rank(Ranking& all);
    /** @param best delays, the most frequent first @param events of all delays @return how many of
     * them are worth a lane */
    static uint32_t CountWorthwhile(const Ranking& best, uint64_t events);
    /** Opens a lane in a free slot. @param delay its delay */
    void Open(int64_t delay);
    /** Gives a lane up: its events move to the wheel and the heap. @param lane lane @param
     * now time step */
    void Close(Lane& lane, uint64_t now);
    /** Fills the table of delays, by a multiplier that keeps them apart. */
    void RebuildTable();
    /** Fills the table of delays. @return whether no two lanes share a place */
    bool FillTable();
    /** Sizes the tournament by the lanes in use, and plays it anew. */
    void RebuildTournament();

    std::array<Lane, WeftEventKey::SLOTS> m_lanes;       //!< slot 0 is never open
    uint64_t m_multiplier{UINT64_C(0x9e3779b97f4a7c15)}; //!< spreads delays over the table
    uint32_t m_leaves{2};                                //!< leaves of the tournament, 2^n
    // The tournament: node i is the lesser of 2i and 2i + 1. Apart, so that keys stay in registers.
    std::array<uint64_t, 2 * WeftEventKey::SLOTS> m_ts;   //!< time step of each node's key
    std::array<uint64_t, 2 * WeftEventKey::SLOTS> m_rank; //!< and its rank
    std::array<uint8_t, 1U << TABLE_BITS> m_table{};      //!< by delay: its slot, or 0
    std::array<WeftEventKey, PLACES> m_places;            //!< their first events
    WeftEventWheel m_wheel;                               //!< events of delays without a lane
    std::vector<WeftEventEntry> m_heap;                   //!< those due beyond the wheel's horizon
    bool m_large{false};                                  //!< see SetLarge()
    uint64_t m_misses{0};                                 //!< events that found no lane
    uint64_t m_missesReviewed{0};                         //!< the same at the last review
    uint64_t m_uidReviewed{0};                            //!< newest uid at the last review
    uint64_t m_ballot{UINT64_C(0x9e3779b97f4a7c15)};      //!< spreads delays over the candidates
    std::array<Candidate, 1U << CANDIDATE_BITS> m_candidates{}; //!< delays that have no lane
};

} // namespace ns3

#endif /* NS3_WEFT_EVENT_LANES_H */

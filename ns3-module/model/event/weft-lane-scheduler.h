// Copyright (c) 2026 The Weft Authors
// SPDX-License-Identifier: GPL-2.0-only
#ifndef WEFT_LANE_SCHEDULER_H
#define WEFT_LANE_SCHEDULER_H

#include "ns3/scheduler.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/**
 * @file
 * @ingroup weft
 * ns3::LaneScheduler declaration.
 */

namespace ns3
{

/**
 * @ingroup weft
 * @ingroup scheduler
 * @brief An event scheduler for models that schedule at a handful of constant delays
 *
 * In a homogeneous fabric nearly every event is scheduled at one of a few delays (a packet's
 * serialization, the same plus propagation, ...). Events of one delay are born sorted, so a FIFO
 * ring, here called a lane, keeps them in order at no cost. One heap holds the events of all
 * other delays. The next event is the least among the heads of the lanes and the top of the heap.
 *
 * The lanes are learnt: delays that recur are given one, and a lane that is hardly used is given
 * up. This is a matter of speed only. The order of events is by (timestamp, uid) always, the same
 * as that of every other ns-3 scheduler: an event that would break the order of its lane goes to
 * the heap.
 *
 * The delay of an event is its timestamp less that of the event last taken by RemoveNext().
 *
 * @par Time Complexity
 *
 * Operation    | Amortized %Time                       | Reason
 * :----------- | :------------------------------------ | :-----
 * Insert()     | Constant on a lane, else logarithmic  | Append to a ring; or 4-ary heap
 * IsEmpty()    | Constant                              | Root of the tournament
 * PeekNext()   | Constant                              | Root of the tournament
 * Remove()     | Logarithmic on a lane, else linear    | Binary search; or search of the heap
 * RemoveNext() | Constant on a lane, else logarithmic  | log2 (MaxLanes + 1) comparisons
 *
 * @par Memory Complexity
 *
 * Category  | Memory                    | Reason
 * :-------- | :------------------------ | :-----
 * Overhead  | 7 kB                      | Lanes, tournament, table of delays, candidates
 * Per Event | 0 to 24 bytes             | Rings grow by doubling and do not shrink
 */
class LaneScheduler : public Scheduler
{
  public:
    /**
     * Register this type.
     * @return The object TypeId.
     */
    static TypeId GetTypeId();

    /** Constructor. */
    LaneScheduler();
    /** Destructor. */
    ~LaneScheduler() override;

    // Inherited
    void Insert(const Scheduler::Event& ev) override;
    bool IsEmpty() const override;
    Scheduler::Event PeekNext() const override;
    Scheduler::Event RemoveNext() override;
    void Remove(const Scheduler::Event& ev) override;

    /**
     * The delays that have a lane now.
     * @return The delays, in time steps, in no particular order.
     */
    std::vector<uint64_t> GetLaneDelays() const;

    /**
     * The number of pending events that no lane holds.
     * @return The size of the heap.
     */
    std::size_t GetHeapSize() const;

    /** The most lanes that attribute MaxLanes allows. */
    static constexpr uint32_t MAX_LANES = 63;

  private:
    /**
     * The key of a lane's head, as the tournament compares it.
     * The lane is in the low bits, beneath the uid, so that one comparison yields both.
     */
    struct Head
    {
        uint64_t ts;  /**< Time stamp. */
        uint64_t low; /**< Unique id in the high half, slot in the low half. */
    };

    /** A FIFO ring of events of one delay. Its head is never a removed one. */
    struct Lane
    {
        std::unique_ptr<Scheduler::Event[]> ring; /**< 2^n slots once the lane was open. */
        uint64_t head{0};                         /**< Count of events taken out. */
        uint64_t tail{0};                         /**< Count of events put in. */
        uint64_t delay{0};                        /**< The delay of its events. */
        uint32_t mask{0};                         /**< Number of slots less one. */
        bool open{false};                         /**< Whether it stands for a delay. */
        uint64_t tailAtReview{0};                 /**< The tail at the last review. */
        uint64_t uses{0};                         /**< Events taken between the last two reviews. */

        /**
         * The slot of an event.
         * @param [in] i The event's place, counted as head and tail are.
         * @return The slot.
         */
        Scheduler::Event& At(uint64_t i) const
        {
            return ring[i & mask];
        }

        /** @return Whether no event is in it. */
        bool IsEmpty() const
        {
            return head == tail;
        }

        /**
         * @param [in] key An event's key.
         * @return Whether that event may be appended without breaking the order.
         */
        bool Admits(const Scheduler::EventKey& key) const
        {
            return IsEmpty() || At(tail - 1).key < key;
        }

        /**
         * Add an event at the tail.
         * @param [in] ev The event.
         */
        void Append(const Scheduler::Event& ev)
        {
            if (tail - head > mask)
            {
                Grow();
            }
            At(tail++) = ev;
        }

        /** Double the ring. */
        [[gnu::noinline]] void Grow();
        /** Take the head out, and the removed events behind it. */
        void DropHead();
        /**
         * Look for an event.
         * @param [in] key The event's key.
         * @return Its place, or tail if it is not in this lane.
         */
        uint64_t Find(const Scheduler::EventKey& key) const;
    };

    /** A delay that has no lane, and how often it was seen of late. */
    struct Candidate
    {
        uint64_t delay; /**< The delay. */
        uint32_t votes; /**< Its occurrences less those of others that share its place. */
    };

    /** The slot that stands for the heap in the tournament; lanes are 1 and up. */
    static constexpr uint32_t HEAP = 0;
    /** Log2 of the size of the table of delays. */
    static constexpr uint32_t TABLE_BITS = 10;
    /** Log2 of the number of candidates. */
    static constexpr uint32_t CANDIDATE_BITS = 7;

    /**
     * @param [in] delay A delay.
     * @return Its place in the table of delays.
     */
    uint32_t Bucket(uint64_t delay) const
    {
        return static_cast<uint32_t>((delay * m_multiplier) >> (64 - TABLE_BITS));
    }

    /**
     * Enter a new head of a slot into the tournament.
     * @param [in] slot The slot.
     * @param [in] head Its head.
     */
    void Play(uint32_t slot, Head head);
    /**
     * Enter the present head of a slot into the tournament.
     * @param [in] slot The slot.
     */
    void Replay(uint32_t slot);
    /**
     * @param [in] slot A slot.
     * @return Its head, or one greater than any other if it is empty.
     */
    Head HeadOf(uint32_t slot) const;
    /**
     * The next event.
     * @return The event in its place.
     */
    const Scheduler::Event& Top() const;

    /**
     * Take the top of the heap. Apart from RemoveNext(), to keep that short.
     * @return The event.
     */
    [[gnu::noinline]] Scheduler::Event RemoveNextOfHeap();
    /**
     * Insert an event that no lane takes. Apart from Insert(), to keep that short.
     * @param [in] ev The event.
     * @param [in] delay Its delay.
     */
    [[gnu::noinline]] void InsertIntoHeap(const Scheduler::Event& ev, uint64_t delay);
    /**
     * Put an event on the heap, leaving the tournament alone.
     * @param [in] ev The event.
     */
    void HeapPush(const Scheduler::Event& ev);
    /**
     * Take an event out of the heap, leaving the tournament alone.
     * @param [in] i The event's index.
     */
    void HeapErase(std::size_t i);
    /**
     * Place an event at a hole of the heap or above it.
     * @param [in] i The hole.
     * @param [in] ev The event.
     */
    void SiftUp(std::size_t i, const Scheduler::Event& ev);
    /**
     * Move a hole of the heap down to a leaf, by the least child each time.
     * @param [in] i The hole.
     * @return Where it ended.
     */
    std::size_t SinkHole(std::size_t i);

    /** Give up the lanes that are hardly used and open new ones for the best candidates. */
    void Review();
    /**
     * Open a lane for a delay if one is free, or one is used far less.
     * @param [in] candidate The delay and its votes.
     */
    void OpenLane(const Candidate& candidate);
    /**
     * Give a lane up: its events move to the heap.
     * @param [in] lane The lane.
     */
    void CloseLane(Lane& lane);
    /** Find a multiplier by which the lanes' delays fall into different buckets. */
    void RebuildTable();
    /**
     * Fill the table of delays by the present multiplier.
     * @return Whether no two lanes fell into the same bucket.
     */
    bool FillTable();
    /** Size the tournament by the lanes in use, and play it anew. */
    void RebuildTournament();

    /** Timestamp of the event last taken by RemoveNext(). */
    uint64_t m_now{0};
    /** Spreads delays over the table; see RebuildTable(). */
    uint64_t m_multiplier{0x9e3779b97f4a7c15};
    /** Spreads delays over the candidates; another one after each review. */
    uint64_t m_ballot{0x9e3779b97f4a7c15};
    /** Number of leaves of the tournament, a power of two. */
    uint32_t m_leaves{1};
    /** Events that no lane took since the last review. */
    uint32_t m_misses{0};
    /** Attribute MaxLanes. */
    uint32_t m_maxLanes{15};
    /** Attribute ReviewPeriod. */
    uint32_t m_reviewPeriod{1024};

    /** The tournament: node i is the lesser of 2i and 2i + 1; the leaves are the slots. */
    std::array<Head, 2 * (MAX_LANES + 1)> m_tournament;
    /** The lanes; slot HEAP is unused. */
    std::array<Lane, MAX_LANES + 1> m_lanes;
    /** The slot for each bucket of delays, or HEAP. */
    std::array<uint8_t, 1U << TABLE_BITS> m_table;
    /** Delays that may earn a lane. */
    std::array<Candidate, 1U << CANDIDATE_BITS> m_candidates;
    /** A 4-ary heap of all events that are not on a lane. */
    std::vector<Scheduler::Event> m_heap;
};

} // namespace ns3

#endif // WEFT_LANE_SCHEDULER_H

/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_EVENT_WHEEL_H
#define NS3_WEFT_EVENT_WHEEL_H

#include "weft-fabric-event.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup weft
 * @brief A timing wheel: events that are due soon, whatever their delays.
 *
 * Time is cut into buckets. An event is put at the end of its bucket, and a bucket is sorted at
 * once when the first of its events is taken; what is added to it from then on goes to a small heap
 * beside it. So an event costs the same few steps however many are pending and however many are due
 * at the same time, and near ones lie close together in memory.
 */
class WeftEventWheel
{
  public:
    WeftEventWheel();

    /** @param ts time step @return whether an event that is due then may be added */
    bool Holds(uint64_t ts) const
    {
        return (ts >> SHIFT) < m_bucket + BUCKETS;
    }

    /** Lets the wheel follow the time. @param now time step, not after any event in it */
    void SetNow(uint64_t now)
    {
        m_bucket = now >> SHIFT;
    }

    /** @param entry an event, due now or later; Holds() its time */
    void Push(const WeftEventEntry& entry);

    /** @return whether no event is in it */
    bool IsEmpty() const
    {
        return m_first.IsNothing();
    }

    /** @return the key of the first event, or that of none */
    const WeftEventKey& GetFirst() const
    {
        return m_first;
    }

    /** Tells an event that is soon the first that its time comes. */
    void Expect() const
    {
        if (m_next + NEAR < m_sorted.size())
        {
            m_sorted[m_next + NEAR].event->Expect();
        }
    }

    /** @return the first event, removed; there must be one */
    WeftEventEntry Pop();

    /** Forgets all events. */
    void Clear();

  private:
    static constexpr uint32_t SHIFT = 7;            //!< log2 of the time steps of a bucket
    static constexpr uint32_t STEPS = 1U << SHIFT;  //!< time steps of a bucket
    static constexpr uint32_t BUCKETS = 4096;       //!< so the horizon is half a microsecond
    static constexpr uint32_t WORDS = BUCKETS / 64; //!< of the map
    static constexpr uint32_t PLACES = 8;           //!< events of a chunk
    static constexpr uint32_t NONE = UINT32_MAX;    //!< end of the chain of free chunks
    static constexpr uint32_t MANY = 64;            //!< events that are worth a sort by counting
    static constexpr std::size_t FAR = 12;   //!< an event is fetched when so many are before it
    static constexpr std::size_t MIDDLE = 8; //!< its target is fetched when so many are before it
    static constexpr std::size_t NEAR = 4;   //!< it is told to expect its time

    /** Some events of a bucket, in the order in which they came. */
    struct alignas(64) Chunk
    {
        WeftEventEntry entries[PLACES]; //!< the events
    };

    /** A bucket: a ring of chunks, all but the last one full. */
    struct Bucket
    {
        uint32_t last;  //!< its last chunk, if it has events
        uint32_t count; //!< its events
    };

    /** @return whether events of m_bucket have been sorted, and not all of them were taken */
    bool IsOpen() const
    {
        return m_next != m_sorted.size() || !m_late.empty();
    }

    /** Calls a function for each event of a bucket, in the order in which they came.
     * @param bucket bucket @param f function */
    template <typename F>
    void ForEach(const Bucket& bucket, F f) const;
    /** Adds an event to a bucket. @param place the bucket's @param entry event */
    void Append(uint32_t place, const WeftEventEntry& entry);
    /** @param last the last chunk of a bucket, if it has one @param isFirst whether it has none
     * @return a chunk put behind it */
    uint32_t AddChunk(uint32_t last, bool isFirst);
    /** Sorts the events of a bucket and empties it. @param place the bucket's */
    void Open(uint32_t place);
    /** Sorts many events, which nearly always came by uid. @param bucket their bucket */
    void SortByCounting(const Bucket& bucket);
    /** Finds out which event is the first. */
    void FindFirst();
    /** @return the least key of all buckets */
    WeftEventKey FindFirstOfBuckets() const;
    /** @return the place of the first bucket that has events; there must be one */
    uint32_t FindBucket() const;

    uint64_t m_bucket{0};                  //!< now's, or that of the first event that was taken
    WeftEventKey m_first;                  //!< key of the first event
    std::size_t m_next{0};                 //!< the next event in m_sorted
    std::vector<WeftEventEntry> m_sorted;  //!< events of m_bucket, once it is open
    std::vector<WeftEventEntry> m_late;    //!< heap of those that were added to it since
    uint32_t m_free{NONE};                 //!< chain of free chunks
    uint32_t m_waiting{0};                 //!< events in buckets
    std::vector<Chunk> m_chunks;           //!< of all buckets
    std::vector<uint32_t> m_following;     //!< the chunk after each, in a bucket's ring or m_free
    std::array<Bucket, BUCKETS> m_buckets; //!< by time, modulo their number
    std::array<uint64_t, WORDS> m_map{};   //!< a bit for each bucket that has events
};

} // namespace ns3

#endif /* NS3_WEFT_EVENT_WHEEL_H */

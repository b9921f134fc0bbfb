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
 * Time is cut into buckets. An event goes to its bucket unsorted; when all before it are gone, the
 * bucket is sorted at once and served. So an event costs the same few comparisons however many are
 * pending, and near ones lie close together in memory.
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

    /** Lets an empty wheel follow the time. @param now time step */
    void SetNow(uint64_t now)
    {
        if (m_sorted.empty())
        {
            m_bucket = now >> SHIFT;
        }
    }

    /** @param entry an event; Holds() its time */
    void Push(const WeftEventEntry& entry);

    /** @return whether no event is in it */
    bool IsEmpty() const
    {
        return m_sorted.empty();
    }

    /** @return the key of the first event, or that of none */
    WeftEventKey GetFirst() const
    {
        return m_sorted.empty() ? WeftEventKey{} : m_sorted.back().key;
    }

    /** @return the first event, removed; there must be one */
    WeftEventEntry Pop();

    /** Forgets all events. */
    void Clear();

  private:
    static constexpr uint32_t SHIFT = 7;            //!< log2 of the time steps of a bucket
    static constexpr uint32_t BUCKETS = 4096;       //!< so the horizon is half a microsecond
    static constexpr uint32_t WORDS = BUCKETS / 64; //!< of the map
    static constexpr uint32_t NONE = UINT32_MAX;    //!< end of a chain
    static constexpr std::size_t AHEAD = 6;         //!< events to fetch ahead

    /** An event in a bucket, or a free place. */
    struct Link
    {
        WeftEventEntry entry; //!< the event
        uint32_t next;        //!< another of the bucket, or free place, or NONE
    };

    /** Sorts the next bucket that has events, if there is one. */
    void Advance();
    /** @return the first bucket after m_bucket that has events, or m_bucket if none has */
    uint64_t FindNext() const;

    uint64_t m_bucket{0};                  //!< the bucket in m_sorted; later ones are in chains
    std::vector<WeftEventEntry> m_sorted;  //!< events of m_bucket and before, the last one first
    std::vector<Link> m_links;             //!< of all chains
    uint32_t m_free{NONE};                 //!< chain of free links
    uint32_t m_chained{0};                 //!< events in buckets after m_bucket
    std::array<uint32_t, BUCKETS> m_chain; //!< by bucket, modulo their number
    std::array<uint64_t, WORDS> m_map{};   //!< a bit for each bucket that has events
};

} // namespace ns3

#endif /* NS3_WEFT_EVENT_WHEEL_H */

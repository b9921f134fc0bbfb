/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_FABRIC_EVENT_H
#define NS3_WEFT_FABRIC_EVENT_H

#include "ns3/event-impl.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup weft
 * @brief What an event may act upon: a base class without members, so that a FabricEvent can point
 * at an object whose class only its owner knows.
 */
class FabricEventTarget
{
  protected:
    ~FabricEventTarget() = default;
};

/**
 * @ingroup weft
 * @brief An event that its owner keeps and schedules again and again.
 *
 * Nobody counts references to it while it is scheduled under FabricSimulatorImpl: it must live
 * until it has run, or until the simulation is over.
 */
class FabricEvent : public EventImpl, public FabricEventTarget
{
  public:
    /** It happens. @param now time step */
    virtual void Fire(int64_t now) = 0;

    /** It will happen soon: the place to prefetch what Fire() is going to read. */
    virtual void Expect() const
    {
    }

    /** @return what is prefetched while the event waits, or nullptr; only its address is used, and
     * the object may be gone by then */
    const FabricEventTarget* GetTarget() const
    {
        return m_target;
    }

  protected:
    /** @param target what Fire() reads first beyond the event itself, or nullptr */
    void SetTarget(FabricEventTarget* target)
    {
        m_target = target;
    }

    /** @tparam T the class of the object that was last given to SetTarget() @return that object */
    template <typename T>
    T* GetTargetAs() const
    {
        return static_cast<T*>(m_target);
    }

  private:
    void Notify() final;

    FabricEventTarget* m_target{nullptr}; //!< see SetTarget()
};

/**
 * @ingroup weft
 * @brief An event's place in the order of all: by time, then by uid.
 *
 * The rank holds the uid and, in its low bits, the lane of the event: one comparison yields both.
 */
struct WeftEventKey
{
    static constexpr uint32_t SLOT_BITS = 5;           //!< bits of a lane's number
    static constexpr uint32_t SLOTS = 1U << SLOT_BITS; //!< lanes, and 0 for no lane
    static constexpr uint64_t NOTHING = UINT64_MAX;    //!< rank where there is no event

    uint64_t ts{UINT64_MAX}; //!< time step
    uint64_t rank{NOTHING};  //!< uid and lane

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

    /** @param other another @return whether this one comes first */
    bool operator<(const WeftEventKey& other) const
    {
#ifdef __SIZEOF_INT128__
        __extension__ using Wide = unsigned __int128;
        return (Wide{ts} << 64 | rank) < (Wide{other.ts} << 64 | other.rank);
#else
        return (ts < other.ts) | ((ts == other.ts) & (rank < other.rank));
#endif
    }
};

/** @ingroup weft An event and when it is due. */
struct WeftEventEntry
{
    WeftEventKey key;   //!< when
    FabricEvent* event; //!< what
    uint32_t context;   //!< where
};

/** @param a one @param b another @return whether the first comes later */
inline bool
WeftIsLater(const WeftEventEntry& a, const WeftEventEntry& b)
{
    return b.key < a.key;
}

} // namespace ns3

#endif /* NS3_WEFT_FABRIC_EVENT_H */

/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef WEFT_PACKET_NS3_H
#define WEFT_PACKET_NS3_H

#include "weft-receiver.h"

#include "ns3/weft-arena.h"
#include "ns3/weft-fabric-simulator.h"

#include <cstddef>
#include <cstring>
#include <vector>
#include <weft/packet.h>

/** Says what a frame is: its kind, QP and PSN, hosts, length. @param os stream @param p its
 * descriptor @return the stream */
std::ostream& operator<<(std::ostream& os, const weft_packet& p);

namespace ns3
{

class WeftPort;

/**
 * @ingroup weft
 * @brief A frame in the fabric, and at the same time the event of its own arrival.
 *
 * While the frame is on a wire the scheduler holds it; Fire() tells the receiver at the other end.
 * While it waits in a queue it is a link of that queue's list. Nothing is allocated per packet or
 * per hop: descriptors come from a WeftPacketPool and go back to it.
 */
class alignas(64) WeftPacket final : public FabricEvent, public WeftInArena
{
  public:
    weft_packet d{}; //!< what switches, NICs and balancers read

    /** @return the packet behind this one in a queue, or in the free list */
    WeftPacket* GetNext() const
    {
        return GetTargetAs<WeftPacket>();
    }

    /** It is in a queue or in the free list, and so on no wire. @param next the packet behind this
     * one, or nullptr */
    void SetNext(WeftPacket* next)
    {
        SetTarget(next);
    }

    /** @return echo and meta, as one word: the balancer's of data, the transport's of replies */
    uint64_t GetNotes() const
    {
        uint64_t notes;
        std::memcpy(&notes, reinterpret_cast<const char*>(&d) + offsetof(weft_packet, echo), 8);
        return notes;
    }

    /** It is on a wire, and so in no queue. @param receiver where it will arrive */
    void SetReceiver(WeftReceiver* receiver)
    {
        SetTarget(receiver);
    }

    void Fire(int64_t now) override;
    void Expect() const override;
};

/** @param p a packet @return it as an action of WeftInstant is handed it */
inline uint64_t
WhatOf(WeftPacket* p)
{
    return reinterpret_cast<uintptr_t>(p);
}

/** @param what of WhatOf() @return the packet */
inline WeftPacket*
PacketOf(uint64_t what)
{
    return reinterpret_cast<WeftPacket*>(static_cast<uintptr_t>(what));
}

static_assert(offsetof(weft_packet, echo) + 8 == sizeof(weft_packet), "echo and meta are one word");
static_assert(sizeof(WeftPacket) == 64, "a packet descriptor is one cache line");

/**
 * @ingroup weft
 * @brief Free list of packet descriptors; grows on demand, never shrinks.
 *
 * The pool holds one reference to each descriptor. A descriptor that an event scheduler still holds
 * when the pool goes away is deleted by the scheduler's own last reference.
 */
class WeftPacketPool
{
  public:
    WeftPacketPool() = default;
    ~WeftPacketPool();
    WeftPacketPool(const WeftPacketPool&) = delete;
    WeftPacketPool& operator=(const WeftPacketPool&) = delete;

    /** @return a descriptor with unspecified contents */
    WeftPacket* Get()
    {
        if (!m_free)
        {
            Grow();
        }
        WeftPacket* p = m_free;
        m_free = p->GetNext();
        m_used++;
        return p;
    }

    /** @param p the descriptor to take back */
    void Put(WeftPacket* p)
    {
        p->SetNext(m_free);
        m_free = p;
        m_used--;
    }

    /** @return descriptors in use: packets queued or on a wire */
    uint64_t GetUsed() const
    {
        return m_used;
    }

    /** @return descriptors ever made: the most that were in use at once, rounded up */
    uint64_t GetMade() const
    {
        return m_all.size();
    }

  private:
    void Grow(); //!< Adds a batch of descriptors to the free list

    WeftPacket* m_free{nullptr};    //!< free descriptors
    uint64_t m_used{0};             //!< descriptors handed out
    std::vector<WeftPacket*> m_all; //!< every descriptor made
};

} // namespace ns3

#endif /* WEFT_PACKET_NS3_H */

/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_QP_H
#define NS3_WEFT_QP_H

#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"
#include "ns3/weft-arena.h"
#include "ns3/weft-fabric-event.h"

#include <cstdint>
#include <vector>
#include <weft/qp.h>

namespace ns3
{

class WeftMessageListener;
class WeftNic;
class WeftQp;

/** @ingroup weft Where a listener is, for those that tell it. */
struct WeftListenerPlace : public SimpleRefCount<WeftListenerPlace>
{
    WeftMessageListener* listener; //!< nullptr: it has been deleted
};

/**
 * @ingroup weft
 * @brief Who wants to know when messages of a QP are done.
 *
 * It may be deleted at any time: its QPs tell nobody then. A copy listens to no QP.
 */
class WeftMessageListener
{
  public:
    WeftMessageListener() = default;

    /** A copy has QPs of its own. */
    WeftMessageListener(const WeftMessageListener& /* other */)
    {
    }

    /** Keeps its QPs. @return itself */
    WeftMessageListener& operator=(const WeftMessageListener& /* other */)
    {
        return *this;
    }

    virtual ~WeftMessageListener()
    {
        if (m_place)
        {
            m_place->listener = nullptr;
        }
    }

    /** The last byte is in order at the receiver. @param qp the QP @param tag given at
     * PostMessage() */
    virtual void MessageDelivered(const WeftQp& qp, uint64_t tag) = 0;
    /** The sender knows it. @param qp the QP @param tag given at PostMessage() */
    virtual void MessageAcked(const WeftQp& qp, uint64_t tag) = 0;

    /** The sender has given the QP up and will never know whether the message arrived: it may have,
     * or still arrive from what is under way. @param qp the QP @param tag given at PostMessage() */
    virtual void MessageFailed(const WeftQp& /* qp */, uint64_t /* tag */)
    {
    }

  private:
    friend class WeftListenerRef;
    Ptr<WeftListenerPlace> m_place; //!< once somebody is to tell it
};

/** @ingroup weft A listener, or none: also once it has been deleted. */
class WeftListenerRef
{
  public:
    /** @param listener who is told, or nullptr */
    WeftListenerRef(WeftMessageListener* listener = nullptr)
    {
        if (listener && !listener->m_place)
        {
            listener->m_place = Create<WeftListenerPlace>();
            listener->m_place->listener = listener;
        }
        m_place = listener ? listener->m_place : nullptr;
    }

    using Event = void (WeftMessageListener::*)(const WeftQp&, uint64_t); //!< what it is told

    /** Tells it, if there is one. Not inlined into what every packet does. @param event what has
     * become of a message @param qp the QP @param tag of the message */
    [[gnu::noinline]] void Tell(Event event, const WeftQp& qp, uint64_t tag) const
    {
        if (m_place && m_place->listener)
        {
            (m_place->listener->*event)(qp, tag);
        }
    }

  private:
    Ptr<WeftListenerPlace> m_place; //!< where it is
};

/**
 * @ingroup weft
 * @brief Whom a QP concerns, and the event of its retransmission timer, which is armed lazily.
 *
 * It fills a cache line, so that the core's part of a QP begins with one.
 */
class WeftQpOwners : public FabricEvent
{
  public:
    WeftNic* nic{nullptr};    //!< the sender's NIC
    WeftListenerRef listener; //!< the application, or none
    void* tor{nullptr};       //!< ToR middleware at the destination; nullptr within a rack
    void* flow{nullptr};      //!< what the balancer keeps of it at ToRs, or nullptr
    bool timerArmed{false};   //!< the retransmission timer's event is pending
};

/**
 * @ingroup weft
 * @brief The event of the timer of a QP's receiver, for transports that have one.
 */
class WeftReceiverTimer final : public FabricEvent
{
  public:
    /** @param qp the QP @param nic its receiver's */
    WeftReceiverTimer(WeftQp* qp, WeftNic* nic);
    void Fire(int64_t now) override;

    int64_t armedAt{WEFT_NEVER}; //!< earliest pending event, ps

  private:
    void RunOut(int64_t now); //!< @param now ps

    WeftQp* m_qp;   //!< the QP
    WeftNic* m_nic; //!< its receiver's
};

/**
 * @ingroup weft
 * @brief One reliable connection: the core's QP (its members are described there), whom it
 * concerns, and its memory.
 */
class alignas(64) WeftQp final : public WeftQpOwners, public weft_qp, public WeftInArena
{
  public:
    WeftVector<weft_wqe> posts;           //!< all messages ever posted
    WeftVector<uint64_t> memory;          //!< of the states
    Ptr<WeftReceiverTimer> receiverTimer; //!< of transports that have one

    /** Fetches what a packet will touch. @param data whether it is data or a reply */
    void Prefetch(bool data) const
    {
        __builtin_prefetch(data ? static_cast<const void*>(&algos_rx) : &algos, 1);
    }

    void Fire(int64_t now) override;
};

} // namespace ns3

#endif /* NS3_WEFT_QP_H */

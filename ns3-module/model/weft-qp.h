/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_QP_H
#define NS3_WEFT_QP_H

#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <weft/qp.h>
#include <weft/run.h>

namespace ns3
{

class WeftMessageListener;

/**
 * @ingroup weft
 * @brief One reliable connection, as the core has it: its members are described there.
 *
 * Its sender's and its receiver's members are as far as these hosts have been run:
 * WeftFabric::GetQp() runs them up to Now().
 */
using WeftQp = weft_qp;

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

    /** @return whether it is to be told at the very time, so that both hosts of its QPs are watched
     * (see WeftTicks); else WeftFabric::GetTime() says when it was */
    virtual bool NeedsTime() const
    {
        return true;
    }

    /** @return whether it may be told on any thread, of several hosts at a time, if it needs no
     * time and WeftFabric::Threads are more than one; else one thread runs all nodes */
    virtual bool IsThreadSafe() const
    {
        return false;
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

    /** Tells it, if there is one. @param event what has
     * become of a message @param qp the QP @param tag of the message */
    void Tell(Event event, const WeftQp& qp, uint64_t tag) const
    {
        if (m_place && m_place->listener)
        {
            (m_place->listener->*event)(qp, tag);
        }
    }

    /** @return whether it is to be told at the very time */
    bool NeedsTime() const
    {
        return m_place && m_place->listener && m_place->listener->NeedsTime();
    }

    /** @return whether it may be told on any thread */
    bool IsThreadSafe() const
    {
        return !m_place || !m_place->listener || m_place->listener->IsThreadSafe();
    }

  private:
    Ptr<WeftListenerPlace> m_place; //!< where it is
};

/** @ingroup weft A listener, as the core tells it of ends of messages. */
class WeftEnds
{
  public:
    /** @param listener who is told, or nullptr */
    explicit WeftEnds(WeftMessageListener* listener)
        : m_listener(listener),
          m_core{this, &Tell<DELIVERED>, &Tell<ACKED>, &Tell<FAILED>}
    {
    }

    WeftEnds(const WeftEnds&) = delete;
    WeftEnds& operator=(const WeftEnds&) = delete;

    /** @return the core's, for as long as this is there */
    const weft_listener* Get() const
    {
        return &m_core;
    }

  private:
    static constexpr WeftListenerRef::Event DELIVERED = &WeftMessageListener::MessageDelivered;
    static constexpr WeftListenerRef::Event ACKED = &WeftMessageListener::MessageAcked;
    static constexpr WeftListenerRef::Event FAILED = &WeftMessageListener::MessageFailed;

    /** @param of a WeftEnds @param qp the QP @param tag of the message */
    template <WeftListenerRef::Event EVENT>
    static void Tell(void* of, weft_qp* qp, uint64_t tag, int64_t /* now */)
    {
        static_cast<const WeftEnds*>(of)->m_listener.Tell(EVENT, *qp, tag);
    }

    WeftListenerRef m_listener; //!< who is told
    weft_listener m_core;       //!< the same
};

} // namespace ns3

#endif /* NS3_WEFT_QP_H */

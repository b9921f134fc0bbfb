/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_CONNECTION_H
#define NS3_WEFT_CONNECTION_H

#include "weft-qp.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>
#include <weft/plan.h>

namespace ns3
{

class WeftFabric;

/**
 * @ingroup weft
 * @brief What an application sends messages over: a QP, or as many as the balancer's planner wants.
 *
 * Without a planner it is one QP, and adds nothing. With one a message goes out in parts, each on a
 * QP of the connection, and the listener hears of it when all of its parts are done; the QP that it
 * is told is the first one.
 */
class WeftConnection final : public WeftMessageListener
{
  public:
    /** Use WeftFabric::Connect(). @param fabric the fabric @param index number in the fabric
     * @param src sending host @param dst receiving host @param listener told when messages are
     * done, or nullptr @param level service level, of the fabric's */
    WeftConnection(WeftFabric* fabric,
                   uint32_t index,
                   uint32_t src,
                   uint32_t dst,
                   WeftMessageListener* listener,
                   uint32_t level);

    /** @return sending host */
    uint32_t GetSrc() const
    {
        return m_src;
    }

    /** @return receiving host */
    uint32_t GetDst() const
    {
        return m_dst;
    }

    /** @return its number in the fabric */
    uint32_t GetIndex() const
    {
        return m_index;
    }

    /** @return its service level */
    uint32_t GetServiceLevel() const
    {
        return m_level;
    }

    /** @return QPs made so far; where several ranks run the fabric, at the sender's */
    std::size_t GetNQps() const
    {
        return m_qps.size();
    }

    /** @param i below GetNQps() @return a QP, as it is now */
    WeftQp* GetQp(std::size_t i) const;

    /** Sets aside the numbers of those QPs that are made when a part needs them, and makes room for
     * so many messages, so that nothing is allocated for them while they are posted. @param
     * messages how many */
    void Reserve(std::size_t messages);

    /** Begins a message that goes out in parts. @param tag the application's @param parts how many
     * @return its number here */
    std::size_t Begin(uint64_t tag, std::size_t parts);
    /** Posts a part now. @param message number @param part of it; its QP is made if there is none
     * yet */
    void PostPart(std::size_t message, const weft_plan_part& part);
    /** Posts a part later. @param message number @param part of it @param at when, ps */
    void PostLater(std::size_t message, const weft_plan_part& part, int64_t at);

    // From WeftMessageListener, of its QPs
    void MessageDelivered(const WeftQp& qp, uint64_t tag) override;
    void MessageAcked(const WeftQp& qp, uint64_t tag) override;
    void MessageFailed(const WeftQp& qp, uint64_t tag) override;
    bool NeedsTime() const override;
    bool IsThreadSafe() const override;

  private:
    /** A part that was put off, and its message. */
    using Later = std::pair<std::size_t, weft_plan_part>;

    /** Adds the connection's next QP. @param number in the fabric @param listener told when
     * messages are done */
    void AddQp(uint32_t number, WeftMessageListener* listener);
    /** The time of a part has come. @param of the connection @param what which of m_later @param
     * now ps */
    static void PostDelayed(void* of, uint64_t what, int64_t now);
    /** A message whose parts are under way. */
    struct Message
    {
        uint64_t tag;            //!< the application's
        std::size_t undelivered; //!< parts
        std::size_t unsettled;   //!< parts that are neither acknowledged nor given up
        bool failed;             //!< a part is given up
    };

    /** A part is acknowledged or given up. @param tag of its message @param failed given up */
    void Settle(uint64_t tag, bool failed);

    WeftFabric* m_fabric;            //!< the fabric
    uint32_t m_index;                //!< number in the fabric
    uint64_t m_stream;               //!< where the random numbers of its first QP begin
    uint32_t m_src;                  //!< sending host
    uint32_t m_dst;                  //!< receiving host
    WeftListenerRef m_listener;      //!< the application
    uint32_t m_level;                //!< service level
    uint32_t m_reserved{0};          //!< number of the first QP that is made when it is needed
    std::vector<WeftQp*> m_qps;      //!< its QPs; the sender's host adds to them
    WeftQp* m_first{nullptr};        //!< the first of them
    std::mutex m_mutex;              //!< of m_messages: both hosts are run, perhaps on two threads
    std::vector<Message> m_messages; //!< those that went out in parts
    std::vector<Later> m_later;      //!< parts that are or were put off
};

} // namespace ns3

#endif /* NS3_WEFT_CONNECTION_H */

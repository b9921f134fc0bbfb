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
#include <weft/run.h>

namespace ns3
{

class WeftFabric;
class WeftConnection;

/** @ingroup weft A message to be posted. */
struct WeftPost
{
    WeftConnection* connection; //!< over which
    uint64_t bytes;             //!< > 0
    uint64_t tag;               //!< handed to the connection's listener
};

/**
 * @ingroup weft
 * @brief What an application sends messages over: a QP, or as many as the balancer's planner wants.
 *
 * Without a planner it is one QP, and adds nothing. With one a message goes out in parts, each on a
 * QP of the connection, and the listener hears of it when all of its parts are done; the QP that it
 * is told is the first one.
 */
class WeftConnection final
{
  public:
    /** Use WeftFabric::Connect(). @param fabric the fabric @param listener told when messages are
     * done, or nullptr */
    WeftConnection(WeftFabric* fabric, WeftMessageListener* listener);
    WeftConnection(const WeftConnection&) = delete;
    WeftConnection& operator=(const WeftConnection&) = delete;

    /** @return sending host */
    uint32_t GetSrc() const
    {
        return weft_connection_src(m_of);
    }

    /** @return receiving host */
    uint32_t GetDst() const
    {
        return weft_connection_dst(m_of);
    }

    /** @return its number in the fabric */
    uint32_t GetIndex() const
    {
        return weft_connection_index(m_of);
    }

    /** @return its service level */
    uint32_t GetServiceLevel() const
    {
        return weft_connection_level(m_of);
    }

    /** @return QPs made so far; where several ranks run the fabric, at the sender's */
    std::size_t GetNQps() const
    {
        return weft_connection_nqps(m_of);
    }

    /** @param i below GetNQps() @return a QP, as it is now */
    WeftQp* GetQp(std::size_t i) const;

    /** @return the core's */
    weft_connection* Get() const
    {
        return m_of;
    }

  private:
    friend class WeftFabric;
    WeftFabric* m_fabric;           //!< the fabric
    WeftEnds m_ends;                //!< the application
    weft_connection* m_of{nullptr}; //!< the core's
};

} // namespace ns3

#endif /* NS3_WEFT_CONNECTION_H */

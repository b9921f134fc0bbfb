/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-watched.h"

#include "ns3/object-base.h"

#include <string>

namespace ns3
{

namespace
{

/** See WeftWatching(). */
class WatchingAccessor final : public TraceSourceAccessor
{
  public:
    /** @param source of a WeftWatched's class @param queues whether it tells of queues */
    WatchingAccessor(Ptr<const TraceSourceAccessor> source, bool queues)
        : m_source(source),
          m_queues(queues)
    {
    }

    bool ConnectWithoutContext(ObjectBase* obj, const CallbackBase& cb) const override
    {
        Watch(obj);
        return m_source->ConnectWithoutContext(obj, cb);
    }

    bool Connect(ObjectBase* obj, std::string context, const CallbackBase& cb) const override
    {
        Watch(obj);
        return m_source->Connect(obj, context, cb);
    }

    bool DisconnectWithoutContext(ObjectBase* obj, const CallbackBase& cb) const override
    {
        return m_source->DisconnectWithoutContext(obj, cb);
    }

    bool Disconnect(ObjectBase* obj, std::string context, const CallbackBase& cb) const override
    {
        return m_source->Disconnect(obj, context, cb);
    }

  private:
    /** @param obj a WeftWatched */
    void Watch(ObjectBase* obj) const
    {
        if (auto watched = dynamic_cast<WeftWatched*>(obj))
        {
            m_queues ? watched->WatchQueues() : watched->Watch();
        }
    }

    Ptr<const TraceSourceAccessor> m_source; //!< that knows the sinks
    bool m_queues;                           //!< it tells of queues
};

} // namespace

Ptr<const TraceSourceAccessor>
WeftWatching(Ptr<const TraceSourceAccessor> source)
{
    return Create<WatchingAccessor>(source, false);
}

Ptr<const TraceSourceAccessor>
WeftWatchingQueues(Ptr<const TraceSourceAccessor> source)
{
    return Create<WatchingAccessor>(source, true);
}

} // namespace ns3

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
    /** @param source of a WeftWatched's class */
    explicit WatchingAccessor(Ptr<const TraceSourceAccessor> source)
        : m_source(source)
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
    static void Watch(ObjectBase* obj)
    {
        if (auto watched = dynamic_cast<WeftWatched*>(obj))
        {
            watched->Watch();
        }
    }

    Ptr<const TraceSourceAccessor> m_source; //!< that knows the sinks
};

} // namespace

Ptr<const TraceSourceAccessor>
WeftWatching(Ptr<const TraceSourceAccessor> source)
{
    return Create<WatchingAccessor>(source);
}

} // namespace ns3

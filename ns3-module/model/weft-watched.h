/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_WATCHED_H
#define NS3_WEFT_WATCHED_H

#include "ns3/trace-source-accessor.h"

namespace ns3
{

/** @ingroup weft What has trace sources that tell of frames at the times when they come. */
class WeftWatched
{
  public:
    virtual ~WeftWatched() = default;
    /** Somebody is to hear of it from now on. */
    virtual void Watch() = 0;

    /** Somebody is to hear of what joins and leaves queues, too. */
    virtual void WatchQueues()
    {
        Watch();
    }
};

/** @ingroup weft @param source of a WeftWatched's class @return the same, that lets it be watched
 * before a sink is connected */
Ptr<const TraceSourceAccessor> WeftWatching(Ptr<const TraceSourceAccessor> source);
/** @ingroup weft @param source that tells of queues @return the same as WeftWatching() */
Ptr<const TraceSourceAccessor> WeftWatchingQueues(Ptr<const TraceSourceAccessor> source);

} // namespace ns3

#endif /* NS3_WEFT_WATCHED_H */

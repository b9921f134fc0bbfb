/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-fabric-simulator.h"

#include "ns3/assert.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

// There is no logging of calls: Simulator::Now() is called by the log itself.
NS_LOG_COMPONENT_DEFINE("FabricSimulatorImpl");
NS_OBJECT_ENSURE_REGISTERED(FabricSimulatorImpl);

FabricSimulatorImpl* FabricSimulatorImpl::g_inUse = nullptr;

TypeId
FabricSimulatorImpl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricSimulatorImpl")
            .SetParent<SimulatorImpl>()
            .SetGroupName("Weft")
            .AddConstructor<FabricSimulatorImpl>()
            .AddAttribute("FirstUid",
                          "Uid of the first event; for tests of what happens after 2^32 events",
                          UintegerValue(FIRST_UID),
                          MakeUintegerAccessor(&FabricSimulatorImpl::SetFirstUid,
                                               &FabricSimulatorImpl::GetFirstUid),
                          MakeUintegerChecker<uint64_t>(FIRST_UID, uint64_t{1} << 40));
    return tid;
}

FabricSimulatorImpl::FabricSimulatorImpl()
    : m_uid(FIRST_UID),
      m_context(Simulator::NO_CONTEXT),
      m_mainThread(std::this_thread::get_id())
{
}

FabricSimulatorImpl::~FabricSimulatorImpl()
{
}

void
FabricSimulatorImpl::DoDispose()
{
    TakeForeign();
    while (m_events && !m_events->IsEmpty())
    {
        m_events->RemoveNext().impl->Unref();
    }
    m_events = nullptr;
    // FabricEvents belong to their owners, who may be gone by now.
    m_lanes.Clear();
    m_atOnce.clear();
    m_atOnceDone = 0;
    if (g_inUse == this)
    {
        g_inUse = nullptr;
    }
    SimulatorImpl::DoDispose();
}

void
FabricSimulatorImpl::SetFirstUid(uint64_t uid)
{
    m_uid = uid;
}

uint64_t
FabricSimulatorImpl::GetFirstUid() const
{
    return m_uid;
}

uint64_t
FabricSimulatorImpl::Widen(uint32_t uid) const
{
    const uint64_t last = m_uid - 1;
    return last - static_cast<uint32_t>(static_cast<uint32_t>(last) - uid);
}

uint64_t
FabricSimulatorImpl::NextUid()
{
    // The low 32 bits must not read as one of the reserved uids.
    while (static_cast<uint32_t>(m_uid) < FIRST_UID)
    {
        m_uid++;
    }
    return m_uid++;
}

void
FabricSimulatorImpl::SetScheduler(ObjectFactory schedulerFactory)
{
    Ptr<Scheduler> scheduler = schedulerFactory.Create<Scheduler>();
    while (m_events && !m_events->IsEmpty())
    {
        scheduler->Insert(m_events->RemoveNext());
    }
    m_events = scheduler;
    if (PeekPointer(Simulator::GetImplementation()) == this)
    {
        g_inUse = this;
    }
}

void
FabricSimulatorImpl::Destroy()
{
    while (!m_destroyEvents.empty())
    {
        Ptr<EventImpl> event = m_destroyEvents.front().PeekEventImpl();
        m_destroyEvents.pop_front();
        if (!event->IsCancelled())
        {
            event->Invoke();
        }
    }
}

bool
FabricSimulatorImpl::IsFinished() const
{
    return m_stop || (m_events->IsEmpty() && m_lanes.IsEmpty() && m_atOnce.empty());
}

void
FabricSimulatorImpl::Run()
{
    m_mainThread = std::this_thread::get_id();
    TakeForeign();
    m_stop = false;
    while (!m_stop)
    {
        const WeftEventKey next = m_lanes.Next();
        if (IsAtOnce(next))
        {
            RunAtOnce();
            continue;
        }
        if (next.IsNothing())
        {
            break;
        }
        NS_ASSERT(static_cast<int64_t>(next.ts) >= m_now);
        m_now = static_cast<int64_t>(next.ts);
        m_rank = next.rank;
        m_eventCount++;
        const uint32_t slot = next.GetSlot();
        if (__builtin_expect(slot != 0, 1))
        {
            m_lanes.PopLane(slot, m_context)->Fire(m_now);
        }
        else
        {
            RunOther();
        }
        if (m_hasForeign.load(std::memory_order_relaxed))
        {
            TakeForeign();
        }
    }
}

void
FabricSimulatorImpl::RunAtOnce()
{
    const AtOnce next = m_atOnce[m_atOnceDone++];
    if (m_atOnceDone == m_atOnce.size())
    {
        m_atOnce.clear();
        m_atOnceDone = 0;
    }
    m_rank = next.uid << WeftEventKey::SLOT_BITS;
    m_context = next.context;
    m_eventCount++;
    next.event->Fire(m_now);
}

void
FabricSimulatorImpl::RunOther()
{
    const WeftEventLanes::Place place = m_lanes.GetPlace();
    if (place != WeftEventLanes::ELSEWHERE)
    {
        m_lanes.PopOffLane(place, m_context)->Fire(m_now);
        return;
    }
    const Scheduler::Event next = m_events->RemoveNext();
    UpdateNext();
    m_context = next.key.m_context;
    // Beyond 2^32 events the scheduler may hand out another event than it has shown.
    m_rank = Widen(next.key.m_uid) << WeftEventKey::SLOT_BITS;
    next.impl->Invoke();
    next.impl->Unref();
}

void
FabricSimulatorImpl::UpdateNext()
{
    if (m_events->IsEmpty())
    {
        m_lanes.ClearElsewhere();
        return;
    }
    const Scheduler::EventKey key = m_events->PeekNext().key;
    m_lanes.SetElsewhere(key.m_ts, Widen(key.m_uid));
}

uint64_t
FabricSimulatorImpl::Insert(uint64_t ts, uint32_t context, EventImpl* event)
{
    const uint64_t uid = NextUid();
    Scheduler::Event ev;
    ev.impl = event;
    ev.key.m_ts = ts;
    ev.key.m_context = context;
    ev.key.m_uid = static_cast<uint32_t>(uid);
    m_events->Insert(ev);
    if (ts < m_lanes.GetElsewhere())
    {
        m_lanes.SetElsewhere(ts, uid);
    }
    return uid;
}

void
FabricSimulatorImpl::TakeForeign()
{
    std::vector<Foreign> foreign;
    {
        std::unique_lock<std::mutex> lock(m_foreignMutex);
        m_foreign.swap(foreign);
        m_hasForeign = false;
    }
    for (const Foreign& f : foreign)
    {
        Insert(static_cast<uint64_t>(m_now + f.delay), f.context, f.event);
    }
}

void
FabricEvent::Notify()
{
    Fire(WeftNow());
}

void
WeftScheduleOrdinarily(int64_t delay, FabricEvent* event, uint32_t context)
{
    event->Ref();
    Simulator::ScheduleWithContext(context, TimeStep(static_cast<uint64_t>(delay)), event);
}

void
FabricSimulatorImpl::Stop()
{
    m_stop = true;
}

decltype(std::declval<SimulatorImpl&>().Stop(std::declval<const Time&>()))
FabricSimulatorImpl::Stop(const Time& delay)
{
    using Result = decltype(std::declval<SimulatorImpl&>().Stop(std::declval<const Time&>()));
    return static_cast<Result>(
        Simulator::Schedule(delay, static_cast<void (*)()>(&Simulator::Stop)));
}

EventId
FabricSimulatorImpl::Schedule(const Time& delay, EventImpl* event)
{
    NS_ASSERT_MSG(m_mainThread == std::this_thread::get_id(),
                  "Simulator::Schedule() from another thread");
    NS_ASSERT_MSG(delay.IsPositive(), "Simulator::Schedule() with a negative delay");
    const auto ts = static_cast<uint64_t>(m_now + delay.GetTimeStep());
    const uint64_t uid = Insert(ts, m_context, event);
    return EventId(event, ts, m_context, static_cast<uint32_t>(uid));
}

void
FabricSimulatorImpl::ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event)
{
    if (m_mainThread == std::this_thread::get_id())
    {
        Insert(static_cast<uint64_t>(m_now + delay.GetTimeStep()), context, event);
        return;
    }
    std::unique_lock<std::mutex> lock(m_foreignMutex);
    m_foreign.push_back({context, delay.GetTimeStep(), event});
    m_hasForeign = true;
}

EventId
FabricSimulatorImpl::ScheduleNow(EventImpl* event)
{
    return Schedule(Time(0), event);
}

EventId
FabricSimulatorImpl::ScheduleDestroy(EventImpl* event)
{
    EventId id(Ptr<EventImpl>(event, false),
               static_cast<uint64_t>(m_now),
               Simulator::NO_CONTEXT,
               DESTROY_UID);
    m_destroyEvents.push_back(id);
    m_uid++;
    return id;
}

void
FabricSimulatorImpl::Remove(const EventId& id)
{
    if (id.GetUid() == DESTROY_UID)
    {
        const auto it = std::find(m_destroyEvents.begin(), m_destroyEvents.end(), id);
        if (it != m_destroyEvents.end())
        {
            m_destroyEvents.erase(it);
        }
        return;
    }
    if (IsExpired(id))
    {
        return;
    }
    Scheduler::Event event;
    event.impl = id.PeekEventImpl();
    event.key.m_ts = id.GetTs();
    event.key.m_context = id.GetContext();
    event.key.m_uid = id.GetUid();
    m_events->Remove(event);
    UpdateNext();
    event.impl->Cancel();
    event.impl->Unref();
}

void
FabricSimulatorImpl::Cancel(const EventId& id)
{
    if (!IsExpired(id))
    {
        id.PeekEventImpl()->Cancel();
    }
}

bool
FabricSimulatorImpl::IsPendingDestroy(const EventId& id) const
{
    return std::find(m_destroyEvents.begin(), m_destroyEvents.end(), id) != m_destroyEvents.end();
}

bool
FabricSimulatorImpl::IsExpired(const EventId& id) const
{
    EventImpl* event = id.PeekEventImpl();
    if (!event || event->IsCancelled())
    {
        return true;
    }
    if (id.GetUid() == DESTROY_UID)
    {
        return !IsPendingDestroy(id);
    }
    const auto now = static_cast<uint64_t>(m_now);
    const WeftEventKey current{now, m_rank};
    return id.GetTs() < now || (id.GetTs() == now && Widen(id.GetUid()) <= current.GetUid());
}

Time
FabricSimulatorImpl::Now() const
{
    return TimeStep(static_cast<uint64_t>(m_now));
}

Time
FabricSimulatorImpl::GetDelayLeft(const EventId& id) const
{
    return IsExpired(id) ? TimeStep(0) : TimeStep(id.GetTs() - static_cast<uint64_t>(m_now));
}

Time
FabricSimulatorImpl::GetMaximumSimulationTime() const
{
    return TimeStep(static_cast<uint64_t>(INT64_MAX));
}

uint32_t
FabricSimulatorImpl::GetSystemId() const
{
    return 0;
}

uint32_t
FabricSimulatorImpl::GetContext() const
{
    return m_context;
}

uint64_t
FabricSimulatorImpl::GetEventCount() const
{
    return m_eventCount;
}

} // namespace ns3

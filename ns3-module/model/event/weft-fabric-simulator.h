/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_FABRIC_SIMULATOR_H
#define NS3_WEFT_FABRIC_SIMULATOR_H

#include "weft-event-lanes.h"

#include "ns3/assert.h"
#include "ns3/scheduler.h"
#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"

#include <atomic>
#include <list>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup weft
 * @ingroup simulator
 * @brief A single-threaded simulator for programs in which most events are of a kind that their
 * owners keep.
 *
 * Chosen as ns-3 has it: WeftHelper::UseFabricSimulator(), or on the command line
 * `--SimulatorImplementationType=ns3::FabricSimulatorImpl`. Events that their owners keep
 * (FabricEvent) lie in lanes that this class holds, and are scheduled by an inline call that makes
 * no EventId. All other events lie in the scheduler that SchedulerType names, as under
 * ns3::DefaultSimulatorImpl.
 *
 * Events of both kinds take their uid from one counter and run in the order of (timestamp, uid), so
 * a program does the same here and under ns3::DefaultSimulatorImpl. Beyond 2^32 events, where
 * ns-3's 32-bit uid wraps and ordinary events at equal times may change places, kept ones keep
 * theirs.
 */
class FabricSimulatorImpl : public SimulatorImpl
{
  public:
    // ns-3's special uids. EventId::UID names them from 3.36 on; they have always been these.
    static constexpr uint32_t DESTROY_UID = 2; //!< of all events that run in Destroy()
    static constexpr uint32_t FIRST_UID = 4;   //!< of the first ordinary event

    /** @return the type */
    static TypeId GetTypeId();
    FabricSimulatorImpl();
    ~FabricSimulatorImpl() override;

    /** @return the simulator in use, if it is of this type, or nullptr */
    static FabricSimulatorImpl* Get()
    {
        return g_inUse;
    }

    /**
     * Schedules an event that its owner keeps.
     * @param delay time steps from now, >= 0
     * @param event kept by its owner until it has run; it cannot be cancelled
     * @param context the context in which it runs, by ns-3's custom a node's id
     */
    void ScheduleEvent(int64_t delay, FabricEvent* event, uint32_t context)
    {
        NS_ASSERT_MSG(delay >= 0, "an event in the past");
        m_lanes.Push(m_now, delay, m_uid++, event, context);
    }

    /**
     * Schedules one for this instant, behind all that is scheduled: what ScheduleEvent() does
     * without a delay, but cheaper.
     * @param event kept by its owner until it has run; it cannot be cancelled
     * @param context the context in which it runs
     */
    void ScheduleEventNow(FabricEvent* event, uint32_t context)
    {
        m_atOnce.push_back({m_uid++, event, context});
    }

    /** @return the simulated time, time steps */
    int64_t GetTimeStep() const
    {
        return m_now;
    }

    /** @param large whether the model does not fit the processor's caches */
    void SetLarge(bool large)
    {
        m_lanes.SetLarge(large);
    }

    /** @return the lanes, to see how well they do */
    const WeftEventLanes& GetLanes() const
    {
        return m_lanes;
    }

    // Inherited
    void Destroy() override;
    bool IsFinished() const override;
    void Stop() override;
    // ns-3 made it return an EventId in 3.42 or so.
    decltype(std::declval<SimulatorImpl&>().Stop(std::declval<const Time&>()))
    Stop(const Time& delay) override;
    EventId Schedule(const Time& delay, EventImpl* event) override;
    void ScheduleWithContext(uint32_t context, const Time& delay, EventImpl* event) override;
    EventId ScheduleNow(EventImpl* event) override;
    EventId ScheduleDestroy(EventImpl* event) override;
    void Remove(const EventId& id) override;
    void Cancel(const EventId& id) override;
    bool IsExpired(const EventId& id) const override;
    void Run() override;
    Time Now() const override;
    Time GetDelayLeft(const EventId& id) const override;
    Time GetMaximumSimulationTime() const override;
    void SetScheduler(ObjectFactory schedulerFactory) override;
    uint32_t GetSystemId() const override;
    uint32_t GetContext() const override;
    uint64_t GetEventCount() const override;

  protected:
    void DoDispose() override;

  private:
    /** An event that another thread has scheduled. */
    struct Foreign
    {
        uint32_t context; //!< context
        int64_t delay;    //!< time steps from when it is taken over
        EventImpl* event; //!< event, with its reference
    };

    /** An event of this instant. */
    struct AtOnce
    {
        uint64_t uid;       //!< its uid
        FabricEvent* event; //!< what
        uint32_t context;   //!< where
    };

    /** Attribute FirstUid. @param uid of the next event */
    void SetFirstUid(uint64_t uid);
    /** @return the next uid */
    uint64_t GetFirstUid() const;
    /** @param uid its low 32 bits @return the uid, if it is one of the last 2^32 */
    uint64_t Widen(uint32_t uid) const;
    /** @return a uid that an EventId may have */
    uint64_t NextUid();
    /** Puts an ordinary event into the scheduler. @param ts when @param context context
     * @param event event, with its reference @return its uid */
    uint64_t Insert(uint64_t ts, uint32_t context, EventImpl* event);
    /** Tells the lanes which ordinary event comes next. */
    void UpdateNext();
    /** @param next what comes next otherwise @return whether an event of ScheduleEventNow() comes
     * before it */
    bool IsAtOnce(const WeftEventKey& next) const
    {
        return m_atOnceDone < m_atOnce.size() && (static_cast<int64_t>(next.ts) > m_now ||
                                                  next.GetUid() > m_atOnce[m_atOnceDone].uid);
    }

    void RunAtOnce(); //!< Runs the next event of ScheduleEventNow()
    /** Runs the next event, which is on no lane. */
    [[gnu::noinline]] void RunOther();
    /** Takes over what other threads have scheduled. */
    void TakeForeign();
    /** @param id of a destroy event @return whether it is still to run */
    bool IsPendingDestroy(const EventId& id) const;

    static FabricSimulatorImpl* g_inUse; //!< the one that Simulator uses

    WeftEventLanes m_lanes;                //!< FabricEvents, and when the others come
    std::vector<AtOnce> m_atOnce;          //!< events of ScheduleEventNow(), in their order
    std::size_t m_atOnceDone{0};           //!< of which these have run
    int64_t m_now{0};                      //!< time steps
    uint64_t m_uid;                        //!< of the next event
    uint64_t m_eventCount{0};              //!< events run
    uint32_t m_context;                    //!< of the event that runs
    bool m_stop{false};                    //!< Stop() was called
    std::atomic<bool> m_hasForeign{false}; //!< m_foreign is not empty
    uint64_t m_rank{0};                    //!< of the event that runs, as WeftEventKey's
    Ptr<Scheduler> m_events;               //!< ordinary events
    std::list<EventId> m_destroyEvents;    //!< to run at the end
    std::vector<Foreign> m_foreign;        //!< scheduled by other threads
    std::mutex m_foreignMutex;             //!< guards m_foreign
    std::thread::id m_mainThread;          //!< the thread that runs the simulation
};

/** WeftSchedule() under another implementation. @param delay ps @param event event @param context
 * context */
[[gnu::cold]] void WeftScheduleOrdinarily(int64_t delay, FabricEvent* event, uint32_t context);

/**
 * @ingroup weft
 * Schedules an event that its owner keeps, under any simulator implementation. Nothing is
 * allocated.
 * @param delay picoseconds from now (Time::SetResolution(Time::PS) is required)
 * @param event kept by its owner until it has run; it cannot be cancelled
 * @param context the context in which it runs, by ns-3's custom a node's id
 */
inline void
WeftSchedule(int64_t delay, FabricEvent* event, uint32_t context)
{
    FabricSimulatorImpl* const simulator = FabricSimulatorImpl::Get();
    if (__builtin_expect(simulator != nullptr, 1))
    {
        simulator->ScheduleEvent(delay, event, context);
    }
    else
    {
        WeftScheduleOrdinarily(delay, event, context);
    }
}

/**
 * @ingroup weft
 * The same for this instant, behind all that is scheduled.
 * @param event kept by its owner until it has run; it cannot be cancelled
 * @param context the context in which it runs, by ns-3's custom a node's id
 */
inline void
WeftScheduleNow(FabricEvent* event, uint32_t context)
{
    FabricSimulatorImpl* const simulator = FabricSimulatorImpl::Get();
    if (__builtin_expect(simulator != nullptr, 1))
    {
        simulator->ScheduleEventNow(event, context);
    }
    else
    {
        WeftScheduleOrdinarily(0, event, context);
    }
}

/**
 * @ingroup weft
 * @return the simulated time in picoseconds (Time::SetResolution(Time::PS) is required)
 */
inline int64_t
WeftNow()
{
    const FabricSimulatorImpl* simulator = FabricSimulatorImpl::Get();
    return simulator ? simulator->GetTimeStep() : Simulator::Now().GetTimeStep();
}

} // namespace ns3

#endif /* NS3_WEFT_FABRIC_SIMULATOR_H */

// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * LaneScheduler against ns-3's MapScheduler: the same order of events, always. Were it to differ,
 * a user's results would depend on the scheduler chosen for speed.
 */
#include "allocation-counter.h"

#include "ns3/event-id.h"
#include "ns3/event-impl.h"
#include "ns3/global-value.h"
#include "ns3/map-scheduler.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"
#include "ns3/weft-lane-scheduler.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

using Random = std::mt19937_64;

/** Draws the delay of the next event; may be negative, which a simulator never does. */
using DelayModel = std::function<int64_t(Random&)>;

/** The delays of a fabric: serialization of data and ACK, with and without propagation. */
const std::array<int64_t, 6> FABRIC{30400, 1680, 1030000, 1001280, 0, 4000000};

int64_t
FabricDelay(Random& random)
{
    return FABRIC[random() % FABRIC.size()];
}

int64_t
RandomDelay(Random& random)
{
    return static_cast<int64_t>(random() % 1000000);
}

int64_t
MixedDelay(Random& random)
{
    return random() % 10 < 7 ? FabricDelay(random) : RandomDelay(random);
}

int64_t
TinyDelay(Random& random)
{
    return static_cast<int64_t>(random() % 3);
}

int64_t
ManyDelays(Random& random)
{
    return static_cast<int64_t>(1000 + 17 * (random() % 40));
}

int64_t
PastDelay(Random& random)
{
    return FabricDelay(random) - (random() % 8 == 0 ? 20000 : 0);
}

/** A scheduler of the type under test with its attributes at other than their defaults. */
Ptr<LaneScheduler>
CreateLaneScheduler(uint32_t maxLanes, uint32_t reviewPeriod)
{
    ObjectFactory factory;
    factory.SetTypeId(LaneScheduler::GetTypeId());
    factory.Set("MaxLanes", UintegerValue(maxLanes));
    factory.Set("ReviewPeriod", UintegerValue(reviewPeriod));
    return factory.Create<LaneScheduler>();
}

/** What the two schedulers are taken through, and how. */
struct Workload
{
    std::string name;      /**< What a failure should be called. */
    DelayModel delay;      /**< The delays. */
    uint32_t pending;      /**< About how many events are pending. */
    uint32_t removals;     /**< Share of Remove() among the operations, in 1/256. */
    uint32_t maxLanes;     /**< Attribute MaxLanes. */
    uint32_t firstUid;     /**< The first event's unique id. */
    uint32_t reviewPeriod; /**< Attribute ReviewPeriod. */
};

} // namespace

/**
 * @ingroup weft-tests
 * Random Insert, RemoveNext, PeekNext and Remove on a LaneScheduler and a MapScheduler side by
 * side. A user whose results differ by scheduler would lose exactly what this checks.
 */
class LaneSchedulerOrderTestCase : public TestCase
{
  public:
    /** @param [in] workload What to do. */
    explicit LaneSchedulerOrderTestCase(Workload workload)
        : TestCase("Same order as MapScheduler: " + workload.name),
          m_workload(std::move(workload)),
          m_random(m_workload.pending + m_workload.maxLanes),
          m_uid(m_workload.firstUid)
    {
    }

  private:
    void DoRun() override;
    /** Insert an event into both. */
    void Insert();
    /** Take the next event from both. */
    void RemoveNext();
    /** Remove an arbitrary pending event from both. */
    void Remove();

    Workload m_workload;                     /**< What to do. */
    Random m_random;                         /**< Decides what comes next. */
    Ptr<LaneScheduler> m_lane;               /**< Under test. */
    Ptr<Scheduler> m_map;                    /**< The reference. */
    std::vector<Scheduler::Event> m_pending; /**< What is in both; may hold taken ones too. */
    std::vector<bool> m_taken;               /**< By count of insertion: no longer pending. */
    uint64_t m_now{0};                       /**< The time. */
    uint32_t m_uid;                          /**< The next event's unique id. */
    std::array<char, 64> m_impls{};          /**< Their addresses stand for event objects. */
};

void
LaneSchedulerOrderTestCase::Insert()
{
    const int64_t delay = m_workload.delay(m_random);
    const uint64_t ts =
        static_cast<uint64_t>(std::max<int64_t>(static_cast<int64_t>(m_now) + delay, 0));
    Scheduler::Event ev;
    ev.impl = reinterpret_cast<EventImpl*>(&m_impls[m_random() % m_impls.size()]);
    ev.key = {ts, m_uid++, static_cast<uint32_t>(m_random())};
    m_lane->Insert(ev);
    m_map->Insert(ev);
    m_pending.push_back(ev);
    m_taken.push_back(false);
}

void
LaneSchedulerOrderTestCase::RemoveNext()
{
    const Scheduler::Event peeked = m_lane->PeekNext();
    const Scheduler::Event expected = m_map->RemoveNext();
    const Scheduler::Event ev = m_lane->RemoveNext();
    NS_TEST_ASSERT_MSG_EQ(ev.key.m_ts, expected.key.m_ts, "timestamp");
    NS_TEST_ASSERT_MSG_EQ(ev.key.m_uid, expected.key.m_uid, "unique id");
    NS_TEST_ASSERT_MSG_EQ(ev.key.m_context, expected.key.m_context, "context");
    NS_TEST_ASSERT_MSG_EQ((ev.impl == expected.impl), true, "event object");
    NS_TEST_ASSERT_MSG_EQ(peeked.key.m_uid, ev.key.m_uid, "PeekNext differs from RemoveNext");
    m_taken[ev.key.m_uid - m_workload.firstUid] = true;
    m_now = ev.key.m_ts;
}

void
LaneSchedulerOrderTestCase::Remove()
{
    while (!m_pending.empty())
    {
        const std::size_t i = m_random() % m_pending.size();
        const Scheduler::Event ev = m_pending[i];
        m_pending[i] = m_pending.back();
        m_pending.pop_back();
        const uint32_t serial = ev.key.m_uid - m_workload.firstUid;
        if (!m_taken[serial])
        {
            m_taken[serial] = true;
            m_lane->Remove(ev);
            m_map->Remove(ev);
            return;
        }
    }
}

void
LaneSchedulerOrderTestCase::DoRun()
{
    m_lane = CreateLaneScheduler(m_workload.maxLanes, m_workload.reviewPeriod);
    m_map = CreateObject<MapScheduler>();
    uint32_t size = 0;
    uint32_t target = m_workload.pending;
    for (uint32_t operation = 0; operation < 500000 && !IsStatusFailure(); operation++)
    {
        NS_TEST_ASSERT_MSG_EQ(m_lane->IsEmpty(), m_map->IsEmpty(), "IsEmpty");
        const auto draw = static_cast<uint32_t>(m_random() & 255);
        // Waves: now and then nearly everything runs out, and everything does once.
        if (m_random() % 4096 == 0)
        {
            target = static_cast<uint32_t>(m_random() % (2 * m_workload.pending));
        }
        const uint32_t bias = size < target ? 192 : 64;
        if (size > 0 && draw < m_workload.removals)
        {
            Remove();
            size--;
        }
        else if (size == 0 || (m_random() & 255) < bias)
        {
            Insert();
            size++;
        }
        else
        {
            RemoveNext();
            size--;
        }
    }
    while (!m_map->IsEmpty() && !IsStatusFailure())
    {
        RemoveNext();
    }
    NS_TEST_ASSERT_MSG_EQ(m_lane->IsEmpty(), true, "events are left over");
}

/**
 * @ingroup weft-tests
 * Lanes are learnt and given up. A user would lose the speed, unseen, were they not.
 */
class LaneSchedulerLearningTestCase : public TestCase
{
  public:
    LaneSchedulerLearningTestCase()
        : TestCase("Lanes follow the delays in use")
    {
    }

  private:
    void DoRun() override;
    /**
     * Take the next event and schedule another.
     * @param [in] delays The delays to choose from by turns, or none for random ones.
     * @param [in] steps How many times.
     */
    void Hold(const std::vector<uint64_t>& delays, uint32_t steps);
    /** @return The delays that have a lane, sorted. */
    std::string Lanes() const;

    Ptr<LaneScheduler> m_lane; /**< Under test. */
    Random m_random{1};        /**< For random delays. */
    uint32_t m_uid{4};         /**< The next event's unique id. */
};

void
LaneSchedulerLearningTestCase::Hold(const std::vector<uint64_t>& delays, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++)
    {
        const uint64_t now = m_lane->RemoveNext().key.m_ts;
        const uint64_t delay =
            delays.empty() ? 1 + m_random() % 1000000007 : delays[i % delays.size()];
        m_lane->Insert({nullptr, {now + delay, m_uid++, 0}});
    }
}

std::string
LaneSchedulerLearningTestCase::Lanes() const
{
    std::vector<uint64_t> delays = m_lane->GetLaneDelays();
    std::sort(delays.begin(), delays.end());
    std::ostringstream text;
    for (const uint64_t delay : delays)
    {
        text << delay << " ";
    }
    return text.str();
}

void
LaneSchedulerLearningTestCase::DoRun()
{
    m_lane = CreateLaneScheduler(3, 1024);
    for (uint32_t i = 0; i < 100; i++)
    {
        m_lane->Insert({nullptr, {i + 1, m_uid++, 0}});
    }
    Hold({10, 20, 30}, 1024);
    NS_TEST_EXPECT_MSG_EQ(Lanes(), "10 20 30 ", "three delays in equal use");
    Hold({10, 20, 30}, 1000);
    NS_TEST_EXPECT_MSG_EQ(m_lane->GetHeapSize(), 0, "all events are on lanes");

    Hold({40, 50, 60, 10}, 4 * 1024);
    NS_TEST_EXPECT_MSG_EQ(Lanes().find("20"), std::string::npos, "20 is not in use any more");
    Hold({40, 50, 60}, 4 * 1024);
    NS_TEST_EXPECT_MSG_EQ(Lanes(), "40 50 60 ", "the lanes of the new phase");
    NS_TEST_EXPECT_MSG_EQ(m_lane->GetHeapSize(), 0, "all events are on lanes");

    // One delay more than lanes, far busier than any of them: it takes one over.
    Hold({40, 50, 60, 70, 70, 70, 70, 70}, 8 * 1024);
    NS_TEST_EXPECT_MSG_NE(Lanes().find("70"), std::string::npos, "the busiest delay");

    Hold({}, 32 * 1024);
    NS_TEST_EXPECT_MSG_EQ(Lanes(), "", "random delays earn no lane, and leave none in use");

    // As many delays as there may be lanes: none hides another. Two of these do at first.
    m_lane = CreateLaneScheduler(LaneScheduler::MAX_LANES, 1024);
    std::vector<uint64_t> many;
    for (uint32_t i = 1; i <= LaneScheduler::MAX_LANES; i++)
    {
        m_lane->Insert({nullptr, {i, m_uid++, 0}});
        many.push_back(1000000 + uint64_t{i} * i * i);
    }
    Hold(many, 256 * 1024);
    NS_TEST_EXPECT_MSG_EQ(m_lane->GetLaneDelays().size(), many.size(), "a lane for each");
    NS_TEST_EXPECT_MSG_EQ(m_lane->GetHeapSize(), 0, "all events are on lanes");
}

/**
 * @ingroup weft-tests
 * Once warm, nothing is allocated per event: a user would pay for it on every hop.
 */
class LaneSchedulerAllocationTestCase : public TestCase
{
  public:
    LaneSchedulerAllocationTestCase()
        : TestCase("No allocation in steady state")
    {
    }

  private:
    void DoRun() override;
};

void
LaneSchedulerAllocationTestCase::DoRun()
{
    const uint64_t before = WeftAllocationCount();
    Ptr<LaneScheduler> scheduler = CreateLaneScheduler(15, 1024);
    NS_TEST_ASSERT_MSG_GT(WeftAllocationCount(), before, "allocations are not seen");

    uint32_t uid = 4;
    for (; uid < 4 + 16384; uid++)
    {
        scheduler->Insert({nullptr, {uid * 50, uid, 0}});
    }
    Random random(1);
    uint64_t warm = 0;
    for (uint32_t i = 0; i < 600000; i++)
    {
        warm = i == 300000 ? WeftAllocationCount() : warm;
        const uint64_t now = scheduler->RemoveNext().key.m_ts;
        const auto delay = static_cast<uint64_t>(MixedDelay(random));
        scheduler->Insert({nullptr, {now + delay, uid++, 0}});
    }
    NS_TEST_EXPECT_MSG_EQ(WeftAllocationCount() - warm, 0, "allocated while warm");
}

/**
 * @ingroup weft-tests
 * A program of events that schedule, cancel and remove one another by chance, through Simulator.
 * What happens when is written to a trace.
 */
class LaneSchedulerProgram
{
  public:
    /** How the scheduler is chosen. */
    enum Choice
    {
        MAP,         //!< MapScheduler, by Simulator::SetScheduler.
        LANE,        //!< LaneScheduler, by Simulator::SetScheduler.
        LANE_GLOBAL, //!< LaneScheduler, by the global value SchedulerType.
        SWITCHING,   //!< Both by turns, changed in the middle of the run.
    };

    /** @param [in] choice The scheduler. */
    explicit LaneSchedulerProgram(Choice choice)
        : m_choice(choice)
    {
    }

    /** @return The trace of a whole run. */
    std::string Run();

  private:
    /**
     * An event: note it, and schedule others.
     * @param [in] serial Its number.
     */
    void Act(uint32_t serial);
    /** Schedule an event in one of the ways there are. */
    void ScheduleOne();
    /** Cancel or remove an event of the past or future. */
    void StopOne();
    /** Change to the other scheduler. */
    void Switch();
    /** @param [in] type The scheduler's type. */
    void Use(TypeId type);

    Choice m_choice;               /**< The scheduler. */
    bool m_lane{false};            /**< Which one of two is in use. */
    Random m_random{7};            /**< Decides what is done. */
    uint32_t m_serial{0};          /**< The next event's number. */
    std::vector<EventId> m_events; /**< All that may be cancelled. */
    std::ostringstream m_trace;    /**< What happened. */
};

void
LaneSchedulerProgram::Use(TypeId type)
{
    ObjectFactory factory;
    factory.SetTypeId(type);
    Simulator::SetScheduler(factory);
}

void
LaneSchedulerProgram::Switch()
{
    m_lane = !m_lane;
    Use(m_lane ? LaneScheduler::GetTypeId() : MapScheduler::GetTypeId());
    Simulator::Schedule(NanoSeconds(1777), &LaneSchedulerProgram::Switch, this);
}

void
LaneSchedulerProgram::ScheduleOne()
{
    const uint32_t serial = m_serial++;
    const Time delay = TimeStep(static_cast<uint64_t>(MixedDelay(m_random)) / 1000);
    const auto way = static_cast<uint32_t>(m_random() % 16);
    if (way == 0)
    {
        m_events.push_back(Simulator::ScheduleNow(&LaneSchedulerProgram::Act, this, serial));
    }
    else if (way < 4)
    {
        const auto context = static_cast<uint32_t>(m_random() % 5);
        Simulator::ScheduleWithContext(context, delay, &LaneSchedulerProgram::Act, this, serial);
    }
    else if (way == 4 && serial % 64 == 0)
    {
        m_events.push_back(Simulator::ScheduleDestroy(&LaneSchedulerProgram::Act, this, serial));
    }
    else
    {
        m_events.push_back(Simulator::Schedule(delay, &LaneSchedulerProgram::Act, this, serial));
    }
}

void
LaneSchedulerProgram::StopOne()
{
    if (m_events.empty())
    {
        return;
    }
    // Mostly young events, which are still pending.
    const std::size_t age = std::min<std::size_t>(m_events.size(), 1 + m_random() % 200);
    const EventId id = m_events[m_events.size() - age];
    m_trace << (id.IsExpired() ? "x" : "p") << Simulator::GetDelayLeft(id).GetTimeStep() << "\n";
    if (m_random() % 2 == 0)
    {
        Simulator::Cancel(id);
    }
    else
    {
        Simulator::Remove(id);
    }
}

void
LaneSchedulerProgram::Act(uint32_t serial)
{
    m_trace << Simulator::Now().GetTimeStep() << " " << Simulator::GetContext() << " " << serial
            << "\n";
    // Grows to some hundreds of events, stays there, and ends.
    const uint32_t children = m_serial < 600 ? 2 : (m_serial < 60000 ? 1 : 0);
    for (uint32_t i = 0; i < children; i++)
    {
        ScheduleOne();
    }
    if (m_random() % 16 == 0)
    {
        StopOne();
        ScheduleOne();
    }
}

std::string
LaneSchedulerProgram::Run()
{
    if (m_choice == LANE_GLOBAL)
    {
        GlobalValue::Bind("SchedulerType", StringValue("ns3::LaneScheduler"));
    }
    else if (m_choice != SWITCHING)
    {
        Use(m_choice == LANE ? LaneScheduler::GetTypeId() : MapScheduler::GetTypeId());
    }
    for (uint32_t i = 0; i < 50; i++)
    {
        ScheduleOne();
    }
    // Scheduled under all choices, so that the same events exist; it does nothing but in one.
    if (m_choice == SWITCHING)
    {
        Switch();
    }
    for (const int64_t stop : {2, 30, 100000})
    {
        Simulator::Stop(MicroSeconds(stop));
        Simulator::Run();
        m_trace << "stopped at " << Simulator::Now().GetTimeStep() << "\n";
    }
    Simulator::Destroy();
    GlobalValue::Bind("SchedulerType", StringValue("ns3::MapScheduler"));
    return m_trace.str();
}

/**
 * @ingroup weft-tests
 * Simulator gives the same trace under either scheduler, and when they are changed in the run.
 */
class LaneSchedulerSimulatorTestCase : public TestCase
{
  public:
    LaneSchedulerSimulatorTestCase()
        : TestCase("Same trace through Simulator")
    {
    }

  private:
    void DoRun() override;
};

void
LaneSchedulerSimulatorTestCase::DoRun()
{
    const std::string expected = LaneSchedulerProgram(LaneSchedulerProgram::MAP).Run();
    NS_TEST_ASSERT_MSG_GT(expected.size(), 500000, "the program ended early");
    const std::string lane = LaneSchedulerProgram(LaneSchedulerProgram::LANE).Run();
    NS_TEST_EXPECT_MSG_EQ((lane == expected), true, "by SetScheduler");
    const std::string global = LaneSchedulerProgram(LaneSchedulerProgram::LANE_GLOBAL).Run();
    NS_TEST_EXPECT_MSG_EQ((global == expected), true, "by the global value SchedulerType");
    const std::string switching = LaneSchedulerProgram(LaneSchedulerProgram::SWITCHING).Run();
    NS_TEST_EXPECT_MSG_EQ((switching == expected), true, "changed in the middle of the run");
}

/**
 * @ingroup weft-tests
 * All test cases of LaneScheduler.
 */
class LaneSchedulerTestSuite : public TestSuite
{
  public:
    LaneSchedulerTestSuite()
        : TestSuite("weft-lane-scheduler", Type::UNIT)
    {
        const std::vector<Workload> workloads{
            {"the delays of a fabric", FabricDelay, 3000, 0, 15, 4, 256},
            {"a fabric, with removals", FabricDelay, 3000, 24, 15, 4, 256},
            {"a fabric, few events pending", FabricDelay, 4, 24, 15, 4, 256},
            {"a fabric, fewer lanes than delays", FabricDelay, 3000, 24, 2, 4, 256},
            {"no lanes at all", FabricDelay, 3000, 24, 0, 4, 256},
            {"more delays than lanes", ManyDelays, 3000, 24, 15, 4, 256},
            {"as many lanes as there may be", ManyDelays, 3000, 24, 63, 4, 256},
            {"random delays", RandomDelay, 3000, 24, 15, 4, 256},
            {"constant and random delays", MixedDelay, 3000, 24, 15, 4, 256},
            {"mostly equal timestamps", TinyDelay, 300, 24, 15, 4, 256},
            {"mostly removals", MixedDelay, 1000, 110, 7, 4, 256},
            {"events before the current time", PastDelay, 3000, 24, 15, 4, 256},
            {"unique ids that wrap around", TinyDelay, 3000, 24, 15, UINT32_MAX - 50000, 256},
            {"attributes by default", MixedDelay, 20000, 24, 15, 4, 1024},
        };
        for (const Workload& workload : workloads)
        {
            AddTestCase(new LaneSchedulerOrderTestCase(workload));
        }
        AddTestCase(new LaneSchedulerLearningTestCase);
        AddTestCase(new LaneSchedulerAllocationTestCase);
        AddTestCase(new LaneSchedulerSimulatorTestCase);
    }
};

/// Static variable for test initialization
static LaneSchedulerTestSuite g_laneSchedulerTestSuite;

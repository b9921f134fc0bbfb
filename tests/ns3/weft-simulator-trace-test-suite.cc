// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Programs whose events schedule, cancel, remove, stop and ask by chance give the same trace under
 * FabricSimulatorImpl as under ns3::DefaultSimulatorImpl, whatever the scheduler. A user who
 * changes the simulator for speed would otherwise have to run everything twice to trust it.
 */
#include "allocation-counter.h"
#include "weft-simulator-choice.h"
#include "weft-slow-suite.h"

#include "ns3/config.h"
#include "ns3/event-id.h"
#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"
#include "ns3/weft-arena.h"
#include "ns3/weft-fabric-simulator.h"

#include <algorithm>
#include <array>
#include <random>
#include <sstream>

using namespace ns3;

namespace
{

/** Where and how a program runs. */
struct ProgramSetup
{
    std::string implementation; //!< simulator
    std::string scheduler;      //!< of ordinary events
    uint64_t seed;              //!< of the program
    bool removing;              //!< it removes events; else it cancels them
    bool switching;             //!< the scheduler changes again and again
    bool uids;                  //!< the trace tells uids as well
};

/**
 * ns-3's HeapScheduler, of 3.37 at least, loses the order of what is left when an event other than
 * the next one is removed. Programs under it cancel where others remove.
 */
constexpr const char* HEAP = "HeapScheduler";

/** A program of events of both kinds that act by chance, and the trace of what happened. */
class RandomProgram
{
  public:
    explicit RandomProgram(const ProgramSetup& setup)
        : m_setup(setup),
          m_random(setup.seed)
    {
    }

    /** @return the trace of a whole run */
    std::string Run();

    /** @return whether nobody but this program holds an event of the fabric */
    bool IsReleased() const
    {
        const auto alone = [](const Ptr<Armed>& e) { return e->GetReferenceCount() == 1; };
        return std::all_of(m_armed.begin(), m_armed.end(), alone);
    }

  private:
    /** An event of the fabric. */
    class Armed : public FabricEvent
    {
      public:
        Armed(RandomProgram* program, uint32_t serial)
            : m_program(program),
              m_serial(serial)
        {
        }

        void Fire(int64_t now) override
        {
            m_program->m_trace << "F" << now << " ";
            m_program->Act(m_serial);
            if (m_program->Draw(4) == 0 && m_program->m_serial < EVENTS)
            {
                m_serial = m_program->m_serial++;
                WeftSchedule(m_program->DrawDelay(), this, m_program->Draw(7));
            }
        }

      private:
        RandomProgram* m_program; //!< that keeps it
        uint32_t m_serial;        //!< its number
    };

    /** An ordinary event that is one object, scheduled again and again. */
    class Repeated : public EventImpl
    {
      public:
        explicit Repeated(RandomProgram* program)
            : m_program(program)
        {
        }

      private:
        void Notify() override
        {
            m_program->Act(m_program->m_serial++);
        }

        RandomProgram* m_program; //!< that keeps it
    };

    static constexpr uint32_t EVENTS = 30000; //!< about so many in all

    uint32_t Draw(uint32_t bound)
    {
        return static_cast<uint32_t>(m_random() % bound);
    }

    /** @return often one of a few delays, which change in the course of the run; else an odd one */
    int64_t DrawDelay()
    {
        static const std::array<int64_t, 6> few{0, 40, 80, 120, 1000, 2000};
        const int64_t phase = 1 + m_serial / 6000;
        return Draw(4) != 0 ? few[Draw(6)] * phase : static_cast<int64_t>(Draw(60));
    }

    void Act(uint32_t serial);
    void ScheduleOne();
    void Ask();
    void StopOne(const EventId& id);
    void Change();

    ProgramSetup m_setup;                             //!< where it runs
    std::mt19937_64 m_random;                         //!< decides what is done
    uint32_t m_serial{0};                             //!< the next event's number
    std::vector<EventId> m_ids;                       //!< events that may be cancelled
    std::vector<Ptr<Armed>> m_armed;                  //!< events of the fabric
    Ptr<Repeated> m_repeated{Create<Repeated>(this)}; //!< scheduled while it is not pending
    EventId m_repeatedId;                             //!< the last time
    uint32_t m_changes{0};                            //!< of the scheduler
    std::ostringstream m_trace;                       //!< what happened
};

void
RandomProgram::Change()
{
    ObjectFactory factory;
    std::string next = HEAP;
    while (next == HEAP)
    {
        next = WeftSchedulers()[m_changes++ % WeftSchedulers().size()];
    }
    factory.SetTypeId("ns3::" + next);
    Simulator::SetScheduler(factory);
}

void
RandomProgram::ScheduleOne()
{
    const uint32_t serial = m_serial++;
    const uint32_t way = Draw(20);
    const int64_t delay = DrawDelay();
    const Time time = TimeStep(static_cast<uint64_t>(delay));
    if (way < 10)
    {
        m_armed.push_back(Create<Armed>(this, serial));
        WeftSchedule(delay, PeekPointer(m_armed.back()), Draw(7));
    }
    else if (way == 10)
    {
        m_ids.push_back(Simulator::ScheduleNow(&RandomProgram::Act, this, serial));
    }
    else if (way < 13)
    {
        Simulator::ScheduleWithContext(Draw(5), time, &RandomProgram::Act, this, serial);
    }
    else if (way == 13 && Draw(16) == 0)
    {
        m_ids.push_back(Simulator::ScheduleDestroy(&RandomProgram::Act, this, serial));
    }
    else if (way == 14 && m_repeatedId.IsExpired() && !m_repeated->IsCancelled())
    {
        m_repeatedId = Simulator::Schedule(time, m_repeated);
    }
    else
    {
        m_ids.push_back(Simulator::Schedule(time, &RandomProgram::Act, this, serial));
    }
}

void
RandomProgram::StopOne(const EventId& id)
{
    switch (Draw(4))
    {
    case 0:
        Simulator::Cancel(id);
        break;
    case 1:
        m_setup.removing ? Simulator::Remove(id) : Simulator::Cancel(id);
        break;
    default:
        break;
    }
    m_trace << " then " << id.IsExpired();
}

void
RandomProgram::Ask()
{
    m_trace << " count " << Simulator::GetEventCount() << " over " << Simulator::IsFinished();
    if (!m_ids.empty())
    {
        // Mostly young events, which are still pending.
        const std::size_t age = std::min<std::size_t>(m_ids.size(), 1 + Draw(200));
        const EventId id = m_ids[m_ids.size() - age];
        m_trace << " expired " << id.IsExpired() << " left "
                << Simulator::GetDelayLeft(id).GetTimeStep();
        if (m_setup.uids)
        {
            m_trace << " uid " << id.GetUid() << " ts " << id.GetTs();
        }
        StopOne(id);
    }
    m_trace << "\n";
    if (Draw(100) == 0)
    {
        Simulator::Stop();
    }
    if (Draw(50) == 0)
    {
        Simulator::Stop(TimeStep(Draw(300)));
    }
}

void
RandomProgram::Act(uint32_t serial)
{
    m_trace << serial << " at " << Simulator::Now().GetTimeStep() << " in "
            << Simulator::GetContext() << "\n";
    // Grows to some hundreds of events, stays there, and ends.
    const uint32_t children = m_serial < 500 ? 2 : (m_serial < EVENTS ? 1 : 0);
    for (uint32_t i = 0; i < children; i++)
    {
        ScheduleOne();
    }
    if (Draw(8) == 0)
    {
        Ask();
        // What was cancelled or removed is replaced, so that the program does not die out.
        if (m_serial < EVENTS)
        {
            ScheduleOne();
        }
    }
    // Counted by events, not drawn, so that the program is the same without it.
    if (m_setup.switching && serial % 97 == 0)
    {
        Change();
    }
}

std::string
RandomProgram::Run()
{
    const WeftSimulatorChoice choice(m_setup.implementation, m_setup.scheduler);
    for (uint32_t i = 0; i < 50; i++)
    {
        ScheduleOne();
    }
    // Some programs are left in the middle, with events pending.
    const uint32_t runs = m_setup.seed % 2 == 0 ? 100 : UINT32_MAX;
    uint64_t before = 0;
    for (uint32_t i = 0; i < runs && (i == 0 || before != Simulator::GetEventCount()); i++)
    {
        before = Simulator::GetEventCount();
        Simulator::Run();
        m_trace << "stopped at " << Simulator::Now().GetTimeStep() << " in "
                << Simulator::GetContext() << "\n";
    }
    const bool used = choice.IsInUse();
    Simulator::Destroy();
    return used ? m_trace.str() : "not under the implementation asked for";
}

/** @return the first line in which two traces differ, or nothing if none does */
std::string
Difference(const std::string& actual, const std::string& expected)
{
    std::istringstream a(actual);
    std::istringstream b(expected);
    std::string lineOfA;
    std::string lineOfB;
    for (uint32_t i = 1;; i++)
    {
        const bool more = static_cast<bool>(std::getline(a, lineOfA));
        const bool moreExpected = static_cast<bool>(std::getline(b, lineOfB));
        if (!more && !moreExpected)
        {
            return "";
        }
        if (more != moreExpected || lineOfA != lineOfB)
        {
            return "line " + std::to_string(i) + ": '" + (more ? lineOfA : "") + "' instead of '" +
                   (moreExpected ? lineOfB : "") + "'";
        }
    }
}

/** The same program under all implementations and schedulers. */
class TraceTestCase : public TestCase
{
  public:
    explicit TraceTestCase(uint64_t seed)
        : TestCase("the same trace everywhere, program " + std::to_string(seed)),
          m_seed(seed)
    {
    }

  private:
    void Compare(const ProgramSetup& setup, const std::string& expected)
    {
        RandomProgram program(setup);
        const std::string trace = program.Run();
        NS_TEST_EXPECT_MSG_EQ(Difference(trace, expected),
                              "",
                              setup.implementation << " over " << setup.scheduler
                                                   << (setup.switching ? ", switching" : ""));
        NS_TEST_EXPECT_MSG_EQ(program.IsReleased(), true, "events are let go of");
    }

    void DoRun() override
    {
        const std::string& simple = WeftSimulators().front();
        const std::string& map = WeftSchedulers().front();
        const std::string expected = RandomProgram({simple, map, m_seed, true, false, true}).Run();
        const std::string heap = RandomProgram({simple, map, m_seed, false, false, true}).Run();
        NS_TEST_ASSERT_MSG_GT(expected.size(), 200000, "the program ended early");
        NS_TEST_ASSERT_MSG_NE(expected.find("\nF"), std::string::npos, "events of the fabric");
        NS_TEST_ASSERT_MSG_NE(expected.find("expired 0"), std::string::npos, "events pending");
        for (const std::string& implementation : WeftSimulators())
        {
            for (const std::string& scheduler : WeftSchedulers())
            {
                const bool remove = scheduler != HEAP;
                Compare({implementation, scheduler, m_seed, remove, false, true},
                        remove ? expected : heap);
            }
            Compare({implementation, map, m_seed, true, true, true}, expected);
        }
    }

    uint64_t m_seed; //!< of the program
};

/** Gives the first event another uid, for as long as it lives. */
class FirstUid
{
  public:
    explicit FirstUid(uint64_t uid)
    {
        Config::SetDefault(NAME, UintegerValue(uid));
    }

    ~FirstUid()
    {
        Config::SetDefault(NAME, UintegerValue(FabricSimulatorImpl::FIRST_UID));
    }

    FirstUid(const FirstUid&) = delete;
    FirstUid& operator=(const FirstUid&) = delete;

  private:
    static constexpr const char* NAME = "ns3::FabricSimulatorImpl::FirstUid"; //!< attribute
};

constexpr uint64_t WRAP = uint64_t{1} << 32; //!< uids there are in an EventId

/** Events at equal times keep their order where an EventId's uid begins anew. */
class WrapTestCase : public TestCase
{
  public:
    explicit WrapTestCase(const std::string& scheduler)
        : TestCase("order beyond 2^32 events over " + scheduler),
          m_scheduler(scheduler)
    {
    }

  private:
    /** An event of the fabric with a number. */
    class Numbered : public FabricEvent
    {
      public:
        Numbered(WrapTestCase* test, uint32_t number)
            : m_test(test),
              m_number(number)
        {
        }

        void Fire(int64_t) override
        {
            m_test->m_order.push_back(m_number);
        }

      private:
        WrapTestCase* m_test; //!< that keeps it
        uint32_t m_number;    //!< its number
    };

    void Note(uint32_t number)
    {
        m_order.push_back(number);
    }

    /** Schedules events for one time, every so many of them the fabric's, and runs them. */
    void Equal(uint32_t count, uint32_t fabricEvery, uint64_t uid)
    {
        const FirstUid first(uid);
        const WeftSimulatorChoice choice("FabricSimulatorImpl", m_scheduler);
        std::vector<Ptr<Numbered>> kept;
        std::vector<uint32_t> expected;
        m_order.clear();
        for (uint32_t i = 0; i < count; i++)
        {
            expected.push_back(i);
            if (fabricEvery != 0 && i % fabricEvery == 0)
            {
                kept.push_back(Create<Numbered>(this, i));
                WeftSchedule(10, PeekPointer(kept.back()), 0);
                continue;
            }
            const EventId id = Simulator::Schedule(TimeStep(10), &WrapTestCase::Note, this, i);
            NS_TEST_EXPECT_MSG_EQ(id.IsExpired(), false, "pending");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(id.GetUid(),
                                        FabricSimulatorImpl::FIRST_UID,
                                        "no special uid");
            if (i % 5 == 0)
            {
                m_scheduler == HEAP ? Simulator::Cancel(id) : Simulator::Remove(id);
                NS_TEST_EXPECT_MSG_EQ(id.IsExpired(), true, "removed");
                expected.pop_back();
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((m_order == expected),
                              true,
                              "order of " << count << " events from uid " << uid
                                          << ", the fabric's every " << fabricEvery);
    }

    void DoRun() override
    {
        for (const uint32_t fabricEvery : {1, 2, 3, 7, 0})
        {
            Equal(60, fabricEvery, FabricSimulatorImpl::FIRST_UID);
        }
        Equal(60, 1, WRAP - 30);
        Equal(60, 1, WRAP - 1);
        Equal(60, 1, 3 * WRAP - 17);
    }

    std::string m_scheduler;       //!< of ordinary events
    std::vector<uint32_t> m_order; //!< in which events ran
};

/** Once warm, an event of the fabric costs no allocation, whatever its delay. */
class FabricEventAllocationTestCase : public TestCase
{
  public:
    FabricEventAllocationTestCase()
        : TestCase("no allocation per event of the fabric")
    {
    }

  private:
    /** An event that schedules itself at one delay or many, for a number of times. */
    class Turn : public FabricEvent
    {
      public:
        Turn(uint32_t turns, int64_t delay, int64_t spread)
            : m_turns(turns),
              m_delay(delay),
              m_spread(spread)
        {
        }

        void Fire(int64_t) override
        {
            m_turns--;
            end = WeftAllocationCount() + WeftArenaAllocations();
            middle = m_turns == 10000 ? end : middle;
            if (m_turns != 0)
            {
                WeftSchedule(m_delay + m_turns % m_spread, this, 0);
            }
        }

        uint64_t middle{0}; //!< allocations when it was warm
        uint64_t end{0};    //!< allocations at the end

      private:
        uint32_t m_turns; //!< left
        int64_t m_delay;  //!< least delay
        int64_t m_spread; //!< so many delays
    };

    void DoRun() override
    {
        const uint64_t before = WeftAllocationCount();
        const auto seen = std::make_unique<Turn>(1, 1, 1);
        if (WeftAllocationCount() == before)
        {
            return; // another operator new is in the way: nothing can be counted
        }
        for (const int64_t spread : {1, 5, 1000})
        {
            const WeftSimulatorChoice choice("FabricSimulatorImpl", "MapScheduler");
            std::vector<Ptr<Turn>> turns;
            for (uint32_t i = 0; i < 64; i++)
            {
                turns.push_back(Create<Turn>(20000, 1000 + i % 2, spread));
                WeftSchedule(1 + i, PeekPointer(turns.back()), 0);
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(Simulator::GetEventCount(), 64 * 20000, "all turns");
            NS_TEST_EXPECT_MSG_EQ(turns[0]->end - turns[0]->middle, 0, spread << " delays");
        }
    }
};

class WeftSimulatorTraceTestSuite : public WeftSlowSuite
{
  public:
    WeftSimulatorTraceTestSuite()
        : WeftSlowSuite("weft-simulator-trace", Type::UNIT)
    {
        for (uint64_t seed = 1; seed <= 4; seed++)
        {
            AddSlow(new TraceTestCase(seed));
        }
        AddTestCase(new FabricEventAllocationTestCase);
        for (const std::string& scheduler : WeftSchedulers())
        {
            AddTestCase(new WrapTestCase(scheduler));
        }
    }
};

WeftSimulatorTraceTestSuite g_weftSimulatorTraceTestSuite; //!< registers the suite

} // namespace

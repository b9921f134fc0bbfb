// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What ns-3 promises of Simulator, under ns-3's own implementation and under FabricSimulatorImpl,
 * over every scheduler. Were one of the promises broken, a user's program would do something else
 * for no other reason than that it was to run faster.
 */
#include "weft-simulator-script.h"

#include "ns3/event-id.h"
#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/test.h"
#include "ns3/weft-fabric-simulator.h"

#include <limits>
#include <thread>

using namespace ns3;

namespace
{

/** One implementation over one scheduler, taken through all that ns-3 promises. */
class SimulatorTestCase : public WeftSimulatorScript
{
  public:
    using WeftSimulatorScript::WeftSimulatorScript;

  private:
    void Order();
    void FabricFirst();
    void Contexts();
    void Cancelled();
    void Removed();
    void RemovedByFabric();
    void RemovedAsItGoes();
    void Destroyed();
    void DestroyedByOthers();
    void Stopped();
    void StoppedAtATime();
    void Asked();
    void SchedulerChanged();
    void PendingAtDestroy();
    void Again();
    void FarAhead();
    void DoRun() override;
};

/** By time, then in the order in which they were scheduled, of whatever kind. */
void
SimulatorTestCase::Order()
{
    At(10, "a");
    Fabric(1, 10, "B");
    At(10, "c");
    Fabric(2, 5, "D");
    At(0, "e");
    Fabric(3, 0, "F");
    At(7, "g", [this]() {
        Immediately("h");
        Fabric(4, 0, "I");
        At(0, "j");
        At(3, "k");
        Fabric(5, 3, "L");
        At(3, "m");
    });
    Fabric(6, 7, "N", [this]() {
        Fabric(7, 0, "O");
        Immediately("p");
        Fabric(8, 3, "Q");
    });
    RunAndExpect("e@0/- F@0/3 D@5/2 g@7/- N@7/6 h@7/- I@7/4 j@7/- O@7/7 p@7/6 "
                 "a@10/- B@10/1 c@10/- k@10/- L@10/5 m@10/- Q@10/8 ");
    Expect(Simulator::GetEventCount() == 17, "events counted");
    At(2, "r");
    Fabric(9, 1, "S");
    // Between two runs the context is still that of the last event.
    RunAndExpect("S@11/9 r@12/8 ");
}

/** The fabric may be the first to schedule anything at all. */
void
SimulatorTestCase::FabricFirst()
{
    Fabric(1, 5, "A");
    At(5, "b");
    Fabric(1, 5, "C");
    RunAndExpect("A@5/1 b@5/- C@5/1 ");
    Expect(m_probes.front()->GetReferenceCount() == 1, "it is its owner's alone again");
}

/** An event runs in its context, and what it schedules inherits that. */
void
SimulatorTestCase::Contexts()
{
    Expect(Simulator::GetContext() == Simulator::NO_CONTEXT, "none at first");
    AtNode(7, 1, "a", [this]() {
        At(1, "b");
        Fabric(9, 1, "C", [this]() {
            At(1, "d");
            Immediately("e");
            AtNode(3, 0, "f");
            AtNode(Simulator::NO_CONTEXT, 0, "g");
        });
        At(1, "h");
    });
    At(5, "i");
    Fabric(0, 5, "J");
    At(5, "k");
    RunAndExpect("a@1/7 b@2/7 C@2/9 h@2/7 e@2/9 f@2/3 g@2/- d@3/9 i@5/- J@5/0 k@5/- ");
}

/** A cancelled event keeps its place but does nothing; to cancel any other changes nothing. */
void
SimulatorTestCase::Cancelled()
{
    EventId a = At(5, "a");
    const EventId copy = a;
    Expect(!a.IsExpired(), "pending");
    a.Cancel();
    Expect(copy.IsExpired(), "cancelled: expired, whichever copy is asked");
    Expect(Simulator::GetDelayLeft(copy).IsZero(), "no delay is left");
    a.Cancel();
    RunAndExpect("");
    Expect(Simulator::Now().GetTimeStep() == 5, "its time came all the same");
    Expect(Simulator::GetEventCount() == 1, "and it was counted");

    EventId self = At(1, "b", [&self, this]() {
        Expect(self.IsExpired(), "an event that runs has expired");
        Simulator::Cancel(self);
        Simulator::Remove(self);
    });
    EventId d;
    EventId f;
    At(2, "c", [&d]() { Simulator::Cancel(d); });
    d = At(2, "d");
    Fabric(1, 3, "E", [&f, &self]() {
        Simulator::Cancel(f);
        Simulator::Cancel(self);
    });
    f = At(3, "f");
    At(3, "g");
    RunAndExpect("b@6/- c@7/- E@8/1 g@8/- ");
    Simulator::Cancel(EventId());
    Simulator::Remove(EventId());
    Expect(EventId().IsExpired(), "no event at all");

    Ptr<Counter> counter = Create<Counter>();
    const EventId first = Simulator::Schedule(TimeStep(1), counter);
    Simulator::Run();
    const EventId second = Simulator::Schedule(TimeStep(1), counter);
    Simulator::Cancel(first);
    Simulator::Remove(first);
    Expect(first.IsExpired() && !second.IsExpired(), "the same object, scheduled again");
    Simulator::Run();
    Expect(counter->count == 2, "it ran both times");
}

/** A removed event is gone: no time, no count, no reference. */
void
SimulatorTestCase::Removed()
{
    EventId a = At(5, "a", Holding());
    const EventId copy = a;
    Simulator::Remove(a);
    Expect(copy.IsExpired() && a.IsExpired(), "expired");
    Expect(Simulator::GetDelayLeft(a).IsZero(), "no delay is left");
    Expect(Simulator::IsFinished(), "there was no other");
    Simulator::Remove(a);
    Simulator::Cancel(a);
    RunAndExpect("");
    Expect(Simulator::Now().IsZero() && Simulator::GetEventCount() == 0, "nothing happened");

    std::vector<EventId> ids;
    for (uint32_t i = 0; i < 6; i++)
    {
        ids.push_back(At(3 + i / 2, std::to_string(i), Holding()));
    }
    Fabric(1, 4, "X");
    Expect(m_token.use_count() == 8, "the events are there, and the first one's id");
    for (const uint32_t i : {0, 3, 5, 1})
    {
        Simulator::Remove(ids[i]);
    }
    ids.clear();
    a = EventId();
    Expect(m_token.use_count() == 4, "those removed are not, but for the copy of an id");
    RunAndExpect("2@4/- X@4/1 4@5/- ");
    Expect(m_token.use_count() == 2, "nor those that ran");
    Expect(Simulator::GetEventCount() == 3, "removed events are not counted");

    EventId cancelled = At(7, "b");
    cancelled.Cancel();
    Simulator::Remove(cancelled);
    RunAndExpect("");
    Expect(Simulator::Now().GetTimeStep() == 12, "an event cancelled before stays where it is");
}

/** The next ordinary event is removed while events of the fabric come before and after it. */
void
SimulatorTestCase::RemovedByFabric()
{
    EventId b;
    EventId d;
    Fabric(1, 4, "A", [&b]() { Simulator::Remove(b); });
    b = At(4, "b");
    Fabric(1, 5, "C", [&d, this]() {
        Simulator::Remove(d);
        Fabric(2, 3, "G");
        Fabric(2, 1, "E");
    });
    d = At(6, "d");
    At(7, "f");
    RunAndExpect("A@4/1 C@5/1 E@6/2 f@7/- G@8/2 ");
    b = At(1, "b");
    Fabric(1, 2, "H");
    Simulator::Remove(b);
    Expect(!Simulator::IsFinished(), "an event of the fabric is left");
    RunAndExpect("H@10/1 ");
    Expect(Simulator::IsFinished(), "none is left");
    Expect(Simulator::GetEventCount() == 6, "events counted");
}

/** Destroy events run at the end, in order, once, and may schedule further ones. */
void
SimulatorTestCase::Destroyed()
{
    EventId a = AtDestroy("a");
    EventId b = AtDestroy("b");
    EventId c = AtDestroy("c", Holding());
    EventId d;
    d = AtDestroy("d", [&d, this]() {
        Expect(d.IsExpired(), "a destroy event that runs has expired");
        AtDestroy("e");
        At(0, "never");
        Immediately("never");
        Fabric(1, 0, "NEVER");
        AtNode(1, 3, "never", Holding());
    });
    At(4, "f", [this]() { AtDestroy("g"); });
    Simulator::Cancel(b);
    Simulator::Remove(c);
    Expect(b.IsExpired() && c.IsExpired(), "cancelled, removed");
    c = EventId();
    Expect(m_token.use_count() == 1, "what is removed is gone");
    RunAndExpect("f@4/- ");
    Expect(!a.IsExpired() && !d.IsExpired(), "they are yet to run");
    Expect(Simulator::IsFinished(), "they are no reason to go on");
    Simulator::Destroy();
    ExpectNotes("a@4/- d@4/- g@4/- e@4/- ");
    Expect(a.IsExpired() && d.IsExpired(), "expired");
    Simulator::Cancel(a);
    Simulator::Remove(d);
    Expect(m_token.use_count() == 1, "what the last events scheduled is gone as well");
}

/** A destroy event may stop another from running, from before or from within the end. */
void
SimulatorTestCase::DestroyedByOthers()
{
    EventId c;
    EventId d;
    Fabric(1, 2, "A", [&c, &d, this]() {
        AtDestroy("b", [&c, &d]() {
            Simulator::Cancel(c);
            Simulator::Remove(d);
        });
        c = AtDestroy("c");
        d = AtDestroy("d");
        AtDestroy("e");
    });
    RunAndExpect("A@2/1 ");
    Simulator::Destroy();
    ExpectNotes("b@2/1 e@2/1 ");
}

/** Stop() ends Run() after the present event; the next Run() goes on from there. */
void
SimulatorTestCase::Stopped()
{
    At(1, "a");
    At(2, "b", [this]() {
        Expect(!Simulator::IsFinished(), "not yet");
        Simulator::Stop();
        Expect(Simulator::IsFinished(), "as good as over");
    });
    At(2, "c");
    Fabric(1, 2, "D", []() { Simulator::Stop(); });
    Fabric(1, 2, "E");
    Fabric(1, 9, "F");
    RunAndExpect("a@1/- b@2/- ");
    Expect(Simulator::IsFinished(), "it was stopped");
    RunAndExpect("c@2/- D@2/1 ");
    Expect(Simulator::Now().GetTimeStep() == 2, "the time it stopped");
    At(1, "g");
    RunAndExpect("E@2/1 g@3/1 F@9/1 ");
    Simulator::Stop();
    Expect(Simulator::IsFinished(), "stopped before it begins");
    Fabric(1, 1, "H");
    RunAndExpect("H@10/1 ");
    Expect(Simulator::GetEventCount() == 8, "events counted");
}

/** Stop(delay) is an event like others: those of the same time scheduled after it are left. */
void
SimulatorTestCase::StoppedAtATime()
{
    Fabric(1, 5, "A");
    At(5, "b");
    Simulator::Stop(TimeStep(5));
    Fabric(1, 5, "C");
    At(5, "d");
    RunAndExpect("A@5/1 b@5/- ");
    Expect(Simulator::Now().GetTimeStep() == 5 && Simulator::GetEventCount() == 3, "it ran");
    Simulator::Stop(TimeStep(3));
    Fabric(1, 4, "E");
    RunAndExpect("C@5/1 d@5/- ");
    Expect(Simulator::Now().GetTimeStep() == 8, "stopped between events");
    Simulator::Stop(TimeStep(0));
    RunAndExpect("");
    Simulator::Stop(TimeStep(20));
    RunAndExpect("E@9/1 ");
    Expect(Simulator::Now().GetTimeStep() == 28, "the stop itself is waited for");
}

/** What may be asked, and when. */
void
SimulatorTestCase::Asked()
{
    Expect(Simulator::Now().IsZero() && Simulator::IsFinished(), "at the start");
    Expect(Simulator::GetEventCount() == 0 && Simulator::GetSystemId() == 0, "at the start");
    Expect(Simulator::GetMaximumSimulationTime().GetTimeStep() ==
               std::numeric_limits<int64_t>::max(),
           "the greatest time");
    const EventId a = At(10, "a", [this]() { Expect(Simulator::IsFinished(), "the last event"); });
    Fabric(1, 4, "B", [&a, this]() {
        Expect(Simulator::GetDelayLeft(a).GetTimeStep() == 6, "within an event of the fabric");
        Expect(Simulator::GetEventCount() == 1, "an event counts once it runs");
        Expect(!Simulator::IsFinished(), "another is left");
    });
    At(7, "c", [&a, this]() {
        Expect(Simulator::GetDelayLeft(a).GetTimeStep() == 3, "within an event");
        Expect(Simulator::GetEventCount() == 2, "an event counts once it runs");
    });
    Expect(Simulator::GetDelayLeft(a).GetTimeStep() == 10, "before the run");
    RunAndExpect("B@4/1 c@7/- a@10/- ");
    Expect(Simulator::GetDelayLeft(a).IsZero(), "after it");
    Expect(Simulator::GetEventCount() == 3, "all counted");
    Fabric(2, 1, "D", [this]() { Expect(Simulator::IsFinished(), "the last event, a fabric's"); });
    Expect(!Simulator::IsFinished(), "an event of the fabric alone");
    RunAndExpect("D@11/2 ");
    EventId e = At(5, "e");
    EventId f;
    At(5, "g", [&e, &f, this]() {
        Expect(e.IsExpired() && !f.IsExpired(), "equal times: what comes before has expired");
        Expect(Simulator::GetDelayLeft(f).IsZero(), "no delay, but pending");
    });
    f = At(5, "f");
    RunAndExpect("e@16/2 g@16/2 f@16/2 ");
}

/** The scheduler may be changed at any time; no event is lost or loses its place. */
void
SimulatorTestCase::SchedulerChanged()
{
    uint32_t round = 0;
    std::string expected;
    for (const std::string& next : WeftSchedulers())
    {
        const auto change = [next]() { Simulator::SetScheduler(SchedulerFactory(next)); };
        EventId e;
        EventId f;
        At(1, "a");
        Fabric(1, 1, "B", change);
        At(1, "c");
        e = At(2, "e");
        At(2, "d", [change, &f]() {
            change();
            Simulator::Remove(f);
        });
        f = At(2, "f");
        Fabric(2, 2, "G");
        At(3, "h");
        change();
        Simulator::Remove(e);
        Simulator::Run();
        const std::string t = std::to_string(3 * round + 1);
        const std::string u = std::to_string(3 * round + 2);
        const std::string v = std::to_string(3 * round + 3);
        expected +=
            "a@" + t + "/- B@" + t + "/1 c@" + t + "/- d@" + u + "/- G@" + u + "/2 h@" + v + "/- ";
        round++;
    }
    ExpectNotes(expected);
    Expect(Simulator::IsFinished(), "none is left");
}

/** Destroy with events pending: all are let go of, none runs. */
void
SimulatorTestCase::PendingAtDestroy()
{
    At(1, "a", []() { Simulator::Stop(); });
    for (uint32_t i = 0; i < 20; i++)
    {
        At(2 + i % 3, "never", Holding());
        AtNode(i, 3, "never", Holding());
        Fabric(i, 2 + i % 4, "NEVER", Holding());
        AtDestroy("", Holding()).Cancel();
    }
    At(3, "never", Holding()).Cancel();
    Simulator::Remove(At(3, "never", Holding()));
    RunAndExpect("a@1/- ");
    std::thread([this]() { AtNode(1, 1, "never", Holding()); }).join();
    EventId kept = At(4, "never");
    Simulator::Destroy();
    ExpectNotes("");
    Expect(kept.IsExpired(), "an id from before");
    for (const Ptr<Probe>& probe : m_probes)
    {
        Expect(probe->GetReferenceCount() == 1, "an event of the fabric is its owner's alone");
    }
    m_probes.clear();
    Expect(m_token.use_count() == 1, "nothing is held any more");
}

/** A simulation begun after Destroy knows nothing of the one before. */
void
SimulatorTestCase::Again()
{
    uint32_t uid = 0;
    for (uint32_t i = 0; i < 3; i++)
    {
        Expect(Simulator::Now().IsZero() && Simulator::GetEventCount() == 0, "from the start");
        Expect(Simulator::GetContext() == Simulator::NO_CONTEXT, "no context");
        Expect(Simulator::IsFinished(), "no events");
        const EventId a = At(3, "a");
        uid = i == 0 ? a.GetUid() : uid;
        Expect(a.GetUid() == uid, "the first uid");
        Fabric(1, 3, "B");
        Fabric(2, 4, "C", []() { Simulator::Stop(); });
        AtNode(3, 4, "d");
        RunAndExpect("a@3/- B@3/1 C@4/2 ");
        Simulator::Destroy();
    }
}

/** Times up to the greatest there is. */
void
SimulatorTestCase::FarAhead()
{
    const uint64_t end = std::numeric_limits<int64_t>::max();
    At(end, "a");
    Fabric(1, static_cast<int64_t>(end), "B");
    At(end - 1, "c", [this]() {
        Fabric(2, 1, "D");
        At(1, "e");
    });
    Fabric(3, 5, "F");
    const std::string t = std::to_string(end);
    RunAndExpect("F@5/3 c@" + std::to_string(end - 1) + "/- a@" + t + "/- B@" + t + "/1 D@" + t +
                 "/2 e@" + t + "/- ");
}

/** What an event holds may remove another event as it goes, as ns-3's timers do. */
void
SimulatorTestCase::RemovedAsItGoes()
{
    EventId b = At(3, "b", Holding());
    const auto remove = [&b](int* number) {
        Simulator::Remove(b);
        b = EventId();
        delete number;
    };
    At(2, "a", [first = std::shared_ptr<int>(new int, remove)]() {});
    Fabric(1, 4, "C");
    RunAndExpect("a@2/- C@4/1 ");
    Expect(m_token.use_count() == 1, "it was removed");

    b = At(3, "b", Holding());
    At(2, "a", [second = std::shared_ptr<int>(new int, remove)]() {});
    Simulator::Destroy();
    ExpectNotes("");
    Expect(m_token.use_count() == 1, "it was removed at the end");
}

void
SimulatorTestCase::DoRun()
{
    const Checks<SimulatorTestCase> checks{
        {"order", &SimulatorTestCase::Order},
        {"the fabric first", &SimulatorTestCase::FabricFirst},
        {"contexts", &SimulatorTestCase::Contexts},
        {"Cancel", &SimulatorTestCase::Cancelled},
        {"Remove", &SimulatorTestCase::Removed},
        {"Remove from within the fabric", &SimulatorTestCase::RemovedByFabric},
        {"Remove from within a destructor", &SimulatorTestCase::RemovedAsItGoes},
        {"ScheduleDestroy", &SimulatorTestCase::Destroyed},
        {"destroy events that stop others", &SimulatorTestCase::DestroyedByOthers},
        {"Stop", &SimulatorTestCase::Stopped},
        {"Stop at a time", &SimulatorTestCase::StoppedAtATime},
        {"what may be asked", &SimulatorTestCase::Asked},
        {"SetScheduler", &SimulatorTestCase::SchedulerChanged},
        {"Destroy with events pending", &SimulatorTestCase::PendingAtDestroy},
        {"another simulation", &SimulatorTestCase::Again},
        {"times far ahead", &SimulatorTestCase::FarAhead},
    };
    RunChecks(this, checks);
}

class FabricSimulatorTestSuite : public TestSuite
{
  public:
    FabricSimulatorTestSuite()
        : TestSuite("weft-fabric-simulator", Type::UNIT)
    {
        for (const std::string& implementation : WeftSimulators())
        {
            for (const std::string& scheduler : WeftSchedulers())
            {
                AddTestCase(new SimulatorTestCase(implementation, scheduler));
            }
        }
    }
};

FabricSimulatorTestSuite g_fabricSimulatorTestSuite; //!< registers the suite

} // namespace

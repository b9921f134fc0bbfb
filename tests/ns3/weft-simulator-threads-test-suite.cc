// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Other threads beside the simulation's, as ns-3's devices that read real traffic have them,
 * under ns-3's own implementation and under FabricSimulatorImpl, over every scheduler. Were an
 * event of theirs lost or out of order, such a program would hang or differ only now and then.
 */
#include "weft-simulator-script.h"

#include "ns3/nstime.h"
#include "ns3/test.h"
#include "ns3/weft-fabric-simulator.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace ns3;

namespace
{

/** One implementation over one scheduler, among threads. */
class ThreadsTestCase : public WeftSimulatorScript
{
  public:
    using WeftSimulatorScript::WeftSimulatorScript;

  private:
    void OtherThreads();
    void RunByAnotherThread();
    void DoRun() override;
};

/** Another thread schedules while the simulation runs: all of it arrives, in order. */
void
ThreadsTestCase::OtherThreads()
{
    using Clock = std::chrono::steady_clock;
    constexpr uint32_t EVENTS = 300;
    for (const bool fabric : {false, true})
    {
        std::atomic<bool> started{false};
        uint32_t arrived = 0;
        const Clock::time_point patience = Clock::now() + std::chrono::seconds(60);
        WeftThen tick;
        tick = [&]() {
            started = true;
            std::this_thread::yield();
            if (arrived == EVENTS || Clock::now() > patience)
            {
                return;
            }
            if (fabric)
            {
                WeftSchedule(1, PeekPointer(m_probes.back()), 1);
                return;
            }
            At(1, "", tick);
        };
        fabric ? Fabric(1, 1, "", tick) : static_cast<void>(At(1, "", tick));
        std::thread other([&]() {
            while (!started)
            {
                std::this_thread::yield();
            }
            for (uint32_t i = 0; i < EVENTS; i++)
            {
                AtNode(i, 1, "", [&arrived, i, this]() {
                    Expect(i == arrived && Simulator::GetContext() == i, "order and context");
                    arrived++;
                });
            }
        });
        Simulator::Run();
        other.join();
        Expect(arrived == EVENTS, "every event");
    }
}

/** The thread that calls Run() is the simulation's from then on. */
void
ThreadsTestCase::RunByAnotherThread()
{
    At(1, "a", [this]() {
        At(1, "b");
        AtNode(4, 1, "c");
        Fabric(5, 1, "D", [this]() { Immediately("e"); });
    });
    std::thread([]() { Simulator::Run(); }).join();
    ExpectNotes("a@1/- b@2/- c@2/4 D@2/5 e@2/5 ");
    AtNode(6, 3, "f");
    RunAndExpect("f@5/6 ");
    At(1, "g");
    RunAndExpect("g@6/6 ");
}

void
ThreadsTestCase::DoRun()
{
    const Checks<ThreadsTestCase> checks{
        {"other threads", &ThreadsTestCase::OtherThreads},
        {"Run in another thread", &ThreadsTestCase::RunByAnotherThread},
    };
    RunChecks(this, checks);
}

class SimulatorThreadsTestSuite : public TestSuite
{
  public:
    SimulatorThreadsTestSuite()
        : TestSuite("weft-simulator-threads", Type::UNIT)
    {
        for (const std::string& implementation : WeftSimulators())
        {
            for (const std::string& scheduler : WeftSchedulers())
            {
                AddTestCase(new ThreadsTestCase(implementation, scheduler));
            }
        }
    }
};

SimulatorThreadsTestSuite g_simulatorThreadsTestSuite; //!< registers the suite

} // namespace

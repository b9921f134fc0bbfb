// SPDX-License-Identifier: GPL-2.0-only
#ifndef WEFT_SIMULATOR_SCRIPT_H
#define WEFT_SIMULATOR_SCRIPT_H

#include "weft-simulator-choice.h"

#include "ns3/event-id.h"
#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/test.h"
#include "ns3/weft-fabric-simulator.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/** What an event does. */
using WeftThen = std::function<void()>;

/**
 * Schedules events of both kinds under one implementation over one scheduler, and notes what ran,
 * when, and in which context. The test cases derived from it say what should have.
 */
class WeftSimulatorScript : public ns3::TestCase
{
  public:
    WeftSimulatorScript(const std::string& implementation, const std::string& scheduler)
        : ns3::TestCase("ns-3's semantics: " + implementation + " over " + scheduler),
          m_implementation(implementation),
          m_scheduler(scheduler)
    {
    }

  protected:
    /** An event of the fabric that notes when it fires. */
    class Probe : public ns3::FabricEvent
    {
      public:
        Probe(WeftSimulatorScript* test, const std::string& name, const WeftThen& then)
            : m_test(test),
              m_name(name),
              m_then(then)
        {
        }

        void Fire(int64_t now) override
        {
            m_test->Expect(now == ns3::Simulator::Now().GetTimeStep(),
                           m_name + ": the time it is told");
            m_test->Note(m_name, m_then);
        }

      private:
        WeftSimulatorScript* m_test; //!< that keeps it
        std::string m_name;          //!< as noted
        WeftThen m_then;             //!< what else it does
    };

    /** An event object that may be scheduled again. */
    class Counter : public ns3::EventImpl
    {
      public:
        uint32_t count{0}; //!< times it ran

      private:
        void Notify() override
        {
            count++;
        }
    };

    void Expect(bool good, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(good, true, m_check << ": " << what);
    }

    /** What was noted since the last time, which is name@time/context for each event. */
    void ExpectNotes(const std::string& notes)
    {
        NS_TEST_EXPECT_MSG_EQ(m_notes, notes, m_check << ": events, times and contexts");
        m_notes.clear();
    }

    /** Notes an event, if it has a name, and does what else it is to do. */
    void Note(const std::string& name, const WeftThen& then)
    {
        const uint32_t context = ns3::Simulator::GetContext();
        m_notes += name.empty()
                     ? ""
                     : name + "@" + std::to_string(ns3::Simulator::Now().GetTimeStep()) + "/" +
                           (context == ns3::Simulator::NO_CONTEXT ? "-" : std::to_string(context)) +
                           " ";
        if (then)
        {
            then();
        }
    }

    void Act(std::string name, WeftThen then)
    {
        Note(name, then);
    }

    /** Schedules an ordinary event. */
    ns3::EventId At(uint64_t delay, const std::string& name, const WeftThen& then = WeftThen())
    {
        return ns3::Simulator::Schedule(ns3::TimeStep(delay),
                                        &WeftSimulatorScript::Act,
                                        this,
                                        name,
                                        then);
    }

    ns3::EventId Immediately(const std::string& name, const WeftThen& then = WeftThen())
    {
        return ns3::Simulator::ScheduleNow(&WeftSimulatorScript::Act, this, name, then);
    }

    ns3::EventId AtDestroy(const std::string& name, const WeftThen& then = WeftThen())
    {
        return ns3::Simulator::ScheduleDestroy(&WeftSimulatorScript::Act, this, name, then);
    }

    void AtNode(uint32_t node,
                uint64_t delay,
                const std::string& name,
                const WeftThen& then = WeftThen())
    {
        ns3::Simulator::ScheduleWithContext(node,
                                            ns3::TimeStep(delay),
                                            &WeftSimulatorScript::Act,
                                            this,
                                            name,
                                            then);
    }

    /** Schedules an event of the fabric. */
    void
    Fabric(uint32_t node, int64_t delay, const std::string& name, const WeftThen& then = WeftThen())
    {
        m_probes.push_back(ns3::Create<Probe>(this, name, then));
        ns3::WeftSchedule(delay, ns3::PeekPointer(m_probes.back()), node);
    }

    void RunAndExpect(const std::string& notes)
    {
        ns3::Simulator::Run();
        ExpectNotes(notes);
    }

    static ns3::ObjectFactory SchedulerFactory(const std::string& name)
    {
        ns3::ObjectFactory factory;
        factory.SetTypeId("ns3::" + name);
        return factory;
    }

    /** An action that keeps a token for as long as its event exists. */
    WeftThen Holding() const
    {
        return [token = m_token]() {};
    }

    /** What a test case checks, by name. */
    template <typename T>
    using Checks = std::vector<std::pair<std::string, void (T::*)()>>;

    /** Runs each check in a simulation of its own. */
    template <typename T>
    void RunChecks(T* test, const Checks<T>& checks)
    {
        for (const auto& [name, check] : checks)
        {
            m_check = name;
            {
                const WeftSimulatorChoice choice(m_implementation, m_scheduler);
                (test->*check)();
                Expect(choice.IsInUse(), "the implementation asked for");
            }
            m_probes.clear();
            Expect(m_token.use_count() == 1, "nothing is held after the end");
        }
    }

    std::string m_implementation;                          //!< under test
    std::string m_scheduler;                               //!< under it
    std::string m_check;                                   //!< what is being checked
    std::string m_notes;                                   //!< events noted
    std::vector<ns3::Ptr<Probe>> m_probes;                 //!< kept until the simulation is over
    std::shared_ptr<int> m_token{std::make_shared<int>()}; //!< see Holding()
};

#endif // WEFT_SIMULATOR_SCRIPT_H

// SPDX-License-Identifier: GPL-2.0-only
/** @file weft-simulator-choice.h  ns-3's simulators and schedulers, each used for a while. */
#ifndef WEFT_SIMULATOR_CHOICE_H
#define WEFT_SIMULATOR_CHOICE_H

#include "ns3/global-value.h"
#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <string>
#include <vector>

/** The implementations that must do the same; the first one is ns-3's own. */
inline const std::vector<std::string>&
WeftSimulators()
{
    static const std::vector<std::string> names{"DefaultSimulatorImpl"};
    return names;
}

/** The schedulers under which they must; the first one is ns-3's own. */
inline const std::vector<std::string>&
WeftSchedulers()
{
    static const std::vector<std::string> names{"MapScheduler",
                                                "HeapScheduler",
                                                "CalendarScheduler",
                                                "ListScheduler",
                                                "PriorityQueueScheduler"};
    return names;
}

/**
 * Has ns-3 use an implementation and a scheduler, both named without ns3::, for as long as it
 * lives. Whatever simulation there is ends when it is made, and again with it.
 */
class WeftSimulatorChoice
{
  public:
    WeftSimulatorChoice(const std::string& implementation, const std::string& scheduler)
        : m_implementation("ns3::" + implementation)
    {
        ns3::Simulator::Destroy();
        m_before = Exchange("SimulatorImplementationType", m_implementation);
        m_schedulerBefore = Exchange("SchedulerType", "ns3::" + scheduler);
    }

    ~WeftSimulatorChoice()
    {
        ns3::Simulator::Destroy();
        Exchange("SimulatorImplementationType", m_before);
        Exchange("SchedulerType", m_schedulerBefore);
    }

    WeftSimulatorChoice(const WeftSimulatorChoice&) = delete;
    WeftSimulatorChoice& operator=(const WeftSimulatorChoice&) = delete;

    /** @return whether the simulation now under way is the chosen one */
    bool IsInUse() const
    {
        const ns3::Ptr<ns3::SimulatorImpl> impl = ns3::Simulator::GetImplementation();
        return impl->GetInstanceTypeId().GetName() == m_implementation;
    }

  private:
    /** Sets a global value. @return what it was */
    static std::string Exchange(const std::string& name, const std::string& value)
    {
        ns3::StringValue before;
        ns3::GlobalValue::GetValueByName(name, before);
        ns3::GlobalValue::Bind(name, ns3::StringValue(value));
        return before.Get();
    }

    std::string m_implementation;  //!< chosen
    std::string m_before;          //!< implementation to go back to
    std::string m_schedulerBefore; //!< scheduler to go back to
};

#endif // WEFT_SIMULATOR_CHOICE_H

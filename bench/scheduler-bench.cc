// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Hold-model benchmark of LaneScheduler beside ns-3's own schedulers.
 *
 * N events are pending; each step takes the next one and schedules another at one of the delays
 * of a 400 Gb/s fabric. First the scheduler alone: a step is one RemoveNext and one Insert. Then
 * through Simulator, by event objects of one cache line that schedule themselves again. Prints
 * nanoseconds of CPU time per step, and the ratio to MapScheduler, ns-3's default. Never fails on a
 * time.
 *
 * Usage: scheduler-bench [steps [scheduler]]
 */
#include "ns3/event-id.h"
#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/ptr.h"
#include "ns3/scheduler.h"
#include "ns3/simulator.h"
#include "ns3/weft-lane-scheduler.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace
{

using ns3::Scheduler;

/** A delay, in ps, and its share of the events in 1/256. */
struct Delay
{
    uint64_t ps;    /**< The delay. */
    uint32_t share; /**< Its share. */
};

/** Serialization of a 1500 B and a 64 B frame at 400 Gb/s with gap, and each with 1 us of wire. */
constexpr std::array<Delay, 6> DELAYS{
    {{30400, 60}, {1680, 60}, {1030000, 62}, {1001280, 62}, {0, 8}, {4000000, 4}}};

/** The delays of a run: by a table, so that drawing one costs next to nothing. */
class DelaySource
{
  public:
    /** @param [in] otherShare Share of the events at a delay of their own, in 1/256. */
    explicit DelaySource(uint32_t otherShare)
        : m_otherShare(otherShare)
    {
        std::size_t filled = 0;
        for (const Delay& delay : DELAYS)
        {
            std::fill_n(m_table.begin() + filled, delay.share, delay.ps);
            filled += delay.share;
        }
    }

    /** @return The next delay. */
    uint64_t Draw()
    {
        m_state = m_state * 6364136223846793005 + 1442695040888963407;
        const auto high = static_cast<uint32_t>(m_state >> 32);
        return (high & 255) < m_otherShare ? high >> 11 : m_table[high >> 24];
    }

  private:
    std::array<uint64_t, 256> m_table{}; /**< Delays by their share. */
    uint32_t m_otherShare;               /**< Share of other delays. */
    uint64_t m_state{1};                 /**< The generator's state. */
};

/** The simulator's part: numbers the events and keeps the time. */
class Hold
{
  public:
    /**
     * @param [in] type The scheduler's TypeId name.
     * @param [in] otherShare Share of events at a delay of their own, in 1/256.
     */
    Hold(const std::string& type, uint32_t otherShare)
        : m_delays(otherShare)
    {
        ns3::ObjectFactory factory;
        factory.SetTypeId(type);
        m_scheduler = factory.Create<Scheduler>();
    }

    /** @param [in] pending Number of events to fill it with, spread over a microsecond. */
    void Fill(uint32_t pending)
    {
        for (uint32_t i = 0; i < pending; i++)
        {
            m_scheduler->Insert({nullptr, {uint64_t{1000000} * i / pending, m_uid++, 0}});
        }
    }

    /** @param [in] steps Number of events to take and schedule again. */
    void Step(uint64_t steps)
    {
        for (uint64_t i = 0; i < steps; i++)
        {
            const Scheduler::Event ev = m_scheduler->RemoveNext();
            m_scheduler->Insert({nullptr, {ev.key.m_ts + m_delays.Draw(), m_uid++, 0}});
        }
    }

  private:
    ns3::Ptr<Scheduler> m_scheduler; /**< The scheduler. */
    DelaySource m_delays;            /**< The delays. */
    uint32_t m_uid{4};               /**< The next event's unique id. */
};

/** An event that schedules itself again until the steps are used up. */
class alignas(64) HoldEvent : public ns3::EventImpl
{
  public:
    /** What all events of a run share. */
    struct Run
    {
        DelaySource delays;    /**< The delays. */
        uint64_t steps;        /**< Steps left. */
        std::clock_t start{0}; /**< When the measured steps began. */
        uint64_t measured;     /**< The number of measured steps, the last ones. */
    };

    /** @param [in] run What it shares with the others. */
    explicit HoldEvent(Run& run)
        : m_run(run)
    {
    }

  private:
    void Notify() override
    {
        if (m_run.steps == m_run.measured)
        {
            m_run.start = std::clock();
        }
        if (m_run.steps == 0)
        {
            ns3::Simulator::Stop();
            return;
        }
        m_run.steps--;
        ns3::Simulator::Schedule(ns3::TimeStep(m_run.delays.Draw()),
                                 ns3::Ptr<ns3::EventImpl>(this));
    }

    Run& m_run; /**< What it shares with the others. */
};

/**
 * Measure one scheduler in the simulator.
 * @param [in] type Its TypeId name.
 * @param [in] pending Number of events pending.
 * @param [in] otherShare Share of events at a delay of their own, in 1/256.
 * @param [in] steps Number of steps.
 * @return Nanoseconds of CPU time per step.
 */
double
MeasureSimulator(const std::string& type, uint32_t pending, uint32_t otherShare, uint64_t steps)
{
    ns3::ObjectFactory factory;
    factory.SetTypeId(type);
    ns3::Simulator::SetScheduler(factory);
    const uint64_t warmUp = std::max<uint64_t>(4 * uint64_t{pending}, steps / 4);
    HoldEvent::Run run{DelaySource(otherShare), warmUp + steps, 0, steps};
    for (uint32_t i = 0; i < pending; i++)
    {
        const uint64_t start = uint64_t{1000000} * i / pending;
        ns3::Simulator::Schedule(ns3::TimeStep(start),
                                 ns3::Ptr<ns3::EventImpl>(new HoldEvent(run), false));
    }
    ns3::Simulator::Run();
    const auto time = static_cast<double>(std::clock() - run.start);
    ns3::Simulator::Destroy();
    return time * 1e9 / CLOCKS_PER_SEC / static_cast<double>(steps);
}

/**
 * Measure one scheduler by itself.
 * @param [in] type Its TypeId name.
 * @param [in] pending Number of events pending.
 * @param [in] otherShare Share of events at a delay of their own, in 1/256.
 * @param [in] steps Number of steps.
 * @return Nanoseconds of CPU time per step, the least of three rounds.
 */
double
MeasureAlone(const std::string& type, uint32_t pending, uint32_t otherShare, uint64_t steps)
{
    Hold hold(type, otherShare);
    hold.Fill(pending);
    hold.Step(std::max<uint64_t>(4 * uint64_t{pending}, steps / 4));
    double best = 1e300;
    for (int round = 0; round < 3; round++)
    {
        const std::clock_t start = std::clock();
        hold.Step(steps);
        best = std::min(best, static_cast<double>(std::clock() - start));
    }
    return best * 1e9 / CLOCKS_PER_SEC / static_cast<double>(steps);
}

/** How to measure one scheduler. */
using Method = double (*)(const std::string&, uint32_t, uint32_t, uint64_t);

/**
 * Measure all schedulers in one setting and print a row.
 * @param [in] method How to measure one.
 * @param [in] types Their TypeId names; the second is what the ratio refers to.
 * @param [in] pending Number of events pending.
 * @param [in] otherShare Share of events at a delay of their own, in 1/256.
 * @param [in] steps Number of steps.
 */
void
PrintRow(Method method,
         const std::vector<std::string>& types,
         uint32_t pending,
         uint32_t otherShare,
         uint64_t steps)
{
    std::vector<double> times;
    for (const std::string& type : types)
    {
        times.push_back(method(type, pending, otherShare, steps));
    }
    std::printf("%8u %7.1f%%", pending, 100.0 * otherShare / 256);
    const double reference = times.size() > 1 ? times[1] : times[0];
    for (const double time : times)
    {
        std::printf("  %9.1f (%4.2f)", time, time / reference);
    }
    std::printf("\n");
    std::fflush(stdout);
}

/**
 * Measure all schedulers in all settings and print a table.
 * @param [in] title What is measured.
 * @param [in] method How to measure one.
 * @param [in] types Their TypeId names.
 * @param [in] steps Number of steps.
 */
void
PrintTable(const char* title, Method method, const std::vector<std::string>& types, uint64_t steps)
{
    std::printf("%s: ns of CPU per event, in brackets the ratio to the map\n", title);
    std::printf("%8s %8s", "pending", "other");
    for (const std::string& type : types)
    {
        const std::string name = type.substr(5, type.find("Scheduler") - 5);
        std::printf("  %16s", name.c_str());
    }
    std::printf("\n");
    for (const uint32_t otherShare : {0U, 16U, 256U})
    {
        for (const uint32_t pending : {1024U, 16384U, 262144U})
        {
            PrintRow(method, types, pending, otherShare, steps);
        }
    }
}

} // namespace

int
main(int argc, char** argv)
{
    const uint64_t steps = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
    std::vector<std::string> types{ns3::LaneScheduler::GetTypeId().GetName(),
                                   "ns3::MapScheduler",
                                   "ns3::HeapScheduler",
                                   "ns3::CalendarScheduler",
                                   "ns3::PriorityQueueScheduler"};
    if (argc > 2)
    {
        types.assign(1, argv[2]);
    }
    ns3::Time::SetResolution(ns3::Time::PS);
    PrintTable("Scheduler alone", MeasureAlone, types, steps);
    PrintTable("Through Simulator", MeasureSimulator, types, steps);
    return 0;
}

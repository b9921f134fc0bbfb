// SPDX-License-Identifier: GPL-2.0-only
/**
 * \file
 * What a packet-hop costs: a packet that crosses one link, data and ACK alike.
 *
 * The fabric of Themis' section 5 (leaf-spine 16 x 16 x 16, 400 Gb/s, 1 us, nic-sr and dcqcn) runs
 * a ring allreduce of 16 groups under LaneScheduler and under ns-3's stock schedulers, one after
 * the other, with the same events in the same order. Prints nanoseconds of CPU time per packet-hop,
 * the ratio to MapScheduler (ns-3's default), and per packet-hop events and allocations in steady
 * state (the middle half of the simulated time). Never fails on a time.
 *
 * Usage: fabric-bench [--bytes=4MB] [--balancers=themis,ecmp] [--schedulers=Map,Lane]
 */
#include "allocation-counter.h"

#include "ns3/command-line.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/weft-helper.h"

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <vector>

using namespace ns3;

namespace
{

/** Counters at one time of a run. */
struct Reading
{
    uint64_t hops{0};        //!< packet-hops so far
    uint64_t allocations{0}; //!< calls of operator new so far
};

/** What one run gave. */
struct Result
{
    double seconds{0};  //!< of CPU time
    uint64_t hops{0};   //!< packet-hops
    uint64_t events{0}; //!< events of the simulator
    int64_t end{0};     //!< completion time, ps
    double allocs{0};   //!< allocations per packet-hop in steady state; negative: not measured
};

void
Read(Ptr<WeftFabric> fabric, Reading* reading)
{
    reading->hops = fabric->GetCounters().hops;
    reading->allocations = WeftAllocationCount();
}

double
CpuSeconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/** Runs once; if the completion time is known, counts allocations in the middle of the run. */
Result
Run(const std::string& scheduler,
    const std::string& balancer,
    const std::string& bytes,
    int64_t end)
{
    ObjectFactory factory;
    factory.SetTypeId("ns3::" + scheduler);
    Simulator::SetScheduler(factory);
    WeftHelper weft;
    weft.SetTopology("leaf-spine preset=themis-fig5");
    weft.SetSwitch("shared-buffer preset=400g");
    weft.SetBalancer(balancer);
    weft.Install();
    Ptr<WeftFabric> fabric = weft.GetFabric();
    Ptr<WeftCollective> job = weft.InstallWorkload("allreduce-ring groups=16 bytes=" + bytes);
    Reading early;
    Reading late;
    if (end > 0)
    {
        Simulator::Schedule(PicoSeconds(end / 4), &Read, fabric, &early);
        Simulator::Schedule(PicoSeconds(end / 4 * 3), &Read, fabric, &late);
    }
    const double start = CpuSeconds();
    Simulator::Run();
    Result r;
    r.seconds = CpuSeconds() - start;
    r.hops = fabric->GetCounters().hops;
    r.events = Simulator::GetEventCount();
    r.end = job->GetCompletionTime().GetTimeStep();
    r.allocs = late.hops > early.hops ? static_cast<double>(late.allocations - early.allocations) /
                                            static_cast<double>(late.hops - early.hops)
                                      : -1;
    Simulator::Destroy();
    return r;
}

void
Print(const std::string& balancer, const std::string& scheduler, const Result& r, double base)
{
    const auto hops = static_cast<double>(r.hops);
    std::printf("%-8s %-22s %8.1f %8.3f %12.3f %12.6f %10.1f\n",
                balancer.c_str(),
                scheduler.c_str(),
                r.seconds * 1e9 / hops,
                base > 0 ? r.seconds / base : 1,
                static_cast<double>(r.events) / hops,
                r.allocs,
                hops * 1e-6);
    std::fflush(stdout);
}

std::vector<std::string>
Words(const std::string& text)
{
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; std::getline(in, word, ',');)
    {
        words.push_back(word);
    }
    return words;
}

} // namespace

int
main(int argc, char* argv[])
{
    WeftHelper::UseFastScheduler();
    std::string bytes = "4MB";
    std::string balancers = "themis,ecmp";
    std::string schedulers = "Map,Lane,Heap,Calendar,PriorityQueue";
    CommandLine cmd(__FILE__);
    cmd.AddValue("bytes", "of the allreduce, per host", bytes);
    cmd.AddValue("balancers", "names, separated by commas", balancers);
    cmd.AddValue("schedulers", "names without 'Scheduler'; ratios are to the first", schedulers);
    cmd.Parse(argc, argv);

    std::printf(
        "balancer scheduler                ns/hop    ratio   events/hop   allocs/hop   Mhops\n");
    for (const std::string& balancer : Words(balancers))
    {
        // A first run warms the machine up and tells how long the run is.
        const int64_t end = Run("LaneScheduler", balancer, bytes, 0).end;
        double base = 0;
        for (const std::string& scheduler : Words(schedulers))
        {
            const Result r = Run(scheduler + "Scheduler", balancer, bytes, end);
            Print(balancer, scheduler + "Scheduler", r, base);
            base = base > 0 ? base : r.seconds;
        }
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("peak resident memory: %ld MB\n", usage.ru_maxrss / 1024);
    return 0;
}

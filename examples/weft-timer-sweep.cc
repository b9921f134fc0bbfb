// SPDX-License-Identifier: GPL-2.0-only
// A parameter sweep in one program: DCQCN's timers T_I (rate increase) and T_D (rate decrease)
// against the completion time of an all-to-all. Each cell is a simulation of its own, and
// Simulator::Destroy() comes between two of them.
//
//   weft-timer-sweep --bytes=2MB --balancer=ar

#include "ns3/command-line.h"
#include "ns3/simulator.h"
#include "ns3/weft-helper.h"

#include <cstdio>
#include <string>

using namespace ns3;

namespace
{

// Returns the completion time in microseconds; negative if something was not delivered.
double
Run(const std::string& balancer, const std::string& timers, const std::string& bytes)
{
    WeftHelper weft; // a new one for each simulation
    weft.SetTopology("leaf-spine leaves=4 spines=4 hosts-per-leaf=4 link-rate=100Gbps");
    weft.SetSwitch("shared-buffer preset=100g");
    weft.SetBalancer(balancer);
    weft.SetCongestionControl("dcqcn " + timers);
    weft.Install();
    Ptr<WeftCollective> job = weft.InstallWorkload("alltoall groups=4 bytes=" + bytes);
    Simulator::Run();
    Simulator::Destroy(); // what it measured stays with the job
    return job->IsDone() ? job->GetCompletionTime().GetSeconds() * 1e6 : -1;
}

} // namespace

int
main(int argc, char* argv[])
{
    WeftHelper::UsePicoseconds();

    std::string bytes = "2MB";
    std::string balancer = "ar";
    CommandLine cmd(__FILE__);
    cmd.AddValue("bytes", "what each host sends in all", bytes);
    cmd.AddValue("balancer", "ecmp, rsq, ar, themis, ...", balancer);
    cmd.Parse(argc, argv);

    std::printf("all-to-all of %s under %s, completion time in us\n",
                bytes.c_str(),
                balancer.c_str());
    std::printf("T_I \\ T_D");
    const std::string decrease[] = {"4us", "50us", "200us"};
    const std::string increase[] = {"900us", "300us", "10us"};
    for (const std::string& td : decrease)
    {
        std::printf("%12s", td.c_str());
    }
    bool whole = true;
    for (const std::string& ti : increase)
    {
        std::printf("\n%9s", ti.c_str());
        for (const std::string& td : decrease)
        {
            const double us = Run(balancer, "t-i=" + ti + " t-d=" + td, bytes);
            std::printf("%12.3f", us);
            whole = whole && us > 0;
        }
    }
    std::printf(whole ? "\n9 runs done\n" : "\nmessages are missing\n");
    return whole ? 0 : 1;
}

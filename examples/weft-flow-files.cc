// SPDX-License-Identifier: GPL-2.0-only
// The files of another simulator in a program: a topology.txt of HPCC, ConWeave or SimAI, and flows
// as HPCC, ConWeave, htsim or a spreadsheet writes them. We print when each flow has ended. Hosts
// are called as in the topology's file.
//
//   weft-flow-files --topology=topology.txt --flows=flow.txt
//
// Without options it writes a small pair of files and reads that.

#include "ns3/command-line.h"
#include "ns3/simulator.h"
#include "ns3/system-path.h"
#include "ns3/weft-helper.h"

#include <fstream>
#include <iostream>
#include <string>

using namespace ns3;

namespace
{

// Four hosts, 1, 2, 4 and 5, at two switches, 0 and 3: "nodes switches links", the switches, and
// for each link its ends, rate, delay and error rate.
const char* const TOPOLOGY = "6 2 5\n"
                             "0 3\n"
                             "0 1 100Gbps 1us 0\n"
                             "0 2 100Gbps 1us 0\n"
                             "3 4 100Gbps 1us 0\n"
                             "3 5 100Gbps 1us 0\n"
                             "0 3 100Gbps 1us 0\n";

// How many flows, and for each "source destination priority port bytes start", in seconds.
const char* const FLOWS = "3\n"
                          "1 4 3 100 1000000 0\n"
                          "2 5 3 100 1000000 0.00001\n"
                          "4 2 3 100 20000 0.00002\n";

} // namespace

int
main(int argc, char* argv[])
{
    // First of all: a fabric counts picoseconds.
    WeftHelper::UsePicoseconds();

    std::string topology;
    std::string flows;
    CommandLine cmd(__FILE__);
    cmd.AddValue("topology", "topology.txt of HPCC, ConWeave or SimAI", topology);
    cmd.AddValue("flows", "flows: CSV, or of HPCC, ConWeave or htsim", flows);
    cmd.Parse(argc, argv);
    if (topology.empty() && flows.empty())
    {
        const std::string folder = SystemPath::MakeTemporaryDirectoryName();
        SystemPath::MakeDirectories(folder);
        topology = SystemPath::Append(folder, "topology.txt");
        flows = SystemPath::Append(folder, "flow.txt");
        std::ofstream(topology) << TOPOLOGY;
        std::ofstream(flows) << FLOWS;
    }

    // HPCC's own switches and NICs.
    WeftHelper weft;
    weft.SetTopologyFile(topology);
    weft.SetSwitch("shared-buffer preset=100g");
    weft.SetBalancer("ecmp");
    weft.SetTransport("gbn");
    weft.SetCongestionControl("dcqcn preset=hpcc");
    weft.Install();
    Ptr<WeftCollective> job = weft.InstallFlowFile(flows);

    Simulator::Run();
    std::cout << "source destination bytes start fct\n";
    for (size_t i = 0; i < job->GetMessages().size(); i++)
    {
        const weft_message& flow = job->GetMessages()[i];
        const Time start = PicoSeconds(flow.start);
        const Time end = PicoSeconds(job->GetTimes()[i].delivered);
        std::cout << weft.GetIdOfHost(flow.src) << " " << weft.GetIdOfHost(flow.dst) << " "
                  << flow.bytes << " " << start.As(Time::US) << " " << (end - start).As(Time::US)
                  << "\n";
    }
    Simulator::Destroy();
    return job->GetUndelivered() == 0 ? 0 : 1;
}

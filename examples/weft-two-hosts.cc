// SPDX-License-Identifier: GPL-2.0-only
// Two hosts at one switch: the smallest fabric. One host writes messages to the other over RDMA,
// one after the other, and we print when each of them is there.
//
//   weft-two-hosts --bytes=1000000 --messages=3 --rate=100Gbps --delay=1us

#include "ns3/command-line.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/weft-helper.h"
#include "ns3/weft-rdma-application.h"

#include <cstdint>
#include <iostream>
#include <string>

using namespace ns3;

namespace
{

// Trace sources of the application: the number of the message, and the time.
void
Delivered(uint64_t message, Time when)
{
    std::cout << "message " << message << " delivered at " << when.As(Time::US) << "\n";
}

void
Acked(uint64_t message, Time when)
{
    std::cout << "message " << message << " acknowledged at " << when.As(Time::US) << "\n";
}

} // namespace

int
main(int argc, char* argv[])
{
    // First of all: a fabric counts picoseconds, and its events are quick to schedule.
    WeftHelper::UsePicoseconds();

    uint64_t bytes = 1000000;
    uint64_t messages = 3;
    std::string rate = "100Gbps";
    std::string delay = "1us";
    CommandLine cmd(__FILE__);
    cmd.AddValue("bytes", "payload of each message", bytes);
    cmd.AddValue("messages", "how many messages", messages);
    cmd.AddValue("rate", "rate of both links", rate);
    cmd.AddValue("delay", "propagation delay of each link", delay);
    cmd.Parse(argc, argv);

    // Topologies, balancers, ... are named in one line of text: `weft list` shows what there is.
    // Two hosts at one leaf; the spine above it stays idle.
    WeftHelper weft;
    weft.SetTopology("leaf-spine leaves=1 spines=1 hosts-per-leaf=2 link-rate=" + rate +
                     " link-delay=" + delay);
    weft.Install();

    // Host 0 writes to host 1.
    auto app = CreateObject<WeftRdmaApplication>();
    app->SetAttribute("Remote", UintegerValue(1));
    app->SetAttribute("Bytes", UintegerValue(bytes));
    app->SetAttribute("Messages", UintegerValue(messages));
    app->TraceConnectWithoutContext("Delivered", MakeCallback(&Delivered));
    app->TraceConnectWithoutContext("Acked", MakeCallback(&Acked));
    weft.GetHosts().Get(0)->AddApplication(app);

    Simulator::Run();
    std::cout << app->GetDelivered() << " of " << messages << " messages delivered\n";
    Simulator::Destroy();
    return app->GetDelivered() == messages ? 0 : 1;
}

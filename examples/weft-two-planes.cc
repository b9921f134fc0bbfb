// SPDX-License-Identifier: GPL-2.0-only
// Hosts with a port in each of two planes. Each port is a device with a link of its own, and a
// host's QPs use all of its ports. A port of host 0 dies and comes back during an allreduce: we
// print what its device says of its link, what the ports have sent, and when the allreduce ends.
//
//   weft-two-planes --down=50us --up=150us

#include "ns3/command-line.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/weft-helper.h"
#include "ns3/weft-nic.h"

#include <cstdint>
#include <iostream>

using namespace ns3;

namespace
{

void
LinkChanged(Ptr<WeftHostPort> port)
{
    std::cout << Simulator::Now().As(Time::US) << ": host " << port->GetHost() << ", port "
              << port->GetIndex() << " is " << (port->IsLinkUp() ? "up" : "down") << "\n";
}

} // namespace

int
main(int argc, char* argv[])
{
    // First of all: a fabric counts picoseconds.
    WeftHelper::UsePicoseconds();

    Time down = MicroSeconds(50);
    Time up = MicroSeconds(150);
    CommandLine cmd(__FILE__);
    cmd.AddValue("down", "when port 1 of host 0 dies", down);
    cmd.AddValue("up", "when it is back", up);
    cmd.Parse(argc, argv);

    WeftHelper weft;
    weft.SetTopology("leaf-spine leaves=2 spines=2 hosts-per-leaf=2 link-rate=100Gbps planes=2");
    weft.SetBalancer("ops"); // sprays over spines and planes
    weft.SetTransport("sack");
    weft.SetCongestionControl("none");
    weft.Install();
    Ptr<WeftFabric> fabric = weft.GetFabric();
    Ptr<WeftCollective> job = weft.InstallWorkload("allreduce-ring bytes=4MB groups=1");

    // For IP, each plane is a subnet: Ipv4AddressHelper::Assign(weft.GetDevices(port)).
    Ptr<WeftNic> nic = fabric->GetNic(0);
    for (uint32_t port = 0; port < nic->GetNPorts(); port++)
    {
        nic->GetDevice(port)->AddLinkChangeCallback(
            MakeCallback(&LinkChanged).Bind(nic->GetDevice(port)));
    }
    // Links are numbered plane by plane, those of hosts first.
    fabric->ScheduleFailure(fabric->GetClos().nlinks, down, up);

    Simulator::Run();
    std::cout << "allreduce: " << job->GetCompletionTime().As(Time::US) << "\n";
    for (uint32_t port = 0; port < nic->GetNPorts(); port++)
    {
        std::cout << "host 0, port " << port << ": " << nic->GetPort(port)->GetBytes() / 1000
                  << " KB sent\n";
    }
    Simulator::Destroy();
    return job->IsDone() ? 0 : 1;
}

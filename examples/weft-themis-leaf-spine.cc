// SPDX-License-Identifier: GPL-2.0-only
// Themis beside random packet spraying, on a leaf-spine under two interleaved rings of messages, as
// in section 2.2 of the Themis paper. No packet is lost; what is sent again is sent for nothing.
//
//   weft-themis-leaf-spine --leaves=4 --spines=4 --hosts=2 --bytes=10MB --seed=1

#include "ns3/command-line.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/weft-helper.h"
#include "ns3/weft-switch.h"

#include <cstdint>
#include <cstdio>
#include <string>

using namespace ns3;

namespace
{

// Runs one simulation with one balancer; prints a line of the table.
bool
Run(const std::string& balancer,
    const std::string& topology,
    const std::string& workload,
    uint64_t seed)
{
    WeftHelper weft;
    weft.SetTopology(topology);
    weft.SetBalancer(balancer);
    weft.SetTransport("nic-sr"); // the selective repeat of RDMA NICs
    weft.SetCongestionControl("dcqcn");
    weft.SetSwitch("shared-buffer preset=100g"); // PFC and ECN for 100 Gb/s
    weft.SetFabricAttribute("Seed", UintegerValue(seed));
    weft.Install();
    Ptr<WeftCollective> rings = weft.InstallWorkload(workload);
    Simulator::Run();

    // NICs and switches count: each QP (connection), and each switch.
    Ptr<WeftFabric> fabric = weft.GetFabric();
    uint64_t resent = 0;
    uint64_t nacks = 0;
    uint64_t blocked = 0;
    for (uint32_t i = 0; i < fabric->GetNQps(); i++)
    {
        const weft_tx_counters* tx = fabric->GetTransport()->tx_counters(fabric->GetQp(i)->tx);
        resent += tx->resent;
        nacks += tx->nacks;
    }
    for (uint32_t i = 0; i < fabric->GetNSwitches(); i++)
    {
        blocked += fabric->GetSwitch(i)->GetTorCounters().blocked;
    }
    std::printf("%-8s %12.3f %12llu %14llu %14llu\n",
                balancer.c_str(),
                rings->GetCompletionTime().GetSeconds() * 1e6,
                static_cast<unsigned long long>(resent),
                static_cast<unsigned long long>(nacks),
                static_cast<unsigned long long>(blocked));
    Simulator::Destroy();
    return rings->IsDone();
}

} // namespace

int
main(int argc, char* argv[])
{
    WeftHelper::UsePicoseconds();

    uint32_t leaves = 4;
    uint32_t spines = 4;
    uint32_t hosts = 2;
    std::string bytes = "10MB";
    uint64_t seed = 1;
    CommandLine cmd(__FILE__);
    cmd.AddValue("leaves", "leaf switches", leaves);
    cmd.AddValue("spines", "spine switches: paths between two leaves", spines);
    cmd.AddValue("hosts", "hosts per leaf, and number of rings", hosts);
    cmd.AddValue("bytes", "message from each host to the next of its ring", bytes);
    cmd.AddValue("seed", "of all random choices", seed);
    cmd.Parse(argc, argv);

    const std::string topology =
        "leaf-spine leaves=" + std::to_string(leaves) + " spines=" + std::to_string(spines) +
        " hosts-per-leaf=" + std::to_string(hosts) + " link-rate=100Gbps link-delay=1us";
    const std::string workload = "ring bytes=" + bytes + " groups=" + std::to_string(hosts);
    std::printf("balancer     time (us)   sent again  NACKs arrived  NACKs blocked\n");
    const bool spraying = Run("rsq", topology, workload, seed);
    const bool themis = Run("themis", topology, workload, seed);
    std::printf(spraying && themis ? "all messages delivered\n" : "messages are missing\n");
    return spraying && themis ? 0 : 1;
}

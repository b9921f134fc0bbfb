// SPDX-License-Identifier: GPL-2.0-only
// ASTRA-sim on a fabric of Weft: its ranks are hosts, its workloads and its system layer its own.
// Options are those of ASTRA-sim's ns-3 front-end; the fabric is described by attributes of Weft.
// See README.md.
//
//   weft-astra-sim --workload-configuration=... --system-configuration=...
//       --remote-memory-configuration=... "--ns3::WeftFabric::Topology=leaf-spine leaves=2 ..."
#include "weft-network.h"

#include "ns3/abort.h"
#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/weft-helper.h"

#include <astra-sim/common/Logging.hh>
#include <astra-sim/system/Sys.hh>
#include <cstdio>
#include <extern/remote_memory_backend/analytical/AnalyticalRemoteMemory.hh>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** Command line. */
struct Options
{
    std::string workload;         //!< NAME of files NAME.%d.et of Chakra
    std::string system;           //!< file of ASTRA-sim
    std::string memory;           //!< file of ASTRA-sim
    std::string groups{"empty"};  //!< file of ASTRA-sim
    std::string logging{"empty"}; //!< file of ASTRA-sim
    std::string topology;     //!< file of HPCC, SimAI, ConWeave or htsim; empty: the attribute's
    std::string dims;         //!< ranks in each dimension, "4,4"; empty: all hosts in one
    std::string hosts;        //!< of ranks, "0,4,8"; empty: rank i is at host i
    uint32_t queues{1};       //!< of each dimension
    double commScale{1};      //!< of ASTRA-sim
    double injectionScale{1}; //!< of ASTRA-sim
    bool rendezvous{false};   //!< of ASTRA-sim
};

/** @param argc arguments @param argv arguments @return them */
Options
Parse(int argc, char* argv[])
{
    Options o;
    CommandLine cmd(__FILE__);
    cmd.AddValue("workload-configuration", "NAME of the files NAME.%d.et", o.workload);
    cmd.AddValue("system-configuration", "file of ASTRA-sim's system layer", o.system);
    cmd.AddValue("remote-memory-configuration", "file of ASTRA-sim's memory", o.memory);
    cmd.AddValue("comm-group-configuration", "file of ASTRA-sim's groups", o.groups);
    cmd.AddValue("logging-configuration", "file of ASTRA-sim's logger", o.logging);
    cmd.AddValue("topology-file", "topology.txt of HPCC, SimAI, ... or .topo of htsim", o.topology);
    cmd.AddValue("logical-dims", "ranks in each dimension, as 4,4; all in one", o.dims);
    cmd.AddValue("hosts", "host of each rank (its id, with a file), as 0,4,8; host i", o.hosts);
    cmd.AddValue("num-queues-per-dim", "queues of each dimension", o.queues);
    cmd.AddValue("comm-scale", "scale of communication", o.commScale);
    cmd.AddValue("injection-scale", "scale of injection", o.injectionScale);
    cmd.AddValue("rendezvous-protocol", "whether sends wait for receives", o.rendezvous);
    cmd.Parse(argc, argv);
    NS_ABORT_MSG_IF(o.workload.empty() || o.system.empty() || o.memory.empty(),
                    "expected --workload-configuration, --system-configuration and "
                    "--remote-memory-configuration");
    return o;
}

/** @param text numbers and commas @param option whose they are @return them */
template <typename T>
std::vector<T>
ParseNumbers(const std::string& text, const char* option)
{
    std::vector<T> numbers;
    std::istringstream in(text);
    for (T number; in >> number;)
    {
        numbers.push_back(number);
        NS_ABORT_MSG_IF(!in.eof() && in.get() != ',',
                        option << " '" << text << "': expected commas");
    }
    NS_ABORT_MSG_UNLESS(in.eof(), option << " '" << text << "': expected numbers, as 4,4");
    return numbers;
}

/** @param o options @param weft has built the fabric @return where each rank is */
std::vector<uint32_t>
PlaceRanks(const Options& o, const WeftHelper& weft)
{
    std::vector<uint32_t> hosts = ParseNumbers<uint32_t>(o.hosts, "--hosts");
    if (o.hosts.empty())
    {
        hosts.resize(weft.GetFabric()->GetNHosts());
        std::iota(hosts.begin(), hosts.end(), 0);
    }
    else if (!o.topology.empty())
    {
        for (uint32_t& host : hosts)
        {
            host = weft.GetHostOfId(host);
        }
    }
    return hosts;
}

/** @param o options @param ranks how many @return how many there are in each dimension */
std::vector<int>
GetDims(const Options& o, size_t ranks)
{
    std::vector<int> dims = ParseNumbers<int>(o.dims, "--logical-dims");
    if (dims.empty())
    {
        dims.push_back(static_cast<int>(ranks));
    }
    size_t product = 1;
    for (const int n : dims)
    {
        product *= static_cast<size_t>(n);
    }
    NS_ABORT_MSG_IF(product != ranks,
                    "--logical-dims have " << product << " ranks, and there are hosts for "
                                           << ranks);
    return dims;
}

} // namespace

int
main(int argc, char* argv[])
{
    WeftHelper::UsePicoseconds();
    const Options o = Parse(argc, argv);
    AstraSim::LoggerFactory::init(o.logging);
    WeftHelper weft;
    if (!o.topology.empty())
    {
        weft.SetTopologyFile(o.topology);
    }
    weft.Install();
    const auto job = WeftNetwork::Make(weft.GetFabric(), PlaceRanks(o, weft));
    const std::vector<int> dims = GetDims(o, job->size());
    Analytical::AnalyticalRemoteMemory memory(o.memory);
    const std::vector<int> queues(dims.size(), static_cast<int>(o.queues));
    std::vector<std::unique_ptr<AstraSim::Sys>> systems;
    for (const auto& network : *job)
    {
        systems.push_back(std::make_unique<AstraSim::Sys>(network->rank,
                                                          o.workload,
                                                          o.groups,
                                                          o.system,
                                                          &memory,
                                                          network.get(),
                                                          dims,
                                                          queues,
                                                          o.injectionScale,
                                                          o.commScale,
                                                          o.rendezvous));
    }
    for (const auto& system : systems)
    {
        system->workload->fire();
    }
    Simulator::Run();
    const std::string stuck = WeftNetwork::GetStuck(*job);
    std::fputs(stuck.c_str(), stderr);
    systems.clear();
    AstraSim::LoggerFactory::shutdown();
    Simulator::Destroy();
    return stuck.empty() ? 0 : 1;
}

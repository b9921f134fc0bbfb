// SPDX-License-Identifier: GPL-2.0-only
// Usage: weft-file-pair TOPOLOGY FLOWS
// HPCC's or ConWeave's pair of files in a program that knows nothing of the command's readers: it
// reads them as their simulators do, numbers hosts and switches in the order of their ids, and
// prints "source destination bytes delivered" of each flow, hosts by the files' ids and times in
// ps.

#include "ns3/simulator.h"
#include "ns3/weft-helper.h"

#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** A fabric, and which id is which node. */
struct Pair
{
    uint32_t hosts{0};
    uint32_t switches{0};
    std::vector<weft_graph_edge> links;
    std::map<uint32_t, uint32_t> node; //!< by id
    std::vector<uint32_t> id;          //!< by host
    std::vector<weft_table_flow> flows;
};

/** @param word "1000ns", "0.001ms" @return ps */
int64_t
Picoseconds(const std::string& word)
{
    static const std::map<std::string, double> units{{"ns", 1e3},
                                                     {"us", 1e6},
                                                     {"ms", 1e9},
                                                     {"s", 1e12}};
    size_t end = 0;
    const double value = std::stod(word, &end);
    return std::llround(value * units.at(word.substr(end)));
}

/** @param word "100Gbps" @return bit/s */
int64_t
BitsPerSecond(const std::string& word)
{
    size_t end = 0;
    const double value = std::stod(word, &end);
    return std::llround(value * (word.substr(end) == "Gbps" ? 1e9 : 1e6));
}

/** @param path topology.txt @param pair gets it */
void
ReadTopology(const char* path, Pair& pair)
{
    std::ifstream file(path);
    uint32_t nodes = 0;
    uint32_t nlinks = 0;
    uint32_t a = 0;
    uint32_t b = 0;
    std::string rate;
    std::string delay;
    std::string error;
    std::set<uint32_t> switches;
    file >> nodes >> pair.switches >> nlinks;
    while (switches.size() < pair.switches && file >> a)
    {
        switches.insert(a);
    }
    pair.hosts = nodes - pair.switches;
    uint32_t above = pair.hosts;
    for (uint32_t id = 0; id < nodes; id++)
    {
        if (switches.count(id) == 0)
        {
            pair.node[id] = static_cast<uint32_t>(pair.id.size());
            pair.id.push_back(id);
        }
        else
        {
            pair.node[id] = above++;
        }
    }
    while (pair.links.size() < nlinks && file >> a >> b >> rate >> delay >> error)
    {
        pair.links.push_back(
            {pair.node.at(a), pair.node.at(b), BitsPerSecond(rate), Picoseconds(delay)});
    }
}

/** @param path flow.txt, with or without ports @param pair gets its flows */
void
ReadFlows(const char* path, Pair& pair)
{
    std::ifstream file(path);
    size_t n = 0;
    std::string line;
    std::getline(file, line);
    std::istringstream(line) >> n;
    while (pair.flows.size() < n && std::getline(file, line))
    {
        std::istringstream words(line);
        std::vector<std::string> word;
        for (std::string w; words >> w;)
        {
            word.push_back(w);
        }
        const uint32_t src = pair.node.at(static_cast<uint32_t>(std::stoul(word.at(0))));
        const uint32_t dst = pair.node.at(static_cast<uint32_t>(std::stoul(word.at(1))));
        weft_table_flow flow{};
        flow.src = src;
        flow.dst = dst;
        flow.bytes = std::stoull(word.at(word.size() - 2));
        flow.start = std::llround(std::stod(word.back()) * 1e12);
        pair.flows.push_back(flow);
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    WeftHelper::UsePicoseconds();
    Pair pair;
    if (argc != 3)
    {
        return 2;
    }
    ReadTopology(argv[1], pair);
    ReadFlows(argv[2], pair);
    WeftHelper weft;
    weft.SetGraph(pair.hosts, pair.switches, pair.links);
    weft.SetSwitch("shared-buffer preset=100g buffer=64MB");
    weft.SetBalancer("ecmp");
    weft.SetTransport("gbn");
    weft.SetCongestionControl("dcqcn preset=hpcc");
    weft.Install();
    weft_table table{};
    table.flows = pair.flows.data();
    table.nflows = static_cast<uint32_t>(pair.flows.size());
    Ptr<WeftCollective> job = weft.InstallWorkload("flows", &table);
    Simulator::Run();
    for (size_t i = 0; i < pair.flows.size(); i++)
    {
        const weft_table_flow& flow = pair.flows[i];
        std::cout << pair.id.at(flow.src) << " " << pair.id.at(flow.dst) << " " << flow.bytes << " "
                  << job->GetTimes()[i].delivered << "\n";
    }
    Simulator::Destroy();
    return 0;
}

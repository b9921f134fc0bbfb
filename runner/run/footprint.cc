/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "footprint.h"

#include "scenario.h"

#include "ns3/node.h"
#include "ns3/weft-channel.h"
#include "ns3/weft-collective.h"
#include "ns3/weft-nic.h"
#include "ns3/weft-switch.h"

#include <algorithm>
#include <vector>

using namespace ns3;

namespace
{

constexpr double BLOCK = 16;     //!< malloc's own, about, for each object
constexpr double OBJECT = 64;    //!< an ns-3 object's list of aggregates
constexpr double NODE_LIST = 64; //!< of a node: its place in the lists of nodes and devices
constexpr double MAP_NODE = 64;  //!< of a std::map, with a MAC address
constexpr double LANES = 2;      //!< classes of a port that are used: data and replies

/** @return bytes of what the core's fabric consists of */
weft_net_sizes
Sizes()
{
    weft_net_sizes sizes;
    weft_net_measure(&sizes);
    return sizes;
}

/** Algorithms of the QPs of a service level. */
struct Algorithms
{
    const choice* balancer;  //!< balancer
    const choice* transport; //!< transport
    const choice* cc;        //!< congestion control
};

/** @param s scenario @return its own algorithms, and those of every class */
std::vector<Algorithms>
LevelsOf(const scenario* s)
{
    std::vector<Algorithms> levels{{&s->balancer, &s->transport, &s->cc}};
    for (size_t i = 0; i < s->nclasses; i++)
    {
        const qp_class& c = s->classes[i];
        levels.push_back({&c.balancer, &c.transport, &c.cc});
    }
    return levels;
}

/** @param s scenario @param index of a switch @return its bytes */
double
SwitchBytes(const scenario* s, uint32_t index)
{
    weft_switch_map map;
    weft_site site;
    weft_clos_switch(&s->clos, index, &map);
    weft_clos_site(&s->clos,
                   static_cast<const weft_mmu_config*>(s->switches.config),
                   index,
                   s->seed,
                   s->run,
                   &site);
    const double ports = weft_map_nports(&map);
    const auto config = static_cast<const weft_mmu_config*>(s->switches.config);
    const int64_t mmu = weft_mmu_size(config, weft_map_nports(&map));
    const auto scheduler = weft_scheduler_find(s->scheduler.algo->name);
    const double queues =
        config->classes > 2 ? static_cast<double>(scheduler->state_size(s->scheduler.config)) : 0;
    double balancers = 0;
    for (const Algorithms& level : LevelsOf(s))
    {
        const weft_lb_ops* lb = weft_lb_find(level.balancer->algo->name);
        balancers += static_cast<double>(lb->state_size(level.balancer->config, &site));
    }
    const auto sizes = Sizes();
    const double port = sizeof(WeftPort) + static_cast<double>(sizes.port) +
                        LANES * static_cast<double>(sizes.lane);
    return sizeof(WeftSwitch) + static_cast<double>(sizes.sw) + sizeof(Node) + 2 * OBJECT +
           NODE_LIST + ports * (port + queues) + static_cast<double>(mmu) + balancers;
}

/** @param s scenario @return a host with a QP to the farthest one */
weft_path_site
PathSite(const scenario* s)
{
    const uint32_t dst = s->clos.nhosts - 1;
    return {s->seed, s->run, 0, &s->clos, 1, dst, nullptr, 1, nullptr, WEFT_NEEDS_ALL, 1};
}

/** @param s scenario @return bytes of one host's states of path selectors */
double
PathBytes(const scenario* s)
{
    const weft_path_site site = PathSite(s);
    double bytes = 0;
    for (const Algorithms& level : LevelsOf(s))
    {
        const weft_path_ops* path = weft_lb_find(level.balancer->algo->name)->path;
        bytes += path ? static_cast<double>(path->host_size(level.balancer->config, &site)) : 0;
    }
    return bytes;
}

/** @param s scenario @param level of the QP @return bytes of its states */
double
QpBytes(const scenario* s, const Algorithms& level)
{
    const weft_lb_ops* lb = weft_lb_find(level.balancer->algo->name);
    const weft_transport_ops* transport = weft_transport_find(level.transport->algo->name);
    const void* config = level.balancer->config;
    const weft_path_site site = PathSite(s);
    weft_last_hop hop;
    weft_clos_last_hop(&s->clos, static_cast<const weft_fabric_config*>(s->fabric.config), &hop);
    double bytes = static_cast<double>(transport->tx_size(level.transport->config));
    bytes += static_cast<double>(transport->rx_size(level.transport->config));
    bytes += static_cast<double>(weft_cc_find(level.cc->algo->name)->state_size);
    bytes += lb->path ? static_cast<double>(lb->path->qp_size(config, &site)) : 0;
    bytes += lb->tor ? static_cast<double>(lb->tor->qp_size(config, &hop)) : 0;
    bytes += lb->flow_size ? static_cast<double>(lb->flow_size(config)) : 0;
    return bytes;
}

} // namespace

double
footprint_of_fabric(const scenario* s)
{
    const weft_clos& c = s->clos;
    const auto sizes = Sizes();
    const double host = sizeof(WeftNic) + static_cast<double>(sizes.host) +
                        LANES * static_cast<double>(sizes.lane) + sizeof(Node) + 2 * OBJECT +
                        NODE_LIST + MAP_NODE + PathBytes(s);
    double bytes = c.nhosts * host + static_cast<double>(c.nlinks) *
                                         (sizeof(WeftChannel) + OBJECT + BLOCK + sizeof(void*));
    if (c.graph)
    {
        for (uint32_t i = 0; i < c.nswitches; i++)
        {
            bytes += SwitchBytes(s, i);
        }
        const weft_fib_case healthy{nullptr, 0, nullptr, 0, static_cast<weft_weights>(s->weights)};
        return bytes + static_cast<double>(weft_fib_size_for(&c, &healthy));
    }
    bytes += c.ntors * SwitchBytes(s, 0);
    bytes += c.naggs ? c.naggs * SwitchBytes(s, c.ntors) : 0;
    bytes += c.ncores ? c.ncores * SwitchBytes(s, c.ntors + c.naggs) : 0;
    return bytes;
}

double
footprint_of_qp(const scenario* s)
{
    double most = 0; // a QP may be of any level
    for (const Algorithms& level : LevelsOf(s))
    {
        most = std::max(most, QpBytes(s, level));
    }
    return most + static_cast<double>(Sizes().qp) + 2 * sizeof(void*) + sizeof(weft_flow);
}

double
footprint_of_message()
{
    return sizeof(weft_message) + sizeof(WeftCollective::Times) + sizeof(weft_wqe) +
           2 * sizeof(uint32_t);
}

double
footprint_of_packet()
{
    return static_cast<double>(Sizes().frame);
}

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "state-bytes.h"

#include "ns3/weft-qp.h"
#include "ns3/weft-service-level.h"

#include <algorithm>
#include <vector>

using namespace ns3;

namespace
{

/** What NICs and switches keep, by index. */
struct States
{
    std::vector<uint64_t> nics;     //!< bytes of each
    std::vector<uint64_t> switches; //!< bytes of each
};

/** @param bytes of a state @return what it takes among others */
uint64_t
Words(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

/** @param fabric the fabric @param states gets what is there without any QP */
void
AddFixed(const Ptr<WeftFabric>& fabric, States& states)
{
    for (uint32_t i = 0; i < fabric->GetNSwitches(); i++)
    {
        const weft_site site = fabric->GetSite(i);
        states.switches[i] += fabric->GetBalancer()->state_size(fabric->GetBalancerConfig(), &site);
    }
    for (uint32_t level = 0; level < fabric->GetNServiceLevels(); level++)
    {
        const WeftServiceLevel* l = fabric->GetServiceLevel(level);
        for (uint64_t& bytes : states.nics)
        {
            bytes += l->path_stride + l->planner.GetHostBytes();
        }
    }
}

/** @param fabric the fabric @param qp one of its QPs @param states gets what is kept of it */
void
AddQp(const Ptr<WeftFabric>& fabric, const WeftQp* qp, States& states)
{
    const auto level = static_cast<const WeftServiceLevel*>(qp->algos);
    const weft_lb_ops* lb = level->GetBalancer();
    const weft_last_hop hop = fabric->GetSites().GetLastHop();
    const uint64_t tor = qp->tor ? Words(lb->tor->qp_size(level->path_config, &hop)) : 0;
    const uint64_t flow = qp->flow ? Words(lb->flow_size(level->path_config)) : 0;
    const uint64_t rx = Words(level->transport->rx_size(level->transport_config));
    const weft_clos& clos = fabric->GetClos();
    states.nics[qp->src] += qp->memory.size() * sizeof(uint64_t) - tor - flow - rx;
    states.nics[qp->dst] += rx;
    states.switches[weft_clos_tor(&clos, qp->src)] += flow;
    states.switches[weft_clos_tor(&clos, qp->dst)] += tor + flow;
}

} // namespace

void
CollectStateBytes(Ptr<WeftFabric> fabric, run_summary& sum)
{
    States states;
    states.nics.resize(fabric->GetNHosts());
    states.switches.resize(fabric->GetNSwitches());
    AddFixed(fabric, states);
    for (uint32_t i = 0; i < fabric->GetNQps(); i++)
    {
        AddQp(fabric, fabric->GetQp(i), states);
    }
    sum.nic_state = *std::max_element(states.nics.begin(), states.nics.end());
    sum.switch_state = *std::max_element(states.switches.begin(), states.switches.end());
}

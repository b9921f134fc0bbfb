/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "state-bytes.h"

#include "ns3/weft-qp.h"
#include "ns3/weft-service-levels.h"

#include <algorithm>
#include <vector>

using namespace ns3;

namespace
{

/** What NICs and switches keep, by index. */
struct States
{
    std::vector<uint64_t> nics;     //!< bytes of each
    std::vector<uint64_t> labels;   //!< bytes of each NIC's memory of labels
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
        const uint64_t path = weft_net_algos(fabric->GetNet(), level)->path_stride;
        for (uint64_t& bytes : states.nics)
        {
            bytes += path + l->planner.GetHostBytes();
        }
    }
}

/** @param fabric the fabric @param qp one of its QPs @param states gets what is kept of it */
void
AddQp(const Ptr<WeftFabric>& fabric, const WeftQp* qp, States& states)
{
    const weft_nic_algos* algos = qp->algos;
    const weft_clos& clos = fabric->GetClos();
    const uint64_t rx = Words(algos->transport->rx_size(algos->transport_config));
    weft_net_qp_bytes bytes;
    weft_net_measure_qp(qp, &bytes);
    const uint64_t tor = Words(bytes.tor);
    const uint64_t flow = Words(bytes.flow);
    const uint64_t labels = Words(bytes.labels);
    states.nics[qp->src] += bytes.nics - rx - labels;
    states.labels[qp->src] += labels;
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
    states.labels.resize(fabric->GetNHosts());
    states.switches.resize(fabric->GetNSwitches());
    AddFixed(fabric, states);
    for (uint32_t i = 0; i < fabric->GetNQps(); i++)
    {
        if (const WeftQp* qp = fabric->GetQp(i))
        {
            AddQp(fabric, qp, states);
        }
    }
    sum.nic_state = *std::max_element(states.nics.begin(), states.nics.end());
    sum.nic_labels = *std::max_element(states.labels.begin(), states.labels.end());
    sum.switch_state = *std::max_element(states.switches.begin(), states.switches.end());
}

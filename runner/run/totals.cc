/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Totals of a run, from the counters of NICs, switches and QPs.
 */
#include "collect.h"

#include "mpi-ranks.h"

#include "ns3/weft-qp.h"
#include "ns3/weft-service-levels.h"
#include "ns3/weft-switch.h"

#include <algorithm>
#include <numeric>

using namespace ns3;

void
CollectSwitches(Ptr<WeftFabric> fabric, run_summary& sum)
{
    weft_net* net = fabric->GetNet();
    for (uint32_t i = 0; i < fabric->GetNSwitches(); i++)
    {
        const weft_mmu& mmu = *weft_net_buffer(net, i);
        sum.marked += mmu.marks;
        sum.pauses += mmu.pauses;
        sum.buffer_peak = std::max(sum.buffer_peak, static_cast<uint64_t>(mmu.peak_used));
        for (const bool up : {false, true})
        {
            sum.queue_peak = std::max<uint64_t>(sum.queue_peak, weft_net_peak_queue(net, i, up));
        }
    }
}

std::vector<tor_result>
CollectTors(Ptr<WeftFabric> fabric)
{
    const weft_lb_ops& balancer = *fabric->GetBalancer();
    std::vector<weft_lb_counters> counted;
    for (uint32_t i = 0; (balancer.counters || balancer.tor) && i < fabric->GetClos().ntors; i++)
    {
        counted.emplace_back();
        if (balancer.counters && fabric->IsHere(fabric->GetNHosts() + i))
        {
            fabric->GetSwitch(i)->AddCounters(counted.back());
        }
    }
    SumRows(*fabric, counted);
    std::vector<tor_result> tors;
    for (const weft_lb_counters& c : counted)
    {
        if (ranks_helps())
        {
            break; // rank 0 has those of the others
        }
        const auto tor = static_cast<uint32_t>(tors.size());
        tors.push_back({tor, c, *weft_net_tor_counters(fabric->GetNet(), tor)});
    }
    return tors;
}

std::vector<trim_result>
CollectTrims(Ptr<WeftFabric> fabric)
{
    std::vector<trim_result> trims;
    for (uint32_t i = 0; fabric->GetMmuConfig().trim && i < fabric->GetNSwitches(); i++)
    {
        weft_switch_map map;
        weft_clos_switch(&fabric->GetClos(), i, &map);
        const weft_mmu& mmu = *weft_net_buffer(fabric->GetNet(), i);
        trims.push_back({i, map.tier, mmu.trims, mmu.header_drops});
    }
    return trims;
}

void
CollectTimes(const run_results& r, run_summary& sum)
{
    const std::vector<group_result> groups(r.groups, r.groups + r.ngroups);
    const bool cut = r.nstuck + r.unposted > 0; // the slowest group has not ended
    const auto n = std::count_if(groups.begin(), groups.end(), [](const group_result& g) {
        return g.delivered >= 0;
    });
    double mean = n ? 0 : -1;
    sum.cct = -1;
    sum.cct_acked = -1;
    for (const group_result& g : groups)
    {
        sum.cct = std::max(sum.cct, g.delivered);
        sum.cct_acked = std::max(sum.cct_acked, g.acked);
        mean += g.delivered >= 0 ? static_cast<double>(g.delivered) / static_cast<double>(n) : 0;
    }
    sum.cct_mean = static_cast<int64_t>(mean);
    for (const group_result& g : groups)
    {
        sum.cct = cut && g.delivered < 0 ? -1 : sum.cct;
        sum.cct_mean = sum.cct < 0 ? -1 : sum.cct_mean;
        sum.cct_acked = cut && g.acked < 0 ? -1 : sum.cct_acked;
    }
}

namespace
{

/** @param packets by degree @param all their sum @param share of them
 * @return the least degree that at least this share do not exceed */
uint64_t
QuantileOf(const std::vector<uint64_t>& packets, uint64_t all, double share)
{
    uint64_t seen = 0;
    for (size_t degree = 0; degree < packets.size(); degree++)
    {
        seen += packets[degree];
        if (seen > 0 && static_cast<double>(seen) >= share * static_cast<double>(all))
        {
            return degree;
        }
    }
    return 0;
}

} // namespace

void
CollectReordering(const WeftFabric& fabric, run_results* out)
{
    std::vector<uint64_t> packets = fabric.GetOutOfOrderDegrees();
    const uint64_t beyond = std::accumulate(packets.begin(), packets.end(), uint64_t{0});
    uint64_t arrived = 0;
    for (uint32_t i = 0; i < fabric.GetNQps(); i++)
    {
        const WeftQp* qp = fabric.GetQp(i);
        arrived += qp ? qp->arrived + qp->duplicates : 0;
    }
    // A run that was cut has some packets that arrived early and are not yet in order.
    packets[0] = arrived > beyond ? arrived - beyond : 0;
    const uint64_t all = packets[0] + beyond;
    out->summary.ooo_p50 = QuantileOf(packets, all, 0.5);
    out->summary.ooo_p99 = QuantileOf(packets, all, 0.99);
    out->summary.ooo_max = QuantileOf(packets, all, 1);
    std::vector<reordering_result> rows;
    for (uint32_t degree = 0; beyond > 0 && degree < packets.size(); degree++)
    {
        if (packets[degree] > 0)
        {
            rows.push_back({degree, packets[degree]});
        }
    }
    ToC(rows, out->reordering, out->nreordering);
}

namespace
{

/** Bytes that NICs and switches keep, by index. */
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
        const uint64_t path = weft_net_algos(fabric->GetNet(), level)->path_stride;
        for (uint64_t& bytes : states.nics)
        {
            bytes += path + weft_run_planner_bytes(fabric->GetCoreRun(), level);
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

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run-totals.h"

#include "ns3/weft-switch.h"

#include <algorithm>

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
        const weft_tor_counters& t = *weft_net_tor_counters(net, i);
        sum.tor_seen += t.seen;
        sum.tor_valid += t.valid;
        sum.tor_invalid += t.invalid;
        sum.tor_unknown += t.unknown;
        sum.tor_blocked += t.blocked;
        sum.tor_scan_passed += t.scan_passed;
        sum.tor_scan_cancelled += t.scan_cancelled;
        sum.tor_armed += t.armed;
        sum.tor_compensated += t.compensated;
        sum.tor_cancelled += t.cancelled;
        sum.tor_overwritten += t.overwritten;
        sum.tor_ring_full += t.ring_full;
    }
}

namespace
{

/** @param fabric the fabric @param tors what this rank has counted: rank 0 gets what all have */
void
Gather(const Ptr<WeftFabric>& fabric, std::vector<tor_result>& tors)
{
    constexpr size_t EACH = sizeof(weft_lb_counters) / sizeof(uint64_t);
    static_assert(EACH * sizeof(uint64_t) == sizeof(weft_lb_counters), "a row of words");
    std::vector<uint64_t> words(tors.size() * EACH);
    for (size_t i = 0; i < tors.size(); i++)
    {
        std::memcpy(&words[i * EACH], &tors[i].counted, sizeof tors[i].counted);
    }
    fabric->Sum(words); // of a ToR all but one have zeros
    for (size_t i = 0; i < tors.size(); i++)
    {
        std::memcpy(&tors[i].counted, &words[i * EACH], sizeof tors[i].counted);
    }
}

} // namespace

std::vector<tor_result>
CollectTors(Ptr<WeftFabric> fabric)
{
    std::vector<tor_result> tors;
    for (uint32_t i = 0; fabric->GetBalancer()->counters && i < fabric->GetClos().ntors; i++)
    {
        tors.push_back({i, {}});
        if (fabric->IsHere(fabric->GetNHosts() + i))
        {
            fabric->GetSwitch(i)->AddCounters(tors.back().counted);
        }
    }
    Gather(fabric, tors);
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

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "reordering.h"

#include "to-c.h"

#include "ns3/weft-qp.h"

#include <numeric>

using namespace ns3;

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
    // Of a run that was cut, some that arrived early are not yet in order.
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

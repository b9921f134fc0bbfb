/* SPDX-License-Identifier: MIT */
/* Ports by which hosts reach each other: those of planes, of several ToRs, of a server's network.
 */
#include "base/bitmap.h"

#include <weft/clos.h>

uint64_t
weft_clos_ways(const struct weft_clos *clos, uint32_t src, uint32_t dst)
{
    return clos->graph                        ? weft_graph_ways(clos->graph, src, dst)
           : weft_clos_inside(clos, src, dst) ? weft_clos_inside_ports(clos, src)
                                              : UINT64_MAX >> (WEFT_MAX_PLANES - clos->planes);
}

int64_t
weft_clos_ways_rate(const struct weft_clos *clos, uint32_t src, uint32_t dst)
{
    int64_t rate = 0;
    if (!clos->graph)
    {
        return weft_clos_inside(clos, src, dst) ? clos->server_rate : weft_planes_host_rate(clos);
    }
    for (uint64_t ways = weft_clos_ways(clos, src, dst); ways != 0; ways &= ways - 1)
    {
        rate += clos->graph->links[clos->graph->first_link[src] + weft_ctz64(ways)].rate;
    }
    return rate;
}

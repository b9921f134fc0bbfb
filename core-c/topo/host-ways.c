/* SPDX-License-Identifier: MIT */
/* Ports by which hosts reach each other: those of planes, of several ToRs, of a server's network.
 */
#include "base/bitmap.h"

#include <weft/clos.h>

uint64_t
weft_clos_ways(const struct weft_clos *clos, uint32_t src, uint32_t dst)
{
    return clos->graph                        ? weft_graph_ways(clos->graph, src, dst)
           : weft_clos_inside(clos, src, dst) ? UINT64_C(1) << clos->planes
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

bool
weft_clos_is_inside(const struct weft_clos *clos, uint32_t index)
{
    const struct weft_graph *g = clos->graph;
    if (!g || g->nhost_ports[index] == 0)
    {
        return !g && index >= clos->planes * clos->nswitches;
    }
    const struct weft_end *host = &g->links[g->ports[g->first_port[index]].link].lower;
    return g->inside[host->index] >> host->port & 1U;
}

/* SPDX-License-Identifier: MIT */
/* Hosts at several ToRs (dual ToR): graphs whose switches and links are those of a Clos. */
#include "topo/clos-shape.h"

#include <weft/error.h>
#include <weft/graph.h>

int
weft_clos_build(const struct weft_clos_shape *shape, struct weft_clos *clos)
{
    if (shape->hosts.tors <= 1)
    {
        return weft_clos_fill(shape, clos);
    }
    const int code = weft_clos_wrong(shape) ? weft_clos_refuse(clos, WEFT_ERANGE)
                                            : weft_graph_shape(shape->hosts.graph, clos);
    clos->gpus = code ? 0 : (uint32_t)shape->hosts.gpus;
    return code;
}

/* Returns the host at a ToR's port: ToRs in a row have the same ones. */
static uint32_t
host_at(const struct weft_clos *clos, uint32_t port, uint32_t tors)
{
    return port / clos->hosts_per_tor / tors * clos->hosts_per_tor + port % clos->hosts_per_tor;
}

uint32_t
weft_clos_edges(const struct weft_clos_shape *shape, struct weft_graph_edge *edges,
                uint32_t *nhosts, uint32_t *nswitches)
{
    const uint32_t tors = (uint32_t)shape->hosts.tors;
    struct weft_clos clos;
    if (tors <= 1 || weft_clos_fill(shape, &clos))
    {
        return 0;
    }
    const uint64_t fabric = clos.planes * clos.nlinks;
    const uint32_t hosts = clos.nhosts / tors;
    *nhosts = hosts;
    *nswitches = clos.planes * clos.nswitches + weft_clos_servers(&clos) / tors;
    for (uint64_t i = 0; edges && i < fabric; i++)
    {
        struct weft_link link;
        weft_planes_link(&clos, i, &link);
        const uint32_t a =
            link.lower.is_host ? host_at(&clos, link.lower.index, tors) : hosts + link.lower.index;
        edges[i] =
            (struct weft_graph_edge){a, hosts + link.upper.index, link.rate, link.delay, false};
    }
    const uint64_t inside = clos.server_rate > 0 ? hosts : 0;
    for (uint32_t host = 0; edges && host < inside; host++)
    {
        const uint32_t server = hosts + clos.planes * clos.nswitches + host / clos.gpus;
        edges[fabric + host] =
            (struct weft_graph_edge){host, server, clos.server_rate, clos.server_delay, true};
    }
    return fabric + inside < UINT32_MAX ? (uint32_t)(fabric + inside) : UINT32_MAX;
}

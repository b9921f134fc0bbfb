/* SPDX-License-Identifier: MIT */
/** @file rho-graph.h  weft_rho_max() where the fabric is a graph. Private. */
#ifndef WEFT_THEORY_RHO_GRAPH_H
#define WEFT_THEORY_RHO_GRAPH_H

#include <weft/clos.h>
#include <weft/theory.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** As weft_rho_size(). */
    int64_t weft_graph_rho_size(const struct weft_graph *g, size_t n);

    /** As weft_rho_max(), of hosts and links that there are, with as much memory as that says. */
    void weft_graph_rho(void *memory, const struct weft_graph *g,
                        const struct weft_rho_plane *links, const struct weft_flow *flows, size_t n,
                        enum weft_split split, struct weft_rho *out);

#ifdef __cplusplus
}
#endif
#endif

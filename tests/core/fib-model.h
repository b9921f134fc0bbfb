/* SPDX-License-Identifier: MIT */
/**
 * @file fib-model.h  A fabric as a plain graph, searched anew for every destination: what the
 * exceptions to structured forwarding are checked against.
 */
#ifndef WEFT_TESTS_FIB_MODEL_H
#define WEFT_TESTS_FIB_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/weft.h>

/** Most ports of a switch. */
#define FIB_MODEL_PORTS 64

struct graph
{
    struct weft_clos clos; /* set by the caller */
    uint32_t nnodes;       /* switches, then hosts */
    uint32_t *peer;        /* [node * FIB_MODEL_PORTS + port] */
    bool *alive;           /* of the link at that port */
    bool *wired;
    uint32_t *distance; /* [node], in the healthy graph, to the current destination */
    uint32_t *queue;
    int64_t *paths; /* [node]: live shortest paths to the destination; -1 unknown */
};

/** Memory for the nodes of g->clos. */
void graph_init(struct graph *g);
void graph_free(struct graph *g);

/** All links; @p dead ones are not alive. */
void graph_wire(struct graph *g, const uint64_t *dead, size_t ndead);

/** Fails unless every switch's candidates towards host @p dst are those of a search. */
void graph_compare(struct graph *g, const struct weft_fib *fib, bool weighted, uint32_t dst);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file graph-draft.h  A file of links while it is read, and the graph that is made of it. */
#ifndef WEFT_INPUTS_GRAPH_DRAFT_H
#define WEFT_INPUTS_GRAPH_DRAFT_H

#include <weft/graph.h>

#include "table-lines.h"

/** A file of links while it is read. */
struct graph_draft
{
    struct input_source *from;
    const char *bytes;
    size_t size;
    uint32_t nhosts, nswitches;
    uint32_t gpus; /**< hosts of a server, in a row, where the file says so; else 0 */
    struct weft_graph_edge *edges;
    int *lines; /**< of each edge */
    size_t n;
    char **names; /**< of each node, hosts first; the graph's, once it is made */
};

/** Bounds of a link's parameters. */
#define GRAPH_LEAST_RATE "1Mbps"
#define GRAPH_MOST_RATE  "8Tbps"
#define GRAPH_MOST_DELAY "1s"

/** Adds a link. */
void graph_draft_add(struct graph_draft *g, const struct weft_graph_edge *edge, int line);

/** The graph, in memory that the caller frees; NULL after errors, which say where it is none. */
void *graph_draft_make(const struct graph_draft *g, struct weft_graph *graph);

/** For CLEANUP(): all but the names. */
void graph_draft_drop(struct graph_draft *g);

#endif

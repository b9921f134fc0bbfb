/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file graph-file.h  Topologies from files: the topology.txt of HPCC's and ConWeave's simulators,
 * and XML.
 */
#ifndef WEFT_RUNNER_GRAPH_FILE_H
#define WEFT_RUNNER_GRAPH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/graph.h>
#include <weft/param.h>

#include "graph-names.h"
#include "table-lines.h"

/** A file of links while it is read. */
struct graph_draft
{
    struct input_source *from;
    const char *bytes;
    size_t size;
    uint32_t nhosts, nswitches;
    struct weft_graph_edge *edges;
    int *lines; /**< of each edge */
    size_t n;
    char **names; /**< of each node, hosts first; the graph's, once it is made */
};

/** Adds a link. */
void graph_draft_add(struct graph_draft *g, const struct weft_graph_edge *edge, int line);

/** Bounds of a link's parameters. */
#define GRAPH_LEAST_RATE "1Mbps"
#define GRAPH_MOST_RATE  "8Tbps"
#define GRAPH_MOST_DELAY "1s"

/** Parameters of a link. */
extern const struct weft_param graph_rate_param, graph_delay_param;

/** The formats. False after errors. */
bool graph_text_parse(struct graph_draft *g);
bool graph_xml_parse(struct graph_draft *g);

/** The graph that a file describes, in memory that the caller frees, and what it calls its nodes;
 * NULL after errors. The graph points into that memory. */
void *graph_file_parse(struct input_source *from, const char *bytes, size_t size,
                       struct weft_graph *graph, struct graph_names *names);

#endif

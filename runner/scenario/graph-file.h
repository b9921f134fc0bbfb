/* SPDX-License-Identifier: GPL-2.0-only */
/** @file graph-file.h  Topologies from files of either format. */
#ifndef WEFT_RUNNER_GRAPH_FILE_H
#define WEFT_RUNNER_GRAPH_FILE_H

#include <weft/graph.h>

#include "graph-names.h"
#include "table-lines.h"

/** The graph that a file describes, in memory that the caller frees, what each link loses
 * (graph_draft_losses(), of the graph and of the Clos), and what it calls its nodes; NULL after
 * errors. The graph points into that memory. */
void *graph_file_parse(struct input_source *from, const char *bytes, size_t size,
                       struct weft_graph *graph, double *losses[2], struct graph_names *names);

#endif

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

#include "diagnostics.h"

/** A file of links while it is read. */
struct graph_draft
{
    const char *path;
    const char *bytes;
    size_t size;
    int scenario_line;
    struct diagnostics *d;
    uint32_t nhosts, nswitches;
    struct weft_graph_edge *edges;
    int *lines; /**< of each edge */
    size_t n;
    char **names; /**< of each node, hosts first */
};

/** Reports a mistake at a line of the file. Returns false. */
bool graph_error(const struct graph_draft *g, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Adds a link. */
void graph_draft_add(struct graph_draft *g, const struct weft_graph_edge *edge, int line);

/** Reads a value as @p p has it into @p out; reports an error otherwise. */
bool graph_value(const struct graph_draft *g, int line, const struct weft_param *p,
                 const char *word, void *out);

/** Parameters of a link. */
extern const struct weft_param graph_rate_param, graph_delay_param;

/** The formats. False after errors. */
bool graph_text_parse(struct graph_draft *g);
bool graph_xml_parse(struct graph_draft *g);

/** The graph that a file describes, in memory that the caller frees; NULL after errors. The graph
 * points into it. */
void *graph_file_parse(const char *path, const char *bytes, size_t size, int scenario_line,
                       struct diagnostics *d, struct weft_graph *graph);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* A file of links while it is read, and the graph that is made of it. */
#include "graph-draft.h"

#include <stdlib.h>

#include <weft/clos.h>

#include "textbuf.h"

void
graph_draft_add(struct graph_draft *g, const struct weft_graph_edge *edge, int line)
{
    ARRAY_GROW(g->edges, g->n);
    ARRAY_GROW(g->lines, g->n);
    g->edges[g->n] = *edge;
    g->lines[g->n++] = line;
}

void
graph_draft_drop(struct graph_draft *g)
{
    free(g->edges);
    free(g->lines);
}

void *
graph_draft_make(const struct graph_draft *g, struct weft_graph *graph)
{
    struct weft_graph_fault fault;
    const int64_t size = weft_graph_size(g->nhosts, g->nswitches, g->edges, (uint32_t)g->n);
    if (size < 0)
    {
        input_error(g->from, 1,
                    "%u hosts, %u switches and %zu links; expected a host and a switch at least, "
                    "at most %u hosts, %u switches and %u links, and at most %u pairs of a switch "
                    "and a group of hosts at the same switches",
                    g->nhosts, g->nswitches, g->n, WEFT_MAX_HOSTS, WEFT_GRAPH_SWITCHES,
                    WEFT_GRAPH_LINKS, WEFT_GRAPH_ROWS);
        return NULL;
    }
    void *memory = xcalloc((size_t)size / 8 + 1, 8);
    if (weft_graph_init(graph, memory, (size_t)size, g->nhosts, g->nswitches, g->edges,
                        (uint32_t)g->n, &fault) == 0)
    {
        graph->gpus = graph->gpus ? graph->gpus : g->gpus;
        return memory;
    }
    if (fault.edge != UINT32_MAX)
    {
        input_error(g->from, g->lines[fault.edge], "%s", fault.reason);
    }
    else if (fault.other != UINT32_MAX)
    {
        input_error(g->from, 1, "nodes %s and %s: %s", g->names[fault.node], g->names[fault.other],
                    fault.reason);
    }
    else if (fault.node != UINT32_MAX)
    {
        input_error(g->from, 1, "node %s: %s", g->names[fault.node], fault.reason);
    }
    else
    {
        input_error(g->from, 1, "%s", fault.reason);
    }
    free(memory);
    return NULL;
}

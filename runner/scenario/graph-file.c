/* SPDX-License-Identifier: GPL-2.0-only */
#include "graph-file.h"

#include <stdlib.h>
#include <string.h>

#include <weft/clos.h>
#include <weft/param.h>

#include "textbuf.h"

const struct weft_param graph_rate_param =
    INPUT_PARAM("rate of a link", WEFT_RATE, GRAPH_LEAST_RATE, GRAPH_MOST_RATE);
const struct weft_param graph_delay_param =
    INPUT_PARAM("delay of a link", WEFT_TIME, "0s", GRAPH_MOST_DELAY);

void
graph_draft_add(struct graph_draft *g, const struct weft_graph_edge *edge, int line)
{
    ARRAY_GROW(g->edges, g->n);
    ARRAY_GROW(g->lines, g->n);
    g->edges[g->n] = *edge;
    g->lines[g->n++] = line;
}

static void
release(struct graph_draft *g)
{
    free(g->edges);
    free(g->lines);
}

/** Makes the graph; says where it is none. */
static void *
make_graph(const struct graph_draft *g, struct weft_graph *graph)
{
    struct weft_graph_fault fault;
    const int64_t size = weft_graph_size(g->nhosts, g->nswitches, (uint32_t)g->n);
    if (size < 0)
    {
        input_error(g->from, 1,
                    "%u hosts, %u switches and %zu links; expected a host and a switch at least, "
                    "at most %u hosts, %u switches and %u links, and at most %u pairs of a switch "
                    "and one with hosts",
                    g->nhosts, g->nswitches, g->n, WEFT_MAX_HOSTS, WEFT_GRAPH_SWITCHES,
                    WEFT_GRAPH_LINKS, WEFT_GRAPH_ROWS);
        return NULL;
    }
    void *memory = xcalloc((size_t)size / 8 + 1, 8);
    if (weft_graph_init(graph, memory, (size_t)size, g->nhosts, g->nswitches, g->edges,
                        (uint32_t)g->n, &fault) == 0)
    {
        return memory;
    }
    if (fault.edge != UINT32_MAX)
    {
        input_error(g->from, g->lines[fault.edge], "%s", fault.reason);
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

void *
graph_file_parse(struct input_source *from, const char *bytes, size_t size,
                 struct weft_graph *graph, struct graph_names *names)
{
    struct graph_draft g = {.from = from, .bytes = bytes, .size = size};
    const bool xml = bytes[strspn(bytes, " \t\r\n\xef\xbb\xbf")] == '<';
    void *memory = NULL;
    if (xml ? graph_xml_parse(&g) : graph_text_parse(&g))
    {
        memory = make_graph(&g, graph);
    }
    *names = (struct graph_names){.name = g.names, .count = {g.nhosts, g.nswitches}};
    if (memory)
    {
        graph_names_find_ids(names);
    }
    release(&g);
    return memory;
}

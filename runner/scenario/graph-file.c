/* SPDX-License-Identifier: GPL-2.0-only */
/* Topologies from files of either format. */
#include "graph-file.h"

#include <string.h>

#include "graph-draft.h"
#include "graph-text.h"
#include "graph-xml.h"
#include "textbuf.h"

void *
graph_file_parse(struct input_source *from, const char *bytes, size_t size,
                 struct weft_graph *graph, double **losses, struct graph_names *names)
{
    CLEANUP(graph_draft_drop) struct graph_draft g = {.from = from, .bytes = bytes, .size = size};
    const bool xml = bytes[strspn(bytes, " \t\r\n\xef\xbb\xbf")] == '<';
    void *memory = NULL;
    if (xml ? graph_xml_parse(&g) : graph_text_parse(&g))
    {
        memory = graph_draft_make(&g, graph);
    }
    *names = (struct graph_names){.name = g.names, .count = {g.nhosts, g.nswitches}};
    if (memory)
    {
        *losses = graph_draft_losses(&g, graph);
        graph_names_find_ids(names);
    }
    return memory;
}

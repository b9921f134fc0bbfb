/* SPDX-License-Identifier: GPL-2.0-only */
/* Topologies from files of any format. */
#include "graph-file.h"

#include <string.h>

#include "graph-draft.h"
#include "graph-htsim.h"
#include "graph-text.h"
#include "graph-xml.h"
#include "textbuf.h"

void *
graph_file_parse(struct input_source *from, const char *bytes, size_t size,
                 struct weft_graph *graph, double *losses[2], struct graph_names *names)
{
    CLEANUP(graph_draft_drop) struct graph_draft g = {.from = from, .bytes = bytes, .size = size};
    const bool xml = bytes[strspn(bytes, " \t\r\n\xef\xbb\xbf")] == '<';
    void *memory = NULL;
    if (xml                     ? graph_xml_parse(&g)
        : graph_htsim_is(bytes) ? graph_htsim_parse(&g)
                                : graph_text_parse(&g))
    {
        memory = graph_draft_make(&g, graph);
    }
    *names = (struct graph_names){.name = g.names, .count = {g.nhosts, g.nswitches}};
    if (memory)
    {
        losses[0] = graph_draft_losses(&g, graph, false);
        losses[1] = graph->clos ? graph_draft_losses(&g, graph, true) : NULL;
        graph_names_find_ids(names);
    }
    return memory;
}

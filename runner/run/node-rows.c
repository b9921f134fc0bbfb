/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of hosts and switches in the topology's file, for the numbers that stand in all tables. */
#include <stdlib.h>

#include "completion.h"
#include "input-file.h"
#include "textbuf.h"

void
collect_nodes(const struct scenario *s, struct run_results *out)
{
    static const char *const kinds[] = {"host", "switch"};
    if (!s->topology_file)
    {
        return;
    }
    const struct graph_names *names = &s->topology_file->names;
    const uint32_t hosts = names->count[NODE_HOST];
    out->nnodes = (size_t)hosts + names->count[NODE_SWITCH];
    out->nodes = xcalloc(out->nnodes, sizeof *out->nodes);
    for (uint32_t i = 0; i < out->nnodes; i++)
    {
        const enum node_kind kind = i < hosts ? NODE_HOST : NODE_SWITCH;
        out->nodes[i] = (struct node_result){
            .kind = kinds[kind], .number = i < hosts ? i : i - hosts, .name = names->name[i]};
    }
}

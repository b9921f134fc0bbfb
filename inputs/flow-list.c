/* SPDX-License-Identifier: GPL-2.0-only */
/* Flows while a file is read, and the words that all formats have. */
#include "flow-list.h"

#include "textbuf.h"

const struct weft_param flow_host_param = INPUT_PARAM("host", WEFT_COUNT, "0", "4294967295");
const struct weft_param flow_bytes_param =
    INPUT_PARAM("bytes", WEFT_COUNT, "1", "1000000000000000");

void
flow_list_add(struct flow_list *list, struct table_lines *t, const struct weft_table_flow *flow)
{
    if (flow->src == flow->dst)
    {
        input_error(t->from, t->line, "a flow from host %u to itself; expected two hosts",
                    flow->src);
        return;
    }
    ARRAY_GROW(list->flows, list->n);
    ARRAY_GROW(list->lines, list->n);
    list->flows[list->n] = *flow;
    list->lines[list->n++] = t->line;
}

bool
flow_hosts(struct table_lines *t, const char *src, const char *dst, struct weft_table_flow *flow)
{
    int64_t from, to;
    if (!table_value(t, &flow_host_param, src, &from) ||
        !table_value(t, &flow_host_param, dst, &to))
    {
        return false;
    }
    flow->src = (uint32_t)from;
    flow->dst = (uint32_t)to;
    return true;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file flow-list.h  Flows while a file is read, and the words that all formats have. */
#ifndef WEFT_INPUTS_FLOW_LIST_H
#define WEFT_INPUTS_FLOW_LIST_H

#include <weft/traffic.h>

#include "table-lines.h"

/** Flows while a file is read. */
struct flow_list
{
    struct weft_table_flow *flows;
    int *lines;
    size_t n;
    struct weft_table_wait *waits;
    size_t nwaits;
};

/** Adds one; a flow to itself is an error. */
void flow_list_add(struct flow_list *list, struct table_lines *t,
                   const struct weft_table_flow *flow);

/** Reads the hosts of a flow; false after an error. */
bool flow_hosts(struct table_lines *t, const char *src, const char *dst,
                struct weft_table_flow *flow);

/** Parameters of the columns of a flow. */
extern const struct weft_param flow_host_param, flow_bytes_param;

#endif

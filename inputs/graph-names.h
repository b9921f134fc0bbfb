/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file graph-names.h  Names of hosts and switches in a topology's file, beside the numbers that
 * Weft gives them.
 */
#ifndef WEFT_INPUTS_GRAPH_NAMES_H
#define WEFT_INPUTS_GRAPH_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Hosts and switches are numbered apart. */
enum node_kind
{
    NODE_HOST,
    NODE_SWITCH,
    NODE_KINDS,
};

/** A node whose name is a number. */
struct graph_id
{
    uint32_t id;
    uint32_t node;
};

/** The names of a file's nodes: hosts, then switches, both in Weft's order. */
struct graph_names
{
    char **name;
    uint32_t count[NODE_KINDS];
    bool has_ids[NODE_KINDS]; /**< all names of that kind are numbers, and so ids */
    struct graph_id *ids;     /**< of the nodes of such kinds, rising */
    size_t nids;
};

/** Looks whether names are ids: all of a kind are whole numbers up to 4,294,967,295 without leading
 * zeros. The names are there, and no two are alike. */
void graph_names_find_ids(struct graph_names *names);

/** The kind and number of the node with that id; false: there is none. */
bool graph_names_find(const struct graph_names *names, uint64_t id, enum node_kind *kind,
                      uint32_t *number);

void graph_names_free(struct graph_names *names);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file node-numbers.h  The numbers by which a scenario and the files beside it name hosts and
 * switches: the ids of the topology's file (<topology ids="file">), or Weft's own.
 */
#ifndef WEFT_RUNNER_NODE_NUMBERS_H
#define WEFT_RUNNER_NODE_NUMBERS_H

#include "diagnostics.h"
#include "graph-names.h"
#include "scenario.h"
#include "textbuf.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /** Whether users name nodes of that kind by the ids of the topology's file. */
    bool nodes_have_ids(const struct scenario *s, enum node_kind kind);

    /** How many nodes of that kind the topology has. */
    uint32_t nodes_count(const struct scenario *s, enum node_kind kind);

    /** The users' number of Weft's node @p node. */
    uint32_t node_number(const struct scenario *s, enum node_kind kind, uint32_t node);

    /** Weft's node of the users' number; false: there is none, and @p why says so, as in "<degrade>
     * names no host: WHY". The caller frees it. */
    bool node_find(const struct scenario *s, enum node_kind kind, uint64_t number, uint32_t *node,
                   char **why);

    /** The users' numbers of all nodes of that kind, as "1 to 65"; the caller frees it. */
    char *node_numbers(const struct scenario *s, enum node_kind kind);

    /** Weft's hosts as a list of the users' numbers, "0-15 32"; the caller frees it. */
    char *host_list(const struct scenario *s, const uint32_t *hosts, uint32_t n);

    /** "host 1", with what the topology's file calls it where that differs: "host 1 (2 in
     * topology.txt)". The caller frees it. */
    char *node_shown(const struct scenario *s, enum node_kind kind, uint32_t node);

    /** Adds what users call a node: "host 5", "leaf 3" ("pod 1 leaf 3" with three tiers, "plane 1
     * leaf 3" of several planes), "server 2" of a server's own network; of a topology's file
     * "switch" and its id there, or its name. */
    void node_add_name(const struct scenario *s, enum node_kind kind, uint32_t node,
                       struct text *t);

    /** Notes, where the numbers are ids that differ from Weft's own, which are which: "KINDs of OF
     * are those of FILE: ...". Where some names of the file are
     * numbers and others are not, that none of them is an id. */
    void note_ids(const struct scenario *s, enum node_kind kind, const char *of, int line,
                  struct diagnostics *d);

#ifdef __cplusplus
}
#endif
#endif

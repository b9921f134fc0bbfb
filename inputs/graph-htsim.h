/* SPDX-License-Identifier: GPL-2.0-only */
/** @file graph-htsim.h  The .topo files of htsim's fat-tree topologies. */
#ifndef WEFT_INPUTS_GRAPH_HTSIM_H
#define WEFT_INPUTS_GRAPH_HTSIM_H

#include "graph-draft.h"

/** Whether a file begins as one of them does. */
bool graph_htsim_is(const char *bytes);

/** Reads one. False after errors. */
bool graph_htsim_parse(struct graph_draft *g);

#endif

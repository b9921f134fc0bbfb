/* SPDX-License-Identifier: GPL-2.0-only */
/** @file graph-text.h  The topology.txt of HPCC's, ConWeave's and SimAI's simulators. */
#ifndef WEFT_INPUTS_GRAPH_TEXT_H
#define WEFT_INPUTS_GRAPH_TEXT_H

#include "graph-draft.h"

/** Reads one. False after errors. */
bool graph_text_parse(struct graph_draft *g);

#endif

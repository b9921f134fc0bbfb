/* SPDX-License-Identifier: GPL-2.0-only */
/** @file graph-xml.h  Graphs in XML. */
#ifndef WEFT_RUNNER_GRAPH_XML_H
#define WEFT_RUNNER_GRAPH_XML_H

#include "graph-draft.h"

/** Reads one. False after errors. */
bool graph_xml_parse(struct graph_draft *g);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file chakra-needs.h  Dependencies of a Chakra trace: from ids to nodes, and never in a circle.
 */
#ifndef WEFT_INPUTS_CHAKRA_NEEDS_H
#define WEFT_INPUTS_CHAKRA_NEEDS_H

#include "chakra-file.h"

/** Finds the nodes that the ids @p ids name, as many as the trace's needs. False after errors: an
 * id that two nodes have or that none has, nodes that wait for each other in a circle. */
bool chakra_needs_resolve(struct input_source *from, uint32_t rank, const uint64_t *ids,
                          struct chakra_trace *trace);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file flow-htsim.h  htsim's connection matrices. */
#ifndef WEFT_INPUTS_FLOW_HTSIM_H
#define WEFT_INPUTS_FLOW_HTSIM_H

#include "flow-list.h"

/** Reads one from its first line on. @p ps: its starts are in picoseconds, else in
 * microseconds. */
void flow_htsim_parse(struct table_lines *t, bool ps, struct flow_list *list);

#endif

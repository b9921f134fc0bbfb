/* SPDX-License-Identifier: GPL-2.0-only */
/** @file flow-file.h  Flows from files, and the distributions of sizes that generators read. */
#ifndef WEFT_RUNNER_FLOW_FILE_H
#define WEFT_RUNNER_FLOW_FILE_H

#include "input-file.h"
#include "table-lines.h"

/** Reads CSV, HPCC's and ConWeave's flows, and htsim's connection matrices; which, the first line
 * says. False after errors. */
bool flow_file_parse(struct table_lines *t, struct input_file *f);

/** Reads "bytes percent" lines. False after errors. */
bool size_file_parse(struct table_lines *t, struct input_file *f);

#endif

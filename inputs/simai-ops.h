/* SPDX-License-Identifier: GPL-2.0-only */
/** @file simai-ops.h  A workload of SimAI as one program of all ranks. */
#ifndef WEFT_INPUTS_SIMAI_OPS_H
#define WEFT_INPUTS_SIMAI_OPS_H

#include "simai-file.h"
#include "trace-collectives.h"

/** Returns how many ranks the workload is for: @p wanted, or where that is 0 what the file says. 0
 * after errors: its groups must divide them. */
uint32_t simai_ranks(struct input_source *from, const struct simai_workload *w, uint32_t wanted);

/** Adds a training step of @p nranks ranks, as simai_ranks() has them. False after errors. */
bool simai_ops_add(struct input_source *from, const struct simai_workload *w,
                   const struct trace_choice *choice, uint32_t nranks, struct weft_ops *ops);

/** Reads a workload as a program of @p ranks ranks, or of as many as it says if that is 0. False
 * after errors; else weft_program_release() is to be called. */
bool simai_trace_parse(struct input_source *from, const char *bytes, size_t n,
                       const struct trace_choice *choice, uint32_t ranks,
                       struct weft_program *program);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file chakra-ops.h  Chakra traces of all ranks as one program. */
#ifndef WEFT_INPUTS_CHAKRA_OPS_H
#define WEFT_INPUTS_CHAKRA_OPS_H

#include "chakra-file.h"
#include "trace-collectives.h"

/** Traces of the ranks of a program. */
struct chakra_job
{
    struct input_source *from;         /**< [ntraces] */
    const struct chakra_trace *traces; /**< [ntraces]: a rank's, or one that all ranks do */
    const struct chakra_trace *groups; /**< process groups that no trace names, or NULL */
    uint32_t ntraces, nranks;
};

/** Adds all nodes. False after errors, each at the file of a rank. */
bool chakra_ops_add(const struct chakra_job *job, const struct trace_choice *choice,
                    struct weft_ops *ops);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file trace-load.h  Traces of all kinds, from one file or from a file of each rank. */
#ifndef WEFT_RUNNER_TRACE_LOAD_H
#define WEFT_RUNNER_TRACE_LOAD_H

#include <weft/ops.h>

#include "diagnostics.h"

struct input_file;

/** Wishes of a <workload> for its trace. */
struct trace_wish
{
    uint32_t ranks;    /**< 0: as the file says */
    uint32_t hosts;    /**< of the fabric: as many ranks, where nothing says how many */
    uint64_t bytes;    /**< of an algorithm's vector; 0: not said */
    int64_t allreduce; /**< enum trace_allreduce */
    int64_t allgather; /**< enum trace_spread */
    int64_t reducescatter;
    double bytes_scale;
    int64_t rate;                       /**< bit/s of a host's port */
    uint32_t gpus;                      /**< of a server; 0: no servers */
    const struct input_file *algorithm; /**< of MSCCL; NULL: none */
    const struct input_file *groups;    /**< process groups; NULL: none */
};

/** Whether two wishes are the same. */
bool trace_wish_same(const struct trace_wish *a, const struct trace_wish *b);

/** Reads a trace from a file, or from the files of all ranks as one; of which kind it is, its first
 * bytes say. False after errors, which are at line @p line of the scenario and name the file. */
bool trace_load(const char *path, const char *bytes, size_t n, const struct trace_wish *wish,
                int line, struct diagnostics *d, struct weft_program *program);

#endif

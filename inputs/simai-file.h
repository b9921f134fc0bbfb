/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file simai-file.h  Workloads of SimAI, which AICB writes: a line of how a model is divided among
 * ranks, the number of layers, and a line for each layer: what a rank computes and which collective
 * follows, in the forward pass, for the gradient of its input and for that of its weights.
 */
#ifndef WEFT_INPUTS_SIMAI_FILE_H
#define WEFT_INPUTS_SIMAI_FILE_H

#include "table-lines.h"

#include <stdint.h>

enum simai_pass_kind
{
    SIMAI_FORWARD,
    SIMAI_INPUT_GRADIENT,
    SIMAI_WEIGHT_GRADIENT,
    SIMAI_PASSES,
};

enum simai_collective
{
    SIMAI_NONE,
    SIMAI_ALLREDUCE,
    SIMAI_ALLGATHER,
    SIMAI_REDUCESCATTER,
    SIMAI_ALLTOALL,
};

/** Ranks that take part in a collective. */
enum simai_group
{
    SIMAI_TP,    /**< ranks that share tensors */
    SIMAI_DP,    /**< ranks that hold the same of a model */
    SIMAI_EP,    /**< ranks that share experts */
    SIMAI_DP_EP, /**< ranks that hold the same experts */
    SIMAI_GROUPS,
};

struct simai_pass
{
    int64_t compute; /**< ps */
    uint64_t bytes;  /**< of the collective: 0 of none */
    uint8_t of;      /**< enum simai_collective */
    uint8_t group;   /**< enum simai_group */
};

struct simai_layer
{
    struct simai_pass pass[SIMAI_PASSES];
    int64_t update; /**< ps after each of its collectives */
    int line;
    bool begins; /**< a microbatch begins with it */
};

struct simai_workload
{
    struct simai_layer *layers;
    size_t n;
    uint32_t tp, ep, pp, vpp, ga;
    uint32_t gpus;     /**< 0: not said */
    uint64_t pp_bytes; /**< from one stage of the pipeline to the next, for each microbatch */
    int line;          /**< of the parallelism */
};

/** Whether bytes begin with a word that such a workload begins with. */
bool simai_file_is(const char *bytes, size_t n);

/** Reads the lines. False after errors. The caller frees the layers either way. */
bool simai_file_parse(struct table_lines *t, struct simai_workload *w);

#endif

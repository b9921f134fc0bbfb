/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file msccl-ops.h  An algorithm of a collective as MSCCL's XML has it: what the thread blocks of
 * each GPU do, step by step.
 */
#ifndef WEFT_INPUTS_MSCCL_OPS_H
#define WEFT_INPUTS_MSCCL_OPS_H

#include <weft/ops.h>

#ifdef __cplusplus
extern "C"
{
#endif

/** No step, or no GPU. */
#define MSCCL_NONE UINT32_MAX

    struct msccl_step
    {
        uint32_t count; /**< chunks */
        uint32_t after; /**< step of another block of its GPU, by number; MSCCL_NONE */
        int line;
        bool receives, sends; /**< in this order */
    };

    /** A thread block: its steps take turns. */
    struct msccl_block
    {
        uint32_t gpu;
        uint32_t to, from; /**< GPUs; MSCCL_NONE */
        uint32_t channel;
        uint32_t first, n; /**< steps[first .. first + n) */
    };

    struct msccl_algorithm
    {
        char *name;
        struct msccl_block *blocks;
        struct msccl_step *steps;
        uint32_t nblocks, nsteps;
        uint32_t ngpus;
        uint32_t nchunks;   /**< of the vector */
        uint32_t nchannels; /**< above every block's channel */
        uint8_t kind;       /**< enum trace_collective_kind */
    };

    /** Adds the algorithm for a vector of so many bytes among @p ranks, [ngpus], with the joins at
     * which each begins and ends. @p id: of its operations; 0: each has its step's line. */
    void msccl_ops_add(struct weft_ops *ops, const struct msccl_algorithm *algorithm,
                       uint64_t bytes, const uint32_t *ranks, uint32_t id, uint32_t *first,
                       uint32_t *last);

    void msccl_algorithm_free(struct msccl_algorithm *algorithm);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file trace-collectives.h  Operations of a group of ranks, which traces have as one, as sends
 * and receives: by which algorithm, and how. */
#ifndef WEFT_INPUTS_TRACE_COLLECTIVES_H
#define WEFT_INPUTS_TRACE_COLLECTIVES_H

#include <weft/ops.h>

#include "msccl-ops.h"

#ifdef __cplusplus
extern "C"
{
#endif

    enum trace_collective_kind
    {
        TRACE_ALLREDUCE,
        TRACE_ALLGATHER,
        TRACE_REDUCESCATTER,
        TRACE_ALLTOALL,
        TRACE_BROADCAST,
        TRACE_REDUCE,
        TRACE_BARRIER,
    };

    /** How allreduces are done. */
    enum trace_allreduce
    {
        TRACE_AS_NCCL, /**< ring or tree, whichever NCCL's model of its own time favours */
        TRACE_RING,
        TRACE_TREE,
        TRACE_DOUBLING,
        TRACE_DIRECT,
        TRACE_HIERARCHICAL, /**< in servers and across them */
    };

    /** How all-gathers and reduce-scatters are done. */
    enum trace_spread
    {
        TRACE_SPREAD_RING,
        TRACE_SPREAD_DIRECT, /**< every rank sends to every other one at once */
    };

    struct trace_choice
    {
        enum trace_allreduce allreduce;
        enum trace_spread allgather, reducescatter;
        const struct msccl_algorithm
            *algorithm;     /**< for its kind and number of ranks; NULL: none */
        double bytes_scale; /**< of all that is sent */
        int64_t rate;       /**< bit/s of a rank's port */
        uint32_t gpus;      /**< ranks of a server; 0: no servers */
    };

    struct trace_collective
    {
        uint64_t bytes; /**< of the vector: what each rank has of an allreduce, reduce, broadcast or
                           all-to-all, all ranks together of an all-gather or reduce-scatter */
        const uint32_t *ranks; /**< [n], in the order in which the group has them */
        uint32_t n;
        uint32_t root; /**< of a broadcast or reduce: a place in `ranks` */
        uint32_t id;
        uint8_t kind;
    };

    /** Adds a collective as weft_ops_collective() does. Returns 0 or an error with its reason. */
    int trace_collective_add(struct weft_ops *ops, const struct trace_choice *choice,
                             const struct trace_collective *c, uint32_t *first, uint32_t *last,
                             struct weft_refusal *why);

    /** Returns the bytes that a message of so many has, scaled: at least one. */
    uint64_t trace_bytes(const struct trace_choice *choice, uint64_t bytes);

    /** Returns which of ring and tree NCCL takes for an allreduce of so many bytes among @p n
     * ranks, of which @p gpus share a server, with ports of @p rate. */
    enum trace_allreduce trace_as_nccl(uint64_t bytes, uint32_t n, uint32_t gpus, int64_t rate);

#ifdef __cplusplus
}
#endif

#endif

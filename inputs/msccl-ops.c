/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An algorithm of MSCCL as sends and receives. A step begins once the one before it in its thread
 * block and the one it names have been done: a receive when its data are there, a send when it has
 * begun, as MSCCL goes on when the data lie in the buffer of a connection. Copies and reductions in
 * a GPU take no time.
 */
#include "msccl-ops.h"

#include <stdlib.h>

#include "textbuf.h"
#include "trace-collectives.h"

struct adding
{
    struct weft_ops *ops;
    const struct msccl_algorithm *algorithm;
    const uint32_t *ranks, *first, *last;
    uint32_t *begins, *ends; /**< operations of each step */
    uint32_t *tags;          /**< of each channel */
    uint64_t bytes;          /**< of a chunk */
    uint32_t id;
};

static uint32_t
add_op(const struct adding *a, const struct msccl_block *b, const struct msccl_step *step,
       enum weft_op_kind kind)
{
    struct weft_op_spec spec = {.rank = a->ranks[b->gpu],
                                .id = a->id ? a->id : (uint32_t)step->line,
                                .own = true,
                                .kind = (uint8_t)kind,
                                .stream = WEFT_NO_STREAM};
    if (kind != WEFT_OP_JOIN)
    {
        spec.peer = a->ranks[kind == WEFT_OP_SEND ? b->to : b->from];
        spec.tag = a->tags[b->channel];
        spec.amount = a->bytes * step->count;
    }
    const uint32_t op = weft_ops_add(a->ops, &spec);
    weft_ops_require(a->ops, op, a->first[b->gpu]);
    weft_ops_require(a->ops, a->last[b->gpu], op);
    return op;
}

/** Adds the operations of the step of that number. */
static void
add_step(const struct adding *a, const struct msccl_block *b, uint32_t number)
{
    const struct msccl_step *step = &a->algorithm->steps[number];
    const bool local = !step->receives && !step->sends;
    uint32_t op = WEFT_NO_OP;
    if (step->receives || local)
    {
        op = add_op(a, b, step, local ? WEFT_OP_JOIN : WEFT_OP_RECV);
        a->begins[number] = op;
    }
    if (step->sends)
    {
        const uint32_t send = add_op(a, b, step, WEFT_OP_SEND);
        weft_ops_require(a->ops, send, op);
        a->begins[number] = op == WEFT_NO_OP ? send : op;
        op = send;
    }
    a->ends[number] = op;
}

/** Lets a step wait for another one. */
static void
wait_for(const struct adding *a, uint32_t step, uint32_t before)
{
    if (a->algorithm->steps[before].sends)
    {
        weft_ops_require_start(a->ops, a->begins[step], a->ends[before]);
    }
    else
    {
        weft_ops_require(a->ops, a->begins[step], a->ends[before]);
    }
}

static void
add_all(const struct adding *a)
{
    const struct msccl_algorithm *m = a->algorithm;
    for (uint32_t i = 0; i < m->nblocks; i++)
    {
        for (uint32_t k = 0; k < m->blocks[i].n; k++)
        {
            add_step(a, &m->blocks[i], m->blocks[i].first + k);
        }
    }
    for (uint32_t i = 0; i < m->nblocks; i++)
    {
        for (uint32_t k = m->blocks[i].first; k < m->blocks[i].first + m->blocks[i].n; k++)
        {
            if (k > m->blocks[i].first)
            {
                wait_for(a, k, k - 1);
            }
            if (m->steps[k].after != MSCCL_NONE)
            {
                wait_for(a, k, m->steps[k].after);
            }
        }
    }
}

static uint32_t
add_join(const struct adding *a, uint32_t gpu)
{
    return weft_ops_add(a->ops, &(struct weft_op_spec){.rank = a->ranks[gpu],
                                                       .kind = WEFT_OP_JOIN,
                                                       .stream = WEFT_NO_STREAM,
                                                       .id = a->id});
}

/** Bus bandwidth over algorithm bandwidth, as nccl-tests has them. */
static double
bus_of(const struct msccl_algorithm *m)
{
    const double part = (m->ngpus - 1.0) / m->ngpus;
    return m->kind == TRACE_ALLREDUCE                              ? 2 * part
           : m->kind == TRACE_BROADCAST || m->kind == TRACE_REDUCE ? 1
                                                                   : part;
}

void
msccl_ops_add(struct weft_ops *ops, const struct msccl_algorithm *algorithm, uint64_t bytes,
              const uint32_t *ranks, uint32_t id, uint32_t *first, uint32_t *last)
{
    OWNED uint32_t *begins = xcalloc(algorithm->nsteps + 1, sizeof *begins);
    OWNED uint32_t *ends = xcalloc(algorithm->nsteps + 1, sizeof *ends);
    OWNED uint32_t *tags = xcalloc(algorithm->nchannels + 1, sizeof *tags);
    const struct adding a = {ops,   algorithm, ranks,
                             first, last,      begins,
                             ends,  tags,      (bytes - 1) / algorithm->nchunks + 1,
                             id};
    for (uint32_t i = 0; i < algorithm->ngpus; i++)
    {
        first[i] = add_join(&a, i);
        last[i] = add_join(&a, i);
        weft_ops_require(ops, last[i], first[i]);
    }
    for (uint32_t i = 0; i < algorithm->nchannels; i++)
    {
        tags[i] = weft_ops_tag(ops);
    }
    add_all(&a);
    weft_ops_name_collective(ops, algorithm->name, bytes, bus_of(algorithm), id, first, last,
                             algorithm->ngpus);
}

void
msccl_algorithm_free(struct msccl_algorithm *algorithm)
{
    free(algorithm->name);
    free(algorithm->blocks);
    free(algorithm->steps);
    *algorithm = (struct msccl_algorithm){0};
}

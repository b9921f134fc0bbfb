/* SPDX-License-Identifier: GPL-2.0-only */
/* Collectives as sends and receives. Allreduces and all-to-alls are the core's workloads; a ring of
 * all-gathers and of reduce-scatters is half of an allreduce's, and broadcasts and reduces go along
 * a chain of ranks in pieces, as NCCL's do. */
#include "trace-collectives.h"

#include <weft/error.h>

#include "textbuf.h"

/** Bytes that a rank of a chain passes on at a time, as in NCCL's buffers; and most such pieces. */
#define PIECE       (UINT64_C(512) << 10)
#define MOST_PIECES 1024U
/** Bytes that a barrier reduces. */
#define BARRIER_BYTES 4U

static const char *const allreduces[] = {[TRACE_RING] = "allreduce-ring",
                                         [TRACE_TREE] = "allreduce-tree",
                                         [TRACE_DOUBLING] = "allreduce-doubling",
                                         [TRACE_DIRECT] = "allreduce-direct",
                                         [TRACE_HIERARCHICAL] = "allreduce-hierarchical"};

/** A collective that is being added. */
struct adding
{
    struct weft_ops *ops;
    const struct trace_collective *c;
    const uint32_t *first, *last;
};

uint64_t
trace_bytes(const struct trace_choice *choice, uint64_t bytes)
{
    const double scaled = (double)bytes * choice->bytes_scale;
    return choice->bytes_scale == 1 ? bytes : scaled < 1 ? 1 : (uint64_t)scaled;
}

static uint32_t
add_join(const struct adding *a, uint32_t i)
{
    return weft_ops_add(a->ops, &(struct weft_op_spec){.rank = a->c->ranks[i],
                                                       .kind = WEFT_OP_JOIN,
                                                       .stream = WEFT_NO_STREAM,
                                                       .id = a->c->id});
}

/** Adds a message from one place in the group to another. Its send waits for @p after, an operation
 * there, or for the collective to begin. Returns its receive. */
static uint32_t
add_message(const struct adding *a, uint32_t from, uint32_t to, uint64_t bytes, uint32_t after)
{
    struct weft_op_spec spec = {.amount = bytes,
                                .rank = a->c->ranks[from],
                                .peer = a->c->ranks[to],
                                .tag = weft_ops_tag(a->ops),
                                .id = a->c->id,
                                .own = true,
                                .kind = WEFT_OP_SEND,
                                .stream = WEFT_NO_STREAM};
    const uint32_t send = weft_ops_add(a->ops, &spec);
    spec.rank = a->c->ranks[to];
    spec.peer = a->c->ranks[from];
    spec.kind = WEFT_OP_RECV;
    const uint32_t receive = weft_ops_add(a->ops, &spec);
    weft_ops_require(a->ops, send, after == WEFT_NO_OP ? a->first[from] : after);
    weft_ops_require(a->ops, receive, a->first[to]);
    weft_ops_require(a->ops, a->last[from], send);
    weft_ops_require(a->ops, a->last[to], receive);
    return receive;
}

/** Each rank's part goes round. */
static void
add_ring(const struct adding *a, uint64_t part)
{
    const uint32_t n = a->c->n;
    OWNED uint32_t *came = xcalloc(n, sizeof *came), *comes = xcalloc(n, sizeof *comes);
    for (uint32_t i = 0; i < n; i++)
    {
        came[i] = WEFT_NO_OP;
    }
    for (uint32_t step = 0; step + 1 < n; step++)
    {
        for (uint32_t i = 0; i < n; i++)
        {
            comes[(i + 1) % n] = add_message(a, i, (i + 1) % n, part, came[i]);
        }
        uint32_t *swapped = came;
        came = comes;
        comes = swapped;
    }
}

static void
add_direct(const struct adding *a, uint64_t part)
{
    for (uint32_t k = 1; k < a->c->n; k++)
    {
        for (uint32_t i = 0; i < a->c->n; i++)
        {
            add_message(a, i, (i + k) % a->c->n, part, WEFT_NO_OP);
        }
    }
}

/** From the root along the group, or to it. */
static void
add_chain(const struct adding *a, uint64_t bytes)
{
    const uint32_t n = a->c->n;
    const uint32_t begin = a->c->kind == TRACE_BROADCAST ? a->c->root : a->c->root + 1;
    const uint64_t share = (bytes - 1) / MOST_PIECES + 1, piece = share > PIECE ? share : PIECE;
    for (uint64_t done = 0; done < bytes; done += piece)
    {
        uint32_t came = WEFT_NO_OP;
        for (uint32_t k = 0; k + 1 < n; k++)
        {
            came = add_message(a, (begin + k) % n, (begin + k + 1) % n,
                               bytes - done < piece ? bytes - done : piece, came);
        }
    }
}

/** Most messages of a collective, as of those of the core. */
#define MOST_MESSAGES (UINT64_C(1) << 24)

/** Adds what is no workload of the core, with the joins at both ends. Returns 0 or an error with
 * its reason. */
static int
add_own(struct weft_ops *ops, const struct trace_choice *choice, const struct trace_collective *c,
        uint64_t bytes, uint32_t *first, uint32_t *last, struct weft_refusal *why)
{
    static const char *const names[] = {[TRACE_ALLGATHER] = "all-gather",
                                        [TRACE_REDUCESCATTER] = "reduce-scatter",
                                        [TRACE_BROADCAST] = "broadcast",
                                        [TRACE_REDUCE] = "reduce"};
    const struct adding a = {ops, c, first, last};
    const bool chain = c->kind == TRACE_BROADCAST || c->kind == TRACE_REDUCE;
    const enum trace_spread how =
        c->kind == TRACE_ALLGATHER ? choice->allgather : choice->reducescatter;
    const uint64_t part = (bytes - 1) / c->n + 1;
    if ((uint64_t)(c->n - 1) * (chain ? MOST_PIECES : c->n) > MOST_MESSAGES)
    {
        return weft_refuse(why, WEFT_EOVERFLOW, NULL,
                           "there may be more than 16777216 messages; expected fewer ranks");
    }
    for (uint32_t i = 0; i < c->n; i++)
    {
        first[i] = add_join(&a, i);
        last[i] = add_join(&a, i);
        weft_ops_require(ops, last[i], first[i]);
    }
    if (chain)
    {
        add_chain(&a, bytes);
    }
    else if (how == TRACE_SPREAD_DIRECT)
    {
        add_direct(&a, part);
    }
    else
    {
        add_ring(&a, part);
    }
    weft_ops_name_collective(ops, names[c->kind], bytes, chain ? 1 : (c->n - 1.0) / c->n, c->id,
                             first, last, c->n);
    return 0;
}

/** Ranks of a group that share a server, of those in a row: 0 of any other group. */
static uint32_t
gpus_of(const struct trace_choice *choice, const struct trace_collective *c)
{
    const uint32_t gpus = choice->gpus;
    uint32_t together = 1;
    while (gpus > 1 && together < c->n && c->ranks[together] / gpus == c->ranks[0] / gpus)
    {
        together++;
    }
    for (uint32_t i = 0; together > 1 && i < c->n; i++)
    {
        const uint32_t head = c->ranks[i - i % together];
        together = c->ranks[i] / gpus == head / gpus && c->n % together == 0 ? together : 1;
    }
    return together > 1 ? together : 0;
}

int
trace_collective_add(struct weft_ops *ops, const struct trace_choice *choice,
                     const struct trace_collective *c, uint32_t *first, uint32_t *last,
                     struct weft_refusal *why)
{
    const uint64_t bytes = trace_bytes(choice, c->kind == TRACE_BARRIER ? BARRIER_BYTES : c->bytes);
    const bool reduces = c->kind == TRACE_ALLREDUCE || c->kind == TRACE_BARRIER;
    const uint32_t gpus = gpus_of(choice, c);
    struct weft_op_collective spec = {
        .bytes = bytes, .ranks = c->ranks, .n = c->n, .gpus = gpus, .id = c->id};
    if (choice->algorithm && choice->algorithm->kind == c->kind && choice->algorithm->ngpus == c->n)
    {
        msccl_ops_add(ops, choice->algorithm, bytes, c->ranks, c->id, first, last);
        return 0;
    }
    if (!reduces && c->kind != TRACE_ALLTOALL && c->n > 1)
    {
        return add_own(ops, choice, c, bytes, first, last, why);
    }
    const enum trace_allreduce how = choice->allreduce == TRACE_AS_NCCL
                                         ? trace_as_nccl(bytes, c->n, gpus, choice->rate)
                                         : choice->allreduce;
    spec.how = weft_workload_find(reduces ? allreduces[how] : "alltoall");
    return weft_ops_collective(ops, &spec, first, last, why);
}

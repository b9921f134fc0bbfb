/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A training step as SimAI's Workload.cc has it: the forward pass over all layers; then from the
 * last layer to the first the gradient of the input and that of the weights. A rank waits for
 * collectives of forward passes and of inputs' gradients; those of weights' gradients go on beside.
 *
 * Ranks are numbered tensor by tensor, then data, then stages of the pipeline. SimAI's packet
 * simulator knows no pipeline; here stages take turns as in Megatron: some forward passes of
 * microbatches to fill the pipeline, then one forward and one backward, and with vpp chunks of
 * layers interleaved.
 */
#include "simai-ops.h"

#include <stdlib.h>

#include "textbuf.h"
#include "trace-file.h"

enum stream
{
    COMPUTING,
    UPDATING,
};

struct lowering
{
    struct input_source *from;
    const struct simai_workload *w;
    const struct trace_choice *choice;
    struct weft_ops *ops;
    uint32_t *tail;   /**< [rank]: what its next operation waits for */
    uint32_t *finish; /**< [rank]: a join of all that it waits for at the end */
    size_t *micro;    /**< [nmicro + 1]: first layer of each microbatch */
    uint32_t nmicro, nchunks;
    uint32_t dp, per_stage;         /**< ranks */
    uint32_t *ranks, *first, *last; /**< of a group */
};

/* --- ranks ------------------------------------------------------------------------------------ */

uint32_t
simai_ranks(struct input_source *from, const struct simai_workload *w, uint32_t wanted)
{
    const uint32_t n = wanted ? wanted : w->gpus;
    const uint64_t model = (uint64_t)w->tp * w->pp;
    if (n == 0)
    {
        input_error(from, w->line, "it lacks all_gpus; expected that, or ranks of <workload>");
        return 0;
    }
    if (n % model != 0 || n / model % w->ep != 0 || n < 2)
    {
        input_error(from, w->line,
                    "%u ranks; expected a multiple of %llu: model_parallel_NPU_group %u, pp %u and "
                    "ep %u",
                    n, (unsigned long long)model * w->ep, w->tp, w->pp, w->ep);
        return 0;
    }
    return n;
}

/** The ranks of the i-th group of a kind in a stage; returns how many these are. */
static uint32_t
group_of(const struct lowering *l, uint32_t stage, enum simai_group kind, uint32_t i)
{
    const uint32_t tp = l->w->tp, ep = l->w->ep, base = stage * l->per_stage;
    const uint32_t size[] = {
        [SIMAI_TP] = tp, [SIMAI_DP] = l->dp, [SIMAI_EP] = ep, [SIMAI_DP_EP] = l->dp / ep};
    const uint32_t t = i % tp, block = i / tp;
    for (uint32_t k = 0; k < size[kind]; k++)
    {
        const uint32_t d = kind == SIMAI_DP   ? k
                           : kind == SIMAI_EP ? block * ep + k
                                              : k * ep + block;
        l->ranks[k] = base + (kind == SIMAI_TP ? i * tp + k : d * tp + t);
    }
    return size[kind];
}

/* --- layers ----------------------------------------------------------------------------------- */

/** Adds computing of a rank after @p before, if there is any. Returns what comes last. */
static uint32_t
add_compute(const struct lowering *l, uint32_t rank, int64_t time, enum stream stream,
            const struct simai_layer *layer, uint32_t before)
{
    if (time == 0)
    {
        return before;
    }
    const uint32_t op = weft_ops_add(l->ops, &(struct weft_op_spec){.amount = (uint64_t)time,
                                                                    .rank = rank,
                                                                    .id = (uint32_t)layer->line,
                                                                    .kind = WEFT_OP_COMPUTE,
                                                                    .stream = (uint8_t)stream});
    weft_ops_require(l->ops, op, before);
    return op;
}

/** Adds the collective of a pass for one group of a stage. */
static bool
add_collective(const struct lowering *l, const struct simai_layer *layer,
               const struct simai_pass *pass, uint32_t n, bool waits)
{
    static const uint8_t kinds[] = {[SIMAI_ALLREDUCE] = TRACE_ALLREDUCE,
                                    [SIMAI_ALLGATHER] = TRACE_ALLGATHER,
                                    [SIMAI_REDUCESCATTER] = TRACE_REDUCESCATTER,
                                    [SIMAI_ALLTOALL] = TRACE_ALLTOALL};
    const struct trace_collective c = {.bytes = pass->bytes,
                                       .ranks = l->ranks,
                                       .n = n,
                                       .id = (uint32_t)layer->line,
                                       .kind = kinds[pass->of]};
    struct weft_refusal why = {0, NULL, ""};
    const int code = trace_collective_add(l->ops, l->choice, &c, l->first, l->last, &why);
    if (code)
    {
        return input_error(l->from, layer->line, "%s", weft_refusal_text(code, &why));
    }
    for (uint32_t i = 0; i < n; i++)
    {
        const uint32_t rank = l->ranks[i];
        weft_ops_require(l->ops, l->first[i], l->tail[rank]);
        const uint32_t end =
            add_compute(l, rank, layer->update, waits ? COMPUTING : UPDATING, layer, l->last[i]);
        l->tail[rank] = waits ? end : l->tail[rank];
        weft_ops_require(l->ops, l->finish[rank], end);
    }
    return true;
}

static bool
add_pass(const struct lowering *l, uint32_t stage, const struct simai_layer *layer,
         enum simai_pass_kind kind)
{
    const struct simai_pass *pass = &layer->pass[kind];
    const uint32_t base = stage * l->per_stage;
    for (uint32_t i = 0; i < l->per_stage; i++)
    {
        l->tail[base + i] =
            add_compute(l, base + i, pass->compute, COMPUTING, layer, l->tail[base + i]);
    }
    bool good = true;
    for (uint32_t i = 0, done = 0; pass->bytes > 0 && good && done < l->per_stage; i++)
    {
        const uint32_t n = group_of(l, stage, (enum simai_group)pass->group, i);
        good = add_collective(l, layer, pass, n, kind != SIMAI_WEIGHT_GRADIENT);
        done += n;
    }
    return good;
}

static bool
add_forward(const struct lowering *l, uint32_t stage, size_t from, size_t to)
{
    bool good = true;
    for (size_t i = from; good && i < to; i++)
    {
        good = add_pass(l, stage, &l->w->layers[i], SIMAI_FORWARD);
    }
    return good;
}

static bool
add_backward(const struct lowering *l, uint32_t stage, size_t from, size_t to)
{
    bool good = true;
    for (size_t i = to; good && i-- > from;)
    {
        good = add_pass(l, stage, &l->w->layers[i], SIMAI_INPUT_GRADIENT) &&
               add_pass(l, stage, &l->w->layers[i], SIMAI_WEIGHT_GRADIENT);
    }
    return good;
}

/* --- the pipeline ----------------------------------------------------------------------------- */

/** A microbatch's chunk of layers at a stage, in one direction. */
struct step
{
    uint32_t stage, micro, chunk;
    bool backward;
};

/** Adds what all ranks of a stage receive before a step, or send behind it. */
static void
add_messages(const struct lowering *l, const struct step *s, bool sends)
{
    const uint32_t pp = l->w->pp, place = s->chunk * pp + s->stage; /* along the model */
    const bool up = sends != s->backward;                           /* to or from a later place */
    const uint32_t edge = up ? place : place - 1;
    if ((up && place + 1 == pp * l->nchunks) || (!up && place == 0))
    {
        return;
    }
    const uint32_t other = (place + (up ? 1 : pp * l->nchunks - 1)) % pp;
    for (uint32_t i = 0; i < l->per_stage; i++)
    {
        const uint32_t rank = s->stage * l->per_stage + i;
        const uint32_t op = weft_ops_add(
            l->ops,
            &(struct weft_op_spec){.amount = trace_bytes(l->choice, l->w->pp_bytes),
                                   .rank = rank,
                                   .peer = other * l->per_stage + i,
                                   .tag = 2 * (s->micro * pp * l->nchunks + edge) + s->backward,
                                   .id = (uint32_t)l->w->line,
                                   .kind = sends ? WEFT_OP_SEND : WEFT_OP_RECV,
                                   .stream = WEFT_NO_STREAM});
        weft_ops_require(l->ops, op, l->tail[rank]);
        weft_ops_require(l->ops, l->finish[rank], op);
        l->tail[rank] = sends ? l->tail[rank] : op;
    }
}

static bool
add_step(const struct lowering *l, const struct step *s)
{
    const size_t begin = l->micro[s->micro], n = l->micro[s->micro + 1] - begin;
    const size_t from = begin + n * s->chunk / l->nchunks,
                 to = begin + n * (s->chunk + 1) / l->nchunks;
    add_messages(l, s, false);
    const bool good =
        s->backward ? add_backward(l, s->stage, from, to) : add_forward(l, s->stage, from, to);
    add_messages(l, s, true);
    return good;
}

/** The k-th step of a stage in a direction: pp microbatches through one chunk, then through the
 * next one. */
static struct step
step_of(const struct lowering *l, uint32_t stage, uint32_t k, bool backward)
{
    const uint32_t pp = l->w->pp, round = pp * l->nchunks, chunk = k % round / pp;
    return (struct step){.stage = stage,
                         .micro = k / round * pp + k % pp,
                         .chunk = backward ? l->nchunks - 1 - chunk : chunk,
                         .backward = backward};
}

static bool
add_stage(const struct lowering *l, uint32_t stage)
{
    const uint32_t total = l->nmicro * l->nchunks, left = l->w->pp - 1 - stage;
    const uint32_t fill = l->nchunks == 1 ? left : 2 * left + (l->nchunks - 1) * l->w->pp;
    const uint32_t ahead = fill < total ? fill : total;
    bool good = add_forward(l, stage, 0, l->micro[0]);
    for (uint32_t k = 0; good && k < total + ahead; k++)
    {
        const struct step forward = step_of(l, stage, k, false);
        good = k >= total || add_step(l, &forward);
        if (good && k >= ahead)
        {
            const struct step backward = step_of(l, stage, k - ahead, true);
            good = add_step(l, &backward);
        }
    }
    return good && add_backward(l, stage, 0, l->micro[0]);
}

/** Finds where microbatches begin. Without a pipeline all layers are one. */
static void
divide(struct lowering *l)
{
    const struct simai_workload *w = l->w;
    l->micro = xcalloc(w->n + 2, sizeof *l->micro);
    for (size_t i = 0; w->pp > 1 && i < w->n; i++)
    {
        l->micro[l->nmicro] = i;
        l->nmicro += w->layers[i].begins;
    }
    if (l->nmicro == 0)
    {
        l->micro[l->nmicro++] = 0;
    }
    l->micro[l->nmicro] = w->n;
    const bool interleaved =
        w->pp > 1 && w->vpp > 1 && l->nmicro % w->pp == 0 && w->vpp <= w->n / l->nmicro;
    l->nchunks = interleaved ? w->vpp : 1;
    if (w->pp > 1 && w->vpp > 1 && !interleaved)
    {
        input_warning(
            l->from, w->line,
            "vpp %u has no effect: it takes whole rounds of pp %u microbatches, each from "
            "an embedding_layer on, and a layer for each chunk; there are %u microbatches "
            "of %zu layers",
            w->vpp, w->pp, l->nmicro, w->n / l->nmicro);
    }
}

bool
simai_ops_add(struct input_source *from, const struct simai_workload *w,
              const struct trace_choice *choice, uint32_t nranks, struct weft_ops *ops)
{
    struct lowering l = {.from = from, .w = w, .choice = choice, .ops = ops};
    bool good = true;
    l.per_stage = nranks / w->pp;
    l.dp = l.per_stage / w->tp;
    divide(&l);
    l.tail = xcalloc(nranks, sizeof *l.tail);
    l.finish = xcalloc(nranks, sizeof *l.finish);
    l.ranks = xcalloc(nranks, sizeof *l.ranks);
    l.first = xcalloc(nranks, sizeof *l.first);
    l.last = xcalloc(nranks, sizeof *l.last);
    for (uint32_t rank = 0; rank < nranks; rank++)
    {
        l.tail[rank] = WEFT_NO_OP;
        l.finish[rank] = weft_ops_add(ops, &(struct weft_op_spec){.rank = rank,
                                                                  .id = (uint32_t)w->line,
                                                                  .kind = WEFT_OP_JOIN,
                                                                  .stream = WEFT_NO_STREAM});
    }
    for (uint32_t stage = 0; good && stage < w->pp; stage++)
    {
        good = add_stage(&l, stage);
    }
    free(l.tail);
    free(l.finish);
    free(l.micro);
    free(l.ranks);
    free(l.first);
    free(l.last);
    return good;
}

bool
simai_trace_parse(struct input_source *from, const char *bytes, size_t n,
                  const struct trace_choice *choice, uint32_t ranks, struct weft_program *program)
{
    struct simai_workload w = {0};
    struct table_lines t;
    table_lines_begin(&t, from, bytes, n);
    bool good = table_lines_next(&t) && simai_file_parse(&t, &w);
    table_lines_end(&t);
    const uint32_t nranks = good ? simai_ranks(from, &w, ranks) : 0;
    if (nranks)
    {
        struct weft_ops *ops = weft_ops_begin(&trace_memory, nranks, "line");
        simai_ops_add(from, &w, choice, nranks, ops);
        good = trace_pack(from, ops, program);
    }
    free(w.layers);
    return good && nranks;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Times of a trace's ranks, by what they did, and of its collectives. */
#include <math.h>
#include <stdlib.h>

#include <weft/ops.h>

#include "collect.h"
#include "textbuf.h"

/** Something that a rank does begins or ends. */
struct change
{
    int64_t at;
    int computing, sending, talking; /**< by so many more */
};

/** Rank while its changes are gone through. */
struct course
{
    struct change *changes;
    size_t n;
    int64_t end; /**< ps: of the program, or of the run if that was cut */
};

static int
by_time(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void
add_op(struct course *c, const struct weft_op *op)
{
    const int64_t ended = op->ended < 0 ? c->end : op->ended;
    if (op->kind == WEFT_OP_JOIN || op->begun < 0)
    {
        return;
    }
    const struct change begins = {op->begun, op->kind == WEFT_OP_COMPUTE, op->kind == WEFT_OP_SEND,
                                  op->kind != WEFT_OP_COMPUTE};
    c->changes[c->n++] = begins;
    c->changes[c->n++] =
        (struct change){ended, -begins.computing, -begins.sending, -begins.talking};
}

static void
measure(struct course *c, struct rank_result *r)
{
    int computing = 0, sending = 0, talking = 0;
    qsort(c->changes, c->n, sizeof *c->changes, by_time);
    for (size_t i = 0; i < c->n; i++)
    {
        const int64_t until = i + 1 < c->n ? c->changes[i + 1].at : c->end;
        const int64_t time = until - c->changes[i].at;
        computing += c->changes[i].computing;
        sending += c->changes[i].sending;
        talking += c->changes[i].talking;
        r->computing += computing > 0 ? time : 0;
        r->sending += sending > 0 ? time : 0;
        r->exposed += computing == 0 && talking > 0 ? time : 0;
    }
    r->idle = c->end - r->start - r->computing - r->exposed;
}

/** The last end of an operation; @p end if one has none. */
static int64_t
end_of_program(const struct weft_program *program, int64_t end, bool *whole)
{
    int64_t last = 0;
    for (uint32_t i = 0; i < program->nops; i++)
    {
        const int64_t ended = program->ops[i].ended;
        last = ended > last ? ended : last;
        *whole = *whole && ended >= 0;
    }
    return *whole ? last : end;
}

static void
collect_ranks(const struct weft_played *played, const char *name, int64_t end,
              struct run_results *out)
{
    const struct weft_program *program = played->program;
    struct course c = {.end = end};
    c.changes = xcalloc(2 * (size_t)program->nops + 1, sizeof *c.changes);
    for (uint32_t rank = 0; rank < program->nranks; rank++)
    {
        struct rank_result *r = ROW_ADD(out, ranks);
        *r = (struct rank_result){.workload = name,
                                  .rank = rank,
                                  .host = played->host[rank],
                                  .start = played->start,
                                  .end = -1};
        c.n = 0;
        bool all = true;
        for (uint32_t i = program->rank[rank]; i < program->rank[rank + 1]; i++)
        {
            const struct weft_op *op = &program->ops[i];
            add_op(&c, op);
            r->operations++;
            r->end = op->ended > r->end ? op->ended : r->end;
            all = all && op->ended >= 0;
        }
        r->end = all ? r->end : -1;
        measure(&c, r);
    }
    free(c.changes);
}

static void
collect_collectives(const struct weft_program *program, const char *name, struct run_results *out)
{
    for (uint32_t k = 0; k < program->ncollectives; k++)
    {
        const struct weft_program_collective *c = &program->collectives[k];
        struct collective_result *r = ROW_ADD(out, collectives);
        *r = (struct collective_result){.workload = name,
                                        .collective = k,
                                        .id = c->id,
                                        .kind = c->name,
                                        .size = c->bytes,
                                        .members = c->n,
                                        .start = -1,
                                        .end = -1,
                                        .time = -1,
                                        .algbw = NAN,
                                        .busbw = NAN};
        bool ended = true;
        for (uint32_t i = 0; i < c->n; i++)
        {
            const int64_t begun = program->ops[program->joins[c->first + i]].begun;
            const int64_t end = program->ops[program->joins[c->first + c->n + i]].ended;
            r->start = begun > r->start ? begun : r->start;
            r->end = end > r->end ? end : r->end;
            ended = ended && begun >= 0 && end >= 0;
        }
        r->end = ended ? r->end : -1;
        r->time = ended ? r->end - r->start : -1;
        if (r->time > 0)
        {
            r->algbw = (double)c->bytes * 8e12 / (double)r->time;
            r->busbw = c->bus > 0 ? r->algbw * c->bus : NAN;
        }
    }
}

/** Means over all ranks, and the longest time of a trace. */
static void
summarise(struct run_results *out)
{
    struct run_summary *sum = &out->summary;
    double computing = 0, exposed = 0;
    sum->step = -1;
    for (size_t i = 0; i < out->nranks; i++)
    {
        const struct rank_result *r = &out->ranks[i];
        computing += (double)r->computing;
        exposed += (double)r->exposed;
        sum->step = r->end - r->start > sum->step ? r->end - r->start : sum->step;
    }
    for (size_t i = 0; i < out->nranks; i++)
    {
        sum->step = out->ranks[i].end < 0 && out->ranks[i].operations > 0 ? -1 : sum->step;
    }
    sum->computing = out->nranks > 0 ? (int64_t)(computing / (double)out->nranks + 0.5) : -1;
    sum->exposed = out->nranks > 0 ? (int64_t)(exposed / (double)out->nranks + 0.5) : -1;
}

void
collect_traces(const struct simulation *sim, struct run_results *out)
{
    const struct scenario *s = sim->s;
    uint32_t k = 0;
    for (size_t i = 0; i < s->nworkloads && k < sim->graph.nprograms; i++)
    {
        if (weft_workload_find(s->workloads[i].choice.algo->name)->table == WEFT_TABLE_PROGRAM)
        {
            const struct weft_played *played = &sim->graph.programs[k++];
            const char *name = s->workloads[i].name ? s->workloads[i].name : "trace";
            bool whole = true;
            const int64_t end = end_of_program(played->program, out->summary.end, &whole);
            collect_ranks(played, name, end, out);
            collect_collectives(played->program, name, out);
            collect_timeline(&s->measure, played->program, name, end, out);
        }
    }
    summarise(out);
}

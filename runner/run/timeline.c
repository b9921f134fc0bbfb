/* SPDX-License-Identifier: GPL-2.0-only */
/* Times at which ranks of a trace compute, send and wait: those that <measure timeline> names. */
#include <stdlib.h>

#include <weft/ops.h>

#include "collect.h"
#include "textbuf.h"

/** An operation begins or ends. */
struct edge
{
    int64_t at;
    int first, second; /**< of what is done, by so many more: `first` hides `second` */
};

/** A lane of a rank while it is gone through. */
struct lane
{
    struct timeline_result row; /**< that is open; does NULL: none */
    const char *first, *second; /**< how they are called */
    struct edge *edges;
    size_t n;
};

static int
by_time(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static void
add_op(struct lane *l, const struct weft_op *op, bool first, int64_t end)
{
    if (op->begun >= 0)
    {
        l->edges[l->n++] = (struct edge){op->begun, first, !first};
        l->edges[l->n++] = (struct edge){op->ended < 0 ? end : op->ended, -first, -!first};
    }
}

/** Writes the row that is open, if it took any time, and opens one for what is done now. */
static void
go_on(struct lane *l, int64_t now, const char *does, struct run_results *out)
{
    if (does == l->row.does)
    {
        return;
    }
    l->row.end = now;
    if (l->row.does && l->row.end > l->row.begin)
    {
        *ROW_ADD(out, timeline) = l->row;
    }
    l->row.does = does;
    l->row.begin = now;
}

/** Writes a lane and empties it. */
static void
end_lane(struct lane *l, char *name, struct run_results *out)
{
    int first = 0, second = 0;
    ARRAY_GROW(out->lanes, out->nlanes);
    out->lanes[out->nlanes++] = name;
    l->row.lane = name;
    l->row.does = NULL;
    qsort(l->edges, l->n, sizeof *l->edges, by_time);
    for (size_t i = 0; i < l->n; i++)
    {
        first += l->edges[i].first;
        second += l->edges[i].second;
        if (i + 1 == l->n || l->edges[i + 1].at > l->edges[i].at)
        {
            go_on(l, l->edges[i].at, first > 0 ? l->first : second > 0 ? l->second : NULL, out);
        }
    }
    l->n = 0;
}

static void
collect_rank(const struct weft_program *program, struct lane *l, int64_t end,
             struct run_results *out)
{
    const struct weft_op *ops = program->ops;
    const uint32_t rank = l->row.rank, from = program->rank[rank], to = program->rank[rank + 1];
    l->first = "computing";
    for (uint32_t stream = 0; stream < program->nstreams; stream++)
    {
        for (uint32_t i = from; i < to; i++)
        {
            if (ops[i].kind == WEFT_OP_COMPUTE && ops[i].stream == stream)
            {
                add_op(l, &ops[i], true, end);
            }
        }
        if (l->n > 0)
        {
            end_lane(l, xformat("rank %u, stream %u", rank, stream), out);
        }
    }
    l->first = "sending";
    l->second = "waiting";
    for (uint32_t i = from; i < to; i++)
    {
        if (ops[i].kind == WEFT_OP_SEND || ops[i].kind == WEFT_OP_RECV)
        {
            add_op(l, &ops[i], ops[i].kind == WEFT_OP_SEND, end);
        }
    }
    end_lane(l, xformat("rank %u, network", rank), out);
}

void
collect_timeline(const struct measurements *m, const struct weft_program *program,
                 const char *workload, int64_t end, struct run_results *out)
{
    struct lane l = {.row.workload = workload};
    l.edges = xcalloc(m->ntimeline ? 2 * (size_t)program->nops + 1 : 1, sizeof *l.edges);
    for (size_t i = 0; i < m->ntimeline; i++)
    {
        if (m->timeline[i] < program->nranks)
        {
            l.row.rank = m->timeline[i];
            collect_rank(program, &l, end, out);
        }
    }
    free(l.edges);
}

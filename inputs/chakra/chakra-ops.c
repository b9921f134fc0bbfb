/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Nodes of all ranks as operations. A node that computes takes its turn on its stream: the CPU, the
 * GPU or the memory. A collective is one of a process group: the first one of that group at each of
 * its ranks belongs together, then the second one, and so on. A receive that waits for a send waits
 * for its beginning: both are posted in a row.
 */
#include "chakra-ops.h"

#include <stdlib.h>
#include <string.h>

#include "textbuf.h"

/** A process group, as some ranks name it. */
struct member_list
{
    const char *name;
    uint32_t *ranks;
    uint32_t n;
    uint32_t *ncalls; /**< of each of its ranks: collectives so far */
};

/** A collective at one rank. */
struct call
{
    uint32_t group, place; /**< place of the rank in its group */
    uint32_t turn;         /**< it is the turn-th one of its group there */
    uint32_t rank, node;
};

struct lowering
{
    const struct chakra_job *job;
    const struct trace_choice *choice;
    struct weft_ops *ops;
    size_t *at;              /**< [rank]: operations of its nodes are begins[at[rank] ..] */
    uint32_t *begins, *ends; /**< operations of each node */
    struct member_list *groups;
    struct call *calls;
    size_t ngroups, ncalls;
};

static const struct chakra_trace *
trace_of(const struct chakra_job *job, uint32_t rank)
{
    return &job->traces[job->ntraces == 1 ? 0 : rank];
}

static bool
node_error(const struct lowering *l, uint32_t rank, const struct chakra_node *node,
           const char *what)
{
    struct input_source *from = &l->job->from[l->job->ntraces == 1 ? 0 : rank];
    return input_error_at(from, node->byte, "rank %u, node %llu '%s': %s", rank,
                          (unsigned long long)node->id, node->name, what);
}

/* --- process groups --------------------------------------------------------------------------- */

/** The ranks of a group that a node names, in its trace or in the job's file; *n 0: all. NULL: none
 * has it. */
static const uint32_t *
find_ranks(const struct lowering *l, uint32_t rank, const char *name, uint32_t *n)
{
    static const uint32_t all;
    const struct chakra_group *g = name ? chakra_group_find(trace_of(l->job, rank), name) : NULL;
    g = !g && name && l->job->groups ? chakra_group_find(l->job->groups, name) : g;
    *n = g ? g->n : 0;
    return g && g->n > 0 ? g->ranks : g || !name || strcmp(name, "0") == 0 ? &all : NULL;
}

/** The number of the group of that name and those ranks, which is added if it is new. */
static uint32_t
group_of(struct lowering *l, const char *name, const uint32_t *ranks, uint32_t n)
{
    const uint32_t size = n ? n : l->job->nranks;
    for (size_t i = 0; i < l->ngroups; i++)
    {
        const struct member_list *g = &l->groups[i];
        if (g->n == size && strcmp(g->name, name) == 0 &&
            (n == 0 || memcmp(g->ranks, ranks, n * sizeof *ranks) == 0))
        {
            return (uint32_t)i;
        }
    }
    struct member_list g = {.name = name, .n = size};
    g.ranks = xcalloc(size, sizeof *g.ranks);
    g.ncalls = xcalloc(size, sizeof *g.ncalls);
    for (uint32_t i = 0; i < size; i++)
    {
        g.ranks[i] = n ? ranks[i] : i;
    }
    ARRAY_GROW(l->groups, l->ngroups);
    l->groups[l->ngroups] = g;
    return (uint32_t)l->ngroups++;
}

static bool
add_call(struct lowering *l, uint32_t rank, uint32_t number)
{
    const struct chakra_node *node = &trace_of(l->job, rank)->nodes[number];
    uint32_t n, place = 0;
    const uint32_t *ranks = find_ranks(l, rank, node->group, &n);
    if (!ranks)
    {
        OWNED char *what = xformat("process group '%s' is not known; expected a group that a "
                                   "process_group node of the file names, or process-groups",
                                   node->group);
        return node_error(l, rank, node, what);
    }
    const uint32_t group = group_of(l, node->group ? node->group : "0", ranks, n);
    struct member_list *g = &l->groups[group];
    while (place < g->n && g->ranks[place] != rank)
    {
        place++;
    }
    if (place == g->n)
    {
        OWNED char *what =
            xformat("its rank is not in process group '%s'; expected one of the group", g->name);
        return node_error(l, rank, node, what);
    }
    ARRAY_GROW(l->calls, l->ncalls);
    l->calls[l->ncalls++] = (struct call){group, place, g->ncalls[place]++, rank, number};
    return true;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static uint32_t
id_of(const struct chakra_node *node, uint32_t number)
{
    return node->id <= UINT32_MAX ? (uint32_t)node->id : number;
}

static bool
add_node(struct lowering *l, uint32_t rank, uint32_t number)
{
    static const uint8_t kinds[] = {[CHAKRA_NOTHING] = WEFT_OP_JOIN,
                                    [CHAKRA_COMPUTE] = WEFT_OP_COMPUTE,
                                    [CHAKRA_SEND] = WEFT_OP_SEND,
                                    [CHAKRA_RECEIVE] = WEFT_OP_RECV};
    const struct chakra_node *node = &trace_of(l->job, rank)->nodes[number];
    if (node->kind == CHAKRA_COLLECTIVE)
    {
        return add_call(l, rank, number);
    }
    const bool talks = node->kind == CHAKRA_SEND || node->kind == CHAKRA_RECEIVE;
    if (talks && (node->peer >= l->job->nranks || node->peer == rank))
    {
        OWNED char *what = xformat("%s %u; expected another rank below %u",
                                   node->kind == CHAKRA_SEND ? "comm_dst" : "comm_src", node->peer,
                                   l->job->nranks);
        return node_error(l, rank, node, what);
    }
    const struct weft_op_spec spec = {
        .amount = talks ? trace_bytes(l->choice, (uint64_t)node->amount) : (uint64_t)node->amount,
        .rank = rank,
        .peer = node->peer,
        .tag = node->tag,
        .id = id_of(node, number),
        .kind = kinds[node->kind],
        .stream = node->kind == CHAKRA_COMPUTE ? node->stream : WEFT_NO_STREAM,
    };
    l->begins[l->at[rank] + number] = l->ends[l->at[rank] + number] = weft_ops_add(l->ops, &spec);
    return true;
}

static void
add_needs(const struct lowering *l, uint32_t rank)
{
    const struct chakra_trace *t = trace_of(l->job, rank);
    const uint32_t *begins = l->begins + l->at[rank], *ends = l->ends + l->at[rank];
    for (size_t i = 0; i < t->n; i++)
    {
        for (uint32_t k = t->nodes[i].first; k < t->nodes[i].first + t->nodes[i].n; k++)
        {
            const uint32_t before = t->needs[k];
            if (t->nodes[before].kind == CHAKRA_SEND && t->nodes[i].kind == CHAKRA_RECEIVE)
            {
                weft_ops_require_start(l->ops, begins[i], ends[before]);
            }
            else
            {
                weft_ops_require(l->ops, begins[i], ends[before]);
            }
        }
    }
}

/* --- collectives ------------------------------------------------------------------------------ */

static int
by_turn(const void *a, const void *b)
{
    const struct call *x = a, *y = b;
    const uint32_t of_x[] = {x->group, x->turn, x->place}, of_y[] = {y->group, y->turn, y->place};
    int order = 0;
    for (size_t i = 0; i < 3 && order == 0; i++)
    {
        order = (of_x[i] > of_y[i]) - (of_x[i] < of_y[i]);
    }
    return order;
}

static const struct chakra_node *
node_of(const struct lowering *l, const struct call *call)
{
    return &trace_of(l->job, call->rank)->nodes[call->node];
}

/** Checks that all ranks of a group, and no more, do the same at its turn. */
static bool
check_calls(const struct lowering *l, const struct call *calls, uint32_t n)
{
    const struct member_list *g = &l->groups[calls->group];
    const struct chakra_node *one = node_of(l, calls);
    for (uint32_t i = 0; i < g->n; i++)
    {
        if (i == n || calls[i].place != i)
        {
            OWNED char *what =
                xformat("rank %u has no collective %u of process group '%s'; expected one at each "
                        "of its %u ranks",
                        g->ranks[i], calls->turn + 1, g->name, g->n);
            return node_error(l, calls->rank, one, what);
        }
        const struct chakra_node *node = node_of(l, &calls[i]);
        if (node->of != one->of || node->amount != one->amount)
        {
            OWNED char *what = xformat(
                "%s of %lld B as collective %u of process group '%s', of which rank %u has "
                "%s of %lld B; expected the same",
                chakra_collective_name(node->of), (long long)node->amount, calls->turn + 1, g->name,
                calls->rank, chakra_collective_name(one->of), (long long)one->amount);
            return node_error(l, calls[i].rank, node, what);
        }
    }
    return true;
}

/** Adds a collective of all ranks of a group. */
static bool
add_collective(const struct lowering *l, const struct call *calls)
{
    static const uint8_t kinds[] = {
        [CHAKRA_ALL_REDUCE] = TRACE_ALLREDUCE, [CHAKRA_REDUCE] = TRACE_REDUCE,
        [CHAKRA_ALL_GATHER] = TRACE_ALLGATHER, [CHAKRA_BROADCAST] = TRACE_BROADCAST,
        [CHAKRA_ALL_TO_ALL] = TRACE_ALLTOALL,  [CHAKRA_REDUCE_SCATTER] = TRACE_REDUCESCATTER,
        [CHAKRA_BARRIER] = TRACE_BARRIER};
    const struct member_list *g = &l->groups[calls->group];
    const struct chakra_node *node = node_of(l, calls);
    struct weft_refusal why = {0, NULL, ""};
    const uint64_t all = node->of == CHAKRA_ALL_GATHER ? g->n : 1;
    const struct trace_collective c = {.bytes = (uint64_t)node->amount * all,
                                       .ranks = g->ranks,
                                       .n = g->n,
                                       .id = id_of(node, calls->node),
                                       .kind = kinds[node->of]};
    OWNED uint32_t *first = xcalloc(g->n, sizeof *first);
    OWNED uint32_t *last = xcalloc(g->n, sizeof *last);
    const int code = trace_collective_add(l->ops, l->choice, &c, first, last, &why);
    if (code)
    {
        return node_error(l, calls->rank, node, weft_refusal_text(code, &why));
    }
    for (uint32_t i = 0; i < g->n; i++)
    {
        const size_t at = l->at[calls[i].rank] + calls[i].node;
        l->begins[at] = first[i];
        l->ends[at] = last[i];
    }
    return true;
}

static bool
add_collectives(const struct lowering *l)
{
    bool good = true;
    if (l->ncalls > 0)
    {
        qsort(l->calls, l->ncalls, sizeof *l->calls, by_turn);
    }
    for (size_t i = 0; i < l->ncalls && good;)
    {
        uint32_t n = 1;
        while (i + n < l->ncalls && l->calls[i + n].group == l->calls[i].group &&
               l->calls[i + n].turn == l->calls[i].turn)
        {
            n++;
        }
        good = check_calls(l, &l->calls[i], n) && add_collective(l, &l->calls[i]);
        i += n;
    }
    return good;
}

bool
chakra_ops_add(const struct chakra_job *job, const struct trace_choice *choice,
               struct weft_ops *ops)
{
    struct lowering l = {.job = job, .choice = choice, .ops = ops};
    bool good = true;
    l.at = xcalloc((size_t)job->nranks + 1, sizeof *l.at);
    for (uint32_t rank = 0; rank < job->nranks; rank++)
    {
        l.at[rank + 1] = l.at[rank] + trace_of(job, rank)->n;
    }
    l.begins = xcalloc(l.at[job->nranks] + 1, sizeof *l.begins);
    l.ends = xcalloc(l.at[job->nranks] + 1, sizeof *l.ends);
    for (uint32_t rank = 0; rank < job->nranks && good; rank++)
    {
        for (size_t i = 0; i < trace_of(job, rank)->n && good; i++)
        {
            good = add_node(&l, rank, (uint32_t)i);
        }
    }
    good = good && add_collectives(&l);
    for (uint32_t rank = 0; rank < job->nranks && good; rank++)
    {
        add_needs(&l, rank);
    }
    for (size_t i = 0; i < l.ngroups; i++)
    {
        free(l.groups[i].ranks);
        free(l.groups[i].ncalls);
    }
    free(l.groups);
    free(l.calls);
    free(l.begins);
    free(l.ends);
    free(l.at);
    return good;
}

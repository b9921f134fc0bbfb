/* SPDX-License-Identifier: MIT */
/*
 * Allreduce by recursive halving and doubling (Rabenseifner 2004; Thakur, Rabenseifner & Gropp
 * 2005) among a power of two of ranks, n = 2^L.
 *
 * Halving: in step s of the reduce-scatter rank r exchanges with rank r xor n/2^(s+1) the half of
 * what it still works on that the other one will keep: n/2, n/4, ... of the vector. The allgather
 * goes the same way back: L steps each. Without halving the ranks exchange the whole vector with
 * rank r xor 2^s, L steps in all: recursive doubling, for short vectors.
 *
 * Of n + k ranks, k < n, the first 2k are folded, as in MPICH and Open MPI: before the first step
 * each even one of them sends its vector to the next rank and is out of it, and after the last one
 * it gets the result back. The others take part under new numbers, in their order.
 *
 * A rank sends in a step once it has received what its partners of all steps before have sent.
 */
#include "base/saturating.h"
#include "roster/tables.h"
#include "traffic/groups.h"

#include <stdbool.h>

#include <weft/error.h>

struct doubling_config
{
    struct weft_groups common;
    int64_t halving;
};

static const struct weft_param params[] = {
    WEFT_GROUP_PARAMS("The vector that each rank contributes."),
    WEFT_COMPUTE_PARAMS,
    {"halving", WEFT_BOOL, WEFT_P(struct doubling_config, halving), "on", NULL, NULL, NULL,
     "Reduce-scatter by recursive halving, then allgather by recursive doubling; off: recursive "
     "doubling of the whole vector.",
     "Thakur et al. 2005 §4.5"},
};

static uint32_t
log2_of(uint32_t ranks)
{
    uint32_t log = 0;
    while (ranks >> log > 1)
    {
        log++;
    }
    return log;
}

/* Ranks of a group that take part in the steps, and how many they are. */
struct core
{
    uint32_t ranks;  /* of the group */
    uint32_t log;    /* 2^log of them take part */
    uint32_t n;      /* that is as many */
    uint32_t folded; /* the others */
    uint32_t steps;
    uint32_t rows; /* of a rank's successors, in next: its later messages */
};

static struct core
core_of(const struct doubling_config *c, uint32_t ranks)
{
    struct core core = {.ranks = ranks, .log = log2_of(ranks)};
    core.n = UINT32_C(1) << core.log;
    core.folded = ranks - core.n;
    core.steps = c->halving ? 2 * core.log : core.log;
    core.rows = core.folded ? core.steps + 1 : core.steps - 1;
    return core;
}

/* The rank that has this number in the steps. */
static uint32_t
rank_of(const struct core *core, uint32_t number)
{
    return number < core->folded ? 2 * number + 1 : number + core->folded;
}

/* Returns r xor the number of r's partner in that step. */
static uint32_t
distance(const struct doubling_config *c, const struct core *core, uint32_t step)
{
    if (!c->halving)
    {
        return UINT32_C(1) << step;
    }
    return step < core->log ? core->n >> (step + 1) : UINT32_C(1) << (step - core->log);
}

static uint64_t
step_bytes(const struct doubling_config *c, const struct core *core, uint32_t step)
{
    return weft_groups_part(&c->common,
                            c->halving ? core->n / distance(c, core, step) : UINT32_C(1));
}

static int
doubling_count(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct doubling_config *c = config;
    uint32_t ranks = 0;
    int error = weft_groups_ranks(&c->common, hosts, &ranks);
    error = error ? error : weft_groups_size(&c->common, ranks, 1, 1, 0, out);
    if (error)
    {
        return error;
    }
    const struct core core = core_of(c, ranks);
    const uint64_t groups = out->ngroups;
    const uint64_t messages = groups * ((uint64_t)core.n * core.steps + 2 * core.folded);
    if (messages > WEFT_MAX_MESSAGES)
    {
        return WEFT_EOVERFLOW;
    }
    out->nmessages = (uint32_t)messages;
    out->nqps = (uint32_t)(groups * ((uint64_t)core.n * core.log + 2 * core.folded));
    out->nnext += (uint32_t)(groups * core.n * core.rows);
    out->nsteps = core.steps + (core.folded ? 2 : 0);
    out->bytes = c->halving ? 0 : out->bytes;
    return 0;
}

static int
doubling_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct doubling_config *c = config;
    return weft_groups_refuse(doubling_count(config, hosts, out), &c->common, hosts);
}

/* Where a group's messages, QPs and successors begin. */
struct place
{
    uint32_t group;
    uint32_t message;
    uint32_t qp;
    uint32_t next;
};

/* Rank by rank, step by step; there and back, two ranks use the same QP. What a rank receives in
 * step s is waited for by all its messages of later steps, which are next to each other in next. */
static void
fill_number(const struct doubling_config *c, const struct core *core, const struct place *at,
            uint32_t number, struct weft_message *messages, uint32_t *next)
{
    const uint32_t later = core->folded ? 0 : 1; /* the first step that waits for something */
    const bool gives_back = number < core->folded;
    for (uint32_t s = 0; s < core->steps; s++)
    {
        const uint32_t i = at->message + number * core->steps + s;
        const uint32_t partner = number ^ distance(c, core, s);
        struct weft_message *m = &messages[i];
        weft_groups_message(&c->common, core->ranks, at->group, rank_of(core, number),
                            rank_of(core, partner), m);
        weft_groups_wait(&c->common, s + gives_back, m);
        m->bytes = step_bytes(c, core, s);
        m->qp = at->qp + number * core->log + (s < core->log ? s : 2 * core->log - 1 - s);
        m->step = s + (core->folded ? 1 : 0);
        m->first_next = at->next + partner * core->rows + s + 1 - later;
        m->nnext = core->steps - 1 - s + (partner < core->folded);
        if (s >= later)
        {
            next[at->next + number * core->rows + s - later] = i;
        }
    }
}

/* The rank before, which takes no part: what it sends before the steps, and gets after them. */
static void
fill_folded(const struct doubling_config *c, const struct core *core, const struct place *at,
            uint32_t number, struct weft_message *messages, uint32_t *next)
{
    const uint32_t first = core->n * core->steps + number;
    const uint32_t rank = rank_of(core, number), qp = at->qp + core->n * core->log + number;
    struct weft_message *to = &messages[at->message + first];
    struct weft_message *back = to + core->folded;
    weft_groups_message(&c->common, core->ranks, at->group, rank - 1, rank, to);
    weft_groups_message(&c->common, core->ranks, at->group, rank, rank - 1, back);
    weft_groups_wait(&c->common, 0, to);
    weft_groups_wait(&c->common, core->steps + 1, back);
    to->qp = qp;
    to->first_next = at->next + number * core->rows;
    to->nnext = core->rows;
    back->qp = qp + core->folded;
    back->step = core->steps + 1;
    next[at->next + number * core->rows + core->steps] = at->message + first + core->folded;
}

static int
doubling_fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
              struct weft_message *messages, uint32_t *next)
{
    const struct doubling_config *c = config;
    struct weft_traffic_size size;
    const int error = doubling_size(config, hosts, &size);
    if (error)
    {
        return error;
    }
    const struct core core = core_of(c, hosts->n / size.ngroups);
    for (uint32_t group = 0; group < size.ngroups; group++)
    {
        const struct place at = {group, size.nmessages / size.ngroups * group,
                                 size.nqps / size.ngroups * group, core.n * core.rows * group};
        for (uint32_t number = 0; number < core.n; number++)
        {
            fill_number(c, &core, &at, number, messages, next);
        }
        for (uint32_t number = 0; number < core.folded; number++)
        {
            fill_folded(c, &core, &at, number, messages, next);
        }
    }
    weft_groups_finish(&c->common, hosts, &size, seed, run, messages, next);
    return 0;
}

/* Every step by itself on an idle fabric; a folded rank's way there and back as well. */
static int64_t
doubling_bound(const void *config, const struct weft_hosts *hosts, const struct weft_bound_case *of)
{
    const struct doubling_config *c = config;
    const struct core core = core_of(c, hosts->n / (uint32_t)c->common.groups);
    int64_t all = 0;
    if (of->acked || of->partial)
    {
        return -1;
    }
    for (uint32_t s = 0; s < core.steps + (core.folded ? 2 : 0); s++)
    {
        const uint64_t bytes = s < core.steps ? step_bytes(c, &core, s) : (uint64_t)c->common.bytes;
        all = weft_sum(all, weft_message_bound(&of->wire, bytes));
    }
    return weft_groups_computing(&c->common, core.rows, all);
}

const struct weft_workload_ops weft_workload_allreduce_doubling = {
    {"allreduce-doubling",
     "Allreduce by recursive halving and doubling: 2 log2(n) exchanges of ever smaller and then "
     "larger parts.",
     "Rabenseifner 2004; Thakur et al. 2005", params, sizeof params / sizeof params[0], NULL, 0,
     sizeof(struct doubling_config), NULL},
    doubling_size,
    doubling_fill,
    doubling_bound,
    WEFT_TABLE_NONE,
    NULL,
    weft_groups_bus,
};

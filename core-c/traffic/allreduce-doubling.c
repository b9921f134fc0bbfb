/* SPDX-License-Identifier: MIT */
/*
 * Allreduce by recursive halving and doubling (Rabenseifner 2004; Thakur, Rabenseifner & Gropp
 * 2005), for ranks that are a power of two, n = 2^L.
 *
 * Halving: in step s of the reduce-scatter rank r exchanges with rank r xor n/2^(s+1) the half of
 * what it still works on that the other one will keep: n/2, n/4, ... of the vector. The allgather
 * goes the same way back: L steps each. Without halving the ranks exchange the whole vector with
 * rank r xor 2^s, L steps in all: recursive doubling, for short vectors.
 *
 * A rank sends in a step once it has received what its partners of all steps before have sent.
 */
#include "base/tables.h"
#include "traffic/groups.h"

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

static uint32_t
steps_of(const struct doubling_config *c, uint32_t ranks)
{
    return c->halving ? 2 * log2_of(ranks) : log2_of(ranks);
}

/* What rank r xor its partner is in that step. */
static uint32_t
distance(const struct doubling_config *c, uint32_t ranks, uint32_t step)
{
    const uint32_t log = log2_of(ranks);
    if (!c->halving)
    {
        return UINT32_C(1) << step;
    }
    return step < log ? ranks >> (step + 1) : UINT32_C(1) << (step - log);
}

static uint64_t
step_bytes(const struct doubling_config *c, uint32_t ranks, uint32_t step)
{
    return weft_groups_part(&c->common,
                            c->halving ? ranks / distance(c, ranks, step) : UINT32_C(1));
}

static const char *
doubling_refusal(const void *config, const struct weft_hosts *hosts)
{
    const struct doubling_config *c = config;
    const char *groups = weft_groups_refusal(&c->common, hosts->n);
    return groups ? groups
                  : "a group's ranks are no power of two, whose pairs cover it in every step; "
                    "expected 2, 4, 8, ... hosts in each group";
}

static int
doubling_count(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct doubling_config *c = config;
    uint32_t ranks = 0;
    int error = weft_groups_ranks(&c->common, hosts->n, &ranks);
    if (error || (ranks & (ranks - 1)) != 0)
    {
        return error ? error : WEFT_ERANGE;
    }
    const uint32_t steps = steps_of(c, ranks);
    error = weft_groups_size(&c->common, ranks, steps, log2_of(ranks), steps - 1, out);
    if (!error)
    {
        out->nsteps = steps;
        out->bytes = c->halving ? 0 : out->bytes;
    }
    return error;
}

static int
doubling_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    return weft_workload_refuse(doubling_count(config, hosts, out), config, hosts,
                                doubling_refusal);
}

/* Rank by rank, step by step; there and back, two ranks use the same QP. What a rank receives in
 * step s is waited for by all its messages of later steps, which are next to each other in next. */
static void
fill_rank(const struct doubling_config *c, uint32_t ranks, uint32_t index,
          struct weft_message *messages, uint32_t *next)
{
    const uint32_t log = log2_of(ranks), steps = steps_of(c, ranks);
    const uint32_t group = index / ranks, rank = index % ranks;
    for (uint32_t s = 0; s < steps; s++)
    {
        struct weft_message *m = &messages[index * steps + s];
        const uint32_t partner = rank ^ distance(c, ranks, s);
        weft_groups_message(&c->common, ranks, group, rank, partner, m);
        weft_groups_wait(&c->common, s, m);
        m->bytes = step_bytes(c, ranks, s);
        m->qp = index * log + (s < log ? s : 2 * log - 1 - s);
        m->step = s;
        m->first_next = (group * ranks + partner) * (steps - 1) + s;
        m->nnext = steps - 1 - s;
        if (s > 0)
        {
            next[index * (steps - 1) + s - 1] = index * steps + s;
        }
    }
}

static int
doubling_fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
              struct weft_message *messages, uint32_t *next)
{
    const struct doubling_config *c = config;
    struct weft_traffic_size size;
    int error = doubling_size(config, hosts, &size);
    for (uint32_t index = 0; !error && index < hosts->n; index++)
    {
        fill_rank(c, hosts->n / size.ngroups, index, messages, next);
    }
    if (!error)
    {
        weft_groups_finish(&c->common, hosts->n, &size, seed, run, messages, next);
    }
    return error;
}

/* Every step by itself on an idle fabric. */
static int64_t
doubling_bound(const void *config, const struct weft_hosts *hosts, const struct weft_bound_case *of)
{
    const struct doubling_config *c = config;
    const uint32_t ranks = hosts->n / (uint32_t)c->common.groups;
    const uint32_t steps = steps_of(c, ranks);
    int64_t all = 0;
    if (of->acked || of->partial)
    {
        return -1;
    }
    for (uint32_t s = 0; s < steps; s++)
    {
        const int64_t one = weft_message_bound(&of->wire, step_bytes(c, ranks, s));
        all = one > WEFT_NEVER - all ? WEFT_NEVER : all + one;
    }
    return weft_groups_computing(&c->common, steps - 1, all);
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
};

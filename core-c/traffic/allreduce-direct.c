/* SPDX-License-Identifier: MIT */
/*
 * Direct allreduce: an all-to-all in which each rank gets everybody's part of what it will reduce,
 * and another one in which it sends everybody what it has reduced. A rank begins the second once it
 * has received all of the first. One QP per ordered pair, two messages on each; rank r's first peer
 * is r + 1, as in alltoall.
 */
#include "base/saturating.h"
#include "roster/tables.h"
#include "traffic/groups.h"

#include <weft/error.h>

static const struct weft_param params[] = {
    WEFT_GROUP_PARAMS("The vector that each rank contributes; a message carries 1/ranks of it."),
    WEFT_COMPUTE_PARAMS,
};

static int
direct_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct weft_groups *c = config;
    uint32_t ranks = 0;
    int error = weft_groups_ranks(c, hosts, &ranks);
    uint64_t peers = (uint64_t)ranks - 1;
    error = error ? error : weft_groups_size(c, ranks, 2 * peers, peers, peers, out);
    if (!error)
    {
        out->nsteps = 2;
        out->bytes = weft_groups_part(c, ranks);
    }
    return weft_groups_refuse(error, c, hosts);
}

/* The messages of one rank: to each peer its part, then to each the reduced one. All that comes to
 * a rank has the same successors, what it sends in the second step. */
static void
fill_rank(const struct weft_groups *c, uint32_t ranks, uint32_t index,
          struct weft_message *messages, uint32_t *next)
{
    const uint32_t peers = ranks - 1;
    const uint32_t group = index / ranks, rank = index % ranks;
    for (uint32_t i = 0; i < 2 * peers; i++)
    {
        struct weft_message *m = &messages[index * 2 * peers + i];
        const uint32_t peer = (rank + 1 + i % peers) % ranks;
        weft_groups_message(c, ranks, group, rank, peer, m);
        m->bytes = weft_groups_part(c, ranks);
        m->qp = index * peers + i % peers;
        m->step = i / peers;
        weft_groups_wait(c, m->step ? peers : 0, m);
        if (m->step == 0)
        {
            m->first_next = (group * ranks + peer) * peers;
            m->nnext = peers;
            next[index * peers + i] = index * 2 * peers + peers + i;
        }
    }
}

static int
direct_fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
            struct weft_message *messages, uint32_t *next)
{
    const struct weft_groups *c = config;
    struct weft_traffic_size size;
    int error = direct_size(config, hosts, &size);
    for (uint32_t index = 0; !error && index < hosts->n; index++)
    {
        fill_rank(c, hosts->n / size.ngroups, index, messages, next);
    }
    if (!error)
    {
        weft_groups_finish(c, hosts, &size, seed, run, messages, next);
    }
    return error;
}

/* No rank has all of the first all-to-all before its own wire has carried it. */
static int64_t
direct_bound(const void *config, const struct weft_hosts *hosts, const struct weft_bound_case *of)
{
    const struct weft_groups *c = config;
    const uint32_t ranks = hosts->n / (uint32_t)c->groups;
    const uint64_t part = weft_groups_part(c, ranks);
    const int64_t first = weft_alltoall_bound(&of->wire, ranks, (uint64_t)c->bytes);
    int64_t second = first;
    if (of->partial)
    {
        return -1;
    }
    if (of->acked)
    {
        second = of->ideal_acks ? weft_answered_bound(&of->wire, ranks - 1, part, of->pace)
                                : weft_alltoall_acked_bound(&of->wire, ranks, part, of->pace);
    }
    return weft_groups_computing(c, 1, weft_sum(first, second));
}

const struct weft_workload_ops weft_workload_allreduce_direct = {
    {"allreduce-direct",
     "Allreduce by two all-to-alls: every rank reduces its part of the vector and sends it to all.",
     "Thakur et al. 2005 §4", params, sizeof params / sizeof params[0], NULL, 0,
     sizeof(struct weft_groups), NULL},
    direct_size,
    direct_fill,
    direct_bound,
    WEFT_TABLE_NONE,
    NULL,
    weft_groups_bus,
};

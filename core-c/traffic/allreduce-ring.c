/* SPDX-License-Identifier: MIT */
/*
 * Ring allreduce: reduce-scatter, then allgather, n - 1 steps each. In step s rank r sends chunk
 * (r - s) mod n to rank r + 1; it can do so once it has that chunk from rank r - 1's step s - 1.
 */
#include "roster/tables.h"
#include "traffic/groups.h"

#include <weft/error.h>

static const struct weft_param params[] = {
    WEFT_GROUP_PARAMS("The vector that each rank contributes; a message carries 1/ranks of it."),
    WEFT_COMPUTE_PARAMS,
};

static int
allreduce_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct weft_groups *c = (const struct weft_groups *)config;
    uint32_t ranks = 0;
    int error = weft_groups_ranks(c, hosts, &ranks);
    uint64_t steps = 2 * ((uint64_t)ranks - 1);
    error = error ? error : weft_groups_size(c, ranks, steps, 1, steps - 1, out);
    if (!error)
    {
        out->bytes = weft_groups_part(c, ranks);
        out->nsteps = (uint32_t)steps;
    }
    return weft_groups_refuse(error, c, hosts);
}

/* Rank r's messages are numbered step by step; so are its successors. */
static void
fill_rank(const struct weft_groups *c, uint32_t ranks, uint32_t qp, struct weft_message *messages,
          uint32_t *next)
{
    uint32_t group = qp / ranks;
    uint32_t rank = qp % ranks;
    uint32_t to = (rank + 1) % ranks;
    uint32_t steps = 2 * (ranks - 1);
    uint32_t mine = qp * steps;
    uint32_t theirs = (group * ranks + to) * steps;
    for (uint32_t s = 0; s < steps; s++)
    {
        struct weft_message *m = &messages[mine + s];
        weft_groups_message(c, ranks, group, rank, to, m);
        m->bytes = weft_groups_part(c, ranks);
        m->qp = qp;
        m->step = s;
        weft_groups_wait(c, s > 0, m);
        if (s + 1 < steps)
        {
            m->first_next = qp * (steps - 1) + s;
            m->nnext = 1;
            next[m->first_next] = theirs + s + 1;
        }
    }
}

static int
allreduce_fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
               struct weft_message *messages, uint32_t *next)
{
    const struct weft_groups *c = (const struct weft_groups *)config;
    struct weft_traffic_size size;
    int error = allreduce_size(config, hosts, &size);
    for (uint32_t qp = 0; !error && qp < size.nqps; qp++)
    {
        fill_rank(c, hosts->n / size.ngroups, qp, messages, next);
    }
    if (!error)
    {
        weft_groups_finish(c, hosts, &size, seed, run, messages, next);
    }
    return error;
}

static int64_t
allreduce_bound(const void *config, const struct weft_hosts *hosts,
                const struct weft_bound_case *of)
{
    const struct weft_groups *c = (const struct weft_groups *)config;
    const uint32_t ranks = hosts->n / (uint32_t)c->groups;
    if (of->acked || of->partial)
    {
        return -1;
    }
    return weft_groups_computing(c, 2 * (uint64_t)ranks - 3,
                                 weft_allreduce_ring_bound(&of->wire, ranks, (uint64_t)c->bytes));
}

const struct weft_workload_ops weft_workload_allreduce_ring = {
    {"allreduce-ring",
     "Ring allreduce: 2(n-1) steps, each message waits for the one received a step earlier.",
     "themis §5; Patarasuk & Yuan 2009", params, sizeof params / sizeof params[0], NULL, 0,
     sizeof(struct weft_groups), NULL},
    allreduce_size,
    allreduce_fill,
    allreduce_bound,
    WEFT_TABLE_NONE,
    NULL,
    weft_groups_bus,
};

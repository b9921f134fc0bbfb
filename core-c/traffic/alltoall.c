/* SPDX-License-Identifier: MIT */
/*
 * Direct all-to-all: one QP and one message per ordered pair. Rank r's first peer is r + 1, its
 * second r + 2, ..., so that the ranks do not all start with the same receiver.
 */
#include "base/tables.h"
#include "traffic/groups.h"

#include <weft/error.h>

enum scope
{
    TOTAL,
    PAIR,
};

struct alltoall_config
{
    struct weft_groups common;
    int64_t scope; /* enum scope */
};

static const struct weft_param params[] = {
    WEFT_GROUP_PARAMS("What each rank holds for all ranks (scope total) or for each (scope pair)."),
    {"scope", WEFT_CHOICE, WEFT_P(struct alltoall_config, scope), "total", NULL, NULL, "total pair",
     "Whether bytes is a rank's total, with 1/ranks of it for each rank, or the share of one pair.",
     "(ours)"},
};

static int
alltoall_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct alltoall_config *c = (const struct alltoall_config *)config;
    uint32_t ranks = 0;
    int error = weft_groups_ranks(&c->common, hosts, &ranks);
    uint64_t peers = (uint64_t)ranks - 1;
    error = error ? error : weft_groups_size(&c->common, ranks, peers, peers, 0, out);
    if (!error)
    {
        out->bytes = weft_groups_part(&c->common, c->scope == PAIR ? 1 : ranks);
    }
    return weft_groups_refuse(error, &c->common, hosts);
}

static int
alltoall_fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
              struct weft_message *messages, uint32_t *next)
{
    const struct alltoall_config *c = (const struct alltoall_config *)config;
    struct weft_traffic_size size;
    int error = alltoall_size(config, hosts, &size);
    if (error)
    {
        return error;
    }
    uint32_t ranks = hosts->n / size.ngroups;
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        uint32_t sender = i / (ranks - 1);
        uint32_t step = i % (ranks - 1);
        uint32_t rank = sender % ranks;
        weft_groups_message(&c->common, ranks, sender / ranks, rank, (rank + 1 + step) % ranks,
                            &messages[i]);
        messages[i].bytes = size.bytes;
        messages[i].qp = i;
        messages[i].step = step;
    }
    weft_groups_finish(&c->common, hosts, &size, seed, run, messages, next);
    return 0;
}

static int64_t
alltoall_bound(const void *config, const struct weft_hosts *hosts, const struct weft_bound_case *of)
{
    const struct alltoall_config *c = (const struct alltoall_config *)config;
    const uint32_t ranks = hosts->n / (uint32_t)c->common.groups;
    const uint64_t bytes = weft_groups_part(&c->common, c->scope == PAIR ? 1 : ranks);
    if (of->acked)
    {
        return of->ideal_acks ? weft_answered_bound(&of->wire, ranks - 1, bytes, of->pace)
                              : weft_alltoall_acked_bound(&of->wire, ranks, bytes, of->pace);
    }
    if (of->partial || bytes > UINT64_MAX / ranks)
    {
        return -1;
    }
    return weft_alltoall_bound(&of->wire, ranks, bytes * ranks);
}

const struct weft_workload_ops weft_workload_alltoall = {
    {"alltoall", "Every rank sends a message to every other rank of its group, all at once.",
     "themis §5", params, sizeof params / sizeof params[0], NULL, 0, sizeof(struct alltoall_config),
     NULL},
    alltoall_size,
    alltoall_fill,
    alltoall_bound,
    WEFT_TABLE_NONE,
    NULL,
};

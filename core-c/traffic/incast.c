/* SPDX-License-Identifier: MIT */
/* Incast: many ranks of a group send to its rank 0 at once, as storage replies and parameter
 * servers make them. */
#include "base/saturating.h"
#include "roster/tables.h"
#include "traffic/groups.h"

#include <weft/error.h>

struct incast_config
{
    struct weft_groups common;
    int64_t senders; /* 0: all others */
};

static const struct weft_param params[] = {
    WEFT_GROUP_PARAMS("What each sender sends to rank 0 of its group."),
    {"senders", WEFT_COUNT, WEFT_P(struct incast_config, senders), "0", "0", "1048575", NULL,
     "Ranks 1 to this one of each group send; 0: all but rank 0.", "(ours)"},
};

/* 0 where the group has too few ranks. */
static uint32_t
senders_of(const struct incast_config *c, uint32_t ranks)
{
    if (c->senders < 0 || c->senders >= ranks)
    {
        return 0;
    }
    return c->senders ? (uint32_t)c->senders : ranks - 1;
}

static const char *
incast_refusal(const void *config, const struct weft_hosts *hosts)
{
    const struct incast_config *c = config;
    const char *groups = weft_groups_refusal(&c->common, hosts);
    return groups ? groups
                  : "a group has fewer ranks than senders and a receiver; expected senders to be "
                    "less than the ranks of a group";
}

static int
incast_count(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct incast_config *c = config;
    uint32_t ranks = 0;
    int error = weft_groups_ranks(&c->common, hosts, &ranks);
    if (!error && senders_of(c, ranks) == 0)
    {
        return WEFT_ERANGE;
    }
    error = error ? error : weft_groups_size(&c->common, ranks, 1, 1, 0, out);
    if (!error)
    {
        out->nmessages = senders_of(c, ranks) * out->ngroups;
        out->nqps = out->nmessages;
    }
    return error;
}

static int
incast_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    return weft_workload_refuse(incast_count(config, hosts, out), config, hosts, incast_refusal);
}

static int
incast_fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
            struct weft_message *messages, uint32_t *next)
{
    const struct incast_config *c = config;
    struct weft_traffic_size size;
    int error = incast_size(config, hosts, &size);
    if (error)
    {
        return error;
    }
    const uint32_t ranks = hosts->n / size.ngroups, senders = senders_of(c, ranks);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        weft_groups_message(&c->common, ranks, i / senders, 1 + i % senders, 0, &messages[i]);
        messages[i].qp = i;
    }
    weft_groups_finish(&c->common, hosts, &size, seed, run, messages, next);
    return 0;
}

static int64_t
incast_bound(const void *config, const struct weft_hosts *hosts, const struct weft_bound_case *of)
{
    const struct incast_config *c = config;
    const uint32_t senders = senders_of(c, hosts->n / (uint32_t)c->common.groups);
    const int64_t delivered = weft_incast_bound(&of->wire, senders, (uint64_t)c->common.bytes);
    if (of->partial)
    {
        return -1;
    }
    const int64_t answer = of->acked ? weft_ack_way(&of->wire) : 0;
    return weft_sum(delivered, answer);
}

const struct weft_workload_ops weft_workload_incast = {
    {"incast", "Many ranks send to rank 0 of their group at once.", "Vasudevan et al. 2009", params,
     sizeof params / sizeof params[0], NULL, 0, sizeof(struct incast_config), NULL},
    incast_size,
    incast_fill,
    incast_bound,
    WEFT_TABLE_NONE,
    NULL,
    NULL,
};

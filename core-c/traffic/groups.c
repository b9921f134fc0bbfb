/* SPDX-License-Identifier: MIT */
#include "traffic/groups.h"

#include <string.h>

#include <weft/error.h>

int
weft_groups_ranks(const struct weft_groups *groups, uint32_t nhosts, uint32_t *ranks)
{
    if (nhosts > WEFT_MAX_MESSAGES)
    {
        return WEFT_EOVERFLOW;
    }
    if (groups->groups < 1 || groups->groups > (int64_t)nhosts / 2 ||
        nhosts % (uint32_t)groups->groups != 0 || groups->bytes < 1)
    {
        return WEFT_ERANGE;
    }
    *ranks = nhosts / (uint32_t)groups->groups;
    return 0;
}

uint32_t
weft_groups_host(const struct weft_groups *groups, uint32_t ranks, uint32_t group, uint32_t rank)
{
    return groups->placement == WEFT_BLOCKED ? group * ranks + rank
                                             : rank * (uint32_t)groups->groups + group;
}

uint64_t
weft_groups_part(const struct weft_groups *groups, uint32_t n)
{
    return ((uint64_t)groups->bytes - 1) / n + 1;
}

int
weft_groups_size(const struct weft_groups *groups, uint32_t ranks, uint64_t per_rank, uint64_t qps,
                 uint64_t next, struct weft_traffic_size *out)
{
    uint64_t hosts = (uint64_t)groups->groups * ranks;
    if (per_rank > WEFT_MAX_MESSAGES / hosts || qps > per_rank || next > per_rank)
    {
        return WEFT_EOVERFLOW;
    }
    out->nmessages = (uint32_t)(hosts * per_rank);
    out->nqps = (uint32_t)(hosts * qps);
    out->nnext = (uint32_t)(hosts * next);
    out->ngroups = (uint32_t)groups->groups;
    return 0;
}

void
weft_groups_message(const struct weft_groups *groups, uint32_t ranks, uint32_t group, uint32_t from,
                    uint32_t to, struct weft_message *m)
{
    memset(m, 0, sizeof *m);
    m->bytes = (uint64_t)groups->bytes;
    m->start = groups->start;
    m->src = weft_groups_host(groups, ranks, group, from);
    m->dst = weft_groups_host(groups, ranks, group, to);
    m->group = group;
}

/* SPDX-License-Identifier: MIT */
/* Ring: every rank sends its bytes to the next rank of its group (themis §2.2). */
#include "roster/tables.h"
#include "traffic/groups.h"

#include <weft/error.h>

static const struct weft_param params[] = {
    WEFT_GROUP_PARAMS("What each rank sends to the next."),
};

static int
ring_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct weft_groups *c = (const struct weft_groups *)config;
    uint32_t ranks = 0;
    int error = weft_groups_ranks(c, hosts, &ranks);
    error = error ? error : weft_groups_size(c, ranks, 1, 1, 0, out);
    return weft_groups_refuse(error, c, hosts);
}

static int
ring_fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
          struct weft_message *messages, uint32_t *next)
{
    const struct weft_groups *c = (const struct weft_groups *)config;
    struct weft_traffic_size size;
    int error = ring_size(config, hosts, &size);
    if (error)
    {
        return error;
    }
    uint32_t ranks = hosts->n / size.ngroups;
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        uint32_t rank = i % ranks;
        weft_groups_message(c, ranks, i / ranks, rank, (rank + 1) % ranks, &messages[i]);
        messages[i].qp = i;
    }
    weft_groups_finish(c, hosts, &size, seed, run, messages, next);
    return 0;
}

/* Called sendrecv there. */
static double
ring_bus(const void *config, const struct weft_hosts *hosts, double *bytes)
{
    (void)hosts;
    *bytes = (double)((const struct weft_groups *)config)->bytes;
    return 1;
}

const struct weft_workload_ops weft_workload_ring = {
    {"ring", "Every rank sends one message to the next rank of its group.", "themis §2.2", params,
     sizeof params / sizeof params[0], NULL, 0, sizeof(struct weft_groups), NULL},
    ring_size,
    ring_fill,
    weft_groups_message_bound,
    WEFT_TABLE_NONE,
    NULL,
    ring_bus,
};

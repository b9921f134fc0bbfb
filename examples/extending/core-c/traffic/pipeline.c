/* SPDX-License-Identifier: MIT */
/* Pipeline parallelism, forward: each rank passes on one message per microbatch to the next rank,
 * once it has received that microbatch and computed. */
#include "roster/tables.h"
#include "traffic/groups.h"

#include <weft/error.h>

struct pipeline_config
{
    struct weft_groups common;
    int64_t microbatches;
};

static const struct weft_param params[] = {
    WEFT_GROUP_PARAMS("What a rank sends to the next one for each microbatch."),
    WEFT_COMPUTE_PARAMS,
    {"microbatches", WEFT_COUNT, WEFT_P(struct pipeline_config, microbatches), "4", "1", "1000000",
     NULL, "Messages that each rank but the last one sends.", "Huang et al. 2019 (GPipe)"},
};

static int
size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct pipeline_config *c = config;
    const uint64_t n = (uint64_t)c->microbatches;
    uint32_t ranks = 0;
    int error = weft_groups_ranks(&c->common, hosts, &ranks);
    error = error ? error : weft_groups_size(&c->common, ranks, n, 1, n, out);
    if (!error)
    {
        out->nqps = out->ngroups * (ranks - 1);
        out->nmessages = out->nqps * (uint32_t)n;
        out->nsteps = ranks - 1;
    }
    return weft_groups_refuse(error, &c->common, hosts);
}

/* Rank r's messages are numbered microbatch by microbatch; so are those of its QP, the r-th. */
static void
fill_rank(const struct pipeline_config *c, uint32_t ranks, uint32_t qp,
          struct weft_message *messages, uint32_t *next)
{
    const uint32_t n = (uint32_t)c->microbatches, rank = qp % (ranks - 1);
    for (uint32_t i = 0; i < n; i++)
    {
        struct weft_message *m = &messages[qp * n + i];
        weft_groups_message(&c->common, ranks, qp / (ranks - 1), rank, rank + 1, m);
        m->qp = qp;
        m->step = rank;
        weft_groups_wait(&c->common, rank > 0, m);
        m->nnext = rank + 2 < ranks;
        m->first_next = qp * n + i;
        next[m->first_next] = (qp + 1) * n + i;
    }
}

static int
fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
     struct weft_message *messages, uint32_t *next)
{
    const struct pipeline_config *c = config;
    struct weft_traffic_size total;
    const int error = size(config, hosts, &total);
    for (uint32_t qp = 0; !error && qp < total.nqps; qp++)
    {
        fill_rank(c, hosts->n / total.ngroups, qp, messages, next);
    }
    if (!error)
    {
        weft_groups_finish(&c->common, hosts, &total, seed, run, messages, next);
    }
    return error;
}

const struct weft_workload_ops weft_workload_pipeline = {
    .algo =
        {
            .name = "pipeline",
            .doc = "Each rank passes one message per microbatch on to the next rank.",
            .source = "Huang et al. 2019 (GPipe)",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct pipeline_config),
        },
    .size = size,
    .fill = fill,
};

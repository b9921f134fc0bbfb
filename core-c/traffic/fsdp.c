/* SPDX-License-Identifier: MIT */
/*
 * The backward pass of fully sharded data parallelism (ofan §8.4), as the fabric between servers
 * sees it: with g GPUs per server, g parallel rings; in each phase, one per layer, logical GPU i
 * sends one message to logical GPU i + g. Logical server s is GPUs s g .. s g + g - 1, on g
 * hosts in a row, or those of a server of the fabric. Traffic within a server does not cross the
 * fabric and takes no time.
 *
 * A phase begins everywhere once the last one has ended everywhere: what GPUs compute between two
 * collectives keeps them together. Or, without the barrier, each GPU goes on by itself, when what
 * it sent in the last phase has been acknowledged and what it receives has arrived.
 */
#include "roster/tables.h"
#include "traffic/groups.h"

#include <stdbool.h>

#include <weft/error.h>

struct fsdp_config
{
    struct weft_groups common; /* bytes, start and spread alone; groups and placement are 0 */
    int64_t gpus;
    int64_t layers;
    int64_t random; /* placement of servers: 0 blocked, 1 random */
    int64_t barrier;
};

static const struct weft_param params[] = {
    WEFT_BYTES_PARAM("What each GPU sends in each phase.", "ofan §8.4"),
    {"layers", WEFT_COUNT, WEFT_P(struct fsdp_config, layers), "1", "1", "1000", NULL,
     "Layers of the model: phases that follow one another.", "ofan §8.4"},
    {"gpus", WEFT_COUNT, WEFT_P(struct fsdp_config, gpus), "0", "0", "1024", NULL,
     "GPUs of a server, each a host; as many rings run side by side; 0: as the topology has it, "
     "and else 8.",
     "ofan §8.4"},
    {"placement", WEFT_CHOICE, WEFT_P(struct fsdp_config, random), "random", NULL, NULL,
     "blocked random", "Where logical server s is: the s-th, or one of a random permutation.",
     "ofan §8.4"},
    {"barrier", WEFT_BOOL, WEFT_P(struct fsdp_config, barrier), "on", NULL, NULL, NULL,
     "A phase begins for all GPUs at once, when the last one has ended for all; off: each GPU goes "
     "on by itself.",
     "ofan §8.4 leaves it open; on (ours)"},
    WEFT_COMPUTE_PARAM("What a GPU computes between two phases."),
    WEFT_START_PARAMS,
};

static const struct weft_preset presets[] = {
    {"llama-7b", "bytes=425984B layers=32", "Llama 7B in FP8: 104 packets of 4096 B per flow.",
     "ofan §8.4"},
    {"llama-70b", "bytes=1712128B layers=80", "Llama 70B in FP8: 418 packets of 4096 B per flow.",
     "ofan §8.4"},
    {"llama-405b", "bytes=6430720B layers=126",
     "Llama 405B in FP8: 1570 packets of 4096 B per flow.", "ofan §8.4"},
};

#define GPUS 8U /* of a server, where nothing says it */

static uint32_t
gpus_of(const struct fsdp_config *c, const struct weft_hosts *hosts)
{
    const uint32_t own = c->gpus > 0 && c->gpus < UINT32_MAX ? (uint32_t)c->gpus : UINT32_MAX;
    return c->gpus ? own : hosts->gpus ? hosts->gpus : GPUS;
}

static bool
whole_servers(const struct fsdp_config *c, const struct weft_hosts *hosts)
{
    const uint32_t gpus = gpus_of(c, hosts);
    return hosts->n % gpus == 0 && hosts->n / gpus >= 2;
}

static struct weft_groups
one_group(const struct fsdp_config *c)
{
    struct weft_groups all = c->common;
    all.groups = 1;
    return all;
}

static const char *
fsdp_refusal(const void *config, const struct weft_hosts *hosts)
{
    const struct fsdp_config *c = (const struct fsdp_config *)config;
    const char *servers = weft_groups_servers_refusal(WEFT_BLOCKED, gpus_of(c, hosts), hosts);
    return servers                   ? servers
           : whole_servers(c, hosts) ? "nothing is sent; expected a layer and a byte at least"
                                     : "the hosts are not two or more whole servers; expected a "
                                       "multiple of gpus, twice that at least";
}

static int
fsdp_count(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct fsdp_config *c = (const struct fsdp_config *)config;
    if (hosts->n > WEFT_MAX_MESSAGES)
    {
        return WEFT_EOVERFLOW;
    }
    const uint32_t gpus = gpus_of(c, hosts);
    if (!whole_servers(c, hosts) || c->layers < 1 || c->common.bytes < 1 ||
        weft_groups_servers_refusal(WEFT_BLOCKED, gpus, hosts))
    {
        return WEFT_ERANGE;
    }
    struct weft_groups all = one_group(c);
    uint64_t layers = (uint64_t)c->layers;
    const uint64_t edges = c->barrier ? 0 : 2 * (layers - 1);
    int error = weft_groups_size(&all, hosts->n, layers, 1, edges, out);
    if (!error)
    {
        out->nnext += hosts->n / gpus; /* scratch: where the servers are */
        out->nsteps = (uint32_t)layers;
    }
    return error;
}

static int
fsdp_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    return weft_workload_refuse(fsdp_count(config, hosts, out), config, hosts, fsdp_refusal);
}

/* The messages of one GPU, one per layer: all like @p first, and waiting for nothing. */
static void
fill_gpu(const struct weft_message *first, uint32_t layers, struct weft_message *messages)
{
    for (uint32_t layer = 0; layer < layers; layer++)
    {
        struct weft_message *m = &messages[first->qp * layers + layer];
        *m = *first;
        m->step = layer;
    }
}

static void
wait_for_all(const struct fsdp_config *c, uint32_t n, struct weft_message *messages)
{
    for (uint32_t i = 0; i < n * (uint32_t)c->layers; i++)
    {
        if (messages[i].step > 0)
        {
            messages[i].barrier = 1;
            messages[i].waits = 1;
            messages[i].start = c->common.compute;
        }
    }
}

/* Each message releases the next one of its own QP and that of the GPU it goes to. */
static void
wait_for_neighbours(const struct fsdp_config *c, uint32_t n, uint32_t gpus,
                    struct weft_message *messages, uint32_t *next)
{
    const uint32_t layers = (uint32_t)c->layers;
    for (uint32_t i = 0; i < n * layers; i++)
    {
        struct weft_message *m = &messages[i];
        weft_groups_wait(&c->common, m->step > 0 ? 2 : 0, m);
        if (m->step + 1 < layers)
        {
            m->nnext = 2;
            m->first_next = 2 * (m->qp * (layers - 1) + m->step);
            next[m->first_next] = i + 1;
            next[m->first_next + 1] = (m->qp + gpus) % n * layers + m->step + 1;
        }
    }
}

/* Writes where each logical server is. */
static void
place_servers(const struct fsdp_config *c, uint32_t n, uint64_t seed, uint64_t run, uint32_t *at)
{
    if (c->random)
    {
        weft_groups_shuffle(n, seed, run, at);
        return;
    }
    for (uint32_t s = 0; s < n; s++)
    {
        at[s] = s;
    }
}

static int
fsdp_fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
          struct weft_message *messages, uint32_t *next)
{
    const struct fsdp_config *c = (const struct fsdp_config *)config;
    struct weft_traffic_size size;
    int error = fsdp_size(config, hosts, &size);
    if (error)
    {
        return error;
    }
    struct weft_groups all = one_group(c);
    uint32_t gpus = gpus_of(c, hosts), layers = (uint32_t)c->layers;
    uint32_t *at = next + (size.nnext - hosts->n / gpus);
    place_servers(c, hosts->n / gpus, seed, run, at);
    for (uint32_t gpu = 0; gpu < hosts->n; gpu++)
    {
        uint32_t to = (gpu + gpus) % hosts->n;
        struct weft_message first;
        weft_groups_message(&all, hosts->n, 0, at[gpu / gpus] * gpus + gpu % gpus,
                            at[to / gpus] * gpus + to % gpus, &first);
        first.qp = gpu;
        fill_gpu(&first, layers, messages);
    }
    if (c->barrier)
    {
        wait_for_all(c, hosts->n, messages);
    }
    else
    {
        wait_for_neighbours(c, hosts->n, gpus, messages, next);
    }
    weft_groups_number(weft_groups_rails(&all, hosts), hosts, size.nmessages, messages);
    weft_groups_spread(&c->common, seed, run, size.nmessages, messages);
    return 0;
}

const struct weft_workload_ops weft_workload_fsdp = {
    {"fsdp", "Backward pass of sharded data parallelism: rings across servers, phase by phase.",
     "ofan §8.4", params, sizeof params / sizeof params[0], presets,
     sizeof presets / sizeof presets[0], sizeof(struct fsdp_config), NULL},
    fsdp_size,
    fsdp_fill,
    NULL,
    WEFT_TABLE_NONE,
    NULL,
    NULL,
};

/* SPDX-License-Identifier: MIT */
/*
 * Permutation: every rank sends to one other and receives from one other. The random one is
 * uniform over all permutations without fixed points, by rejection: e = 2.72 shuffles on average.
 */
#include "base/tables.h"
#include "traffic/groups.h"

#include <weft/error.h>
#include <weft/rng.h>

/* "perm" in ASCII: this workload's random streams, one per group. */
#define STREAM (UINT64_C(0x7065726d) << 32)

enum pattern
{
    RANDOM,
    SHIFT,
};

struct permutation_config
{
    struct weft_groups common;
    int64_t pattern; /* enum pattern */
    int64_t shift;
};

static const struct weft_param params[] = {
    WEFT_GROUP_PARAMS("What each rank sends."),
    {"pattern", WEFT_CHOICE, WEFT_P(struct permutation_config, pattern), "random", NULL, NULL,
     "random shift", "Uniform over the permutations without fixed points, or rank + shift.",
     "ofan §3"},
    {"shift", WEFT_COUNT, WEFT_P(struct permutation_config, shift), "1", "1", "1048575", NULL,
     "With pattern shift: rank r sends to rank r + shift of its group.", "ofan §3"},
};

static int
permutation_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct permutation_config *c = (const struct permutation_config *)config;
    uint32_t ranks = 0;
    int error = weft_groups_ranks(&c->common, hosts->n, &ranks);
    if (error)
    {
        return error;
    }
    if (c->pattern == SHIFT && c->shift % ranks == 0)
    {
        return WEFT_ERANGE; /* every rank would send to itself */
    }
    return weft_groups_size(&c->common, ranks, 1, 1, 0, out);
}

/* Fisher-Yates over m[].dst, given up as soon as a rank is its own receiver. */
static int
try_shuffle(struct weft_message *m, uint32_t n, struct weft_rng *rng)
{
    for (uint32_t i = 0; i < n; i++)
    {
        m[i].dst = m[i].src;
    }
    for (uint32_t i = n; i-- > 0;)
    {
        uint32_t j = weft_rng_below(rng, i + 1);
        uint32_t dst = m[j].dst;
        m[j].dst = m[i].dst;
        m[i].dst = dst;
        if (dst == m[i].src)
        {
            return 0;
        }
    }
    return 1;
}

static void
fill_group(const struct permutation_config *c, uint32_t ranks, uint32_t group, uint64_t seed,
           uint64_t run, struct weft_message *m)
{
    uint32_t shift = c->pattern == SHIFT ? (uint32_t)(c->shift % ranks) : 1;
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        weft_groups_message(&c->common, ranks, group, rank, (rank + shift) % ranks, &m[rank]);
        m[rank].qp = group * ranks + rank;
    }
    if (c->pattern == RANDOM)
    {
        struct weft_rng rng;
        weft_rng_seed(&rng, seed, run, STREAM + group);
        while (!try_shuffle(m, ranks, &rng))
        {
        }
    }
}

static int
permutation_fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
                 struct weft_message *messages, uint32_t *next)
{
    const struct permutation_config *c = (const struct permutation_config *)config;
    struct weft_traffic_size size;
    int error = permutation_size(config, hosts, &size);
    (void)next;
    for (uint32_t group = 0; !error && group < size.ngroups; group++)
    {
        uint32_t ranks = hosts->n / size.ngroups;
        fill_group(c, ranks, group, seed, run, messages + (size_t)group * ranks);
    }
    return error;
}

const struct weft_workload_ops weft_workload_permutation = {
    {"permutation", "Every rank sends to one other rank of its group and receives from one other.",
     "ofan §3", params, sizeof params / sizeof params[0], NULL, 0,
     sizeof(struct permutation_config), NULL},
    permutation_size,
    permutation_fill,
};

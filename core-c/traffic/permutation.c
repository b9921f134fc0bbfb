/* SPDX-License-Identifier: MIT */
/*
 * Permutation: every rank sends to one other and receives from one other.
 *
 * Pattern random is uniform over all permutations without fixed points, by rejection: e = 2.72
 * shuffles on average.
 *
 * Pattern inter-pod is uniform over the permutations in which no host sends into its own pod. Of
 * all permutations these are about exp(-hosts per pod): too few to reject the others. So the
 * receivers are mixed by a Markov chain: swap those of two random ranks, or rotate those of three,
 * unless a host would then send into its pod. The reverse of a move is as likely as the move, so
 * the stationary distribution is uniform. It reaches everything: if the wanted receivers t[i + 1]
 * of ranks 0 .. l-1 are a cycle of their present ones t[i], some swap puts rank i right, unless
 * t[i] is in the pod of rank i + 1 for every i; then no t[i] is in the pod of rank i + 2, and a
 * rotation puts ranks i and i + 1 right. (Swaps alone do not: three hosts in three pods have two
 * such permutations.) Random swaps mix n things in n ln(n) / 2 of them. At worst, with two or three
 * pods, half of the swaps are legal; 8 n log2(n) moves are some 6 times what is needed.
 */
#include "roster/tables.h"
#include "traffic/groups.h"

#include <stdbool.h>

#include <weft/error.h>
#include <weft/rng.h>

/* "perm" in ASCII: this workload's random streams, one per group. */
#define STREAM (UINT64_C(0x7065726d) << 32)

enum pattern
{
    RANDOM,
    SHIFT,
    INTER_POD,
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
     "random shift inter-pod",
     "Uniform over the permutations without fixed points, rank + shift, or uniform over those in "
     "which nobody sends into its own pod.",
     "ofan §5; inter-pod: §7, F.2"},
    {"shift", WEFT_COUNT, WEFT_P(struct permutation_config, shift), "1", "1", "1048575", NULL,
     "With pattern shift: rank r sends to rank r + shift of its group. Other patterns ignore it.",
     "(ours)"},
};

/* Most ranks of one group that share a pod. Ranks are in the order of their hosts. */
static uint32_t
largest_share(const struct permutation_config *c, const struct weft_hosts *hosts, uint32_t ranks,
              uint32_t group)
{
    uint32_t most = 0;
    uint32_t count = 0;
    uint32_t pod = UINT32_MAX;
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        uint32_t host = weft_groups_host(&c->common, ranks, group, rank);
        uint32_t its = weft_host_at(hosts, host) / hosts->per_pod;
        count = its == pod ? count + 1 : 1;
        most = count > most ? count : most;
        pod = its;
    }
    return most;
}

/* Whether everyone can send to another pod: no pod holds more than half of a group. */
static bool
spans_pods(const struct permutation_config *c, const struct weft_hosts *hosts, uint32_t ranks)
{
    bool spans = c->common.placement != WEFT_RANDOM && weft_groups_rails(&c->common, hosts) == 0;
    for (uint32_t group = 0; spans && group < hosts->n / ranks; group++)
    {
        spans = largest_share(c, hosts, ranks, group) <= ranks / 2;
    }
    return spans;
}

static const char *
permutation_refusal(const void *config, const struct weft_hosts *hosts)
{
    const struct permutation_config *c = (const struct permutation_config *)config;
    const char *groups = weft_groups_refusal(&c->common, hosts);
    if (groups)
    {
        return groups;
    }
    if (c->pattern == SHIFT)
    {
        return "every rank would send to itself; expected a shift that is no multiple of the ranks";
    }
    if (!hosts->at && hosts->per_pod >= hosts->n)
    {
        return "pattern inter-pod has no other pod to send to: a fabric of two tiers is one pod, "
               "and so is a graph, such as a fabric with tors-per-host; expected a fat-tree of "
               "three tiers whose hosts have one ToR in each plane";
    }
    return "a pod holds more than half of a group, so that not all can send to other pods; "
           "expected "
           "at least two pods, and in none of them more than half of a group";
}

static const char *
permutation_check(const void *config)
{
    const struct permutation_config *c = (const struct permutation_config *)config;
    if (c->pattern == INTER_POD && (c->common.placement == WEFT_RANDOM || c->common.rails > 0))
    {
        return "pattern inter-pod needs to know which pods a group spans; expected placement "
               "interleaved or blocked, and no rails";
    }
    return NULL;
}

static int
permutation_count(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct permutation_config *c = (const struct permutation_config *)config;
    uint32_t ranks = 0;
    int error = weft_groups_ranks(&c->common, hosts, &ranks);
    if (error)
    {
        return error;
    }
    if (c->pattern == SHIFT && c->shift % ranks == 0)
    {
        return WEFT_ERANGE; /* every rank would send to itself */
    }
    if (c->pattern == INTER_POD && !spans_pods(c, hosts, ranks))
    {
        return WEFT_ERANGE;
    }
    return weft_groups_size(&c->common, ranks, 1, 1, 0, out);
}

static int
permutation_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    return weft_workload_refuse(permutation_count(config, hosts, out), config, hosts,
                                permutation_refusal);
}

/* Fisher-Yates over m[].dst, given up as soon as a rank is its own receiver. */
static bool
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
            return false;
        }
    }
    return true;
}

static bool
leaves_pod(const struct weft_message *from, uint32_t dst, const struct weft_hosts *hosts)
{
    return weft_host_at(hosts, from->src) / hosts->per_pod !=
           weft_host_at(hosts, dst) / hosts->per_pod;
}

/* Makes one move of the Markov chain: i, j and k take each other's receivers; i and j alone if k is
 * i. */
static void
try_rotation(struct weft_message *m, uint32_t i, uint32_t j, uint32_t k,
             const struct weft_hosts *hosts)
{
    uint32_t for_i = m[j].dst;
    uint32_t for_j = m[k].dst;
    uint32_t for_k = m[i].dst;
    if (i == j || j == k || !leaves_pod(&m[i], for_i, hosts) || !leaves_pod(&m[j], for_j, hosts) ||
        (k != i && !leaves_pod(&m[k], for_k, hosts)))
    {
        return;
    }
    m[j].dst = for_j;
    m[k].dst = for_k;
    m[i].dst = for_i;
}

static void
mix(struct weft_message *m, uint32_t n, const struct weft_hosts *hosts, struct weft_rng *rng)
{
    uint64_t moves = 0;
    for (uint32_t size = n; size > 0; size /= 2)
    {
        moves += 8 * (uint64_t)n;
    }
    while (moves-- > 0)
    {
        uint32_t i = weft_rng_below(rng, n);
        uint32_t j = weft_rng_below(rng, n);
        uint32_t k = weft_rng_below(rng, 2 * n);
        try_rotation(m, i, j, k < n ? k : i, hosts);
    }
}

/* The shift that sends every rank out of its pod, where there is one, is at least a pod's share. */
static uint32_t
first_shift(const struct permutation_config *c, const struct weft_hosts *hosts, uint32_t ranks,
            uint32_t group)
{
    switch (c->pattern)
    {
    case SHIFT:
        return (uint32_t)(c->shift % ranks);
    case INTER_POD:
        return largest_share(c, hosts, ranks, group);
    default:
        return 1;
    }
}

static void
fill_group(const struct permutation_config *c, const struct weft_hosts *hosts, uint32_t ranks,
           uint32_t group, struct weft_rng *rng, struct weft_message *m)
{
    uint32_t shift = first_shift(c, hosts, ranks, group);
    for (uint32_t rank = 0; rank < ranks; rank++)
    {
        weft_groups_message(&c->common, ranks, group, rank, (rank + shift) % ranks, &m[rank]);
        m[rank].qp = group * ranks + rank;
    }
    if (c->pattern == INTER_POD)
    {
        mix(m, ranks, hosts, rng);
    }
    while (c->pattern == RANDOM && !try_shuffle(m, ranks, rng))
    {
    }
}

static int
permutation_fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
                 struct weft_message *messages, uint32_t *next)
{
    const struct permutation_config *c = (const struct permutation_config *)config;
    struct weft_traffic_size size;
    int error = permutation_size(config, hosts, &size);
    for (uint32_t group = 0; !error && group < size.ngroups; group++)
    {
        uint32_t ranks = hosts->n / size.ngroups;
        struct weft_rng rng;
        weft_rng_seed(&rng, seed, run, STREAM + group);
        fill_group(c, hosts, ranks, group, &rng, messages + (size_t)group * ranks);
    }
    if (!error)
    {
        weft_groups_finish(&c->common, hosts, &size, seed, run, messages, next);
    }
    return error;
}

const struct weft_workload_ops weft_workload_permutation = {
    {"permutation", "Every rank sends to one other rank of its group and receives from one other.",
     "ofan §5", params, sizeof params / sizeof params[0], NULL, 0,
     sizeof(struct permutation_config), permutation_check},
    permutation_size,
    permutation_fill,
    weft_groups_message_bound,
    WEFT_TABLE_NONE,
    NULL,
    NULL,
};

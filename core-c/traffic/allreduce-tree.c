/* SPDX-License-Identifier: MIT */
/*
 * Allreduce over two binary trees (Sanders, Speck & Traff 2009; NCCL since 2.4 calls it the double
 * binary tree). Each tree reduces one half of the vector to its root and sends the result back
 * down, chunk by chunk. A rank that is an inner node in one tree is a leaf in the other, so that
 * both trees together use what every rank can send and receive; of an odd number, as in NCCL, rank
 * 0 alone is an inner node in both, with one child in each.
 *
 * The trees are NCCL's (double-tree.h). A node sends a chunk up once it has that chunk from its
 * children, and down once it has it from its parent.
 *
 * The step of a message is its place in the longest chain of those that it waits for.
 */
#include "roster/tables.h"
#include "traffic/double-tree.h"
#include "traffic/groups.h"

#include <weft/error.h>

struct tree_config
{
    struct weft_groups common;
    int64_t chunk;
};

static const struct weft_param params[] = {
    WEFT_GROUP_PARAMS("The vector that each rank contributes; each tree carries half of it."),
    WEFT_COMPUTE_PARAMS,
    {"chunk", WEFT_BYTES, WEFT_P(struct tree_config, chunk), "512KiB", "1B", "1000000GB", NULL,
     "What a node passes on as one message. Small chunks let the levels of the tree overlap.",
     "Sanders et al. 2009; the default as in NCCL's buffers"},
};

/* Tree of one group. */
struct tree
{
    const struct tree_config *config;
    uint32_t ranks;
    uint32_t group;
    uint32_t second; /* 0 or 1 */
    uint32_t chunks;
    uint32_t first; /* its first message; as many QPs, divided by chunks, are before its own */
};

static uint64_t
half_of(const struct tree_config *c)
{
    return weft_groups_part(&c->common, 2);
}

static uint64_t
chunks_of(const struct tree_config *c)
{
    return (half_of(c) - 1) / (uint64_t)c->chunk + 1;
}

static int
tree_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct tree_config *c = config;
    uint32_t ranks = 0;
    int error = weft_groups_ranks(&c->common, hosts, &ranks);
    if (!error && c->chunk < 1)
    {
        return weft_refuse_config(hosts->why, &weft_workload_allreduce_tree.algo, config);
    }
    if (error)
    {
        return weft_groups_refuse(error, &c->common, hosts);
    }
    const uint64_t chunks = chunks_of(c);
    const uint64_t trees = 2 * (uint64_t)c->common.groups, edges = 2 * ((uint64_t)ranks - 1);
    if (chunks > WEFT_MAX_MESSAGES / (trees * edges))
    {
        return weft_groups_refuse(WEFT_EOVERFLOW, &c->common, hosts);
    }
    error = weft_groups_size(&c->common, ranks, 1, 1, 0, out);
    if (!error)
    {
        out->nmessages = (uint32_t)(trees * edges * chunks);
        out->nqps = (uint32_t)(trees * edges);
        out->nnext += (uint32_t)(trees * (edges - 1) * chunks);
        out->nsteps = 2 * weft_tree_height(ranks);
        out->bytes = chunks == 1 ? half_of(c) : (uint64_t)c->chunk;
        out->bytes = half_of(c) % out->bytes == 0 ? out->bytes : 0;
    }
    return weft_groups_refuse(error, &c->common, hosts);
}

/* The message between node v and its parent. */
static uint32_t
number(const struct tree *t, uint32_t v, uint32_t down, uint32_t chunk)
{
    return t->first + (down * (t->ranks - 1) + v - 1) * t->chunks + chunk;
}

/* Adds successors from next[*used] on. */
static void
fill_up(const struct tree *t, uint32_t v, uint32_t chunk, struct weft_message *m, uint32_t *next,
        uint32_t *used)
{
    uint32_t children[2];
    const uint32_t parent = weft_tree_parent(v, t->ranks);
    m->step = weft_tree_level(v);
    weft_groups_wait(&t->config->common, weft_tree_children(v, t->ranks, children), m);
    m->first_next = *used;
    m->nnext = 1;
    next[(*used)++] = parent ? number(t, parent, 0, chunk) : number(t, v, 1, chunk);
}

static void
fill_down(const struct tree *t, uint32_t v, uint32_t chunk, struct weft_message *m, uint32_t *next,
          uint32_t *used)
{
    uint32_t children[2];
    m->step = weft_tree_height(t->ranks) + weft_tree_depth(v, t->ranks);
    weft_groups_wait(&t->config->common, 1, m);
    m->first_next = *used;
    m->nnext = weft_tree_children(v, t->ranks, children);
    for (uint32_t i = 0; i < m->nnext; i++)
    {
        next[(*used)++] = number(t, children[i], 1, chunk);
    }
}

static void
fill_tree(const struct tree *t, struct weft_message *messages, uint32_t *next, uint32_t *used)
{
    const struct tree_config *c = t->config;
    for (uint32_t i = 0; i < 2 * (t->ranks - 1) * t->chunks; i++)
    {
        const uint32_t edge = i / t->chunks, chunk = i % t->chunks;
        const uint32_t down = edge / (t->ranks - 1), v = edge % (t->ranks - 1) + 1;
        const uint32_t child = weft_tree_rank(t->second, v, t->ranks),
                       parent = weft_tree_rank(t->second, weft_tree_parent(v, t->ranks), t->ranks);
        const uint64_t left = half_of(c) - (uint64_t)chunk * (uint64_t)c->chunk;
        struct weft_message *m = &messages[t->first + i];
        weft_groups_message(&c->common, t->ranks, t->group, down ? parent : child,
                            down ? child : parent, m);
        m->bytes = left < (uint64_t)c->chunk ? left : (uint64_t)c->chunk;
        m->qp = t->first / t->chunks + edge;
        (down ? fill_down : fill_up)(t, v, chunk, m, next, used);
    }
}

static int
tree_fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
          struct weft_message *messages, uint32_t *next)
{
    const struct tree_config *c = config;
    struct weft_traffic_size size;
    int error = tree_size(config, hosts, &size);
    uint32_t used = 0;
    for (uint32_t i = 0; !error && i < 2 * size.ngroups; i++)
    {
        const struct tree t = {.config = c,
                               .ranks = hosts->n / size.ngroups,
                               .group = i / 2,
                               .second = i % 2,
                               .chunks = (uint32_t)chunks_of(c),
                               .first = i * (size.nmessages / (2 * size.ngroups))};
        fill_tree(&t, messages, next, &used);
    }
    if (!error)
    {
        weft_groups_finish(&c->common, hosts, &size, seed, run, messages, next);
    }
    return error;
}

const struct weft_workload_ops weft_workload_allreduce_tree = {
    {"allreduce-tree",
     "Allreduce over two binary trees: each reduces half of the vector and sends it back down.",
     "Sanders et al. 2009; NCCL 2.4", params, sizeof params / sizeof params[0], NULL, 0,
     sizeof(struct tree_config), NULL},
    tree_size,
    tree_fill,
    NULL,
    WEFT_TABLE_NONE,
    NULL,
    weft_groups_bus,
};

/* SPDX-License-Identifier: MIT */
/*
 * Tree: the ranks of a group are a double binary tree, and each edge of both trees carries one
 * message, up or down. It is what reduce, broadcast and an allreduce over trees are made of,
 * without their pipelining.
 *
 * A host sends at most two messages and receives at most two. The step of a message is its place in
 * the longest chain of those that it waits for, or would wait for.
 */
#include "base/saturating.h"
#include "roster/tables.h"
#include "traffic/double-tree.h"
#include "traffic/groups.h"

#include <stdbool.h>

#include <weft/error.h>

enum direction
{
    REDUCE,
    BROADCAST,
};

struct tree_config
{
    struct weft_groups common;
    int64_t direction; /* enum direction */
    int64_t waits;
};

static const struct weft_param params[] = {
    WEFT_GROUP_PARAMS("What each edge of each of the two trees carries."),
    WEFT_COMPUTE_PARAM("With waits: what a rank computes between what it receives and what it then "
                       "sends."),
    {"direction", WEFT_CHOICE, WEFT_P(struct tree_config, direction), "reduce", NULL, NULL,
     "reduce broadcast", "Whether children send to their parents or parents to their children.",
     "pro §VI-A; default (ours)"},
    {"waits", WEFT_BOOL, WEFT_P(struct tree_config, waits), "off", NULL, NULL, NULL,
     "Whether a rank sends in a tree once it has received all that comes to it in that tree; off: "
     "all send at once.",
     "(ours)"},
};

/* Tree of one group. */
struct tree
{
    const struct tree_config *config;
    uint32_t ranks;
    uint32_t group;
    uint32_t second; /* 0 or 1 */
    uint32_t first;  /* its first message and QP: that between node 1 and its parent */
};

static int
tree_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct tree_config *c = config;
    uint32_t ranks = 0;
    int error = weft_groups_ranks(&c->common, hosts, &ranks);
    error = error ? error : weft_groups_size(&c->common, ranks, 2, 2, 0, out);
    if (!error)
    {
        const uint32_t trees = 2 * out->ngroups;
        out->nmessages = trees * (ranks - 1);
        out->nqps = out->nmessages;
        out->nnext += c->waits ? trees * (ranks - 2) : 0;
        out->nsteps = c->waits ? weft_tree_height(ranks) : 1;
    }
    return weft_groups_refuse(error, &c->common, hosts);
}

/* Adds what comes after the message between node v and its parent, from next[*used] on. */
static void
fill_waits(const struct tree *t, uint32_t v, struct weft_message *m, uint32_t *next, uint32_t *used)
{
    const bool down = t->config->direction == BROADCAST;
    const uint32_t parent = weft_tree_parent(v, t->ranks);
    uint32_t children[2];
    const uint32_t nchildren = weft_tree_children(v, t->ranks, children);
    uint32_t after = nchildren;
    if (!down)
    {
        children[0] = parent;
        after = parent > 0;
    }
    weft_groups_wait(&t->config->common, down ? parent > 0 : nchildren, m);
    m->first_next = *used;
    m->nnext = after;
    for (uint32_t i = 0; i < after; i++)
    {
        next[(*used)++] = t->first + children[i] - 1;
    }
}

static void
fill_tree(const struct tree *t, struct weft_message *messages, uint32_t *next, uint32_t *used)
{
    const struct tree_config *c = t->config;
    for (uint32_t v = 1; v < t->ranks; v++)
    {
        const uint32_t parent = weft_tree_rank(t->second, weft_tree_parent(v, t->ranks), t->ranks);
        const uint32_t child = weft_tree_rank(t->second, v, t->ranks);
        const bool down = c->direction == BROADCAST;
        struct weft_message *m = &messages[t->first + v - 1];
        weft_groups_message(&c->common, t->ranks, t->group, down ? parent : child,
                            down ? child : parent, m);
        m->qp = t->first + v - 1;
        m->step = down ? weft_tree_depth(v, t->ranks) : weft_tree_level(v);
        if (c->waits)
        {
            fill_waits(t, v, m, next, used);
        }
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
        const uint32_t ranks = hosts->n / size.ngroups;
        const struct tree t = {
            .config = c, .ranks = ranks, .group = i / 2, .second = i % 2, .first = i * (ranks - 1)};
        fill_tree(&t, messages, next, &used);
    }
    if (!error)
    {
        weft_groups_finish(&c->common, hosts, &size, seed, run, messages, next);
    }
    return error;
}

/* --- bounds ----------------------------------------------------------------------------------- */

struct legs
{
    const struct weft_groups *groups;
    uint32_t ranks;
    int64_t one;  /* a message by itself */
    int64_t both; /* the two of a node's children, which share its wire */
};

/* Two equal messages that leave a host: as in an all-to-all of three. */
static int64_t
leave(const struct weft_wire *wire, uint64_t bytes)
{
    return weft_alltoall_bound(wire, 3, 3 * bytes);
}

/*
 * The least time in which what is below node v comes to it. The messages of two children share its
 * wire: they take the time of both, from when the first of them can begin. For what goes down, from
 * v to all that is below it, the same holds with time reversed.
 */
static int64_t
below(const struct legs *l, uint32_t v)
{
    uint32_t children[2];
    const uint32_t n = weft_tree_children(v, l->ranks, children);
    int64_t least = WEFT_NEVER, most = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        const int64_t sent = weft_groups_computing(l->groups, weft_tree_level(children[i]) > 0,
                                                   below(l, children[i]));
        least = sent < least ? sent : least;
        most = weft_larger(most, weft_sum(sent, l->one));
    }
    return n == 2 ? weft_larger(most, weft_sum(least, l->both)) : most;
}

/* With waits, from the first start to the last delivery. */
static int64_t
chain_bound(const struct tree_config *c, const struct weft_wire *wire, uint32_t ranks)
{
    const uint64_t bytes = (uint64_t)c->common.bytes;
    const uint32_t top = weft_tree_top(ranks);
    const struct legs l = {
        .groups = &c->common,
        .ranks = ranks,
        .one = weft_message_bound(wire, bytes),
        .both = c->direction == REDUCE ? weft_incast_bound(wire, 2, bytes) : leave(wire, bytes),
    };
    return weft_sum(weft_groups_computing(&c->common, weft_tree_level(top) > 0, below(&l, top)),
                    l.one);
}

/*
 * Without: some host sends two messages, and some host receives two; of four ranks or more, some
 * host does both, so that its wires carry the ACKs of both as well.
 */
static int64_t
at_once_bound(uint64_t bytes, uint32_t ranks, const struct weft_bound_case *of)
{
    const uint32_t most = ranks > 2 ? 2 : 1;
    const int64_t come = weft_incast_bound(&of->wire, most, bytes);
    if (!of->acked)
    {
        return ranks > 2 ? weft_larger(come, leave(&of->wire, bytes)) : come;
    }
    const int64_t answered = weft_answered_bound(&of->wire, most, bytes, of->pace);
    const int64_t acked = ranks > 3 && !of->ideal_acks
                              ? weft_alltoall_acked_bound(&of->wire, 3, bytes, of->pace)
                              : answered;
    return weft_larger(acked, weft_sum(come, weft_ack_way(&of->wire)));
}

static int64_t
tree_bound(const void *config, const struct weft_hosts *hosts, const struct weft_bound_case *of)
{
    const struct tree_config *c = config;
    const uint32_t ranks = hosts->n / (uint32_t)c->common.groups;
    if (of->partial)
    {
        return -1;
    }
    const int64_t loaded = at_once_bound((uint64_t)c->common.bytes, ranks, of);
    const int64_t answer = of->acked ? weft_ack_way(&of->wire) : 0;
    return c->waits ? weft_larger(loaded, weft_sum(chain_bound(c, &of->wire, ranks), answer))
                    : loaded;
}

const struct weft_workload_ops weft_workload_tree = {
    {"tree", "Two binary trees over all ranks of a group: each edge of both carries one message.",
     "pro §VI-A; Sanders et al. 2009; NCCL 2.4", params, sizeof params / sizeof params[0], NULL, 0,
     sizeof(struct tree_config), NULL},
    tree_size,
    tree_fill,
    tree_bound,
    WEFT_TABLE_NONE,
    NULL,
    NULL,
};

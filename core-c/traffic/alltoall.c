/* SPDX-License-Identifier: MIT */
/*
 * Direct all-to-all: one QP and one message per ordered pair. Rank r's first peer is r + 1, its
 * second r + 2, ..., so that the ranks do not all start with the same receiver.
 *
 * With a concurrency of c, message i of a rank begins when its message i - c is acknowledged: a
 * rank works off c lists of peers side by side, as NCCL's channels do.
 *
 * With relays (NCCL's PXN) GPU i of a server sends nothing to another rail: what it has for GPU j
 * of another server it gives GPU j of its own, over the server's network. When GPU j has what all
 * of its server have for one GPU of its rail it sends this as one message.
 */
#include "roster/tables.h"
#include "traffic/groups.h"

#include <weft/error.h>

enum scope
{
    TOTAL,
    PAIR,
};

enum relay
{
    NONE,
    PXN,
};

struct alltoall_config
{
    struct weft_groups common;
    int64_t scope; /* enum scope */
    int64_t concurrency;
    int64_t relay; /* enum relay */
};

static const struct weft_param params[] = {
    WEFT_GROUP_PARAMS("What each rank holds for all ranks (scope total) or for each (scope pair)."),
    {"scope", WEFT_CHOICE, WEFT_P(struct alltoall_config, scope), "total", NULL, NULL, "total pair",
     "Whether bytes is a rank's total, with 1/ranks of it for each rank, or the share of one pair.",
     "(ours)"},
    {"concurrency", WEFT_COUNT, WEFT_P(struct alltoall_config, concurrency), "0", "0", "1048575",
     NULL,
     "Messages that a rank has under way at most: each further one begins when the one so many "
     "before it is acknowledged; 0: all at once.",
     "pro §VI-C; how the next one begins: NCCL's channels"},
    {"relay", WEFT_CHOICE, WEFT_P(struct alltoall_config, relay), "none", NULL, NULL, "none pxn",
     "pxn: what is for GPU j of another server goes by GPU j of the own one, which it reaches over "
     "the server's network (scale-up), and from there on j's rail, with what the server's others "
     "have for it.",
     "NCCL 2.12 (PXN)"},
};

static const char *
check(const void *config)
{
    const struct alltoall_config *c = config;
    return c->relay == PXN && c->concurrency > 0
               ? "relays have messages to all peers under way; expected concurrency 0"
               : NULL;
}

/* Messages of a rank that begin at once. */
static uint32_t
window_of(const struct alltoall_config *c, uint32_t peers)
{
    return c->concurrency > 0 && c->concurrency < peers ? (uint32_t)c->concurrency : peers;
}

static uint64_t
bytes_of(const struct alltoall_config *c, uint32_t ranks)
{
    return weft_groups_part(&c->common, c->scope == PAIR ? 1 : ranks);
}

/* Ranks of a group, as servers; without relays each is one. */
struct shape
{
    uint32_t ranks, gpus, servers;
};

static const char *
servers_refusal(const struct alltoall_config *c, uint32_t ranks, const struct weft_hosts *hosts)
{
    return c->relay == NONE ? NULL
           : hosts->gpus == 0 || !hosts->scale_up
               ? "relays need servers with a network of their own; expected a topology with "
                 "gpus-per-server and scale-up-rate"
               : weft_groups_whole_servers_refusal(&c->common, hosts->gpus, ranks, hosts);
}

static const char *
alltoall_refusal(const void *config, const struct weft_hosts *hosts)
{
    const struct alltoall_config *c = config;
    uint32_t ranks = 0;
    return weft_groups_ranks(&c->common, hosts, &ranks) ? weft_groups_refusal(&c->common, hosts)
                                                        : servers_refusal(c, ranks, hosts);
}

/* Returns 0 or an error. */
static int
shape_of(const struct alltoall_config *c, const struct weft_hosts *hosts, struct shape *s)
{
    const int error = weft_groups_ranks(&c->common, hosts, &s->ranks);
    if (error || servers_refusal(c, s->ranks, hosts) != NULL)
    {
        return error ? error : WEFT_ERANGE;
    }
    s->gpus = c->relay == PXN ? hosts->gpus : 1;
    s->servers = s->ranks / s->gpus;
    return 0;
}

static int
relay_size(const struct alltoall_config *c, const struct shape *s, struct weft_traffic_size *out)
{
    const uint32_t inside = s->gpus - 1, across = s->servers - 1;
    const int error =
        weft_groups_size(&c->common, s->ranks, s->ranks - 1, inside + across, inside * across, out);
    out->nsteps = inside > 0 && across > 0 ? 2 : 1;
    out->bytes = inside > 0 && across > 0 ? 0 : bytes_of(c, s->ranks);
    return error;
}

static int
direct_size(const struct alltoall_config *c, uint32_t ranks, struct weft_traffic_size *out)
{
    const uint32_t peers = ranks - 1, window = window_of(c, peers);
    const int error = weft_groups_size(&c->common, ranks, peers, peers, peers - window, out);
    out->nsteps = window < peers ? (peers - 1) / window + 1 : 1;
    out->bytes = bytes_of(c, ranks);
    return error;
}

static int
alltoall_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct alltoall_config *c = (const struct alltoall_config *)config;
    struct shape s;
    int error = shape_of(c, hosts, &s);
    if (!error)
    {
        error = c->relay == PXN ? relay_size(c, &s, out) : direct_size(c, s.ranks, out);
    }
    return weft_workload_refuse(error, config, hosts, alltoall_refusal);
}

/* The messages of one rank to the @p k-th next GPU of its server: what goes on from there, the
 * next server's first, and what stays there. */
static void
fill_inside(const struct alltoall_config *c, const struct shape *s, uint32_t index, uint32_t k,
            struct weft_message *messages, uint32_t *next)
{
    const uint32_t rank = index % s->ranks, gpu = rank % s->gpus, across = s->servers - 1;
    const uint32_t to = rank - gpu + (gpu + k) % s->gpus, first = (k - 1) * s->servers;
    for (uint32_t t = 0; t < s->servers; t++)
    {
        struct weft_message *m = &messages[(size_t)index * (s->ranks - 1) + first + t];
        weft_groups_message(&c->common, s->ranks, index / s->ranks, rank, to, m);
        m->bytes = bytes_of(c, s->ranks);
        m->qp = index * (s->gpus - 1 + across) + k - 1;
        if (t < across)
        {
            m->first_next = (index * (s->gpus - 1) + k - 1) * across + t;
            m->nnext = 1;
            next[m->first_next] =
                (index - rank + to) * (s->ranks - 1) + (s->gpus - 1) * s->servers + t;
        }
    }
}

/* The messages of one rank to its rail's. */
static void
fill_across(const struct alltoall_config *c, const struct shape *s, uint32_t index,
            struct weft_message *messages)
{
    const uint32_t inside = s->gpus - 1, across = s->servers - 1, rank = index % s->ranks;
    for (uint32_t t = 0; t < across; t++)
    {
        const uint32_t to = (rank + (t + 1) * s->gpus) % s->ranks;
        struct weft_message *m =
            &messages[(size_t)index * (s->ranks - 1) + inside * s->servers + t];
        weft_groups_message(&c->common, s->ranks, index / s->ranks, rank, to, m);
        m->bytes = bytes_of(c, s->ranks) * s->gpus;
        m->qp = index * (inside + across) + inside + t;
        m->step = inside > 0;
        m->waits = inside;
    }
}

static void
fill_relayed(const struct alltoall_config *c, const struct shape *s, uint32_t index,
             struct weft_message *messages, uint32_t *next)
{
    for (uint32_t k = 1; k < s->gpus; k++)
    {
        fill_inside(c, s, index, k, messages, next);
    }
    fill_across(c, s, index, messages);
}

/* The messages of one rank, from the index-th rank's first one on. */
static void
fill_rank(const struct alltoall_config *c, uint32_t ranks, uint32_t index,
          struct weft_message *messages, uint32_t *next)
{
    const uint32_t peers = ranks - 1, window = window_of(c, peers), later = peers - window;
    const uint32_t rank = index % ranks;
    for (uint32_t i = 0; i < peers; i++)
    {
        const uint32_t number = index * peers + i;
        struct weft_message *m = &messages[number];
        weft_groups_message(&c->common, ranks, index / ranks, rank, (rank + 1 + i) % ranks, m);
        m->bytes = bytes_of(c, ranks);
        m->qp = number;
        m->step = later ? i / window : i;
        m->waits = i >= window;
        if (i < later)
        {
            m->first_next = index * later + i;
            m->nnext = 1;
            next[m->first_next] = number + window;
        }
    }
}

static int
alltoall_fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
              struct weft_message *messages, uint32_t *next)
{
    const struct alltoall_config *c = (const struct alltoall_config *)config;
    struct weft_traffic_size size;
    struct shape s;
    int error = alltoall_size(config, hosts, &size);
    error = error ? error : shape_of(c, hosts, &s);
    if (error)
    {
        return error;
    }
    for (uint32_t index = 0; index < hosts->n; index++)
    {
        if (c->relay == PXN)
        {
            fill_relayed(c, &s, index, messages, next);
        }
        else
        {
            fill_rank(c, s.ranks, index, messages, next);
        }
    }
    weft_groups_finish(&c->common, hosts, &size, seed, run, messages, next);
    return 0;
}

/* Bounds what a rank sends one after the other: each message is acknowledged before the next
 * begins. */
static int64_t
turns_bound(const struct alltoall_config *c, uint32_t ranks, const struct weft_bound_case *of)
{
    const uint32_t turns = (ranks - 2) / window_of(c, ranks - 1) + 1;
    const uint64_t bytes = bytes_of(c, ranks);
    const int64_t answer = weft_ack_way(&of->wire);
    const int64_t alone = of->acked ? weft_answered_bound(&of->wire, 1, bytes, of->pace) - answer
                                    : weft_message_bound(&of->wire, bytes);
    if (turns == 1)
    {
        return 0;
    }
    if (answer > WEFT_NEVER - alone || alone + answer > WEFT_NEVER / turns)
    {
        return WEFT_NEVER;
    }
    return turns * (alone + answer) - (of->acked ? 0 : answer);
}

static int64_t
acked_bound(uint32_t ranks, uint64_t bytes, const struct weft_bound_case *of)
{
    return of->ideal_acks ? weft_answered_bound(&of->wire, ranks - 1, bytes, of->pace)
                          : weft_alltoall_acked_bound(&of->wire, ranks, bytes, of->pace);
}

static int64_t
alltoall_bound(const void *config, const struct weft_hosts *hosts, const struct weft_bound_case *of)
{
    const struct alltoall_config *c = (const struct alltoall_config *)config;
    const uint32_t ranks = hosts->n / (uint32_t)c->common.groups;
    const uint64_t bytes = bytes_of(c, ranks);
    if (c->relay == PXN || (!of->acked && (of->partial || bytes > UINT64_MAX / ranks)))
    {
        return -1;
    }
    const int64_t turns = turns_bound(c, ranks, of);
    const int64_t all = of->acked ? acked_bound(ranks, bytes, of)
                                  : weft_alltoall_bound(&of->wire, ranks, bytes * ranks);
    return all > turns ? all : turns;
}

/* A rank's size is what it has for all ranks, itself included. */
static double
alltoall_bus(const void *config, const struct weft_hosts *hosts, double *bytes)
{
    const struct alltoall_config *c = (const struct alltoall_config *)config;
    const uint32_t ranks = hosts->n / (uint32_t)c->common.groups;
    *bytes = (double)bytes_of(c, ranks) * ranks;
    return (ranks - 1.0) / ranks;
}

const struct weft_workload_ops weft_workload_alltoall = {
    {"alltoall",
     "Every rank sends a message to every other rank of its group, all at once or some at a time, "
     "or by relays.",
     "themis §5", params, sizeof params / sizeof params[0], NULL, 0, sizeof(struct alltoall_config),
     check},
    alltoall_size,
    alltoall_fill,
    alltoall_bound,
    WEFT_TABLE_NONE,
    NULL,
    alltoall_bus,
};

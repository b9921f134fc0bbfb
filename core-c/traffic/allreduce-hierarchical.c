/* SPDX-License-Identifier: MIT */
/*
 * Hierarchical allreduce, as NCCL's with NVLink: a ring reduce-scatter among the GPUs of each
 * server, a ring allreduce of what each then holds among the GPUs of its place in all servers (its
 * rail), and a ring all-gather in each server. Rank r is GPU r mod G of server r / G; in each step
 * it sends one message, and can do so once it has what it receives in the step before, what its
 * server has reduced and, in the last phase, all that its rail has.
 */
#include "roster/tables.h"
#include "traffic/groups.h"

#include <weft/error.h>

struct hierarchical_config
{
    struct weft_groups common;
    int64_t gpus;
};

static const struct weft_param params[] = {
    WEFT_GROUP_PARAMS("The vector that each rank contributes; a message carries 1/G of it in a "
                      "server of G GPUs, and 1/ranks between servers."),
    {"gpus-per-server", WEFT_COUNT, WEFT_P(struct hierarchical_config, gpus), "0", "0", "8191",
     NULL, "GPUs of a server: so many ranks in a row; 0: as the topology has it.", "simai"},
    WEFT_COMPUTE_PARAMS,
};

/* A group's servers, and the steps of its three phases. */
struct shape
{
    uint32_t ranks;
    uint32_t gpus;    /* of a server */
    uint32_t servers; /* of a group */
    uint32_t inside;  /* steps of the first phase, and of the last one */
    uint32_t across;  /* steps of the one between */
};

static uint32_t
gpus_of(const struct hierarchical_config *c, const struct weft_hosts *hosts)
{
    return c->gpus ? (uint32_t)c->gpus : hosts->gpus;
}

/* Returns 0 or an error. */
static int
shape_of(const struct hierarchical_config *c, const struct weft_hosts *hosts, struct shape *s)
{
    const uint32_t gpus = gpus_of(c, hosts);
    const int error = weft_groups_ranks(&c->common, hosts, &s->ranks);
    if (error)
    {
        return error;
    }
    if (weft_groups_whole_servers_refusal(&c->common, gpus, s->ranks, hosts))
    {
        return WEFT_ERANGE;
    }
    s->gpus = gpus;
    s->servers = s->ranks / gpus;
    s->inside = gpus - 1;
    s->across = 2 * (s->servers - 1);
    return 0;
}

static uint32_t
steps_of(const struct shape *s)
{
    return 2 * s->inside + s->across;
}

/* QPs of a rank: to the next GPU of its server, and to its rail's in the next server. */
static uint32_t
qps_of(const struct shape *s)
{
    return (uint32_t)(s->inside > 0) + (uint32_t)(s->across > 0);
}

/* Returns the steps between servers that add, or complete, what a server has reduced, but for the
 * first one: they wait for that as well. The same number of steps before the last one bring a rank
 * whole parts, for which the last phase waits. */
static uint32_t
more_waits(const struct shape *s)
{
    return s->inside > 0 && s->across > 0 ? s->servers - 1 : 0;
}

/* Returns the successors of all messages to a rank. */
static uint32_t
nexts_of(const struct shape *s)
{
    return steps_of(s) - 1 + 2 * more_waits(s);
}

static const char *
hierarchical_refusal(const void *config, const struct weft_hosts *hosts)
{
    const struct hierarchical_config *c = (const struct hierarchical_config *)config;
    uint32_t ranks = 0;
    return weft_groups_ranks(&c->common, hosts, &ranks)
               ? weft_groups_refusal(&c->common, hosts)
               : weft_groups_whole_servers_refusal(&c->common, gpus_of(c, hosts), ranks, hosts);
}

static int
hierarchical_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct hierarchical_config *c = (const struct hierarchical_config *)config;
    struct shape s;
    int error = shape_of(c, hosts, &s);
    if (!error)
    {
        const uint32_t steps = steps_of(&s);
        error = weft_groups_size(&c->common, s.ranks, steps, qps_of(&s), nexts_of(&s), out);
        out->nsteps = steps;
        out->bytes = s.inside > 0 && s.across > 0 ? 0 : weft_groups_part(&c->common, s.ranks);
    }
    return weft_workload_refuse(error, config, hosts, hierarchical_refusal);
}

static bool
is_across(const struct shape *s, uint32_t step)
{
    return step >= s->inside && step < s->inside + s->across;
}

/* The rank that a rank sends to. */
static uint32_t
next_rank(const struct shape *s, uint32_t rank, uint32_t step)
{
    const uint32_t gpu = rank % s->gpus;
    return is_across(s, step) ? (rank + s->gpus) % s->ranks : rank - gpu + (gpu + 1) % s->gpus;
}

/* Returns how many messages a message of @p step waits for. */
static uint32_t
waits_of(const struct shape *s, uint32_t step)
{
    const uint32_t more = more_waits(s);
    const uint32_t adds = step > s->inside && step <= s->inside + more;
    return (uint32_t)(step > 0) + adds + (step == s->inside + s->across ? more : 0);
}

/* Writes the steps of the messages that wait for one of @p step at their sender; returns how many.
 */
static uint32_t
steps_after(const struct shape *s, uint32_t step, uint32_t *to)
{
    const uint32_t more = more_waits(s), last = s->inside + s->across;
    uint32_t n = 0;
    if (step + 1 < steps_of(s))
    {
        to[n++] = step + 1;
    }
    for (uint32_t i = 1; step + 1 == s->inside && i <= more; i++)
    {
        to[n++] = s->inside + i;
    }
    if (more > 0 && step + 1 + more >= last && step + 1 < last)
    {
        to[n++] = last;
    }
    return n;
}

static void
fill_rank(const struct hierarchical_config *c, const struct shape *s, uint32_t number,
          struct weft_message *messages, uint32_t *next)
{
    const uint32_t steps = steps_of(s), group = number / s->ranks, rank = number % s->ranks;
    uint32_t first = number * nexts_of(s);
    for (uint32_t step = 0; step < steps; step++)
    {
        const bool across = is_across(s, step);
        const uint32_t to = next_rank(s, rank, step);
        struct weft_message *m = &messages[(size_t)number * steps + step];
        weft_groups_message(&c->common, s->ranks, group, rank, to, m);
        m->bytes = weft_groups_part(&c->common, across ? s->ranks : s->gpus);
        m->qp = number * qps_of(s) + (across && s->inside > 0);
        m->step = step;
        weft_groups_wait(&c->common, waits_of(s, step), m);
        m->first_next = first;
        m->nnext = steps_after(s, step, &next[first]);
        for (uint32_t i = 0; i < m->nnext; i++)
        {
            next[first + i] += (group * s->ranks + to) * steps;
        }
        first += m->nnext;
    }
}

static int
hierarchical_fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
                  struct weft_message *messages, uint32_t *next)
{
    const struct hierarchical_config *c = (const struct hierarchical_config *)config;
    struct weft_traffic_size size;
    struct shape s;
    int error = hierarchical_size(config, hosts, &size);
    error = error ? error : shape_of(c, hosts, &s);
    for (uint32_t number = 0; !error && number < size.ngroups * s.ranks; number++)
    {
        fill_rank(c, &s, number, messages, next);
    }
    if (!error)
    {
        weft_groups_finish(&c->common, hosts, &size, seed, run, messages, next);
    }
    return error;
}

const struct weft_workload_ops weft_workload_allreduce_hierarchical = {
    {"allreduce-hierarchical",
     "Allreduce by servers: reduce-scatter in each, ring allreduce by rail, all-gather in each.",
     "NCCL; simai", params, sizeof params / sizeof params[0], NULL, 0,
     sizeof(struct hierarchical_config), NULL},
    hierarchical_size,
    hierarchical_fill,
    NULL,
    WEFT_TABLE_NONE,
    NULL,
    weft_groups_bus,
};

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The choice between ring and tree as NCCL makes it: of both algorithms, with each of the three
 * protocols, the least of latency + bytes / bandwidth. The numbers are those of NCCL's table
 * (src/graph/tuning.cc of 2.2x); a rank's port is its one channel, NVLink joins a server's ranks,
 * and what GPUs limit themselves is left out.
 */
#include "trace-collectives.h"

enum protocol
{
    LL,
    LL128,
    SIMPLE,
    PROTOCOLS,
};

/** Microseconds: of an operation, of a step in a server, of a step between servers. */
struct latency
{
    double base, inside, between;
};

static const struct latency of_tree[PROTOCOLS] = {
    {6.8, 0.6, 5.0}, {14.0, 1.25, 8.5}, {8.4, 4.0, 14.0}};
static const struct latency of_ring[PROTOCOLS] = {
    {6.6, 0.6, 2.7}, {14.0, 1.9, 4.0}, {8.4, 3.4, 14.0}};

/** Share of the bandwidth that is the data's. */
static const double part_of_tree[PROTOCOLS] = {0.92 / 3.8, 0.92 * 120 / 128, 0.92};
static const double part_of_ring[PROTOCOLS] = {0.5, 0.92, 1};

/** Factors of a tree's bandwidth, from 64 bytes on, in powers of two. */
#define CORRECTIONS 24
static const double correction[PROTOCOLS][CORRECTIONS] = {
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
     .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9},
};

struct group
{
    double bytes, rate; /**< bytes a microsecond */
    uint32_t ranks, servers;
};

static uint32_t
logarithm(uint64_t n)
{
    uint32_t log = 0;
    for (; n > 1; n /= 2)
    {
        log++;
    }
    return log;
}

static double
time_of_tree(const struct group *g, enum protocol p)
{
    const struct latency *l = &of_tree[p];
    const uint32_t size = logarithm((uint64_t)g->bytes / 64);
    const double inside = (g->ranks / g->servers - 1) * l->inside;
    const double corrected = g->bytes >= 64 && size < CORRECTIONS - 1 ? correction[p][size] : 1;
    return l->base + 2 * (inside + logarithm(g->servers) * l->between) +
           g->bytes / (g->rate * part_of_tree[p] * corrected / 2);
}

static double
time_of_ring(const struct group *g, enum protocol p)
{
    const struct latency *l = &of_ring[p];
    const double steps = 2 * (g->ranks - 1.0), far = 2 * (g->servers - 1.0);
    const double between = g->ranks == g->servers ? of_tree[p].between : l->between;
    double latency = l->base + (steps - far) * l->inside + far * between;
    if (p == SIMPLE && g->servers > 1 && g->bytes / g->ranks >= 64)
    {
        latency *= 1.4;
    }
    return latency + g->bytes * steps / g->ranks / (g->rate * part_of_ring[p]);
}

enum trace_allreduce
trace_as_nccl(uint64_t bytes, uint32_t n, uint32_t gpus, int64_t rate)
{
    const struct group g = {.bytes = (double)bytes,
                            .rate = (double)rate / 8e6,
                            .ranks = n,
                            .servers = gpus > 1 ? (n - 1) / gpus + 1 : n};
    double ring = time_of_ring(&g, LL), tree = time_of_tree(&g, LL);
    for (int p = LL128; p < PROTOCOLS; p++)
    {
        const double r = time_of_ring(&g, (enum protocol)p), t = time_of_tree(&g, (enum protocol)p);
        ring = r < ring ? r : ring;
        tree = t < tree ? t : tree;
    }
    return tree < ring ? TRACE_TREE : TRACE_RING;
}

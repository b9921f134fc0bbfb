/* SPDX-License-Identifier: MIT */
#include "fib-model.h"

#include <stdlib.h>
#include <string.h>

#include "must.h"

static uint32_t
node_of(const struct graph *g, const struct weft_end *end)
{
    return end->is_host ? g->clos.nswitches + end->index : end->index;
}

void
graph_init(struct graph *g)
{
    g->nnodes = g->clos.nswitches + g->clos.nhosts;
    g->peer = calloc((size_t)g->nnodes * FIB_MODEL_PORTS, sizeof *g->peer);
    g->alive = calloc((size_t)g->nnodes * FIB_MODEL_PORTS, sizeof *g->alive);
    g->wired = calloc((size_t)g->nnodes * FIB_MODEL_PORTS, sizeof *g->wired);
    g->distance = calloc(g->nnodes, sizeof *g->distance);
    g->queue = calloc(g->nnodes, sizeof *g->queue);
    g->paths = calloc(g->nnodes, sizeof *g->paths);
    MUST(g->peer && g->alive && g->wired && g->distance && g->queue && g->paths);
}

void
graph_free(struct graph *g)
{
    free(g->peer);
    free(g->alive);
    free(g->wired);
    free(g->distance);
    free(g->queue);
    free(g->paths);
}

void
graph_wire(struct graph *g, const uint64_t *dead, size_t ndead)
{
    for (uint64_t i = 0; i < g->clos.nlinks; i++)
    {
        struct weft_link link;
        bool alive = true;
        weft_clos_link(&g->clos, i, &link);
        for (size_t d = 0; d < ndead; d++)
        {
            alive = alive && dead[d] != i;
        }
        const uint32_t a = node_of(g, &link.lower);
        const uint32_t b = node_of(g, &link.upper);
        g->peer[a * FIB_MODEL_PORTS + link.lower.port] = b;
        g->peer[b * FIB_MODEL_PORTS + link.upper.port] = a;
        g->wired[a * FIB_MODEL_PORTS + link.lower.port] = true;
        g->wired[b * FIB_MODEL_PORTS + link.upper.port] = true;
        g->alive[a * FIB_MODEL_PORTS + link.lower.port] = alive;
        g->alive[b * FIB_MODEL_PORTS + link.upper.port] = alive;
    }
}

/* Breadth first from a host over the healthy graph. */
static void
measure(struct graph *g, uint32_t host)
{
    uint32_t head = 0;
    uint32_t tail = 0;
    memset(g->distance, 0xff, g->nnodes * sizeof *g->distance);
    memset(g->paths, 0xff, g->nnodes * sizeof *g->paths);
    g->distance[g->clos.nswitches + host] = 0;
    g->paths[g->clos.nswitches + host] = 1;
    /* Exceptions are per ToR: only it knows that a host's own link is dead. */
    g->paths[weft_clos_tor(&g->clos, host)] = 1;
    g->queue[tail++] = g->clos.nswitches + host;
    while (head < tail)
    {
        const uint32_t v = g->queue[head++];
        for (uint32_t p = 0; p < FIB_MODEL_PORTS; p++)
        {
            const uint32_t u = g->peer[v * FIB_MODEL_PORTS + p];
            if (g->wired[v * FIB_MODEL_PORTS + p] && g->distance[u] == UINT32_MAX)
            {
                g->distance[u] = g->distance[v] + 1;
                g->queue[tail++] = u;
            }
        }
    }
}

static int64_t paths_by(struct graph *g, uint32_t node, uint32_t port);

static int64_t
count_paths(struct graph *g, uint32_t node)
{
    if (g->paths[node] < 0)
    {
        g->paths[node] = 0;
        for (uint32_t p = 0; p < FIB_MODEL_PORTS; p++)
        {
            g->paths[node] += paths_by(g, node, p);
        }
    }
    return g->paths[node];
}

/* Live shortest paths that begin with the link at this port. */
static int64_t
paths_by(struct graph *g, uint32_t node, uint32_t port)
{
    const uint32_t i = node * FIB_MODEL_PORTS + port;
    const bool on_a_path =
        g->wired[i] && g->alive[i] && g->distance[g->peer[i]] + 1 == g->distance[node];
    return on_a_path ? count_paths(g, g->peer[i]) : 0;
}

static int64_t
gcd(int64_t a, int64_t b)
{
    return b == 0 ? a : gcd(b, a % b);
}

/* Fills the weights of all ports; returns the greatest. */
static int64_t
weigh(struct graph *g, uint32_t s, bool weighted, int64_t weights[FIB_MODEL_PORTS])
{
    int64_t divisor = 0;
    int64_t most = 0;
    for (uint32_t p = 0; p < FIB_MODEL_PORTS; p++)
    {
        weights[p] = paths_by(g, s, p);
        weights[p] = weighted ? weights[p] : weights[p] > 0;
        divisor = gcd(divisor, weights[p]);
        most = weights[p] > most ? weights[p] : most;
    }
    for (uint32_t p = 0; p < FIB_MODEL_PORTS && most > 0; p++)
    {
        weights[p] /= divisor;
    }
    return most > 0 ? most / divisor : 0;
}

/* Interleaved weighted round robin as it is written: round after round, port after port. */
static void
compare_list(struct graph *g, uint32_t s, bool weighted, const struct weft_ports *ports)
{
    int64_t weights[FIB_MODEL_PORTS];
    uint32_t n = 0;
    const int64_t rounds = weigh(g, s, weighted, weights);
    for (int64_t round = 1; round <= rounds; round++)
    {
        for (uint32_t p = 0; p < FIB_MODEL_PORTS; p++)
        {
            if (weights[p] >= round)
            {
                MUST(n < ports->n);
                MUST(weft_port_at(ports, n) == p);
                n++;
            }
        }
    }
    MUST(n == ports->n);
}

void
graph_compare(struct graph *g, const struct weft_fib *fib, bool weighted, uint32_t dst)
{
    measure(g, dst);
    for (uint32_t s = 0; s < g->clos.nswitches; s++)
    {
        struct weft_switch_map map;
        struct weft_ports healthy;
        struct weft_ports ports;
        weft_clos_switch(&g->clos, s, &map);
        memset(&ports, 0, sizeof ports);
        const bool any = weft_fib_route(fib, s, &map, dst, &ports);
        if (s == weft_clos_tor(&g->clos, dst))
        {
            /* Exceptions are per ToR: only this one knows that the host's own link is dead. */
            MUST(any == g->alive[s * FIB_MODEL_PORTS + dst - map.lo]);
            MUST(ports.n == any);
            MUST(!any || weft_port_at(&ports, 0) == dst - map.lo);
            continue;
        }
        compare_list(g, s, weighted, &ports);
        MUST(any == (ports.n > 0));
        weft_route(&map, dst, &healthy);
        MUST(ports.width == healthy.n);
        MUST(ports.first == healthy.first);
    }
}

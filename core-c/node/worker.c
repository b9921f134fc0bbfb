/* SPDX-License-Identifier: MIT */
/* A worker's nodes are run one after the other, each for a window in which no other node can notice
 * it. */
#include "node/worker.h"

#include "node/host-node.h"
#include "node/switch-node.h"

#define MANY     8192 /* arrivals in a window whose frames do not fit a cache of a core */
#define MANY_QPS 4    /* QPs of a host whose states do not fit it either */

void
weft_worker_begin(struct weft_worker *worker, struct weft_net *net)
{
    worker->net = net;
    worker->classes = net->classes;
    worker->words = net->words;
    worker->coming = net->coming;
}

void
weft_worker_expect(struct weft_worker *worker, uint32_t arrivals)
{
    const struct weft_net *net = worker->net;
    worker->loads_ahead = arrivals > MANY;
    worker->loads_qps = worker->loads_ahead && net->nqps / MANY_QPS > net->nhosts;
}

/* Inlined: on every visit of a node. */
static inline void
run_node(struct weft_worker *worker, const struct weft_net *net, uint32_t i, int64_t until)
{
    struct weft_node *node = net->node[i];
    worker->base = net->due[i];
    worker->running = node;
    if (i < net->nhosts)
    {
        weft_host_run(worker, &net->host[i], until);
    }
    else
    {
        weft_switch_run(worker, &net->sw[i - net->nhosts], until);
    }
    worker->running = NULL;
    net->due[i] = node->next;
    while (worker->read)
    {
        struct weft_chunk *chunk = worker->read;
        worker->read = chunk->next;
        if (chunk->home != &worker->chunks)
        {
            worker->far->give_back(worker, chunk);
            continue;
        }
        weft_chunk_put(chunk);
    }
}

void
weft_node_run(struct weft_worker *worker, uint32_t i, int64_t until)
{
    run_node(worker, worker->net, i, until);
}

/* Returns the end of a block's nodes. */
static uint32_t
block_end(const struct weft_net *net, uint32_t first)
{
    const uint32_t nodes = net->nhosts + net->nswitches;
    return nodes - first < WEFT_BLOCK ? nodes : first + WEFT_BLOCK;
}

int64_t
weft_block_next(const struct weft_net *net, uint32_t first)
{
    int64_t next = WEFT_NEVER;
    for (uint32_t i = first; i < block_end(net, first); i++)
    {
        next = net->due[i] < next && !net->node[i]->watched ? net->due[i] : next;
    }
    return next;
}

int64_t
weft_worker_next(const struct weft_worker *worker)
{
    const struct weft_net *net = worker->net;
    int64_t next = WEFT_NEVER;
    for (uint32_t i = 0; i < worker->nblocks; i++)
    {
        int64_t *soon = weft_soon_of(net, worker->block[i]);
        if (*soon < next)
        {
            *soon = weft_block_next(net, worker->block[i]);
            next = *soon < next ? *soon : next;
        }
    }
    return next;
}

/* Whether a switch need not be run now: what it sends when it is arrives in a later window. Most
 * fabrics have none that may wait. */
static __attribute__((noinline)) bool
may_wait(const struct weft_net *net, uint32_t i, int64_t until)
{
    return i >= net->nhosts && net->due[i] >= until - net->slack[i - net->nhosts];
}

static void
run_block(struct weft_worker *worker, const struct weft_net *net, uint32_t first, int64_t until)
{
    const bool lags = net->lags;
    for (uint32_t i = first; i < block_end(net, first); i++)
    {
        if (net->due[i] < until && !net->node[i]->watched && !(lags && may_wait(net, i, until)))
        {
            run_node(worker, net, i, until);
        }
    }
    *weft_soon_of(net, first) = weft_block_next(net, first);
}

void
weft_worker_run(struct weft_worker *worker, int64_t until)
{
    const struct weft_net *net = worker->net;
    const uint32_t *end = worker->block + worker->nblocks;
    for (const uint32_t *block = worker->block; block < end; block++)
    {
        if (*weft_soon_of(net, *block) < until)
        {
            run_block(worker, net, *block, until);
        }
    }
}

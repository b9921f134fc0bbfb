/* SPDX-License-Identifier: MIT */
/* Nodes are run one after the other, each for a window in which no other node can notice it. */
#include "fabric/net-ranks.h"
#include "fabric/switch-node.h"

#define MANY     8192 /* arrivals in a window whose frames do not fit a cache of a core */
#define MANY_QPS 4    /* of a host, whose states do not fit it either */

void
weft_node_run(struct weft_net *net, uint32_t i, int64_t until)
{
    struct weft_node *node = net->node[i];
    net->base = net->due[i];
    net->running = node;
    if (i < net->nhosts)
    {
        weft_host_run(net, &net->host[i], until);
    }
    else
    {
        weft_switch_run(net, &net->sw[i - net->nhosts], until);
    }
    net->running = NULL;
    net->due[i] = node->next;
    for (uint32_t k = 0; k < net->nread; k++)
    {
        struct weft_chunk *chunk = net->read[k];
        if (chunk->home != &net->chunks)
        {
            weft_chunk_give_back(net, chunk);
            continue;
        }
        weft_chunk_put(chunk);
    }
    net->nread = 0;
}

/* Nodes of a block. */
static uint32_t
block_end(const struct weft_net *net, uint32_t first)
{
    const uint32_t nodes = net->nhosts + net->nswitches;
    return nodes - first < WEFT_BLOCK ? nodes : first + WEFT_BLOCK;
}

/* When a node of a block that is not watched is due. */
static int64_t
look_at(const struct weft_net *net, uint32_t first)
{
    int64_t next = WEFT_NEVER;
    for (uint32_t i = first; i < block_end(net, first); i++)
    {
        next = net->due[i] < next && !net->node[i]->watched ? net->due[i] : next;
    }
    return next;
}

int64_t
weft_net_next_here(struct weft_net *net)
{
    int64_t next = WEFT_NEVER;
    for (uint32_t i = 0; i < net->nblocks; i++)
    {
        int64_t *soon = weft_soon_of(net, net->block[i]);
        if (*soon < next)
        {
            *soon = look_at(net, net->block[i]);
            next = *soon < next ? *soon : next;
        }
    }
    return next;
}

int64_t
weft_net_next(struct weft_net *net)
{
    return net->threads ? weft_threads_next(net) : weft_net_next_here(net);
}

static void
run_block(struct weft_net *net, uint32_t first, int64_t until)
{
    for (uint32_t i = first; i < block_end(net, first); i++)
    {
        if (net->due[i] < until && !net->node[i]->watched)
        {
            weft_node_run(net, i, until);
        }
    }
    *weft_soon_of(net, first) = look_at(net, first);
}

void
weft_net_run_blocks(struct weft_net *net, int64_t until)
{
    for (uint32_t i = 0; i < net->nblocks; i++)
    {
        if (*weft_soon_of(net, net->block[i]) < until)
        {
            run_block(net, net->block[i], until);
        }
    }
}

void
weft_net_expect(struct weft_net *net, uint32_t arrivals)
{
    net->loads_ahead = arrivals > MANY;
    net->loads_qps = net->loads_ahead && net->nqps / MANY_QPS > net->nhosts;
}

void
weft_net_run(struct weft_net *net, int64_t until)
{
    while (net->now < until)
    {
        const int64_t next = weft_net_next(net);
        if (next >= until)
        {
            net->now = until < WEFT_NEVER ? until : net->now;
            return;
        }
        /* Borders lie at multiples of the window from 0, whatever cuts one short. */
        const int64_t from = next > net->now ? next : net->now;
        const int64_t left = net->window - from % net->window;
        const int64_t end = left < until - from ? from + left : until;
        if (net->threads)
        {
            weft_threads_run(net, end);
        }
        else
        {
            const uint32_t before = net->arrivals;
            weft_net_run_blocks(net, end);
            weft_net_expect(net, net->arrivals - before);
        }
        net->now = end;
        if (net->ranks)
        {
            weft_ranks_tell(net);
        }
    }
}

void
weft_net_watch(struct weft_net *net, uint32_t node, bool watch)
{
    struct weft_node *of = net->node[node];
    weft_net_settle(net);
    if (of->watched != watch && node >= net->nhosts)
    {
        /* Hooks are to be called in order. */
        struct weft_switch_node *sw = &net->sw[node - net->nhosts];
        weft_switch_settle_all(net, sw);
        weft_switch_order(net, sw, watch);
        weft_net_wake(net, of, of->now + 1);
    }
    of->watched = watch;
    *weft_soon_of(net, node) = look_at(net, node / WEFT_BLOCK * WEFT_BLOCK);
}

int64_t
weft_net_node_next(const struct weft_net *net, uint32_t node)
{
    weft_net_settle(net);
    return net->due[node];
}

void
weft_net_run_node(struct weft_net *net, uint32_t node, int64_t until)
{
    if (weft_net_node_next(net, node) >= until)
    {
        return;
    }
    if (net->threads)
    {
        weft_threads_run_node(net, node, until);
    }
    else
    {
        weft_node_run(net, node, until);
    }
}

bool
weft_net_is_telling(const struct weft_net *net, struct weft_net_teller *teller)
{
    const struct weft_net *here = net->threads ? weft_threads_here(net) : net;
    const struct weft_node *node = here->running;
    if (node && teller)
    {
        *teller = (struct weft_net_teller){node->number, node->now, node->watched};
    }
    return node != NULL;
}

bool
weft_net_is_over(const struct weft_net *net)
{
    bool over = true;
    weft_net_settle(net);
    for (uint32_t i = 0; i < net->nhosts + net->nswitches; i++)
    {
        over = over && net->due[i] == WEFT_NEVER;
    }
    return over;
}

int64_t
weft_net_window(const struct weft_net *net)
{
    return net->window;
}

int64_t
weft_net_now(const struct weft_net *net)
{
    return net->now;
}

int64_t
weft_net_last(const struct weft_net *net)
{
    int64_t last = net->ranks ? net->ranks->last : 0;
    for (uint32_t i = 0; i < net->nhosts + net->nswitches; i++)
    {
        if (weft_net_is_here(net, i) && net->node[i]->last > last)
        {
            last = net->node[i]->last;
        }
    }
    return last;
}

/* SPDX-License-Identifier: MIT */
/* Runs a fabric, window by window. */
#include "node/switch-node.h"
#include "parallel/net-ranks.h"

int64_t
weft_net_next(struct weft_net *net)
{
    return net->threads ? weft_threads_next(net) : weft_worker_next(&net->first);
}

static void
run_window(struct weft_net *net, int64_t end)
{
    if (net->threads)
    {
        weft_threads_run(net, end);
        return;
    }
    net->first.arrivals = 0;
    weft_worker_run(&net->first, end);
    weft_worker_expect(&net->first, net->first.arrivals);
}

void
weft_net_run(struct weft_net *net, int64_t until)
{
    net->halts = false;
    while (net->now < until && !net->halts)
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
        net->lags = net->has_slack && end < until;
        run_window(net, end);
        net->now = end;
        if (net->ranks)
        {
            weft_ranks_tell(net);
        }
    }
    if (net->lags && net->now < until) /* a hook has halted it */
    {
        net->lags = false;
        run_window(net, net->now);
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
        weft_switch_order(sw, watch);
        weft_net_wake(net, node, of->now + 1);
    }
    of->watched = watch;
    *weft_soon_of(net, node) = weft_block_next(net, node / WEFT_BLOCK * WEFT_BLOCK);
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
        weft_node_run(&net->first, node, until);
    }
}

bool
weft_net_is_telling(const struct weft_net *net, struct weft_net_teller *teller)
{
    const struct weft_worker *here = net->threads ? weft_threads_here(net) : &net->first;
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
        if (!weft_node_is_elsewhere(net, i) && net->node[i]->last > last)
        {
            last = net->node[i]->last;
        }
    }
    return last;
}

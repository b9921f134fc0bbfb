/* SPDX-License-Identifier: MIT */
/* Nodes are run one after the other, each for a window in which no other node can notice it. */
#include "fabric/node.h"

static void
run_node(struct weft_net *net, uint32_t i, int64_t until)
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
        net->read[k]->next = net->chunks.free;
        net->chunks.free = net->read[k];
    }
    net->nread = 0;
}

int64_t
weft_net_next(struct weft_net *net)
{
    if (net->knows_soonest)
    {
        return net->soonest;
    }
    int64_t next = WEFT_NEVER;
    for (uint32_t i = 0; i < net->nhosts + net->nswitches; i++)
    {
        next = net->due[i] < next && !net->node[i]->watched ? net->due[i] : next;
    }
    net->soonest = next;
    net->knows_soonest = true;
    return next;
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
        net->knows_soonest = false;
        for (uint32_t i = 0; i < net->nhosts + net->nswitches; i++)
        {
            if (net->due[i] < end && !net->node[i]->watched)
            {
                run_node(net, i, end);
            }
        }
        net->now = end;
    }
}

void
weft_net_watch(struct weft_net *net, uint32_t node, bool watch)
{
    struct weft_node *of = net->node[node];
    net->knows_soonest = false;
    if (of->watched != watch && node >= net->nhosts)
    {
        /* Hooks are to be called in order. */
        net->sw[node - net->nhosts].ordered += watch ? 1 : -1U;
        weft_net_wake(net, of, of->now + 1);
    }
    of->watched = watch;
}

int64_t
weft_net_node_next(const struct weft_net *net, uint32_t node)
{
    return net->due[node];
}

void
weft_net_run_node(struct weft_net *net, uint32_t node, int64_t until)
{
    if (net->due[node] < until)
    {
        run_node(net, node, until);
        net->knows_soonest = false; /* it may have sent something */
    }
}

bool
weft_net_is_telling(const struct weft_net *net, struct weft_net_teller *teller)
{
    const struct weft_node *node = net->running;
    if (node && teller)
    {
        *teller = (struct weft_net_teller){node->number, node->now, node->watched};
    }
    return node != NULL;
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
    int64_t last = 0;
    for (uint32_t i = 0; i < net->nhosts + net->nswitches; i++)
    {
        last = net->node[i]->last > last ? net->node[i]->last : last;
    }
    return last;
}

/* SPDX-License-Identifier: MIT */
/* Requests of programs to hosts: messages, calls at a time, packets of their own. */
#include "node/host-node.h"
#include "node/mail.h"
#include "parallel/net-threads.h"

/* Returns @p at, or as soon as a node can do something that it is asked for: what another one asks
 * that is run for a window takes the least delay of a link, wherever windows are cut. */
static int64_t
soonest(const struct weft_worker *here, const struct weft_node *node, int64_t at)
{
    const struct weft_node *asks = here->running;
    int64_t least = node->watched ? node->now : here->net->now;
    if (asks && asks != node && !asks->watched)
    {
        least = asks->now + here->net->window;
    }
    return at > least ? at : least;
}

/* Returns the key of a step's letter. All numbers that leave no room for the kind are the last. */
static uint64_t
key_of(enum weft_net_step step, uint64_t number)
{
    const uint64_t last = weft_mail_key(1, 0) - 1;
    return weft_mail_key(WEFT_MAIL_PROGRAM + (unsigned)step, number < last ? number : last);
}

void
weft_net_post(struct weft_net *net, struct weft_qp *qp, uint64_t bytes, uint64_t tag, int64_t at,
              uint64_t number)
{
    struct weft_host_node *h = &net->host[qp->src];
    struct weft_net_qp *q = (struct weft_net_qp *)(void *)qp;
    struct weft_worker *here = weft_worker_here(net);
    if (here->running == &h->node && at <= h->node.now)
    {
        weft_host_post(net, h, q, bytes, tag);
        return;
    }
    struct weft_letter *letter = weft_letter_get(here);
    letter->qp = q;
    letter->bytes = bytes;
    letter->tag = tag;
    letter->call = NULL;
    weft_mail_send(here, qp->src, soonest(here, &h->node, at), key_of(WEFT_NET_POST, number),
                   letter);
}

void
weft_net_call(struct weft_net *net, uint32_t host, int64_t at, enum weft_net_step step,
              uint64_t number, void (*call)(void *of, uint64_t what, int64_t now), void *of,
              uint64_t what)
{
    struct weft_host_node *h = &net->host[host];
    struct weft_worker *here = weft_worker_here(net);
    if (here->running == &h->node && at <= h->node.now && step != WEFT_NET_PLAN)
    {
        call(of, what, h->node.now);
        return;
    }
    struct weft_letter *letter = weft_letter_get(here);
    letter->tag = what;
    letter->call = call;
    letter->of = of;
    weft_mail_send(here, host, soonest(here, &h->node, at), key_of(step, number), letter);
}

void
weft_net_send(struct weft_net *net, uint32_t host, const struct weft_packet *packet, int64_t at)
{
    struct weft_host_node *h = &net->host[host];
    struct weft_worker *here = weft_worker_here(net);
    if (here->running == &h->node && at <= h->node.now)
    {
        weft_host_send(net, h, packet);
        return;
    }
    struct weft_letter *letter = weft_letter_get(here);
    letter->packet = *packet;
    weft_mail_send(here, host, soonest(here, &h->node, at), weft_mail_key(WEFT_MAIL_SEND, 0),
                   letter);
}

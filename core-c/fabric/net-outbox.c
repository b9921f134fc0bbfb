/* SPDX-License-Identifier: MIT */
/* What threads and ranks tell each other at the end of a window. */
#include "fabric/net-ranks.h"

static void
note_soonest(struct weft_outbox *box, int64_t at)
{
    box->soonest = at < box->soonest ? at : box->soonest;
}

/* What a thread has for who runs a node. */
static struct weft_outbox *
box_for(const struct weft_net *net, uint32_t node)
{
    const uint32_t runs = net->run_by[node];
    return &net->outbox[runs < WEFT_ELSEWHERE ? runs : net->threads->n + runs - WEFT_ELSEWHERE];
}

void
weft_port_announce_there(struct weft_net *net, struct weft_port *port, int64_t at)
{
    const struct weft_remote *remote = weft_remote_of(port);
    struct weft_outbox *box = box_for(net, remote->node);
    box->coming =
        weft_net_grow(net, box->coming, box->ncoming, &box->coming_size, sizeof *box->coming);
    box->port = (struct weft_port **)weft_net_grow(net, (void *)box->port, box->ncoming,
                                                   &box->port_size, sizeof(struct weft_port *));
    box->port[box->ncoming] = port;
    box->coming[box->ncoming++] = *remote;
    note_soonest(box, at);
}

void
weft_port_pause_there(struct weft_net *net, struct weft_port *port, const struct weft_pfc *pfc)
{
    const struct weft_remote *remote = weft_remote_of(port);
    struct weft_outbox *box = box_for(net, remote->node);
    box->pfc = weft_net_grow(net, box->pfc, box->npfc, &box->pfc_size, sizeof *box->pfc);
    box->pfc[box->npfc++] = (struct weft_pfc_coming){
        .pfc = *pfc, .by = port, .node = remote->node, .port = remote->port};
    note_soonest(box, pfc->at);
}

void
weft_host_mail_there(struct weft_net *net, uint32_t host, int64_t at, uint64_t key, uint64_t order,
                     const struct weft_letter *letter)
{
    struct weft_outbox *box = box_for(net, host);
    box->posting =
        weft_net_grow(net, box->posting, box->nposting, &box->posting_size, sizeof *box->posting);
    box->posting[box->nposting++] = (struct weft_posting){
        .letter = *letter, .at = at, .key = key, .order = order, .host = host};
    note_soonest(box, at);
}

void
weft_chunk_give_back(struct weft_net *net, struct weft_chunk *chunk)
{
    struct weft_outbox *box = &net->outbox[chunk->home->thread];
    box->last = box->first ? box->last : chunk;
    chunk->next = box->first;
    box->first = chunk;
}

void
weft_outboxes_show(struct weft_net *net)
{
    for (uint32_t to = 0; to < net->threads->boxes; to++)
    {
        const struct weft_outbox *box = &net->outbox[to];
        for (uint32_t i = 0; i < box->ncoming; i++)
        {
            struct weft_port *port = box->port[i];
            weft_remote_of(port)->at = WEFT_NEVER;
            for (uint32_t c = 0; c < net->classes; c++)
            {
                __atomic_store_n(&port->lane[c].shown, port->lane[c].left, __ATOMIC_RELEASE);
            }
        }
    }
}

void
weft_port_expect(struct weft_net *net, uint32_t node, uint32_t port, int64_t at)
{
    net->coming[(size_t)node * net->words + port / 64] |= UINT64_C(1) << (port & 63U);
    weft_net_wake(net, net->node[node], at);
}

void
weft_outbox_read(struct weft_net *net, struct weft_outbox *box)
{
    for (uint32_t i = 0; i < box->ncoming; i++)
    {
        weft_port_expect(net, box->coming[i].node, box->coming[i].port, box->coming[i].at);
    }
    for (uint32_t i = 0; i < box->npfc; i++)
    {
        const struct weft_pfc_coming *pfc = &box->pfc[i];
        weft_port_send_pfc(net, &pfc->by->pfc, &pfc->pfc);
        weft_port_expect(net, pfc->node, pfc->port, pfc->pfc.at);
    }
    for (uint32_t i = 0; i < box->nposting; i++)
    {
        const struct weft_posting *posting = &box->posting[i];
        struct weft_letter *letter = weft_letter_get(net);
        *letter = posting->letter;
        weft_host_take_mail(net, &net->host[posting->host], posting->at, posting->key,
                            posting->order, letter);
    }
    if (box->first)
    {
        box->last->next = net->chunks.free;
        net->chunks.free = box->first;
        box->first = NULL;
    }
    box->ncoming = 0;
    box->npfc = 0;
    box->nposting = 0;
    box->soonest = WEFT_NEVER;
}

void
weft_outboxes_read(struct weft_net *net, uint32_t turn)
{
    const struct weft_threads *threads = net->threads;
    for (uint32_t from = 0; from < threads->n; from++)
    {
        weft_outbox_read(net, &threads->outbox[from][turn][net->thread]);
    }
}

void
weft_ranks_add_qp(struct weft_net *net, const struct weft_net_qp_site *made)
{
    const struct weft_ranks *with = &net->ranks->with;
    for (uint32_t r = 0; r < with->n; r++)
    {
        struct weft_outbox *box = &net->outbox[net->threads->n + r];
        if (r != with->rank)
        {
            box->made =
                weft_net_grow(net, box->made, box->nmade, &box->made_size, sizeof *box->made);
            box->made[box->nmade++] = *made;
        }
    }
}

void
weft_ranks_post(struct weft_net *net, const struct weft_net_qp *q, uint64_t bytes, uint64_t tag)
{
    const uint32_t here = net->ranks->with.rank;
    const uint32_t to[] = {0, weft_rank_of(net, q->qp.dst)};
    for (unsigned i = 0; i < 2; i++)
    {
        if (to[i] == here || (i == 1 && to[1] == 0))
        {
            continue;
        }
        struct weft_outbox *box = &net->outbox[net->threads->n + to[i]];
        box->posted =
            weft_net_grow(net, box->posted, box->nposted, &box->posted_size, sizeof *box->posted);
        box->posted[box->nposted++] =
            (struct weft_posted){.bytes = bytes, .tag = tag, .qp = q->qp.index};
    }
}

/* SPDX-License-Identifier: MIT */
/* Outboxes: what threads and ranks tell each other at the end of a window. */
#include "parallel/net-ranks.h"

static void
note_soonest(struct weft_outbox *box, int64_t at)
{
    box->soonest = at < box->soonest ? at : box->soonest;
}

/* Returns what a worker has for whoever runs a node. */
static struct weft_outbox *
box_for(const struct weft_worker *worker, uint32_t node)
{
    const struct weft_net *net = worker->net;
    const uint32_t runs = net->run_by[node];
    return &worker->outbox[runs < WEFT_ELSEWHERE ? runs : net->threads->n + runs - WEFT_ELSEWHERE];
}

static void
announce(struct weft_worker *worker, struct weft_port *port)
{
    struct weft_outbox *box = box_for(worker, port->remote->node);
    box->coming = weft_grow(&worker->memory, box->coming, box->ncoming, &box->coming_size,
                            sizeof *box->coming);
    box->coming[box->ncoming++] = (struct weft_coming){.to = *port->remote, .by = port};
    note_soonest(box, port->remote->at);
}

static void
pause(struct weft_worker *worker, struct weft_port *port, const struct weft_pfc *pfc)
{
    struct weft_outbox *box = box_for(worker, port->remote->node);
    box->pfc = weft_grow(&worker->memory, box->pfc, box->npfc, &box->pfc_size, sizeof *box->pfc);
    box->pfc[box->npfc++] = (struct weft_pfc_coming){
        .pfc = *pfc, .by = port, .node = port->remote->node, .port = port->remote->port};
    note_soonest(box, pfc->at);
}

static void
letter(struct weft_worker *worker, uint32_t host, int64_t at, uint64_t key, uint64_t order,
       const struct weft_letter *letter)
{
    struct weft_outbox *box = box_for(worker, host);
    box->posting = weft_grow(&worker->memory, box->posting, box->nposting, &box->posting_size,
                             sizeof *box->posting);
    box->posting[box->nposting++] = (struct weft_posting){
        .letter = *letter, .at = at, .key = key, .order = order, .host = host};
    note_soonest(box, at);
}

static void
give_back(struct weft_worker *worker, struct weft_chunk *chunk)
{
    struct weft_outbox *box = &worker->outbox[chunk->home->worker];
    box->last = box->first ? box->last : chunk;
    chunk->next = box->first;
    box->first = chunk;
}

static void
note(struct weft_worker *worker, int64_t at)
{
    struct weft_ranks_net *ranks = worker->net->ranks;
    ranks->elsewhere = at < ranks->elsewhere ? at : ranks->elsewhere;
}

static void
posted(struct weft_worker *worker, const struct weft_net_qp *q, uint64_t bytes, uint64_t tag)
{
    const struct weft_net *net = worker->net;
    const uint32_t to[] = {0, net->ranks ? weft_rank_of(net, q->qp.dst) : 0};
    for (unsigned i = 0; i < 2 && net->ranks; i++)
    {
        if (to[i] == net->ranks->with.rank || (i == 1 && to[1] == 0))
        {
            continue;
        }
        struct weft_outbox *box = &worker->outbox[net->threads->n + to[i]];
        box->posted = weft_grow(&worker->memory, box->posted, box->nposted, &box->posted_size,
                                sizeof *box->posted);
        box->posted[box->nposted++] =
            (struct weft_posted){.bytes = bytes, .tag = tag, .qp = q->qp.index};
    }
}

const struct weft_far weft_outbox_far = {
    .announce = announce,
    .pause = pause,
    .letter = letter,
    .give_back = give_back,
    .note = note,
    .posted = posted,
};

void
weft_outboxes_show(struct weft_worker *worker)
{
    const struct weft_net *net = worker->net;
    for (uint32_t to = 0; to < net->threads->boxes; to++)
    {
        const struct weft_outbox *box = &worker->outbox[to];
        for (uint32_t i = 0; i < box->ncoming; i++)
        {
            struct weft_port *port = box->coming[i].by;
            port->remote->at = WEFT_NEVER;
            for (uint32_t c = 0; c < net->classes; c++)
            {
                __atomic_store_n(&port->lane[c].shown, port->lane[c].left, __ATOMIC_RELEASE);
            }
        }
    }
}

void
weft_port_expect(const struct weft_net *net, uint32_t node, uint32_t port, int64_t at)
{
    net->coming[(size_t)node * net->words + port / 64] |= UINT64_C(1) << (port & 63U);
    weft_net_wake(net, node, at);
}

void
weft_outbox_read(struct weft_worker *worker, struct weft_outbox *box)
{
    const struct weft_net *net = worker->net;
    for (uint32_t i = 0; i < box->ncoming; i++)
    {
        const struct weft_remote *to = &box->coming[i].to;
        weft_port_expect(net, to->node, to->port, to->at);
    }
    for (uint32_t i = 0; i < box->npfc; i++)
    {
        const struct weft_pfc_coming *pfc = &box->pfc[i];
        weft_pfc_lane_put(&pfc->by->pfc, &pfc->pfc, &worker->memory);
        weft_port_expect(net, pfc->node, pfc->port, pfc->pfc.at);
    }
    for (uint32_t i = 0; i < box->nposting; i++)
    {
        const struct weft_posting *posting = &box->posting[i];
        struct weft_letter *letter = weft_letter_get(worker);
        *letter = posting->letter;
        weft_mail_put(worker, posting->host, posting->at, posting->key, posting->order, letter);
    }
    if (box->first)
    {
        box->last->next = worker->chunks.free;
        worker->chunks.free = box->first;
        box->first = NULL;
    }
    box->ncoming = 0;
    box->npfc = 0;
    box->nposting = 0;
    box->soonest = WEFT_NEVER;
}

void
weft_outboxes_read(struct weft_worker *worker, uint32_t turn)
{
    const struct weft_threads *threads = worker->net->threads;
    for (uint32_t from = 0; from < threads->n; from++)
    {
        weft_outbox_read(worker, &threads->outbox[from][turn][worker->number]);
    }
}

void
weft_ranks_add_qp(struct weft_worker *worker, const struct weft_net_qp_site *made)
{
    const struct weft_net *net = worker->net;
    const struct weft_ranks *with = &net->ranks->with;
    for (uint32_t r = 0; r < with->n; r++)
    {
        struct weft_outbox *box = &worker->outbox[net->threads->n + r];
        if (r != with->rank)
        {
            box->made = weft_grow(&worker->memory, box->made, box->nmade, &box->made_size,
                                  sizeof *box->made);
            box->made[box->nmade++] = *made;
        }
    }
}

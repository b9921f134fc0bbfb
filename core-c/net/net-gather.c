/* SPDX-License-Identifier: MIT */
/* Rank 0 gets what the others have of their nodes and of their ends of QPs. */
#include "node/switch-node.h"
#include "parallel/net-ranks.h"

#include <string.h>

/* A way for bytes: from this rank into a pack, or to rank 0 out of a parcel. */
struct carrier
{
    struct weft_net *net;
    struct weft_pack *pack; /* NULL: they come */
    struct weft_parcel *parcel;
};

static void
carry(const struct carrier *by, void *bytes, size_t n)
{
    if (by->pack)
    {
        weft_pack_put(by->net, by->pack, bytes, n);
    }
    else
    {
        weft_parcel_take(by->parcel, bytes, n);
    }
}

#define CARRY(by, value) carry(by, &(value), sizeof(value))

static void
see_ports(const struct weft_net *net, uint32_t node, struct weft_net_port *seen)
{
    memset(seen, 0, net->node[node]->nports * sizeof *seen);
    for (uint32_t i = 0; i < net->node[node]->nports; i++)
    {
        weft_net_port_status(net, node, i, &seen[i]);
    }
}

static void
see_switch(struct weft_net *net, uint32_t index, struct weft_node_seen *seen)
{
    struct weft_switch_node *sw = &net->sw[index];
    seen->tor = sw->tor;
    seen->buffer = (size_t)weft_mmu_size(&net->config.buffer, sw->node.nports);
    weft_net_buffer(net, index); /* what has left by now is given back */
    seen->mmu = sw->mmu;
}

static void
tell_node(const struct carrier *by, uint32_t node)
{
    struct weft_net *net = by->net;
    struct weft_net_port *ports = net->ranks->ports;
    struct weft_node_seen seen;
    memset(&seen, 0, sizeof seen);
    seen.counters = net->node[node]->counters;
    seen.nports = net->node[node]->nports;
    if (node >= net->nhosts)
    {
        see_switch(net, node - net->nhosts, &seen);
    }
    see_ports(net, node, ports);
    CARRY(by, seen);
    carry(by, ports, seen.nports * sizeof *ports);
    if (seen.buffer > 0)
    {
        carry(by, seen.mmu, seen.buffer);
    }
}

/* The first time there is no memory for it yet. */
static void
hear_node(const struct carrier *by, uint32_t node)
{
    struct weft_net *net = by->net;
    struct weft_node_seen heard = {0};
    CARRY(by, heard);
    struct weft_node_seen *seen = net->ranks->seen[node];
    if (!seen)
    {
        seen = weft_take(&net->first.memory, sizeof *seen);
        seen->port = weft_take(&net->first.memory, heard.nports * sizeof *seen->port);
        seen->mmu = heard.buffer > 0 ? weft_take(&net->first.memory, heard.buffer) : NULL;
        net->ranks->seen[node] = seen;
    }
    heard.port = seen->port;
    heard.mmu = seen->mmu;
    *seen = heard;
    carry(by, seen->port, seen->nports * sizeof *seen->port);
    if (seen->buffer > 0)
    {
        carry(by, seen->mmu, seen->buffer);
    }
}

static void
carry_node(const struct carrier *by, uint32_t node, uint32_t rank)
{
    if (weft_rank_of(by->net, node) == rank)
    {
        by->pack ? tell_node(by, node) : hear_node(by, node);
    }
}

static void
carry_degrees(const struct carrier *by)
{
    struct weft_net *net = by->net;
    for (uint32_t level = 0; level < net->config.nlevels; level++)
    {
        uint64_t *own = net->algos[level].ooo_degrees;
        uint64_t degrees[WEFT_OOO_DEGREES];
        weft_threads_sum_degrees(net, level);
        memcpy(degrees, own, sizeof degrees);
        CARRY(by, degrees);
        for (uint32_t i = 0; i < WEFT_OOO_DEGREES; i++)
        {
            own[i] = by->pack ? 0 : own[i] + degrees[i]; /* each is counted at one rank */
        }
    }
}

/* Carries sums over all nodes of a rank. */
static void
carry_sums(const struct carrier *by)
{
    struct weft_ranks_net *ranks = by->net->ranks;
    int64_t last = by->pack ? weft_net_last(by->net) : 0;
    uint64_t inside = by->pack ? weft_net_inside(by->net) : 0;
    CARRY(by, last);
    CARRY(by, inside);
    ranks->last = last > ranks->last ? last : ranks->last;
    ranks->inside += by->pack ? 0 : inside;
    carry_degrees(by);
}

static void
carry_sender(const struct carrier *by, struct weft_net_qp *q)
{
    struct weft_qp *qp = &q->qp;
    bool given_up = qp->given_up;
    struct weft_tx_counters tx =
        by->pack ? *weft_net_tx_counters(qp) : (struct weft_tx_counters){0};
    CARRY(by, tx);
    if (!by->pack)
    {
        q->gathered =
            q->gathered ? q->gathered : weft_take(&by->net->first.memory, sizeof *q->gathered);
        *q->gathered = tx;
    }
    CARRY(by, qp->una);
    CARRY(by, qp->acks);
    CARRY(by, qp->sent_bytes);
    CARRY(by, qp->acked);
    CARRY(by, qp->failed);
    CARRY(by, qp->cnps);
    CARRY(by, qp->tor_nacks);
    CARRY(by, qp->last_sent);
    CARRY(by, qp->first_sent);
    CARRY(by, qp->last_rate);
    CARRY(by, qp->rate_time);
    CARRY(by, given_up);
    qp->given_up = given_up;
}

static void
carry_receiver(const struct carrier *by, struct weft_qp *qp)
{
    CARRY(by, qp->arrived);
    CARRY(by, qp->duplicates);
    CARRY(by, qp->out_of_order);
    CARRY(by, qp->delivered);
    CARRY(by, qp->cnps_sent);
    CARRY(by, qp->nacks_sent);
    CARRY(by, qp->last_delivery);
}

static void
carry_qp(const struct carrier *by, uint32_t index, uint32_t rank)
{
    struct weft_net_qp *q = by->net->qp[index];
    if (q && weft_rank_of(by->net, q->qp.src) == rank)
    {
        carry_sender(by, q);
    }
    if (q && weft_rank_of(by->net, q->qp.dst) == rank)
    {
        carry_receiver(by, &q->qp);
    }
}

static void
carry_total(const struct carrier *by)
{
    struct weft_net_counters total = {0};
    if (by->pack)
    {
        weft_net_total(by->net, &total);
    }
    CARRY(by, total);
    if (!by->pack)
    {
        weft_net_add_counters(&by->net->ranks->total, &total);
    }
}

/* Carries an item of a rank by its number: the total, nodes, sums, QPs. */
static void
carry_item(const struct carrier *by, uint32_t rank, unsigned what, uint32_t item)
{
    const uint32_t nnodes = by->net->nhosts + by->net->nswitches;
    const bool nodes = what & WEFT_GATHER_NODES;
    if (item == 0 && (nodes || what & WEFT_GATHER_TOTAL))
    {
        carry_total(by);
    }
    else if (item > nnodes + 1 && what & WEFT_GATHER_QPS)
    {
        carry_qp(by, item - nnodes - 2, rank);
    }
    else if (item == nnodes + 1 && nodes)
    {
        carry_sums(by);
    }
    else if (item > 0 && item <= nnodes && nodes)
    {
        carry_node(by, item - 1, rank);
    }
}

/* As much as a parcel holds, from an item on. Returns the next one. */
static uint32_t
carry_some(const struct carrier *by, uint32_t rank, unsigned what, uint32_t item)
{
    const uint32_t end = by->net->nhosts + by->net->nswitches + 2 + by->net->nqps;
    while (item < end && (by->pack ? by->pack->n < by->net->ranks->parcel : by->parcel->n > 0))
    {
        carry_item(by, rank, what, item++);
    }
    return item;
}

/* Sends one parcel from each rank to rank 0; @p item: where each of them is. Returns whether there
 * are more, which all ranks say to all. */
static bool
gather_some(struct weft_net *net, unsigned what, uint32_t *item)
{
    struct weft_ranks_net *ranks = net->ranks;
    const uint32_t rank = ranks->with.rank;
    struct carrier by = {.net = net, .pack = &ranks->pack[0]};
    uint64_t more = 0;
    for (uint32_t r = 0; r < ranks->with.n; r++)
    {
        weft_pack_put(net, &ranks->pack[r], &more, sizeof more);
    }
    if (rank > 0)
    {
        item[rank] = carry_some(&by, rank, what, item[rank]);
        more = item[rank] < net->nhosts + net->nswitches + 2 + net->nqps;
    }
    for (uint32_t r = 0; r < ranks->with.n; r++)
    {
        memcpy(ranks->pack[r].bytes, &more, sizeof more);
    }
    weft_ranks_exchange(net);
    by.pack = NULL;
    for (uint32_t r = 0; r < ranks->with.n; r++)
    {
        uint64_t its = 0;
        by.parcel = &ranks->in[r];
        if (r != rank)
        {
            CARRY(&by, its);
            item[r] = rank == 0 ? carry_some(&by, r, what, item[r]) : 0;
        }
        more = more || its;
    }
    return more;
}

void
weft_net_gather(struct weft_net *net, unsigned what)
{
    struct weft_ranks_net *ranks = net->ranks;
    uint32_t item[WEFT_NET_RANKS] = {0};
    if (!ranks)
    {
        return;
    }
    ranks->inside = what & WEFT_GATHER_NODES ? 0 : ranks->inside;
    ranks->total = what & (WEFT_GATHER_TOTAL | WEFT_GATHER_NODES) ? (struct weft_net_counters){0}
                                                                  : ranks->total;
    while (gather_some(net, what, item))
    {
    }
}

static void
sum_some(struct weft_net *net, uint64_t *words, size_t n)
{
    struct weft_ranks_net *ranks = net->ranks;
    if (ranks->with.rank > 0)
    {
        weft_pack_put(net, &ranks->pack[0], words, n * sizeof *words);
    }
    weft_ranks_exchange(net);
    for (uint32_t r = 1; r < ranks->with.n && ranks->with.rank == 0; r++)
    {
        for (size_t i = 0; i < n; i++)
        {
            uint64_t word;
            weft_parcel_take(&ranks->in[r], &word, sizeof word);
            words[i] += word;
        }
    }
}

void
weft_net_sum(struct weft_net *net, uint64_t *words, size_t n)
{
    const size_t most = net->ranks ? net->ranks->parcel / sizeof *words : n;
    for (size_t at = 0; net->ranks && at < n; at += most)
    {
        sum_some(net, words + at, n - at < most ? n - at : most);
    }
}

/* SPDX-License-Identifier: MIT */
/* Rank 0 gets what the others have of their nodes, into its own of these. */
#include "fabric/net-ranks.h"
#include "fabric/switch-node.h"

#include <string.h>

/* Bytes come, or go: which, the parcel says. */
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
carry_port(const struct carrier *by, struct weft_port *port)
{
    CARRY(by, port->free_at);
    CARRY(by, port->frames);
    CARRY(by, port->sent_bytes);
    CARRY(by, port->peak_queue);
    CARRY(by, port->paused);
}

static void
carry_node(const struct carrier *by, struct weft_node *node)
{
    CARRY(by, node->counters);
    CARRY(by, node->last);
    for (uint32_t i = 0; i < node->nports; i++)
    {
        carry_port(by, &node->port[i]);
    }
}

static void
carry_switch(const struct carrier *by, struct weft_switch_node *sw)
{
    struct weft_net *net = by->net;
    const int64_t size = weft_mmu_size(&net->config.buffer, sw->node.nports);
    if (by->pack)
    {
        weft_net_buffer(net, sw->index); /* what has left by now is given back */
    }
    carry(by, sw->mmu, (size_t)size);
    CARRY(by, sw->marks);
    CARRY(by, sw->tor);
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

static void
carry_nodes(const struct carrier *by, uint32_t rank)
{
    struct weft_net *net = by->net;
    uint64_t inside = by->pack ? weft_net_inside(net) : 0;
    for (uint32_t i = 0; i < net->nhosts + net->nswitches; i++)
    {
        if (weft_rank_of(net, i) != rank)
        {
            continue;
        }
        carry_node(by, net->node[i]);
        if (i >= net->nhosts)
        {
            carry_switch(by, &net->sw[i - net->nhosts]);
        }
    }
    CARRY(by, inside);
    net->ranks->inside += by->pack ? 0 : inside;
    carry_degrees(by);
}

static void
carry_sender(const struct carrier *by, struct weft_qp *qp)
{
    const struct weft_tx_counters *tx = qp->algos->transport->tx_counters(qp->tx);
    bool given_up = qp->given_up;
    /* They lie in the transport's own memory, which is this one's. */
    carry(by, (char *)qp->tx + ((const char *)tx - (const char *)qp->tx), sizeof *tx);
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
carry_qps(const struct carrier *by, uint32_t rank)
{
    struct weft_net *net = by->net;
    for (uint32_t i = 0; i < net->nqps; i++)
    {
        struct weft_qp *qp = weft_net_qp(net, i);
        if (qp && weft_rank_of(net, qp->src) == rank)
        {
            carry_sender(by, qp);
        }
        if (qp && weft_rank_of(net, qp->dst) == rank)
        {
            carry_receiver(by, qp);
        }
    }
}

static void
carry_total(const struct carrier *by)
{
    struct weft_net_counters total;
    weft_net_total(by->net, &total);
    CARRY(by, total);
    if (!by->pack)
    {
        weft_net_add_counters(&by->net->ranks->total, &total);
    }
}

static void
carry_rank(const struct carrier *by, uint32_t rank, unsigned what)
{
    if (what & (WEFT_GATHER_TOTAL | WEFT_GATHER_NODES))
    {
        carry_total(by);
    }
    if (what & WEFT_GATHER_NODES)
    {
        carry_nodes(by, rank);
    }
    if (what & WEFT_GATHER_QPS)
    {
        carry_qps(by, rank);
    }
}

void
weft_net_gather(struct weft_net *net, unsigned what)
{
    struct weft_ranks_net *ranks = net->ranks;
    if (!ranks)
    {
        return;
    }
    struct carrier by = {.net = net};
    if (ranks->with.rank > 0)
    {
        by.pack = &ranks->pack[0];
        carry_rank(&by, ranks->with.rank, what);
    }
    weft_ranks_exchange(net);
    ranks->inside = what & WEFT_GATHER_NODES ? 0 : ranks->inside;
    ranks->total = what & (WEFT_GATHER_TOTAL | WEFT_GATHER_NODES) ? (struct weft_net_counters){0}
                                                                  : ranks->total;
    for (uint32_t r = 1; r < ranks->with.n && ranks->with.rank == 0; r++)
    {
        by.pack = NULL;
        by.parcel = &ranks->in[r];
        carry_rank(&by, r, what);
    }
}

void
weft_net_sum(struct weft_net *net, uint64_t *words, size_t n)
{
    struct weft_ranks_net *ranks = net->ranks;
    if (!ranks)
    {
        return;
    }
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

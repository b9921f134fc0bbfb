/* SPDX-License-Identifier: MIT */
/* Rank 0 gets what the others have of their nodes, into its own of these. */
#include "fabric/net-ranks.h"
#include "fabric/switch-node.h"

#include <string.h>

/* A port, as it is read. */
struct port_part
{
    int64_t free_at;
    uint64_t frames;
    uint64_t sent_bytes;
    uint32_t peak_queue;
    uint32_t paused;
};

/* A QP at its sender. */
struct sender_part
{
    struct weft_tx_counters tx;
    uint64_t una;
    uint64_t acks;
    uint64_t sent_bytes;
    uint64_t acked;
    uint64_t failed;
    uint64_t cnps;
    uint64_t tor_nacks;
    int64_t last_sent;
    int64_t first_sent;
    double last_rate;
    double rate_time;
    int64_t given_up;
};

/* A QP at its receiver. */
struct receiver_part
{
    uint64_t arrived;
    uint64_t duplicates;
    uint64_t out_of_order;
    uint64_t delivered;
    uint64_t cnps_sent;
    uint64_t nacks_sent;
    int64_t last_delivery;
};

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

static void
carry_port(const struct carrier *by, struct weft_port *port)
{
    struct port_part part = {.free_at = port->free_at,
                             .frames = port->frames,
                             .sent_bytes = port->sent_bytes,
                             .peak_queue = port->peak_queue,
                             .paused = port->paused};
    carry(by, &part, sizeof part);
    port->free_at = part.free_at;
    port->frames = part.frames;
    port->sent_bytes = part.sent_bytes;
    port->peak_queue = part.peak_queue;
    port->paused = part.paused;
}

static void
carry_node(const struct carrier *by, struct weft_node *node)
{
    carry(by, &node->counters, sizeof node->counters);
    carry(by, &node->last, sizeof node->last);
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
    carry(by, sw->marks, sizeof sw->marks);
    carry(by, &sw->tor, sizeof sw->tor);
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
        carry(by, degrees, sizeof degrees);
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
    carry(by, &inside, sizeof inside);
    net->ranks->inside += by->pack ? 0 : inside;
    carry_degrees(by);
}

static void
carry_sender(const struct carrier *by, struct weft_qp *qp)
{
    struct sender_part s;
    const struct weft_tx_counters *tx = qp->algos->transport->tx_counters(qp->tx);
    memset(&s, 0, sizeof s);
    s.tx = *tx;
    s.una = qp->una;
    s.acks = qp->acks;
    s.sent_bytes = qp->sent_bytes;
    s.acked = qp->acked;
    s.failed = qp->failed;
    s.cnps = qp->cnps;
    s.tor_nacks = qp->tor_nacks;
    s.last_sent = qp->last_sent;
    s.first_sent = qp->first_sent;
    s.last_rate = qp->last_rate;
    s.rate_time = qp->rate_time;
    s.given_up = qp->given_up;
    carry(by, &s, sizeof s);
    /* They lie in the transport's own memory, which is this one's. */
    memcpy((char *)qp->tx + ((const char *)tx - (const char *)qp->tx), &s.tx, sizeof s.tx);
    qp->una = s.una;
    qp->acks = s.acks;
    qp->sent_bytes = s.sent_bytes;
    qp->acked = (size_t)s.acked;
    qp->failed = (size_t)s.failed;
    qp->cnps = s.cnps;
    qp->tor_nacks = s.tor_nacks;
    qp->last_sent = s.last_sent;
    qp->first_sent = s.first_sent;
    qp->last_rate = s.last_rate;
    qp->rate_time = s.rate_time;
    qp->given_up = s.given_up != 0;
}

static void
carry_receiver(const struct carrier *by, struct weft_qp *qp)
{
    struct receiver_part r = {.arrived = qp->arrived,
                              .duplicates = qp->duplicates,
                              .out_of_order = qp->out_of_order,
                              .delivered = qp->delivered,
                              .cnps_sent = qp->cnps_sent,
                              .nacks_sent = qp->nacks_sent,
                              .last_delivery = qp->last_delivery};
    carry(by, &r, sizeof r);
    qp->arrived = r.arrived;
    qp->duplicates = r.duplicates;
    qp->out_of_order = r.out_of_order;
    qp->delivered = (size_t)r.delivered;
    qp->cnps_sent = r.cnps_sent;
    qp->nacks_sent = r.nacks_sent;
    qp->last_delivery = r.last_delivery;
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
    carry(by, &total, sizeof total);
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

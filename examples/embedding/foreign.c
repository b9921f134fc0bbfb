/* SPDX-License-Identifier: MIT */
/*
 * A simulator in a style of its own: events in a heap, a clock in ns, packets of its own that wait
 * in linked lists, ports known by their addresses. Two leaves of four hosts and four spines; hosts
 * 0 to 3 send to hosts 4 to 7; links to a spine may be longer than those to the one before by SKEW
 * ns. The balancer, its parts at hosts and ToRs, the congestion control and NIC-SR are Weft's.
 * usage: foreign [BALANCER [CONGESTION-CONTROL [FLOWS [SKEW]]]], as foreign "reps ring=16" dctcp
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#define N       4    /* hosts of a leaf, and spines */
#define PACKETS 2000 /* of each flow */
#define SIZE    1500 /* bytes: 120 ns at 100 Gb/s */
#define ACK     100  /* bytes: 8 ns */
#define DELAY   500  /* ns of each link */
#define RTT     (8 * DELAY + 4 * 120 + 4 * 8)
#define MARK    30000 /* bytes that wait from which on data is marked */
#define PS(ns)  ((int64_t)(ns)*1000)

struct packet
{
    struct packet *behind;
    struct weft_packet w;                 /* what Weft's parts see of it */
    struct weft_stamp stamp[WEFT_STAMPS]; /* what ports have said of it: its reply brings that */
    uint32_t nstamps;
};

struct device;

struct port
{
    struct packet *head, *tail;
    uint32_t bytes;
    uint64_t sent;
    bool busy;
    struct device *from, *to;
};

struct device
{
    char kind; /* h, l, s */
    uint32_t number;
    struct port port[2 * N]; /* of a leaf: down, then up */
    void *lb;                /* of a leaf: the balancer's state */
};

struct flow
{
    void *tx, *rx, *cc, *path, *path_host, *tor;
    int64_t free_at; /* ns: pacing */
    bool urgent, done;
} flows[N];

static struct
{
    int64_t at;
    uint64_t order;
    void (*what)(void *of, struct packet *p);
    void *of;
    struct packet *p;
} heap[1 << 18];

static struct device hosts[2 * N], leaves[2], spines[N];
static const struct weft_lb_ops *lb;
static const struct weft_cc_ops *cc;
static const struct weft_transport_ops *nic;
static const void *lb_config, *cc_config, *nic_config;
static struct weft_tor_counters counters;
static struct weft_refusal why;
static int64_t now, finished, skew;
static size_t nheap;
static uint64_t order;
static uint32_t nflows = N, ndone, longest;

/* --- events ----------------------------------------------------------------------------------- */

static bool
earlier(size_t a, size_t b)
{
    return heap[a].at < heap[b].at || (heap[a].at == heap[b].at && heap[a].order < heap[b].order);
}

static void
swap(size_t a, size_t b)
{
    heap[nheap] = heap[a]; /* there is room behind the last one */
    heap[a] = heap[b];
    heap[b] = heap[nheap];
}

static void
at(int64_t time, void (*what)(void *, struct packet *), void *of, struct packet *p)
{
    size_t i = nheap++;
    heap[i].at = time;
    heap[i].order = order++;
    heap[i].what = what;
    heap[i].of = of;
    heap[i].p = p;
    for (; i > 0 && earlier(i, (i - 1) / 2); i = (i - 1) / 2)
        swap(i, (i - 1) / 2);
}

static void
next_event(void)
{
    swap(0, nheap - 1);
    const size_t last = --nheap;
    for (size_t i = 0, c = 1; c < nheap; i = c, c = 2 * c + 1)
    {
        c += c + 1 < nheap && earlier(c + 1, c);
        if (!earlier(c, i))
            break;
        heap[nheap + 1] = heap[i];
        heap[i] = heap[c];
        heap[c] = heap[nheap + 1];
    }
    now = heap[last].at;
    heap[last].what(heap[last].of, heap[last].p);
}

/* --- links and switches ----------------------------------------------------------------------- */

static void arrive(void *of, struct packet *p);
static void offer(struct device *host);

static void
start(struct port *port)
{
    struct packet *p = port->head;
    if (port->from->kind == 'l' && port->to->kind == 'h' && lb->tor && p->w.kind == WEFT_DATA)
    {
        struct packet *nack;
        uint32_t epsn;
        if (lb->tor->to_host(flows[p->w.qp].tor, &p->w, false, &counters, &epsn))
        {
            nack = (struct packet *)calloc(1, sizeof *nack);
            nack->w = p->w;
            nack->w.src = p->w.dst;
            nack->w.dst = p->w.src;
            nack->w.kind = WEFT_NACK;
            nack->w.psn = epsn & WEFT_PSN_MASK;
            nack->w.bytes = ACK;
            nack->w.flags = WEFT_F_COMPENSATED;
            at(now, arrive, port->from, nack);
        }
    }
    if (cc->on_stamps && port->from->kind != 'h' && p->w.kind == WEFT_DATA)
    {
        struct weft_stamp *stamp = &p->stamp[p->nstamps++];
        stamp->at = PS(now);
        stamp->bytes = port->sent;
        stamp->rate = INT64_C(100000000000);
        stamp->queue = port->bytes - p->w.bytes;
        stamp->node = (uint32_t)port->from->kind << 8 | port->from->number;
        stamp->port = (uint32_t)(port - port->from->port);
    }
    port->sent += p->w.bytes;
    port->busy = true;
    at(now + p->w.bytes * 8 / 100, arrive, port, p); /* the wire is free */
}

static void
enqueue(struct port *port, struct packet *p)
{
    if (port->from->kind != 'h' && p->w.kind == WEFT_DATA && port->bytes > MARK)
        p->w.flags |= WEFT_F_CE;
    p->behind = NULL;
    *(port->head ? &port->tail->behind : &port->head) = p;
    port->tail = p;
    port->bytes += p->w.bytes;
    longest = port->from->kind != 'h' && port->bytes > longest ? port->bytes : longest;
    if (!port->busy)
        start(port);
}

/* Weft knows ports by numbers: those of a leaf's array. */
static struct port *
choose(struct device *leaf, struct packet *p)
{
    uint32_t queues[2 * N] = {0};
    for (int i = 0; i < 2 * N && weft_lb_looks(lb, lb_config); i++)
        queues[i] = leaf->port[i].bytes;
    const struct weft_ports up = {queues, NULL, N, N, N, 0, 0};
    return &leaf->port[lb->pick(leaf->lb, &up, &p->w, PS(now))];
}

/* Whether a reply from a NIC goes on. */
static bool
passes_tor(struct packet *p)
{
    switch (lb->tor && !(p->w.flags & WEFT_F_COMPENSATED)
                ? lb->tor->from_host(flows[p->w.qp].tor, &p->w, &counters)
                : WEFT_TOR_FORWARD)
    {
    case WEFT_TOR_BLOCK:
        free(p);
        return false;
    case WEFT_TOR_NACK:
        p->w.kind = WEFT_NACK;
        p->w.flags |= WEFT_F_COMPENSATED;
        break;
    case WEFT_TOR_FORWARD:
        break;
    }
    return true;
}

static void
at_switch(struct device *d, struct packet *p)
{
    if (d->kind == 's')
        enqueue(&d->port[p->w.dst / N], p);
    else if (p->w.dst / N == d->number)
        enqueue(&d->port[p->w.dst % N], p);
    else if (p->w.kind == WEFT_DATA || passes_tor(p))
        enqueue(choose(d, p), p);
}

/* --- hosts ------------------------------------------------------------------------------------ */

static void
wake(void *of, struct packet *p)
{
    (void)p;
    offer((struct device *)of);
}

static bool
may_send(struct flow *f)
{
    return f->free_at <= now &&
           (f->urgent || !cc->window || nic->tx_flight(f->tx) < cc->window(f->cc, PS(now)));
}

/* The host's wire is free: the next data packet, if there is one. */
static void
offer(struct device *host)
{
    struct flow *f = &flows[host->number % N]; /* those of the second leaf only answer */
    uint32_t psn = 0;
    if (host->number >= nflows || host->port[0].busy || f->done || !may_send(f))
        return;
    const int what = nic->tx_next(f->tx, PS(now), &psn);
    if (what == WEFT_TX_NONE)
        return;
    struct packet *p = (struct packet *)calloc(1, sizeof *p);
    p->w.sent = PS(now);
    p->w.src = host->number & WEFT_HOST_MASK;
    p->w.dst = (host->number + N) & WEFT_HOST_MASK;
    p->w.qp = host->number & WEFT_QP_MASK;
    p->w.psn = psn & WEFT_PSN_MASK;
    p->w.bytes = SIZE;
    p->w.tclass = 1;
    p->w.sport = (uint16_t)(49152 + host->number);
    p->w.flags = what == WEFT_TX_RETX ? WEFT_F_RETX : 0;
    f->urgent = false;
    if (lb->path)
        lb->path->data(f->path, &p->w, PS(now));
    f->free_at = now + SIZE * INT64_C(8000000000) / cc->rate(f->cc, PS(now));
    if (cc->on_sent)
        cc->on_sent(f->cc, &p->w, PS(now));
    if (f->free_at > now + 120)
        at(f->free_at, wake, host, NULL);
    enqueue(&host->port[0], p);
}

static void
answer(struct packet *p)
{
    struct flow *f = &flows[p->w.qp];
    struct weft_rx_verdict v = {.place = p->w.psn};
    nic->rx_data(f->rx, &p->w, PS(now), &v);
    if (v.reply == WEFT_REPLY_NONE)
    {
        free(p);
        return;
    }
    const uint32_t src = p->w.src;
    p->w.kind = v.reply == WEFT_REPLY_NACK ? WEFT_NACK : WEFT_ACK;
    p->w.flags = p->w.flags & WEFT_F_CE ? WEFT_F_ECE : 0;
    p->w.echo = p->w.sport;
    p->w.ahead = weft_ahead(v.place, v.epsn);
    p->w.psn = v.epsn & WEFT_PSN_MASK;
    p->w.sport = (uint16_t)(49152 + p->w.qp);
    p->w.src = p->w.dst & WEFT_HOST_MASK;
    p->w.dst = src;
    p->w.bytes = ACK;
    if (lb->path)
        lb->path->reply(flows[p->w.src % N].path_host, &p->w);
    enqueue(&hosts[p->w.src].port[0], p);
}

static void
take_reply(struct packet *p)
{
    struct flow *f = &flows[p->w.qp];
    const uint32_t acked = nic->tx_reply(f->tx, &p->w, PS(now));
    const uint64_t una = nic->tx_una(f->tx); /* fewer packets than there are PSNs */
    const struct weft_cc_ack ack = {.reply = &p->w,
                                    .acked = acked,
                                    .in_flight = nic->tx_flight(f->tx),
                                    .una = una,
                                    .next = nic->tx_counters(f->tx)->sent,
                                    .delivered = una};
    f->urgent |= p->w.kind == WEFT_NACK;
    if (p->w.kind == WEFT_NACK && cc->on_nack)
        cc->on_nack(f->cc, &p->w, PS(now));
    if (cc->on_stamps && p->nstamps > 0)
        cc->on_stamps(f->cc, p->stamp, p->nstamps, PS(now));
    if (cc->on_ack)
        cc->on_ack(f->cc, &ack, PS(now));
    if (lb->path && lb->path->on_reply)
        lb->path->on_reply(f->path, &p->w, PS(now));
    if (!f->done && una == PACKETS)
    {
        f->done = true;
        ndone++;
        finished = now;
    }
    offer(&hosts[p->w.qp]);
    free(p);
}

/* Each 10 us: a timer that is due. */
static void
tick(void *of, struct packet *p)
{
    struct flow *f = (struct flow *)of;
    (void)p;
    if (nic->tx_deadline(f->tx) <= PS(now))
    {
        nic->tx_timeout(f->tx, PS(now));
        f->urgent = true;
        if (cc->on_timeout)
            cc->on_timeout(f->cc, PS(now));
        if (lb->path && lb->path->on_timeout)
            lb->path->on_timeout(f->path, PS(now));
    }
    offer(&hosts[f - flows]);
    if (!f->done)
        at(now + 10000, tick, f, NULL);
}

/* A frame's last bit has left a port, or it has come to a device. */
static void
arrive(void *of, struct packet *p)
{
    struct port *port = (struct port *)of;
    struct device *d = (struct device *)of;
    for (struct device *l = leaves; l < leaves + 2; l++)
        if (d == l)
        {
            at_switch(d, p); /* a ToR's own */
            return;
        }
    d = port->to;
    if (port->head == p && port->busy) /* it has left */
    {
        port->head = p->behind;
        port->bytes -= p->w.bytes;
        port->busy = false;
        p->behind = p; /* on its way */
        at(now + DELAY + (d->kind == 's' ? skew * d->number : 0), arrive, port, p);
        if (port->head)
            start(port);
        else if (port->from->kind == 'h')
            offer(port->from);
        return;
    }
    if (d->kind != 'h')
        at_switch(d, p);
    else if (p->w.kind == WEFT_DATA)
        answer(p);
    else
        take_reply(p);
}

/* --- set-up ----------------------------------------------------------------------------------- */

static void
must(int error)
{
    if (error)
    {
        fprintf(stderr, "%s\n", weft_refusal_text(error, &why));
        exit(1);
    }
}

/* The name of the algorithm that a line begins with, and its parameters. */
static const char *
read_line(const char *kind, const char *line, const void **config)
{
    const struct weft_algo *algo = weft_choice_find(kind, line, &why);
    must(algo ? 0 : why.code);
    void *made = calloc(1, algo->config_size + 8);
    must(weft_choice_set(algo, line, made, &why));
    *config = made;
    return algo->name;
}

static void
wire(struct port *a, struct device *from, struct device *to)
{
    a->from = from;
    a->to = to;
}

/* Services of this simulator for a balancer. */
#define PROVIDED                                                                                   \
    ((uint32_t)WEFT_NEED_PICK | WEFT_NEED_HOSTS | WEFT_NEED_REPLIES | WEFT_NEED_LOSSES |           \
     WEFT_NEED_TOR)

static void
make_network(void)
{
    for (uint32_t i = 0; i < 2 * N; i++)
    {
        hosts[i].kind = 'h';
        hosts[i].number = i;
        wire(&hosts[i].port[0], &hosts[i], &leaves[i / N]);
        wire(&leaves[i / N].port[i % N], &leaves[i / N], &hosts[i]);
    }
    for (uint32_t l = 0; l < 2; l++)
    {
        const struct weft_site site = {.seed = 1,
                                       .run = 1,
                                       .switch_index = l,
                                       .nports = 2 * N,
                                       .tiers = 2,
                                       .up_ports = N,
                                       .npaths = N,
                                       .tclass = 1,
                                       .port_rate = 100000000000,
                                       .port_buffer = 1000000,
                                       .why = &why,
                                       .provides = PROVIDED};
        leaves[l].kind = 'l';
        leaves[l].number = l;
        leaves[l].lb = malloc(lb->state_size(lb_config, &site));
        must(lb->init(leaves[l].lb, lb_config, &site));
        for (uint32_t s = 0; s < N; s++)
        {
            spines[s].kind = 's';
            spines[s].number = s;
            wire(&leaves[l].port[N + s], &leaves[l], &spines[s]);
            wire(&spines[s].port[l], &spines[s], &leaves[l]);
        }
    }
}

static void
make_flow(uint32_t i)
{
    struct flow *f = &flows[i];
    const struct weft_transport_site end = {
        .qp = i, .rate = 100000000000, .base_rtt = PS(RTT), .frame = SIZE};
    const struct weft_cc_site sender = {100000000000, 1, PS(RTT), 4, SIZE, 0, &why};
    const struct weft_last_hop hop = {N, 100000000000, PS(2 * DELAY + 240), SIZE, &why, PROVIDED};
    const struct weft_path_site host = {.seed = 1,
                                        .run = 1,
                                        .host = i,
                                        .qp_bdp = RTT / 120 + 1,
                                        .dst = i + N,
                                        .batch = 1,
                                        .why = &why,
                                        .provides = PROVIDED};
    f->tx = malloc(nic->tx_size(nic_config));
    f->rx = malloc(nic->rx_size(nic_config));
    f->cc = malloc(cc->state_size + 1);
    must(nic->tx_init(f->tx, nic_config, &end));
    must(nic->rx_init(f->rx, nic_config, &end));
    must(cc->init(f->cc, cc_config, &sender, 0));
    if (lb->path)
    {
        f->path_host = malloc(lb->path->host_size(lb_config, &host) + 1);
        f->path = malloc(lb->path->qp_size(lb_config, &host) + 1);
        must(lb->path->host_init(f->path_host, lb_config, &host));
        must(lb->path->qp_init(f->path, f->path_host, lb_config, &host, i));
    }
    if (lb->tor)
    {
        f->tor = malloc(lb->tor->qp_size(lb_config, &hop));
        must(lb->tor->qp_init(f->tor, lb_config, &hop));
    }
    nic->tx_post(f->tx, PACKETS);
    at(0, tick, f, NULL);
}

int
main(int argc, char **argv)
{
    uint64_t resent = 0;
    lb = weft_lb_find(read_line("balancer", argc > 1 ? argv[1] : "themis", &lb_config));
    cc = weft_cc_find(read_line("congestion-control", argc > 2 ? argv[2] : "none", &cc_config));
    nic = weft_transport_find(read_line("transport", "nic-sr", &nic_config));
    nflows = argc > 3 && atoi(argv[3]) < N ? (uint32_t)atoi(argv[3]) : N;
    skew = argc > 4 ? atoi(argv[4]) : 0;
    make_network();
    for (uint32_t i = 0; i < nflows; i++)
        make_flow(i);
    while (ndone < nflows && nheap > 0)
        next_event();
    for (uint32_t i = 0; i < nflows; i++)
        resent += nic->tx_counters(flows[i].tx)->resent;
    printf("%u flows after %.3f us, %llu packets resent, %llu NACKs blocked, longest queue %u B\n",
           (unsigned)ndone, (double)finished / 1000, (unsigned long long)resent,
           (unsigned long long)counters.blocked, (unsigned)longest);
    return ndone == nflows ? 0 : 1;
}

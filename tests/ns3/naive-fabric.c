/* SPDX-License-Identifier: GPL-2.0-only */
/* A leaf-spine simulated by hand. Made to be seen to be right, not to be fast. */
#include "naive-fabric.h"

#include "naive-leaf-spine.h"

#include <limits.h>
#include <stdlib.h>

#define NEVER INT64_MAX

struct frame
{
    unsigned from; /* host */
    unsigned to;   /* host */
    unsigned flow; /* sender * qps + qp */
    bool ack;
    bool last; /* an ACK: the message is complete */
    unsigned label;
    int64_t start; /* on the wire that it took last, in 1/parts ps */
};

/* Frames are in the order in which they came: landed <= left <= started <= came. */
struct port
{
    unsigned* frame;  /* numbers of all that ever came */
    unsigned came;    /* how many joined the queue */
    unsigned started; /* how many took the wire */
    unsigned left;    /* how many have left it with their last bit */
    unsigned landed;  /* how many have arrived at its other end */
    int64_t free_at;  /* in 1/parts ps */
    int64_t wake_at;  /* when it is to take what waits, or NEVER */
    int64_t bytes;    /* the queue's */
};

struct host
{
    unsigned sent;    /* data frames */
    unsigned turn;    /* the QP whose turn it is, if it has more to send */
    unsigned* reply;  /* numbers of the ACKs that it made */
    unsigned made;    /* how many */
    unsigned replied; /* how many of them took the wire */
    bool reply_next;
    bool active; /* it may have data: it finds out that it has none when it looks for it */
};

struct world
{
    const struct naive_setup* s;
    struct naive_result* r;
    unsigned hosts;
    unsigned ports;
    struct frame* frame;
    unsigned frames;
    struct port* port;
    struct host* host;
    unsigned* gone;    /* [flow]: data frames that the sender has begun */
    unsigned* got;     /* [flow]: data frames that are at the receiver */
    unsigned* pointer; /* [leaf]: of a round */
    unsigned looks;
};

unsigned
naive_ports(const struct naive_setup* s)
{
    return s->leaves * (s->hosts_per_leaf + s->hosts_per_leaf + s->spines) + s->spines * s->leaves;
}

static int64_t
size(const struct world* w, const struct frame* f)
{
    return f->ack ? w->s->ack : w->s->data;
}

/* The first whole ps that is not before a time in parts. */
static int64_t
whole(const struct world* w, int64_t parts)
{
    return (parts + w->s->parts - 1) / w->s->parts;
}

static unsigned
new_frame(struct world* w, unsigned flow, bool ack, unsigned nth)
{
    struct frame* f = &w->frame[w->frames];
    const unsigned sender = flow / w->s->qps;
    const unsigned from = ack ? w->s->to[flow] : sender;
    const unsigned to = ack ? sender : w->s->to[flow];
    f->flow = flow;
    f->from = from;
    f->to = to;
    f->ack = ack;
    if (w->s->balancer == NAIVE_LABELS)
    {
        f->label = w->s->chance.label(w->s->chance.context, flow, ack, nth);
    }
    return w->frames++;
}

/* A port is to take what waits as soon as its wire is free. */
static void
wake_when_free(struct world* w, unsigned port)
{
    if (w->port[port].wake_at == NEVER)
    {
        w->port[port].wake_at = whole(w, w->port[port].free_at);
    }
}

static void
queue(struct world* w, unsigned port, unsigned frame)
{
    struct port* p = &w->port[port];
    p->frame[p->came++] = frame;
    p->bytes += size(w, &w->frame[frame]);
    if (p->bytes > w->r->peak[port])
    {
        w->r->peak[port] = p->bytes;
    }
}

/* The first frame of a port's queue takes the wire, which is free. */
static void
transmit(struct world* w, unsigned port, bool waited, int64_t now)
{
    struct port* p = &w->port[port];
    struct frame* f = &w->frame[p->frame[p->started++]];
    const bool at_once = waited && now == whole(w, p->free_at);
    f->start = at_once ? p->free_at : now * w->s->parts;
    p->free_at = f->start + (size(w, f) + w->s->gap) * w->s->byte;
    w->r->frames[port]++;
    if (p->started < p->came)
    {
        wake_when_free(w, port);
    }
}

/* A frame is to leave a switch. */
static void
join(struct world* w, unsigned port, unsigned frame, int64_t now)
{
    struct port* p = &w->port[port];
    queue(w, port, frame);
    if (p->wake_at == NEVER && now >= whole(w, p->free_at))
    {
        transmit(w, port, false, now);
    }
    else
    {
        wake_when_free(w, port);
    }
}

/* The flow of a host that sends next, or UINT_MAX: none has more to send. */
static unsigned
flow_in_turn(const struct world* w, unsigned h)
{
    for (unsigned i = 0; i < w->s->qps; i++)
    {
        const unsigned flow = h * w->s->qps + (w->host[h].turn + i) % w->s->qps;
        if (w->gone[flow] < w->s->packets[flow])
        {
            return flow;
        }
    }
    return UINT_MAX;
}

/* Puts into a host's empty queue what goes next. */
static void
pull(struct world* w, unsigned h)
{
    struct host* host = &w->host[h];
    for (unsigned i = 0; i < 2; i++)
    {
        const bool reply = host->reply_next == (i == 0);
        if (reply && host->replied < host->made)
        {
            queue(w, h, host->reply[host->replied++]);
            host->reply_next = false;
            return;
        }
        const unsigned flow = reply || !host->active ? UINT_MAX : flow_in_turn(w, h);
        if (flow != UINT_MAX)
        {
            w->gone[flow]++;
            host->turn = flow % w->s->qps + 1;
            queue(w, h, new_frame(w, flow, false, host->sent++));
            host->reply_next = true;
            return;
        }
        host->active = reply && host->active;
    }
}

/* A host has, or may have, something to send. */
static void
kick(struct world* w, unsigned h, bool waited, int64_t now)
{
    const struct port* p = &w->port[h];
    if (now >= whole(w, p->free_at))
    {
        pull(w, h);
        if (p->started < p->came)
        {
            transmit(w, h, waited, now);
        }
    }
    if (w->host[h].active || w->host[h].replied < w->host[h].made)
    {
        wake_when_free(w, h);
    }
}

static unsigned
shortest_queue(struct world* w, unsigned leaf)
{
    const unsigned up = leaf_port(w->s, leaf, w->s->hosts_per_leaf);
    int64_t least = NEVER;
    unsigned n = 0;
    for (unsigned i = 0; i < w->s->spines; i++)
    {
        if (w->port[up + i].bytes < least)
        {
            least = w->port[up + i].bytes;
        }
    }
    for (unsigned i = 0; i < w->s->spines; i++)
    {
        n += w->port[up + i].bytes == least;
    }
    unsigned pick = n > 1 ? w->s->chance.tie(w->s->chance.context, leaf, n) : 0;
    for (unsigned i = 0;; i++)
    {
        if (w->port[up + i].bytes == least && pick-- == 0)
        {
            return i;
        }
    }
}

static unsigned
choose_spine(struct world* w, unsigned leaf, const struct frame* f)
{
    switch (w->s->balancer)
    {
    case NAIVE_ROUND_ROBIN:
        return w->pointer[leaf]++ % w->s->spines;
    case NAIVE_SHORTEST_QUEUE:
        return shortest_queue(w, leaf);
    default:
        return w->s->chance.hash(w->s->chance.context, leaf, f->from, f->to, f->label);
    }
}

/* Data is at its receiver: the sender hears of it in time, or the receiver makes an ACK. */
static void
take_data(struct world* w, const struct frame* f, int64_t now)
{
    struct host* receiver = &w->host[f->to];
    const bool last = ++w->got[f->flow] == w->s->packets[f->flow];
    if (last)
    {
        w->r->delivered[f->flow] = now;
    }
    if (!w->s->ideal_acks)
    {
        const unsigned ack = new_frame(w, f->flow, true, receiver->made);
        w->frame[ack].last = last;
        receiver->reply[receiver->made++] = ack;
        kick(w, f->to, false, now);
    }
    else if (last)
    {
        const bool near = f->from / w->s->hosts_per_leaf == f->to / w->s->hosts_per_leaf;
        w->r->acked[f->flow] =
            now + (near ? 2 : 4) * (whole(w, w->s->ack * w->s->byte) + w->s->delay);
    }
}

/* An ACK is at its receiver, who may just be about to send more. */
static void
take_ack(struct world* w, const struct frame* f, int64_t now)
{
    if (f->last)
    {
        w->r->acked[f->flow] = now;
    }
    if (w->gone[f->flow] < w->s->packets[f->flow])
    {
        kick(w, f->to, false, now);
    }
}

static void
arrive(struct world* w, unsigned node, unsigned number, int64_t now)
{
    const struct frame f = w->frame[number];
    const unsigned leaf = f.to / w->s->hosts_per_leaf;
    if (node >= w->hosts + w->s->leaves)
    {
        join(w, spine_port(w->s, node - w->hosts - w->s->leaves, leaf), number, now);
    }
    else if (node == w->hosts + leaf)
    {
        join(w, leaf_port(w->s, leaf, f.to % w->s->hosts_per_leaf), number, now);
    }
    else if (node >= w->hosts)
    {
        const unsigned spine = choose_spine(w, node - w->hosts, &f);
        join(w, leaf_port(w->s, node - w->hosts, w->s->hosts_per_leaf + spine), number, now);
    }
    else if (!f.ack)
    {
        take_data(w, &f, now);
    }
    else
    {
        take_ack(w, &f, now);
    }
}

/* When the ith frame of a port leaves with its last bit, if it has the wire. */
static int64_t
leaving(const struct world* w, const struct port* p, unsigned i)
{
    if (i == p->started)
    {
        return NEVER;
    }
    const struct frame* f = &w->frame[p->frame[i]];
    return whole(w, f->start + size(w, f) * w->s->byte);
}

static int64_t
landing(const struct world* w, const struct port* p)
{
    const int64_t left = leaving(w, p, p->landed);
    return left == NEVER ? NEVER : left + w->s->delay;
}

static void
last_bits_leave(struct world* w, int64_t now)
{
    for (unsigned i = 0; i < w->ports; i++)
    {
        struct port* p = &w->port[i];
        if (leaving(w, p, p->left) == now)
        {
            p->bytes -= size(w, &w->frame[p->frame[p->left]]);
            p->left++;
        }
    }
}

/* Whether two frames that arrive at a leaf, host or spine may join one queue there. */
static bool
may_meet(const struct world* w, unsigned node, const struct frame* f, const struct frame* g)
{
    const unsigned leaf = f->to / w->s->hosts_per_leaf;
    const unsigned other = g->to / w->s->hosts_per_leaf;
    if (node >= w->hosts + w->s->leaves)
    {
        return leaf == other;
    }
    return node == w->hosts + leaf ? f->to == g->to : node != w->hosts + other;
}

/* Whether the order of the frames that land now, at the other ends of two ports, matters. */
static bool
tied(const struct world* w, unsigned a, unsigned b)
{
    const unsigned node = other_end(w->s, a);
    const struct frame* f = &w->frame[w->port[a].frame[w->port[a].landed]];
    const struct frame* g = &w->frame[w->port[b].frame[w->port[b].landed]];
    return node == other_end(w->s, b) && (f->from != g->from || f->ack != g->ack) &&
           may_meet(w, node, f, g);
}

static void
wake(struct world* w, unsigned port, int64_t now)
{
    w->port[port].wake_at = NEVER;
    if (port < w->hosts)
    {
        kick(w, port, true, now);
    }
    else
    {
        transmit(w, port, true, now);
    }
}

static void
wires_take(struct world* w, int64_t now)
{
    for (unsigned i = 0; i < w->ports; i++)
    {
        if (w->port[i].wake_at == now)
        {
            wake(w, i, now);
        }
    }
}

/* When a frame that lands now has its turn: node by node. A host has one port. */
static uint64_t
turn(const struct world* w, unsigned port, int64_t now)
{
    const unsigned node = other_end(w->s, port);
    if (node < w->hosts)
    {
        return node;
    }
    const unsigned order = w->s->chance.order(w->s->chance.context, node - w->hosts, now);
    return (uint64_t)node << 32 | (ingress(w->s, port) ^ order);
}

static void
frames_arrive(struct world* w, int64_t now)
{
    for (;;)
    {
        unsigned first = UINT_MAX;
        uint64_t least = UINT64_MAX;
        for (unsigned i = 0; i < w->ports; i++)
        {
            if (landing(w, &w->port[i]) == now && turn(w, i, now) < least)
            {
                first = i;
                least = turn(w, i, now);
            }
        }
        if (first == UINT_MAX)
        {
            return;
        }
        arrive(w, other_end(w->s, first), w->port[first].frame[w->port[first].landed++], now);
    }
}

static void
count_ties(struct world* w, int64_t now)
{
    for (unsigned i = 0; i < w->ports; i++)
    {
        for (unsigned j = 0; j < i && landing(w, &w->port[i]) == now; j++)
        {
            w->r->ties += landing(w, &w->port[j]) == now && tied(w, i, j);
        }
    }
}

static void
messages_start(struct world* w, int64_t now)
{
    for (unsigned h = 0; h < w->hosts; h++)
    {
        if (w->s->start[h] == now && flow_in_turn(w, h) != UINT_MAX)
        {
            w->host[h].active = true;
            kick(w, h, false, now);
        }
    }
}

static void
look(struct world* w, int64_t now)
{
    if (w->looks < w->s->looks && now == w->s->first_look + w->looks * w->s->look_interval)
    {
        for (unsigned i = 0; i < w->ports; i++)
        {
            w->r->queues[w->looks * w->ports + i] = w->port[i].bytes;
        }
        w->looks++;
    }
}

static int64_t
earlier(int64_t a, int64_t b, int64_t now)
{
    return b > now && b < a ? b : a;
}

/* Nothing can happen before this instant; at it, something may. */
static int64_t
next_instant(const struct world* w, int64_t now)
{
    int64_t next = NEVER;
    for (unsigned i = 0; i < w->ports; i++)
    {
        next = earlier(next, landing(w, &w->port[i]), now);
        next = earlier(next, leaving(w, &w->port[i], w->port[i].left), now);
        next = earlier(next, w->port[i].wake_at, now);
    }
    for (unsigned h = 0; h < w->hosts; h++)
    {
        next = earlier(next, w->s->start[h], now);
    }
    if (w->looks < w->s->looks)
    {
        next = earlier(next, w->s->first_look + w->looks * w->s->look_interval, now);
    }
    return next;
}

static void
make(struct world* w)
{
    unsigned frames = 0;
    for (unsigned flow = 0; flow < w->hosts * w->s->qps; flow++)
    {
        frames += 2 * w->s->packets[flow];
        w->r->delivered[flow] = w->r->acked[flow] = -1;
    }
    w->frame = (struct frame*)calloc(frames, sizeof *w->frame);
    w->port = (struct port*)calloc(w->ports, sizeof *w->port);
    w->host = (struct host*)calloc(w->hosts, sizeof *w->host);
    w->gone = (unsigned*)calloc(w->hosts * w->s->qps, sizeof *w->gone);
    w->got = (unsigned*)calloc(w->hosts * w->s->qps, sizeof *w->got);
    w->pointer = (unsigned*)calloc(w->s->leaves, sizeof *w->pointer);
    for (unsigned i = 0; i < w->ports; i++)
    {
        w->port[i].frame = (unsigned*)calloc(frames, sizeof(unsigned));
        w->port[i].wake_at = NEVER;
        w->r->peak[i] = 0;
        w->r->frames[i] = 0;
    }
    for (unsigned h = 0; h < w->hosts; h++)
    {
        w->host[h].reply = (unsigned*)calloc(frames, sizeof(unsigned));
        w->host[h].reply_next = true;
    }
    for (unsigned l = 0; w->s->balancer == NAIVE_ROUND_ROBIN && l < w->s->leaves; l++)
    {
        w->pointer[l] = w->s->chance.first(w->s->chance.context, l);
    }
}

static void
unmake(struct world* w)
{
    for (unsigned h = 0; h < w->hosts; h++)
    {
        free(w->host[h].reply);
    }
    for (unsigned i = 0; i < w->ports; i++)
    {
        free(w->port[i].frame);
    }
    free(w->pointer);
    free(w->got);
    free(w->gone);
    free(w->host);
    free(w->port);
    free(w->frame);
}

void
naive_run(const struct naive_setup* setup, struct naive_result* result)
{
    struct world w = {setup, result, 0, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL, 0};
    w.hosts = setup->leaves * setup->hosts_per_leaf;
    w.ports = naive_ports(setup);
    result->ties = 0;
    make(&w);
    for (int64_t now = 0; now != NEVER; now = next_instant(&w, now))
    {
        look(&w, now);
        last_bits_leave(&w, now);
        wires_take(&w, now);
        count_ties(&w, now);
        frames_arrive(&w, now);
        messages_start(&w, now);
    }
    unmake(&w);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "plain-switch.h"

#include <weft/weft.h>

#include "must.h"

struct plain plain;

static void *
take(size_t bytes)
{
    return plain.net->config.memory.take(plain.net->config.memory.of, bytes);
}

/* Makes what a ToR keeps of a QP. */
static void
init_qp(uint32_t i)
{
    const struct weft_net_level *level = &plain.net->level[0];
    struct weft_last_hop hop;
    if (plain.net->qp[i]->flow)
    {
        plain.flow[i] = take(level->lb->flow_size(level->lb_config));
        MUST(level->lb->flow_init(plain.flow[i], level->lb_config) == 0);
    }
    if (!plain.net->qp[i]->tor)
    {
        return;
    }
    weft_clos_last_hop(plain.net->config.clos, &plain.net->config.frame, &hop);
    hop.provides = WEFT_NEEDS_ALL;
    plain.tor[i] = take(level->lb->tor->qp_size(level->lb_config, &hop));
    MUST(level->lb->tor->qp_init(plain.tor[i], level->lb_config, &hop) == 0);
}

static void
read_port(void *of, uint32_t i, int64_t now, struct weft_port_status *status)
{
    const struct plain_port *port = &plain.port[i];
    (void)of;
    (void)now;
    *status = (struct weft_port_status){.rate = plain.sw->node.port[i].rate,
                                        .sent = port->bytes,
                                        .queue_bytes = weft_mmu_queues(plain.mmu)[i],
                                        .paused = port->paused};
}

void
plain_switch_init(struct weft_net *net)
{
    const struct weft_net_config *c = &net->config;
    const struct weft_net_level *level = &net->level[0];
    struct weft_site site;
    plain.net = net;
    plain.sw = &net->sw[0];
    plain.mmu = take((size_t)weft_mmu_size(&c->buffer, PLAIN_PORTS));
    MUST(weft_mmu_init(plain.mmu, &c->buffer, PLAIN_PORTS) == 0);
    weft_clos_site(c->clos, &c->buffer, 0, c->seed, c->run, &site);
    site.provides = WEFT_NEEDS_ALL;
    plain.reader.read = read_port;
    site.reader = &plain.reader;
    plain.lb = take(level->lb->state_size(level->lb_config, &site) + 16);
    MUST(level->lb->init(plain.lb, level->lb_config, &site) == 0);
    plain.rng = plain.sw->rng;
    for (uint32_t i = 0; i < PLAIN_QPS; i++)
    {
        init_qp(i);
    }
    for (uint32_t i = 0; i < PLAIN_PORTS; i++)
    {
        plain.port[i].end = WEFT_NEVER;
        plain.port[i].cut = INT64_MIN;
        if (plain.sw->leaving)
        {
            plain.port[i].rng = plain.sw->leaving[i];
        }
    }
}

static void
push(struct plain_queue *q, const struct weft_packet *p)
{
    MUST(q->tail < 2 * PLAIN_FRAMES);
    q->frame[q->tail++] = *p;
}

/* The class that would go first, or PLAIN_CLASSES. */
static uint32_t
first_class(const struct plain_port *port)
{
    uint32_t c = 0;
    while (c < PLAIN_CLASSES &&
           (port->queue[c].head == port->queue[c].tail || (port->paused >> c & 1U)))
    {
        c++;
    }
    return c;
}

static void
mark(struct weft_packet *p, uint32_t out, struct weft_rng *rng)
{
    const uint32_t i = weft_mmu_index(plain.mmu, out, p->tclass);
    const bool by_class = weft_mmu_counts_by_class(&plain.net->config.buffer);
    const uint32_t queue =
        by_class ? weft_mmu_class_queues(plain.mmu)[i] : weft_mmu_queues(plain.mmu)[out];
    const bool cut = by_class && (p->flags & WEFT_F_TRIMMED);
    if (p->kind == WEFT_DATA && weft_mmu_mark(plain.mmu, cut ? 0 : queue - p->bytes, rng))
    {
        p->flags |= WEFT_F_CE;
    }
}

static bool
marks_at(enum weft_ecn_at where)
{
    const struct weft_mmu_config *b = &plain.net->config.buffer;
    return b->ecn && b->ecn_at == (int64_t)where;
}

static void
send_pfc(uint32_t by, uint32_t tclass, bool pauses, int64_t now)
{
    struct plain_port *port = &plain.port[by];
    const struct weft_port *wire = &plain.sw->node.port[by];
    const int64_t free = port->free_at > now ? port->free_at : now;
    MUST(port->npfc < 4 * PLAIN_FRAMES);
    port->pfc[port->npfc++] =
        (struct plain_event){.at = free + weft_wire_time(64, wire->rate) + wire->delay,
                             .packet.tclass = tclass & 7U,
                             .pauses = pauses};
}

static void forward(struct weft_packet *p, int64_t now);

/* Data starts to leave for a NIC: its QP's middleware may want to send a NACK. */
static void
look(const struct weft_packet *p, uint32_t out, int64_t now)
{
    const struct weft_net_level *level = &plain.net->level[0];
    const bool paused =
        weft_mmu_is_paused(plain.mmu, out, weft_reply_class(&plain.net->algos[p->sl]));
    uint32_t epsn;
    if (plain.tor[p->qp] &&
        level->lb->tor->to_host(plain.tor[p->qp], p, paused, &plain.counters, &epsn))
    {
        struct weft_packet nack = *p;
        weft_qp_make_reply(&plain.net->qp[p->qp]->qp, &nack, WEFT_NACK, epsn);
        nack.in_port = (uint16_t)out;
        plain.made++;
        forward(&nack, now);
    }
}

static void
start(uint32_t out, int64_t now, bool waited)
{
    struct plain_port *port = &plain.port[out];
    const struct weft_port *wire = &plain.sw->node.port[out];
    const uint32_t c = first_class(port);
    struct weft_packet p = port->queue[c].frame[port->queue[c].head++];
    if (marks_at(WEFT_ECN_DEQUEUE))
    {
        mark(&p, out, &port->rng);
    }
    MUST(port->end == WEFT_NEVER);
    port->carry = waited && now == port->free_at ? port->carry : 0;
    int64_t carry = port->carry;
    port->free_at = now + weft_wire_carry(p.bytes + wire->gap, wire->rate, &port->carry);
    port->end = now + weft_wire_carry(p.bytes, wire->rate, &carry);
    port->last = p;
    port->bytes += p.bytes;
    if (p.kind == WEFT_DATA && plain.net->level[0].lb->leave)
    {
        plain.net->level[0].lb->leave(plain.lb, &p, out, now);
    }
    struct weft_packet sent = p;
    sent.sent = port->end + wire->delay;
    push(&port->sent[c], &sent);
    if (p.kind == WEFT_DATA && wire->faces_host)
    {
        look(&p, out, now);
    }
}

static void
end(uint32_t out, int64_t now)
{
    struct plain_port *port = &plain.port[out];
    const struct weft_packet *p = &port->last;
    port->end = WEFT_NEVER;
    if (weft_mmu_release(plain.mmu, p->in_port, out, p->tclass, p->bytes))
    {
        send_pfc(p->in_port, p->tclass, false, now);
    }
}

/* A coin may give the place of the newest frame to the arrival, which is trimmed in its stead. */
static void
toss(struct weft_packet *p, uint32_t out)
{
    const struct weft_mmu_config *c = &plain.net->config.buffer;
    struct plain_queue *q = &plain.port[out].queue[p->tclass];
    if (c->trim_victim != WEFT_TRIM_COIN || weft_rng_below(&plain.rng, 2) != 0 ||
        q->head == q->tail)
    {
        return;
    }
    struct weft_packet *newest = &q->frame[q->tail - 1];
    const struct weft_packet cut = *newest;
    if (cut.kind != WEFT_DATA || cut.bytes <= c->trim_bytes ||
        !weft_mmu_replace(plain.mmu, p->in_port, out, p->tclass, p->bytes, cut.in_port, cut.bytes))
    {
        return;
    }
    *newest = *p;
    *p = cut;
    if (marks_at(WEFT_ECN_ENQUEUE))
    {
        mark(newest, out, &plain.rng);
    }
}

/* Room in the buffer for a frame, or for what is left of it. */
static bool
admit(struct weft_packet *p, uint32_t out, int64_t now)
{
    const bool header = p->flags & WEFT_F_TRIMMED;
    unsigned verdict = weft_mmu_admit(plain.mmu, p->in_port, out, p->tclass, p->bytes);
    if (verdict == WEFT_MMU_TRIM && p->kind != WEFT_DATA)
    {
        verdict = weft_mmu_admit_whole(plain.mmu, p->in_port, out, p->tclass, p->bytes);
    }
    else if (verdict == WEFT_MMU_TRIM)
    {
        toss(p, out);
        verdict = weft_mmu_admit_header(plain.mmu, p->in_port, out);
        p->bytes = (uint16_t)plain.net->config.buffer.trim_bytes;
        p->tclass = 0;
        p->flags |= WEFT_F_TRIMMED;
    }
    if (verdict & WEFT_MMU_PAUSE)
    {
        send_pfc(p->in_port, p->tclass, true, now);
    }
    if (!(verdict & WEFT_MMU_ADMIT))
    {
        plain.mmu->header_drops += header;
        plain.lost[WEFT_NET_DROP_BUFFER]++;
    }
    return verdict & WEFT_MMU_ADMIT;
}

static uint32_t
route(struct weft_packet *p, int64_t now)
{
    struct weft_ports ports;
    const struct weft_fib *fib = plain.net->fib[0];
    if (!fib)
    {
        weft_route(&plain.sw->map, p->dst, &ports);
    }
    else if (!weft_fib_route(fib, 0, &plain.sw->map, p->dst, &ports))
    {
        plain.lost[WEFT_NET_DROP_LINK]++;
        return PLAIN_PORTS;
    }
    ports.queue_bytes = weft_mmu_queues(plain.mmu);
    const struct weft_lb_ops *lb = plain.net->level[0].lb;
    return weft_lb_picks(lb, &ports) ? lb->pick(plain.lb, &ports, p, now) : weft_port_at(&ports, 0);
}

static void
forward(struct weft_packet *p, int64_t now)
{
    const uint32_t out = route(p, now);
    if (out == PLAIN_PORTS || !admit(p, out, now))
    {
        return;
    }
    struct plain_port *port = &plain.port[out];
    const uint32_t queue = weft_mmu_queues(plain.mmu)[out];
    const bool waited = first_class(port) < PLAIN_CLASSES; /* others go in their turn */
    port->peak = queue > port->peak ? queue : port->peak;
    if (marks_at(WEFT_ECN_ENQUEUE))
    {
        mark(p, out, &plain.rng);
    }
    push(&port->queue[p->tclass], p);
    if (!waited && port->free_at <= now && first_class(port) < PLAIN_CLASSES)
    {
        start(out, now, false);
    }
}

/* Whether middleware lets a frame from a NIC pass. */
static bool
passes(struct weft_packet *p)
{
    void *state = p->kind == WEFT_ACK || p->kind == WEFT_NACK ? plain.tor[p->qp] : NULL;
    if (!state || p->in_port >= plain.sw->map.first_up)
    {
        return true;
    }
    switch (plain.net->level[0].lb->tor->from_host(state, p, &plain.counters))
    {
    case WEFT_TOR_BLOCK:
        plain.lost[WEFT_NET_BLOCKED]++;
        return false;
    case WEFT_TOR_NACK:
        p->kind = WEFT_NACK;
        p->flags |= WEFT_F_COMPENSATED;
        return true;
    case WEFT_TOR_FORWARD:
        break;
    }
    return true;
}

static void
arrive(struct weft_packet *p, int64_t now)
{
    const struct weft_lb_ops *lb = plain.net->level[0].lb;
    const struct weft_port *wire = &plain.sw->node.port[p->in_port];
    const struct plain_port *port = &plain.port[p->in_port];
    const int64_t rate = port->cut == INT64_MIN ? wire->rate : port->cut_rate;
    if (now - wire->delay - weft_wire_time(p->bytes, rate) < port->cut)
    {
        plain.lost[WEFT_NET_DROP_LINK]++;
        return;
    }
    p->hops++;
    if (!passes(p))
    {
        return;
    }
    if (lb->arrive)
    {
        uint32_t queue;
        MUST(lb->arrive(plain.lb, plain.flow[p->qp], p, &queue, now) == WEFT_ARRIVAL_FORWARD);
    }
    forward(p, now);
}

static void
take_pfc(const struct plain_event *e)
{
    struct plain_port *port = &plain.port[e->packet.in_port];
    const uint32_t bit = 1U << e->packet.tclass;
    port->paused = e->pauses ? port->paused | bit : port->paused & ~bit;
    if (port->free_at <= e->at && first_class(port) < PLAIN_CLASSES)
    {
        start(e->packet.in_port, e->at, false);
    }
}

/* Ranks what comes at one instant: PFC frames by port, then frames in the order that is drawn. */
static uint32_t
rank(const struct plain_event *e)
{
    const uint32_t port = e->packet.in_port;
    return e->is_pfc ? port : 1U << 16 | (port ^ weft_tie_order(plain.sw->node.tie_salt, e->at));
}

/* The next of what comes, or NULL. */
static struct plain_event *
next_coming(void)
{
    struct plain_event *next = NULL;
    for (uint32_t i = 0; i < plain.ncoming; i++)
    {
        struct plain_event *e = &plain.coming[i];
        if (e->at != WEFT_NEVER &&
            (!next || e->at < next->at || (e->at == next->at && rank(e) < rank(next))))
        {
            next = e;
        }
    }
    return next;
}

/* The first time at which a port has something to do. */
static int64_t
next_departure(void)
{
    int64_t next = WEFT_NEVER;
    for (uint32_t i = 0; i < PLAIN_PORTS; i++)
    {
        const struct plain_port *port = &plain.port[i];
        const int64_t free = first_class(port) < PLAIN_CLASSES ? port->free_at : WEFT_NEVER;
        next = port->end < next ? port->end : next;
        next = free < next ? free : next;
    }
    return next;
}

/* Last bits leave, then first bits, by port. Returns whether any did. */
static bool
depart(int64_t now)
{
    bool any = false;
    for (uint32_t i = 0; i < PLAIN_PORTS; i++)
    {
        if (plain.port[i].end == now)
        {
            end(i, now);
            any = true;
        }
    }
    for (uint32_t i = 0; i < PLAIN_PORTS; i++)
    {
        if (plain.port[i].free_at == now && first_class(&plain.port[i]) < PLAIN_CLASSES)
        {
            start(i, now, true);
            any = true;
        }
    }
    return any;
}

void
plain_switch_run(int64_t until)
{
    for (;;)
    {
        struct plain_event *e = next_coming();
        const int64_t departure = next_departure();
        const int64_t now = e && e->at < departure ? e->at : departure;
        if (now >= until)
        {
            return;
        }
        if (depart(now))
        {
            continue;
        }
        if (e->is_pfc)
        {
            take_pfc(e);
        }
        else
        {
            arrive(&e->packet, now);
        }
        e->at = WEFT_NEVER;
    }
}

void
plain_switch_cut(uint32_t i, bool down, int64_t now)
{
    struct plain_port *port = &plain.port[i];
    if (down != (port->cut == INT64_MAX))
    {
        port->cut = down ? INT64_MAX : now;
        port->cut_rate = plain.sw->node.port[i].rate;
        port->carry = 0; /* what starts now starts now */
    }
}

/* SPDX-License-Identifier: MIT */
/* A switch that runs: arrivals, forwarding, the buffer. */
#include "fabric/node.h"

static void
take_pause(struct weft_net *net, struct weft_switch_node *sw, const struct weft_arriving *pfc)
{
    const uint32_t by = weft_pfc_port(pfc);
    struct weft_port *port = &sw->node.port[by];
    const uint32_t bit = 1U << weft_pfc_class(pfc);
    weft_switch_settle(net, sw, by);
    const bool was_ready = weft_port_ready(port) != 0;
    port->paused = weft_pfc_pauses(pfc) ? port->paused | bit : port->paused & ~bit;
    if (!was_ready && weft_port_ready(port) != 0 && port->free_at <= sw->node.now)
    {
        weft_switch_start(net, sw, port, false);
    }
    if (sw->starts)
    {
        weft_switch_note_start(sw, port);
    }
}

static uint32_t
ask(struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p,
    const struct weft_ports *ports)
{
    if (net->looks)
    {
        weft_switch_settle_all(net, sw);
    }
    return net->lb->pick(sw->lb, ports, p, sw->node.now);
}

/* Whether a frame is to be lost where it turns downwards. */
static bool
is_injected_loss(struct weft_net *net, struct weft_switch_node *sw, const struct weft_packet *p,
                 uint32_t out)
{
    if (p->kind != WEFT_DATA)
    {
        return false;
    }
    /* A graph has no top: its last switch stands for it. */
    const bool turns = net->config.clos->graph
                           ? sw->node.port[out].faces_host
                           : out < sw->map.first_up && p->in_port < sw->map.first_up;
    return turns && ((p->flags & WEFT_F_DROP_AT_TOP) ||
                     (net->loss > 0 && weft_rng_unit(&sw->rng) < net->loss));
}

/* The candidates; false: there are none. */
static bool
route(const struct weft_net *net, const struct weft_switch_node *sw, uint32_t dst,
      struct weft_ports *ports)
{
    ports->queue_bytes = weft_mmu_queues(sw->mmu);
    if (net->fib)
    {
        const uint32_t *queues = ports->queue_bytes;
        const bool any = weft_fib_route(net->fib, sw->index, &sw->map, dst, ports);
        ports->queue_bytes = queues;
        return any;
    }
    weft_route(&sw->map, dst, ports);
    return true;
}

/* The one way into the buffer. Inlined: it is on every hop. */
static inline __attribute__((always_inline)) bool
buffer(struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p, uint32_t out,
       bool held)
{
    weft_switch_settle(net, sw, out);
    if (weft_mmu_admits_easily(sw->mmu, p->in_port, out, p->tclass, p->bytes))
    {
        weft_mmu_take(sw->mmu, p->in_port, out, p->tclass, p->bytes);
    }
    else if (!weft_switch_admits_exactly(net, sw, p, out, held))
    {
        return false;
    }
    /* What was queued before it, and itself, may have been trimmed. */
    const uint32_t queue = weft_mmu_queues(sw->mmu)[out];
    uint32_t *peak = &sw->peak_queue[out >= sw->map.first_up];
    *peak = queue > *peak ? queue : *peak;
    if ((int64_t)queue - p->bytes > net->mark_above && p->kind == WEFT_DATA)
    {
        weft_switch_mark(net, sw, p, out, &sw->rng, sw->node.now);
    }
    return true;
}

/* A frame leaves at once: nothing waits, and the wire is free. */
static inline void
pass(struct weft_net *net, struct weft_switch_node *sw, struct weft_port *port,
     const struct weft_packet *p)
{
    const uint32_t c = p->tclass;
    if (port->scheduler && c != 0)
    {
        uint32_t bytes[WEFT_MAX_CLASSES] = {0};
        bytes[c] = p->bytes;
        net->config.scheduler->pick(port->scheduler, 1U << c, 1U << c, bytes);
    }
    struct weft_frame *frame = weft_lane_pass(&port->lane[c], &net->chunks);
    frame->d = *p;
    weft_switch_send(net, sw, port, frame, sw->node.now, false);
}

/* A frame joins a port's queue; it is buffered. */
static inline void
join(struct weft_net *net, struct weft_switch_node *sw, uint32_t out, const struct weft_packet *p)
{
    struct weft_port *port = &sw->node.port[out];
    const uint32_t c = p->tclass;
    const bool is_free = port->free_at <= sw->node.now;
    if (port->waits == 0)
    {
        if (is_free && !(port->paused >> c & 1U))
        {
            pass(net, sw, port, p);
            return;
        }
        sw->waiting[out / 64U] |= UINT64_C(1) << (out & 63U);
    }
    const bool was_ready = weft_port_ready(port) != 0;
    weft_lane_join(&port->lane[c], &net->chunks)->d = *p;
    port->waits |= 1U << c;
    /* What was ready before leaves when the wire is free, and has yet to do so. */
    if (!was_ready && weft_port_ready(port) != 0)
    {
        if (is_free)
        {
            weft_switch_start(net, sw, port, false);
        }
        else if (sw->starts)
        {
            weft_switch_note_start(sw, port);
        }
    }
}

void
weft_switch_forward(struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p)
{
    struct weft_ports ports;
    if (!route(net, sw, p->dst, &ports))
    {
        weft_net_end_frame(net, &sw->node, p, WEFT_NET_DROP_LINK);
        return;
    }
    const bool asks = net->fib || net->loses_at_top ? weft_lb_picks(net->lb, &ports) : ports.n != 1;
    const uint32_t out = asks ? ask(net, sw, p, &ports) : weft_port_at(&ports, 0);
    if (net->loses_at_top && is_injected_loss(net, sw, p, out))
    {
        weft_net_end_frame(net, &sw->node, p, WEFT_NET_DROP_INJECTED);
        return;
    }
    if (buffer(net, sw, p, out, false))
    {
        join(net, sw, out, p);
    }
}

bool
weft_switch_buffer(struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p,
                   uint32_t out)
{
    return buffer(net, sw, p, out, true);
}

void
weft_switch_join(struct weft_net *net, struct weft_switch_node *sw, uint32_t out,
                 const struct weft_packet *p)
{
    weft_switch_settle(net, sw, out);
    join(net, sw, out, p);
}

/* The frame is changed where it lies: whoever sent it looks at it no more. */
static inline void
arrive(struct weft_net *net, struct weft_switch_node *sw, const struct weft_arriving *a)
{
    struct weft_packet *p = &a->of.frame->d;
    const uint32_t by = p->in_port;
    sw->node.counters.hops++;
    if (sw->watches_links && weft_port_was_cut(&sw->node.port[by], p->bytes, sw->node.now))
    {
        weft_net_end_frame(net, &sw->node, p, WEFT_NET_DROP_LINK);
        return;
    }
    p->hops++;
    if (sw->has_tor && by < sw->map.first_up && (p->kind == WEFT_ACK || p->kind == WEFT_NACK) &&
        !weft_switch_passes_tor(net, sw, p))
    {
        return;
    }
    if (sw->is_tor && !weft_switch_arrive_at_balancer(net, sw, p))
    {
        return;
    }
    weft_switch_forward(net, sw, p);
}

/* When a port has something to do next: what starts to leave must be on its way within the window,
 * and while a neighbour is paused what has left counts. */
static int64_t
next_departure(const struct weft_switch_node *sw, uint32_t words)
{
    int64_t next = WEFT_NEVER;
    for (uint32_t word = 0; word < words; word++)
    {
        for (uint64_t bits = sw->waiting[word]; bits != 0; bits &= bits - 1)
        {
            const struct weft_port *port = &sw->node.port[word * 64 + weft_ctz64(bits)];
            if ((port->waits & ~port->paused) != 0 && port->free_at < next)
            {
                next = port->free_at;
            }
        }
    }
    for (uint32_t i = 0; sw->paused_ingress > 0 && i < sw->node.nports; i++)
    {
        next = sw->node.port[i].end < next ? sw->node.port[i].end : next;
    }
    return next;
}

/* What starts to leave before the end of the window. */
static void
settle_waiting(struct weft_net *net, struct weft_switch_node *sw)
{
    for (uint32_t word = 0; word < net->words; word++)
    {
        for (uint64_t bits = sw->waiting[word]; bits != 0; bits &= bits - 1)
        {
            weft_switch_settle(net, sw, word * 64 + weft_ctz64(bits));
        }
    }
}

/* An instant at which the switch has something of its own to do, or departures have an order. The
 * i-th arrival comes then, or later; returns the next one. */
static uint32_t
run_instant(struct weft_net *net, struct weft_switch_node *sw, uint32_t i, int64_t at)
{
    weft_switch_drain(net, sw, at);
    sw->node.now = at > sw->node.now ? at : sw->node.now;
    sw->node.last = sw->node.now;
    if (sw->fires_at <= sw->node.now)
    {
        weft_switch_run_balancer(net, sw);
    }
    for (; i < net->narriving && weft_arrives_at(net, &net->arriving[i]) == sw->node.now; i++)
    {
        const struct weft_arriving *a = &net->arriving[i];
        if (a->key & WEFT_IS_FRAME)
        {
            arrive(net, sw, a);
        }
        else
        {
            take_pause(net, sw, a);
        }
    }
    if (sw->owed_at <= sw->node.now)
    {
        weft_switch_pay(net, sw);
    }
    sw->own_at = sw->fires_at < sw->owed_at ? sw->fires_at : sw->owed_at;
    return i;
}

void
weft_switch_run(struct weft_net *net, struct weft_switch_node *sw, int64_t until)
{
    weft_node_collect(net, &sw->node, until);
    const bool has_own = sw->is_tor || sw->owed_at != WEFT_NEVER;
    for (uint32_t i = 0; i < net->narriving || sw->own_at < until;)
    {
        const struct weft_arriving *a = &net->arriving[i];
        const int64_t arrival = i < net->narriving ? weft_arrives_at(net, a) : WEFT_NEVER;
        if (has_own || sw->paused_ingress > 0 || !(a->key & WEFT_IS_FRAME))
        {
            i = run_instant(net, sw, i, arrival < sw->own_at ? arrival : sw->own_at);
            continue;
        }
        weft_switch_drain(net, sw, arrival);
        sw->node.now = arrival;
        sw->node.last = arrival;
        arrive(net, sw, a);
        i++;
    }
    weft_switch_drain(net, sw, until - 1);
    sw->node.now = until - 1;
    settle_waiting(net, sw);
    const int64_t departure = next_departure(sw, net->words);
    const int64_t next = departure < sw->own_at ? departure : sw->own_at;
    sw->node.next = next < sw->node.next ? next : sw->node.next;
}

/* SPDX-License-Identifier: MIT */
/* A switch that runs: arrivals, forwarding, the buffer. */
#include "node/switch-node.h"

static void
take_pause(const struct weft_net *net, struct weft_switch_node *sw, const struct weft_arriving *pfc)
{
    const uint32_t by = weft_pfc_port(pfc);
    struct weft_port *port = &sw->node.port[by];
    weft_switch_settle(net, sw, port);
    const bool was_ready = weft_port_ready(port) != 0;
    weft_port_set_paused(port, weft_pfc_class(pfc), weft_pfc_pauses(pfc), sw->node.now);
    if (!was_ready && weft_port_ready(port) != 0 && port->free_at <= sw->node.now)
    {
        weft_switch_start(net, sw, port, false);
    }
    if (port->noted)
    {
        weft_switch_note_port(sw, port);
    }
}

static inline void
settle_candidates(const struct weft_net *net, struct weft_switch_node *sw,
                  const struct weft_ports *ports)
{
    struct weft_port *port = sw->node.port;
    if (!ports->list)
    {
        for (uint32_t i = ports->first; i < (uint32_t)ports->first + ports->n; i++)
        {
            weft_switch_settle(net, sw, &port[i]);
        }
        return;
    }
    for (uint32_t i = 0; i < ports->n; i++)
    {
        weft_switch_settle(net, sw, &port[weft_port_at(ports, i)]);
    }
}

static bool
is_reply(const struct weft_packet *p)
{
    return p->kind >= WEFT_ACK && p->kind <= WEFT_PULL;
}

/* Asks a balancer that reads queues, or acts when frames leave: it knows what has left by now. Or
 * one that is not asked for replies. */
static __attribute__((noinline)) uint32_t
ask_of_now(const struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p,
           const struct weft_ports *ports)
{
    if (net->hashes_replies && is_reply(p))
    {
        return weft_port_at(ports, weft_ecmp_mix_index(&sw->ecmp, ports->n, p));
    }
    if (net->lb->leave)
    {
        weft_switch_send_waiting(net, sw);
    }
    if (net->reads_queues)
    {
        settle_candidates(net, sw, ports);
    }
    return net->lb->pick(sw->lb, ports, p, sw->node.now);
}

static inline uint32_t
ask(const struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p,
    const struct weft_ports *ports)
{
    return net->looks ? ask_of_now(net, sw, p, ports)
                      : net->lb->pick(sw->lb, ports, p, sw->node.now);
}

/* Whether a frame is to be lost where it turns downwards. */
static bool
is_injected_loss(const struct weft_net *net, struct weft_switch_node *sw,
                 const struct weft_packet *p, uint32_t out)
{
    if (p->kind != WEFT_DATA || sw->map.tier == WEFT_TIER_SERVER)
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

/* The port by which a frame goes on where links have failed, the shape is a graph, something is to
 * be lost, or somebody hears of the choice; false: it has ended here. */
static bool
route_slowly(const struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p,
             uint32_t *out)
{
    struct weft_ports ports;
    const struct weft_fib *fib = net->fib[sw->plane];
    if (!fib)
    {
        weft_route(&sw->map, p->dst, &ports);
    }
    else if (!weft_fib_route(fib, sw->local, &sw->map, p->dst, &ports))
    {
        weft_node_lose(net, &sw->node, p, WEFT_NET_NO_ROUTE);
        return false;
    }
    ports.queue_bytes = weft_mmu_queues(sw->mmu);
    const bool asks = weft_lb_picks(net->lb, &ports);
    *out = asks ? ask(net, sw, p, &ports) : weft_port_at(&ports, 0);
    if (asks && net->config.hooks.picked)
    {
        net->config.hooks.picked(net->config.hooks.of, sw->index, p, *out, ports.n, sw->node.now);
    }
    if (net->routed)
    {
        net->routed(net->routed_of, sw->index, p, *out, ports.n, sw->node.now);
    }
    if (net->loses_at_top && is_injected_loss(net, sw, p, *out))
    {
        weft_node_lose(net, &sw->node, p, WEFT_NET_DROP_INJECTED);
        return false;
    }
    return true;
}

/* Returns the port by which a frame goes on where all is healthy and nobody looks. */
static inline __attribute__((always_inline)) uint32_t
route(const struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p, bool lean)
{
    const struct weft_switch_map *map = &sw->map;
    const uint32_t below = p->dst - map->lo;
    const bool down = below < map->hi - map->lo;
    if (down && map->parallel == 1)
    {
        return weft_map_child(map, below);
    }
    if (lean && !down && net->hashes)
    {
        return map->first_up + weft_ecmp_mix_index(sw->lb, map->n_up, p);
    }
    struct weft_ports ports;
    weft_route(map, p->dst, &ports);
    ports.queue_bytes = weft_mmu_queues(sw->mmu);
    return ports.n == 1 ? ports.first : ask(net, sw, p, &ports);
}

/* weft_switch_settle() of a lean switch. */
static inline __attribute__((always_inline)) void
settle_lean(const struct weft_net *net, struct weft_switch_node *sw, struct weft_port *port)
{
    if (port->waits != 0 && port->free_at <= sw->node.now)
    {
        weft_switch_send_due_lean(net, sw, port);
    }
    if (port->end <= sw->node.now)
    {
        weft_switch_give_back(sw, port);
    }
}

/* A frame has its room in a port's queue: the peak, and a mark by the queue that it meets. */
static inline __attribute__((always_inline)) void
note_queue(const struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p,
           uint32_t out, struct weft_port *port)
{
    /* Frames that were queued before this one, and itself, may have been trimmed. */
    const uint32_t queue = weft_mmu_queues(sw->mmu)[out];
    if (queue <= port->calm)
    {
        return;
    }
    if (queue > port->peak_queue)
    {
        port->peak_queue = queue;
        port->calm = queue < net->calm ? queue : net->calm;
    }
    if ((int64_t)queue - p->bytes > net->mark_above && p->kind == WEFT_DATA)
    {
        weft_switch_mark(net, sw, p, out, &sw->rng, sw->node.now);
    }
}

/* Whether a lean switch has room for a frame once all that has left is accounted. */
static __attribute__((noinline)) bool
admits_settled(const struct weft_net *net, struct weft_switch_node *sw, const struct weft_packet *p,
               uint32_t out)
{
    weft_switch_settle_all_lean(net, sw);
    return weft_mmu_pool_admits_easily(sw->mmu, p->in_port, out, p->tclass, p->bytes);
}

/* A frame of which the buffer must be asked once all that has left is accounted. False: a neighbour
 * has been paused. */
static __attribute__((noinline)) bool
queue_exactly(const struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p,
              uint32_t out)
{
    if (weft_switch_admits_exactly(net, sw, p, out, false))
    {
        note_queue(net, sw, p, out, &sw->node.port[out]);
        weft_switch_join(net, sw, out, p);
    }
    return sw->ordered == 0;
}

/* The one way into the buffer but for a lean switch. Inlined: it is on every hop. */
static inline __attribute__((always_inline)) bool
buffer(const struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p, uint32_t out,
       struct weft_port *port, bool held)
{
    struct weft_mmu *mmu = sw->mmu;
    weft_switch_settle(net, sw, port);
    if (weft_mmu_admits_easily(mmu, p->in_port, out, p->tclass, p->bytes))
    {
        weft_mmu_take(mmu, p->in_port, out, p->tclass, p->bytes);
    }
    else if (!weft_switch_admits_exactly(net, sw, p, out, held))
    {
        return false;
    }
    note_queue(net, sw, p, out, port);
    return true;
}

/* A frame leaves at once: nothing waits, and the wire is free. */
static inline __attribute__((always_inline)) void
pass(const struct weft_net *net, struct weft_switch_node *sw, struct weft_port *port,
     const struct weft_packet *p, bool lean)
{
    const uint32_t c = p->tclass;
    if (!lean && port->scheduler && c != 0)
    {
        uint32_t bytes[WEFT_MAX_CLASSES] = {0};
        bytes[c] = p->bytes;
        net->config.scheduler->pick(port->scheduler, 1U << c, 1U << c, bytes);
    }
    struct weft_frame *frame = weft_lane_pass(&port->lane[c], &sw->node.worker->chunks);
    frame->d = *p;
    weft_switch_send(net, sw, port, frame, sw->node.now, false, lean);
    if (!lean && sw->ordered > 0)
    {
        weft_switch_note_port(sw, port);
    }
}

/* The first frame that may leave has joined a port's queue. */
static void
make_ready(const struct weft_net *net, struct weft_switch_node *sw, struct weft_port *port)
{
    if (port->free_at <= sw->node.now)
    {
        weft_switch_start(net, sw, port, false);
    }
    else if (port->noted)
    {
        weft_switch_note_port(sw, port);
    }
}

/* A frame joins a port's queue; it is buffered. */
static inline __attribute__((always_inline)) void
join(const struct weft_net *net, struct weft_switch_node *sw, struct weft_port *port,
     const struct weft_packet *p, bool lean)
{
    const uint32_t c = p->tclass;
    const uint32_t waits = port->waits;
    const uint32_t goes = ~port->paused;
    if (waits == 0)
    {
        if ((goes >> c & 1U) && port->free_at <= sw->node.now)
        {
            pass(net, sw, port, p, lean);
            return;
        }
        sw->waiting[port->index / 64U] |= UINT64_C(1) << (port->index & 63U);
    }
    port->waits = waits | 1U << c;
    weft_lane_join(&port->lane[c], &sw->node.worker->chunks)->d = *p;
    /* A class that was ready before leaves when the wire is free, and has yet to do so. */
    if ((waits & goes) == 0 && (goes >> c & 1U))
    {
        make_ready(net, sw, port);
    }
}

/* Where route_slowly() says how. */
static __attribute__((noinline)) void
forward_slowly(const struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p)
{
    uint32_t out;
    if (!route_slowly(net, sw, p, &out) || !buffer(net, sw, p, out, &sw->node.port[out], false))
    {
        return;
    }
    weft_switch_tell_queued(net, sw, p, out);
    join(net, sw, &sw->node.port[out], p, false);
}

/* Returns whether a lean switch is so still. */
static inline __attribute__((always_inline)) bool
forward(const struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p, bool lean)
{
    if (!lean && net->routes_slowly)
    {
        forward_slowly(net, sw, p);
        return true;
    }
    const uint32_t out = route(net, sw, p, lean);
    struct weft_port *port = &sw->node.port[out];
    if (lean)
    {
        settle_lean(net, sw, port);
        if (!weft_mmu_pool_admits_easily(sw->mmu, p->in_port, out, p->tclass, p->bytes) &&
            !admits_settled(net, sw, p, out))
        {
            return queue_exactly(net, sw, p, out);
        }
        weft_mmu_take_of_pool(sw->mmu, p->in_port, out, p->tclass, p->bytes);
        note_queue(net, sw, p, out, port);
    }
    else if (!buffer(net, sw, p, out, port, false))
    {
        return true;
    }
    join(net, sw, port, p, lean);
    return true;
}

void
weft_switch_forward(const struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p)
{
    forward(net, sw, p, false);
}

bool
weft_switch_buffer(const struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p,
                   uint32_t out)
{
    return buffer(net, sw, p, out, &sw->node.port[out], true);
}

void
weft_switch_join(const struct weft_net *net, struct weft_switch_node *sw, uint32_t out,
                 const struct weft_packet *p)
{
    struct weft_port *port = &sw->node.port[out];
    weft_switch_settle(net, sw, port);
    join(net, sw, port, p, false);
}

/* Whether a frame goes on where not all do so. */
static inline bool
passes(const struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p)
{
    if (sw->watches_links && weft_node_loses(net, &sw->node, p))
    {
        return false;
    }
    p->hops++;
    if (sw->has_tor && p->in_port < sw->map.first_up &&
        (p->kind == WEFT_ACK || p->kind == WEFT_NACK) && !weft_switch_passes_tor(net, sw, p))
    {
        return false;
    }
    return !sw->is_tor || weft_switch_arrive_at_balancer(net, sw, p);
}

/* Modified in place: the sender does not read a frame after it is on the wire. Returns whether a
 * lean switch is so still. */
static inline __attribute__((always_inline)) bool
arrive(const struct weft_net *net, struct weft_switch_node *sw, struct weft_packet *p, bool lean)
{
    if (lean || sw->is_plain)
    {
        p->hops++;
    }
    else if (!passes(net, sw, p))
    {
        return true;
    }
    return forward(net, sw, p, lean);
}

/* Sends what starts to leave before the end of the window. Returns when a port has something to do
 * next: what starts to leave must be on its way within its window, and while a neighbour is paused
 * what has left counts. */
static int64_t
settle_waiting(const struct weft_net *net, struct weft_switch_node *sw)
{
    int64_t next = WEFT_NEVER;
    for (uint32_t word = 0; word < net->words; word++)
    {
        for (uint64_t bits = sw->waiting[word]; bits != 0; bits &= bits - 1)
        {
            struct weft_port *port = &sw->node.port[word * 64 + weft_ctz64(bits)];
            weft_switch_settle(net, sw, port);
            if (weft_port_ready(port) != 0 && port->free_at < next)
            {
                next = port->free_at;
            }
        }
    }
    return sw->departs_at < next ? sw->departs_at : next;
}

/* An instant at which the switch has something of its own to do, or departures have an order. The
 * i-th arrival comes then, or later; returns the next one. */
static uint32_t
run_instant(struct weft_worker *worker, struct weft_switch_node *sw, uint32_t i, int64_t at)
{
    const struct weft_net *net = worker->net;
    weft_switch_drain(net, sw, at);
    sw->node.now = at > sw->node.now ? at : sw->node.now;
    sw->node.last = sw->node.now;
    if (sw->fires_at <= sw->node.now)
    {
        weft_switch_run_balancer(net, sw);
    }
    for (; i < worker->narriving && weft_arrives_at(worker, &worker->arriving[i]) == sw->node.now;
         i++)
    {
        const struct weft_arriving *a = &worker->arriving[i];
        if (a->key & WEFT_IS_FRAME)
        {
            weft_node_order(worker, &sw->node, a);
            sw->node.counters.hops++;
            arrive(net, sw, &a->of.frame->d, false);
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

/* Frames from the i-th arrival on, as long as nothing else happens. Returns the next one. Inlined:
 * compiled for a lean switch, and for any other. */
static inline __attribute__((always_inline)) uint32_t
run_frames_as(struct weft_worker *worker, struct weft_switch_node *sw, uint32_t i, bool lean)
{
    const struct weft_net *net = worker->net;
    const struct weft_arriving *const first = worker->arriving + i;
    const struct weft_arriving *a = first;
    bool goes_on = true;
    while (goes_on && (a->key & WEFT_IS_FRAME) && a->key != WEFT_COMES_NEVER)
    {
        const int64_t now = weft_arrives_at(worker, a);
        if (!lean)
        {
            weft_switch_drain(net, sw, now);
        }
        sw->node.now = now;
        sw->node.last = now;
        weft_node_order(worker, &sw->node, a);
        const uint64_t later = weft_key_behind(a->key);
        do
        {
            goes_on = arrive(net, sw, &a->of.frame->d, lean);
            a++;
        } while (goes_on && a->key < later && (lean || sw->departs_at > now));
    }
    sw->node.counters.hops += (uint64_t)(a - first);
    return (uint32_t)(a - worker->arriving);
}

static __attribute__((noinline)) uint32_t
run_lean_frames(struct weft_worker *worker, struct weft_switch_node *sw, uint32_t i)
{
    return run_frames_as(worker, sw, i, true);
}

static uint32_t
run_frames(struct weft_worker *worker, struct weft_switch_node *sw, uint32_t i)
{
    return sw->is_plain && sw->ordered == 0 && worker->net->is_lean
               ? run_lean_frames(worker, sw, i)
               : run_frames_as(worker, sw, i, false);
}

void
weft_switch_run(struct weft_worker *worker, struct weft_switch_node *sw, int64_t until)
{
    const struct weft_net *net = worker->net;
    weft_node_collect(worker, &sw->node, until);
    if (worker->loads_qps && sw->has_tor)
    {
        weft_switch_load_tor(worker, sw);
    }
    /* Whoever watches it reads counters between frames. */
    const bool has_own = sw->is_tor || sw->owed_at != WEFT_NEVER || sw->node.watched;
    uint32_t i = has_own ? 0 : run_frames(worker, sw, 0);
    while (i < worker->narriving || sw->own_at < until)
    {
        const int64_t arrival =
            i < worker->narriving ? weft_arrives_at(worker, &worker->arriving[i]) : WEFT_NEVER;
        i = run_instant(worker, sw, i, arrival < sw->own_at ? arrival : sw->own_at);
        i = has_own ? i : run_frames(worker, sw, i);
    }
    weft_switch_drain(net, sw, until - 1);
    sw->node.now = until - 1;
    const int64_t departure = settle_waiting(net, sw);
    const int64_t next = departure < sw->own_at ? departure : sw->own_at;
    sw->node.next = next < sw->node.next ? next : sw->node.next;
}

/* SPDX-License-Identifier: MIT */
/* A host with several ports: which one a packet takes, and what is made for which. */
#include "node/host-ports.h"
#include "node/host-wire.h"

#include <string.h>

#include <weft/lb.h>
#include <weft/rng.h>

#define HOST_SALT UINT64_C(0x9e3779b97f4a7c15) /* of the hash over ports: no switch has it */

/* --- which port ------------------------------------------------------------------------------- */

/* Whether forwarding in a plane of a Clos leads from one host to another, as far as it knows. */
static bool
leads_to(const struct weft_net *net, uint32_t plane, uint32_t src, uint32_t dst)
{
    const struct weft_clos *clos = net->config.clos;
    const struct weft_fib *fib = net->fib[plane];
    return weft_fib_leads(clos, fib, src, dst) && weft_fib_leads(clos, fib, dst, dst);
}

static bool
is_dead(const struct weft_port *port)
{
    return port->faults && port->faults->down != 0;
}

static uint64_t
all_ports(uint32_t n)
{
    return UINT64_MAX >> (64 - n);
}

/* The ports of a host of a graph that lead to another: by its server's network, or the shortest
 * ways; of dead ones only its own are known at once, in whose place it takes what is alive. */
static uint64_t
leading_in_graph(const struct weft_net *net, const struct weft_host_node *h, uint32_t dst)
{
    const uint64_t ways = weft_fib_ways(net->fib[0], h->node.number, dst);
    const uint64_t bits = ways & ~h->ports->dead;
    const uint64_t others = all_ports(h->node.nports) & ~(h->ports->inside | h->ports->dead);
    const bool waits = (ways & h->ports->inside) != 0 || others == 0;
    return bits ? bits : waits && ways ? ways : others ? others : all_ports(h->node.nports);
}

static uint64_t
leading_in_planes(const struct weft_net *net, const struct weft_host_node *h, uint32_t dst)
{
    const struct weft_clos *clos = net->config.clos;
    uint64_t bits = all_ports(clos->planes) & ~h->ports->dead;
    for (uint64_t left = net->has_fib ? bits : 0; left != 0; left &= left - 1)
    {
        const uint32_t port = weft_ctz64(left);
        if (!leads_to(net, port, h->node.number, dst))
        {
            bits &= ~(UINT64_C(1) << port);
        }
    }
    return bits ? bits : all_ports(clos->planes);
}

/* Looks up what forwarding says, which is remembered until that may have changed. */
static __attribute__((noinline)) uint64_t
look_up(const struct weft_net *net, struct weft_host_node *h, uint32_t dst)
{
    struct weft_leading *known = &h->ports->known[dst % WEFT_LEADING_KNOWN];
    if (known->ports == 0 || known->dst != dst || h->ports->moves)
    {
        known->ports = net->config.clos->graph ? leading_in_graph(net, h, dst)
                                               : leading_in_planes(net, h, dst);
        known->dst = dst;
    }
    return known->ports;
}

/* The ports that lead to a host, as bits: all, if none does. */
static inline uint64_t
leading(const struct weft_net *net, struct weft_host_node *h, uint32_t dst)
{
    if (!net->config.clos->graph && weft_clos_inside(net->config.clos, h->node.number, dst))
    {
        return h->ports->inside;
    }
    return look_up(net, h, dst);
}

/* The i-th of those that are set. */
static uint32_t
nth_bit(uint64_t bits, uint32_t i)
{
    for (; i > 0; i--)
    {
        bits &= bits - 1;
    }
    return weft_ctz64(bits);
}

static uint64_t
hash_of(const struct weft_net_config *c, const struct weft_packet *p)
{
    const uint64_t salt = weft_mix64(c->seed ^ HOST_SALT) ^ c->run;
    return weft_mix64(salt ^ weft_mix64((uint64_t)p->src << 40 | (uint64_t)p->dst << 20) ^
                      p->sport);
}

/* Ports to the fabric. */
static uint32_t
fabric_ports(const struct weft_clos *clos, uint32_t host)
{
    return clos->graph ? weft_clos_host_ports(clos, host) : clos->planes;
}

/* Ports that fail move nobody but those who used them. */
static uint32_t
hashed(const struct weft_net_config *c, const struct weft_packet *p, uint64_t may)
{
    const uint64_t hash = hash_of(c, p), n = fabric_ports(c->clos, p->src);
    const uint32_t first = (uint32_t)((hash >> 32) * n >> 32);
    if (may >> first & 1U)
    {
        return first;
    }
    return nth_bit(may, (uint32_t)((hash & UINT32_MAX) * weft_popcount64(may) >> 32));
}

uint32_t
weft_host_home_port(const struct weft_net_config *c, uint32_t src, uint32_t dst, uint16_t sport)
{
    const struct weft_packet p = {
        .src = src & WEFT_HOST_MASK, .dst = dst & WEFT_HOST_MASK, .sport = sport};
    return hashed(c, &p, weft_clos_ways(c->clos, src, dst));
}

/* The next port behind the QP's last one. */
static uint32_t
next_in_turn(struct weft_net_qp *q, uint64_t may, uint32_t n)
{
    do
    {
        q->last_port = (q->last_port + 1U) % n;
    } while (!(may >> q->last_port & 1U));
    return q->last_port;
}

/* The port at which least data waits; that which has none and can send is @p idle. Ports at which
 * PFC keeps the class back are none, unless all are. */
static uint32_t
least_queued(const struct weft_host_node *h, uint64_t may, uint32_t tclass, uint32_t idle)
{
    uint64_t open = may;
    for (uint64_t left = may; left != 0; left &= left - 1)
    {
        const uint32_t port = weft_ctz64(left);
        open &= ~((uint64_t)(h->node.port[port].paused >> tclass & 1U) << port);
    }
    may = open ? open : may;
    uint32_t least = weft_ctz64(may);
    for (uint32_t i = 0; i < h->node.nports; i++)
    {
        if ((may >> i & 1U) &&
            weft_packets_n(&h->ports->queue[i].data) < weft_packets_n(&h->ports->queue[least].data))
        {
            least = i;
        }
    }
    return idle < h->node.nports && (may >> idle & 1U) ? idle : least;
}

static uint32_t
port_of_data(const struct weft_net *net, struct weft_host_node *h, struct weft_net_qp *q,
             const struct weft_packet *p, uint32_t idle)
{
    const uint32_t n = h->node.nports;
    const uint64_t may = leading(net, h, p->dst);
    if (p->in_port > 0 && p->in_port <= n && (may >> (p->in_port - 1U) & 1U))
    {
        return p->in_port - 1U; /* its path selector asks for it */
    }
    switch (net->config.frame.host_port)
    {
    case WEFT_PORT_IN_TURN:
        return next_in_turn(q, may, n);
    case WEFT_PORT_LEAST:
        return least_queued(h, may, p->tclass, idle);
    default:
        return hashed(&net->config, p, may);
    }
}

/* --- what waits ------------------------------------------------------------------------------- */

/* Something waits at a port from now on. */
static struct weft_port_queues *
waits_at(struct weft_host_node *h, uint32_t port)
{
    struct weft_host_ports *ports = h->ports;
    const int64_t free_at = h->node.port[port].free_at;
    ports->waiting |= UINT64_C(1) << port;
    ports->goes_at = free_at < ports->goes_at ? free_at : ports->goes_at;
    return &ports->queue[port];
}

static void
queue_reply(const struct weft_net *net, struct weft_host_node *h, const struct weft_packet *p,
            uint32_t port)
{
    const uint64_t may = leading(net, h, p->dst);
    const uint32_t to = may >> port & 1U ? port : hashed(&net->config, p, may);
    weft_packets_push(&waits_at(h, to)->replies, p, &h->node.worker->memory);
}

void
weft_ports_reply(const struct weft_net *net, struct weft_host_node *h, const struct weft_packet *p)
{
    queue_reply(net, h, p, p->in_port);
}

/* A packet that names a port waits there, dead or alive: an IP stack knows of its ports itself. */
void
weft_ports_send(const struct weft_net *net, struct weft_host_node *h, const struct weft_packet *p)
{
    const bool named = p->in_port > 0 && p->in_port <= h->node.nports;
    const uint32_t port =
        named ? p->in_port - 1U : hashed(&net->config, p, leading(net, h, p->dst));
    weft_packets_push(&waits_at(h, port)->others, p, &h->node.worker->memory);
}

/* Returns how many packets of a QP may wait: its part of the window, which all QPs that have
 * something to send share. */
static uint32_t
window_of(const struct weft_net *net, const struct weft_host_node *h, const struct weft_net_qp *q)
{
    const uint32_t nqps = q->nic->nactive + h->ports->held; /* the QP is active: at least 1 */
    const bool shares = q->sprays || h->ports->sprayed > 0;
    const uint32_t each = shares ? (uint32_t)net->config.frame.port_window / nqps : 1;
    return each > 0 ? each : 1;
}

/* Data that is made waits for its port. */
static void
queue_data(const struct weft_net *net, struct weft_host_node *h, uint32_t port,
           const struct weft_packet *p)
{
    struct weft_net_qp *q = net->qp[p->qp];
    weft_packets_push(&waits_at(h, port)->data, p, &h->node.worker->memory);
    h->ports->sprayed += q->sprays;
    if (++q->at_ports >= window_of(net, h, q))
    {
        q->qp.held = true;
        h->ports->held++;
        weft_host_drop(q->nic, &q->qp);
    }
}

/* Takes data that waits. Its QP may make another packet in its place. */
static struct weft_packet
take_data(const struct weft_net *net, struct weft_host_node *h, uint32_t port)
{
    struct weft_packet p =
        *weft_packets_pop(&h->ports->queue[port].data, h->node.port[port].paused);
    struct weft_net_qp *q = net->qp[p.qp];
    p.sent = h->node.now;
    h->ports->sprayed -= q->sprays;
    q->at_ports--;
    if (q->qp.held)
    {
        q->qp.held = false;
        h->ports->held--;
        h->ports->empty = 0;
        weft_host_resume(q->nic, &q->qp, h->node.now);
    }
    return p;
}

/* Has packets of a row that no longer lead to their receivers choose their port again, all else
 * staying as it was. */
static void
choose_again(const struct weft_net *net, struct weft_host_node *h, uint32_t port,
             struct weft_packets_ring *row)
{
    for (uint32_t n = weft_packets_n(row); n > 0; n--)
    {
        const struct weft_packet p = *weft_packets_pop(row, 0);
        const struct weft_port_queues *from = &h->ports->queue[port];
        if (row == &from->data)
        {
            const uint32_t to = leading(net, h, p.dst) >> port & 1U
                                    ? port
                                    : port_of_data(net, h, net->qp[p.qp], &p, h->node.nports);
            weft_packets_push(&waits_at(h, to)->data, &p, &h->node.worker->memory);
        }
        else if (row == &from->replies)
        {
            queue_reply(net, h, &p, port);
        }
        else
        {
            weft_ports_send(net, h, &p);
        }
    }
}

/* A port has died or come back, or forwarding has changed. */
static void
choose_all_again(const struct weft_net *net, struct weft_host_node *h)
{
    h->ports->dead = 0;
    memset(h->ports->known, 0, sizeof h->ports->known);
    for (uint32_t i = 0; i < h->node.nports; i++)
    {
        h->ports->dead |= (uint64_t)is_dead(&h->node.port[i]) << i;
    }
    for (uint32_t i = 0; i < h->node.nports; i++)
    {
        choose_again(net, h, i, &h->ports->queue[i].data);
        choose_again(net, h, i, &h->ports->queue[i].replies);
        choose_again(net, h, i, &h->ports->queue[i].others);
    }
}

/* --- what is sent ----------------------------------------------------------------------------- */

/* Whether a port leads to the host's server alone, and has a NIC of its own. */
static inline bool
is_inside(const struct weft_host_node *h, uint32_t port)
{
    return h->inside && (h->ports->inside >> port & 1U);
}

/* Whether the QPs of a NIC may make a packet, as far as is known. */
static inline bool
may_make(const struct weft_host_node *h, bool inside)
{
    const struct weft_host *nic = inside ? h->inside : &h->nic;
    return nic && nic->nactive > 0 && !(h->ports->empty >> inside & 1U);
}

/* The classes that PFC keeps back at all ports of a NIC. */
static uint32_t
paused_at(const struct weft_host_node *h, bool inside)
{
    uint32_t paused = UINT32_MAX;
    for (uint32_t i = 0; i < h->node.nports && paused != 0; i++)
    {
        paused &= is_inside(h, i) == inside ? h->node.port[i].paused : UINT32_MAX;
    }
    return paused;
}

/* Has QPs make packets until one is for that port. False: none is. */
static bool
make_for(const struct weft_net *net, struct weft_host_node *h, uint32_t port,
         struct weft_packet *made)
{
    const bool inside = is_inside(h, port);
    if (!may_make(h, inside))
    {
        return false;
    }
    h->port.paused = paused_at(h, inside);
    while (weft_host_draw(net, h, inside))
    {
        *made = h->ports->made;
        const uint32_t to = port_of_data(net, h, net->qp[made->qp], made, port);
        if (to == port && !(h->node.port[port].paused >> made->tclass & 1U))
        {
            return true;
        }
        queue_data(net, h, to, made);
    }
    h->ports->empty |= 1U << inside;
    return false;
}

/* Takes a source's next packet for a port, if it has one. */
static bool
take_from(const struct weft_net *net, struct weft_host_node *h, uint32_t port,
          enum weft_host_source source, struct weft_packet *out)
{
    struct weft_port_queues *waits = &h->ports->queue[port];
    const uint32_t paused = h->node.port[port].paused;
    if (source == WEFT_SEND_REPLY && weft_packets_any(&waits->replies, paused))
    {
        *out = *weft_packets_pop(&waits->replies, paused);
        return true;
    }
    if (source == WEFT_SEND_OTHER && weft_packets_any(&waits->others, paused))
    {
        *out = *weft_packets_pop(&waits->others, paused);
        out->sent = h->node.now;
        return true;
    }
    if (source == WEFT_SEND_DATA && weft_packets_any(&waits->data, paused))
    {
        *out = take_data(net, h, port);
        return true;
    }
    return source == WEFT_SEND_DATA && make_for(net, h, port, out);
}

/* Sends one frame by a port that is free. False: there is none. */
static bool
serve(const struct weft_net *net, struct weft_host_node *h, uint32_t port)
{
    struct weft_port_queues *waits = &h->ports->queue[port];
    struct weft_port *wire = &h->node.port[port];
    struct weft_packet p;
    if (wire->free_at < h->node.now)
    {
        weft_port_start_anew(wire);
    }
    bool sends = h->nic.replies_first && take_from(net, h, port, WEFT_SEND_REPLY, &p);
    for (uint32_t i = 0; i < WEFT_SEND_NOTHING && !sends; i++)
    {
        const uint32_t source = waits->turn;
        waits->turn = (source + 1) % WEFT_SEND_NOTHING;
        sends = take_from(net, h, port, (enum weft_host_source)source, &p);
    }
    if (sends)
    {
        p.in_port = (uint16_t)(1 + port);
        weft_host_transmit(net, h, wire, &p);
    }
    return sends;
}

/* The ports that are free. */
static uint64_t
free_ports(const struct weft_host_node *h)
{
    uint64_t free = 0;
    for (uint32_t i = 0; i < h->node.nports; i++)
    {
        free |= (uint64_t)(h->node.port[i].free_at <= h->node.now) << i;
    }
    return free;
}

/* The ports that may have something to send. */
static inline uint64_t
candidates(const struct weft_host_node *h)
{
    const uint64_t inside = h->inside ? h->ports->inside : 0;
    return h->ports->waiting | (may_make(h, false) ? ~inside : 0) |
           (may_make(h, true) ? inside : 0);
}

/* The ports that are asked up to and with @p port, from the one on that is served first. */
static uint64_t
asked(uint32_t first, uint32_t port)
{
    const uint64_t upto = UINT64_MAX >> (63 - port), before = ~(UINT64_MAX << first);
    return port >= first ? upto & ~before : upto | ~before;
}

/* Sends what may be sent now: the ports are asked in turn until none of them has anything. */
static void
serve_all(const struct weft_net *net, struct weft_host_node *h)
{
    struct weft_host_ports *ports = h->ports;
    uint64_t free = free_ports(h), done = 0, left;
    ports->empty = 0;
    while ((left = free & ~done & candidates(h)) != 0)
    {
        const uint64_t behind = left & UINT64_MAX << ports->first;
        const uint32_t port = weft_ctz64(behind ? behind : left);
        if (!serve(net, h, port))
        {
            done = asked(ports->first, port);
            continue;
        }
        done = 0;
        free &= ~(UINT64_C(1) << port);
        ports->first = port + 1 < h->node.nports ? port + 1 : 0;
    }
}

/* Whether one of the packets that wait at a port may go. */
static inline bool
goes(const struct weft_port_queues *waits, uint32_t paused)
{
    return weft_packets_any(&waits->replies, paused) || weft_packets_any(&waits->others, paused) ||
           weft_packets_any(&waits->data, paused);
}

/* Notes when the ports are free where something waits. Returns when one of those may go. */
static int64_t
plan_waiting(struct weft_host_node *h)
{
    struct weft_host_ports *ports = h->ports;
    int64_t next = WEFT_NEVER;
    ports->goes_at = WEFT_NEVER;
    for (uint64_t left = ports->waiting; left != 0; left &= left - 1)
    {
        const uint32_t i = weft_ctz64(left);
        const struct weft_port *wire = &h->node.port[i];
        const int64_t at = wire->free_at;
        if (!goes(&ports->queue[i], 0))
        {
            ports->waiting &= ~(UINT64_C(1) << i);
            continue;
        }
        ports->goes_at = at < ports->goes_at ? at : ports->goes_at;
        next = at < next && goes(&ports->queue[i], wire->paused) ? at : next;
    }
    return next;
}

/* Notes when each kind of port is free next. Returns when something may be sent. */
static int64_t
plan(struct weft_host_node *h)
{
    const uint64_t inside = h->inside ? h->ports->inside : 0;
    int64_t *const free_at = h->ports->free_at;
    const int64_t now = h->node.now;
    int64_t next = plan_waiting(h);
    free_at[0] = free_at[1] = WEFT_NEVER;
    for (uint32_t i = 0; i < h->node.nports; i++)
    {
        int64_t *first = &free_at[inside >> i & 1U];
        *first = h->node.port[i].free_at < *first ? h->node.port[i].free_at : *first;
    }
    for (uint32_t k = 0; k < 2; k++)
    {
        const struct weft_host *nic = k == 1 ? h->inside : &h->nic;
        if (nic && nic->nactive > 0)
        {
            const int64_t at = weft_host_next_from(nic, 0, paused_at(h, k == 1),
                                                   free_at[k] > now ? free_at[k] : now);
            next = at < next ? at : next;
        }
    }
    return next > now ? next : now;
}

/* Returns when a port is free that may have something to send: not before. */
static int64_t
soonest(const struct weft_host_node *h)
{
    const struct weft_host_ports *ports = h->ports;
    int64_t at = ports->goes_at;
    at = h->nic.nactive > 0 && ports->free_at[0] < at ? ports->free_at[0] : at;
    return h->inside && h->inside->nactive > 0 && ports->free_at[1] < at ? ports->free_at[1] : at;
}

void
weft_host_serve_ports(const struct weft_net *net, struct weft_host_node *h)
{
    if (h->ports->moves)
    {
        h->ports->moves = false;
        choose_all_again(net, h);
    }
    int64_t at = soonest(h);
    if (at <= h->node.now)
    {
        serve_all(net, h);
        at = plan(h);
    }
    h->wake_at = at < h->wake_at ? at : h->wake_at;
}

/* SPDX-License-Identifier: MIT */
/* A host with several ports: which one a packet takes, and what is made for which. */
#include "node/host-ports.h"
#include "node/host-wire.h"

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
    return port->lost_before == INT64_MAX;
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

/* The ports that lead to a host, as bits: all, if none does. */
static uint64_t
leading(const struct weft_net *net, const struct weft_host_node *h, uint32_t dst)
{
    if (net->config.clos->graph)
    {
        return leading_in_graph(net, h, dst);
    }
    const struct weft_clos *clos = net->config.clos;
    if (weft_clos_inside(clos, h->node.number, dst))
    {
        return h->ports->inside;
    }
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

static void
queue_reply(const struct weft_net *net, struct weft_host_node *h, const struct weft_packet *p,
            uint32_t port)
{
    const uint64_t may = leading(net, h, p->dst);
    const uint32_t to = may >> port & 1U ? port : hashed(&net->config, p, may);
    weft_packets_push(&h->ports->queue[to].replies, p, &h->node.worker->memory);
}

/* A packet that names a port waits there, dead or alive: an IP stack knows of its ports itself. */
static void
queue_other(const struct weft_net *net, struct weft_host_node *h, const struct weft_packet *p)
{
    const bool named = p->in_port > 0 && p->in_port <= h->node.nports;
    const uint32_t port =
        named ? p->in_port - 1U : hashed(&net->config, p, leading(net, h, p->dst));
    weft_packets_push(&h->ports->queue[port].others, p, &h->node.worker->memory);
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
    weft_packets_push(&h->ports->queue[port].data, p, &h->node.worker->memory);
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
        struct weft_port_queues *to = &h->ports->queue[port];
        if (row == &to->data)
        {
            to = leading(net, h, p.dst) >> port & 1U
                     ? to
                     : &h->ports->queue[port_of_data(net, h, net->qp[p.qp], &p, h->node.nports)];
            weft_packets_push(&to->data, &p, &h->node.worker->memory);
        }
        else if (row == &to->replies)
        {
            queue_reply(net, h, &p, port);
        }
        else
        {
            queue_other(net, h, &p);
        }
    }
}

/* A port has died or come back, or forwarding has changed. */
static void
choose_all_again(const struct weft_net *net, struct weft_host_node *h)
{
    h->ports->dead = 0;
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

/* The ports of a NIC: those to the fabric, or to its server. */
static uint64_t
ports_of(const struct weft_host_node *h, const struct weft_host *nic)
{
    const uint64_t all = all_ports(h->node.nports), inside = h->inside ? h->ports->inside : 0;
    return nic == h->inside ? inside : all & ~inside;
}

/* The classes that PFC keeps back at all of these ports. */
static uint32_t
paused_at(const struct weft_host_node *h, uint64_t ports)
{
    uint32_t paused = UINT32_MAX;
    for (; ports != 0; ports &= ports - 1)
    {
        paused &= h->node.port[weft_ctz64(ports)].paused;
    }
    return paused;
}

/* Has QPs make packets until one is for that port. False: none is. */
static bool
make_for(const struct weft_net *net, struct weft_host_node *h, uint32_t port,
         struct weft_packet *made)
{
    const bool inside = h->inside && (h->ports->inside >> port & 1U);
    h->port.paused = paused_at(h, ports_of(h, inside ? h->inside : &h->nic));
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

/* Gives a port to each packet that was queued as if there were one. */
static void
sort_out(const struct weft_net *net, struct weft_host_node *h)
{
    while (weft_packets_n(&h->replies) > 0)
    {
        const struct weft_packet p = *weft_packets_pop(&h->replies, 0);
        queue_reply(net, h, &p, p.in_port);
    }
    while (weft_packets_n(&h->others) > 0)
    {
        const struct weft_packet p = *weft_packets_pop(&h->others, 0);
        queue_other(net, h, &p);
    }
}

/* When a NIC's QPs may make something next. */
static int64_t
makes_at(const struct weft_host_node *h, const struct weft_host *nic)
{
    const uint64_t ports = ports_of(h, nic);
    int64_t free = WEFT_NEVER;
    for (uint64_t left = ports; left != 0; left &= left - 1)
    {
        const int64_t at = h->node.port[weft_ctz64(left)].free_at;
        free = at < free ? at : free;
    }
    free = free > h->node.now ? free : h->node.now;
    return weft_host_next_from(nic, 0, paused_at(h, ports), free);
}

/* When something may be sent next. */
static int64_t
next_at(const struct weft_host_node *h)
{
    int64_t next = makes_at(h, &h->nic);
    for (uint32_t i = 0; i < h->node.nports; i++)
    {
        const struct weft_port_queues *waits = &h->ports->queue[i];
        const struct weft_port *wire = &h->node.port[i];
        const int64_t at = wire->free_at > h->node.now ? wire->free_at : h->node.now;
        if (weft_packets_any(&waits->replies, wire->paused) ||
            weft_packets_any(&waits->others, wire->paused) ||
            weft_packets_any(&waits->data, wire->paused))
        {
            next = at < next ? at : next;
        }
    }
    const int64_t inside = h->inside ? makes_at(h, h->inside) : WEFT_NEVER;
    return inside < next ? inside : next;
}

void
weft_host_serve_ports(const struct weft_net *net, struct weft_host_node *h)
{
    const uint32_t n = h->node.nports;
    bool sends = true;
    sort_out(net, h);
    if (h->ports->moves)
    {
        h->ports->moves = false;
        choose_all_again(net, h);
    }
    while (sends)
    {
        sends = false;
        for (uint32_t i = 0; i < n; i++)
        {
            const uint32_t port = (h->ports->first + i) % n;
            if (h->node.port[port].free_at <= h->node.now && serve(net, h, port))
            {
                h->ports->first = (port + 1) % n;
                sends = true;
                break;
            }
        }
    }
    const int64_t at = next_at(h);
    h->wake_at = at < h->wake_at ? at : h->wake_at;
}

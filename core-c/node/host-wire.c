/* SPDX-License-Identifier: MIT */
/* A host's wire: replies, data and other packets that wait for it, and when it is looked at. */
#include "node/host-wire.h"
#include "node/host-ports.h"
#include "node/mail.h"
#include "node/shared.h"

#include "base/bitmap.h"
#include <weft/psn.h>

static void
wake_at(struct weft_host_node *h, int64_t at)
{
    h->wake_at = at < h->wake_at ? at : h->wake_at;
}

/* Returns the sources other than data that may send, as bits. */
static inline uint32_t
waiting(const struct weft_host_node *h)
{
    if (weft_packets_n(&h->replies) == 0 && weft_packets_n(&h->others) == 0)
    {
        return 0;
    }
    return (uint32_t)weft_packets_any(&h->replies, h->port.paused) << WEFT_SEND_REPLY |
           (uint32_t)weft_packets_any(&h->others, h->port.paused) << WEFT_SEND_OTHER;
}

static void
plan(struct weft_host_node *h)
{
    const int64_t free = h->port.free_at > h->node.now ? h->port.free_at : h->node.now;
    wake_at(h, weft_host_next_from(&h->nic, waiting(h), h->port.paused, free));
}

__attribute__((noinline)) void
weft_host_arm_timer(struct weft_host_node *h, struct weft_net_qp *q)
{
    const int64_t deadline = weft_qp_deadline(&q->qp);
    /* A timer that runs out too early is harmless, so an earlier one need not take out a later one.
     * */
    if (deadline < q->tx_armed_at)
    {
        q->qp.timed = !q->hastens;
        q->tx_armed_at = deadline;
        weft_agenda_add(&h->timers, deadline > h->node.now ? deadline : h->node.now, q->qp.index,
                        h->timers.seq++, q, &h->node.worker->memory);
    }
}

/* Marks what is to be lost by name. */
void
weft_host_mark_drop(struct weft_net_qp *q, struct weft_packet *data)
{
    const uint32_t offset = weft_psn_add(data->psn, 0U - q->qp.first_psn);
    for (struct weft_named_drop *drop = q->drops; drop; drop = drop->next)
    {
        if (drop->offset == offset && drop->at_top + drop->at_last_hop > 0)
        {
            const bool top = drop->at_top > 0;
            data->flags |= top ? WEFT_F_DROP_AT_TOP : WEFT_F_DROP_AT_LAST_HOP;
            drop->at_top -= top;
            drop->at_last_hop -= !top;
            return;
        }
    }
}

static void
make_data(const struct weft_net *net, struct weft_host_node *h, struct weft_packet *data)
{
    struct weft_net_qp *q = weft_host_make(net, h, data);
    const int64_t now = h->node.now;
    const int64_t slot = data->bytes + q->qp.algos->frame.gap;
    const struct weft_port *port = &h->port;
    /* If this frame starts by a fraction before now, the wire is free that much earlier. */
    const int64_t free_after = port->ps_per_byte ? now + slot * port->ps_per_byte
                               : h->ports        ? now
                                                 : now + weft_port_wire_time(port, slot) - 1;
    if (weft_host_pace(&h->nic, data, free_after, now))
    {
        weft_port_start_anew(&h->port);
    }
    weft_host_time(h, q, data);
}

/* The next frame for the wire, or NULL. @p made: room for one that is made now. */
static const struct weft_packet *
pull(const struct weft_net *net, struct weft_host_node *h, struct weft_packet *made)
{
    switch (weft_host_next(&h->nic, waiting(h), h->port.paused, h->node.now))
    {
    case WEFT_SEND_REPLY:
        return weft_packets_pop(&h->replies, h->port.paused);
    case WEFT_SEND_OTHER:
        *made = *weft_packets_pop(&h->others, h->port.paused);
        made->sent = h->node.now;
        return made;
    case WEFT_SEND_DATA:
        make_data(net, h, made);
        return made;
    case WEFT_SEND_NOTHING:
        break;
    }
    return NULL;
}

static void
transmit_next(const struct weft_net *net, struct weft_host_node *h)
{
    struct weft_packet made;
    const struct weft_packet *p = pull(net, h, &made);
    if (h->ports)
    {
        weft_ports_take(h->ports, p);
        return;
    }
    if (p)
    {
        weft_host_transmit(net, h, &h->port, p);
    }
    plan(h);
}

static void
swap_nics(struct weft_host *a, struct weft_host *b)
{
    const struct weft_host kept = *a;
    *a = *b;
    *b = kept;
}

/* A server's NIC stands in the first one's place meanwhile: what asks QPs is compiled once, for
 * hosts with one port, into one function. */
bool
weft_host_draw(const struct weft_net *net, struct weft_host_node *h, bool inside)
{
    if (inside)
    {
        swap_nics(&h->nic, h->inside);
    }
    transmit_next(net, h);
    if (inside)
    {
        swap_nics(&h->nic, h->inside);
    }
    return h->ports->has_made;
}

/* Something may be ready to be sent. */
void
weft_host_kick(const struct weft_net *net, struct weft_host_node *h)
{
    if (h->node.now >= h->port.free_at)
    {
        weft_port_start_anew(&h->port);
        transmit_next(net, h);
    }
    else if (h->ports)
    {
        weft_host_serve_ports(net, h);
    }
    else
    {
        wake_at(h, h->port.free_at);
    }
}

/* The wire is free, or a pacing gap is over. */
void
weft_host_wake(const struct weft_net *net, struct weft_host_node *h)
{
    h->wake_at = WEFT_NEVER;
    if (h->node.now >= h->port.free_at)
    {
        transmit_next(net, h);
    }
    else if (h->ports)
    {
        weft_host_serve_ports(net, h);
    }
    else
    {
        plan(h);
    }
}

/* Takes no wire: it comes after the time of an idle fabric, in a graph by a port of that host's own
 * and in a Clos by that of the same plane. */
static void
reply_ideally(const struct weft_net *net, struct weft_host_node *h, const struct weft_packet *p)
{
    const struct weft_clos *clos = net->config.clos;
    const int64_t way = weft_clos_way(clos, h->node.number, p->dst, p->bytes);
    struct weft_letter *letter = weft_letter_get(h->node.worker);
    letter->packet = *p;
    if (clos->graph && clos->graph->most_ports > 1)
    {
        const uint64_t ways = weft_graph_ways(clos->graph, p->dst, h->node.number);
        letter->packet.in_port = (uint16_t)weft_ctz64(ways);
    }
    h->node.counters.sent++;
    h->node.counters.sent_bytes += p->bytes;
    if (net->config.hooks.sent)
    {
        net->config.hooks.sent(net->config.hooks.of, h->node.number, p, h->node.now);
    }
    weft_mail_send(h->node.worker, p->dst, h->node.now + way,
                   weft_mail_key(WEFT_MAIL_REPLY, p->src), letter);
}

void
weft_host_reply(const struct weft_net *net, struct weft_host_node *h, const struct weft_packet *p)
{
    if (net->ideal_replies)
    {
        reply_ideally(net, h, p);
        return;
    }
    if (h->ports)
    {
        weft_ports_reply(net, h, p);
        return;
    }
    weft_packets_push(&h->replies, p, &h->node.worker->memory);
}

void
weft_host_send(const struct weft_net *net, struct weft_host_node *h, const struct weft_packet *p)
{
    if (h->ports)
    {
        weft_ports_send(net, h, p);
    }
    else
    {
        weft_packets_push(&h->others, p, &h->node.worker->memory);
    }
    weft_host_kick(net, h);
}

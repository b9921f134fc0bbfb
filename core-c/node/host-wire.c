/* SPDX-License-Identifier: MIT */
/* A host's wire: replies, data and other packets that wait for it, and when it is looked at. */
#include "node/host-node.h"
#include "node/mail.h"
#include "node/shared.h"

#include <weft/psn.h>

static void
wake_at(struct weft_host_node *h, int64_t at)
{
    h->wake_at = at < h->wake_at ? at : h->wake_at;
}

static struct weft_packet *
at(const struct weft_packets_ring *r, uint32_t i)
{
    return &r->ring[i & (r->size - 1)];
}

/* The first packet that PFC does not keep back, or the end. */
static uint32_t
find(const struct weft_packets_ring *r, uint32_t paused)
{
    uint32_t i = r->head;
    while (i != r->tail && (paused >> at(r, i)->tclass & 1U))
    {
        i++;
    }
    return i;
}

static void
push(struct weft_packets_ring *r, const struct weft_packet *p, const struct weft_memory *memory)
{
    if (r->tail - r->head == r->size)
    {
        const uint32_t size = r->size ? 2 * r->size : 8;
        struct weft_packet *ring = weft_take(memory, size * sizeof *ring);
        for (uint32_t i = 0; i < r->size; i++)
        {
            ring[i] = *at(r, r->head + i);
        }
        *r = (struct weft_packets_ring){.ring = ring, .size = size, .tail = r->size};
    }
    *at(r, r->tail++) = *p;
}

/* Takes the first packet that may go out of the ring, where it lies until the next push(). */
static const struct weft_packet *
pop(struct weft_packets_ring *r, uint32_t paused)
{
    uint32_t i = paused == 0 ? r->head : find(r, paused);
    if (i != r->head)
    {
        const struct weft_packet p = *at(r, i);
        for (; i != r->head; i--)
        {
            *at(r, i) = *at(r, i - 1);
        }
        *at(r, i) = p;
    }
    return at(r, r->head++);
}

/* Whether one of them may go. */
static bool
has_any(const struct weft_packets_ring *r, uint32_t paused)
{
    return r->head != r->tail && (paused == 0 || find(r, paused) != r->tail);
}

/* Returns the sources other than data that may send, as bits. */
static inline uint32_t
waiting(const struct weft_host_node *h)
{
    if (h->replies.head == h->replies.tail && h->others.head == h->others.tail)
    {
        return 0;
    }
    return (uint32_t)has_any(&h->replies, h->port.paused) << WEFT_SEND_REPLY |
           (uint32_t)has_any(&h->others, h->port.paused) << WEFT_SEND_OTHER;
}

static void
plan(struct weft_host_node *h)
{
    const int64_t free = h->port.free_at > h->node.now ? h->port.free_at : h->node.now;
    wake_at(h, weft_host_next_from(&h->nic, waiting(h), h->port.paused, free));
}

/* Begins at a whole ps: a frame that is sent now has not waited for the wire. */
static void
start_anew(struct weft_port *port)
{
    if (port->ps_per_byte == 0)
    {
        port->carry = 0;
    }
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
static void
mark_drop(struct weft_net_qp *q, struct weft_packet *data)
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
    struct weft_net_qp *q = (struct weft_net_qp *)(void *)h->nic.chosen;
    const int64_t now = h->node.now;
    weft_host_data(&h->nic, data, now);
    if (net->has_drops && q->drops)
    {
        mark_drop(q, data);
    }
    const int64_t slot = data->bytes + q->qp.algos->frame.gap;
    const struct weft_port *port = &h->port;
    /* If this frame starts by a fraction before now, the wire is free that much earlier. */
    const int64_t free_after = port->ps_per_byte ? now + slot * port->ps_per_byte
                                                 : now + weft_port_wire_time(port, slot) - 1;
    if (weft_host_pace(&h->nic, data, free_after, now))
    {
        start_anew(&h->port);
    }
    if (!q->qp.timed && (!q->hastens || q->tx_armed_at == WEFT_NEVER ||
                         (data->flags & (WEFT_F_LAST | WEFT_F_RETX))))
    {
        weft_host_arm_timer(h, q);
    }
}

/* The next frame for the wire, or NULL. @p made: room for one that is made now. */
static const struct weft_packet *
pull(const struct weft_net *net, struct weft_host_node *h, struct weft_packet *made)
{
    switch (weft_host_next(&h->nic, waiting(h), h->port.paused, h->node.now))
    {
    case WEFT_SEND_REPLY:
        return pop(&h->replies, h->port.paused);
    case WEFT_SEND_OTHER:
        *made = *pop(&h->others, h->port.paused);
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
transmit(const struct weft_net *net, struct weft_host_node *h, const struct weft_packet *p)
{
    struct weft_port *port = &h->port;
    h->node.last = h->node.now;
    h->node.counters.sent++;
    h->node.counters.sent_bytes += p->bytes;
    const int64_t serialization = weft_port_occupy(port, p->bytes, h->node.now, true);
    struct weft_frame *frame = weft_lane_pass(&port->lane[p->tclass], &h->node.worker->chunks);
    frame->d = *p;
    frame->at = h->node.now + serialization + port->delay;
    weft_port_announce(h->node.worker, port, frame->at);
    if (net->config.hooks.sent)
    {
        net->config.hooks.sent(net->config.hooks.of, h->node.number, &frame->d, h->node.now);
    }
}

static void
transmit_next(const struct weft_net *net, struct weft_host_node *h)
{
    struct weft_packet made;
    const struct weft_packet *p = pull(net, h, &made);
    if (p)
    {
        transmit(net, h, p);
    }
    plan(h);
}

/* Something may be ready to be sent. */
void
weft_host_kick(const struct weft_net *net, struct weft_host_node *h)
{
    if (h->node.now >= h->port.free_at)
    {
        start_anew(&h->port);
        transmit_next(net, h);
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
    else
    {
        plan(h);
    }
}

/* Takes no wire: it comes after the time of an idle fabric. */
static void
reply_ideally(const struct weft_net *net, struct weft_host_node *h, const struct weft_packet *p)
{
    const int64_t way = weft_clos_way(net->config.clos, h->node.number, p->dst, p->bytes);
    struct weft_letter *letter = weft_letter_get(h->node.worker);
    letter->packet = *p;
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
    push(&h->replies, p, &h->node.worker->memory);
}

void
weft_host_send(const struct weft_net *net, struct weft_host_node *h, const struct weft_packet *p)
{
    push(&h->others, p, &h->node.worker->memory);
    weft_host_kick(net, h);
}

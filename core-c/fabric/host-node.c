/* SPDX-License-Identifier: MIT */
/* A host that runs: timers, its wire, PFC, mail, arrivals, posts. */
#include "fabric/node.h"

#include <weft/psn.h>

#define RECEIVER_TIMER (UINT64_C(1) << 32) /* in the order of timers; senders' come first */

static void transmit_next(struct weft_net *net, struct weft_host_node *h);

static void
wake_at(struct weft_host_node *h, int64_t at)
{
    h->wake_at = at < h->wake_at ? at : h->wake_at;
}

static struct weft_packet *
reply_at(const struct weft_host_node *h, uint32_t i)
{
    return &h->replies.ring[i & (h->replies.size - 1)];
}

/* The first reply that PFC does not keep back, or the end. */
static uint32_t
find_reply(const struct weft_host_node *h)
{
    uint32_t i = h->replies.head;
    while (i != h->replies.tail && (h->port.paused >> reply_at(h, i)->tclass & 1U))
    {
        i++;
    }
    return i;
}

static void
push_reply(struct weft_net *net, struct weft_host_node *h, const struct weft_packet *p)
{
    struct weft_packets_ring *r = &h->replies;
    if (r->tail - r->head == r->size)
    {
        const uint32_t size = r->size ? 2 * r->size : 8;
        struct weft_packet *ring = weft_net_take(net, size * sizeof *ring);
        for (uint32_t i = 0; i < r->size; i++)
        {
            ring[i] = *reply_at(h, r->head + i);
        }
        *r = (struct weft_packets_ring){.ring = ring, .size = size, .tail = r->size};
    }
    *reply_at(h, r->tail++) = *p;
}

static struct weft_packet
pop_reply(struct weft_host_node *h)
{
    const uint32_t at = find_reply(h);
    const struct weft_packet p = *reply_at(h, at);
    for (uint32_t i = at; i != h->replies.head; i--)
    {
        *reply_at(h, i) = *reply_at(h, i - 1);
    }
    h->replies.head++;
    return p;
}

static uint32_t
waiting(const struct weft_host_node *h)
{
    return find_reply(h) != h->replies.tail ? 1U << WEFT_SEND_REPLY : 0;
}

static void
plan(struct weft_host_node *h)
{
    const int64_t work = weft_host_next_at(&h->nic, waiting(h), h->port.paused);
    if (work != WEFT_NEVER)
    {
        const int64_t free = h->port.free_at > h->node.now ? h->port.free_at : h->node.now;
        wake_at(h, work > free ? work : free);
    }
}

/* What is sent now has not waited for the wire: it starts at a whole ps. */
static void
start_anew(struct weft_port *port)
{
    if (port->ps_per_byte == 0)
    {
        port->carry = 0;
    }
}

static void
arm_timer(struct weft_net *net, struct weft_host_node *h, struct weft_net_qp *q)
{
    if (q->armed)
    {
        return;
    }
    const int64_t deadline = weft_qp_deadline(&q->qp);
    if (deadline != WEFT_NEVER)
    {
        q->armed = true;
        weft_agenda_add(net, &h->timers, deadline > h->node.now ? deadline : h->node.now,
                        q->qp.index, q);
    }
}

static void
arm_receiver_timer(struct weft_net *net, struct weft_host_node *h, struct weft_net_qp *q)
{
    const int64_t deadline = weft_qp_rx_deadline(&q->qp);
    /* One that runs out too early is harmless, so an earlier one need not take out a later one. */
    if (deadline < q->rx_armed_at)
    {
        q->rx_armed_at = deadline;
        weft_agenda_add(net, &h->timers, deadline > h->node.now ? deadline : h->node.now,
                        RECEIVER_TIMER | q->qp.index, q);
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
make_data(struct weft_net *net, struct weft_host_node *h, struct weft_packet *data)
{
    struct weft_net_qp *q = (struct weft_net_qp *)(void *)h->nic.chosen;
    const int64_t now = h->node.now;
    weft_host_data(&h->nic, data, now);
    if (q->drops)
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
    arm_timer(net, h, q);
}

/* The next frame for the wire; false: there is none. */
static bool
pull(struct weft_net *net, struct weft_host_node *h, struct weft_packet *p)
{
    switch (weft_host_next(&h->nic, waiting(h), h->port.paused, h->node.now))
    {
    case WEFT_SEND_REPLY:
        *p = pop_reply(h);
        return true;
    case WEFT_SEND_DATA:
        make_data(net, h, p);
        return true;
    case WEFT_SEND_OTHER:
    case WEFT_SEND_NOTHING:
        break;
    }
    return false;
}

static void
transmit(struct weft_net *net, struct weft_host_node *h, const struct weft_packet *p)
{
    struct weft_port *port = &h->port;
    h->node.counters.sent++;
    h->node.counters.sent_bytes += p->bytes;
    const int64_t serialization = weft_port_occupy(port, p->bytes, h->node.now, true);
    struct weft_frame *frame = weft_lane_pass(&port->lane[p->tclass], &net->chunks);
    frame->d = *p;
    frame->at = h->node.now + serialization + port->delay;
    weft_port_announce(port, frame->at);
    if (net->config.hooks.sent)
    {
        net->config.hooks.sent(net->config.hooks.of, h->node.number, p, h->node.now);
    }
}

static void
transmit_next(struct weft_net *net, struct weft_host_node *h)
{
    struct weft_packet p;
    if (pull(net, h, &p))
    {
        transmit(net, h, &p);
    }
    plan(h);
}

/* Something may be ready to be sent. */
static void
kick(struct weft_net *net, struct weft_host_node *h)
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
static void
wake(struct weft_net *net, struct weft_host_node *h)
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

static void
resume(struct weft_net *net, struct weft_host_node *h, struct weft_net_qp *q)
{
    if (weft_host_resume(&h->nic, &q->qp, h->node.now))
    {
        kick(net, h);
    }
}

/* Takes no wire: it comes after the time of an idle fabric. */
static void
reply_ideally(struct weft_net *net, struct weft_host_node *h, const struct weft_packet *p)
{
    const int64_t way = weft_clos_way(net->config.clos, h->node.number, p->dst, p->bytes);
    struct weft_letter *letter = weft_letter_get(net);
    letter->packet = *p;
    h->node.counters.sent++;
    h->node.counters.sent_bytes += p->bytes;
    if (net->config.hooks.sent)
    {
        net->config.hooks.sent(net->config.hooks.of, h->node.number, p, h->node.now);
    }
    weft_host_mail(net, &net->host[p->dst], h->node.now + way,
                   weft_mail_key(WEFT_MAIL_REPLY, p->src), letter);
}

static void
reply(struct weft_net *net, struct weft_host_node *h, const struct weft_packet *p)
{
    if (net->ideal_replies)
    {
        reply_ideally(net, h, p);
        return;
    }
    push_reply(net, h, p);
}

static void
tell_delivered(struct weft_net *net, struct weft_host_node *h, struct weft_net_qp *q)
{
    const struct weft_wqe *message;
    while ((message = weft_qp_next_delivered(&q->qp, h->node.now)) != NULL)
    {
        if (net->config.hooks.delivered)
        {
            net->config.hooks.delivered(net->config.hooks.of, &q->qp, message->tag, h->node.now);
        }
    }
}

static void
receive_data(struct weft_net *net, struct weft_host_node *h, struct weft_packet *p)
{
    struct weft_net_qp *q = net->qp[p->qp];
    struct weft_qp_answer answer;
    weft_qp_data(&q->qp, p, h->node.now, &answer);
    if (answer.verdict.fresh)
    {
        h->node.counters.payload += p->bytes - (uint64_t)q->qp.algos_rx->frame.header;
    }
    if (answer.cnp)
    {
        struct weft_packet cnp = *p;
        weft_qp_make_reply(&q->qp, &cnp, WEFT_CNP, p->psn);
        reply(net, h, &cnp);
    }
    if (answer.verdict.reply != WEFT_REPLY_NONE)
    {
        weft_qp_answer_with(&q->qp, p, &answer);
        reply(net, h, p);
    }
    if (q->qp.algos_rx->transport->rx_deadline)
    {
        arm_receiver_timer(net, h, q);
    }
    tell_delivered(net, h, q);
    kick(net, h);
}

static void
receive_reply(struct weft_net *net, struct weft_host_node *h, const struct weft_packet *p)
{
    struct weft_net_qp *q = net->qp[p->qp];
    weft_qp_reply(&q->qp, p, h->node.now);
    const struct weft_wqe *message;
    while ((message = weft_qp_next_acked(&q->qp)) != NULL)
    {
        if (net->config.hooks.acked)
        {
            net->config.hooks.acked(net->config.hooks.of, &q->qp, message->tag, h->node.now);
        }
    }
    resume(net, h, q);
}

static void
receive(struct weft_net *net, struct weft_host_node *h, struct weft_packet *p)
{
    struct weft_node *node = &h->node;
    node->counters.hops++;
    if (weft_port_was_cut(&h->port, p->bytes, node->now))
    {
        weft_net_end_frame(net, node, p, WEFT_NET_DROP_LINK);
        return;
    }
    if (p->kind == WEFT_DATA && (p->flags & WEFT_F_DROP_AT_LAST_HOP))
    {
        weft_net_end_frame(net, node, p, WEFT_NET_DROP_INJECTED);
        return;
    }
    p->hops++;
    if (net->config.hooks.received)
    {
        net->config.hooks.received(net->config.hooks.of, node->number, p, node->now);
    }
    node->counters.delivered++;
    node->counters.delivered_bytes += p->bytes;
    switch (p->kind)
    {
    case WEFT_DATA:
        receive_data(net, h, p);
        break;
    case WEFT_CNP:
        weft_qp_cnp(&net->qp[p->qp]->qp, p, node->now);
        break;
    default:
        receive_reply(net, h, p);
    }
}

static void
give_up(struct weft_net *net, struct weft_host_node *h, struct weft_net_qp *q)
{
    weft_host_drop(&h->nic, &q->qp);
    const struct weft_wqe *message;
    while ((message = weft_qp_next_failed(&q->qp)) != NULL)
    {
        if (net->config.hooks.failed)
        {
            net->config.hooks.failed(net->config.hooks.of, &q->qp, message->tag, h->node.now);
        }
    }
}

static void
run_timer(struct weft_net *net, struct weft_host_node *h, struct weft_net_qp *q)
{
    q->armed = false;
    const bool due = weft_qp_deadline(&q->qp) <= h->node.now;
    if (weft_qp_timer(&q->qp, h->node.now) == WEFT_TIMER_GIVE_UP)
    {
        give_up(net, h, q);
        return;
    }
    if (due && weft_qp_ready(&q->qp))
    {
        weft_host_activate(&h->nic, &q->qp);
        kick(net, h);
    }
    arm_timer(net, h, q);
}

static void
run_receiver_timer(struct weft_net *net, struct weft_host_node *h, struct weft_net_qp *q)
{
    struct weft_qp_answer answer;
    q->rx_armed_at = h->node.now >= q->rx_armed_at ? WEFT_NEVER : q->rx_armed_at;
    weft_qp_rx_timer(&q->qp, h->node.now, &answer);
    if (answer.verdict.reply != WEFT_REPLY_NONE)
    {
        struct weft_packet p = q->qp.newest;
        weft_qp_answer_with(&q->qp, &p, &answer);
        reply(net, h, &p);
    }
    arm_receiver_timer(net, h, q);
    tell_delivered(net, h, q);
    kick(net, h);
}

static void
post(struct weft_net *net, struct weft_host_node *h, struct weft_net_qp *q, uint64_t bytes,
     uint64_t tag)
{
    if (q->qp.given_up)
    {
        if (net->config.hooks.failed)
        {
            net->config.hooks.failed(net->config.hooks.of, &q->qp, tag, h->node.now);
        }
        return;
    }
    q->wqes = weft_net_grow(net, q->wqes, (uint32_t)q->qp.nwqes, &q->room, sizeof *q->wqes);
    weft_qp_post(&q->qp, q->wqes, bytes, tag, h->node.now);
    weft_host_activate(&h->nic, &q->qp);
    kick(net, h);
}

void
weft_net_post(struct weft_net *net, struct weft_qp *qp, uint64_t bytes, uint64_t tag, int64_t at,
              uint64_t number)
{
    struct weft_host_node *h = &net->host[qp->src];
    struct weft_net_qp *q = (struct weft_net_qp *)(void *)qp;
    if (h->runs && at <= h->node.now)
    {
        post(net, h, q, bytes, tag);
        return;
    }
    struct weft_letter *letter = weft_letter_get(net);
    letter->qp = q;
    letter->bytes = bytes;
    letter->tag = tag;
    weft_host_mail(net, h, at > net->now ? at : net->now, weft_mail_key(WEFT_MAIL_POST, number),
                   letter);
}

static void
run_timers(struct weft_net *net, struct weft_host_node *h)
{
    while (weft_agenda_next(&h->timers) <= h->node.now)
    {
        const struct weft_due due = weft_agenda_take(&h->timers);
        if (due.key & RECEIVER_TIMER)
        {
            run_receiver_timer(net, h, due.what);
        }
        else
        {
            run_timer(net, h, due.what);
        }
    }
}

/* Letters of now, of kinds up to @p last. */
static void
read_mail(struct weft_net *net, struct weft_host_node *h, enum weft_mail_kind last)
{
    while (weft_agenda_next(&h->mail) <= h->node.now && h->mail.due[0].key >> 56 <= (uint64_t)last)
    {
        const struct weft_due due = weft_agenda_take(&h->mail);
        struct weft_letter *letter = due.what;
        switch ((enum weft_mail_kind)(due.key >> 56))
        {
        case WEFT_MAIL_REPLY:
            receive(net, h, &letter->packet);
            break;
        case WEFT_MAIL_LOSS:
            weft_qp_told_lost(&net->qp[letter->packet.qp]->qp, &letter->packet, h->node.now);
            resume(net, h, net->qp[letter->packet.qp]);
            break;
        case WEFT_MAIL_POST:
            post(net, h, letter->qp, letter->bytes, letter->tag);
            break;
        }
        weft_letter_put(net, letter);
    }
}

static void
take_pause(struct weft_net *net, struct weft_host_node *h, const struct weft_arriving *pfc)
{
    const uint32_t bit = 1U << weft_pfc_class(pfc);
    h->port.paused = weft_pfc_pauses(pfc) ? h->port.paused | bit : h->port.paused & ~bit;
    if (!weft_pfc_pauses(pfc))
    {
        kick(net, h);
    }
}

/* Whether the i-th arrival comes now. */
static bool
is_now(const struct weft_net *net, const struct weft_host_node *h, uint32_t i)
{
    return i < net->narriving && weft_arrives_at(net, &net->arriving[i]) == h->node.now;
}

/* What comes now, from the i-th arrival on; returns behind it. */
static uint32_t
receive_all(struct weft_net *net, struct weft_host_node *h, uint32_t i)
{
    for (; is_now(net, h, i) && !(net->arriving[i].key & WEFT_IS_FRAME); i++)
    {
        take_pause(net, h, &net->arriving[i]);
    }
    if (h->mail.n > 0)
    {
        read_mail(net, h, WEFT_MAIL_LOSS);
    }
    for (; is_now(net, h, i); i++)
    {
        struct weft_packet *p = &net->arriving[i].of.frame->d;
        p->in_port = 0;
        receive(net, h, p);
    }
    if (h->mail.n > 0)
    {
        read_mail(net, h, WEFT_MAIL_POST);
    }
    return i;
}

/* When something is due without the wire. */
static int64_t
next_own(const struct weft_host_node *h)
{
    const int64_t timer = weft_agenda_next(&h->timers);
    const int64_t mail = weft_agenda_next(&h->mail);
    const int64_t at = timer < mail ? timer : mail;
    return at < h->wake_at ? at : h->wake_at;
}

void
weft_host_run(struct weft_net *net, struct weft_host_node *h, int64_t until)
{
    weft_node_collect(net, &h->node, until, NULL);
    h->runs = true;
    for (uint32_t i = 0;;)
    {
        const int64_t own = next_own(h);
        const int64_t arrival =
            i < net->narriving ? weft_arrives_at(net, &net->arriving[i]) : WEFT_NEVER;
        const int64_t at = own < arrival ? own : arrival;
        if (at >= until)
        {
            break;
        }
        h->node.now = at > h->node.now ? at : h->node.now;
        h->node.last = h->node.now;
        run_timers(net, h);
        if (h->wake_at <= h->node.now)
        {
            wake(net, h);
        }
        i = receive_all(net, h, i);
    }
    h->runs = false;
    const int64_t own = next_own(h);
    h->node.next = own < h->node.next ? own : h->node.next;
}

void
weft_host_mail(struct weft_net *net, struct weft_host_node *host, int64_t at, uint64_t key,
               struct weft_letter *letter)
{
    weft_agenda_add(net, &host->mail, at, key, letter);
    weft_net_wake(net, &host->node, at);
}

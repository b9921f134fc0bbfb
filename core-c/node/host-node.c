/* SPDX-License-Identifier: MIT */
/* A host that runs: timers, its wire, PFC, mail, arrivals, posts. */
#include "node/host-node.h"
#include "node/arrivals.h"
#include "node/mail.h"
#include "node/stamps.h"

#define RECEIVER_TIMER (UINT64_C(1) << 32) /* in the order of timers; senders' come first */
#define PULL_TIMER     (UINT64_C(1) << 33) /* behind receivers' */
#define MOST_LOADED    64U                 /* QPs that may send within a window */

static void
arm_receiver_timer(struct weft_host_node *h, struct weft_net_qp *q)
{
    const int64_t deadline = weft_qp_rx_deadline(&q->qp);
    /* A timer that runs out too early is harmless, so an earlier one need not take out a later one.
     * */
    if (deadline < q->rx_armed_at)
    {
        q->rx_armed_at = deadline;
        weft_agenda_add(&h->timers, deadline > h->node.now ? deadline : h->node.now,
                        RECEIVER_TIMER | q->qp.index, h->timers.seq++, q, &h->node.worker->memory);
    }
}

static void
arm_pull_timer(struct weft_host_node *h, struct weft_puller *puller)
{
    if (puller->at < puller->armed_at)
    {
        puller->armed_at = puller->at;
        weft_agenda_add(&h->timers, puller->at, PULL_TIMER, h->timers.seq++, puller,
                        &h->node.worker->memory);
    }
}

/* Sets timers of a receiver that data has come to. */
static __attribute__((noinline)) void
arm_receiver(struct weft_host_node *h, struct weft_net_qp *q)
{
    if (q->qp.algos_rx->transport->rx_deadline)
    {
        arm_receiver_timer(h, q);
    }
    if (q->qp.pull)
    {
        arm_pull_timer(h, &q->qp.algos_rx->pullers[h->node.number]);
    }
}

static void
resume(const struct weft_net *net, struct weft_host_node *h, struct weft_net_qp *q)
{
    if (weft_host_resume(h->ports ? q->nic : &h->nic, &q->qp, h->node.now))
    {
        weft_host_kick(net, h);
    }
}

/* Tells of the end of a message: rare, and out of the way of packets. */
static __attribute__((noinline, cold)) void
tell_end(const struct weft_net *net, const struct weft_host_node *h, struct weft_qp *qp,
         uint64_t tag, enum weft_message_end end)
{
    const struct weft_net_hooks *hooks = &net->config.hooks;
    void (*const tell[])(void *, struct weft_qp *, uint64_t,
                         int64_t) = {hooks->delivered, hooks->acked, hooks->failed};
    if (tell[end])
    {
        tell[end](hooks->of, qp, tag, h->node.now);
    }
    if (net->ended)
    {
        net->ended(net->ended_of, qp, tag, h->node.now, end);
    }
}

static void
tell_delivered(const struct weft_net *net, struct weft_host_node *h, struct weft_net_qp *q)
{
    const struct weft_wqe *message;
    while ((message = weft_qp_next_delivered(&q->qp, h->node.now)) != NULL)
    {
        tell_end(net, h, &q->qp, message->tag, WEFT_MESSAGE_DELIVERED);
    }
}

static void
receive_data(const struct weft_net *net, struct weft_host_node *h, struct weft_packet *p)
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
        weft_host_reply(net, h, &cnp);
    }
    if (answer.verdict.reply != WEFT_REPLY_NONE)
    {
        weft_qp_answer_with(&q->qp, p, &answer);
        weft_host_reply(net, h, p);
    }
    if (q->qp.listens)
    {
        arm_receiver(h, q);
    }
    tell_delivered(net, h, q);
    weft_host_kick(net, h);
}

static void
receive_reply(const struct weft_net *net, struct weft_host_node *h, const struct weft_packet *p)
{
    struct weft_net_qp *q = net->qp[p->qp];
    weft_qp_reply(&q->qp, p, h->node.now);
    const struct weft_wqe *message;
    while ((message = weft_qp_next_acked(&q->qp)) != NULL)
    {
        tell_end(net, h, &q->qp, message->tag, WEFT_MESSAGE_ACKED);
    }
    resume(net, h, q);
    if (q->hastens)
    {
        weft_host_arm_timer(h, q);
    }
}

/* Tells the program of a frame, and a congestion control of a reply's stamps. */
static __attribute__((noinline)) void
hear(const struct weft_net *net, const struct weft_node *node, const struct weft_packet *p)
{
    if (net->config.hooks.received)
    {
        net->config.hooks.received(net->config.hooks.of, node->number, p, node->now);
    }
    if (net->stamps && (p->kind == WEFT_ACK || p->kind == WEFT_NACK))
    {
        weft_stamps_tell(net->qp[p->qp], p, node->now);
    }
}

static void
receive(const struct weft_net *net, struct weft_host_node *h, struct weft_packet *p)
{
    struct weft_node *node = &h->node;
    node->counters.hops++;
    node->last = node->now;
    if (h->watches_links && weft_node_loses(net, node, p))
    {
        return;
    }
    if (p->kind == WEFT_DATA && (p->flags & WEFT_F_DROP_AT_LAST_HOP))
    {
        weft_node_lose(net, node, p, WEFT_NET_DROP_INJECTED);
        return;
    }
    p->hops++;
    if (net->hears)
    {
        hear(net, node, p);
    }
    node->counters.delivered++;
    node->counters.delivered_bytes += p->bytes;
    switch (p->kind)
    {
    case WEFT_DATA:
        receive_data(net, h, p);
        break;
    case WEFT_ACK:
    case WEFT_NACK:
        receive_reply(net, h, p);
        break;
    case WEFT_CNP:
        weft_qp_cnp(&net->qp[p->qp]->qp, p, node->now);
        break;
    case WEFT_PULL:
        weft_qp_pull(&net->qp[p->qp]->qp, p, node->now);
        resume(net, h, net->qp[p->qp]);
        break;
    default: /* it is the program's, which has heard of it */
        break;
    }
}

static void
give_up(const struct weft_net *net, struct weft_host_node *h, struct weft_net_qp *q)
{
    weft_host_drop(q->nic, &q->qp);
    if (net->config.hooks.gave_up)
    {
        net->config.hooks.gave_up(net->config.hooks.of, &q->qp, h->node.now);
    }
    const struct weft_wqe *message;
    while ((message = weft_qp_next_failed(&q->qp)) != NULL)
    {
        tell_end(net, h, &q->qp, message->tag, WEFT_MESSAGE_FAILED);
    }
}

static void
run_timer(const struct weft_net *net, struct weft_host_node *h, struct weft_net_qp *q)
{
    q->qp.timed = false;
    q->tx_armed_at = h->node.now >= q->tx_armed_at ? WEFT_NEVER : q->tx_armed_at;
    const bool due = weft_qp_deadline(&q->qp) <= h->node.now;
    const enum weft_qp_timeout outcome = weft_qp_timer(&q->qp, h->node.now);
    if (outcome != WEFT_TIMER_NOTHING)
    {
        h->node.last = h->node.now;
    }
    if (outcome != WEFT_TIMER_NOTHING && net->config.hooks.timed_out)
    {
        net->config.hooks.timed_out(net->config.hooks.of, &q->qp, h->node.now);
    }
    if (outcome == WEFT_TIMER_GIVE_UP)
    {
        give_up(net, h, q);
        return;
    }
    if (due && weft_qp_ready(&q->qp))
    {
        weft_host_activate(q->nic, &q->qp);
        weft_host_kick(net, h);
    }
    weft_host_arm_timer(h, q);
}

static void
run_receiver_timer(const struct weft_net *net, struct weft_host_node *h, struct weft_net_qp *q)
{
    struct weft_qp_answer answer;
    q->rx_armed_at = h->node.now >= q->rx_armed_at ? WEFT_NEVER : q->rx_armed_at;
    weft_qp_rx_timer(&q->qp, h->node.now, &answer);
    if (answer.verdict.reply != WEFT_REPLY_NONE)
    {
        struct weft_packet p = q->qp.newest;
        weft_qp_answer_with(&q->qp, &p, &answer);
        weft_host_reply(net, h, &p);
        h->node.last = h->node.now;
    }
    arm_receiver_timer(h, q);
    tell_delivered(net, h, q);
    weft_host_kick(net, h);
}

/* Whether a message would have a QP send more than its states are made for. */
static bool
is_too_much(const struct weft_net *net, const struct weft_net_qp *q, uint64_t bytes)
{
    const uint64_t payload = (uint64_t)net->config.frame.payload;
    return bytes / payload + (bytes % payload != 0) > q->most - q->qp.posted;
}

void
weft_host_post(const struct weft_net *net, struct weft_host_node *h, struct weft_net_qp *q,
               uint64_t bytes, uint64_t tag)
{
    if (q->qp.given_up || is_too_much(net, q, bytes))
    {
        /* Whoever hears of it may post again: that is told behind this, not within. */
        struct weft_letter *letter = weft_letter_get(h->node.worker);
        letter->qp = q;
        letter->tag = tag;
        weft_mail_send(h->node.worker, h->node.number, h->node.now,
                       weft_mail_key(WEFT_MAIL_FAILED, 0), letter);
        return;
    }
    q->wqes = weft_grow(&h->node.worker->memory, q->wqes, (uint32_t)q->qp.nwqes, &q->room,
                        sizeof *q->wqes);
    weft_qp_post(&q->qp, q->wqes, bytes, tag, h->node.now);
    if (h->node.worker->far)
    {
        h->node.worker->far->posted(h->node.worker, q, bytes, tag);
    }
    weft_host_activate(q->nic, &q->qp);
    weft_host_kick(net, h);
}

static void
run_pull_timer(const struct weft_net *net, struct weft_host_node *h, struct weft_puller *puller)
{
    struct weft_packet pull;
    puller->armed_at = h->node.now >= puller->armed_at ? WEFT_NEVER : puller->armed_at;
    if (weft_puller_take(puller, h->node.now, &pull))
    {
        weft_host_reply(net, h, &pull);
        weft_host_kick(net, h);
    }
    arm_pull_timer(h, puller);
}

static void
run_timers(const struct weft_net *net, struct weft_host_node *h)
{
    while (weft_agenda_next(&h->timers) <= h->node.now)
    {
        const struct weft_due due = weft_agenda_take(&h->timers);
        if (due.key & PULL_TIMER)
        {
            run_pull_timer(net, h, due.what);
        }
        else if (due.key & RECEIVER_TIMER)
        {
            run_receiver_timer(net, h, due.what);
        }
        else
        {
            run_timer(net, h, due.what);
        }
    }
}

static void
do_as_asked(const struct weft_net *net, struct weft_host_node *h, const struct weft_letter *letter)
{
    if (letter->call)
    {
        letter->call(letter->of, letter->tag, h->node.now);
    }
    else
    {
        weft_host_post(net, h, letter->qp, letter->bytes, letter->tag);
    }
}

/* Letters of now, of kinds up to @p last. */
static void
read_mail(const struct weft_net *net, struct weft_host_node *h, enum weft_mail_kind last)
{
    while (weft_agenda_next(&h->mail) <= h->node.now && h->mail.due[0].key >> 56 <= (uint64_t)last)
    {
        const struct weft_due due = weft_agenda_take(&h->mail);
        struct weft_letter *letter = due.what;
        h->node.last = h->node.now;
        switch (due.key >> 56)
        {
        case WEFT_MAIL_STAMP:
            weft_stamps_keep(net->qp[letter->packet.qp], letter, &h->node.worker->memory);
            break;
        case WEFT_MAIL_REPLY:
            receive(net, h, &letter->packet);
            break;
        case WEFT_MAIL_LOSS:
            if (net->config.hooks.told_lost)
            {
                net->config.hooks.told_lost(net->config.hooks.of, &net->qp[letter->packet.qp]->qp,
                                            &letter->packet, h->node.now);
            }
            weft_qp_told_lost(&net->qp[letter->packet.qp]->qp, &letter->packet, h->node.now);
            resume(net, h, net->qp[letter->packet.qp]);
            break;
        case WEFT_MAIL_SEND:
            weft_host_send(net, h, &letter->packet);
            break;
        case WEFT_MAIL_FAILED:
            tell_end(net, h, &letter->qp->qp, letter->tag, WEFT_MESSAGE_FAILED);
            break;
        default:
            do_as_asked(net, h, letter);
        }
        weft_letter_put(h->node.worker, letter);
    }
}

static void
take_pause(const struct weft_net *net, struct weft_host_node *h, const struct weft_arriving *pfc)
{
    struct weft_port *by = &h->node.port[weft_pfc_port(pfc)];
    h->node.last = h->node.now;
    weft_port_set_paused(by, weft_pfc_class(pfc), weft_pfc_pauses(pfc), h->node.now);
    if (!weft_pfc_pauses(pfc))
    {
        weft_host_kick(net, h);
    }
}

/* Where states do not fit a cache, each packet waits for those of its QP: all are asked for at
 * once, the QPs first and then what they lead to. */
static __attribute__((noinline)) void
load_qps(const struct weft_worker *worker, const struct weft_host_node *h)
{
    const struct weft_net *net = worker->net;
    for (uint32_t i = 0; i < worker->narriving; i++)
    {
        const struct weft_net_qp *q = weft_arriving_qp(net, &worker->arriving[i]);
        if (q)
        {
            weft_load_line(worker->arriving[i].of.frame->d.kind == WEFT_DATA ? (const void *)&q->qp
                                                                             : &q->qp.algos,
                           0);
        }
    }
    const uint32_t nactive = h->nic.nactive < MOST_LOADED ? h->nic.nactive : MOST_LOADED;
    for (uint32_t i = 0; i < nactive; i++)
    {
        weft_load_line(&h->nic.active[i]->tx, 0);
        weft_load_line(&h->nic.active[i]->bulk_first, 0);
    }
    for (uint32_t i = 0; i < worker->narriving; i++)
    {
        const struct weft_net_qp *q = weft_arriving_qp(net, &worker->arriving[i]);
        if (q)
        {
            weft_load_line(worker->arriving[i].of.frame->d.kind == WEFT_DATA ? q->qp.rx : q->qp.tx,
                           0);
        }
    }
    for (uint32_t i = 0; i < nactive; i++)
    {
        weft_load_line(h->nic.active[i]->tx, 0);
        weft_load_line(h->nic.active[i]->cc, 0);
    }
}

/* Receives what comes now. @p a: the next arrival. Returns the one behind. */
static const struct weft_arriving *
receive_all(const struct weft_net *net, struct weft_host_node *h, const struct weft_arriving *a,
            int64_t base)
{
    const uint64_t later = (uint64_t)(h->node.now - base + 1) << WEFT_TIE_BITS;
    for (; a->key < later && !(a->key & WEFT_IS_FRAME); a++)
    {
        take_pause(net, h, a);
    }
    if (h->mail.n > 0)
    {
        read_mail(net, h, WEFT_MAIL_LOSS);
    }
    for (; a->key < later; a++)
    {
        receive(net, h, &a->of.frame->d);
    }
    if (h->mail.n > 0)
    {
        read_mail(net, h, WEFT_MAIL_LAST);
    }
    return a;
}

/* When something is due without the wire; @p timer: when a timer is. */
static inline int64_t
next_own(const struct weft_host_node *h, int64_t timer)
{
    const int64_t mail = weft_agenda_next(&h->mail);
    const int64_t at = timer < mail ? timer : mail;
    return at < h->wake_at ? at : h->wake_at;
}

void
weft_host_run(struct weft_worker *worker, struct weft_host_node *h, int64_t until)
{
    weft_node_collect(worker, &h->node, until);
    if (worker->loads_qps)
    {
        load_qps(worker, h);
    }
    const struct weft_net *net = worker->net;
    const struct weft_arriving *a = worker->arriving;
    const int64_t base = worker->base;
    for (;;)
    {
        const int64_t timer = weft_agenda_next(&h->timers);
        const int64_t own = next_own(h, timer);
        const int64_t arrival =
            a->key != WEFT_COMES_NEVER ? base + (int64_t)(a->key >> WEFT_TIE_BITS) : WEFT_NEVER;
        const int64_t at = own < arrival ? own : arrival;
        if (at >= until)
        {
            break;
        }
        h->node.now = at > h->node.now ? at : h->node.now;
        if (timer <= h->node.now)
        {
            run_timers(net, h);
        }
        if (h->wake_at <= h->node.now)
        {
            weft_host_wake(net, h);
        }
        a = receive_all(net, h, a, base);
    }
    const int64_t own = next_own(h, weft_agenda_next(&h->timers));
    h->node.next = own < h->node.next ? own : h->node.next;
}

/* SPDX-License-Identifier: MIT */
/* Acts of a ToR beside forwarding: middleware for the NICs' replies, and a balancer that holds
 * frames back or has a timer. */
#include "node/mail.h"
#include "node/switch-node.h"

#include <weft/psn.h>

/* Whether middleware looks at a packet that comes. */
static bool
is_looked_at(const struct weft_switch_node *sw, const struct weft_packet *p)
{
    return p->kind == WEFT_DATA ? p->in_port >= sw->map.first_up : p->in_port < sw->map.first_up;
}

__attribute__((noinline)) void
weft_switch_load_tor(const struct weft_worker *worker, const struct weft_switch_node *sw)
{
    const struct weft_net *net = worker->net;
    for (uint32_t i = 0; i < worker->narriving; i++)
    {
        const struct weft_net_qp *q = weft_arriving_qp(net, &worker->arriving[i]);
        if (q && is_looked_at(sw, &worker->arriving[i].of.frame->d))
        {
            weft_load_line(&q->tor, 0);
        }
    }
    for (uint32_t i = 0; i < worker->narriving; i++)
    {
        const struct weft_net_qp *q = weft_arriving_qp(net, &worker->arriving[i]);
        if (q && is_looked_at(sw, &worker->arriving[i].of.frame->d) && q->tor)
        {
            weft_load_line(q->tor, 0);
            weft_load_line(q->tor, 64);
        }
    }
}

static void
note_owes(struct weft_switch_node *sw, struct weft_port *port, struct weft_net_qp *q)
{
    const bool owes = !q->tor_ops->owes || q->tor_ops->owes(q->tor);
    if (owes != q->owes)
    {
        q->owes = owes;
        port->owing += owes ? 1 : -1U;
        port->noted = port->owing > 0 || sw->ordered > 0;
        weft_switch_note_port(sw, port);
    }
}

void
weft_switch_note_owes(const struct weft_net *net, struct weft_net_qp *q)
{
    struct weft_link link;
    weft_planes_link(net->config.clos, q->plane * net->config.clos->nlinks + q->qp.dst, &link);
    struct weft_switch_node *sw = &net->sw[link.upper.index];
    note_owes(sw, &sw->node.port[link.upper.port], q);
}

bool
weft_switch_passes_tor(const struct weft_net *net, struct weft_switch_node *sw,
                       struct weft_packet *p)
{
    struct weft_net_qp *q = net->qp[p->qp];
    struct weft_port *port = &sw->node.port[p->in_port];
    if ((q->tor_plane & sw->tor_plane) == 0)
    {
        return true;
    }
    if (port->waits != 0)
    {
        weft_switch_settle(net, sw, port); /* it judges by what has left for the NIC */
    }
    const enum weft_tor_verdict verdict = q->tor_ops->from_host(q->tor, p, &sw->tor);
    note_owes(sw, port, q);
    switch (verdict)
    {
    case WEFT_TOR_BLOCK:
        weft_node_lose(net, &sw->node, p, WEFT_NET_BLOCKED);
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

/* Sends a NACK on a NIC's behalf. */
static void
make_up(const struct weft_net *net, struct weft_switch_node *sw, const struct weft_packet *data,
        uint32_t out, uint32_t epsn)
{
    struct weft_packet nack = *data;
    weft_qp_make_reply(&net->qp[data->qp]->qp, &nack, WEFT_NACK, epsn);
    nack.in_port = (uint16_t)out;
    sw->node.counters.made_by_tors++;
    sw->node.counters.made_by_tors_bytes += nack.bytes;
    weft_switch_forward(net, sw, &nack);
}

void
weft_switch_run_tor(const struct weft_net *net, struct weft_switch_node *sw,
                    const struct weft_packet *p, uint32_t out)
{
    struct weft_net_qp *q = net->qp[p->qp];
    if ((q->tor_plane & sw->tor_plane) == 0)
    {
        return;
    }
    const bool paused = sw->paused_ingress > 0 &&
                        weft_mmu_is_paused(sw->mmu, out, weft_reply_class(&net->algos[p->sl]));
    uint32_t epsn;
    const bool sends = q->tor_ops->to_host(q->tor, p, paused, &sw->tor, &epsn);
    if (q->owes)
    {
        note_owes(sw, &sw->node.port[out], q);
    }
    if (sends)
    {
        make_up(net, sw, p, out, epsn);
    }
}

void
weft_switch_release_tor(const struct weft_net *net, struct weft_switch_node *sw,
                        struct weft_net_qp *q)
{
    uint32_t epsn;
    if (q->tor_ops->release && q->tor_ops->release(q->tor, &sw->tor, &epsn))
    {
        sw->owed = weft_grow(&sw->node.worker->memory, sw->owed, sw->nowed, &sw->owed_size,
                             sizeof *sw->owed);
        sw->owed[sw->nowed++] = (struct weft_owed){.qp = q, .epsn = epsn};
        sw->owed_at = net->now;
        sw->own_at = net->now < sw->own_at ? net->now : sw->own_at;
        weft_net_wake(net, sw->node.number, net->now);
    }
    weft_switch_note_owes(net, q);
}

static void
pay(const struct weft_net *net, struct weft_switch_node *sw, const struct weft_owed *owed)
{
    const struct weft_qp *qp = &owed->qp->qp;
    const struct weft_fabric_config *f = &net->config.frame;
    const int64_t way = weft_clos_way(net->config.clos, qp->src, qp->dst, f->payload + f->header);
    struct weft_ports ports;
    weft_route(&sw->map, qp->dst, &ports);
    const struct weft_packet data = {
        .sent = sw->node.now > way ? sw->node.now - way : 0, /* as if it had just come */
        .src = qp->src & WEFT_HOST_MASK,
        .dst = qp->dst & WEFT_HOST_MASK,
        .qp = qp->index & WEFT_QP_MASK,
        .sl = qp->algos->sl & (WEFT_LEVELS - 1),
        .psn = owed->epsn & WEFT_PSN_MASK,
    };
    make_up(net, sw, &data, weft_port_at(&ports, 0), owed->epsn);
}

void
weft_switch_pay(const struct weft_net *net, struct weft_switch_node *sw)
{
    sw->owed_at = WEFT_NEVER;
    for (uint32_t i = 0; i < sw->nowed; i++)
    {
        pay(net, sw, &sw->owed[i]);
    }
    sw->nowed = 0;
}

static struct weft_held *
find_held(struct weft_switch_node *sw, uint32_t queue)
{
    for (uint32_t i = 0; i < sw->nheld; i++)
    {
        if (sw->held[i].queue == queue)
        {
            return &sw->held[i];
        }
    }
    return NULL;
}

static void
hold(struct weft_switch_node *sw, const struct weft_packet *p, uint32_t queue)
{
    struct weft_held *held = find_held(sw, queue);
    struct weft_letter *letter = weft_letter_get(sw->node.worker);
    letter->packet = *p;
    letter->next = NULL;
    if (!held)
    {
        sw->held = weft_grow(&sw->node.worker->memory, sw->held, sw->nheld, &sw->held_size,
                             sizeof *sw->held);
        sw->held[sw->nheld++] = (struct weft_held){.queue = queue, .head = letter, .tail = letter};
        return;
    }
    held->tail->next = letter;
    held->tail = letter;
}

static uint32_t
host_port(const struct weft_switch_node *sw, const struct weft_packet *p)
{
    struct weft_ports ports;
    weft_route(&sw->map, p->dst, &ports);
    return weft_port_at(&ports, 0);
}

static void
release(const struct weft_net *net, struct weft_switch_node *sw, uint32_t queue)
{
    struct weft_held *held = find_held(sw, queue);
    if (!held)
    {
        return;
    }
    struct weft_letter *letter = held->head;
    *held = sw->held[--sw->nheld];
    while (letter)
    {
        struct weft_letter *next = letter->next;
        const uint32_t out = host_port(sw, &letter->packet);
        weft_switch_tell_queued(net, sw, &letter->packet, out);
        weft_switch_join(net, sw, out, &letter->packet);
        weft_letter_put(sw->node.worker, letter);
        letter = next;
    }
}

/* Carries out the balancer's requests. */
static void
carry_out(const struct weft_net *net, struct weft_switch_node *sw)
{
    const struct weft_lb_ops *lb = net->lb;
    struct weft_request request;
    while (lb->request && lb->request(sw->lb, &request, sw->node.now))
    {
        if (request.what == WEFT_REQUEST_RELEASE)
        {
            release(net, sw, request.queue);
            continue;
        }
        sw->node.counters.made_by_tors++;
        sw->node.counters.made_by_tors_bytes += request.packet.bytes;
        weft_switch_forward(net, sw, &request.packet);
    }
    const int64_t at = lb->deadline ? lb->deadline(sw->lb) : WEFT_NEVER;
    if (at < sw->fires_at)
    {
        sw->fires_at = at > sw->node.now ? at : sw->node.now;
    }
}

bool
weft_switch_arrive_at_balancer(const struct weft_net *net, struct weft_switch_node *sw,
                               struct weft_packet *p)
{
    if (net->lb->leave)
    {
        weft_switch_send_waiting(net, sw);
    }
    uint32_t queue = 0;
    void *flow = p->kind == WEFT_RAW ? NULL : weft_switch_flow(sw, net->qp[p->qp]);
    const enum weft_arrival what = net->lb->arrive(sw->lb, flow, p, &queue, sw->node.now);
    if (what == WEFT_ARRIVAL_HOLD && weft_switch_buffer(net, sw, p, host_port(sw, p)))
    {
        hold(sw, p, queue);
    }
    else if (what == WEFT_ARRIVAL_END)
    {
        weft_node_lose(net, &sw->node, p, WEFT_NET_ENDED);
    }
    carry_out(net, sw);
    return what == WEFT_ARRIVAL_FORWARD;
}

void
weft_switch_run_balancer(const struct weft_net *net, struct weft_switch_node *sw)
{
    sw->fires_at = WEFT_NEVER;
    if (net->lb->deadline(sw->lb) <= sw->node.now)
    {
        net->lb->on_deadline(sw->lb, sw->node.now);
    }
    carry_out(net, sw);
}

/* SPDX-License-Identifier: MIT */
/* Getters and setters of a running fabric. */
#include "node/host-ports.h"
#include "node/switch-node.h"
#include "parallel/net-ranks.h"

struct weft_qp *
weft_net_qp(const struct weft_net *net, uint32_t index)
{
    return net->qp[index] ? &net->qp[index]->qp : NULL;
}

uint32_t
weft_net_nqps(const struct weft_net *net)
{
    return net->nqps;
}

bool
weft_net_is_here(const struct weft_net *net, uint32_t node)
{
    return !weft_node_is_elsewhere(net, node);
}

const struct weft_node_seen *
weft_net_seen(const struct weft_net *net, uint32_t node)
{
    const bool here = !weft_node_is_elsewhere(net, node);
    assert(here || net->ranks->seen[node]);
    return here ? NULL : net->ranks->seen[node];
}

const struct weft_net_counters *
weft_net_node_counters(const struct weft_net *net, uint32_t node)
{
    const struct weft_node_seen *seen = weft_net_seen(net, node);
    return seen ? &seen->counters : &net->node[node]->counters;
}

void
weft_net_add_counters(struct weft_net_counters *sum, const struct weft_net_counters *c)
{
    sum->hops += c->hops;
    sum->sent += c->sent;
    sum->sent_bytes += c->sent_bytes;
    sum->made_by_tors += c->made_by_tors;
    sum->made_by_tors_bytes += c->made_by_tors_bytes;
    sum->delivered += c->delivered;
    sum->delivered_bytes += c->delivered_bytes;
    for (unsigned i = 0; i < WEFT_NET_LOSSES; i++)
    {
        sum->lost[i] += c->lost[i];
    }
    sum->lost_bytes += c->lost_bytes;
    sum->trimmed += c->trimmed;
    sum->trimmed_bytes += c->trimmed_bytes;
    sum->payload += c->payload;
}

void
weft_net_total(const struct weft_net *net, struct weft_net_counters *sum)
{
    *sum = net->ranks ? net->ranks->total : (struct weft_net_counters){0};
    for (uint32_t i = 0; i < net->nhosts + net->nswitches; i++)
    {
        if (!weft_node_is_elsewhere(net, i))
        {
            weft_net_add_counters(sum, &net->node[i]->counters);
        }
    }
}

const struct weft_mmu *
weft_net_buffer(struct weft_net *net, uint32_t index)
{
    const struct weft_node_seen *seen = weft_net_seen(net, net->nhosts + index);
    struct weft_switch_node *sw = &net->sw[index];
    if (seen)
    {
        return seen->mmu;
    }
    /* Nothing starts to leave by being looked at, and giving back resumes nobody: while a neighbour
     * is paused it is done in time. */
    const int64_t at = net->now - 1 > sw->node.now ? net->now - 1 : sw->node.now;
    for (uint32_t i = 0; i < sw->node.nports && sw->paused_ingress == 0; i++)
    {
        if (sw->node.port[i].end <= at)
        {
            weft_switch_give_back(sw, &sw->node.port[i]);
            if (sw->ordered > 0)
            {
                weft_switch_note_port(sw, &sw->node.port[i]);
            }
        }
    }
    return sw->mmu;
}

const struct weft_tor_counters *
weft_net_tor_counters(const struct weft_net *net, uint32_t index)
{
    const struct weft_node_seen *seen = weft_net_seen(net, net->nhosts + index);
    return seen ? &seen->tor : &net->sw[index].tor;
}

/* Ports of a switch from @p first up to before @p end: those downwards, or upwards. */
static void
side_of(const struct weft_net *net, uint32_t index, bool up, uint32_t *first, uint32_t *end)
{
    struct weft_switch_map map;
    weft_clos_switch(net->config.clos, index, &map);
    *first = up ? map.first_up : 0;
    *end = up ? weft_map_nports(&map) : map.first_up;
}

uint32_t
weft_net_peak_queue(const struct weft_net *net, uint32_t index, bool up)
{
    const struct weft_node_seen *seen = weft_net_seen(net, net->nhosts + index);
    uint32_t first, end, peak = 0;
    side_of(net, index, up, &first, &end);
    for (uint32_t i = first; i < end; i++)
    {
        const uint32_t its =
            seen ? seen->port[i].peak_queue : net->sw[index].node.port[i].peak_queue;
        peak = its > peak ? its : peak;
    }
    return peak;
}

uint64_t
weft_net_marks(const struct weft_net *net, uint32_t index, bool up)
{
    const struct weft_node_seen *seen = weft_net_seen(net, net->nhosts + index);
    uint64_t marks = 0;
    uint32_t first, end;
    side_of(net, index, up, &first, &end);
    for (uint32_t i = first; i < end; i++)
    {
        marks += seen ? seen->port[i].marks : net->sw[index].node.port[i].marks;
    }
    return marks;
}

const struct weft_lb_ops *
weft_net_lb(const struct weft_net *net)
{
    return net->lb;
}

const void *
weft_net_lb_config(const struct weft_net *net)
{
    return net->lb_config;
}

void *
weft_net_balancer(const struct weft_net *net, uint32_t index)
{
    return !weft_node_is_elsewhere(net, net->nhosts + index) ? net->sw[index].lb : NULL;
}

void
weft_net_measure_qp(const struct weft_qp *qp, struct weft_net_qp_bytes *bytes)
{
    *bytes = ((const struct weft_net_qp *)(const void *)qp)->bytes;
}

const struct weft_tx_counters *
weft_net_tx_counters(const struct weft_qp *qp)
{
    return qp->tx ? qp->algos->transport->tx_counters(qp->tx)
                  : ((const struct weft_net_qp *)(const void *)qp)->gathered;
}

const struct weft_nic_algos *
weft_net_algos(const struct weft_net *net, uint32_t level)
{
    if (net->threads)
    {
        weft_threads_sum_degrees(net, level);
    }
    return &net->algos[level];
}

const struct weft_fib *
weft_net_fib(const struct weft_net *net, uint32_t plane)
{
    return net->fib[plane];
}

static uint64_t
count_replies(const struct weft_agenda *mail)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < mail->n; i++)
    {
        n += mail->due[i].key >> 56 == WEFT_MAIL_REPLY;
    }
    return n;
}

static uint64_t
count_held(const struct weft_switch_node *sw)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < sw->nheld; i++)
    {
        for (const struct weft_letter *l = sw->held[i].head; l; l = l->next)
        {
            n++;
        }
    }
    return n;
}

/* Frames that wait in a lane of a port, are on the wire behind it, or come from another rank. */
static uint64_t
count_frames(const struct weft_net *net, const struct weft_port *port)
{
    uint64_t n = 0;
    for (uint32_t c = 0; c < net->classes; c++)
    {
        n += port->lane[c].waiting + (port->lane[c].left - port->lane[c].taken);
        n += port->is_fed ? port->from[c].left - port->from[c].taken : 0;
    }
    return n;
}

static uint64_t
count_inside(const struct weft_net *net, uint32_t i)
{
    const struct weft_node *node = net->node[i];
    uint64_t n =
        i < net->nhosts ? count_replies(&net->host[i].mail) : count_held(&net->sw[i - net->nhosts]);
    for (uint32_t k = 0; k < node->nports; k++)
    {
        n += count_frames(net, &node->port[k]);
    }
    return n;
}

uint64_t
weft_net_inside(const struct weft_net *net)
{
    uint64_t n = net->ranks ? net->ranks->inside : 0;
    weft_net_settle(net);
    for (uint32_t i = 0; i < net->nhosts + net->nswitches; i++)
    {
        n += !weft_node_is_elsewhere(net, i) ? count_inside(net, i) : 0;
    }
    return n;
}

uint64_t
weft_net_waiting(const struct weft_net *net, uint32_t host)
{
    const struct weft_host_node *h = &net->host[host];
    if (weft_node_is_elsewhere(net, host))
    {
        return 0;
    }
    uint64_t n = weft_packets_n(&h->replies) + (uint64_t)weft_packets_n(&h->others);
    for (uint32_t i = 0; h->ports && i < h->node.nports; i++)
    {
        n += weft_packets_n(&h->ports->queue[i].replies) +
             (uint64_t)weft_packets_n(&h->ports->queue[i].others);
    }
    return n;
}

int64_t
weft_net_send_at(const struct weft_net *net, const struct weft_qp *qp)
{
    return weft_host_send_at(net->qp[qp->index]->nic, qp);
}

void
weft_net_port_status(const struct weft_net *net, uint32_t node, uint32_t port,
                     struct weft_net_port *is)
{
    const struct weft_node_seen *seen = weft_net_seen(net, node);
    if (seen)
    {
        *is = seen->port[port];
        return;
    }
    const struct weft_port *p = &net->node[node]->port[port];
    static const struct weft_net_span never = {0, WEFT_NEVER};
    const struct weft_port_faults *faults = p->faults;
    *is = (struct weft_net_port){.rate = p->rate,
                                 .delay = p->delay,
                                 .free_at = p->free_at,
                                 .frames = p->frames,
                                 .bytes = p->sent_bytes,
                                 .paused = p->paused,
                                 .busy = weft_port_busy(p),
                                 .peak_queue = p->peak_queue,
                                 .marks = p->marks,
                                 .dropped = p->dropped,
                                 .paused_for = p->paused_for,
                                 .down_for = faults ? faults->down_for : never,
                                 .lossy_for = faults ? faults->lossy_for : never,
                                 .down = faults && faults->down,
                                 .lost_down = faults ? faults->lost[WEFT_NET_DROP_LINK] : 0,
                                 .lost_lossy = faults ? faults->lost[WEFT_NET_DROP_LOSSY] : 0,
                                 .corrupted = faults ? faults->lost[WEFT_NET_CORRUPTED] : 0};
}

void
weft_net_set_hooks(struct weft_net *net, const struct weft_net_hooks *hooks)
{
    net->config.hooks = *hooks;
    weft_net_note_routes(net);
}

void
weft_net_watch_routes(struct weft_net *net,
                      void (*call)(void *of, uint32_t index, const struct weft_packet *packet,
                                   uint32_t out, uint32_t n, int64_t now),
                      void *of)
{
    net->routed = call;
    net->routed_of = of;
    weft_net_note_routes(net);
}

void
weft_net_set_share(struct weft_net *net, uint32_t level, double share)
{
    net->level[level].share = share;
}

void
weft_net_measure(struct weft_net_sizes *sizes)
{
    const size_t row = sizeof(struct weft_node *) + sizeof(int64_t) + sizeof(uint64_t);
    *sizes = (struct weft_net_sizes){
        .host = sizeof(struct weft_host_node) + row,
        .host_port = sizeof(struct weft_port) + sizeof(struct weft_port_queues),
        .sw = sizeof(struct weft_switch_node) + row,
        .port = sizeof(struct weft_port) + sizeof(uint32_t),
        .lane = sizeof(struct weft_lane),
        .busy_lane = sizeof(struct weft_chunk),
        .qp = sizeof(struct weft_net_qp) + sizeof(struct weft_net_qp *),
        .frame = sizeof(struct weft_frame),
    };
}

/* SPDX-License-Identifier: MIT */
/*
 * Departures from a switch. A port has no event of its own: what it sent by now is looked at when
 * somebody wants to know. Where the order among ports matters, departures are done one by one in
 * the order of time: while a neighbour is paused, as each buffer that is given back may let it go
 * on, and at ports to hosts for which ToR middleware owes a NACK, which it sends by another port.
 */
#include "node/stamps.h"

static uint32_t
ask_scheduler(const struct weft_net *net, const struct weft_port *port, uint32_t classes)
{
    uint32_t last = 0;
    uint32_t bytes[WEFT_MAX_CLASSES] = {0};
    for (uint32_t left = classes; left != 0; left &= left - 1)
    {
        const uint32_t c = weft_ctz64(left);
        struct weft_lane *lane = &port->lane[c];
        last |= (uint32_t)(lane->waiting == 1) << c;
        bytes[c] = weft_lane_first(lane)->d.bytes;
    }
    return net->config.scheduler->pick(port->scheduler, classes, last, bytes);
}

static inline uint32_t
pick_class(const struct weft_net *net, const struct weft_port *port, uint32_t classes)
{
    return (classes & 1U) || !port->scheduler ? weft_ctz64(classes)
                                              : ask_scheduler(net, port, classes);
}

static __attribute__((noinline)) void
look_at_queue(const struct weft_net *net, struct weft_switch_node *sw, const struct weft_port *port,
              struct weft_packet *p, int64_t at)
{
    if (net->marks_at_dequeue)
    {
        weft_switch_mark(net, sw, p, port->index, &sw->leaving[port->index], at);
    }
    if (net->stamps)
    {
        weft_switch_stamp(net, sw, port, p, at);
    }
}

void
weft_switch_inspect(const struct weft_net *net, struct weft_switch_node *sw, struct weft_port *port,
                    struct weft_packet *p, int64_t at)
{
    const uint32_t out = port->index;
    if (net->looks_at_dequeue && p->kind == WEFT_DATA)
    {
        look_at_queue(net, sw, port, p, at);
    }
    if (net->config.hooks.leaves)
    {
        net->config.hooks.leaves(net->config.hooks.of, sw->index, p, out, at);
    }
    if (p->kind != WEFT_DATA)
    {
        return;
    }
    if (net->lb->leave && sw->map.tier != WEFT_TIER_SERVER)
    {
        net->lb->leave(sw->lb, p, out, at);
    }
    if (port->faces_host && sw->tor_plane != 0)
    {
        weft_switch_run_tor(net, sw, p, out);
    }
}

/* Inlined: nearly every hop comes here. */
static inline __attribute__((always_inline)) void
start(const struct weft_net *net, struct weft_switch_node *sw, struct weft_port *port, bool waited,
      bool lean)
{
    const int64_t at = waited ? port->free_at : sw->node.now;
    const uint32_t ready = weft_port_ready(port);
    const uint32_t c = lean ? weft_ctz64(ready) : pick_class(net, port, ready);
    struct weft_lane *lane = &port->lane[c];
    struct weft_frame *frame = weft_lane_leave(lane);
    if (lane->waiting == 0)
    {
        port->waits &= ~(1U << c);
        if (port->waits == 0)
        {
            sw->waiting[port->index / 64U] &= ~(UINT64_C(1) << (port->index & 63U));
        }
    }
    if (port->end != WEFT_NEVER)
    {
        weft_switch_give_back(sw, port);
    }
    sw->node.last = at > sw->node.last ? at : sw->node.last;
    weft_switch_send(net, sw, port, frame, at, waited, lean);
    if (!lean && port->noted)
    {
        weft_switch_note_port(sw, port);
    }
}

void
weft_switch_start(const struct weft_net *net, struct weft_switch_node *sw, struct weft_port *port,
                  bool waited)
{
    start(net, sw, port, waited, false);
}

void
weft_switch_send_due(const struct weft_net *net, struct weft_switch_node *sw,
                     struct weft_port *port)
{
    const int64_t upto = port->index < sw->limit ? sw->node.now : sw->node.now - 1;
    while (port->free_at <= upto && weft_port_ready(port) != 0)
    {
        start(net, sw, port, true, false);
    }
}

static inline __attribute__((always_inline)) void
send_due_lean(const struct weft_net *net, struct weft_switch_node *sw, struct weft_port *port)
{
    while (port->free_at <= sw->node.now && weft_port_ready(port) != 0)
    {
        start(net, sw, port, true, true);
    }
}

void
weft_switch_send_due_lean(const struct weft_net *net, struct weft_switch_node *sw,
                          struct weft_port *port)
{
    send_due_lean(net, sw, port);
}

void
weft_switch_settle_all_lean(const struct weft_net *net, struct weft_switch_node *sw)
{
    const struct weft_port *end = sw->node.port + sw->node.nports;
    for (struct weft_port *port = sw->node.port; port < end; port++)
    {
        if (port->waits != 0 && port->free_at <= sw->node.now)
        {
            send_due_lean(net, sw, port);
        }
        if (port->end <= sw->node.now)
        {
            weft_switch_give_back(sw, port);
        }
    }
}

void
weft_switch_send_waiting(const struct weft_net *net, struct weft_switch_node *sw)
{
    if (sw->sent_at == sw->node.now)
    {
        return;
    }
    sw->sent_at = sw->limit == WEFT_ALL_STARTS ? sw->node.now : -1;
    for (uint32_t word = 0; word < net->words; word++)
    {
        for (uint64_t bits = sw->waiting[word]; bits != 0; bits &= bits - 1)
        {
            struct weft_port *port = &sw->node.port[word * 64 + weft_ctz64(bits)];
            if (port->free_at <= sw->node.now)
            {
                weft_switch_send_due(net, sw, port);
            }
        }
    }
}

void
weft_switch_settle_all(const struct weft_net *net, struct weft_switch_node *sw)
{
    const struct weft_port *end = sw->node.port + sw->node.nports;
    for (struct weft_port *port = sw->node.port; port < end; port++)
    {
        weft_switch_settle(net, sw, port);
    }
}

/* The time of a port in a tournament. */
static void
enter(int64_t *t, uint32_t i, int64_t at)
{
    int64_t least = at;
    t[i] = at;
    while (i > 1)
    {
        least = t[i ^ 1U] < least ? t[i ^ 1U] : least;
        i /= 2;
        if (t[i] == least)
        {
            return;
        }
        t[i] = least;
    }
}

/* The lowest port that has the earliest time of a tournament. */
static struct weft_port *
first_in(const struct weft_switch_node *sw, const int64_t *t)
{
    uint32_t i = 1;
    while (i < sw->leaves)
    {
        i = 2 * i + (t[2 * i] > t[1]);
    }
    return &sw->node.port[i - sw->leaves];
}

void
weft_switch_note_port(struct weft_switch_node *sw, const struct weft_port *port)
{
    const bool starts = port->noted && weft_port_ready(port) != 0;
    enter(sw->starts, sw->leaves + port->index, starts ? port->free_at : WEFT_NEVER);
    sw->departs_at = sw->starts[1];
    if (sw->ordered > 0)
    {
        enter(sw->ends, sw->leaves + port->index, port->end);
        sw->departs_at = sw->starts[1] < sw->ends[1] ? sw->starts[1] : sw->ends[1];
    }
}

void
weft_switch_make_tournaments(struct weft_switch_node *sw)
{
    sw->leaves = 2;
    while (sw->leaves < sw->node.nports)
    {
        sw->leaves *= 2;
    }
    sw->starts = weft_take(&sw->node.worker->memory, 4 * (size_t)sw->leaves * sizeof *sw->starts);
    sw->ends = sw->starts + 2 * (size_t)sw->leaves;
    for (uint32_t i = 0; i < 4 * sw->leaves; i++)
    {
        sw->starts[i] = WEFT_NEVER;
    }
}

void
weft_switch_order(struct weft_switch_node *sw, bool more)
{
    sw->ordered += more ? 1 : -1U;
    if (sw->ordered != (more ? 1 : 0))
    {
        return;
    }
    if (!sw->starts)
    {
        weft_switch_make_tournaments(sw);
    }
    for (uint32_t i = 0; i < 2 * sw->leaves; i++)
    {
        sw->ends[i] = WEFT_NEVER;
    }
    for (uint32_t i = 0; i < sw->node.nports; i++)
    {
        struct weft_port *port = &sw->node.port[i];
        port->noted = more || port->owing > 0;
        weft_switch_note_port(sw, port);
    }
}

/* The buffer of the last frame of a port is given back, and a neighbour may go on. */
static void
end_frame(const struct weft_net *net, struct weft_switch_node *sw, struct weft_port *port)
{
    const uint32_t in = port->ingress >> sw->mmu->class_shift;
    const uint32_t tclass = port->ingress - weft_mmu_index(sw->mmu, in, 0);
    port->end = WEFT_NEVER;
    weft_switch_note_port(sw, port);
    if (weft_mmu_release_at(sw->mmu, port->ingress, port->index, port->bytes))
    {
        sw->paused_ingress--;
        weft_switch_order(sw, false);
        weft_switch_tell_pause(net, sw, in, tclass, false);
        weft_port_pause(sw->node.worker, &sw->node.port[in], tclass, false, sw->node.now);
    }
}

/* At an instant ends come before starts, and lower ports before higher ones. */
void
weft_switch_send_in_order(const struct weft_net *net, struct weft_switch_node *sw, int64_t until)
{
    while (sw->departs_at <= until)
    {
        const int64_t at = sw->departs_at;
        sw->node.now = at > sw->node.now ? at : sw->node.now;
        if (sw->ends[1] <= at)
        {
            sw->limit = 0;
            sw->node.last = sw->node.now;
            end_frame(net, sw, first_in(sw, sw->ends));
        }
        else
        {
            struct weft_port *port = first_in(sw, sw->starts);
            sw->limit = port->index;
            start(net, sw, port, true, false);
        }
    }
    sw->limit = WEFT_ALL_STARTS;
}

void
weft_switch_read_port(void *of, uint32_t i, int64_t now, struct weft_port_status *status)
{
    struct weft_switch_node *sw = of;
    struct weft_port *port = &sw->node.port[i];
    (void)now; /* the switch's own */
    weft_switch_settle(sw->node.worker->net, sw, port);
    *status = (struct weft_port_status){.rate = port->rate,
                                        .sent = port->sent_bytes,
                                        .queue_bytes = weft_mmu_queues(sw->mmu)[i],
                                        .paused = port->paused};
}

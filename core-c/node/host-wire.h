/* SPDX-License-Identifier: MIT */
/** @file host-wire.h Steps of a data packet from a host's QP to the wire, whether the host has one
 * port or several. Private. */
#ifndef WEFT_HOST_WIRE_H
#define WEFT_HOST_WIRE_H

#include "node/host-node.h"
#include "node/shared.h"

/** Begins at a whole ps: a frame that is sent now has not waited for the wire. */
static inline void
weft_port_start_anew(struct weft_port *port)
{
    if (port->ps_per_byte == 0)
    {
        port->carry = 0;
    }
}

/** Has the NIC of a host with several ports make its next packet, or that to its server's network;
 * the packet is in ports->made then. False: there is none. */
bool weft_host_draw(const struct weft_net *net, struct weft_host_node *h, bool inside);

/** Marks what is to be lost by name. */
void weft_host_mark_drop(struct weft_net_qp *q, struct weft_packet *data);

/** Makes the packet that the NIC has chosen. Returns its QP. */
static inline struct weft_net_qp *
weft_host_make(const struct weft_net *net, struct weft_host_node *h, struct weft_packet *data)
{
    struct weft_net_qp *q = (struct weft_net_qp *)(void *)h->nic.chosen;
    weft_host_data(&h->nic, data, h->node.now);
    if (net->has_drops && q->drops)
    {
        weft_host_mark_drop(q, data);
    }
    return q;
}

/** Sets the timer of a QP that has made a packet, unless it is set. */
static inline void
weft_host_time(struct weft_host_node *h, struct weft_net_qp *q, const struct weft_packet *data)
{
    if (!q->qp.timed && (!q->hastens || q->tx_armed_at == WEFT_NEVER ||
                         (data->flags & (WEFT_F_LAST | WEFT_F_RETX))))
    {
        weft_host_arm_timer(h, q);
    }
}

/** Puts a frame on the wire of a port that is free. */
static inline __attribute__((always_inline)) void
weft_host_transmit(const struct weft_net *net, struct weft_host_node *h, struct weft_port *port,
                   const struct weft_packet *p)
{
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

#endif

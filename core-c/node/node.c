/* SPDX-License-Identifier: MIT */
/* Common acts of hosts and switches: they pause a neighbour, and lose frames. */
#include "node/mail.h"
#include "node/shared.h"

void
weft_port_pause(struct weft_worker *worker, struct weft_port *port, uint32_t tclass, bool pause,
                int64_t now)
{
    const struct weft_pfc pfc = weft_port_make_pfc(port, tclass, pause, now);
    if (port->remote)
    {
        worker->far->pause(worker, port, &pfc);
    }
    else
    {
        weft_pfc_lane_put(&port->pfc, &pfc, &worker->memory);
        weft_port_announce(worker, port, pfc.at);
    }
}

void
weft_node_lose(const struct weft_net *net, struct weft_node *node, const struct weft_packet *p,
               enum weft_net_loss why)
{
    node->counters.lost[why == WEFT_NET_NO_ROUTE ? WEFT_NET_DROP_LINK : why]++;
    node->counters.lost_bytes += p->bytes;
    if (net->config.hooks.lost)
    {
        net->config.hooks.lost(net->config.hooks.of, node->number, p, why, node->now);
    }
    if ((p->kind == WEFT_DATA || p->kind == WEFT_ACK) &&
        net->qp[p->qp]->qp.algos->transport->tx_lost)
    {
        weft_mail_loss(node->worker, p, node->now);
    }
}

bool
weft_node_loses(const struct weft_net *net, struct weft_node *node, const struct weft_packet *p)
{
    const struct weft_port *port = &node->port[p->in_port];
    const enum weft_net_loss why =
        port->faults ? weft_port_loses(port, p->bytes, node->now) : WEFT_NET_LOSSES;
    if (why != WEFT_NET_LOSSES)
    {
        weft_node_lose(net, node, p, why);
    }
    return why != WEFT_NET_LOSSES;
}

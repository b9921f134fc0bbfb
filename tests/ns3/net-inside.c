/* SPDX-License-Identifier: GPL-2.0-only */
#include "net-inside.h"

#include "node/host-node.h"
#include "node/switch-node.h"

void
net_pause(struct weft_net* net, uint32_t node, uint32_t port, uint32_t tclass, bool pause)
{
    const struct weft_port* at = &net->node[node]->port[port];
    char* pfc = (char*)at->pfc_from;
    struct weft_port* peer = (struct weft_port*)(void*)(pfc - offsetof(struct weft_port, pfc));
    weft_port_pause(&net->first, peer, tclass, pause, net->now);
    peer->pfc.ring[(peer->pfc.sent - 1) & (peer->pfc.size - 1)].at = net->now;
    weft_port_announce(&net->first, peer, net->now);
}

void
net_put(struct weft_net* net, const struct weft_packet* packet)
{
    struct weft_switch_node* sw = &net->sw[0];
    struct weft_packet p = *packet;
    net->host[0].node.counters.sent++;
    net->host[0].node.counters.sent_bytes += p.bytes;
    sw->node.now = net->now;
    weft_switch_forward(net, sw, &p);
    weft_net_wake(net, sw->node.number, net->now);
}

bool
net_has_paused(const struct weft_net* net, uint32_t index)
{
    return net->sw[index].paused_ingress > 0;
}

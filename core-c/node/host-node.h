/* SPDX-License-Identifier: MIT */
/** @file host-node.h  A host that runs. Private. */
#ifndef WEFT_HOST_NODE_H
#define WEFT_HOST_NODE_H

#include "node/agenda.h"
#include "node/packets-ring.h"
#include "node/worker.h"

/** A host. */
struct weft_host_node
{
    struct weft_node node;
    struct weft_port port;         /**< its only one; several are in node.port */
    struct weft_host_ports *ports; /**< NULL: it has one port */
    bool watches_links;            /**< a link has or had faults */
    struct weft_host nic;
    struct weft_host *inside; /**< QPs that its server's own network carries; NULL: there is none */
    int64_t wake_at;          /**< when the wire is to be looked at, or WEFT_NEVER */
    uint32_t nqps;
    struct weft_packets_ring replies;
    struct weft_packets_ring others; /**< packets of IP stacks */
    struct weft_agenda timers;
    struct weft_agenda mail;
};

struct weft_host_ports;

/** Posts a message on a QP of this host, which is being run. */
void weft_host_post(const struct weft_net *net, struct weft_host_node *host, struct weft_net_qp *qp,
                    uint64_t bytes, uint64_t tag);
/** Sends what may be sent: something may have become ready. */
void weft_host_kick(const struct weft_net *net, struct weft_host_node *host);
/** Looks at the wire again: it is free, or a pacing gap is over. */
void weft_host_wake(const struct weft_net *net, struct weft_host_node *host);
/** Sends a reply, or lets it come by itself if replies are ideal. */
void weft_host_reply(const struct weft_net *net, struct weft_host_node *host,
                     const struct weft_packet *p);
/** Sends a packet of the program's own. */
void weft_host_send(const struct weft_net *net, struct weft_host_node *host,
                    const struct weft_packet *p);
/** Puts a QP's retransmission timer on the agenda, if it has a deadline. */
void weft_host_arm_timer(struct weft_host_node *host, struct weft_net_qp *q);
/** Runs a host up to, and without, @p until. */
void weft_host_run(struct weft_worker *worker, struct weft_host_node *host, int64_t until);

#endif

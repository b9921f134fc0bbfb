/* SPDX-License-Identifier: MIT */
/**
 * @file host-ports.h  A host with several ports, one in each plane. Private.
 *
 * Its QPs take turns at one NIC, as at a host with one port, and those that its server's own
 * network carries at a NIC of theirs. A packet gets its port when it is made (enum weft_host_port),
 * and waits there if the wire is not free. Packets are made while a port has nothing to send. QPs
 * that choose a port for each packet share the fabric's `port-window`: one of which its part waits,
 * and at least one packet, makes no more until one has left; others make one ahead, or as many as
 * these where some of theirs wait. So no wire is idle while a QP has a packet for it, and the NIC
 * does not fill with packets for a port that is slow or paused.
 */
#ifndef WEFT_HOST_PORTS_H
#define WEFT_HOST_PORTS_H

#include "node/host-node.h"

/** Queues of one of several ports. */
struct weft_port_queues
{
    struct weft_packets_ring replies;
    struct weft_packets_ring others; /**< packets of IP stacks */
    struct weft_packets_ring data;
    uint32_t turn; /**< enum weft_host_source whose turn it is */
};

#define WEFT_LEADING_KNOWN 32U

/** Ports that lead to a host. */
struct weft_leading
{
    uint64_t ports; /**< bits; 0: not known */
    uint32_t dst;
};

/** The ports of a host that has several, beside their struct weft_port. */
struct weft_host_ports
{
    struct weft_port_queues *queue; /**< [port] */
    struct weft_packet made;        /**< by weft_host_draw() */
    bool has_made;
    uint64_t inside;  /**< bits of those to its server's own network */
    uint32_t sprayed; /**< packets that wait, of QPs that choose a port for each packet */
    uint32_t held;    /**< QPs that make no packets while some of theirs wait */
    bool moves;       /**< a port has died or come back, or forwarding has changed */
    uint64_t dead;    /**< bits of ports, as of when it last moved */
    uint32_t first;   /**< the port that is served first */
    uint64_t waiting; /**< bits of ports: something waits there, or has gone of late */
    int64_t goes_at;  /**< when the next of those is free, or earlier */
    /** When the next port to the fabric is free, and to the server. */
    int64_t free_at[2];
    struct weft_leading known[WEFT_LEADING_KNOWN]; /**< [dst % this] */
    uint32_t empty; /**< bits of these: QPs have just made all that they may */
};

/** Keeps what a NIC has made; NULL: nothing. */
static inline void
weft_ports_take(struct weft_host_ports *ports, const struct weft_packet *made)
{
    ports->has_made = made != NULL;
    if (made)
    {
        ports->made = *made;
    }
}

/** Returns the port of a QP's packets that have its own source port while all ports are alive. */
uint32_t weft_host_home_port(const struct weft_net_config *c, uint32_t src, uint32_t dst,
                             uint16_t sport);
/** Has a reply wait at a port, by which its data came if that leads back. */
void weft_ports_reply(const struct weft_net *net, struct weft_host_node *host,
                      const struct weft_packet *reply);
/** Has a packet of an IP stack wait at a port. */
void weft_ports_send(const struct weft_net *net, struct weft_host_node *host,
                     const struct weft_packet *p);
/** Sends what may be sent by any port, and plans when to look again. */
void weft_host_serve_ports(const struct weft_net *net, struct weft_host_node *host);

#endif

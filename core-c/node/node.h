/* SPDX-License-Identifier: MIT */
/** @file node.h Common part of hosts and switches, and the QPs that cross them. Private. */
#ifndef WEFT_NODE_H
#define WEFT_NODE_H

#include "link/port.h"

#include <weft/host.h>
#include <weft/net.h>

struct weft_worker;

/** The part of a host or a switch that both have. */
struct weft_node
{
    uint32_t number; /**< hosts first, then switches */
    uint32_t nports;
    struct weft_port *port;
    struct weft_worker *worker; /**< runs it */
    bool watched;               /**< weft_net_run() leaves it out */
    int64_t now;                /**< the instant at which it is */
    int64_t next;               /**< when it is to be run again, as far as was seen so far */
    int64_t last;               /**< when the last thing happened here */
    uint64_t tie_salt;          /**< of the order of frames that arrive at one instant */
    uint64_t nletters;          /**< letters that were sent while it ran */
    struct weft_net_counters counters;
};

/** A drop that was asked for by name. */
struct weft_named_drop
{
    struct weft_named_drop *next;
    uint32_t offset; /**< of the packet's PSN from the first one */
    uint32_t at_top;
    uint32_t at_last_hop;
};

/** A QP with what the fabric keeps of it. */
struct weft_net_qp
{
    struct weft_qp qp;
    void *tor; /**< middleware's state at the ToR of dst, or NULL */
    const struct weft_tor_ops *tor_ops;
    uint64_t tor_plane; /**< bit of the plane whose ToR has `tor`; 0: none has */
    void *flow;         /**< what the balancer keeps of it at ToRs, [plane], or NULL */
    bool owes;          /**< counted in its last-hop port's `owing` */
    bool hastens;       /**< its sender's deadline may come nearer: `timed` stays false */
    struct weft_wqe *wqes;
    uint32_t room; /**< for messages */
    uint64_t most; /**< packets that may be posted */
    struct weft_named_drop *drops;
    struct weft_net_qp_bytes bytes;
    struct weft_tx_counters *gathered; /**< of a sender that another rank runs, or NULL */
    int64_t tx_armed_at;               /**< earliest entry of its sender's timer in the agenda */
    int64_t rx_armed_at;               /**< earliest entry of its receiver's timer in the agenda */
    int64_t round_trip;                /**< ps of a full frame and its ACK through an idle fabric */
    int64_t way_back;                  /**< ps of the ACK alone */
    uint32_t plane;                    /**< that of its own source port, where ToRs work on it */
    uint32_t last_port;                /**< of its packets, where its host's ports take turns */
    struct weft_host *nic;             /**< of its host, to the fabric or to the host's server */
    bool sprays;                       /**< its packets have several ports to choose from */
    uint32_t at_ports;                 /**< its packets that wait there, where there are several */
    size_t flow_each;                  /**< bytes of `flow` for a plane */
    struct weft_stamps *stamps;        /**< of its packets that are not answered; NULL: none yet */
};

#endif

/* SPDX-License-Identifier: MIT */
/** @file switch-node.h Common functions of the parts of a switch that runs. Private. */
#ifndef WEFT_SWITCH_NODE_H
#define WEFT_SWITCH_NODE_H

#include "node/arrivals.h"

#include "lb/ecmp.h"

#include <assert.h>

#define WEFT_ALL_STARTS UINT32_MAX /* no frame that starts at this instant is yet to do so */

/** Frames of a queue that a ToR's balancer holds back. */
struct weft_held
{
    uint32_t queue;
    struct weft_letter *head;
    struct weft_letter *tail;
};

/** A NACK that a ToR owes a sender. */
struct weft_owed
{
    struct weft_net_qp *qp;
    uint32_t epsn;
};

/** A switch. */
struct weft_switch_node
{
    struct weft_node node;
    struct weft_switch_map map;
    struct weft_mmu *mmu;
    void *lb;                /**< balancer's state */
    struct weft_ecmp ecmp;   /**< hashes replies where the balancer is not asked for them */
    uint32_t index;          /**< among the switches of all planes */
    uint32_t plane;          /**< its plane */
    uint32_t local;          /**< among the switches of its plane */
    uint32_t limit;          /**< ports from here on have not begun what starts at `now` */
    uint32_t paused_ingress; /**< (port, class) pairs whose neighbours are paused */
    uint32_t ordered;        /**< reasons for departures in the order of time: these, a watcher */
    uint64_t tor_plane;      /**< bit of its plane if middleware works here now; else 0 */
    bool has_tor;            /**< middleware works here */
    bool is_tor;             /**< the balancer's parts for ToRs work here */
    bool watches_links;      /**< a link has or had faults */
    bool is_plain;           /**< none of these three */
    int64_t fires_at;        /**< the balancer's timer */
    int64_t own_at;          /**< fires_at or owed_at */
    int64_t sent_at;         /**< when weft_switch_send_waiting() was called last */
    /** Where departures have an order, tournaments of when ports send next, all or those that are
     * owing, and of when frames have left: [1] is the earliest of all, [i] that of [2 i] and
     * [2 i + 1], and leaves + port each one's own. */
    int64_t *starts;
    int64_t *ends;
    uint32_t leaves;          /**< a power of two */
    int64_t departs_at;       /**< starts[1] or ends[1] */
    struct weft_rng rng;      /**< of what happens when frames arrive */
    struct weft_rng *leaving; /**< [port], of what happens when they leave */
    struct weft_tor_counters tor;
    struct weft_port_reader reader;
    struct weft_held *held;
    uint32_t nheld;
    uint32_t held_size;
    struct weft_owed *owed; /**< NACKs that are to leave at owed_at */
    uint32_t nowed;
    uint32_t owed_size;
    int64_t owed_at;
    uint64_t *waiting; /**< a bit per port: something waits there */
};

/** Lets a port send what starts to leave by now. */
void weft_switch_send_due(const struct weft_net *net, struct weft_switch_node *sw,
                          struct weft_port *port);
/** Does the same where the fabric is lean, and so is the switch. */
void weft_switch_send_due_lean(const struct weft_net *net, struct weft_switch_node *sw,
                               struct weft_port *port);

/** Sends what waits at all ports. */
void weft_switch_send_waiting(const struct weft_net *net, struct weft_switch_node *sw);

/** Classes of a port of which a frame may leave. */
static inline uint32_t
weft_port_ready(const struct weft_port *port)
{
    return port->waits & ~port->paused;
}

/** Notes that a port's next departure has changed, or whether departures of the port are noted. */
void weft_switch_note_port(struct weft_switch_node *sw, const struct weft_port *port);
/** There is one more reason, or one less, for departures in the order of time. All that has left by
 * now is accounted. */
void weft_switch_order(struct weft_switch_node *sw, bool more);
void weft_switch_make_tournaments(struct weft_switch_node *sw);

/** The buffer of the frame that a port has sent is given back; no neighbour is paused. */
static inline void
weft_switch_give_back(struct weft_switch_node *sw, struct weft_port *port)
{
    const bool resumes = weft_mmu_release_at(sw->mmu, port->ingress, port->index, port->bytes);
    assert(!resumes && "departures are in order while a neighbour is paused");
    (void)resumes;
    port->end = WEFT_NEVER;
}

/** Does what leaves a port by now, and gives back its buffer. */
static inline void
weft_switch_settle(const struct weft_net *net, struct weft_switch_node *sw, struct weft_port *port)
{
    if (port->waits != 0 && port->free_at <= sw->node.now)
    {
        weft_switch_send_due(net, sw, port);
    }
    if (port->end <= sw->node.now)
    {
        weft_switch_give_back(sw, port);
    }
}
/** Settles all ports of a lean switch. */
void weft_switch_settle_all_lean(const struct weft_net *net, struct weft_switch_node *sw);
/** Settles all ports. */
void weft_switch_settle_all(const struct weft_net *net, struct weft_switch_node *sw);
/** Does what leaves in the order of time up to and with @p until, where that order matters. */
void weft_switch_send_in_order(const struct weft_net *net, struct weft_switch_node *sw,
                               int64_t until);
static inline void
weft_switch_drain(const struct weft_net *net, struct weft_switch_node *sw, int64_t until)
{
    if (sw->departs_at <= until)
    {
        weft_switch_send_in_order(net, sw, until);
    }
}
/** A frame that was held back joins a port's queue. */
void weft_switch_join(const struct weft_net *net, struct weft_switch_node *sw, uint32_t port,
                      const struct weft_packet *p);
/** Lets a port that is free send one of what may go. @p waited: since it became free. */
void weft_switch_start(const struct weft_net *net, struct weft_switch_node *sw,
                       struct weft_port *port, bool waited);
/** Looks at data that starts to leave, and tells the program of any frame. */
void weft_switch_inspect(const struct weft_net *net, struct weft_switch_node *sw,
                         struct weft_port *port, struct weft_packet *p, int64_t at);
/** A frame is on the wire of a port from @p at on. */
static inline __attribute__((always_inline)) void
weft_switch_send(const struct weft_net *net, struct weft_switch_node *sw, struct weft_port *port,
                 struct weft_frame *frame, int64_t at, bool waited, bool lean)
{
    _Static_assert(WEFT_MAX_PORTS * WEFT_MAX_CLASSES <= UINT16_MAX + 1,
                   "a port and class have a number of 16 bits");
    struct weft_packet *p = &frame->d;
    const int64_t serialization = weft_port_occupy(port, p->bytes, at, waited);
    port->end = at + serialization;
    port->bytes = p->bytes;
    port->ingress = (uint16_t)(lean ? p->in_port * 2U + p->tclass
                                    : weft_mmu_index(sw->mmu, p->in_port, p->tclass));
    frame->at = port->end + port->delay;
    weft_port_announce(sw->node.worker, port, frame->at);
    if (!lean && net->inspects[port->faces_host] &&
        (p->kind == WEFT_DATA || net->config.hooks.leaves))
    {
        weft_switch_inspect(net, sw, port, p, at);
    }
}
/** Gets a frame that is to be held back room in the buffer, or it ends. */
bool weft_switch_buffer(const struct weft_net *net, struct weft_switch_node *sw,
                        struct weft_packet *p, uint32_t out);
/** Asks the buffer for a frame's room once all that has left is accounted. @p held: it is not to be
 * queued yet. */
bool weft_switch_admits_exactly(const struct weft_net *net, struct weft_switch_node *sw,
                                struct weft_packet *p, uint32_t out, bool held);
/** Marks data by chance, as the queue at a port is long that it joins or leaves. */
void weft_switch_mark(const struct weft_net *net, struct weft_switch_node *sw,
                      struct weft_packet *p, uint32_t out, struct weft_rng *rng, int64_t now);
/** Tells the program of a PFC frame. */
static inline void
weft_switch_tell_pause(const struct weft_net *net, const struct weft_switch_node *sw, uint32_t port,
                       uint32_t tclass, bool pause)
{
    if (net->config.hooks.paused)
    {
        net->config.hooks.paused(net->config.hooks.of, sw->index, port, tclass, pause,
                                 sw->node.now);
    }
}
/** Tells the program of a frame that joins a queue. */
static inline void
weft_switch_tell_queued(const struct weft_net *net, const struct weft_switch_node *sw,
                        const struct weft_packet *p, uint32_t port)
{
    if (net->config.hooks.queued)
    {
        net->config.hooks.queued(net->config.hooks.of, sw->index, p, port, sw->node.now);
    }
}
/** Routes, balances, buffers and queues. */
void weft_switch_forward(const struct weft_net *net, struct weft_switch_node *sw,
                         struct weft_packet *p);
/** Returns what the balancer keeps of a QP at the ToRs of the switch's plane, or NULL. */
static inline void *
weft_switch_flow(const struct weft_switch_node *sw, const struct weft_net_qp *q)
{
    return sw->plane == 0 || !q->flow ? q->flow : (char *)q->flow + sw->plane * q->flow_each;
}
/** Has states of middleware loaded for what comes. */
void weft_switch_load_tor(const struct weft_worker *worker, const struct weft_switch_node *sw);
/** Middleware's state of a QP is new. */
void weft_switch_note_owes(const struct weft_net *net, struct weft_net_qp *qp);
/** ToR middleware looks at a reply from a NIC: whether it goes on. */
bool weft_switch_passes_tor(const struct weft_net *net, struct weft_switch_node *sw,
                            struct weft_packet *p);
/** ToR middleware looks at data that starts to leave for a NIC. */
void weft_switch_run_tor(const struct weft_net *net, struct weft_switch_node *sw,
                         const struct weft_packet *p, uint32_t out);
/** Turns middleware off for a QP: what it is owed leaves at this instant. */
void weft_switch_release_tor(const struct weft_net *net, struct weft_switch_node *sw,
                             struct weft_net_qp *qp);
/** Sends what is owed now. */
void weft_switch_pay(const struct weft_net *net, struct weft_switch_node *sw);
/** The balancer's part for all that enters a ToR: whether the frame goes on. */
bool weft_switch_arrive_at_balancer(const struct weft_net *net, struct weft_switch_node *sw,
                                    struct weft_packet *p);
/** The balancer's timer. */
void weft_switch_run_balancer(const struct weft_net *net, struct weft_switch_node *sw);
/** Reads a port for a balancer. */
void weft_switch_read_port(void *of, uint32_t port, int64_t now, struct weft_port_status *status);

/** Runs a switch up to, and without, @p until. */
void weft_switch_run(struct weft_worker *worker, struct weft_switch_node *sw, int64_t until);

#endif

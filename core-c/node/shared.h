/* SPDX-License-Identifier: MIT */
/** @file shared.h Common data of all workers of a fabric: constant while a window runs, but for
 * rows [node], of which each entry belongs to the worker of that node. Private. */
#ifndef WEFT_SHARED_H
#define WEFT_SHARED_H

#include "base/bitmap.h"
#include "node/worker.h"

#include <assert.h>

#define WEFT_ELSEWHERE                                                                             \
    128U /* run_by of nodes of other ranks, plus the rank: behind all workers                      \
          */

/** Nodes of a block: only where one of them is due are all of them looked at. */
#define WEFT_BLOCK 8U

/** End of a message, or how its sender sees it. */
enum weft_message_end
{
    WEFT_MESSAGE_DELIVERED, /**< in order at its receiver */
    WEFT_MESSAGE_ACKED,     /**< known to its sender */
    WEFT_MESSAGE_FAILED,    /**< given up by its sender */
};

struct weft_net
{
    struct weft_net_config config;
    struct weft_net_level level[WEFT_LEVELS];
    struct weft_nic_algos algos[WEFT_LEVELS]; /**< of senders, and of receivers of worker 0 */
    struct weft_levels levels;
    struct weft_lb_ops joined;
    const struct weft_lb_ops *lb; /**< what switches do */
    const void *lb_config;
    uint32_t nhosts;
    uint32_t nswitches;
    uint32_t classes;
    uint32_t words; /**< of a node's bits for its ports */
    /* Nodes that another rank runs are not made: memory that is theirs here is never touched. */
    struct weft_host_node *host;
    struct weft_switch_node *sw;
    struct weft_node **node;
    uint8_t *run_by;  /**< [node]: the worker that runs it, or WEFT_ELSEWHERE + a rank */
    int64_t *due;     /**< [node]: when it is to be run next */
    int64_t *soon;    /**< [block]: no node of it that is not watched is due before. Each in a cache
                         line of its own: workers have blocks */
    int64_t *slack;   /**< [switch]: time beyond a window until another node notices what it does */
    bool has_slack;   /**< a switch has */
    bool lags;        /**< in this window switches may leave things undone as long as they have */
    uint64_t *coming; /**< [node * words]: ports to which something is under way */
    struct weft_net_qp **qp;
    uint32_t nqps;
    uint32_t qp_room;
    const struct weft_fib **fib; /**< [plane]: NULL where forwarding is structured; that of servers'
                                    networks, behind all planes, stays so */
    bool has_fib;                /**< a plane has one */
    struct weft_fib *whole;      /**< a graph's forwarding while nothing is down; else NULL */
    double loss;                 /**< probability of random loss */
    bool loses_at_top;           /**< something is to be lost where it turns downwards */
    bool routes_slowly;          /**< weft_net_note_routes() */
    bool is_lean;                /**< the same: switches need look at nothing that is rare */
    bool has_drops;              /**< some are named */
    uint64_t tor_active;         /**< bit p: ToRs of plane p do their work */
    bool reads_queues;           /**< the balancer does */
    bool hashes_replies;         /**< it is not asked for them */
    bool hashes;                 /**< it does no more than weft_sprayed_pick() */
    bool looks;            /**< it reads them, acts when frames leave, or is not asked for all */
    bool inspects[2];      /**< what leaves is looked at: to a switch, to a NIC */
    bool has_tor;          /**< a balancer has middleware at ToRs */
    bool marks_at_enqueue; /**< where ECN looks at the queue */
    int64_t mark_above;    /**< bytes of a queue that is joined up to which nothing is marked */
    uint32_t calm;         /**< the same with the frame that joins, or less */
    bool marks_at_dequeue;
    bool stamps;           /**< a congestion control reads the stamps of ports */
    bool looks_at_dequeue; /**< either of the two */
    bool hears;            /**< so that replies are looked at first, or a hook hears of frames */
    bool counts_by_class;
    bool ideal_replies;
    int64_t window;
    int64_t shortest;             /**< bytes of a frame, at least */
    int64_t now;                  /**< everything before this has happened */
    uint64_t nletters;            /**< letters of the program's own */
    struct weft_threads *threads; /**< NULL: one worker runs all */
    struct weft_ranks_net *ranks; /**< other processes; NULL: there are none */
    struct weft_worker first;     /**< worker 0, the caller's: alone without threads */
    /** Told of ends of messages behind the hooks; NULL: nobody. */
    void (*ended)(void *of, struct weft_qp *qp, uint64_t tag, int64_t now,
                  enum weft_message_end end);
    void *ended_of;
    /** weft_net_watch_routes() */
    void (*routed)(void *of, uint32_t index, const struct weft_packet *packet, uint32_t out,
                   uint32_t n, int64_t now);
    void *routed_of;
    bool halts; /**< a hook sets it: weft_net_run() returns at the end of this window */
};

/** How frames are routed, or who looks at them, may have changed: most fabrics have no need to
 * look.
 */
static inline void
weft_net_note_routes(struct weft_net *net)
{
    net->hears = net->stamps || net->config.hooks.received;
    net->inspects[0] = net->looks_at_dequeue || net->lb->leave || net->config.hooks.leaves;
    net->inspects[1] = net->inspects[0] || net->has_tor;
    net->routes_slowly = net->has_fib || net->loses_at_top || net->config.hooks.picked ||
                         net->config.hooks.queued || net->routed;
    net->is_lean = !net->routes_slowly && !net->inspects[0] && net->classes == 2 &&
                   !net->counts_by_class && net->config.buffer.port_buffer == 0;
}

/** Returns when the block of a node is to be looked at. */
static inline int64_t *
weft_soon_of(const struct weft_net *net, uint32_t node)
{
    return &net->soon[node / WEFT_BLOCK * (64 / sizeof(int64_t))];
}

/** Returns whether another rank runs a node. */
static inline bool
weft_node_is_elsewhere(const struct weft_net *net, uint32_t node)
{
    return net->run_by[node] >= WEFT_ELSEWHERE;
}

/** Returns the number of the node at an end of a link. */
static inline uint32_t
weft_net_node_at(const struct weft_net *net, const struct weft_end *end)
{
    return end->is_host ? end->index : net->nhosts + end->index;
}

/** Returns the port at an end of a link, or NULL if another rank runs it. */
static inline struct weft_port *
weft_net_port_at(const struct weft_net *net, const struct weft_end *end)
{
    const uint32_t node = weft_net_node_at(net, end);
    return weft_node_is_elsewhere(net, node) ? NULL : &net->node[node]->port[end->port];
}

/** Makes a node due at @p at, or earlier. */
static inline void
weft_net_wake(const struct weft_net *net, uint32_t node, int64_t at)
{
    if (at < net->due[node])
    {
        int64_t *soon = weft_soon_of(net, node);
        net->due[node] = at;
        *soon = at < *soon ? at : *soon;
    }
}

/** Lets the neighbour know of a frame that arrives there @p at. */
static inline void
weft_port_announce(struct weft_worker *worker, struct weft_port *port, int64_t at)
{
    *port->peer_coming |= port->peer_bit;
    if (at >= *port->peer_due)
    {
        return;
    }
    *port->peer_due = at;
    if (!port->remote)
    {
        *port->peer_soon = at < *port->peer_soon ? at : *port->peer_soon;
        return;
    }
    worker->far->announce(worker, port);
}

/** Sends a PFC frame to the neighbour. */
void weft_port_pause(struct weft_worker *worker, struct weft_port *port, uint32_t tclass,
                     bool pause, int64_t now);

/** Ends a frame before its NIC, at a node: counts it, tells the program and, where its transport
 * hears of losses, its sender. */
void weft_node_lose(const struct weft_net *net, struct weft_node *node, const struct weft_packet *p,
                    enum weft_net_loss why);
/** Loses a frame by the link by which it came, of a node that watches its links, if it is to be.
 * Returns whether it was lost. */
bool weft_node_loses(const struct weft_net *net, struct weft_node *node,
                     const struct weft_packet *p);

#endif

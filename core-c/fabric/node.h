/* SPDX-License-Identifier: MIT */
/**
 * @file node.h  What a fabric consists of: nodes with ports, of which each is run by itself.
 * Private.
 */
#ifndef WEFT_NODE_H
#define WEFT_NODE_H

#include "base/bitmap.h"
#include "fabric/lane.h"
#include "lb/ecmp.h"

#include <assert.h>

#include <weft/host.h>
#include <weft/net.h>

#define WEFT_ALL_STARTS UINT32_MAX /* no frame that starts at this instant is yet to do so */
#define WEFT_ELSEWHERE  128U       /* behind the parts of threads: ranks */

/** A PFC frame on its way. */
struct weft_pfc
{
    int64_t at;      /**< when it takes effect, ps */
    uint32_t tclass; /**< traffic class */
    bool pause;      /**< pause or resume */
};

/** PFC frames from one port to its neighbour, a ring that grows. */
struct weft_pfc_lane
{
    struct weft_pfc *ring;
    uint32_t size;  /**< a power of two, or 0 */
    uint32_t sent;  /**< modulo 2^32 */
    uint32_t taken; /**< modulo 2^32 */
};

/** One end of a link: what leaves here, and where that which arrives here comes from. A frame reads
 * the first two cache lines. */
struct weft_port
{
    _Alignas(64) int64_t free_at; /**< the wire is free from here on, ps */
    int64_t end;            /**< last bit of the frame whose buffer is yet to be given back, ps */
    uint32_t waits;         /**< bit c: frames of class c wait */
    uint32_t paused;        /**< bit c: PFC keeps class c back */
    uint32_t ps_per_byte;   /**< 0: not a whole number, or too large */
    uint32_t gap_time;      /**< ps of the gap behind a frame, if ps_per_byte */
    uint32_t bytes;         /**< of the frame that ends at `end` */
    uint16_t ingress;       /**< of that: weft_mmu_index() of its port and class */
    uint16_t index;         /**< its number at its node */
    int64_t delay;          /**< ps to the other end */
    struct weft_lane *lane; /**< [class], from here */
    void *scheduler;        /**< its state, with more than two classes */

    int64_t *peer_due;     /**< when the node at the other end is to be run next, or, if it is
                              remote, when what it will hear of comes: struct weft_remote */
    int64_t *peer_soon;    /**< when that node's block is to be looked at */
    uint64_t *peer_coming; /**< that node's bits for its ports, the word of the other end's */
    uint64_t peer_bit;     /**< and its bit there */
    uint64_t frames;       /**< begun */
    uint64_t sent_bytes;   /**< of these, without gaps */
    int64_t lost_before;   /**< frames that began earlier do not arrive: ps; INT64_MIN */
    uint32_t peak_queue;   /**< bytes */
    uint32_t owing;        /**< to a host: QPs to it for which middleware may send a NACK */
    bool faces_host;       /**< a switch's, to a host */
    bool noted;            /**< its departures have an order: it is owing, or its switch has one */
    bool is_remote;        /**< another thread runs the node at the other end */
    bool is_fed;           /**< another rank does: `from` is a copy */

    struct weft_lane *from; /**< [class], to here: the peer's */
    struct weft_pfc_lane pfc;
    struct weft_pfc_lane *pfc_from; /**< the peer's */
    int64_t rate;                   /**< bit/s */
    int64_t gap;                    /**< bytes behind a frame */
    int64_t carry;                  /**< the wire is free so much before free_at, 1/rate ps */
};

/** What a node is, whichever it is. */
struct weft_node
{
    uint32_t number; /**< hosts first, then switches */
    uint32_t nports;
    struct weft_port *port;
    bool watched;      /**< weft_net_run() leaves it out */
    int64_t now;       /**< the instant at which it is */
    int64_t next;      /**< when it is to be run again, as far as was seen so far */
    int64_t last;      /**< when the last thing happened here */
    uint64_t tie_salt; /**< of the order of frames that arrive at one instant */
    uint64_t nletters; /**< that were sent while it ran */
    struct weft_net_counters counters;
};

/** What waits for a host's time: a packet that came as mail, a message to post, or a call. */
struct weft_letter
{
    struct weft_letter *next;
    struct weft_packet packet;
    struct weft_net_qp *qp;
    uint64_t bytes;
    uint64_t tag;
    void (*call)(void *of, uint64_t what, int64_t now); /**< with `tag`; NULL: it is no call */
    void *of;
};

/** Something that is due. */
struct weft_due
{
    int64_t at;
    uint64_t key; /**< order within the instant */
    uint64_t seq; /**< and within the key: of mail, by who sent it, as sent */
    void *what;
};

/** What is due, earliest first: a heap. */
struct weft_agenda
{
    struct weft_due *due;
    uint32_t n;
    uint32_t size;
    uint64_t seq;
};

/** A queue of packets, a ring that grows. */
struct weft_packets_ring
{
    struct weft_packet *ring;
    uint32_t size; /**< a power of two, or 0 */
    uint32_t head; /**< modulo 2^32 */
    uint32_t tail; /**< modulo 2^32 */
};

/** A drop that was asked for by name. */
struct weft_named_drop
{
    struct weft_named_drop *next;
    uint32_t offset;
    uint32_t at_top;
    uint32_t at_last_hop;
};

struct weft_net_qp
{
    struct weft_qp qp;
    void *tor; /**< middleware's state at the ToR of dst, or NULL */
    const struct weft_tor_ops *tor_ops;
    void *flow;   /**< what the balancer keeps of it at ToRs, or NULL */
    bool owes;    /**< it is among the owing ones of its last port */
    bool hastens; /**< its sender's deadline may come nearer: `timed` stays false */
    struct weft_wqe *wqes;
    uint32_t room; /**< for messages */
    struct weft_named_drop *drops;
    struct weft_net_qp_bytes bytes;
    struct weft_tx_counters *gathered; /**< of a sender that another rank runs, or NULL */
    int64_t tx_armed_at;               /**< earliest entry of its sender's timer in the agenda */
    int64_t rx_armed_at;               /**< earliest entry of its receiver's timer in the agenda */
};

/** A host. */
struct weft_host_node
{
    struct weft_node node;
    struct weft_port port;
    struct weft_host nic;
    int64_t wake_at; /**< when the wire is to be looked at, or WEFT_NEVER */
    uint32_t nqps;
    struct weft_packets_ring replies;
    struct weft_packets_ring others; /**< of IP stacks */
    struct weft_agenda timers;
    struct weft_agenda mail;
};

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
    struct weft_net *net;
    struct weft_switch_map map;
    struct weft_mmu *mmu;
    void *lb;                /**< balancer's state */
    struct weft_ecmp ecmp;   /**< hashes replies where the balancer is not asked for them */
    uint32_t index;          /**< among the switches */
    uint32_t limit;          /**< ports from here on have not begun what starts at `now` */
    uint32_t paused_ingress; /**< (port, class) pairs whose neighbours are paused */
    uint32_t ordered;        /**< reasons for departures in the order of time: these, a watcher */
    bool has_tor;            /**< middleware works here */
    bool is_tor;             /**< the balancer's parts for ToRs work here */
    bool watches_links;      /**< a link is or was down */
    bool is_plain;           /**< none of these three */
    uint64_t marks[2];       /**< ECN marks on what left by down ports, by up ports */
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

/** What arrives in this window: a frame, or a PFC frame. */
struct weft_arriving
{
    /** (ps since the window's base) << WEFT_TIE_BITS | is a frame | port; of a frame that does not
     * come alone at its instant, the port XOR what is drawn for that. */
    uint64_t key;
    union
    {
        struct weft_frame *frame;
        uint64_t pfc; /**< traffic class << 1 | pause */
    } of;
};

#define WEFT_TIE_BITS    17U
#define WEFT_IS_FRAME    (UINT64_C(1) << 16) /* those come behind PFC frames */
#define WEFT_COMES_NEVER UINT64_MAX          /* a key */

/** Nodes of a block: only where one of them is due are all of them looked at. */
#define WEFT_BLOCK 8U

struct weft_net
{
    struct weft_net_config config;
    struct weft_net_level level[WEFT_LEVELS];
    struct weft_nic_algos algos[WEFT_LEVELS];
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
    uint8_t *run_by;  /**< [node]: the part that runs it, or WEFT_ELSEWHERE + a rank */
    int64_t *due;     /**< [node]: when it is to be run next */
    int64_t *soon;    /**< [block]: no node of it that is not watched is due before. Each in a cache
                         line of its own: threads have blocks */
    uint64_t *coming; /**< [node * words]: ports to which something is under way */
    struct weft_net_qp **qp;
    uint32_t nqps;
    uint32_t qp_room;
    const struct weft_fib *fib;
    struct weft_fib *whole; /**< a graph's forwarding while nothing is down; else NULL */
    double loss;            /**< probability of random loss */
    bool loses_at_top;      /**< something is to be lost where it turns downwards */
    bool routes_slowly;     /**< weft_net_note_routes() */
    bool has_drops;         /**< some are named */
    bool tor_active;
    bool reads_queues;     /**< the balancer does */
    bool hashes_replies;   /**< it is not asked for them */
    bool looks;            /**< it reads them, acts when frames leave, or is not asked for all */
    bool inspects[2];      /**< data that leaves is looked at: to a switch, to a NIC */
    bool marks_at_enqueue; /**< where ECN looks at the queue */
    int64_t mark_above;    /**< bytes of a queue that is joined up to which nothing is marked */
    bool marks_at_dequeue;
    bool counts_by_class;
    bool ideal_replies;
    bool loads_ahead; /**< what is under way does not fit a cache */
    bool loads_qps;   /**< nor do the states of QPs */
    int64_t window;
    int64_t shortest;             /**< bytes of a frame, at least */
    int64_t now;                  /**< everything before this has happened */
    struct weft_threads *threads; /**< NULL: one runs all */
    struct weft_ranks_net *ranks; /**< other processes; NULL: there are none */

    /* Each thread's own; it has a copy of all above. */
    uint32_t thread;
    struct weft_node *running; /**< the one that is run just now, or NULL */
    uint32_t *block;           /**< the first nodes of blocks that it runs */
    uint32_t nblocks;
    uint32_t arrivals; /**< of late */
    uint64_t nowhere;  /**< bits of ports that others run */
    struct weft_memory memory;
    struct weft_outbox *outbox; /**< [thread]: what that one is to hear of; NULL: one runs all */
    uint64_t *ooo_degrees[WEFT_LEVELS];
    struct weft_chunks chunks;
    struct weft_letter *letters;    /**< free ones */
    uint64_t nletters;              /**< of the program's own */
    int64_t base;                   /**< of the times in `arriving` */
    struct weft_arriving *arriving; /**< in order, once collected; one behind them comes never */
    struct weft_arriving *unsorted; /**< as large */
    uint32_t narriving;
    uint32_t ndrawn; /**< frames up to here are in the order drawn for their instants */
    uint32_t runs;   /**< rows of them that are in order */
    uint32_t arriving_size;
    uint32_t *bucket; /**< [nbuckets + 1]: for sorting */
    uint32_t nbuckets;
    struct weft_chunk **read; /**< chunks that were read */
    uint32_t nread;
    uint32_t read_size;
};

/** Makes room for one more of @p n elements in a row that may move. */
void *weft_net_grow(struct weft_net *net, void *row, uint32_t n, uint32_t *size, size_t each);
/** Memory from the caller. */
static inline void *
weft_net_take(struct weft_net *net, size_t bytes)
{
    return net->memory.take(net->memory.of, bytes);
}

/** A chunk that another thread has written goes back there. */
void weft_chunk_give_back(struct weft_net *net, struct weft_chunk *chunk);

/** What weft_net_make() refuses before anything is made: 0 or the first error. */
int weft_net_check_all(const struct weft_net_config *config, struct weft_refusal *why);

struct weft_letter *weft_letter_get(struct weft_net *net);
void weft_letter_put(struct weft_net *net, struct weft_letter *letter);

void weft_agenda_add(struct weft_net *net, struct weft_agenda *agenda, int64_t at, uint64_t key,
                     uint64_t seq, void *what);
/** Takes out the first one. */
struct weft_due weft_agenda_take(struct weft_agenda *agenda);
static inline int64_t
weft_agenda_next(const struct weft_agenda *agenda)
{
    return agenda->n > 0 ? agenda->due[0].at : WEFT_NEVER;
}

/* Ports. */
void weft_port_set_rate(struct weft_port *port, int64_t rate);
int64_t weft_port_wire_time(const struct weft_port *port, int64_t bytes);
/** weft_port_occupy() at rates that do not divide a byte into whole ps. */
int64_t weft_port_occupy_slowly(struct weft_port *port, uint32_t bytes, int64_t at, bool waited);
/** Takes the wire for a frame from @p at on: its serialization, ps. */
static inline int64_t
weft_port_occupy(struct weft_port *port, uint32_t bytes, int64_t at, bool waited)
{
    port->frames++;
    port->sent_bytes += bytes;
    if (port->ps_per_byte == 0)
    {
        return weft_port_occupy_slowly(port, bytes, at, waited);
    }
    const int64_t serialization = (int64_t)bytes * port->ps_per_byte;
    port->free_at = at + serialization + port->gap_time;
    return serialization;
}
/** Whether the wire was down while a frame was on it. */
bool weft_port_was_cut(const struct weft_port *port, uint32_t bytes, int64_t now);
/** A PFC frame is on its way, of which the node at the other end is yet to hear. */
void weft_port_send_pfc(struct weft_net *net, struct weft_pfc_lane *lane,
                        const struct weft_pfc *pfc);
/** A node that another thread runs gets it. */
void weft_port_pause_there(struct weft_net *net, struct weft_port *port,
                           const struct weft_pfc *pfc);
/** Sends a PFC frame. */
void weft_port_pause(struct weft_net *net, struct weft_port *port, uint32_t tclass, bool pause,
                     int64_t now);
/** A neighbour that another thread runs hears of what comes at the end of the window. */
void weft_port_announce_there(struct weft_net *net, struct weft_port *port, int64_t at);

/** Lets the neighbour know of what comes at @p at. */
static inline void
weft_port_announce(struct weft_net *net, struct weft_port *port, int64_t at)
{
    *port->peer_coming |= port->peer_bit;
    if (at >= *port->peer_due)
    {
        return;
    }
    *port->peer_due = at;
    if (port->is_remote)
    {
        weft_port_announce_there(net, port, at);
    }
    else if (at < *port->peer_soon)
    {
        *port->peer_soon = at;
    }
}

/** How frames are routed may have changed: most fabrics have no need to look. */
static inline void
weft_net_note_routes(struct weft_net *net)
{
    net->routes_slowly = net->fib || net->loses_at_top || net->config.hooks.picked;
}

static inline int64_t *
weft_soon_of(const struct weft_net *net, uint32_t node)
{
    return &net->soon[node / WEFT_BLOCK * (64 / sizeof(int64_t))];
}

/** Whether another rank runs a node. */
static inline bool
weft_node_is_elsewhere(const struct weft_net *net, uint32_t node)
{
    return net->run_by[node] >= WEFT_ELSEWHERE;
}

/** The number of the node at an end of a link. */
static inline uint32_t
weft_net_node_at(const struct weft_net *net, const struct weft_end *end)
{
    return end->is_host ? end->index : net->nhosts + end->index;
}

/** The port at an end of a link, or NULL if another rank runs it. */
static inline struct weft_port *
weft_net_port_at(const struct weft_net *net, const struct weft_end *end)
{
    const uint32_t node = weft_net_node_at(net, end);
    return weft_node_is_elsewhere(net, node) ? NULL : &net->node[node]->port[end->port];
}

/** The first switch behind the tier of switch @p index. */
uint32_t weft_net_next_tier(const struct weft_net *net, uint32_t index);

/** A node has something to do at @p at. */
static inline void
weft_net_wake(struct weft_net *net, const struct weft_node *node, int64_t at)
{
    if (at < net->due[node->number])
    {
        int64_t *soon = weft_soon_of(net, node->number);
        net->due[node->number] = at;
        *soon = at < *soon ? at : *soon;
    }
}

/* Nodes. */
/** When it arrives. */
static inline int64_t
weft_arrives_at(const struct weft_net *net, const struct weft_arriving *a)
{
    return net->base + (int64_t)(a->key >> WEFT_TIE_BITS);
}

/** Has the line loaded that lies so many bytes behind @p at, where there need be nothing, and which
 * will be written. gcc takes a function that does nothing else for one without effect, and leaves
 * its calls out: the empty statement is an effect. */
static inline void
weft_load_line(const void *at, size_t behind)
{
    __builtin_prefetch((const void *)((uintptr_t)at + behind), 1);
    __asm__ volatile("");
}

/** The QP of a packet that comes, or NULL: it has none. */
static inline struct weft_net_qp *
weft_arriving_qp(const struct weft_net *net, const struct weft_arriving *a)
{
    return (a->key & WEFT_IS_FRAME) && a->of.frame->d.kind <= WEFT_CNP ? net->qp[a->of.frame->d.qp]
                                                                       : NULL;
}

/** The least key of what comes after the instant of @p key. */
static inline uint64_t
weft_key_behind(uint64_t key)
{
    return ((key >> WEFT_TIE_BITS) + 1) << WEFT_TIE_BITS;
}

/** Where a PFC frame arrives. */
static inline uint32_t
weft_pfc_port(const struct weft_arriving *a)
{
    return a->key & UINT16_MAX;
}

/** The class that a PFC frame is about, and whether it is to pause. */
static inline uint32_t
weft_pfc_class(const struct weft_arriving *a)
{
    return (uint32_t)(a->of.pfc >> 1);
}

static inline bool
weft_pfc_pauses(const struct weft_arriving *a)
{
    return a->of.pfc & 1;
}

/** Fills net->arriving with what comes to a node before @p until, in order but for what
 * weft_node_order() does; frames get the port by which they come. */
void weft_node_collect(struct weft_net *net, struct weft_node *node, int64_t until);
/** The @p first frame of an instant and those that come with it: draws their order. */
void weft_node_draw_order(struct weft_net *net, const struct weft_node *node, uint32_t first);
/** Before a frame that arrives is looked at: draws the order of its instant, if others come with it
 * and that was not done. */
static inline void
weft_node_order(struct weft_net *net, const struct weft_node *node, const struct weft_arriving *a)
{
    if ((a[0].key ^ a[1].key) >> WEFT_TIE_BITS == 0 && a >= net->arriving + net->ndrawn)
    {
        weft_node_draw_order(net, node, (uint32_t)(a - net->arriving));
    }
}
void weft_host_run(struct weft_net *net, struct weft_host_node *host, int64_t until);
void weft_switch_run(struct weft_net *net, struct weft_switch_node *sw, int64_t until);

/** A frame ends before its NIC, at a node. */
void weft_net_end_frame(struct weft_net *net, struct weft_node *node, const struct weft_packet *p,
                        enum weft_net_loss why);

/** @p at, or as soon as a node can do something that it is asked for: what another one asks that is
 * run for a window takes the least delay of a link, wherever windows are cut. */
static inline int64_t
weft_net_soonest(const struct weft_net *net, const struct weft_node *node, int64_t at)
{
    const struct weft_node *asks = net->running;
    int64_t soonest = node->watched ? node->now : net->now;
    if (asks && asks != node && !asks->watched)
    {
        soonest = asks->now + net->window;
    }
    return at > soonest ? at : soonest;
}

/* Hosts. */
/** Something may be ready to be sent. */
void weft_host_kick(struct weft_net *net, struct weft_host_node *host);
/** The wire is free, or a pacing gap is over. */
void weft_host_wake(struct weft_net *net, struct weft_host_node *host);
/** Sends a reply, or lets it come by itself if replies are ideal. */
void weft_host_reply(struct weft_net *net, struct weft_host_node *host,
                     const struct weft_packet *p);
/** Sends a packet of the program's own. */
void weft_host_send(struct weft_net *net, struct weft_host_node *host, const struct weft_packet *p);
/** Puts a QP's retransmission timer on the agenda, if it has a deadline. */
void weft_host_arm_timer(struct weft_net *net, struct weft_host_node *host, struct weft_net_qp *q);
/** Puts a letter into a host's mail. */
void weft_host_mail(struct weft_net *net, uint32_t host, int64_t at, uint64_t key,
                    struct weft_letter *letter);
/** The same for a host that another thread runs; @p order: within the key. */
void weft_host_mail_there(struct weft_net *net, uint32_t host, int64_t at, uint64_t key,
                          uint64_t order, const struct weft_letter *letter);
/** It is there. */
void weft_host_take_mail(struct weft_net *net, struct weft_host_node *host, int64_t at,
                         uint64_t key, uint64_t order, struct weft_letter *letter);
/** Order of mail within an instant: what comes before arrivals, and posts, which come after. */
enum weft_mail_kind
{
    WEFT_MAIL_REPLY,
    WEFT_MAIL_LOSS,
    WEFT_MAIL_PROGRAM = 8, /**< and enum weft_net_step */
    WEFT_MAIL_FAILED = 14, /**< a message that is posted when its QP has been given up */
    WEFT_MAIL_SEND = 15,   /**< a packet of the program's own */
    WEFT_MAIL_LAST = 15,
};
static inline uint64_t
weft_mail_key(unsigned kind, uint64_t number)
{
    return (uint64_t)kind << 56 | number;
}
#endif

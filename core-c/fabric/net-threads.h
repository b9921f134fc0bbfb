/* SPDX-License-Identifier: MIT */
/**
 * @file net-threads.h  What threads tell each other that run the nodes of one fabric. Private.
 *
 * A thread has its own nodes, and a struct weft_net of its own: what all share is copied there
 * between windows. Within a window it touches nothing that another one writes. What its nodes do to
 * others is in outboxes, which their threads read in the next window; so each one has two sets of
 * them, in turn.
 */
#ifndef WEFT_NET_THREADS_H
#define WEFT_NET_THREADS_H

#include "fabric/node.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/** What a port keeps of a neighbour that another thread runs. */
struct weft_remote
{
    int64_t at; /**< when the first frame of this window comes there, ps; WEFT_NEVER: none does */
    uint32_t node;
    uint32_t port;
};

/** What a port keeps of a neighbour that another thread or rank runs. */
static inline struct weft_remote *
weft_remote_of(const struct weft_port *port)
{
    return (struct weft_remote *)(void *)port->peer_due; /* its first member */
}

/** A PFC frame comes to a node. */
struct weft_pfc_coming
{
    struct weft_pfc pfc;
    struct weft_port *by; /**< the sender's port */
    uint32_t node;
    uint32_t port;
};

/** A letter to a host. */
struct weft_posting
{
    struct weft_letter letter;
    int64_t at;
    uint64_t key;
    uint64_t order;
    uint32_t host;
};

/** A message that a host has posted, of which another rank keeps a copy. */
struct weft_posted
{
    uint64_t bytes;
    uint64_t tag;
    uint32_t qp;
};

/** What one thread has for another one, or for a rank. Rows are emptied, not given back. */
struct weft_outbox
{
    struct weft_remote *coming; /**< frames */
    struct weft_port **port;    /**< [coming]: the sender's */
    struct weft_pfc_coming *pfc;
    struct weft_posting *posting;
    struct weft_net_qp_site *made; /**< QPs, by a host as it was run */
    struct weft_posted *posted;
    struct weft_chunk *first; /**< of chunks that are the other one's */
    struct weft_chunk *last;
    uint32_t ncoming;
    uint32_t coming_size;
    uint32_t port_size;
    uint32_t npfc;
    uint32_t pfc_size;
    uint32_t nposting;
    uint32_t posting_size;
    uint32_t nmade;
    uint32_t made_size;
    uint32_t nposted;
    uint32_t posted_size;
    uint32_t packed; /**< of all these, for a rank */
    int64_t soonest; /**< of all that */
};

/** Memory of a thread. */
struct weft_slab
{
    struct weft_threads *of;
    struct weft_memory from;
    char *free;
    size_t left;
};

/** Parts of the nodes for each thread: where only some hosts have work, so have only some parts,
 * and threads without do the others'. */
#define WEFT_PARTS_EACH 2U
#define WEFT_MOST_PARTS (WEFT_PARTS_EACH * WEFT_NET_THREADS)

/** All threads of a fabric. */
struct weft_threads
{
    uint32_t n;       /**< parts */
    uint32_t boxes;   /**< outboxes of each: one for each part, then for each rank */
    uint32_t running; /**< threads, the caller's among them */
    bool spins;       /**< there is a processor for each */
    bool is_pending;  /**< something may be in outboxes */
    uint32_t turn;    /**< which of the two sets of outboxes is written */
    struct weft_net *net[WEFT_MOST_PARTS];
    struct weft_outbox *outbox[WEFT_MOST_PARTS][2];
    struct weft_slab slab[WEFT_MOST_PARTS];
    struct weft_slab frames[WEFT_MOST_PARTS];
    pthread_t thread[WEFT_NET_THREADS];
    pid_t process;         /**< that has them: one that is forked has the caller's alone */
    pthread_mutex_t mutex; /**< of sleep */
    pthread_cond_t wakes;
    pthread_mutex_t taking;    /**< of the caller's memory */
    struct weft_memory memory; /**< the caller's */
    int64_t end;               /**< of the window */
    atomic_bool quits;
    atomic_uint window;                 /**< number of the one that may be run */
    atomic_uint begun[WEFT_MOST_PARTS]; /**< number of the last one that was begun, by part */
    atomic_uint left;                   /**< parts that are yet to end */
    atomic_uint asleep;
};

/** Lets the others see what has left in this window. */
void weft_outboxes_show(struct weft_net *net);
/** Something comes to a port at @p at. */
void weft_port_expect(struct weft_net *net, uint32_t node, uint32_t port, int64_t at);
/** Reads an outbox. */
void weft_outbox_read(struct weft_net *net, struct weft_outbox *box);
/** Reads what others have for a thread, from one of the two sets of outboxes. */
void weft_outboxes_read(struct weft_net *net, uint32_t turn);

/** The fabric of the thread that asks; the caller's, if that runs no node. */
struct weft_net *weft_threads_here(const struct weft_net *net);
/** The same where there may be one thread alone. */
static inline struct weft_net *
weft_net_here(struct weft_net *net)
{
    return net->threads ? weft_threads_here(net) : net;
}

/** What has been changed in the caller's is so for the thread that asks as well. */
void weft_threads_note_change(const struct weft_net *net);

static inline void
weft_net_note_change(const struct weft_net *net)
{
    if (net->threads)
    {
        weft_threads_note_change(net);
    }
}

/** Runs a window up to @p end on all threads. */
void weft_threads_run(struct weft_net *net, int64_t end);
/** When something happens next at a node that is not watched. */
int64_t weft_threads_next(const struct weft_net *net);
/** weft_net_run_node() */
void weft_threads_run_node(const struct weft_net *net, uint32_t node, int64_t until);
/** All that is in outboxes is where it belongs. Outside of windows. */
void weft_threads_settle(const struct weft_net *net);
static inline void
weft_net_settle(const struct weft_net *net)
{
    if (net->threads)
    {
        weft_threads_settle(net);
    }
}

/** The counters of the out-of-order degrees of a service level are those of all threads. */
void weft_threads_sum_degrees(const struct weft_net *net, uint32_t level);
/** What the node of a QP's receiver works by. */
const struct weft_nic_algos *weft_threads_algos(const struct weft_net *net, uint32_t host,
                                                uint32_t level);

/** Runs a node. */
void weft_node_run(struct weft_net *net, uint32_t i, int64_t until);
/** Blocks that are this thread's, of which one node is due before @p until, are run. */
void weft_net_run_blocks(struct weft_net *net, int64_t until);
/** About as many packets will arrive in the next window as did in the last one, wherever: what
 * does not fit a cache is loaded ahead. */
void weft_net_expect(struct weft_net *net, uint32_t arrivals);
/** When the next node of them is due that is not watched. */
int64_t weft_net_next_here(struct weft_net *net);
#endif

/* SPDX-License-Identifier: MIT */
/**
 * @file net-threads.h  Threads that run the nodes of one fabric, and what they tell each other.
 * Private.
 *
 * A worker has nodes of its own, and each thread runs two workers, so that threads can share what
 * is left of a window. Within a window it touches nothing that another one writes. What its nodes
 * do to those of others is in outboxes, which their workers read in the next window; so each one
 * has two sets of them, in turn.
 */
#ifndef WEFT_NET_THREADS_H
#define WEFT_NET_THREADS_H

#include "node/mail.h"
#include "node/shared.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/** A frame comes to a node. */
struct weft_coming
{
    struct weft_remote to;
    struct weft_port *by; /**< the sender's port */
};

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

/** Outbox: what one worker has for another one, or for a rank. Rows are emptied, not given back. */
struct weft_outbox
{
    struct weft_coming *coming; /**< frames */
    struct weft_pfc_coming *pfc;
    struct weft_posting *posting;
    struct weft_net_qp_site *made; /**< QPs, by a host as it was run */
    struct weft_posted *posted;
    struct weft_chunk *first; /**< of chunks that are the other one's */
    struct weft_chunk *last;
    uint32_t ncoming;
    uint32_t coming_size;
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
    struct weft_worker *worker[WEFT_MOST_PARTS];
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

/** Puts what nodes do to nodes of other workers and ranks into outboxes. */
extern const struct weft_far weft_outbox_far;

/** Lets the others see what has left in this window. */
void weft_outboxes_show(struct weft_worker *worker);
/** Makes a node due at @p at: something comes to its port then. */
void weft_port_expect(const struct weft_net *net, uint32_t node, uint32_t port, int64_t at);
/** Delivers what is in an outbox to the nodes of a worker, and empties it. */
void weft_outbox_read(struct weft_worker *worker, struct weft_outbox *box);
/** Reads what others have for a worker, from one of the two sets of outboxes. */
void weft_outboxes_read(struct weft_worker *worker, uint32_t turn);

/** Returns the worker that runs a node in the calling thread; worker 0 if none does. */
struct weft_worker *weft_threads_here(const struct weft_net *net);
/** Returns the same where there may be one worker alone. */
static inline struct weft_worker *
weft_worker_here(struct weft_net *net)
{
    return net->threads ? weft_threads_here(net) : &net->first;
}

/** Runs a window up to @p end on all threads. */
void weft_threads_run(struct weft_net *net, int64_t end);
/** Returns when something happens next at a node that is not watched. */
int64_t weft_threads_next(const struct weft_net *net);
/** weft_net_run_node() where there are threads. */
void weft_threads_run_node(const struct weft_net *net, uint32_t node, int64_t until);
/** Delivers all that is in outboxes. Outside of windows. */
void weft_threads_settle(const struct weft_net *net);
static inline void
weft_net_settle(const struct weft_net *net)
{
    if (net->threads)
    {
        weft_threads_settle(net);
    }
}

/** Adds the out-of-order degrees that workers have counted of a service level to worker 0's. */
void weft_threads_sum_degrees(const struct weft_net *net, uint32_t level);
/** Returns the first switch behind the tier of switch @p index. */
uint32_t weft_net_next_tier(const struct weft_net *net, uint32_t index);
#endif

/* SPDX-License-Identifier: MIT */
/** @file worker.h Workers: what a thread that runs nodes has for itself while a window runs.
 * Private. */
#ifndef WEFT_WORKER_H
#define WEFT_WORKER_H

#include "node/node.h"

struct weft_letter;
struct weft_outbox;

/** A frame or a PFC frame that arrives in this window. */
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

/** Carries to other threads and ranks what nodes do to nodes that those run. */
struct weft_far
{
    /** A frame arrives behind a port whose `remote` is set, at remote->at. */
    void (*announce)(struct weft_worker *worker, struct weft_port *port);
    /** A PFC frame arrives behind such a port. */
    void (*pause)(struct weft_worker *worker, struct weft_port *port, const struct weft_pfc *pfc);
    /** A letter goes to a host, as weft_mail_put(). It is copied. */
    void (*letter)(struct weft_worker *worker, uint32_t host, int64_t at, uint64_t key,
                   uint64_t order, const struct weft_letter *letter);
    /** A chunk that was read goes back to the worker that writes it. */
    void (*give_back)(struct weft_worker *worker, struct weft_chunk *chunk);
    /** The program wants something @p at of a host of another rank, where it is asked as well. */
    void (*note)(struct weft_worker *worker, int64_t at);
    /** A host has posted a message. */
    void (*posted)(struct weft_worker *worker, const struct weft_net_qp *q, uint64_t bytes,
                   uint64_t tag);
};

/** Worker: what runs a part of the nodes; a thread has two (net-threads.h). While a window runs,
 * only its members are written, its nodes, and its nodes' entries of rows. */
struct weft_worker
{
    struct weft_chunks chunks; /* the first one: on every hop */
    struct weft_net *net;
    const struct weft_far *far; /**< NULL: it runs all nodes */
    struct weft_outbox *outbox; /**< [worker or rank]: events delivered after this window; NULL
                                   while no node is run, and where this worker runs all */
    uint32_t number;
    uint32_t classes;          /**< as in `net`, where they never change */
    uint32_t words;            /**< the same */
    uint64_t *coming;          /**< the same */
    bool loads_ahead;          /**< what is under way does not fit a cache */
    bool loads_qps;            /**< nor do the states of QPs */
    struct weft_node *running; /**< the node that is run just now, or NULL */
    uint32_t *block;           /**< first nodes of the blocks that it runs */
    uint32_t nblocks;
    uint32_t arrivals; /**< frames and PFC frames since this was last looked at */
    uint64_t nowhere;  /**< bits of ports that others run */
    struct weft_memory memory;
    const struct weft_nic_algos *algos; /**< [level]: of receivers, with counters of its own */
    void *config;                       /**< of a transport, while a QP is made */
    size_t config_room;                 /**< bytes of that */
    struct weft_letter *letters;        /**< free ones */
    int64_t base;                       /**< of the times in `arriving` */
    struct weft_arriving *arriving; /**< in order, once collected; one behind them comes never */
    struct weft_arriving *unsorted; /**< as large */
    uint32_t narriving;
    uint32_t ndrawn; /**< frames up to here are in the order drawn for their instants */
    uint32_t runs;   /**< rows of them that are in order */
    uint32_t arriving_size;
    uint32_t *bucket; /**< [nbuckets + 1]: for sorting */
    uint32_t nbuckets;
    struct weft_chunk *read; /**< chunks that were read, one behind the other */
};

/** Tells a worker of its fabric, whose rows are made. */
void weft_worker_begin(struct weft_worker *worker, struct weft_net *net);
/** Decides by the arrivals of the last window whether nodes load ahead what does not fit a cache:
 * about as many come in the next one. */
void weft_worker_expect(struct weft_worker *worker, uint32_t arrivals);
/** Runs node @p i up to, and without, @p until. */
void weft_node_run(struct weft_worker *worker, uint32_t i, int64_t until);
/** Runs the nodes of a worker's blocks that are due before @p until and not watched. */
void weft_worker_run(struct weft_worker *worker, int64_t until);
/** Returns when the next node of a worker is due that is not watched. */
int64_t weft_worker_next(const struct weft_worker *worker);
/** Returns when a node of a block is due that is not watched. @p first: its first node. */
int64_t weft_block_next(const struct weft_net *net, uint32_t first);

#endif

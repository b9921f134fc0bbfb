/* SPDX-License-Identifier: MIT */
/** @file net-ranks.h Ranks: what a fabric keeps of the other processes that run it. Private. */
#ifndef WEFT_NET_RANKS_H
#define WEFT_NET_RANKS_H

#include "parallel/net-threads.h"

#include <weft/ranks.h>

/** Bytes to be sent, a row that grows. */
struct weft_pack
{
    unsigned char *bytes;
    size_t n;
    size_t size;
};

/** Node of another rank as rank 0 was told of it last. */
struct weft_node_seen
{
    struct weft_net_counters counters;
    struct weft_tor_counters tor; /**< of a switch */
    uint32_t nports;
    size_t buffer;              /**< bytes of `mmu` */
    struct weft_net_port *port; /**< [nports] */
    struct weft_mmu *mmu;       /**< of a switch */
};

/** Bytes of a parcel that is sent before the next one is packed: what crosses in a window of a
 * large fabric would take as much memory here and there as its queues. */
#define WEFT_PARCEL ((size_t)1 << 20)

/** The ranks of a fabric. */
struct weft_ranks_net
{
    struct weft_ranks with;
    struct weft_net_news news;
    struct weft_pack *pack;      /**< [rank]: for that one */
    struct weft_parcel *out;     /**< [rank] */
    struct weft_parcel *in;      /**< [rank] */
    struct weft_net_port *ports; /**< room for those of a node */
    int64_t elsewhere; /**< when something happens next at another rank, as far as is known */
    uint64_t inside;   /**< frames in the nodes of others, as gathered */
    struct weft_net_counters total; /**< of the nodes of others, as gathered */
    int64_t last;                   /**< weft_net_last() of others, as gathered */
    struct weft_node_seen **seen;   /**< [node]: as gathered; NULL: nothing was yet */
    size_t parcel;                  /**< WEFT_PARCEL */
};

/** Returns what was gathered of a node that another rank runs; NULL: this one runs it. */
const struct weft_node_seen *weft_net_seen(const struct weft_net *net, uint32_t node);
/** Puts @p n bytes behind the others. */
void weft_pack_put(struct weft_net *net, struct weft_pack *pack, const void *bytes, size_t n);
/** Takes @p n bytes off the front. */
void weft_parcel_take(struct weft_parcel *parcel, void *bytes, size_t n);
/** Adds counters. */
void weft_net_add_counters(struct weft_net_counters *sum, const struct weft_net_counters *c);
/** Sends all packs, and empties them. */
void weft_ranks_exchange(struct weft_net *net);

/** Divides the nodes of a fabric among its ranks, if it has several. Returns 0, or WEFT_ERANGE and
 * @p why: there are too many of them, or none, or its own is not among them. */
int weft_ranks_begin(struct weft_net *net, struct weft_refusal *why);
/** Returns the rank that runs a node. */
static inline uint32_t
weft_rank_of(const struct weft_net *net, uint32_t node)
{
    const uint32_t runs = net->run_by[node];
    return runs < WEFT_ELSEWHERE ? net->ranks->with.rank : runs - WEFT_ELSEWHERE;
}
/** All ranks tell each other what became of a window, and when something happens next. */
void weft_ranks_tell(struct weft_net *net);
/** Tells all other ranks of a QP that a host has made as it was run: they make it too. */
void weft_ranks_add_qp(struct weft_worker *worker, const struct weft_net_qp_site *made);
#endif

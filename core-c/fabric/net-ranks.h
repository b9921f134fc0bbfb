/* SPDX-License-Identifier: MIT */
/** @file net-ranks.h  What a fabric keeps of the other processes that run it. Private. */
#ifndef WEFT_NET_RANKS_H
#define WEFT_NET_RANKS_H

#include "fabric/net-threads.h"

#include <weft/ranks.h>

/** Bytes to be sent, a row that grows. */
struct weft_pack
{
    unsigned char *bytes;
    size_t n;
    size_t size;
};

/** The ranks of a fabric. */
struct weft_ranks_net
{
    struct weft_ranks with;
    struct weft_net_news news;
    struct weft_pack *pack;  /**< [rank]: for that one */
    struct weft_parcel *out; /**< [rank] */
    struct weft_parcel *in;  /**< [rank] */
    int64_t elsewhere;       /**< when something happens next at another rank, as far as is known */
    void *scratch;           /**< states of a QP that is only known here, until the next one */
    size_t scratch_size;
    uint64_t inside;                /**< frames in the nodes of others, as gathered */
    struct weft_net_counters total; /**< of the nodes of others, as gathered */
};

/** Puts @p n bytes behind the others. */
void weft_pack_put(struct weft_net *net, struct weft_pack *pack, const void *bytes, size_t n);
/** Takes @p n bytes off the front. */
void weft_parcel_take(struct weft_parcel *parcel, void *bytes, size_t n);
/** Adds counters. */
void weft_net_add_counters(struct weft_net_counters *sum, const struct weft_net_counters *c);
/** Sends all packs, and empties them. */
void weft_ranks_exchange(struct weft_net *net);

/** The rank that runs a node. */
uint32_t weft_rank_of(const struct weft_net *net, uint32_t node);
/** All ranks tell each other what became of a window, and when something happens next. */
void weft_ranks_tell(struct weft_net *net);
/** Something is to happen at a node that another rank runs: there it is asked for too. */
void weft_ranks_note(const struct weft_net *net, int64_t at);
/** A host has posted a message: its receiver's rank hears of it, and rank 0. */
void weft_ranks_post(struct weft_net *net, const struct weft_net_qp *q, uint64_t bytes,
                     uint64_t tag);
#endif

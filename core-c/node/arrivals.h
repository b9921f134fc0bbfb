/* SPDX-License-Identifier: MIT */
/** @file arrivals.h Arrivals at a node within a window, in their order. Private. */
#ifndef WEFT_ARRIVALS_H
#define WEFT_ARRIVALS_H

#include "node/shared.h"

#define WEFT_TIE_BITS    17U
#define WEFT_IS_FRAME    (UINT64_C(1) << 16) /* frames come behind PFC frames */
#define WEFT_COMES_NEVER UINT64_MAX          /* a key */

/** Returns when it arrives. */
static inline int64_t
weft_arrives_at(const struct weft_worker *worker, const struct weft_arriving *a)
{
    return worker->base + (int64_t)(a->key >> WEFT_TIE_BITS);
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

/** Returns the QP of a packet that comes, or NULL: it has none. */
static inline struct weft_net_qp *
weft_arriving_qp(const struct weft_net *net, const struct weft_arriving *a)
{
    return (a->key & WEFT_IS_FRAME) && a->of.frame->d.kind <= WEFT_PULL ? net->qp[a->of.frame->d.qp]
                                                                        : NULL;
}

/** Returns the least key of what comes after the instant of @p key. */
static inline uint64_t
weft_key_behind(uint64_t key)
{
    return ((key >> WEFT_TIE_BITS) + 1) << WEFT_TIE_BITS;
}

/** Returns the port where a PFC frame arrives. */
static inline uint32_t
weft_pfc_port(const struct weft_arriving *a)
{
    return a->key & UINT16_MAX;
}

/** Returns the traffic class that a PFC frame is about. */
static inline uint32_t
weft_pfc_class(const struct weft_arriving *a)
{
    return (uint32_t)(a->of.pfc >> 1);
}

/** Returns whether a PFC frame pauses; else it resumes. */
static inline bool
weft_pfc_pauses(const struct weft_arriving *a)
{
    return a->of.pfc & 1;
}

/** Fills worker->arriving with what comes to a node before @p until, in order but for what
 * weft_node_order() does; frames get the port by which they come. */
void weft_node_collect(struct weft_worker *worker, struct weft_node *node, int64_t until);
/** Draws the order of the @p first frame of an instant and those that come with it. */
void weft_node_draw_order(struct weft_worker *worker, const struct weft_node *node, uint32_t first);
/** Draws the order of an instant before its first frame is looked at, if others come with it and
 * that was not done. */
static inline void
weft_node_order(struct weft_worker *worker, const struct weft_node *node,
                const struct weft_arriving *a)
{
    if ((a[0].key ^ a[1].key) >> WEFT_TIE_BITS == 0 && a >= worker->arriving + worker->ndrawn)
    {
        weft_node_draw_order(worker, node, (uint32_t)(a - worker->arriving));
    }
}

#endif

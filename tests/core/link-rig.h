/* SPDX-License-Identifier: MIT */
/** @file link-rig.h  Packets of the program on a run whose links have faults, for tests. */
#ifndef WEFT_LINK_RIG_H
#define WEFT_LINK_RIG_H

#include "run-stage.h"

#define LINK_SLOT INT64_C(81600) /* ps of a packet with its gap, at 100 Gbit/s */

/** Packets of the program that came or were lost, and changes of links. */
struct link_heard
{
    uint64_t came, lost, bursts;
    uint64_t lost_bits;       /**< by number */
    uint32_t lost_last;       /**< number */
    int64_t at[64], sent[64]; /**< of packets that came, by their order */
    enum weft_net_loss why;   /**< the last one was lost */
    uint32_t nlinks, nroutes; /**< changes of links, of forwarding */
    int64_t changed[4096];    /**< when links changed */
    struct graph graph;
};
extern struct link_heard link_heard;

/** Begins a run of FOUR_PATHS. */
void link_begin(const char *balancer);
/** Adds a fault that can be. */
void link_fault(const struct weft_fault *fault);
/** Sends packets from host to host, one a slot, from a number on; it is also that of the slot. */
void link_send(uint32_t src, uint32_t dst, uint32_t n, uint32_t from);
/** Sends packets from slot 0 on, and runs until all have come or are lost. */
void link_send_many(uint32_t src, uint32_t dst, uint32_t n);
struct weft_net_port link_port(uint32_t node, uint32_t port);
struct weft_net_counters link_total(void);

#endif

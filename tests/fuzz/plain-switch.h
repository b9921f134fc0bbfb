/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file plain-switch.h  A switch that does everything when it happens, looking at all its ports at
 * every instant: what fuzz-switch.c holds the fabric's switch against.
 */
#ifndef WEFT_TESTS_PLAIN_SWITCH_H
#define WEFT_TESTS_PLAIN_SWITCH_H

#include "node/switch-node.h"

#define PLAIN_PORTS   4U /* 0, 1: to hosts; 2, 3: to spines */
#define PLAIN_CLASSES 4U
#define PLAIN_FRAMES  600U
#define PLAIN_QPS     6U

/** A frame, or a PFC frame: when it comes or has come, and what it is. */
struct plain_event
{
    int64_t at;
    struct weft_packet packet;
    bool is_pfc, pauses;
};

struct plain_queue
{
    struct weft_packet frame[2 * PLAIN_FRAMES]; /* ToRs may make as many as come */
    uint32_t head, tail;
};

struct plain_port
{
    struct plain_queue queue[PLAIN_CLASSES];
    struct plain_queue sent[PLAIN_CLASSES]; /* `sent` of a packet: when it is at the other end */
    struct plain_event pfc[4 * PLAIN_FRAMES];
    uint32_t npfc;
    struct weft_packet last; /* whose buffer is to be given back at `end` */
    int64_t free_at, end, carry;
    int64_t cut;      /* what started to come before this is lost */
    int64_t cut_rate; /* bit/s of what was on the wire then */
    uint32_t paused, peak;
    uint64_t bytes; /* that have begun to leave */
    struct weft_rng rng;
};

extern struct plain
{
    struct weft_net *net;              /* whose configuration, routes and QPs it has */
    const struct weft_switch_node *sw; /* whose rates and seeds it has */
    struct plain_port port[PLAIN_PORTS];
    struct weft_mmu *mmu;
    void *lb;
    struct weft_port_reader reader;
    void *tor[PLAIN_QPS];  /* middleware's states, or NULL */
    void *flow[PLAIN_QPS]; /* the balancer's states of flows, or NULL */
    struct weft_tor_counters counters;
    struct weft_rng rng;
    struct plain_event coming[PLAIN_FRAMES];
    uint32_t ncoming;
    uint64_t lost[WEFT_NET_LOSSES];
    uint64_t made; /* by middleware */
} plain;

/** Like switch 0 of a fabric in which nothing has happened, whose QPs are there. */
void plain_switch_init(struct weft_net *net);
/** Everything that happens before @p until. */
void plain_switch_run(int64_t until);
/** A link fails or comes back, now. */
void plain_switch_cut(uint32_t port, bool down, int64_t now);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file naive-fabric.h  A leaf-spine simulated by hand, to check the module's fabric against.
 *
 * It shares no code with what it checks: C arrays that are all looked at, at every instant at which
 * something happens; no events, no scheduler, no packets that are freed. Written from the manual:
 *
 * - A frame of B bytes that starts at t has left at t + B, arrives whole at t + B + delay, and the
 *   wire is free at t + B + gap. What is no whole ps happens at the next one. A frame that waited
 *   for the wire starts when it is free to the fraction; a host's does if the host was told in
 *   advance that the wire would be.
 * - A switch stores and forwards. Each of its ports has one queue, first in, first out; a queue's
 *   length counts whole frames, the one on the wire included until its last bit has left.
 * - At one instant, at each node, first last bits leave, then wires that are free take what waits,
 *   then frames arrive, in an order of the ports by which they come that is drawn, then messages
 *   begin. Looks come before all of that.
 * - Each host sends at most one message on each of its QPs, back to back; all its messages begin at
 * once, in the order of its QPs, which take turns, frame by frame. Each data frame is answered by
 * an ACK. Data and ACKs take turns on the host's wire, an ACK first; or ACKs take no wire and need
 * the time of an idle fabric. A host whose wire is free and who gets a frame sends at once. It
 * finds out that it has no more data only when it looks for some.
 *
 * Leaf l has hosts l * hosts_per_leaf and on. Ports are numbered: hosts by number, then leaf by
 * leaf the ports to its hosts and to the spines, then spine by spine those to the leaves.
 */
#ifndef NAIVE_FABRIC_H
#define NAIVE_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

enum naive_balancer
{
    NAIVE_ROUND_ROBIN,    /* a leaf's up ports in turn, one pointer per leaf */
    NAIVE_SHORTEST_QUEUE, /* the up port with the fewest bytes */
    NAIVE_LABELS,         /* each frame has a label, and a hash of it names the up port */
};

/** Where chance comes in: it is the caller's. */
struct naive_chance
{
    void* context;
    /** The first up port of a leaf's round. */
    unsigned (*first)(void* context, unsigned leaf);
    /** Returns one of n shortest queues. */
    unsigned (*tie)(void* context, unsigned leaf, unsigned n);
    /** The label of a flow's data frame or ACK, the nth one that its host makes. A flow is
     * sender * qps + qp. */
    unsigned (*label)(void* context, unsigned flow, bool ack, unsigned nth);
    /** Returns what ports' numbers are XORed with for the order of the frames that come by them at
     * this instant. Spines are behind the leaves. */
    unsigned (*order)(void* context, unsigned device, int64_t now);
    /** The up port of a leaf for a frame with a label. */
    unsigned (*hash)(void* context, unsigned leaf, unsigned from, unsigned to, unsigned label);
};

struct naive_setup
{
    unsigned leaves;
    unsigned spines;
    unsigned hosts_per_leaf;
    int64_t byte; /* 1/parts ps per byte, on every wire */
    int64_t parts;
    int64_t delay;   /* ps along every wire */
    int64_t data;    /* bytes of a data frame */
    int64_t ack;     /* bytes of an ACK */
    int64_t gap;     /* bytes behind every frame */
    bool ideal_acks; /* they take no wire */
    enum naive_balancer balancer;
    struct naive_chance chance;
    unsigned qps;            /* of each host */
    const unsigned* to;      /* [host * qps + qp]: to whom it sends */
    const unsigned* packets; /* [host * qps + qp]: how much; 0: nothing */
    const int64_t* start;    /* [host]: from when on, ps */
    int64_t first_look;      /* at all queues, ps */
    int64_t look_interval;   /* ps */
    unsigned looks;          /* how often */
};

/** All arrays are the caller's. */
struct naive_result
{
    int64_t* delivered; /* [host * qps + qp]: the last frame of its message is there, ps */
    int64_t* acked;     /* the same: the ACK of that frame is back, ps */
    int64_t* queues;    /* [look * ports + port]: bytes */
    int64_t* peak;      /* [port]: bytes, ever */
    unsigned* frames;   /* [port]: sent */
    unsigned ties;      /* pairs of frames of two flows, or data and ACK, that reach a switch at one
                           instant and may join one queue there: what they do hangs on their order */
};

/** @return the number of ports */
unsigned naive_ports(const struct naive_setup* setup);
/** Lets everything happen. @param setup of what @param result filled */
void naive_run(const struct naive_setup* setup, struct naive_result* result);

#ifdef __cplusplus
}
#endif
#endif

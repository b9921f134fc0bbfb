/* SPDX-License-Identifier: MIT */
/**
 * @file planes-naive.h  Hosts with several ports, simulated by hand, to check the fabric against.
 *
 * Shares no code with what it checks: arrays that are all looked at whenever something happens.
 * Written from the manual. Every plane is one switch with all hosts, which stores and forwards;
 * each of its ports has one queue without an end. A host has a wire in each plane, and one NIC:
 *
 * - QPs with something to send stand in a row and are asked in turn, each for a frame. One that has
 *   nothing more when it is asked leaves the row, one that has comes to its end.
 * - A frame of data has its port from when it is made. Frames are made while a wire is free and has
 *   nothing to send: until one is for that wire. The others wait for theirs. QPs in the row,
 *   and those that have left it for this, share `window`: one of which so many frames wait, or one
 *   where that is less, leaves the row until one of them has left.
 * - At each wire an ACK and data take turns. An ACK goes back by the port by which its data came.
 * - Wires that are free are served in turn, from the one behind that which was served last.
 */
#ifndef PLANES_NAIVE_H
#define PLANES_NAIVE_H

#include <stdint.h>

#define NAIVE_HOSTS   8U
#define NAIVE_PLANES  6U
#define NAIVE_FLOWS   24U
#define NAIVE_PACKETS 48U /* of a flow, at most */

/** Flow: a message on a QP of its own. */
struct naive_flow
{
    uint32_t src;
    uint32_t dst;
    uint32_t packets;
    int64_t start;               /**< ps */
    uint8_t port[NAIVE_PACKETS]; /**< by which each leaves; where `choice` leaves it to a label */
    int64_t delivered;           /**< outcome: ps */
    int64_t acked;               /**< outcome: ps */
    int64_t sent[NAIVE_PACKETS]; /**< outcome: when each packet's first bit left, ps */
    uint8_t by[NAIVE_PACKETS];   /**< outcome: by which port */
};

enum naive_choice
{
    NAIVE_LABELLED, /* naive_flow.port */
    NAIVE_IN_TURN,  /* a QP's packets go by the ports in turn, port 1 first */
    NAIVE_LEAST,    /* by the wire that is free, and so the one that has them made */
};

/** Fabric and its flows. */
struct naive_planes
{
    uint32_t hosts;
    uint32_t planes;
    uint32_t nflows;
    struct naive_flow flow[NAIVE_FLOWS];
    enum naive_choice choice;
    uint32_t window;
    int64_t byte;   /**< ps */
    int64_t delay;  /**< ps */
    int64_t data;   /**< bytes of a frame */
    int64_t ack;    /**< bytes */
    int64_t gap;    /**< bytes */
    uint32_t apart; /**< from a plane's switch to the next plane's, by number */
    uint64_t seed;  /**< of the order of frames that come to a switch at one instant */
};

/** Lets everything happen. */
void naive_planes_run(struct naive_planes *all);

#endif

/* SPDX-License-Identifier: MIT */
/** @file packet.h  The packet descriptor: what a switch and a NIC need to know of one frame. */
#ifndef WEFT_PACKET_H
#define WEFT_PACKET_H

#include <stdint.h>

enum weft_packet_kind
{
    WEFT_DATA,    /**< RoCEv2 data; psn is its own */
    WEFT_ACK,     /**< psn is the receiver's ePSN: everything before it has arrived */
    WEFT_NACK,    /**< psn is the receiver's ePSN: that packet is asked for again, or with
                     WEFT_F_ASKS_AHEAD the packet psn + ahead */
    WEFT_CNP,     /**< congestion notification (DCQCN); psn is that of the packet that was marked,
                     for the sender's algorithms: on a wire it is 0, and no switch may use it */
    WEFT_PULL,    /**< credit that the receiver grants (pull.h); psn is 0 */
    WEFT_RAW,     /**< carries a packet of the host simulator (an IP stack's); no QP */
    WEFT_CONTROL, /**< from a ToR to a ToR, made and read by the balancer (lb.h); qp is of the data
                     that it is about, dst a host behind the ToR that it is for */
};

/* Some bits mean one thing in DATA and another in replies, which never become each other as they
 * are. */
enum weft_packet_flag
{
    WEFT_F_CE = 1,           /**< ECN: congestion experienced */
    WEFT_F_RETX = 2,         /**< DATA: not the first transmission of this PSN */
    WEFT_F_COMPENSATED = 4,  /**< NACK: made by a ToR on the NIC's behalf (themis §3.4), as
                                weft_qp_make_reply() makes it; or by whoever turns an ACK into a NACK
                                (WEFT_TOR_NACK): then the caller sets it */
    WEFT_F_LAST = 8,         /**< DATA: last packet of its message */
    WEFT_F_ECE = 16,         /**< replies: the data packet answered was marked */
    WEFT_F_ACK_REQ = 32,     /**< DATA: its ACK may not wait for others (AckReq of the BTH) */
    WEFT_F_TRIMMED = 64,     /**< DATA: a switch has cut the payload away. NACK: of such a packet */
    WEFT_F_ASKS_AHEAD = 128, /**< NACK: asks for the packet psn + ahead */

    WEFT_F_DROP_AT_TOP = 4, /**< DATA: an injected loss, at the switch where it turns down */
    WEFT_F_DROP_AT_LAST_HOP =
        16, /**< DATA: an injected loss, between the last switch and the NIC */
};

/** Largest host and QP that a descriptor holds; its PSN has 24 bits (WEFT_PSN_MASK). */
#define WEFT_HOST_MASK ((UINT32_C(1) << 20) - 1)
#define WEFT_QP_MASK   ((UINT32_C(1) << 24) - 1)

/** Frame of 40 bytes, so that a descriptor with its event header fits a cache line. Narrow members
 * share words: mask what is stored in them. */
struct weft_packet
{
    int64_t sent;        /**< when its first bit left the sending NIC, ps; replies: that of the data
                            packet answered */
    uint32_t dst : 24;   /**< receiving host's index, at most WEFT_HOST_MASK */
    uint32_t hops : 8;   /**< links crossed so far */
    uint32_t src : 20;   /**< sending host's index, at most WEFT_HOST_MASK */
    uint32_t sl : 4;     /**< service level: to which set of QPs it belongs; see levels.h */
    uint32_t tclass : 8; /**< traffic class: index of the egress queue and of the PFC priority */
    uint32_t qp : 24;    /**< the QP's index in the run; replies carry the data's QP */
    uint32_t kind : 8;   /**< enum weft_packet_kind */
    uint32_t psn : 24;   /**< see enum weft_packet_kind */
    uint32_t flags : 8;  /**< enum weft_packet_flag */
    uint16_t bytes;      /**< the frame with its header, without the inter-frame gap */
    /** The port by which it entered the node that holds it. In a host with several ports, of what
     * it sends: 1 + the port by which it leaves; of data that is made, and of packets of the
     * program: by which it is to leave, 0: any. */
    uint16_t in_port;
    uint16_t sport;   /**< UDP source port: the ECMP entropy that hosts may vary */
    uint16_t ahead;   /**< replies: see weft_ahead(); data: what a transport's tx_stamp() says, or
                         the credit that is asked for; pulls: granted (pull.h) */
    uint16_t echo;    /**< replies: sport of the data packet answered, as it arrived; of other
                         packets it is the balancer's, as meta */
    uint16_t meta[3]; /**< data and WEFT_CONTROL: the balancer's own, 0 when a packet is made, and
                         read by nobody else; replies: the transport's, which no balancer may write;
                         of ACKs see weft_ack_bitmap() */
};

#endif

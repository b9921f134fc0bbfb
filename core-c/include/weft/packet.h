/* SPDX-License-Identifier: MIT */
/** @file packet.h  The packet descriptor: what a switch and a NIC need to know of one frame. */
#ifndef WEFT_PACKET_H
#define WEFT_PACKET_H

#include <stdint.h>

enum weft_packet_kind
{
    WEFT_DATA, /**< RoCEv2 data; psn is its own */
    WEFT_ACK,  /**< psn is the receiver's ePSN: everything before it has arrived */
    WEFT_NACK, /**< psn is the receiver's ePSN: that packet is asked for again */
    WEFT_CNP,  /**< congestion notification (DCQCN) */
    WEFT_RAW,  /**< carries a packet of the host simulator (an IP stack's); no QP */
};

enum weft_packet_flag
{
    WEFT_F_CE = 1,          /**< ECN: congestion experienced */
    WEFT_F_RETX = 2,        /**< DATA: not the first transmission of this PSN */
    WEFT_F_COMPENSATED = 4, /**< NACK: made by a ToR on the NIC's behalf (themis §3.4) */
    WEFT_F_LAST = 8,        /**< DATA: last packet of its message */
    WEFT_F_ECE = 16,        /**< replies: the data packet answered was marked */
    WEFT_F_ACK_REQ = 32,    /**< DATA: its ACK may not wait for others (AckReq of the BTH) */
};

/** One frame. 40 bytes, so that a descriptor with its event header fits a cache line. */
struct weft_packet
{
    int64_t sent;     /**< when its first bit left the sending NIC, ps; replies: that of the data
                         packet answered */
    uint32_t src;     /**< sending host's index */
    uint32_t dst;     /**< receiving host's index */
    uint32_t qp;      /**< the QP's index in the run; replies carry the data's QP */
    uint32_t psn;     /**< see enum weft_packet_kind */
    uint32_t bytes;   /**< the frame with its header, without the inter-frame gap */
    uint16_t echo;    /**< replies: sport of the data packet answered, as it arrived */
    uint16_t ahead;   /**< replies: see weft_ahead(); data: what a transport's tx_stamp() says */
    uint16_t sport;   /**< UDP source port: the ECMP entropy that hosts may vary */
    uint16_t in_port; /**< the port by which it entered the switch that holds it */
    uint8_t kind;     /**< enum weft_packet_kind */
    uint8_t flags;    /**< enum weft_packet_flag */
    uint8_t tclass;   /**< traffic class: index of the egress queue and of the PFC priority */
    uint8_t hops;     /**< links crossed so far */
};

#endif

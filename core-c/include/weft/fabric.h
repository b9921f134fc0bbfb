/* SPDX-License-Identifier: MIT */
/** @file fabric.h  Frame sizes and NIC behaviour: parameters that belong to no single algorithm. */
#ifndef WEFT_FABRIC_H
#define WEFT_FABRIC_H

#include <weft/param.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    enum weft_ack_priority
    {
        WEFT_ACK_SHARE, /**< replies and data take turns on the NIC's wire, one queue in switches */
        WEFT_ACK_FIRST, /**< replies go first, at the NIC and in switches (strict priority) */
        WEFT_ACK_IDEAL, /**< replies take no wire: they come after the time of an idle fabric */
    };

    /** How ACKs, NACKs and CNPs travel, whatever the balancer. */
    enum weft_reply_paths
    {
        WEFT_REPLIES_BALANCER, /**< as it has them: by its reply() and its pick() */
        WEFT_REPLIES_HASHED,   /**< on their QP's ECMP path: with the QP's own source port, which
                                    switches hash in place of pick() */
        WEFT_REPLIES_SPRAYED,  /**< with a random source port each, which they hash likewise */
    };

    /** Order in which a sender serves its QPs. */
    enum weft_turn
    {
        WEFT_TURN_QPS,          /**< its QPs */
        WEFT_TURN_DESTINATIONS, /**< the hosts that they send to; QPs of one share its turn */
    };

    /** Port by which a packet leaves a host that has several. */
    enum weft_host_port
    {
        WEFT_PORT_HASHED,  /**< by a hash of the UDP source port: one for each QP, or for each label
                              of  a balancer that labels packets */
        WEFT_PORT_IN_TURN, /**< a QP's packets in turn */
        WEFT_PORT_LEAST,   /**< where least data waits */
    };

    /** Registry "fabric", name "roce": the element <fabric> of a scenario. */
    struct weft_fabric_config
    {
        int64_t payload;      /**< bytes of a full data packet */
        int64_t header;       /**< bytes of headers of a data frame */
        int64_t gap;          /**< bytes of preamble and inter-frame gap after every frame */
        int64_t ack;          /**< bytes of an ACK, NACK or CNP frame in all */
        int64_t ack_priority; /**< enum weft_ack_priority */
        int64_t batch;        /**< packets a QP sends before the NIC turns to the next */
        int64_t ack_every; /**< in-order data packets per ACK (1: each); NACKs and message ends are
                              at once */
        int64_t first_psn; /**< PSN of a QP's first packet; -1: random per QP */
        int64_t retry_limit; /**< timeouts in a row without progress that a QP answers by sending
                                again; at the next it is given up. 0: never */
        int64_t turn;        /**< enum weft_turn */
        int64_t replies;     /**< enum weft_reply_paths */
        int64_t host_port;   /**< enum weft_host_port */
        int64_t port_window; /**< packets that may wait at the ports of a host with several */
    };

    WEFT_API extern const struct weft_algo weft_fabric_algo;

#ifdef __cplusplus
}
#endif
#endif

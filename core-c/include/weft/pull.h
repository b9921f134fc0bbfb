/* SPDX-License-Identifier: MIT */
/**
 * @file pull.h  Credit that receivers grant: pulls, which one pacer per host sends.
 *
 * Each data packet says up to which credit its sender asks for (`ahead`), and each pull up to which
 * it has been granted, both counted from the QP's first byte in quanta of 256 bytes, modulo 2^16.
 * The pacer serves QPs that ask in turn, at a bit less than the line's rate, so that all senders
 * together fill the receiver's link and no more. When none asks it grants the others some credit
 * ahead, so that they can begin at once.
 */
#ifndef WEFT_PULL_H
#define WEFT_PULL_H

#include <stdbool.h>
#include <stdint.h>

#include <weft/packet.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

/** Bytes of a quantum of credit. */
#define WEFT_PULL_QUANTUM 256

    struct weft_qp;

    /** How a QP is granted credit. */
    struct weft_pull_terms
    {
        uint32_t each;  /**< quanta of a pull, above 0 */
        uint32_t ahead; /**< quanta that are granted, at most, beyond what was asked for */
        double pace;    /**< ps for each quantum */
    };

    /** State of a sender, told with a packet that leaves. */
    struct weft_demand
    {
        uint64_t waiting; /**< packets that are to be sent, or sent again, after it */
        bool has_new;     /**< some of them were never sent */
        uint32_t active;  /**< QPs of its host that have something to send, itself among them */
    };

    /** A receiver's end of a QP that grants credit. */
    struct weft_pull_rx
    {
        struct weft_pull_terms terms;
        struct weft_qp *next; /**< in the pacer's list */
        struct weft_qp *prev;
        uint64_t target;  /**< quanta asked for, from the QP's begin */
        uint64_t granted; /**< quanta granted */
        uint64_t pulls;   /**< pulls sent */
        uint16_t in_port; /**< by which its last data came */
        uint8_t list;     /**< 0: none; 1: it asks; 2: it has what it asked for */
    };

    struct weft_pull_list
    {
        struct weft_qp *first;
        struct weft_qp *last;
    };

    /** The pacer of a host. All zeros but for `at`. */
    struct weft_puller
    {
        int64_t at;       /**< when weft_puller_take() is due; WEFT_NEVER: nobody waits */
        int64_t armed_at; /**< the caller's: when its timer is set for */
        struct weft_pull_list list[2]; /**< QPs that ask, and those that are granted credit ahead */
    };

    /** Makes a pacer. */
    WEFT_API void weft_puller_init(struct weft_puller *puller);

    /**
     * Takes the next pull out, where it is due: makes @p pull the packet, and returns its QP. NULL:
     * none is to be sent now. Ask for `at` again afterwards.
     */
    WEFT_API struct weft_qp *weft_puller_take(struct weft_puller *puller, int64_t now,
                                              struct weft_packet *pull);

#ifdef __cplusplus
}
#endif
#endif

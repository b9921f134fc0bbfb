/* SPDX-License-Identifier: MIT */
/** @file mail.h  Letters to hosts: from other nodes, from the program, to be read at a time.
 * Private.
 */
#ifndef WEFT_MAIL_H
#define WEFT_MAIL_H

#include "node/worker.h"

/** A packet that comes without a wire, a stamp of a packet, a message to post, or a call, in a
 * host's mail. */
struct weft_letter
{
    struct weft_letter *next;
    struct weft_packet packet;
    union
    {
        struct
        {
            struct weft_net_qp *qp;
            uint64_t bytes;
            uint64_t tag;
            void (*call)(void *of, uint64_t what, int64_t now); /**< with `tag`; NULL: no call */
            void *of;
        };
        struct weft_stamp stamp;
    };
};

/** Order of mail within an instant: what comes before arrivals, and posts, which come after. */
enum weft_mail_kind
{
    WEFT_MAIL_STAMP,
    WEFT_MAIL_REPLY,
    WEFT_MAIL_LOSS,
    WEFT_MAIL_PROGRAM = 8, /**< and enum weft_net_step */
    WEFT_MAIL_FAILED = 14, /**< a message that is posted when its QP has been given up */
    WEFT_MAIL_SEND = 15,   /**< a packet of the program's own */
    WEFT_MAIL_LAST = 15,
};

/** Returns the key of a letter in the agenda. @p number: its place within the kind,
 * below 2^56. */
static inline uint64_t
weft_mail_key(unsigned kind, uint64_t number)
{
    return (uint64_t)kind << 56 | number;
}

/** Returns a letter with unspecified contents. */
struct weft_letter *weft_letter_get(struct weft_worker *worker);
/** Gives a letter back. */
void weft_letter_put(struct weft_worker *worker, struct weft_letter *letter);

/** Sends a letter to a host, where it is read @p at. @p key: weft_mail_key(). */
void weft_mail_send(struct weft_worker *worker, uint32_t host, int64_t at, uint64_t key,
                    struct weft_letter *letter);
/** Puts a letter into the mail of a host, which nobody else runs just now. @p order: within the
 * key.
 */
void weft_mail_put(struct weft_worker *worker, uint32_t host, int64_t at, uint64_t key,
                   uint64_t order, struct weft_letter *letter);
/** Tells the sender of a packet that it is lost: as late as an idle fabric would let it know. */
void weft_mail_loss(struct weft_worker *worker, const struct weft_packet *lost, int64_t now);

#endif

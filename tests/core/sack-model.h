/* SPDX-License-Identifier: MIT */
/**
 * @file sack-model.h  What sack promises of its sender, written down plainly: sets of packets,
 * scanned whole at every step. Packets are numbered from 0.
 */
#ifndef WEFT_TESTS_SACK_MODEL_H
#define WEFT_TESTS_SACK_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <weft/transport.h>

#define SACK_MODEL_PACKETS 6000

struct sack_model
{
    int32_t threshold;
    int64_t rto;
    uint32_t limit;  /* most packets in flight */
    uint32_t window; /* most packets from una on */
    uint32_t posted;
    uint32_t una;
    uint32_t end;
    uint32_t top;     /* one past the highest acknowledged packet */
    uint32_t overdue; /* what had been sent when the timer was started */
    uint32_t mark;    /* packets from it on were sent after the round */
    bool watching;    /* a round is out */
    int64_t deadline;
    struct
    {
        bool acked;
        bool tried;   /* found missing once, or overdue */
        bool queued;  /* to be sent for the second time */
        bool again;   /* to be sent for the third time or more */
        bool round;   /* belongs to the round that is out */
        bool timed;   /* the timer fired since it was last sent */
        uint32_t end; /* end when it was last sent: what follows it */
        uint32_t sent;
    } packet[SACK_MODEL_PACKETS];
};

void sack_model_init(struct sack_model *m, int32_t threshold, int64_t rto, uint32_t limit,
                     uint32_t window);
/** Packet @p answered arrived, and everything before @p epsn. Returns the newly acknowledged. */
uint32_t sack_model_reply(struct sack_model *m, uint32_t epsn, uint32_t answered, int64_t now);
/** enum weft_tx_what, and the packet. */
int sack_model_next(struct sack_model *m, int64_t now, uint32_t *index);
/** Packets sent, neither acknowledged nor waiting to be sent again. */
uint32_t sack_model_flight(const struct sack_model *m);
/** Packets acknowledged before their turn. */
uint32_t sack_model_sacked(const struct sack_model *m);
void sack_model_timeout(struct sack_model *m, int64_t now);

#endif

/* SPDX-License-Identifier: MIT */
/**
 * @file sack-model.h  Model of sack's sender, written down plainly: sets of packets, scanned whole
 * at every step. Packets are numbered from 0.
 */
#ifndef WEFT_TESTS_SACK_MODEL_H
#define WEFT_TESTS_SACK_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <weft/transport.h>

#define SACK_MODEL_PACKETS 6000

/** Model of losses that time shows. All times in ps. */
struct sack_model_time
{
    int64_t newest; /* when the newest answered packet left */
    int64_t late, window, least, most;
    int64_t rtt, variation;
    int64_t due, mark_at;
    int64_t last;   /* when the last packet left for the first time */
    int64_t resent; /* when the last retransmission left, but alone */
    int64_t left;   /* the same of the round */
    int64_t probe_at;
    uint32_t tries;
    uint32_t n; /* milestones, the oldest one first */
    struct
    {
        int64_t left;
        uint32_t end;
    } milestone[8];
};

struct sack_model
{
    int32_t threshold; /* 0: time decides */
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
    int64_t deadline; /* of the timer */
    struct sack_model_time time;
    struct
    {
        bool acked;
        bool tried;       /* found missing once, or overdue */
        bool queued;      /* to be sent for the second time */
        bool again;       /* to be sent for the third time or more */
        bool waits_alone; /* to be sent again with no others */
        bool alone;       /* it last was */
        bool round;       /* belongs to the round that is out */
        bool timed;       /* the timer fired since it was last sent */
        uint32_t end;     /* end when it was last sent: what follows it */
        uint32_t sent;
        int64_t left; /* when it was last sent */
    } packet[SACK_MODEL_PACKETS];
};

void sack_model_init(struct sack_model *m, int32_t threshold, int64_t rto, uint32_t limit,
                     uint32_t window);
/** Time decides, from this base RTT on. */
void sack_model_by_time(struct sack_model *m, int64_t rtt);
/** Packet @p answered arrived, which left at @p sent (-1: a NACK), and everything before @p epsn.
 * Returns the newly acknowledged. */
uint32_t sack_model_reply(struct sack_model *m, uint32_t epsn, uint32_t answered, int64_t sent,
                          int64_t now);
/** When sack_model_timeout() is due. */
int64_t sack_model_deadline(const struct sack_model *m);
/** enum weft_tx_what, and the packet. */
int sack_model_next(struct sack_model *m, int64_t now, uint32_t *index);
/** Packets sent, neither acknowledged nor waiting to be sent again. */
uint32_t sack_model_flight(const struct sack_model *m);
/** Packets acknowledged before their turn. */
uint32_t sack_model_sacked(const struct sack_model *m);
void sack_model_timeout(struct sack_model *m, int64_t now);

#endif

/* SPDX-License-Identifier: MIT */
/** @file collective.h A collective: a graph of messages that is under way. Private. */
#ifndef WEFT_COLLECTIVE_H
#define WEFT_COLLECTIVE_H

#include "node/shared.h"
#include "run/run-parts.h"

/** Step of a group, where barriers are. */
struct weft_step
{
    uint32_t left;  /**< messages not acknowledged yet */
    uint32_t lost;  /**< messages that never will be */
    uint32_t first; /**< its messages: member[first .. first + n) */
    uint32_t n;
    int64_t last; /**< when the last of those that are was acknowledged */
};

/** Messages that a host posts at one instant and a planner sees together. */
struct weft_together
{
    struct weft_post *post;
    uint32_t n;
    uint32_t room;
};

/** News of a program, counted as those of messages are. */
enum weft_play_news
{
    WEFT_PLAY_RELEASED = WEFT_MESSAGE_FAILED + 1, /**< a message may be posted */
    WEFT_PLAY_COMPUTES,                           /**< something ends by itself, later */
    WEFT_PLAY_COMPUTED,                           /**< it has ended */
};

struct weft_play;

struct weft_collective
{
    struct weft_run *run;
    struct weft_collective_config is;
    struct weft_listener listener;
    struct weft_connection **connection;         /**< [QP of the graph] */
    struct weft_together *together[WEFT_LEVELS]; /**< [host]; NULL: that level plans nothing */
    uint32_t nsteps;                             /**< of each group */
    struct weft_step *step; /**< [group * nsteps + step]; NULL: there are no barriers */
    uint32_t *member;       /**< messages, step by step */
    int64_t news;           /**< ps from the end of a step to the next one's beginning */
    size_t acked;
    size_t done;          /**< messages acknowledged and delivered */
    size_t failed;        /**< messages given up by their senders */
    size_t undelivered;   /**< of these: not delivered */
    size_t unstarted;     /**< messages that wait for such */
    uint32_t *lost_waits; /**< [message]: how many that it waits for will not be delivered; NULL as
                             long as none is given up */
    uint32_t *lost;       /**< as long: messages whose successors are to be told */
    struct weft_play *play; /**< [is.nprograms] */
    size_t held;            /**< messages that no operation has released yet */
    size_t computing;       /**< operations that will end by themselves */
    int64_t last_delivery;
    int64_t done_at;
    bool released;                /**< something was, by what all ranks hear of */
    struct weft_outcome *outcome; /**< of this rank, of which the others are yet to hear */
    uint32_t noutcomes, outcome_room;
};

/** Counts one thing less that a message waits for; its sender knows of that @p at. */
void weft_collective_count(struct weft_collective *c, uint32_t message, int64_t at);
/** Counts what waits for a message, as far as the host knows that sends it: the receiver at
 * delivery, the sender at its ACK. */
void weft_collective_count_next(struct weft_collective *c, uint32_t message, bool sender,
                                int64_t at);
/** Notes what has become of a message: at once, or where there are ranks for all of them. */
void weft_collective_note(struct weft_collective *c, uint32_t message, enum weft_message_end end,
                          int64_t now);
/** Notes the same of a program. */
void weft_collective_note_play(struct weft_collective *c, uint32_t message,
                               enum weft_play_news what, int64_t now);

/** Sets the programs up, and has them begin. */
void weft_plays_begin(struct weft_collective *c);
/** A message is delivered, acknowledged or given up: its host is run just now. */
void weft_plays_delivered(struct weft_collective *c, uint32_t message, int64_t now);
void weft_plays_acked(struct weft_collective *c, uint32_t message, int64_t now);
void weft_plays_failed(struct weft_collective *c, uint32_t message);
/** The sender of a message that it has given up hears @p at that it was delivered. */
void weft_plays_answered(struct weft_collective *c, uint32_t message, int64_t at);
/** Rank 0 gets all times. */
void weft_plays_gather(struct weft_collective *c);

/** Returns the step of a message, where there are barriers. */
static inline struct weft_step *
weft_step_of(const struct weft_collective *c, const struct weft_message *m)
{
    return &c->step[(size_t)m->group * c->nsteps + m->step];
}

/** Returns the step that waits for one, or NULL. */
static inline const struct weft_step *
weft_step_behind(const struct weft_collective *c, const struct weft_message *m)
{
    return m->step + 1 < c->nsteps ? weft_step_of(c, m) + 1 : NULL;
}

#endif

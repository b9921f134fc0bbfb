/* SPDX-License-Identifier: MIT */
/* Messages in an order in which each comes after what it waits for, as early as it can be. */
#ifndef WEFT_TRAFFIC_WALK_H
#define WEFT_TRAFFIC_WALK_H

#include "base/saturating.h"

#include <weft/bounds.h>

struct weft_walk
{
    const struct weft_traffic *t;
    int64_t *ready;  /* by message, ps: what it waits for is there */
    uint32_t *waits; /* by message: for so many that were not walked over */
    uint32_t *order;
    uint32_t n; /* in that order so far */
};

/* The next @p bytes of the memory, of which @p used are taken; NULL: of none. */
static inline void *
weft_walk_take(void *memory, size_t *used, size_t bytes)
{
    void *at = memory != NULL ? (char *)memory + *used : NULL;
    *used += (bytes + 7) / 8 * 8;
    return at;
}

/* Takes memory for a walk. */
void weft_walk_lay_out(struct weft_walk *w, const struct weft_traffic *t, void *memory,
                       size_t *used);

/* @p barriers: those count among what is waited for. */
void weft_walk_begin(struct weft_walk *w, bool barriers);

/* When a message may start, ps. */
int64_t weft_walk_start(const struct weft_walk *w, uint32_t message);

/* Releases a message from one that it waits for, which ends at @p time. */
void weft_walk_release(struct weft_walk *w, uint32_t message, int64_t time);

/* Releases all that wait for @p m itself, which is there at @p end. */
void weft_walk_on(struct weft_walk *w, const struct weft_message *m, int64_t end);

/* Returns the bytes that weft_traffic_least_time() takes of the memory. */
size_t weft_least_time_memory(const struct weft_traffic *t);

#endif

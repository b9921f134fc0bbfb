/* SPDX-License-Identifier: MIT */
/** @file fib-walk.h Links as the walk over a Clos' exceptions sees them: how many are down, at
 * which level of capacity. Private to fib.c. */
#ifndef WEFT_TOPO_FIB_WALK_H
#define WEFT_TOPO_FIB_WALK_H

#include <string.h>

#include "topo/clos-shape.h"
#include "topo/fib.h"

/* The capacity of a link as planned: a multiple of the small numbers, so that weights stay small.
 */
#define WHOLE UINT32_C(720720)

struct walk
{
    const struct weft_clos *clos;
    struct weft_fib_case of;
    uint32_t level;       /* links of less than this part of WHOLE do not count */
    struct weft_fib *fib; /* NULL: only count */
    uint32_t nhurt;       /* ToRs that have lost a link upwards */
    uint64_t entries;
    uint64_t words;                  /* of the pool */
    uint32_t joint[WEFT_MAX_PORTS];  /* [aggregation]: paths to its namesake in another pod */
    uint64_t via[WEFT_MAX_PORTS];    /* [aggregation]: paths from it to a ToR of that pod */
    uint64_t weight[WEFT_MAX_PORTS]; /* [port of the group] of the list in hand */
    uint64_t part[WEFT_MAX_PORTS];   /* the same of one level */
};

/* The place of the first dead link from number @p first on. */
static inline size_t
first_dead(const struct walk *w, uint64_t first)
{
    size_t lo = 0;
    size_t hi = w->of.ndead;
    while (lo < hi)
    {
        const size_t mid = lo + (hi - lo) / 2;
        if (w->of.dead[mid] < first)
        {
            lo = mid + 1;
        }
        else
        {
            hi = mid;
        }
    }
    return lo;
}

/* The place of the first slow link from number @p first on. */
static inline size_t
first_slow(const struct walk *w, uint64_t first)
{
    size_t lo = 0;
    size_t hi = w->of.nslow;
    while (lo < hi)
    {
        const size_t mid = lo + (hi - lo) / 2;
        if (w->of.slow[mid].link < first)
        {
            lo = mid + 1;
        }
        else
        {
            hi = mid;
        }
    }
    return lo;
}

static inline uint32_t
level_of(const struct walk *w, const struct weft_slow_link *slow)
{
    const struct weft_clos *c = w->clos;
    const int64_t planned = slow->link < c->nhosts                  ? c->host_rate
                            : slow->link < weft_clos_agg_link(c, 0) ? c->fabric_rate
                                                                    : c->core_rate;
    const uint64_t level =
        slow->rate < planned ? (uint64_t)slow->rate * WHOLE / (uint64_t)planned : WHOLE;
    return level > 0 ? (uint32_t)level : 1;
}

/* Whether that slow link is below the level in hand, and is not dead anyway. */
static inline bool
is_below(const struct walk *w, size_t slow)
{
    const uint64_t link = w->of.slow[slow].link;
    const size_t dead = first_dead(w, link);
    return level_of(w, &w->of.slow[slow]) < w->level &&
           (dead == w->of.ndead || w->of.dead[dead] != link);
}

/* The next level above the one in hand, the least that a link has; the last one is WHOLE. */
static inline uint32_t
next_level(const struct walk *w)
{
    uint32_t next = WHOLE;
    for (size_t i = 0; i < w->of.nslow; i++)
    {
        const uint32_t level = level_of(w, &w->of.slow[i]);
        next = level > w->level && level < next ? level : next;
    }
    return next;
}

/* Links that are down at the level in hand; at WHOLE, all that are not as planned. */
static inline uint32_t
count_dead(const struct walk *w, uint64_t first, uint64_t count)
{
    const size_t begin = first_dead(w, first);
    size_t i = begin;
    while (i < w->of.ndead && w->of.dead[i] - first < count)
    {
        i++;
    }
    uint32_t n = (uint32_t)(i - begin);
    for (size_t k = first_slow(w, first); k < w->of.nslow && w->of.slow[k].link - first < count;
         k++)
    {
        n += is_below(w, k);
    }
    return n;
}

/* Sets the level's weights of a group's dead links, which begin at number @p first, to 0. */
static inline void
clear_dead(struct walk *w, uint64_t first, uint32_t count)
{
    for (size_t i = first_dead(w, first); i < w->of.ndead && w->of.dead[i] - first < count; i++)
    {
        w->part[w->of.dead[i] - first] = 0;
    }
    for (size_t i = first_slow(w, first); i < w->of.nslow && w->of.slow[i].link - first < count;
         i++)
    {
        if (is_below(w, i))
        {
            w->part[w->of.slow[i].link - first] = 0;
        }
    }
}

/* Begins the weights of @p n ports, before the first level. */
static inline void
begin_weights(struct walk *w, uint32_t n)
{
    memset(w->weight, 0, n * sizeof *w->weight);
    w->level = 0;
}

/* Goes on to the next level; returns what it is above the last one, 0 after WHOLE. */
static inline uint32_t
take_level(struct walk *w)
{
    const uint32_t last = w->level;
    w->level = last == WHOLE ? WHOLE : next_level(w);
    return w->level - last;
}

static inline void
add_level(struct walk *w, uint32_t n, uint32_t step)
{
    for (uint32_t i = 0; i < n; i++)
    {
        w->weight[i] += w->part[i] * step;
    }
}

#endif

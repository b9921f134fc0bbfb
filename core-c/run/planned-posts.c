/* SPDX-License-Identifier: MIT */
/* Posts of a host's messages, planned together where a balancer plans. */
#include "run/run-parts.h"

#include <stdio.h>
#include <string.h>

#define WHY 160 /* bytes of a sentence */

/* Makes room for @p n messages. */
static void
make_room(const struct weft_run *run, struct weft_plan_room *room, uint32_t n)
{
    if (n > room->size)
    {
        const struct weft_memory *memory = weft_run_memory(run);
        room->size = 2 * n;
        room->asks = weft_take(memory, room->size * sizeof *room->asks);
        room->messages = weft_take(memory, room->size * sizeof *room->messages);
        room->count = weft_take(memory, room->size * sizeof *room->count);
    }
    memset(room->count, 0, n * sizeof *room->count);
}

static void
check_part(const struct weft_run *run, const struct weft_run_level *level, uint32_t host,
           const struct weft_plan_part *part, uint32_t n)
{
    char why[WHY];
    const struct weft_plan_room *room = &level->room[host];
    if (part->message >= n || part->bytes == 0 || part->delay < 0)
    {
        snprintf(why, sizeof why, "a part of message %u of %u, of %llu B, in %lld ps",
                 (unsigned)part->message, (unsigned)n, (unsigned long long)part->bytes,
                 (long long)part->delay);
        weft_run_breaks(run, why);
    }
    const uint32_t most = weft_planner_most(level, host, room->asks[part->message].dst);
    if (part->qp >= most)
    {
        snprintf(why, sizeof why, "a part for QP %u of a connection that has %u at most",
                 (unsigned)part->qp, (unsigned)most);
        weft_run_breaks(run, why);
    }
}

/* Plans messages; returns how many parts they have, which are as they should be. */
static size_t
plan(struct weft_run *run, struct weft_run_level *level, uint32_t host,
     const struct weft_post *posts, uint32_t n, int64_t now)
{
    struct weft_plan_room *room = &level->room[host];
    void *state = level->hosts + level->words * host;
    make_room(run, room, n);
    for (uint32_t i = 0; i < n; i++)
    {
        room->asks[i] = (struct weft_plan_message){posts[i].connection->dst,
                                                   posts[i].connection->index, posts[i].bytes};
    }
    const size_t most = level->plan->most_parts(state, room->asks, n);
    if (most > room->nparts)
    {
        room->nparts = 2 * most;
        room->parts = weft_take(weft_run_memory(run), room->nparts * sizeof *room->parts);
    }
    const size_t nparts = level->plan->plan(state, room->asks, n, now, room->parts);
    for (size_t k = 0; k < nparts; k++)
    {
        const struct weft_plan_part *part = &room->parts[k];
        check_part(run, level, host, part, n);
        room->count[part->message]++;
        room->asks[part->message].bytes -= part->bytes;
    }
    return nparts;
}

void
weft_planner_post(struct weft_run *run, uint32_t host, const struct weft_post *posts, uint32_t n,
                  int64_t now)
{
    struct weft_run_level *level = &run->level[posts->connection->level];
    struct weft_plan_room *room = &level->room[host];
    const size_t nparts = plan(run, level, host, posts, n, now);
    for (uint32_t i = 0; i < n; i++)
    {
        if (room->asks[i].bytes != 0)
        {
            char why[WHY];
            snprintf(why, sizeof why, "the parts of a message of %llu B do not add up to it",
                     (unsigned long long)posts[i].bytes);
            weft_run_breaks(run, why);
        }
        room->messages[i] =
            weft_connection_begin(posts[i].connection, posts[i].tag, room->count[i]);
    }
    for (size_t k = 0; k < nparts; k++)
    {
        const struct weft_plan_part *part = &room->parts[k];
        weft_connection_post(posts[part->message].connection, room->messages[part->message], part,
                             now);
    }
}

/* Has a level's planner plan those of its messages. */
static void
plan_level(struct weft_run *run, uint32_t src, const struct weft_post *posts, size_t n,
           uint32_t level, int64_t now)
{
    uint32_t nown = 0;
    for (size_t i = 0; i < n; i++)
    {
        nown += posts[i].connection->level == level;
    }
    if (nown == n)
    {
        weft_planner_post(run, src, posts, nown, now);
        return;
    }
    struct weft_post *own = weft_scratch_take(run, nown * sizeof *own);
    uint32_t k = 0;
    for (size_t i = 0; i < n; i++)
    {
        if (posts[i].connection->level == level)
        {
            own[k++] = posts[i];
        }
    }
    weft_planner_post(run, src, own, nown, now);
    weft_scratch_give(run, own);
}

void
weft_run_post(struct weft_run *run, uint32_t src, const struct weft_post *posts, size_t n,
              int64_t now)
{
    uint32_t planned = 0; /* bit of each level whose planner has seen its messages */
    for (size_t i = 0; i < n; i++)
    {
        const uint32_t level = posts[i].connection->level;
        if (!run->level[level].plan)
        {
            weft_run_post_now(run, posts[i].connection->first, posts[i].bytes, posts[i].tag, now);
        }
        else if (!(planned >> level & 1))
        {
            planned |= 1U << level;
            plan_level(run, src, posts + i, n - i, level, now);
        }
    }
}

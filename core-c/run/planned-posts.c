/* SPDX-License-Identifier: MIT */
/* Posts of a host's messages, planned together where a balancer plans. */
#include "run/run-parts.h"

#include <stdio.h>
#include <string.h>

#define WHY 160 /* bytes of a sentence */

/* Takes room for @p n messages of a host, which may post again while these are posted. */
static struct weft_plan_room *
take_room(const struct weft_run *run, struct weft_run_level *level, uint32_t host, uint32_t n)
{
    const struct weft_memory *memory = weft_run_memory(run);
    struct weft_plan_room *room = level->room[host];
    level->room[host] = room ? room->next : NULL;
    room = room ? room : weft_take(memory, sizeof *room);
    if (n > room->size)
    {
        room->size = 2 * n;
        room->posts = weft_take(memory, room->size * sizeof *room->posts);
        room->asks = weft_take(memory, room->size * sizeof *room->asks);
        room->messages = weft_take(memory, room->size * sizeof *room->messages);
        room->count = weft_take(memory, room->size * sizeof *room->count);
    }
    memset(room->count, 0, n * sizeof *room->count);
    return room;
}

static void
check_part(const struct weft_run *run, const struct weft_run_level *level,
           const struct weft_plan_room *room, uint32_t host, const struct weft_plan_part *part,
           uint32_t n)
{
    char why[WHY];
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

/* Plans messages, those behind @p across aside, which go inside a server: each of them is one part.
 * Returns how many parts they have, which are as they should be. */
static size_t
plan(const struct weft_run *run, const struct weft_run_level *level, struct weft_plan_room *room,
     uint32_t host, uint32_t across, uint32_t n, int64_t now)
{
    void *state = level->hosts + level->words * host;
    for (uint32_t i = 0; i < n; i++)
    {
        const struct weft_post *post = &room->posts[i];
        room->asks[i] =
            (struct weft_plan_message){post->connection->dst, post->connection->index, post->bytes};
    }
    const size_t planned = across > 0 ? level->plan->most_parts(state, room->asks, across) : 0;
    const size_t most = planned + (n - across);
    if (most > room->nparts)
    {
        room->nparts = 2 * most;
        room->parts = weft_take(weft_run_memory(run), room->nparts * sizeof *room->parts);
    }
    size_t nparts = across > 0 ? level->plan->plan(state, room->asks, across, now, room->parts) : 0;
    for (uint32_t i = across; i < n; i++)
    {
        room->parts[nparts++] = (struct weft_plan_part){.message = i, .bytes = room->asks[i].bytes};
    }
    for (size_t k = 0; k < nparts; k++)
    {
        const struct weft_plan_part *part = &room->parts[k];
        check_part(run, level, room, host, part, n);
        room->count[part->message]++;
        room->asks[part->message].bytes -= part->bytes;
    }
    return nparts;
}

/* Begins messages that are planned: their parts add up to them. */
static void
begin_messages(const struct weft_run *run, struct weft_plan_room *room, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
    {
        const struct weft_post *post = &room->posts[i];
        if (room->asks[i].bytes != 0)
        {
            char why[WHY];
            snprintf(why, sizeof why, "the parts of a message of %llu B do not add up to it",
                     (unsigned long long)post->bytes);
            weft_run_breaks(run, why);
        }
        room->messages[i] = weft_connection_begin(post->connection, post->tag, room->count[i]);
    }
}

/* Adds a level's posts that go inside a server, or the others, to the first @p have; returns how
 * many there are then. */
static uint32_t
take_posts(const struct weft_run *run, struct weft_plan_room *room, uint32_t level, bool inside,
           uint32_t have, const struct weft_post *posts, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        const struct weft_connection *c = posts[i].connection;
        if (c->level == level && weft_clos_inside(run->clos, c->src, c->dst) == inside)
        {
            room->posts[have++] = posts[i];
        }
    }
    return have;
}

void
weft_planner_post(struct weft_run *run, uint32_t host, uint32_t number,
                  const struct weft_post *posts, size_t n, int64_t now)
{
    struct weft_run_level *level = &run->level[number];
    struct weft_plan_room *room = take_room(run, level, host, (uint32_t)n);
    const uint32_t across = take_posts(run, room, number, false, 0, posts, n);
    const uint32_t nown = take_posts(run, room, number, true, across, posts, n);
    const size_t nparts = plan(run, level, room, host, across, nown, now);
    begin_messages(run, room, nown);
    for (size_t k = 0; k < nparts; k++)
    {
        const struct weft_plan_part *part = &room->parts[k];
        weft_connection_post(room->posts[part->message].connection, room->messages[part->message],
                             part, now);
    }
    room->next = level->room[host];
    level->room[host] = room;
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
            weft_planner_post(run, src, level, posts + i, n - i, now);
        }
    }
}

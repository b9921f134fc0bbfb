/* SPDX-License-Identifier: MIT */
#include "link/lane.h"

void
weft_lane_extend(struct weft_lane *lane, struct weft_chunks *chunks)
{
    struct weft_chunk *chunk = chunks->free;
    if (chunk)
    {
        chunks->free = chunk->next;
    }
    else
    {
        chunk = chunks->take(chunks->of, sizeof *chunk);
        chunk->home = chunks;
    }
    chunk->next = NULL;
    const struct weft_place begin = weft_chunk_begin(chunk);
    if (lane->last.end)
    {
        weft_chunk_of(&lane->last)->next = chunk;
    }
    else
    {
        lane->head = begin;
    }
    lane->last = begin;
}

struct weft_chunk *
weft_lane_empty(struct weft_lane *lane)
{
    struct weft_chunk *chunk = NULL;
    if (lane->last.end && lane->waiting == 0 && lane->taken == lane->left)
    {
        chunk = weft_chunk_of(&lane->last);
        lane->last = (struct weft_place){NULL, NULL};
    }
    return chunk;
}

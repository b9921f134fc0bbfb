/* SPDX-License-Identifier: MIT */
#include "fabric/lane.h"

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
    if (lane->last)
    {
        lane->last->next = chunk;
    }
    else
    {
        lane->head = chunk;
    }
    lane->last = chunk;
    lane->last_at = 0;
}

/* SPDX-License-Identifier: MIT */
/**
 * @file lane.h  The queue of one class of a port and the wire behind it, in one. Private.
 *
 * A frame is written once, when it joins the queue. When it leaves it gets its time of arrival in
 * place, and the node at the other end reads it there. One node writes a lane and one reads it:
 * what the reader sees are the frames that have left, and chunks that it has read go back to the
 * writer.
 */
#ifndef WEFT_LANE_H
#define WEFT_LANE_H

#include <stddef.h>
#include <stdint.h>

#include <weft/packet.h>

/** A frame in a queue or on a wire. */
struct weft_frame
{
    struct weft_packet d;
    int64_t at; /**< when it is whole at the other end, ps; while it waits, unspecified */
};

/** Frames of a chunk: as many as fit 512 bytes. */
#define WEFT_CHUNK_FRAMES 10U

struct weft_chunk
{
    struct weft_chunk *next;  /**< the one behind it in its lane, or in a free list */
    struct weft_chunks *home; /**< to which it goes back */
    struct weft_frame frame[WEFT_CHUNK_FRAMES];
};

/** Chunks of one thread. They are taken from the caller's memory, and never go back there. */
struct weft_chunks
{
    struct weft_chunk *free;               /**< to be used again */
    void *(*take)(void *of, size_t bytes); /**< memory, 8-byte aligned; it must not fail */
    void *of;                              /**< handed to take() */
    uint32_t worker;                       /**< number of the worker that has them */
};

/** Where one is in a chunk: at a frame, or behind the last one. */
struct weft_place
{
    struct weft_frame *frame;
    struct weft_frame *end; /**< of the chunk; NULL: there is none yet */
};

/** Lane: one traffic class of one direction of a link. As long as a cache line of 64 bytes. */
struct weft_lane
{
    /* The writer's. */
    struct weft_place last;  /**< where the next frame joins */
    struct weft_place first; /**< if any waits, where the frame is that leaves next */
    uint32_t waiting;        /**< frames in the queue */
    /* The writer writes, the reader reads. */
    uint32_t left;  /**< frames that ever left, modulo 2^32 */
    uint32_t shown; /**< of those, if another thread reads */
    /* The reader's. */
    uint32_t taken;         /**< frames that ever were read, modulo 2^32 */
    struct weft_place head; /**< of the next one, once anything has left */
};

/** The chunk of a place. */
static inline struct weft_chunk *
weft_chunk_of(const struct weft_place *place)
{
    return (struct weft_chunk *)(void *)((char *)(place->end - WEFT_CHUNK_FRAMES) -
                                         offsetof(struct weft_chunk, frame));
}

/** The first place of a chunk. */
static inline struct weft_place
weft_chunk_begin(struct weft_chunk *chunk)
{
    return (struct weft_place){chunk->frame, chunk->frame + WEFT_CHUNK_FRAMES};
}

/** Another chunk for the end of a lane. */
void weft_lane_extend(struct weft_lane *lane, struct weft_chunks *chunks);

/** A chunk that has been read goes back to where it is from: that thread's alone. */
static inline void
weft_chunk_put(struct weft_chunk *chunk)
{
    chunk->next = chunk->home->free;
    chunk->home->free = chunk;
}

/** A lane in which nothing waits, and of which all has been read, needs its last chunk no more:
 * returns it, or NULL. */
struct weft_chunk *weft_lane_empty(struct weft_lane *lane);

/** Room for a frame at the end of the queue: the caller fills it in. */
static inline struct weft_frame *
weft_lane_join(struct weft_lane *lane, struct weft_chunks *chunks)
{
    if (lane->last.frame == lane->last.end)
    {
        weft_lane_extend(lane, chunks);
    }
    if (lane->waiting++ == 0)
    {
        lane->first = lane->last;
    }
    return lane->last.frame++;
}

/** Room for a frame that leaves at once; nothing may wait. */
static inline struct weft_frame *
weft_lane_pass(struct weft_lane *lane, struct weft_chunks *chunks)
{
    if (lane->last.frame == lane->last.end)
    {
        weft_lane_extend(lane, chunks);
    }
    lane->left++;
    return lane->last.frame++;
}

/** The frame that leaves next; one must wait. */
static inline struct weft_frame *
weft_lane_first(struct weft_lane *lane)
{
    if (lane->first.frame == lane->first.end)
    {
        lane->first = weft_chunk_begin(weft_chunk_of(&lane->first)->next);
    }
    return lane->first.frame;
}

/** The frame that joined last; it must still wait. */
static inline struct weft_frame *
weft_lane_newest(const struct weft_lane *lane)
{
    return lane->last.frame - 1;
}

/** The first frame leaves: it is on the wire, and its time of arrival is to be written. */
static inline struct weft_frame *
weft_lane_leave(struct weft_lane *lane)
{
    struct weft_frame *frame = weft_lane_first(lane);
    lane->first.frame = frame + 1;
    lane->waiting--;
    lane->left++;
    return frame;
}

#endif

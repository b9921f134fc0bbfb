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
    uint32_t thread;                       /**< its number */
};

/** One class of one direction of a link. */
struct weft_lane
{
    /* The writer's. */
    struct weft_chunk *last;  /**< where the next frame joins */
    uint32_t last_at;         /**< its place there; WEFT_CHUNK_FRAMES: in another chunk */
    uint32_t waiting;         /**< frames in the queue */
    struct weft_chunk *first; /**< if any waits, where the frame is that leaves next */
    uint32_t first_at;        /**< its place there */
    /* The writer writes, the reader reads. */
    uint32_t left; /**< frames that ever left, modulo 2^32 */
    /* The reader's. */
    uint32_t taken;          /**< frames that ever were read, modulo 2^32 */
    uint32_t head_at;        /**< the place of the next one */
    struct weft_chunk *head; /**< where it is, once anything has left */
    uint32_t shown;          /**< of those that left, if another thread reads */
};

/** Empty, and no chunk is its yet. */
#define WEFT_LANE_INIT ((struct weft_lane){.last_at = WEFT_CHUNK_FRAMES})

/** Another chunk for the end of a lane. */
void weft_lane_extend(struct weft_lane *lane, struct weft_chunks *chunks);

/** Room for a frame at the end of the queue: the caller fills it in. */
static inline struct weft_frame *
weft_lane_join(struct weft_lane *lane, struct weft_chunks *chunks)
{
    if (lane->last_at == WEFT_CHUNK_FRAMES)
    {
        weft_lane_extend(lane, chunks);
    }
    if (lane->waiting++ == 0)
    {
        lane->first = lane->last;
        lane->first_at = lane->last_at;
    }
    return &lane->last->frame[lane->last_at++];
}

/** Room for a frame that leaves at once; nothing may wait. */
static inline struct weft_frame *
weft_lane_pass(struct weft_lane *lane, struct weft_chunks *chunks)
{
    if (lane->last_at == WEFT_CHUNK_FRAMES)
    {
        weft_lane_extend(lane, chunks);
    }
    lane->left++;
    return &lane->last->frame[lane->last_at++];
}

/** The frame that leaves next; one must wait. */
static inline struct weft_frame *
weft_lane_first(struct weft_lane *lane)
{
    if (lane->first_at == WEFT_CHUNK_FRAMES)
    {
        lane->first = lane->first->next;
        lane->first_at = 0;
    }
    return &lane->first->frame[lane->first_at];
}

/** The frame that joined last; it must still wait. */
static inline struct weft_frame *
weft_lane_newest(const struct weft_lane *lane)
{
    return &lane->last->frame[lane->last_at - 1];
}

/** The first frame leaves: it is on the wire, and its time of arrival is to be written. */
static inline struct weft_frame *
weft_lane_leave(struct weft_lane *lane)
{
    struct weft_frame *frame = weft_lane_first(lane);
    lane->first_at++;
    lane->waiting--;
    lane->left++;
    return frame;
}

#endif

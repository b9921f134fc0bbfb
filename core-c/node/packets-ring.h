/* SPDX-License-Identifier: MIT */
/** @file packets-ring.h Queue of packets at a host: a ring that grows. Private. */
#ifndef WEFT_PACKETS_RING_H
#define WEFT_PACKETS_RING_H

#include "node/worker.h"

/** A queue of packets, a ring that grows. */
struct weft_packets_ring
{
    struct weft_packet *ring;
    uint32_t size; /**< a power of two, or 0 */
    uint32_t head; /**< modulo 2^32 */
    uint32_t tail; /**< modulo 2^32 */
};

/** Returns the packet of a number from `head` on. */
static inline struct weft_packet *
weft_packets_at(const struct weft_packets_ring *r, uint32_t i)
{
    return &r->ring[i & (r->size - 1)];
}

/** Returns how many packets wait. */
static inline uint32_t
weft_packets_n(const struct weft_packets_ring *r)
{
    return r->tail - r->head;
}

/** Returns the number of the first packet that PFC does not keep back, or `tail`. */
static inline uint32_t
weft_packets_find(const struct weft_packets_ring *r, uint32_t paused)
{
    uint32_t i = r->head;
    while (i != r->tail && (paused >> weft_packets_at(r, i)->tclass & 1U))
    {
        i++;
    }
    return i;
}

/** Whether one of them may go. */
static inline bool
weft_packets_any(const struct weft_packets_ring *r, uint32_t paused)
{
    return r->head != r->tail && (paused == 0 || weft_packets_find(r, paused) != r->tail);
}

/** Adds a packet behind the others. */
static inline void
weft_packets_push(struct weft_packets_ring *r, const struct weft_packet *p,
                  const struct weft_memory *memory)
{
    if (r->tail - r->head == r->size)
    {
        const uint32_t size = r->size ? 2 * r->size : 8;
        struct weft_packet *ring = weft_take(memory, size * sizeof *ring);
        for (uint32_t i = 0; i < r->size; i++)
        {
            ring[i] = *weft_packets_at(r, r->head + i);
        }
        *r = (struct weft_packets_ring){.ring = ring, .size = size, .tail = r->size};
    }
    *weft_packets_at(r, r->tail++) = *p;
}

/** Takes the first packet that may go out of the ring, where it lies until the next push. There is
 * one. */
static inline const struct weft_packet *
weft_packets_pop(struct weft_packets_ring *r, uint32_t paused)
{
    uint32_t i = paused == 0 ? r->head : weft_packets_find(r, paused);
    if (i != r->head)
    {
        const struct weft_packet p = *weft_packets_at(r, i);
        for (; i != r->head; i--)
        {
            *weft_packets_at(r, i) = *weft_packets_at(r, i - 1);
        }
        *weft_packets_at(r, i) = p;
    }
    return weft_packets_at(r, r->head++);
}

#endif

/* SPDX-License-Identifier: MIT */
/**
 * @file ring.h  A FIFO ring of truncated PSNs in the caller's memory: 1 to 4 bytes an entry.
 *
 * A full ring gives up its oldest entry for a new one.
 */
#ifndef WEFT_BASE_RING_H
#define WEFT_BASE_RING_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** Head of a ring; capacity * width bytes of slots follow it in memory. */
    struct weft_ring
    {
        uint16_t capacity; /**< entries, >= 1 */
        uint16_t head;     /**< slot of the oldest entry */
        uint16_t count;    /**< entries held */
        uint8_t width;     /**< bytes of an entry, 1 to 4 */
    };

    /** Bytes of slots for @p capacity entries of @p width bytes. */
    static inline size_t weft_ring_size(uint32_t capacity, uint32_t width)
    {
        return (size_t)capacity * width;
    }

    static inline uint8_t *weft_ring_slots(const struct weft_ring *ring)
    {
        return (uint8_t *)(void *)((const char *)ring + sizeof(struct weft_ring));
    }

    /** An empty ring. @p capacity in [1, 65535], @p width in [1, 4]. */
    static inline void weft_ring_init(struct weft_ring *ring, uint32_t capacity, uint32_t width)
    {
        assert(capacity >= 1 && capacity <= UINT16_MAX && width >= 1 && width <= 4);
        ring->capacity = (uint16_t)capacity;
        ring->head = 0;
        ring->count = 0;
        ring->width = (uint8_t)width;
    }

    /** The bits of a number that an entry keeps. */
    static inline uint32_t weft_ring_mask(const struct weft_ring *ring)
    {
        return UINT32_MAX >> (32U - 8U * ring->width);
    }

    /** The entry @p i places after the oldest, truncated as it was stored. i < count. */
    static inline uint32_t weft_ring_at(const struct weft_ring *ring, uint32_t i)
    {
        uint32_t slot = (uint32_t)ring->head + i;
        assert(i < ring->count);
        if (slot >= ring->capacity)
        {
            slot -= ring->capacity;
        }
        if (ring->width == 1)
        {
            return weft_ring_slots(ring)[slot];
        }
        const uint8_t *p = weft_ring_slots(ring) + (size_t)slot * ring->width;
        uint32_t value = (uint32_t)p[0] | (uint32_t)p[1] << 8;
        for (uint32_t b = 2; b < ring->width; b++)
        {
            value |= (uint32_t)p[b] << (8U * b);
        }
        return value;
    }

    /** Does what weft_ring_find() does where the very first entry is another value. */
    uint32_t weft_ring_search(const struct weft_ring *ring, uint32_t from, uint32_t value);

    /** The place of the first entry that is @p value, truncated as entries are, from place @p from
     * on and then from the oldest on; count if there is none. */
    static inline uint32_t weft_ring_find(const struct weft_ring *ring, uint32_t from,
                                          uint32_t value)
    {
        return from < ring->count && weft_ring_at(ring, from) == value
                   ? from
                   : weft_ring_search(ring, from, value);
    }

    /** Forgets the @p n oldest entries. n <= count. */
    static inline void weft_ring_drop(struct weft_ring *ring, uint32_t n)
    {
        uint32_t head = (uint32_t)ring->head + n;
        assert(n <= ring->count);
        ring->head = (uint16_t)(head >= ring->capacity ? head - ring->capacity : head);
        ring->count = (uint16_t)(ring->count - n);
    }

    /** Adds the low bits of @p value as the newest entry. Returns true if the oldest made room for
     * it. */
    static inline bool weft_ring_push(struct weft_ring *ring, uint32_t value)
    {
        const bool full = ring->count == ring->capacity;
        if (full)
        {
            weft_ring_drop(ring, 1);
        }
        uint32_t slot = (uint32_t)ring->head + ring->count;
        if (slot >= ring->capacity)
        {
            slot -= ring->capacity;
        }
        uint8_t *p = weft_ring_slots(ring) + (size_t)slot * ring->width;
        for (uint32_t b = 0; b < ring->width; b++)
        {
            p[b] = (uint8_t)(value >> (8U * b));
        }
        ring->count++;
        return full;
    }

#ifdef __cplusplus
}
#endif
#endif

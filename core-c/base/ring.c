/* SPDX-License-Identifier: MIT */
#include "base/ring.h"

/* On its own: its registers are not to be saved where it is not called. */
__attribute__((noinline)) uint32_t
weft_ring_search(const struct weft_ring *ring, uint32_t from, uint32_t value)
{
    for (uint32_t i = from; i < ring->count; i++)
    {
        if (weft_ring_at(ring, i) == value)
        {
            return i;
        }
    }
    for (uint32_t i = 0; i < from; i++)
    {
        if (weft_ring_at(ring, i) == value)
        {
            return i;
        }
    }
    return ring->count;
}

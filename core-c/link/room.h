/* SPDX-License-Identifier: MIT */
/** @file room.h  Memory of the caller's, and rows that grow in it. Private. */
#ifndef WEFT_ROOM_H
#define WEFT_ROOM_H

#include <stddef.h>
#include <stdint.h>

#include <weft/net.h>

/** Takes memory, of zeros where the caller's is. */
static inline void *
weft_take(const struct weft_memory *memory, size_t bytes)
{
    return memory->take(memory->of, bytes);
}

/** Makes room for one more of @p n elements in a row, which may move. Returns the row. */
void *weft_grow(const struct weft_memory *memory, void *row, uint32_t n, uint32_t *size,
                size_t each);

#endif

/* SPDX-License-Identifier: MIT */
/* Rows that grow in memory that is never given back. */
#include "link/room.h"

#include <string.h>

#define FIRST ((size_t)64) /* bytes of a row that was empty: memory is taken in such lines */

void *
weft_grow(const struct weft_memory *memory, void *row, uint32_t n, uint32_t *size, size_t each)
{
    if (n < *size)
    {
        return row;
    }
    const uint32_t first = each < FIRST ? (uint32_t)(FIRST / each) : 1;
    const uint32_t larger = *size ? 2 * *size : first;
    void *other = weft_take(memory, larger * each);
    if (n > 0)
    {
        memcpy(other, row, n * each);
    }
    *size = larger;
    return other;
}

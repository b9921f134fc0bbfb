/* SPDX-License-Identifier: GPL-2.0-only */
/* The ring of truncated PSNs against a list that moves all of its entries: else Themis-D blames a
 * packet that is not in its ring. */
#include <stdlib.h>
#include <string.h>

#include "base/ring.h"
#include "fuzz.h"
#include "must.h"

struct list
{
    uint32_t *value;
    uint32_t count, capacity, mask;
};

static void
list_drop(struct list *l, uint32_t n)
{
    l->count -= n;
    memmove(l->value, l->value + n, l->count * sizeof *l->value);
}

static bool
list_push(struct list *l, uint32_t value)
{
    const bool full = l->count == l->capacity;
    if (full)
    {
        list_drop(l, 1);
    }
    l->value[l->count++] = value & l->mask;
    return full;
}

static void
compare(const struct weft_ring *ring, const struct list *l)
{
    MUST(ring->count == l->count);
    for (uint32_t i = 0; i < l->count; i++)
    {
        MUST(weft_ring_at(ring, i) == l->value[i]);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    const uint32_t width = fuzz_between(&in, 1, 4);
    const uint32_t most = fuzz_below(&in, 16) == 0 ? UINT16_MAX : 12;
    const uint32_t capacity = fuzz_between(&in, 1, most);
    struct weft_ring *ring = malloc(sizeof *ring + weft_ring_size(capacity, width));
    struct list list = {calloc(capacity, sizeof *list.value), 0, capacity, 0};
    list.mask = (uint32_t)((UINT64_C(1) << 8 * width) - 1);
    weft_ring_init(ring, capacity, width);
    MUST(weft_ring_mask(ring) == list.mask);
    while (in.left > 0)
    {
        const uint32_t what = fuzz_below(&in, 8);
        if (what == 0)
        {
            const uint32_t n = fuzz_below(&in, list.count + 1);
            weft_ring_drop(ring, n);
            list_drop(&list, n);
        }
        /* A large ring is filled at once, or no input would be long enough. */
        const uint32_t pushes = what > 1 ? 1 : what == 1 ? fuzz_below(&in, capacity + 2) : 0;
        const uint32_t first = (uint32_t)fuzz_number(&in, 4);
        for (uint32_t i = 0; i < pushes; i++)
        {
            MUST(weft_ring_push(ring, first + i) == list_push(&list, first + i));
            if (capacity > 100 && list.count == capacity)
            {
                break;
            }
        }
        if (capacity <= 12 || in.left == 0)
        {
            compare(ring, &list);
        }
    }
    free(ring);
    free(list.value);
    return 0;
}

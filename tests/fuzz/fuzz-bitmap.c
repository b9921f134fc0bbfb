/* SPDX-License-Identifier: GPL-2.0-only */
/* The sliding window of bits against an array of flags, looked at one by one: else a NIC takes a
 * packet for another, and delivers or repeats the wrong ones. */
#include <stdlib.h>
#include <string.h>

#include <weft/psn.h>

#include "base/bitmap.h"
#include "fuzz.h"
#include "must.h"

#define LARGEST 1024

/** flag[i] is that of number base + i. */
struct window
{
    bool flag[LARGEST];
    uint32_t size, base;
};

static uint32_t
place(const struct window *w, uint32_t from, uint32_t i)
{
    return (from + i) % w->size;
}

static uint32_t
run_from(const struct window *w, uint32_t from, uint32_t most)
{
    uint32_t n = 0;
    while (n < most && w->flag[place(w, from, n)])
    {
        n++;
    }
    return n;
}

static uint32_t
count_from(const struct window *w, uint32_t from, uint32_t count)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < count; i++)
    {
        set += w->flag[place(w, from, i)];
    }
    return set;
}

static void
clear_from(struct window *w, uint32_t from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
    {
        w->flag[place(w, from, i)] = false;
    }
}

/** The window starts @p n later; what leaves it at its lower end was clear. */
static void
slide(struct window *w, uint32_t n)
{
    bool old[LARGEST];
    memcpy(old, w->flag, sizeof old);
    for (uint32_t i = 0; i < w->size; i++)
    {
        w->flag[i] = old[(i + n) % w->size];
    }
    w->base = weft_psn_add(w->base, n);
}

static void
look(const struct window *w, const uint64_t *words, uint32_t at, uint32_t n)
{
    const uint32_t mask = w->size - 1;
    const uint32_t number = weft_psn_add(w->base, at);
    MUST(weft_bitmap_run(words, mask, number, n) == run_from(w, at, n));
    if (count_from(w, 0, w->size) > 0)
    {
        uint32_t distance = 0;
        while (!w->flag[place(w, at, distance)])
        {
            distance++;
        }
        MUST(weft_bitmap_next(words, mask, number) == distance);
    }
    MUST(weft_bitmap_count(words, mask, w->base, w->size) == count_from(w, 0, w->size));
}

static void
step(struct window *w, uint64_t *words, struct fuzz_input *in)
{
    const uint32_t mask = w->size - 1;
    const uint32_t what = fuzz_below(in, 8), at = fuzz_below(in, w->size);
    const uint32_t n = fuzz_below(in, w->size + 1);
    const uint32_t number = weft_psn_add(w->base, at);
    if (what == 0)
    {
        const uint32_t run = run_from(w, 0, w->size);
        MUST(weft_bitmap_advance(words, mask, w->base) == run);
        clear_from(w, 0, run);
        slide(w, run % w->size);
    }
    else if (what == 1)
    {
        weft_bitmap_clear(words, mask, number, n);
        clear_from(w, at, n);
    }
    else if (what < 4)
    {
        for (uint32_t i = 0; what == 2 && i < n; i++)
        {
            weft_bitmap_set(words, mask, weft_psn_add(number, i));
            w->flag[place(w, at, i)] = true;
        }
        MUST(weft_bitmap_count(words, mask, number, n) == count_from(w, at, n));
    }
    else
    {
        MUST(weft_bitmap_set(words, mask, number) == !w->flag[at]);
        w->flag[at] = true;
    }
    look(w, words, at, n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    struct window w = {.size = 64U << fuzz_below(&in, 5)};
    w.base = (uint32_t)fuzz_number(&in, 3);
    uint64_t *words = malloc(weft_bitmap_size(w.size));
    MUST(weft_bitmap_valid(w.size) && !weft_bitmap_valid(w.size - 1));
    weft_bitmap_init(words, w.size);
    while (in.left > 0)
    {
        step(&w, words, &in);
    }
    free(words);
    return 0;
}

/* SPDX-License-Identifier: MIT */
#include <weft/rng.h>

#include <assert.h>
#include <stddef.h>

void
weft_rng_attach(struct weft_rng *rng, const struct weft_random_source *source, uint64_t stream)
{
    rng->state = (uint64_t)(uintptr_t)source;
    rng->inc = stream << 1;
}

uint32_t
weft_rng_source_u32(const struct weft_rng *rng)
{
    const struct weft_random_source *source =
        (const struct weft_random_source *)(uintptr_t)rng->state;
    assert(source != NULL); /* neither seeded nor attached */
    return source->next(source->of, rng->inc >> 1);
}

uint32_t
weft_rng_source_below(const struct weft_rng *rng, uint32_t bound)
{
    const uint32_t threshold = (0U - bound) % bound; /* of the low half: as weft_rng_below() */
    uint64_t m;
    do
    {
        m = (uint64_t)weft_rng_source_u32(rng) * bound;
    } while ((uint32_t)m < threshold);
    return (uint32_t)(m >> 32);
}

void
weft_rng_seed(struct weft_rng *rng, uint64_t seed, uint64_t run, uint64_t stream)
{
    /* Each step is a bijection of its last input: with the other two equal, streams never meet. */
    const uint64_t key = weft_mix64(weft_mix64(weft_mix64(seed) ^ run) ^ stream);
    rng->state = 0;
    rng->inc = weft_mix64(key) | 1U;
    (void)weft_rng_u32(rng);
    rng->state += key;
    (void)weft_rng_u32(rng);
}

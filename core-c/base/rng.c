/* SPDX-License-Identifier: MIT */
#include <weft/rng.h>

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

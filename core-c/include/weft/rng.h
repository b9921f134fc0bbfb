/* SPDX-License-Identifier: MIT */
/**
 * @file rng.h  PCG-XSH-RR 64/32 (O'Neill 2014): 16 bytes of state, pinned test vectors.
 *
 * Every stream of a run is derived from (seed, run, stream), so that adding one consumer of
 * randomness never shifts the draws of another.
 */
#ifndef WEFT_RNG_H
#define WEFT_RNG_H

#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

    struct weft_rng
    {
        uint64_t state;
        uint64_t inc; /**< odd; selects the sequence */
    };

    /** Mixes 64 bits thoroughly (the finaliser of splitmix64, Steele et al. 2014). A bijection. */
    static inline uint64_t weft_mix64(uint64_t x)
    {
        x += UINT64_C(0x9e3779b97f4a7c15);
        x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
        return x ^ (x >> 31);
    }

    /** Seeds @p rng for one named stream of one run of one seed. Any values are valid. */
    void weft_rng_seed(struct weft_rng *rng, uint64_t seed, uint64_t run, uint64_t stream);

    /** 32 uniform bits. */
    static inline uint32_t weft_rng_u32(struct weft_rng *rng)
    {
        uint64_t old = rng->state;
        rng->state = old * UINT64_C(6364136223846793005) + rng->inc;
        uint32_t xorshifted = (uint32_t)(((old >> 18) ^ old) >> 27);
        uint32_t rot = (uint32_t)(old >> 59);
        return (xorshifted >> rot) | (xorshifted << ((32U - rot) & 31U));
    }

    /** Uniform in [0, bound), without bias (Lemire 2019). @p bound must not be 0. */
    static inline uint32_t weft_rng_below(struct weft_rng *rng, uint32_t bound)
    {
        uint64_t m = (uint64_t)weft_rng_u32(rng) * bound;
        if ((uint32_t)m < bound)
        {
            uint32_t threshold = (0U - bound) % bound;
            while ((uint32_t)m < threshold)
            {
                m = (uint64_t)weft_rng_u32(rng) * bound;
            }
        }
        return (uint32_t)(m >> 32);
    }

    /** Uniform in [0, 1), a multiple of 2^-32: exact in a double on every machine. */
    static inline double weft_rng_unit(struct weft_rng *rng)
    {
        return (double)weft_rng_u32(rng) * (1.0 / 4294967296.0);
    }

#ifdef __cplusplus
}
#endif
#endif

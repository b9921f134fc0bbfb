/* SPDX-License-Identifier: MIT */
/**
 * @file rng.h  PCG-XSH-RR 64/32 (O'Neill 2014): 16 bytes of state, pinned test vectors.
 *
 * Every stream of a run is derived from (seed, run, stream), so that adding one consumer of
 * randomness never shifts the draws of another.
 *
 * A caller with draws of his own (a quasi-random sequence, a recording, a counter in a test) gives
 * the sites of his balancers a struct weft_random_source: every stream then asks it instead.
 * Streams of (seed, run) pay one test of a bit per draw for that. A source decides draws, not
 * hashes: the hash seeds of switches still come from (seed, run). What draws without a site, at
 * set-up (workloads, weft_random_failures()), draws from (seed, run): who has draws of his own
 * writes messages and dead links of his own.
 */
#ifndef WEFT_RNG_H
#define WEFT_RNG_H

#include <stdbool.h>
#include <stdint.h>

#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    struct weft_rng
    {
        uint64_t state; /**< with a source: its address */
        uint64_t inc;   /**< odd; selects the sequence. Even: twice the stream of a source */
    };

    /** Draws that do not come from here. */
    struct weft_random_source
    {
        void *of; /**< handed to next() */
        /** 32 uniform bits, the next of @p stream: the consumer, unique in the run and the same in
         * every run; below 2^63. weft_rng_below() asks again for bits that would be biased, so a
         * source that says 0 forever may keep it waiting forever. */
        uint32_t (*next)(void *of, uint64_t stream);
    };

    /** Mixes 64 bits thoroughly (the finaliser of splitmix64, Steele et al. 2014). A bijection. */
    static inline uint64_t weft_mix64(uint64_t x)
    {
        x += UINT64_C(0x9e3779b97f4a7c15);
        x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
        return x ^ (x >> 31);
    }

    /**
     * Returns what the numbers of ports are XORed with to put frames in order that come by them at
     * one instant, @p now (ps): drawn anew for each instant and each @p salt. No port goes first
     * more often than another: with a fixed order, senders in step would find the last free place
     * of a full queue always, or never (phase effects: Floyd & Jacobson 1991).
     */
    static inline uint16_t weft_tie_order(uint64_t salt, int64_t now)
    {
        return (uint16_t)weft_mix64(salt ^ (uint64_t)now);
    }

    /** Seeds @p rng for one named stream of one run of one seed. Any values are valid. */
    WEFT_API void weft_rng_seed(struct weft_rng *rng, uint64_t seed, uint64_t run, uint64_t stream);

    /** Lets @p rng draw from @p source, which must outlive it and stay where it is. @p stream:
     * below 2^63. */
    WEFT_API void weft_rng_attach(struct weft_rng *rng, const struct weft_random_source *source,
                                  uint64_t stream);

    /** weft_rng_u32() and weft_rng_below() of a source. */
    WEFT_API uint32_t weft_rng_source_u32(const struct weft_rng *rng);
    WEFT_API uint32_t weft_rng_source_below(const struct weft_rng *rng, uint32_t bound);

    /** Whether @p rng draws from a source. */
    static inline bool weft_rng_has_source(const struct weft_rng *rng)
    {
        return (rng->inc & 1U) == 0;
    }

    /** The generator itself: 32 uniform bits of a stream of (seed, run). */
    static inline uint32_t weft_rng_pcg(struct weft_rng *rng)
    {
        uint64_t old = rng->state;
        rng->state = old * UINT64_C(6364136223846793005) + rng->inc;
        uint32_t xorshifted = (uint32_t)(((old >> 18) ^ old) >> 27);
        uint32_t rot = (uint32_t)(old >> 59);
        return (xorshifted >> rot) | (xorshifted << ((32U - rot) & 31U));
    }

    /** 32 uniform bits. */
    static inline uint32_t weft_rng_u32(struct weft_rng *rng)
    {
        return weft_rng_has_source(rng) ? weft_rng_source_u32(rng) : weft_rng_pcg(rng);
    }

    /** Uniform in [0, bound), without bias (Lemire 2019). @p bound must not be 0. */
    static inline uint32_t weft_rng_below(struct weft_rng *rng, uint32_t bound)
    {
        if (weft_rng_has_source(rng))
        {
            return weft_rng_source_below(rng, bound);
        }
        uint64_t m = (uint64_t)weft_rng_pcg(rng) * bound;
        if ((uint32_t)m < bound)
        {
            uint32_t threshold = (0U - bound) % bound;
            while ((uint32_t)m < threshold)
            {
                m = (uint64_t)weft_rng_pcg(rng) * bound;
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

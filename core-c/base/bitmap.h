/* SPDX-License-Identifier: MIT */
/**
 * @file bitmap.h  A sliding window of bits over a circular number space, in the caller's memory.
 *
 * The window is a power of two of bits, at least 64; number n lives at bit n mod window, so sliding
 * moves nothing. The caller knows where the window starts and stays inside it. The number space's
 * size must be a multiple of the window (2^24 for PSNs is).
 */
#ifndef WEFT_BASE_BITMAP_H
#define WEFT_BASE_BITMAP_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** Zero bits below the lowest set bit. @p x must not be 0. */
    static inline uint32_t weft_ctz64(uint64_t x)
    {
#if defined(__GNUC__)
        return (uint32_t)__builtin_ctzll(x);
#else
    uint32_t n = 0;
    for (; (x & 1U) == 0; x >>= 1)
    {
        n++;
    }
    return n;
#endif
    }

    static inline uint32_t weft_popcount64(uint64_t x)
    {
        x -= (x >> 1) & UINT64_C(0x5555555555555555);
        x = (x & UINT64_C(0x3333333333333333)) + ((x >> 2) & UINT64_C(0x3333333333333333));
        x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
        return (uint32_t)((x * UINT64_C(0x0101010101010101)) >> 56);
    }

    static inline bool weft_bitmap_valid(int64_t window)
    {
        return window >= 64 && (window & (window - 1)) == 0;
    }

    /** Bytes of a window of @p window bits. */
    static inline size_t weft_bitmap_size(uint32_t window)
    {
        return window / 8U;
    }

    /** Empties the window. */
    static inline void weft_bitmap_init(uint64_t *words, uint32_t window)
    {
        assert(weft_bitmap_valid(window));
        memset(words, 0, weft_bitmap_size(window));
    }

    /** Sets the bit of number @p n. @p mask is window - 1. Returns true if it was clear. */
    static inline bool weft_bitmap_set(uint64_t *words, uint32_t mask, uint32_t n)
    {
        uint64_t *word = words + ((n & mask) >> 6);
        const uint64_t bit = UINT64_C(1) << (n & 63U);
        const bool fresh = (*word & bit) == 0;
        *word |= bit;
        return fresh;
    }

    /** Clears the run of set bits that starts at number @p n; returns its length, at most window.
     */
    static inline uint32_t weft_bitmap_advance(uint64_t *words, uint32_t mask, uint32_t n)
    {
        uint32_t run = 0;
        while (run <= mask)
        {
            uint64_t *word = words + (((n + run) & mask) >> 6);
            const uint32_t shift = (n + run) & 63U;
            const uint64_t gaps = ~(*word >> shift);
            const uint32_t ones = gaps != 0 ? weft_ctz64(gaps) : 64U;
            /* A shift brings in zeros, which are gaps: the run never passes the word's end. */
            *word &= ~((ones < 64U ? (UINT64_C(1) << ones) - 1U : UINT64_MAX) << shift);
            run += ones;
            if (ones != 64U - shift)
            {
                break;
            }
        }
        return run;
    }

    /** Length of the run of set bits that starts at number @p n, at most @p most (at most window).
     */
    static inline uint32_t weft_bitmap_run(const uint64_t *words, uint32_t mask, uint32_t n,
                                           uint32_t most)
    {
        uint32_t run = 0;
        while (run < most)
        {
            const uint32_t shift = (n + run) & 63U;
            const uint64_t gaps = ~(words[((n + run) & mask) >> 6] >> shift);
            const uint32_t ones = gaps != 0 ? weft_ctz64(gaps) : 64U;
            run += ones;
            if (ones != 64U - shift)
            {
                break;
            }
        }
        return run < most ? run : most;
    }

    /** Distance from number @p n to the first set bit, round the window. There must be one. */
    static inline uint32_t weft_bitmap_next(const uint64_t *words, uint32_t mask, uint32_t n)
    {
        uint32_t distance = 0;
        uint64_t bits = words[(n & mask) >> 6] >> (n & 63U);
        while (bits == 0)
        {
            distance += 64U - ((n + distance) & 63U);
            assert(distance <= mask + 64U);
            bits = words[((n + distance) & mask) >> 6];
        }
        return distance + weft_ctz64(bits);
    }

    /** How many of the @p count bits, at most window, from number @p n on are set. */
    static inline uint32_t weft_bitmap_count(const uint64_t *words, uint32_t mask, uint32_t n,
                                             uint32_t count)
    {
        uint32_t set = 0;
        while (count > 0)
        {
            const uint32_t shift = n & 63U;
            const uint32_t part = count < 64U - shift ? count : 64U - shift;
            const uint64_t ones = part < 64U ? (UINT64_C(1) << part) - 1U : UINT64_MAX;
            set += weft_popcount64((words[(n & mask) >> 6] >> shift) & ones);
            n += part;
            count -= part;
        }
        return set;
    }

    /** Clears @p count bits, at most window, from number @p n on. */
    static inline void weft_bitmap_clear(uint64_t *words, uint32_t mask, uint32_t n, uint32_t count)
    {
        while (count > 0)
        {
            const uint32_t shift = n & 63U;
            const uint32_t part = count < 64U - shift ? count : 64U - shift;
            const uint64_t ones = part < 64U ? (UINT64_C(1) << part) - 1U : UINT64_MAX;
            words[(n & mask) >> 6] &= ~(ones << shift);
            n += part;
            count -= part;
        }
    }

#ifdef __cplusplus
}
#endif
#endif

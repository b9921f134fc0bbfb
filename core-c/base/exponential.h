/* SPDX-License-Identifier: MIT */
/** @file exponential.h  Exponential random numbers, the same on every machine. Private. */
#ifndef WEFT_EXPONENTIAL_H
#define WEFT_EXPONENTIAL_H

#include <stdbool.h>

#include <weft/rng.h>

/** Returns an exponential number with mean 1, without a logarithm, whose last bit no standard
 * fixes (von Neumann 1951): of runs of falling numbers count the even ones before the first odd
 * one; its first number is the fraction. */
static inline double
weft_rng_exponential(struct weft_rng *rng)
{
    for (double whole = 0;; whole++)
    {
        const uint32_t first = weft_rng_u32(rng);
        uint32_t last = first, next = weft_rng_u32(rng);
        bool odd = true;
        while (next < last)
        {
            odd = !odd;
            last = next;
            next = weft_rng_u32(rng);
        }
        if (odd)
        {
            return whole + (double)first * (1.0 / 4294967296.0);
        }
    }
}

#endif

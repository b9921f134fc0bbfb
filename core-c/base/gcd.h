/* SPDX-License-Identifier: MIT */
/** @file gcd.h  The greatest common divisor. Private. */
#ifndef WEFT_BASE_GCD_H
#define WEFT_BASE_GCD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** gcd(0, n) = gcd(n, 0) = n. */
    static inline uint32_t weft_gcd(uint32_t a, uint32_t b)
    {
        while (b != 0)
        {
            const uint32_t rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/** @file muldiv.h  a * b / d with a product of 128 bits. Private. */
#ifndef WEFT_MULDIV_H
#define WEFT_MULDIV_H

#include <stdint.h>

#define WEFT_BIT_PS UINT64_C(8000000000000) /**< ps per byte at 1 bit/s */

/**
 * floor(a * b / d), and the remainder in @p rest. b < 2^63, 0 < d < 2^63. UINT64_MAX if the
 * quotient does not fit. In portable C, bit by bit.
 */
static inline uint64_t
weft_muldiv_by_bits(uint64_t a, uint64_t b, uint64_t d, uint64_t *rest)
{
    uint64_t whole = b / d;
    uint64_t part = b % d;
    uint64_t q = 0;
    uint64_t r = 0;
    for (int bit = 63; bit >= 0; bit--)
    {
        uint64_t one = (a >> bit) & 1;
        r = 2 * r;
        uint64_t carry = r >= d;
        r = carry ? r - d : r;
        r += one ? part : 0;
        uint64_t over = r >= d;
        r = over ? r - d : r;
        uint64_t step = carry + over + (one ? whole : 0);
        if (q > (UINT64_MAX - step) / 2)
        {
            *rest = 0;
            return UINT64_MAX;
        }
        q = 2 * q + step;
    }
    *rest = r;
    return q;
}

/** Returns floor(a * b / d) as above, by a type of 128 bits where there is one. */
static inline uint64_t
weft_muldiv(uint64_t a, uint64_t b, uint64_t d, uint64_t *rest)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)a * b;
    const wide q = product / d;
    *rest = q > UINT64_MAX ? 0 : (uint64_t)(product % d);
    return q > UINT64_MAX ? UINT64_MAX : (uint64_t)q;
#else
    return weft_muldiv_by_bits(a, b, d, rest);
#endif
}

#endif

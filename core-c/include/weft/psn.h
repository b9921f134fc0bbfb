/* SPDX-License-Identifier: MIT */
/**
 * @file psn.h  24-bit packet sequence numbers: serial-number arithmetic (RFC 1982) over the PSN
 * field of the InfiniBand base transport header. Sound while the numbers compared lie within
 * 2^23 - 1 of each other. A PSN is always stored reduced, in [0, 2^24).
 */
#ifndef WEFT_PSN_H
#define WEFT_PSN_H

#include <stdbool.h>
#include <stdint.h>

#define WEFT_PSN_MASK UINT32_C(0xffffff)

/** psn + n, reduced. @p n may be "negative" in two's complement. */
static inline uint32_t
weft_psn_add(uint32_t psn, uint32_t n)
{
    return (psn + n) & WEFT_PSN_MASK;
}

/** The signed distance a - b, in [-2^23, 2^23). */
static inline int32_t
weft_psn_diff(uint32_t a, uint32_t b)
{
    uint32_t d = (a - b) & WEFT_PSN_MASK;
    return (int32_t)(d ^ UINT32_C(0x800000)) - INT32_C(0x800000);
}

/** true if a comes before b. */
static inline bool
weft_psn_before(uint32_t a, uint32_t b)
{
    return weft_psn_diff(a, b) < 0;
}

#endif

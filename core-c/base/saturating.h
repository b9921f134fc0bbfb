/* SPDX-License-Identifier: MIT */
/** @file saturating.h  Sums of times and bytes that do not overflow. Private. */
#ifndef WEFT_SATURATING_H
#define WEFT_SATURATING_H

#include <stdint.h>

#include <weft/param.h>

/** The sum of two that are not negative; WEFT_NEVER at most. */
static inline int64_t
weft_sum(int64_t a, int64_t b)
{
    return a > WEFT_NEVER - b ? WEFT_NEVER : a + b;
}

/** The greater of two. */
static inline int64_t
weft_larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file number-order.h  Rising numbers, for qsort() and bsearch(). */
#ifndef WEFT_RUNNER_NUMBER_ORDER_H
#define WEFT_RUNNER_NUMBER_ORDER_H

#include <stdint.h>

static inline int
order_u32(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static inline int
order_u64(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

#endif

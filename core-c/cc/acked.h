/* SPDX-License-Identifier: MIT */
/** @file acked.h  How many packets a reply acknowledges, out of order or not. Private. */
#ifndef WEFT_CC_ACKED_H
#define WEFT_CC_ACKED_H

#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** One per reply, unless replies were merged. @p counted: packets that counted before the ePSN
     * passed them; 0 at first. @p passed: packets that it passes now. */
    static inline uint32_t weft_count_acked(uint64_t *counted, uint32_t passed)
    {
        const uint32_t n = passed > *counted + 1 ? (uint32_t)(passed - *counted) : 1;
        *counted += n;
        *counted -= passed;
        return n;
    }

#ifdef __cplusplus
}
#endif
#endif

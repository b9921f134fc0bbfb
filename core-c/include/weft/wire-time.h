/* SPDX-License-Identifier: MIT */
/** @file wire-time.h  Times of bytes on a wire, and packets of a message. */
#ifndef WEFT_WIRE_TIME_H
#define WEFT_WIRE_TIME_H

#include <stdint.h>

#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** Returns the packets of a message of @p bytes, of @p payload bytes each but for the last
     * one. @p payload: 1 or more. */
    WEFT_API uint64_t weft_packets(uint64_t bytes, int64_t payload);

    /** Returns the ps that @p bytes take on a wire of @p rate bit/s, rounded up; WEFT_NEVER if they
     * do not fit 63 bits. */
    WEFT_API int64_t weft_wire_time(int64_t bytes, int64_t rate);

    /**
     * Returns the same for bytes that follow others at once, so that the sum over any number of
     * frames is rounded up only once. @p carry: by how much the sum so far is too high, in 1/rate
     * ps; from 0 to below the rate. 0 at first; updated.
     */
    WEFT_API int64_t weft_wire_carry(int64_t bytes, int64_t rate, int64_t *carry);

#ifdef __cplusplus
}
#endif

#endif

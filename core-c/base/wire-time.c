/* SPDX-License-Identifier: MIT */
/* Times of bytes on a wire. */
#include "base/muldiv.h"

#include <stdbool.h>

#include <weft/param.h>
#include <weft/wire-time.h>

uint64_t
weft_packets(uint64_t bytes, int64_t payload)
{
    uint64_t p = (uint64_t)payload;
    return bytes / p + (bytes % p != 0);
}

int64_t
weft_wire_carry(int64_t bytes, int64_t rate, int64_t *carry)
{
    uint64_t rest = 0;
    uint64_t ps = weft_muldiv((uint64_t)bytes, WEFT_BIT_PS, (uint64_t)rate, &rest);
    if (ps >= (uint64_t)WEFT_NEVER)
    {
        return WEFT_NEVER;
    }
    int64_t over = *carry - (int64_t)rest; /* what the whole ps alone would be too much by */
    bool more = over < 0;
    *carry = more ? over + rate : over;
    return (int64_t)ps + more;
}

int64_t
weft_wire_time(int64_t bytes, int64_t rate)
{
    int64_t carry = 0;
    return weft_wire_carry(bytes, rate, &carry);
}

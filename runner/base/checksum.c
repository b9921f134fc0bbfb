/* SPDX-License-Identifier: GPL-2.0-only */
#include "checksum.h"

#define POLYNOMIAL 0x04c11db7u /* of IEEE 802.3, most significant bit first */

/** [k][b]: what byte b becomes when 1 + k bytes follow it. Four tables take four bytes at a time.
 */
static uint32_t table[4][256];

static void
fill_table(void)
{
    for (uint32_t b = 0; b < 256; b++)
    {
        uint32_t r = b << 24;
        for (int bit = 0; bit < 8; bit++)
        {
            r = r & 0x80000000u ? r << 1 ^ POLYNOMIAL : r << 1;
        }
        table[0][b] = r;
    }
    for (int k = 1; k < 4; k++)
    {
        for (int b = 0; b < 256; b++)
        {
            table[k][b] = table[k - 1][b] << 8 ^ table[0][table[k - 1][b] >> 24];
        }
    }
}

static uint32_t
add_byte(uint32_t r, uint8_t byte)
{
    return r << 8 ^ table[0][r >> 24 ^ byte];
}

void
checksum_add(struct checksum *c, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    uint32_t r = c->remainder;
    if (!table[0][1])
    {
        fill_table();
    }
    c->bytes += n;
    for (; n >= 4; n -= 4, p += 4)
    {
        r ^= (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
        r = table[3][r >> 24] ^ table[2][r >> 16 & 255] ^ table[1][r >> 8 & 255] ^
            table[0][r & 255];
    }
    for (; n > 0; n--)
    {
        r = add_byte(r, *p++);
    }
    c->remainder = r;
}

uint32_t
checksum_value(const struct checksum *c)
{
    uint32_t r = c->remainder;
    for (uint64_t n = c->bytes; n > 0; n >>= 8)
    {
        r = add_byte(r, (uint8_t)n);
    }
    return ~r;
}

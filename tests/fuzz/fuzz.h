/* SPDX-License-Identifier: GPL-2.0-only */
/** @file fuzz.h Common part of the fuzz targets: an input's bytes as decisions. */
#ifndef WEFT_TESTS_FUZZ_H
#define WEFT_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** Uses one input, as each target defines it; aborts if something is wrong. Returns 0. */
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

    /** Rest of an input. */
    struct fuzz_input
    {
        const uint8_t *at;
        size_t left;
    };

    /** The next byte; 0 at the end. */
    static inline uint32_t fuzz_byte(struct fuzz_input *in)
    {
        if (in->left == 0)
        {
            return 0;
        }
        in->left--;
        return *in->at++;
    }

    /** The next @p n bytes as a number, n <= 8. */
    static inline uint64_t fuzz_number(struct fuzz_input *in, unsigned n)
    {
        uint64_t value = 0;
        while (n-- > 0)
        {
            value = value << 8 | fuzz_byte(in);
        }
        return value;
    }

    /** A number in [0, n), n >= 1, from as many bytes as that takes. */
    static inline uint32_t fuzz_below(struct fuzz_input *in, uint32_t n)
    {
        const unsigned bytes = n <= 256 ? 1 : n <= 65536 ? 2 : 4;
        return (uint32_t)(fuzz_number(in, bytes) % n);
    }

    /** Returns a number of [low, high]. */
    static inline uint32_t fuzz_between(struct fuzz_input *in, uint32_t low, uint32_t high)
    {
        return low + fuzz_below(in, high - low + 1);
    }

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: MIT */
/**
 * @file decimal.h  Decimal text to exact integers and correctly rounded doubles, and back, without
 * stdio and locale. Private.
 */
#ifndef WEFT_BASE_DECIMAL_H
#define WEFT_BASE_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text-out.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /** A number as written: (-)digits * 10^exponent. */
    struct weft_decimal
    {
        uint64_t digits; /**< without leading and trailing zeros */
        int exponent;    /**< 0 if digits is 0 */
        bool negative;
    };

    /**
     * Reads [-+]digits[.digits] at the start of @p text; *rest is what follows. Returns 0,
     * WEFT_ESYNTAX (no number there) or WEFT_EOVERFLOW (its digits do not fit 64 bits, or it has
     * more than 400).
     */
    int weft_decimal_scan(const char *text, struct weft_decimal *out, const char **rest);

    /**
     * The number times @p unit (a product of twos and fives). Returns 0, WEFT_ESYNTAX (not a whole
     * number) or WEFT_EOVERFLOW.
     */
    int weft_decimal_integer(const struct weft_decimal *d, uint64_t unit, int64_t *out);

    /**
     * Reads all of @p text as a double, correctly rounded (ties to even); an exponent (1e-4) is
     * allowed. Returns 0, WEFT_ESYNTAX or WEFT_EOVERFLOW: more than 19 significant digits, beyond
     * 10^27, or finer than 10^-27.
     */
    int weft_decimal_real(const char *text, double *out);

    /**
     * Writes the shortest decimal that reads back as @p value. Returns 0, or WEFT_ERANGE if there
     * is none: not finite, beyond 10^27, or finer than 10^-27.
     */
    int weft_decimal_write(struct weft_text *out, double value);

#ifdef __cplusplus
}
#endif
#endif

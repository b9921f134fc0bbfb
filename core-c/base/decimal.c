/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stddef.h>

#include "base/decimal.h"

#define MAX_DIGITS   400 /* of one number, zeros included: far beyond any real scenario */
#define MAX_EXPONENT 27  /* 5^27 < 2^63, which the exact arithmetic below rests on */

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Multiplies by ten and adds. False: it does not fit. */
static bool
append(uint64_t *value, unsigned digit)
{
    if (*value > (UINT64_MAX - digit) / 10U)
    {
        return false;
    }
    *value = *value * 10U + digit;
    return true;
}

/* Reads a run of digits. Zeros wait in *zeros until another digit follows. Digits read, or an
 * error. */
static int
scan_run(const char **text, uint64_t *digits, int *zeros)
{
    int n = 0;
    for (; is_digit(**text); (*text)++, n++)
    {
        const unsigned digit = (unsigned)(**text - '0');
        if (n >= MAX_DIGITS)
        {
            return WEFT_EOVERFLOW;
        }
        if (digit == 0)
        {
            *zeros += *digits != 0;
            continue;
        }
        for (; *zeros > 0; (*zeros)--)
        {
            if (!append(digits, 0))
            {
                return WEFT_EOVERFLOW;
            }
        }
        if (!append(digits, digit))
        {
            return WEFT_EOVERFLOW;
        }
    }
    return n == 0 ? (int)WEFT_ESYNTAX : n;
}

int
weft_decimal_scan(const char *text, struct weft_decimal *out, const char **rest)
{
    int zeros = 0;
    int fraction = 0;
    out->digits = 0;
    out->negative = *text == '-';
    text += *text == '-' || *text == '+';
    int n = scan_run(&text, &out->digits, &zeros);
    if (n > 0 && *text == '.')
    {
        text++;
        n = fraction = scan_run(&text, &out->digits, &zeros);
    }
    out->exponent = out->digits != 0 ? zeros - fraction : 0;
    *rest = text;
    return n < 0 ? n : 0;
}

/* Cancels one factor of the denominator against the unit or the digits. */
static bool
cancel(uint64_t *unit, uint64_t *digits, unsigned factor)
{
    uint64_t *from = *unit % factor == 0 ? unit : digits;
    if (*from % factor != 0)
    {
        return false;
    }
    *from /= factor;
    return true;
}

int
weft_decimal_integer(const struct weft_decimal *d, uint64_t unit, int64_t *out)
{
    uint64_t value = d->digits;
    for (int e = d->exponent; e < 0; e++)
    {
        if (!cancel(&unit, &value, 2) || !cancel(&unit, &value, 5))
        {
            return WEFT_ESYNTAX;
        }
    }
    for (int e = d->exponent; e > 0; e--)
    {
        if (!append(&value, 0))
        {
            return WEFT_EOVERFLOW;
        }
    }
    if (value > (uint64_t)INT64_MAX / unit)
    {
        return WEFT_EOVERFLOW;
    }
    value *= unit;
    *out = d->negative ? -(int64_t)value : (int64_t)value;
    return 0;
}

/* A positive number top * 2^exponent and a little more if sticky; top has its highest bit set. */
struct scaled
{
    uint64_t top;
    int exponent;
    bool sticky;
};

static uint64_t
power_of_5(int n)
{
    uint64_t p = 1;
    while (n-- > 0)
    {
        p *= 5U;
    }
    return p;
}

/* digits * 10^e, e >= 0: exact in 128 bits, then cut to 64. */
static struct scaled
scale_up(uint64_t digits, int e)
{
    uint64_t hi = 0;
    uint64_t lo = digits;
    struct scaled s = {0, e, false};
    for (int i = 0; i < e; i++)
    {
        const uint64_t low = (lo & UINT32_MAX) * 5U;
        const uint64_t high = (lo >> 32) * 5U + (low >> 32);
        lo = high << 32 | (low & UINT32_MAX);
        hi = hi * 5U + (high >> 32);
    }
    for (; hi != 0; s.exponent++)
    {
        s.sticky |= (lo & 1U) != 0;
        lo = lo >> 1 | hi << 63;
        hi >>= 1;
    }
    for (; lo >> 63 == 0; s.exponent--)
    {
        lo <<= 1;
    }
    s.top = lo;
    return s;
}

/* digits / 10^e, e > 0: long division in binary by 5^e, until 64 bits of quotient are known. */
static struct scaled
scale_down(uint64_t digits, int e)
{
    const uint64_t divisor = power_of_5(e);
    uint64_t rest = 0;
    struct scaled s = {0, 64 - e, false};
    while (s.top >> 63 == 0)
    {
        rest = rest << 1 | digits >> 63;
        digits <<= 1;
        s.top <<= 1;
        s.exponent--;
        if (rest >= divisor)
        {
            rest -= divisor;
            s.top |= 1U;
        }
    }
    s.sticky = rest != 0 || digits != 0;
    return s;
}

/* The double nearest to digits * 10^e, ties to even. |e| <= MAX_EXPONENT. */
static double
nearest_double(uint64_t digits, int e)
{
    if (digits == 0)
    {
        return 0.0;
    }
    const struct scaled s = e < 0 ? scale_down(digits, -e) : scale_up(digits, e);
    const uint64_t half = UINT64_C(1) << 10;
    const uint64_t low = s.top & (2U * half - 1U);
    uint64_t mantissa = s.top >> 11;
    if (low > half || (low == half && (s.sticky || (mantissa & 1U) != 0)))
    {
        mantissa++;
    }
    return ldexp((double)mantissa, s.exponent + 11);
}

/* Reads e[-+]digits, if it is there, and adds it to *exponent. */
static int
scan_exponent(const char **text, int *exponent)
{
    if (**text != 'e' && **text != 'E')
    {
        return 0;
    }
    struct weft_decimal d;
    const char *from = *text + 1;
    int64_t value = 0;
    int err = weft_decimal_scan(from, &d, text);
    err = err != 0 ? err : weft_decimal_integer(&d, 1, &value);
    for (const char *c = from; err == 0 && c < *text; c++)
    {
        err = *c == '.' ? (int)WEFT_ESYNTAX : 0;
    }
    if (err != 0)
    {
        return err;
    }
    if (value < -MAX_DIGITS || value > MAX_DIGITS)
    {
        return WEFT_EOVERFLOW;
    }
    *exponent += (int)value;
    return 0;
}

int
weft_decimal_real(const char *text, double *out)
{
    struct weft_decimal d;
    int err = weft_decimal_scan(text, &d, &text);
    if (err == 0)
    {
        err = scan_exponent(&text, &d.exponent);
    }
    if (err != 0)
    {
        return err;
    }
    if (*text != '\0')
    {
        return WEFT_ESYNTAX;
    }
    if (d.digits == 0)
    {
        *out = 0.0;
        return 0;
    }
    if (d.exponent < -MAX_EXPONENT || d.exponent > MAX_EXPONENT)
    {
        return WEFT_EOVERFLOW;
    }
    const double value = nearest_double(d.digits, d.exponent);
    if (value > 1e27)
    {
        return WEFT_EOVERFLOW;
    }
    *out = d.negative ? -value : value;
    return 0;
}

/* Looks near @p guess for digits that read back as @p value at this exponent. 0: none. */
static uint64_t
find_digits(uint64_t guess, int exponent, double value)
{
    /* The guess is off by a few units in a double's last place. */
    for (uint64_t step = 0; step <= 1 + (guess >> 50); step++)
    {
        if (nearest_double(guess + step, exponent) == value)
        {
            return guess + step;
        }
        if (step < guess && nearest_double(guess - step, exponent) == value)
        {
            return guess - step;
        }
    }
    return 0;
}

/* The fewest digits that read back as @p value, in (0, 10^27]. 0: none. */
static uint64_t
shortest(double value, int *exponent)
{
    int magnitude = -MAX_EXPONENT;
    while (magnitude < MAX_EXPONENT && nearest_double(1, magnitude + 1) <= value)
    {
        magnitude++;
    }
    for (*exponent = magnitude; *exponent >= -MAX_EXPONENT && *exponent > magnitude - 17;
         (*exponent)--)
    {
        const double guess = *exponent < 0 ? value * nearest_double(1, -*exponent)
                                           : value / nearest_double(1, *exponent);
        const uint64_t digits = find_digits((uint64_t)(guess + 0.5), *exponent, value);
        if (digits != 0)
        {
            return digits;
        }
    }
    return 0;
}

static void
write_digits(struct weft_text *out, uint64_t digits, int exponent)
{
    uint64_t unit = 1;
    int places = 0; /* behind the point */
    if (exponent < -19)
    {
        weft_text_u64(out, digits);
        weft_text_put(out, "e-");
        weft_text_u64(out, (uint64_t)-exponent);
        return;
    }
    for (; places < -exponent; places++)
    {
        unit *= 10U;
    }
    weft_text_u64(out, digits / unit);
    for (; exponent > 0; exponent--)
    {
        weft_text_char(out, '0');
    }
    if (places > 0)
    {
        weft_text_char(out, '.');
    }
    for (digits %= unit; places > 0; places--)
    {
        unit /= 10U;
        weft_text_char(out, (char)('0' + (int)(digits / unit)));
        digits %= unit;
    }
}

int
weft_decimal_write(struct weft_text *out, double value)
{
    int exponent = 0;
    const double size = fabs(value);
    if (!(size <= 1e27))
    {
        return WEFT_ERANGE;
    }
    const uint64_t digits = size > 0 ? shortest(size, &exponent) : 0;
    if (digits == 0 && size > 0)
    {
        return WEFT_ERANGE;
    }
    if (value < 0)
    {
        weft_text_char(out, '-');
    }
    write_digits(out, digits, exponent);
    return 0;
}

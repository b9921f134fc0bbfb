/* SPDX-License-Identifier: MIT */
/** @file text-out.h  Writes text into a caller's buffer and remembers whether it fitted. Private.
 */
#ifndef WEFT_BASE_TEXT_OUT_H
#define WEFT_BASE_TEXT_OUT_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/error.h>

#ifdef __cplusplus
extern "C"
{
#endif

    struct weft_text
    {
        char *buf;
        size_t size;
        size_t length; /**< of the whole text, also where it did not fit */
    };

    static inline void weft_text_char(struct weft_text *t, char c)
    {
        if (t->size != 0 && t->length < t->size - 1) /* length + 1 could wrap: gcc 16 warns of it */
        {
            t->buf[t->length] = c;
        }
        t->length++;
    }

    static inline void weft_text_put(struct weft_text *t, const char *s)
    {
        while (*s != '\0')
        {
            weft_text_char(t, *s++);
        }
    }

    static inline void weft_text_u64(struct weft_text *t, uint64_t value)
    {
        char digits[20];
        int n = 0;
        do
        {
            digits[n++] = (char)('0' + (int)(value % 10U));
            value /= 10U;
        } while (value != 0);
        while (n > 0)
        {
            weft_text_char(t, digits[--n]);
        }
    }

    /** Ends the text. Its length, or WEFT_ENOMEM: then the buffer holds "" or nothing (size 0). */
    static inline int weft_text_end(struct weft_text *t)
    {
        const int fits = t->length < t->size && t->length <= INT_MAX;
        if (t->size > 0)
        {
            t->buf[fits ? t->length : 0] = '\0';
        }
        return fits ? (int)t->length : (int)WEFT_ENOMEM;
    }

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: GPL-2.0-only */
#include "shown-text.h"

#include <libxml/chvalid.h>
#include <libxml/xmlstring.h>

#define REPLACEMENT 0xFFFD /* a character */

/** Bytes of a character in UTF-8: libxml2 also reads longer forms, which are not valid. */
static int
shortest(int c)
{
    return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

/** Whether a character changes the direction of those around it. */
static bool
is_bidi_control(int c)
{
    return c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069);
}

static void
add(struct text *t, const char *s, size_t n, bool bidi)
{
    for (size_t i = 0; i < n;)
    {
        int length = n - i < 4 ? (int)(n - i) : 4;
        int c = xmlGetUTF8Char((const unsigned char *)s + i, &length);
        if (c < 0 || length != shortest(c))
        {
            c = REPLACEMENT;
            length = 1;
        }
        if (c < 0x20 || (c >= 0x7F && c < 0xA0))
        {
            text_add(t, " ");
        }
        else if (c == REPLACEMENT || !xmlIsCharQ((unsigned)c) || (!bidi && is_bidi_control(c)))
        {
            text_add(t, "\xEF\xBF\xBD");
        }
        else
        {
            text_add(t, "%.*s", length, s + i);
        }
        i += (size_t)length;
    }
}

void
text_add_shown(struct text *t, const char *s, size_t n)
{
    add(t, s, n, true);
}

void
text_add_printed(struct text *t, const char *s, size_t n)
{
    add(t, s, n, false);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "shown-text.h"

#include <string.h>

#define REPLACEMENT 0xFFFD /* a character */

/** Longest message that is shown whole, bytes. */
#define MOST_MESSAGE 2000

/** Returns the character at the start of @p n bytes, one at least, and how many of them it takes;
 * -1 and 1 where they are no UTF-8. */
static int
read_character(const unsigned char *s, size_t n, int *length)
{
    static const int least[] = {0, 0, 0x80, 0x800, 0x10000}; /* longer forms are not valid */
    const int bytes = *s < 0x80   ? 1
                      : *s < 0xC0 ? 0
                      : *s < 0xE0 ? 2
                      : *s < 0xF0 ? 3
                      : *s < 0xF8 ? 4
                                  : 0;
    *length = 1;
    if (bytes == 0 || (size_t)bytes > n)
    {
        return -1;
    }
    int c = bytes == 1 ? *s : *s & (0x7F >> bytes);
    for (int i = 1; i < bytes; i++)
    {
        if ((s[i] & 0xC0) != 0x80)
        {
            return -1;
        }
        c = c << 6 | (s[i] & 0x3F);
    }
    *length = c < least[bytes] ? 1 : bytes;
    return c < least[bytes] ? -1 : c;
}

/** Whether XML can hold a character that is not a control character. */
static bool
is_of_xml(int c)
{
    return c <= 0xD7FF || (c >= 0xE000 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0x10FFFF);
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
        int length;
        int c = read_character((const unsigned char *)s + i, n - i, &length);
        c = c < 0 ? REPLACEMENT : c;
        if (c < 0x20 || (c >= 0x7F && c < 0xA0))
        {
            text_add(t, " ");
        }
        else if (c == REPLACEMENT || !is_of_xml(c) || (!bidi && is_bidi_control(c)))
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

/** The greatest length up to @p n that does not cut a character in two. */
static size_t
whole_characters(const char *s, size_t n)
{
    while (n > 0 && ((unsigned char)s[n] & 0xC0) == 0x80)
    {
        n--;
    }
    return n;
}

void
text_add_message(struct text *t, const char *s)
{
    const size_t n = strlen(s);
    if (n <= MOST_MESSAGE)
    {
        text_add_printed(t, s, n);
        return;
    }
    const size_t head = whole_characters(s, MOST_MESSAGE / 2);
    const size_t tail = whole_characters(s, n - MOST_MESSAGE / 2);
    text_add_printed(t, s, head);
    text_add(t, " ... (%zu bytes) ... ", tail - head);
    text_add_printed(t, s + tail, n - tail);
}

void
text_add_printed(struct text *t, const char *s, size_t n)
{
    add(t, s, n, false);
}

void
print_shown(FILE *to, const char *format, ...)
{
    CLEANUP(text_drop) struct text said = {0}, shown = {0};
    va_list args;
    va_start(args, format);
    text_vadd(&said, format, args);
    va_end(args);
    for (size_t i = 0; i < said.len;)
    {
        const size_t n = strcspn(said.s + i, "\n");
        text_add_printed(&shown, said.s + i, n);
        text_add(&shown, i + n < said.len ? "\n" : "");
        i += n + 1;
    }
    fputs(shown.s ? shown.s : "", to);
}

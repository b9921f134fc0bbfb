/* SPDX-License-Identifier: GPL-2.0-only */
#include "figure-markup.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "shown-text.h"

#define OTHER_WIDTH  0.7
#define FIRST_LETTER 32

/** Hundredths of the font's size, from ' ' to '~': DejaVu Sans. */
static const unsigned char widths[] = {
    32, 40, 46, 84, 64, 95, 78, 27, 39,  39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79,
    60, 79, 69, 63, 61, 73, 68, 99, 69,  61, 69, 39, 34, 39, 84, 50, 50, 61, 63, 55, 63, 62, 35, 63,
    63, 28, 28, 58, 28, 97, 63, 61, 63,  63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84,
};

/** The length of "_{...}" or "^{...}" at the beginning of a text; 0: it is none. */
static size_t
marked(const char *s, size_t n)
{
    if (n < 4 || (*s != '_' && *s != '^') || s[1] != '{')
    {
        return 0;
    }
    for (size_t i = 2; i < n && s[i] != '{'; i++)
    {
        if (s[i] == '}')
        {
            return i > 2 ? i + 1 : 0;
        }
    }
    return 0;
}

/** Adds what shall stand there as it is. */
static void
add_plain(struct text *t, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        if (n - i >= 3 && memcmp(s + i, "\\U+", 3) == 0)
        {
            /* gnuplot looks for these three before it looks for anything else */
            text_add(t, "\\\\{U}");
            i++;
        }
        else
        {
            text_add(t, strchr("{}^_@&~\\", s[i]) ? "\\%c" : "%c", s[i]);
        }
    }
}

void
text_add_markup(struct text *t, const char *s, size_t n)
{
    CLEANUP(text_drop) struct text shown = {0};
    text_add_shown(&shown, s, n);
    for (size_t i = 0, length; i < shown.len; i += length)
    {
        const char *at = shown.s + i;
        length = marked(at, shown.len - i);
        if (length)
        {
            text_add(t, "%c{", *at);
            add_plain(t, at + 2, length - 3);
            text_add(t, "}");
            continue;
        }
        do
        {
            length++;
        } while (i + length < shown.len && !marked(at + length, shown.len - i - length));
        add_plain(t, at, length);
    }
}

double
text_width(const char *s, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
    {
        const unsigned char c = (unsigned char)s[i];
        const size_t letter = (size_t)c - FIRST_LETTER;
        if (c >= FIRST_LETTER && letter < sizeof widths)
        {
            sum += widths[letter] / 100.0;
        }
        else if (c >= 0xC0)
        {
            /* the first byte of a letter; those from U+1100 on begin with at least 0xE1 */
            sum += c > 0xE0 ? 1 : OTHER_WIDTH;
        }
    }
    return sum;
}

/** Whether a line may go on in another one at a space: not between a number and its unit. */
static bool
is_gap(const char *s, size_t i)
{
    return s[i] == ' ' &&
           !(i > 0 && isdigit((unsigned char)s[i - 1]) && isalpha((unsigned char)s[i + 1]));
}

/** The next such space outside of marks, or the end of the row. */
static size_t
word_end(const char *s, size_t from)
{
    size_t i = from;
    while (s[i] && !is_gap(s, i) && s[i] != ROW_END)
    {
        const size_t length = marked(s + i, strlen(s + i));
        i += length ? length : 1;
    }
    return i;
}

char *
text_in_one_row(const char *s)
{
    struct text t = {0};
    for (; *s; s++)
    {
        *s == ROW_END ? text_add(&t, ", ") : text_add(&t, "%c", *s);
    }
    return text_take(&t);
}

size_t
text_line(const char *s, double width)
{
    size_t n = word_end(s, 0);
    while (s[n] && s[n] != ROW_END)
    {
        const size_t more = word_end(s, n + 1);
        if (text_width(s, more) > width)
        {
            break;
        }
        n = more;
    }
    return n;
}

size_t
text_lines(const char *s, double width, double *widest)
{
    size_t n = 0;
    *widest = 0;
    for (; *s; n++)
    {
        const size_t length = text_line(s, width);
        const double wide = text_width(s, length);
        *widest = wide > *widest ? wide : *widest;
        s += length + (s[length] != '\0');
    }
    return n;
}

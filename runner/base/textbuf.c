/* SPDX-License-Identifier: GPL-2.0-only */
#include "textbuf.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weft/param.h>

/** Without stdio, which may need memory itself. */
static void
say_out_of_memory(void)
{
    static const char message[] = "weft: error: out of memory\n";
    ssize_t n = write(STDERR_FILENO, message, sizeof message - 1);
    (void)n;
    _exit(1);
}

void (*on_out_of_memory)(void) = say_out_of_memory;
void (*tidy_out_of_memory)(void);

static void
out_of_memory(void)
{
    if (tidy_out_of_memory)
    {
        tidy_out_of_memory();
    }
    on_out_of_memory();
    abort();
}

void *
xcalloc(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p)
    {
        out_of_memory();
    }
    return p;
}

void *
xrealloc(void *p, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
    {
        out_of_memory();
    }
    size_t bytes = n * size;
    void *q = realloc(p, bytes > 0 ? bytes : 1);
    if (!q)
    {
        out_of_memory();
    }
    return q;
}

char *
xstrdup(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(xcalloc(n, 1), s, n);
}

char *
xformat(const char *format, ...)
{
    struct text t = {0};
    va_list args;
    va_start(args, format);
    text_vadd(&t, format, args);
    va_end(args);
    return text_take(&t);
}

static void
reserve(struct text *t, size_t more)
{
    if (t->len + more + 1 > t->cap)
    {
        t->cap = 2 * (t->len + more + 1);
        t->s = xrealloc(t->s, t->cap, 1);
    }
}

void
text_vadd(struct text *t, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n >= 0)
    {
        reserve(t, (size_t)n);
        vsnprintf(t->s + t->len, (size_t)n + 1, format, again);
        t->len += (size_t)n;
    }
    va_end(again);
}

void
text_add(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_vadd(t, format, args);
    va_end(args);
}

void
text_add_xml(struct text *t, const char *s)
{
    for (; *s; s++)
    {
        switch (*s)
        {
        case '&':
            text_add(t, "&amp;");
            break;
        case '<':
            text_add(t, "&lt;");
            break;
        case '>':
            text_add(t, "&gt;");
            break;
        case '"':
            text_add(t, "&quot;");
            break;
        case '\'':
            text_add(t, "&apos;");
            break;
        case '\t':
        case '\n':
        case '\r': /* as they are, a parser would turn them into spaces */
            text_add(t, "&#%d;", *s);
            break;
        default:
            text_add(t, "%c", *s);
        }
    }
}

char *
text_take(struct text *t)
{
    char *s = t->s ? t->s : xstrdup("");
    *t = (struct text){0};
    return s;
}

static void
add_word(struct words *w, const char *start, const char *end)
{
    ARRAY_GROW(w->word, w->n);
    size_t len = (size_t)(end - start);
    char *s = xcalloc(len + 1, 1);
    memcpy(s, start, len);
    w->word[w->n++] = s;
}

struct words
words_split(const char *s)
{
    struct words w = {0};
    for (;;)
    {
        while (isspace((unsigned char)*s))
        {
            s++;
        }
        if (!*s)
        {
            return w;
        }
        const char *start = s;
        while (*s && !isspace((unsigned char)*s))
        {
            s++;
        }
        add_word(&w, start, s);
    }
}

struct words
words_split_at(const char *s, char separator)
{
    struct words w = {0};
    for (;;)
    {
        const char *end = strchr(s, separator);
        const char *stop = end ? end : s + strlen(s);
        const char *start = s;
        while (start < stop && isspace((unsigned char)*start))
        {
            start++;
        }
        const char *last = stop;
        while (last > start && isspace((unsigned char)last[-1]))
        {
            last--;
        }
        add_word(&w, start, last);
        if (!end)
        {
            return w;
        }
        s = end + 1;
    }
}

void
words_free(struct words *w)
{
    for (size_t i = 0; i < w->n; i++)
    {
        free(w->word[i]);
    }
    free(w->word);
    *w = (struct words){0};
}

bool
name_is_safe(const char *s)
{
    size_t n = strlen(s);
    if (n == 0 || n > 150 || *s == '.' || *s == '-')
    {
        return false;
    }
    for (; *s; s++)
    {
        bool plain = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
                     (*s >= '0' && *s <= '9') || strchr("._-+=", *s);
        if (!plain)
        {
            return false;
        }
    }
    return true;
}

struct nearest
nearest_start(const char *name)
{
    unsigned len = (unsigned)strlen(name);
    /* Up to a third of the letters may be wrong, two at least. */
    struct nearest n = {name, NULL, len / 3 < 2 ? 3 : len / 3 + 1};
    return n;
}

void
nearest_try(struct nearest *n, const char *candidate)
{
    unsigned d = weft_name_distance(n->name, candidate);
    if (d < n->distance && d < strlen(candidate))
    {
        n->distance = d;
        n->best = candidate;
    }
}

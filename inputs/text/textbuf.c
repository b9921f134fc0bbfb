/* SPDX-License-Identifier: GPL-2.0-only */
#include "textbuf.h"

#include <math.h>
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

void
free_owned(void *pointer)
{
    void *p;
    memcpy(&p, pointer, sizeof p);
    free(p);
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
    /* White space as it is a parser would turn into spaces. */
    static const char *const escapes[] = {
        ['&'] = "&amp;",   ['<'] = "&lt;",  ['>'] = "&gt;",   ['"'] = "&quot;",
        ['\''] = "&apos;", ['\t'] = "&#9;", ['\n'] = "&#10;", ['\r'] = "&#13;",
    };
    for (; *s; s++)
    {
        const unsigned char c = (unsigned char)*s;
        const char *escape = c < sizeof escapes / sizeof *escapes ? escapes[c] : NULL;
        text_add(t, escape ? "%s" : "%.1s", escape ? escape : s);
    }
}

void
text_add_rounded(struct text *t, const char *format, double value)
{
    char digits[40];
    const double above = value != 0 ? nextafter(value, copysign(INFINITY, value)) : 0;
    snprintf(digits, sizeof digits, format, above);
    text_add(t, "%s", digits);
}

char *
text_take(struct text *t)
{
    char *s = t->s ? t->s : xstrdup("");
    *t = (struct text){0};
    return s;
}

void
text_drop(struct text *t)
{
    free(t->s);
}

#define WHITE_SPACE " \t\n\v\f\r"

void
words_add(struct words *w, char *word)
{
    ARRAY_GROW(w->word, w->n);
    w->word[w->n++] = word;
}

bool
words_have(const struct words *w, const char *word)
{
    bool have = false;
    for (size_t i = 0; i < w->n && !have; i++)
    {
        have = strcmp(w->word[i], word) == 0;
    }
    return have;
}

struct words
words_split(const char *s)
{
    struct words w = {0};
    for (s += strspn(s, WHITE_SPACE); *s; s += strspn(s, WHITE_SPACE))
    {
        const size_t n = strcspn(s, WHITE_SPACE);
        words_add(&w, xformat("%.*s", (int)n, s));
        s += n;
    }
    return w;
}

struct words
words_split_at(const char *s, char separator)
{
    const char ends[] = {separator, '\0'};
    struct words w = {0};
    for (bool more = true; more; s++)
    {
        const char *end = s + strcspn(s, ends), *last = end;
        more = *end != '\0';
        s += strspn(s, WHITE_SPACE);
        while (last > s && strchr(WHITE_SPACE, last[-1]))
        {
            last--;
        }
        words_add(&w, xformat("%.*s", last > s ? (int)(last - s) : 0, s));
        s = end;
    }
    return w;
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
list_has(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = list ? list : ""; *p; p += strcspn(p, WHITE_SPACE))
    {
        p += strspn(p, WHITE_SPACE);
        if (n && strcspn(p, WHITE_SPACE) == n && strncmp(p, word, n) == 0)
        {
            return true;
        }
    }
    return false;
}

bool
text_is_blank(const char *s)
{
    return s[strspn(s, WHITE_SPACE)] == '\0';
}

bool
name_is_safe(const char *s)
{
    const size_t n =
        strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+=");
    return n > 0 && n <= 150 && s[n] == '\0' && *s != '.' && *s != '-';
}

struct nearest
nearest_start(const char *name)
{
    unsigned len = (unsigned)strlen(name);
    /* Up to a third of the letters may be wrong, two at least; a single one is like any name. */
    struct nearest n = {name, NULL, len < 2 ? 0 : len / 3 < 2 ? 3 : len / 3 + 1, false};
    return n;
}

void
nearest_try(struct nearest *n, const char *candidate)
{
    const size_t len = strlen(n->name);
    const unsigned d = weft_name_distance(n->name, candidate);
    /* A candidate that goes on from the name is nearer than any slip, and the shorter the nearer.
     * */
    const bool begins = len > 1 && strncmp(candidate, n->name, len) == 0;
    if (begins && (!n->begins || strlen(candidate) < strlen(n->best)))
    {
        n->begins = true;
        n->best = candidate;
    }
    else if (!n->begins && d < n->distance && d < strlen(candidate))
    {
        n->distance = d;
        n->best = candidate;
    }
}

void
nearest_try_words(struct nearest *n, const struct words *candidates)
{
    for (size_t i = 0; i < candidates->n; i++)
    {
        nearest_try(n, candidates->word[i]);
    }
}

size_t
name_find(struct nearest *name, const char *const *names, size_t n)
{
    size_t i = 0;
    while (i < n && strcmp(names[i], name->name) != 0)
    {
        i++;
    }
    for (size_t k = 0; i == n && k < n; k++)
    {
        nearest_try(name, names[k]);
    }
    return i;
}

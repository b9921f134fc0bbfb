/* SPDX-License-Identifier: GPL-2.0-only */
/** @file textbuf.h  Strings: growing text, word lists, memory that never fails. */
#ifndef WEFT_INPUTS_TEXTBUF_H
#define WEFT_INPUTS_TEXTBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Calls @p drop with a pointer to a local variable where its block ends. */
#define CLEANUP(drop) __attribute__((cleanup(drop)))

/** Frees what a local pointer points to, or NULL, where its block ends. */
#define OWNED CLEANUP(free_owned)
void free_owned(void *pointer);

/** A growing string; all zero is an empty one. Free s. */
struct text
{
    char *s; /**< NUL-terminated; NULL while nothing was added */
    size_t len, cap;
};

void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vadd(struct text *t, const char *format, va_list args);
/** Adds a number; halves are rounded up, as in CSV files. Nothing is behind 0. */
void text_add_rounded(struct text *t, const char *format, double value);
/** Adds @p s as it stands in an attribute of XML. */
void text_add_xml(struct text *t, const char *s);
/** The string, never NULL; the caller frees it. @p t is empty afterwards. */
char *text_take(struct text *t);
/** For CLEANUP(). */
void text_drop(struct text *t);

/** Words separated by white space. */
struct words
{
    char **word;
    size_t n;
};

struct words words_split(const char *s);
/** Splits at @p separator; white space around the parts goes. */
struct words words_split_at(const char *s, char separator);
/** Takes @p word, which came from xformat() or the like. */
void words_add(struct words *w, char *word);
/** Whether there is such a word. */
bool words_have(const struct words *w, const char *word);
void words_free(struct words *w);
/** Whether a list (NULL: none) of words that white space parts has one. */
bool list_has(const char *list, const char *word);

/** Called when memory is out; it does not return. At first: a message and exit status 1. */
extern void (*on_out_of_memory)(void);

/** Called before that, if it is not NULL: removes files that are half written. */
extern void (*tidy_out_of_memory)(void);

/** calloc and friends that call it instead of returning NULL. */
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xformat(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Makes room for one more element of an array that grows by doubling. */
#define ARRAY_GROW(array, n)                                                                       \
    do                                                                                             \
    {                                                                                              \
        if (((n) & ((n)-1)) == 0)                                                                  \
        {                                                                                          \
            (array) = xrealloc((array), (n) ? 2 * (n) : 1, sizeof *(array));                       \
        }                                                                                          \
    } while (0)

/** Whether there is nothing but white space. */
bool text_is_blank(const char *s);

/** Letters, digits and . _ - + = only, not starting with '.' or '-', 1 to 150 characters. */
bool name_is_safe(const char *s);

/** Keeps the candidate nearest to a name; begin with nearest_start(). */
struct nearest
{
    const char *name;
    const char *best;
    unsigned distance;
    bool begins; /**< best begins with name */
};

struct nearest nearest_start(const char *name);
void nearest_try(struct nearest *n, const char *candidate);
void nearest_try_words(struct nearest *n, const struct words *candidates);

/** The place of a name among others; @p n: it is none of them, which then are tried. */
size_t name_find(struct nearest *name, const char *const *names, size_t n);

#endif

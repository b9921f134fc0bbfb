/* SPDX-License-Identifier: GPL-2.0-only */
/** @file diagnostics.h  Errors and warnings of a file, collected so that all are shown in one
 * go. */
#ifndef WEFT_INPUTS_DIAGNOSTICS_H
#define WEFT_INPUTS_DIAGNOSTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Instead of a line: the mistake stands on the command line (--set). */
#define LINE_COMMAND (-1)
/** Instead of a line: it concerns the whole file. */
#define LINE_NONE 0

struct weft_param;

struct diagnostic
{
    int line;
    char *message;
    size_t runs; /**< in which it was reported */
    size_t last; /**< of them */
};

/** Start with {.file = path}. The same message for the same line is kept once. */
struct diagnostics
{
    const char *file;
    struct diagnostic *items;
    size_t n;
    struct diagnostic *warnings;
    size_t nwarnings;
    struct diagnostic *notes;
    size_t nnotes;
    struct diagnostic *idle; /**< what changes nothing in some run */
    size_t nidle;
    bool misnamed;   /**< a name is wrong: what else is wrong may follow from that */
    size_t run;      /**< the number of the one that is looked at */
    size_t reported; /**< calls of diag_error(), repetitions included */
};

/** Adds "what is wrong; expected ...". @p format must not end in a newline. */
void diag_error(struct diagnostics *d, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Adds what is possible but hardly meant; it is no error. Each message is kept once, at its first
 * line. */
void diag_warning(struct diagnostics *d, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Adds what a reader of the file may not expect, although nothing is odd. Kept as warnings are. */
void diag_note(struct diagnostics *d, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Notes what changes nothing in this run; the same in another run is to have the same words. */
void diag_idle(struct diagnostics *d, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Warns of what changes nothing in any of so many runs: in a sweep some runs may need it. */
void diag_warn_idle(struct diagnostics *d, size_t runs);

/** So many errors that looking for more helps nobody. */
bool diag_is_full(const struct diagnostics *d);

/** Prints errors or, where there are none, warnings and then notes, in the order of the lines,
 * "file:line: error: message" each. */
void diag_print(const struct diagnostics *d, FILE *out);

void diag_free(struct diagnostics *d);

/** "; did you mean 'ecmp'?" or "" : for the end of a message. The result lives until the next
 * call. */
const char *did_you_mean(const char *best);

/** Returns what a value must be; the text lives until the next call. */
const char *expected_value(const struct weft_param *param);

#endif

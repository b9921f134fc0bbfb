/* SPDX-License-Identifier: GPL-2.0-only */
/** @file table-lines.h  Mistakes of files, told with file and line, and their lines of words. */
#ifndef WEFT_INPUTS_TABLE_LINES_H
#define WEFT_INPUTS_TABLE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include <weft/param.h>

#include "diagnostics.h"

/** Parameter that a word of a file must fit; @p name: as in "NAME 'x'; expected ...". */
#define INPUT_PARAM(name, type, min, max)                                                          \
    {                                                                                              \
        name, type, 0, NULL, min, max, NULL, "", NULL                                              \
    }

/** A file while it is read. */
struct input_source
{
    const char *path;
    int scenario_line; /**< where a scenario names it; LINE_NONE: a program does */
    struct diagnostics *d;
    bool bad; /**< an error was reported */
};

/** Reports a mistake at line @p line of the file. Returns false. */
bool input_error(struct input_source *from, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Reports a mistake at byte @p byte of the file, counted from 0. Returns false. */
bool input_error_at(struct input_source *from, size_t byte, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Warns of what is odd, but no mistake. */
void input_warning(const struct input_source *from, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Reads a word as @p p has it into @p out; reports an error otherwise. */
bool input_value(struct input_source *from, int line, const struct weft_param *p, const char *word,
                 void *out);

/* --- lines ------------------------------------------------------------------------------------ */

/** Most words of a line. */
#define TABLE_MOST_WORDS 64

/** A walk over the lines that hold anything. What stands behind a '#' at the start is a comment. */
struct table_lines
{
    struct input_source *from;
    char *text; /**< a copy that is cut into words */
    char *at, *end;
    int line;                     /**< of the file */
    char *word[TABLE_MOST_WORDS]; /**< of the line */
    size_t n;
};

void table_lines_begin(struct table_lines *t, struct input_source *from, const char *bytes,
                       size_t n);
void table_lines_end(struct table_lines *t);

/** Goes to the next line with words, which white space and commas separate; false: there is none,
 * or enough errors were reported. A line of more words, or with a NUL in it, is an error. */
bool table_lines_next(struct table_lines *t);

/** Reads a word of the line as @p p has it; reports an error otherwise. */
bool table_value(struct table_lines *t, const struct weft_param *p, const char *word, void *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/** @file input-error.h  Mistakes in the files that a scenario names, told with file and line. */
#ifndef WEFT_RUNNER_INPUT_ERROR_H
#define WEFT_RUNNER_INPUT_ERROR_H

#include <stdbool.h>

#include <weft/param.h>

#include "diagnostics.h"

/** What a word of a file must be; @p name: as in "NAME 'x'; expected ...". */
#define INPUT_PARAM(name, type, min, max)                                                          \
    {                                                                                              \
        name, type, 0, NULL, min, max, NULL, "", NULL                                              \
    }

/** A file while it is read. */
struct input_source
{
    const char *path;
    int scenario_line; /**< where the scenario names it */
    struct diagnostics *d;
    bool bad; /**< an error was reported */
};

/** Reports a mistake at line @p line of the file. Returns false. */
bool input_error(struct input_source *from, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** The same for what is odd, but no mistake. */
void input_warning(const struct input_source *from, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Reads a word as @p p has it into @p out; reports an error otherwise. */
bool input_value(struct input_source *from, int line, const struct weft_param *p, const char *word,
                 void *out);

#endif

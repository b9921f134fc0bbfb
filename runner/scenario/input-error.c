/* SPDX-License-Identifier: GPL-2.0-only */
#include "input-error.h"

#include <stdarg.h>
#include <stdlib.h>

#include "messages.h"
#include "textbuf.h"

bool
input_error(struct input_source *from, int line, const char *format, ...)
{
    CLEANUP(text_drop) struct text message = {0};
    va_list args;
    va_start(args, format);
    text_vadd(&message, format, args);
    va_end(args);
    from->bad = true;
    diag_error(from->d, from->scenario_line, "%s:%d: %s", from->path, line, message.s);
    return false;
}

void
input_warning(const struct input_source *from, int line, const char *format, ...)
{
    CLEANUP(text_drop) struct text message = {0};
    va_list args;
    va_start(args, format);
    text_vadd(&message, format, args);
    va_end(args);
    diag_warning(from->d, from->scenario_line, "%s:%d: %s", from->path, line, message.s);
}

bool
input_value(struct input_source *from, int line, const struct weft_param *p, const char *word,
            void *out)
{
    if (weft_param_parse(p, word, out) >= 0)
    {
        return true;
    }
    return input_error(from, line, "%s '%s'; expected %s", p->name, word, expected_value(p));
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "table-lines.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

bool
input_error_at(struct input_source *from, size_t byte, const char *format, ...)
{
    CLEANUP(text_drop) struct text message = {0};
    va_list args;
    va_start(args, format);
    text_vadd(&message, format, args);
    va_end(args);
    from->bad = true;
    diag_error(from->d, from->scenario_line, "%s: byte %zu: %s", from->path, byte, message.s);
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

void
table_lines_begin(struct table_lines *t, struct input_source *from, const char *bytes, size_t n)
{
    *t = (struct table_lines){.from = from};
    t->text = xcalloc(n + 1, 1);
    t->end = t->text + n;
    memcpy(t->text, bytes, n);
    /* Spreadsheets begin UTF-8 with a mark. */
    t->at = t->text + (strncmp(t->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
}

void
table_lines_end(struct table_lines *t)
{
    free(t->text);
}

/** Cuts the line that ends at @p end into words. */
static void
split(struct table_lines *t, char *end)
{
    static const char between[] = " \t\r\n\v\f,";
    const size_t length = (size_t)(end - t->at);
    *end = '\0';
    t->n = 0;
    char *p = t->at + strspn(t->at, between);
    const bool comment = *p == '#';
    while (*p && !comment && t->n < TABLE_MOST_WORDS)
    {
        t->word[t->n++] = p;
        p += strcspn(p, between);
        p += *p ? (*p = '\0', 1) : 0;
        p += strspn(p, between);
    }
    if (!comment && (*p || p < t->at + length))
    {
        input_error(t->from, t->line,
                    *p ? "more than %d words; expected fewer"
                       : "there is a NUL among the words; expected text, at most %d words",
                    TABLE_MOST_WORDS);
    }
    t->at = end < t->end ? end + 1 : t->end;
}

bool
table_lines_next(struct table_lines *t)
{
    t->n = 0;
    while (t->n == 0 && t->at < t->end && !diag_is_full(t->from->d))
    {
        char *end = memchr(t->at, '\n', (size_t)(t->end - t->at));
        t->line++;
        split(t, end ? end : t->end);
    }
    return t->n > 0;
}

bool
table_value(struct table_lines *t, const struct weft_param *p, const char *word, void *out)
{
    return input_value(t->from, t->line, p, word, out);
}

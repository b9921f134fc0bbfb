/* SPDX-License-Identifier: GPL-2.0-only */
#include "table-lines.h"

#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "textbuf.h"

void
table_lines_begin(struct table_lines *t, const char *path, const char *bytes, size_t n,
                  int scenario_line, struct diagnostics *d)
{
    *t = (struct table_lines){.path = path, .scenario_line = scenario_line, .d = d};
    t->text = xcalloc(n + 1, 1);
    t->end = t->text + n;
    memcpy(t->text, bytes, n);
    t->at = t->text;
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
    *end = '\0';
    t->n = 0;
    for (char *p = t->at + strspn(t->at, between); *p && t->n < TABLE_MOST_WORDS;)
    {
        t->word[t->n++] = p;
        p += strcspn(p, between);
        p += *p ? (*p = '\0', 1) : 0;
        p += strspn(p, between);
    }
    t->at = end < t->end ? end + 1 : t->end;
}

bool
table_lines_next(struct table_lines *t)
{
    t->n = 0;
    while (t->n == 0 && t->at < t->end && !diag_is_full(t->d))
    {
        char *end = memchr(t->at, '\n', (size_t)(t->end - t->at));
        t->line++;
        split(t, end ? end : t->end);
        t->n = t->n && *t->word[0] == '#' ? 0 : t->n;
    }
    return t->n > 0;
}

void
table_error(struct table_lines *t, int line, const char *format, ...)
{
    struct text message = {0};
    va_list args;
    va_start(args, format);
    text_vadd(&message, format, args);
    va_end(args);
    t->bad = true;
    diag_error(t->d, t->scenario_line, "%s:%d: %s", t->path, line, message.s);
    free(message.s);
}

bool
table_value(struct table_lines *t, const struct weft_param *p, const char *word, void *out)
{
    if (weft_param_parse(p, word, out) >= 0)
    {
        return true;
    }
    char expected[512];
    expected_value(p, expected, sizeof expected);
    table_error(t, t->line, "%s '%s'; expected %s", p->name, word, expected);
    return false;
}

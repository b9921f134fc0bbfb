/* SPDX-License-Identifier: GPL-2.0-only */
#include "markdown.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/** The text in one line. */
static char *
folded(const char *s)
{
    struct text t = {0};
    struct words w = words_split(s);
    for (size_t i = 0; i < w.n; i++)
    {
        text_add(&t, "%s%s", i ? " " : "", w.word[i]);
    }
    words_free(&w);
    return text_take(&t);
}

/** Adds @p n bytes of code. */
static void
add_verbatim(struct text *t, const char *s, size_t n, bool in_table)
{
    for (size_t i = 0; i < n; i++)
    {
        text_add(t, in_table && s[i] == '|' ? "\\%c" : "%c", s[i]);
    }
}

/** The bytes of the code that starts at @p s with a fence of backquotes; 0: nothing closes it. */
static size_t
code_length(const char *s)
{
    size_t fence = strspn(s, "`"), run;
    for (const char *p = s + fence; (p = strchr(p, '`')) != NULL; p += run)
    {
        run = strspn(p, "`");
        if (run == fence)
        {
            return (size_t)(p - s) + run;
        }
    }
    return 0;
}

static void
add_character(struct text *t, char c)
{
    text_add(t, c == '&' ? "&amp;" : c == '<' ? "&lt;" : "%c", c);
}

void
markdown_add(struct text *t, const char *s, bool in_table)
{
    char *line = folded(s);
    for (const char *p = line; *p;)
    {
        size_t n = *p == '`' ? code_length(p) : 0;
        if (n)
        {
            add_verbatim(t, p, n, in_table);
            p += n;
            continue;
        }
        /* Backquotes that nothing closes are taken together: a part of them is no fence. */
        for (n = *p == '`' ? strspn(p, "`") : 1; n; n--, p++)
        {
            text_add(t, "%s", in_table && *p == '|' ? "\\" : "");
            add_character(t, *p);
        }
    }
    free(line);
}

void
markdown_add_plain(struct text *t, const char *s)
{
    char *line = folded(s);
    for (const char *p = line; *p; p++)
    {
        bool inside = p > line && isalnum((unsigned char)p[-1]) && isalnum((unsigned char)p[1]);
        text_add(t, "%s", strchr("\\`*[]|~#", *p) || (*p == '_' && !inside) ? "\\" : "");
        add_character(t, *p);
    }
    free(line);
}

void
markdown_add_code(struct text *t, const char *s, bool in_table)
{
    char *line = folded(s);
    size_t fence = 1;
    for (const char *p = line; (p = strchr(p, '`')) != NULL; p += strspn(p, "`"))
    {
        size_t run = strspn(p, "`");
        fence = run >= fence ? run + 1 : fence;
    }
    const char *space = fence > 1 ? " " : "";
    for (size_t i = 0; i < fence; i++)
    {
        text_add(t, "`");
    }
    text_add(t, "%s", space);
    add_verbatim(t, line, strlen(line), in_table);
    text_add(t, "%s", space);
    for (size_t i = 0; i < fence; i++)
    {
        text_add(t, "`");
    }
    free(line);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "markdown.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

char *
markdown_folded(const char *s)
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

size_t
markdown_code_length(const char *s)
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
    char *line = markdown_folded(s);
    for (const char *p = line; *p;)
    {
        size_t n = *p == '`' ? markdown_code_length(p) : 0;
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
    char *line = markdown_folded(s);
    for (const char *p = line; *p; p++)
    {
        bool inside = p > line && isalnum((unsigned char)p[-1]) && isalnum((unsigned char)p[1]);
        text_add(t, "%s", strchr("\\`*[]|~#", *p) || (*p == '_' && !inside) ? "\\" : "");
        add_character(t, *p);
    }
    free(line);
}

/** So many backquotes that the text has no such run of them, and at least @p least. */
static size_t
fence_for(const char *s, size_t least)
{
    for (const char *p = s; (p = strchr(p, '`')) != NULL; p += strspn(p, "`"))
    {
        const size_t run = strspn(p, "`");
        least = run >= least ? run + 1 : least;
    }
    return least;
}

static void
add_fence(struct text *t, size_t fence)
{
    for (size_t i = 0; i < fence; i++)
    {
        text_add(t, "`");
    }
}

void
markdown_add_code(struct text *t, const char *s, bool in_table)
{
    char *line = markdown_folded(s);
    const size_t fence = fence_for(line, 1);
    const char *space = fence > 1 ? " " : "";
    add_fence(t, fence);
    text_add(t, "%s", space);
    add_verbatim(t, line, strlen(line), in_table);
    text_add(t, "%s", space);
    add_fence(t, fence);
    free(line);
}

/** Whether a line has nothing but white space. */
static bool
is_blank(const char *line, size_t n)
{
    return strspn(line, " \t\n\v\f\r") >= n;
}

/** How far all lines that are not blank are indented. */
static size_t
common_indent(const char *s)
{
    size_t least = SIZE_MAX;
    for (const char *line = s; *line;)
    {
        const size_t n = strcspn(line, "\n"), indent = strspn(line, " ");
        least = !is_blank(line, n) && indent < least ? indent : least;
        line += n + (line[n] == '\n');
    }
    return least;
}

char *
markdown_block_lines(const char *s)
{
    struct text t = {0};
    size_t n, blank = 0;
    /* The line of the start tag is not indented. */
    while (is_blank(s, n = strcspn(s, "\n")) && s[n])
    {
        s += n + 1;
    }
    const size_t indent = common_indent(s);
    for (; *s; s += n + (s[n] == '\n'))
    {
        n = strcspn(s, "\n");
        const bool is_empty = is_blank(s, n);
        for (; !is_empty && blank; blank--)
        {
            text_add(&t, "\n");
        }
        blank += is_empty && t.len;
        if (!is_empty)
        {
            text_add(&t, "%.*s\n", (int)(n - indent), s + indent);
        }
    }
    return text_take(&t);
}

void
markdown_add_block(struct text *t, const char *language, const char *s)
{
    const size_t fence = fence_for(s, 3);
    char *lines = markdown_block_lines(s);
    add_fence(t, fence);
    text_add(t, "%s\n%s", language, lines);
    add_fence(t, fence);
    text_add(t, "\n");
    free(lines);
}

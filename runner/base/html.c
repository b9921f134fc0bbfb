/* SPDX-License-Identifier: GPL-2.0-only */
#include "html.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "markdown.h"
#include "shown-text.h"

/** Adds the first @p n bytes of @p s. */
static void
add(struct text *t, const char *s, size_t n)
{
    struct text shown = {0};
    text_add_printed(&shown, s, n);
    text_add_xml(t, shown.s ? shown.s : "");
    free(shown.s);
}

void
html_add(struct text *t, const char *s)
{
    add(t, s, strlen(s));
}

/* --- Markdown --------------------------------------------------------------------------------- */

/** Code of @p n bytes with its fences. */
static void
add_code(struct text *t, const char *s, size_t n)
{
    const size_t fence = strspn(s, "`");
    const char *from = s + fence, *end = s + n - fence;
    /* A space at both ends is there for backquotes that begin or end the code. */
    const bool padded = end - from > 2 && *from == ' ' && end[-1] == ' ';
    text_add(t, "<code>");
    add(t, from + padded, (size_t)(end - from) - 2 * padded);
    text_add(t, "</code>");
}

/** Adds the link [label](target) at @p s; how long it is, 0: it is none. */
static size_t
add_link(struct text *t, const char *s)
{
    const size_t label = strcspn(s + 1, "[]`");
    const char *target = s + label + 3;
    if (s[label + 1] != ']' || s[label + 2] != '(')
    {
        return 0;
    }
    const size_t n = strcspn(target, "() ");
    if (target[n] != ')' || label == 0)
    {
        return 0;
    }
    const bool away = strncmp(target, "https://", 8) == 0 || strncmp(target, "http://", 7) == 0;
    if (away)
    {
        text_add(t, "<a href=\"");
        add(t, target, n);
        text_add(t, "\" rel=\"noreferrer\">");
    }
    add(t, s + 1, label);
    text_add(t, "%s", away ? "</a>" : "");
    return (size_t)(target - s) + n + 1;
}

/** How long the markup at @p s is, which is added; 0: it is a character like others. */
static size_t
add_markup(struct text *t, const char *s, bool *strong)
{
    size_t n = 0;
    if (*s == '`' && (n = markdown_code_length(s)) > 0)
    {
        add_code(t, s, n);
    }
    else if (*s == '[')
    {
        n = add_link(t, s);
    }
    else if (s[0] == '*' && s[1] == '*' && (*strong || strstr(s + 2, "**")))
    {
        text_add(t, *strong ? "</strong>" : "<strong>");
        *strong = !*strong;
        n = 2;
    }
    return n;
}

/** Adds @p s, in which white space is one space each. */
static void
add_line(struct text *t, const char *s)
{
    bool strong = false;
    while (*s)
    {
        const size_t n = add_markup(t, s, &strong);
        /* Backquotes that nothing closes are taken together: a part of them is no fence. */
        const size_t plain = n ? 0 : *s == '`' ? strspn(s, "`") : 1 + strcspn(s + 1, "`[*");
        add(t, s, plain);
        s += n + plain;
    }
    text_add(t, strong ? "</strong>" : "");
}

void
html_add_markdown(struct text *t, const char *s)
{
    char *line = markdown_folded(s);
    add_line(t, line);
    free(line);
}

void
html_add_block(struct text *t, const char *s)
{
    char *lines = markdown_block_lines(s);
    text_add(t, "<pre><code>");
    for (const char *p = lines; *p;)
    {
        const size_t n = strcspn(p, "\n");
        add(t, p, n);
        text_add(t, "\n");
        p += n + (p[n] == '\n');
    }
    text_add(t, "</code></pre>\n");
    free(lines);
}

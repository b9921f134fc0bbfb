/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts of claims, which are Markdown. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "claims.h"

#define XML(s) ((const xmlChar *)(s))

/** Whether a line has nothing but white space. */
static bool
is_blank(const char *line, size_t n)
{
    return strspn(line, " \t\n\v\f\r") >= n;
}

/** Adds the code at @p s with its fence; how long it is, 0: nothing closes it. */
static size_t
take_code(xmlNode *e, const char *s)
{
    const size_t fence = strspn(s, "`");
    size_t run;
    for (const char *p = s + fence; (p = strchr(p, '`')) != NULL; p += run)
    {
        run = strspn(p, "`");
        if (run == fence)
        {
            xmlNode *code = page_add(e, "code", NULL);
            page_format(code, "fence", "%.*s", (int)fence, s);
            page_add_text(code, s + fence, (size_t)(p - s) - fence);
            return (size_t)(p - s) + run;
        }
    }
    return 0;
}

/** Whether a link may lead there: a relative address, or one of a scheme that runs nothing. */
static bool
may_lead_to(const char *target, size_t n)
{
    static const char *const schemes[] = {"http:", "https:", "mailto:"};
    bool may = strcspn(target, ":/?#") >= n || target[strcspn(target, ":/?#")] != ':';
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
    {
        may = may || strncasecmp(target, schemes[i], strlen(schemes[i])) == 0;
    }
    return may;
}

/** Adds the link [label](target) at @p s; how long it is, 0: it is none. */
static size_t
take_link(xmlNode *e, const char *s)
{
    const size_t label = strcspn(s + 1, "[]`");
    const char *target = s + label + 3;
    if (label == 0 || s[label + 1] != ']' || s[label + 2] != '(')
    {
        return 0;
    }
    const size_t n = strcspn(target, "() ");
    if (target[n] != ')' || !may_lead_to(target, n))
    {
        return 0;
    }
    xmlNode *link = page_add(e, "a", NULL);
    page_format(link, "href", "%.*s", (int)n, target);
    page_add_text(link, s + 1, label);
    return (size_t)(target - s) + n + 1;
}

/** Adds a line. */
static void
add_line(xmlNode *e, const char *s)
{
    xmlNode *at = e; /* or the <strong> in it */
    while (*s)
    {
        size_t n = *s == '`' ? take_code(at, s) : *s == '[' ? take_link(at, s) : 0;
        if (n == 0 && strncmp(s, "**", 2) == 0 && (at != e || strstr(s + 2, "**")))
        {
            at = at == e ? page_add(e, "strong", NULL) : e;
            n = 2;
        }
        if (n == 0 && *s == '\\' && ispunct((unsigned char)s[1]))
        {
            page_add(at, "escaped", (const char[]){s[1], '\0'});
            n = 2;
        }
        if (*s == ']' && s[1] && strchr("([:", s[1]))
        {
            page_add(at, "escaped", "]"); /* else a reader of Markdown may see a link */
            n = 1;
        }
        /* Backquotes that nothing closes are taken together: a part of them is no fence. */
        const size_t plain = n ? 0 : *s == '`' ? strspn(s, "`") : 1 + strcspn(s + 1, "`[]*\\");
        page_add_text(at, s, plain);
        s += n + plain;
    }
}

void
markdown_fill(xmlNode *e)
{
    xmlChar *text = xmlNodeGetContent(e);
    CLEANUP(words_free) struct words words = words_split((const char *)text);
    CLEANUP(text_drop) struct text line = {0};
    for (size_t i = 0; i < words.n; i++)
    {
        text_add(&line, "%s%s", i ? " " : "", words.word[i]);
    }
    xmlNodeSetContent(e, NULL);
    add_line(e, line.s ? line.s : "");
    xmlFree(text);
}

void
markdown_split(xmlNode *e)
{
    xmlChar *whole = xmlNodeGetContent(e);
    struct text paragraph = {0};
    bool more = true;
    for (const char *text = (const char *)whole; more;)
    {
        const size_t n = strcspn(text, "\n");
        more = text[n] != '\0';
        text_add(&paragraph, "%.*s\n", (int)n, text);
        if (is_blank(text, n) || !more)
        {
            OWNED char *taken = text_take(&paragraph);
            if (!text_is_blank(taken))
            {
                xmlNode *p = xmlAddPrevSibling(e, xmlNewDocNode(e->doc, NULL, XML("p"), NULL));
                xmlNodeAddContent(p, XML(taken));
                markdown_fill(p);
            }
        }
        text += n + more;
    }
    xmlFree(whole);
    xmlUnlinkNode(e);
    xmlFreeNode(e);
}

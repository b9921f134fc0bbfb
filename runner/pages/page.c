/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts on their way into a tree. <code> keeps its fence in Markdown, which depends on what is
 * inside. */
#include "page.h"

#include <ctype.h>
#include <libxml/uri.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "shown-text.h"
#include "textbuf.h"

#define XML(s) ((const xmlChar *)(s))

/** Adds the first @p n bytes of @p s. */
static void
add(xmlNode *e, const char *s, size_t n)
{
    CLEANUP(text_drop) struct text t = {0};
    text_add_printed(&t, s, n);
    xmlNodeAddContentLen(e, XML(t.s), (int)t.len);
}

xmlDoc *
page_new(const char *root)
{
    xmlDoc *page = xmlNewDoc(XML("1.0"));
    xmlDocSetRootElement(page, xmlNewDocNode(page, NULL, XML(root), NULL));
    return page;
}

xmlNode *
page_add(xmlNode *parent, const char *name, const char *text)
{
    xmlNode *e = xmlNewChild(parent, NULL, XML(name), NULL);
    if (text)
    {
        add(e, text, strlen(text));
    }
    return e;
}

void
page_set(xmlNode *e, const char *name, const char *text)
{
    if (text)
    {
        CLEANUP(text_drop) struct text t = {0};
        text_add_printed(&t, text, strlen(text));
        xmlSetProp(e, XML(name), XML(t.s ? t.s : ""));
    }
}

void
page_format(xmlNode *e, const char *name, const char *format, ...)
{
    CLEANUP(text_drop) struct text t = {0};
    va_list args;
    va_start(args, format);
    text_vadd(&t, format, args);
    va_end(args);
    page_set(e, name, t.s);
}

void
page_set_link(xmlNode *e, const char *name, const char *path, const char *from)
{
    xmlChar *escaped = path ? xmlURIEscapeStr(XML(path), XML("/")) : NULL;
    xmlChar *plain = escaped ? xmlBuildURI(escaped, XML("")) : NULL;
    const bool together = plain && from && *from != '/' && *path != '/' && strncmp(from, "..", 2);
    xmlChar *link = together ? xmlBuildRelativeURI(plain, XML(from)) : NULL;
    page_set(e, name, (const char *)(link ? link : plain));
    xmlFree(link);
    xmlFree(plain);
    xmlFree(escaped);
}

/* --- code ------------------------------------------------------------------------------------- */

/** So many backquotes that the text has no such run of them, and at least @p least. */
static char *
fence_for(const char *s, size_t least)
{
    struct text t = {0};
    for (const char *p = s; (p = strchr(p, '`')) != NULL; p += strspn(p, "`"))
    {
        const size_t run = strspn(p, "`");
        least = run >= least ? run + 1 : least;
    }
    while (t.len < least)
    {
        text_add(&t, "`");
    }
    return t.s;
}

/** The text in one line: white space is one space. */
static char *
folded(const char *s)
{
    struct text t = {0};
    CLEANUP(words_free) struct words w = words_split(s);
    for (size_t i = 0; i < w.n; i++)
    {
        text_add(&t, "%s%s", i ? " " : "", w.word[i]);
    }
    return text_take(&t);
}

void
page_add_code(xmlNode *parent, const char *text)
{
    OWNED char *line = folded(text), *fence = fence_for(line, 1);
    OWNED char *padded = xformat(fence[1] ? " %s " : "%s", line);
    page_set(page_add(parent, "code", padded), "fence", fence);
}

/** Whether a line has nothing but white space. */
static bool
is_blank(const char *line, size_t n)
{
    return strspn(line, " \t\n\v\f\r") >= n;
}

/* --- Markdown --------------------------------------------------------------------------------- */

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
            add(code, s + fence, (size_t)(p - s) - fence);
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
    add(link, s + 1, label);
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
        add(at, s, plain);
        s += n + plain;
    }
}

xmlNode *
page_add_markdown(xmlNode *parent, const char *name, const char *text)
{
    xmlNode *e = page_add(parent, name, NULL);
    OWNED char *line = folded(text);
    add_line(e, line);
    return e;
}

void
page_add_paragraphs(xmlNode *parent, const char *name, const char *text)
{
    struct text paragraph = {0};
    for (bool more = true; more;)
    {
        const size_t n = strcspn(text, "\n");
        more = text[n] != '\0';
        text_add(&paragraph, "%.*s\n", (int)n, text);
        if (is_blank(text, n) || !more)
        {
            OWNED char *whole = text_take(&paragraph);
            if (!text_is_blank(whole))
            {
                page_add_markdown(parent, name, whole);
            }
        }
        text += n + more;
    }
}

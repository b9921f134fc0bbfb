/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts on their way into a tree. <code> keeps its fence in Markdown, which depends on what is
 * inside. */
#include "page.h"

#include <libxml/uri.h>
#include <stdlib.h>
#include <string.h>

#include "shown-text.h"
#include "textbuf.h"

#define XML(s) ((const xmlChar *)(s))

void
page_add_text(xmlNode *e, const char *s, size_t n)
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
        page_add_text(e, text, strlen(text));
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

/* SPDX-License-Identifier: GPL-2.0-only */
/* From a file to elements. libxml2 parses; a second look at the bytes finds each attribute's line,
 * which libxml2 does not keep. */
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>

#include "document.h"
#include "files.h"
#include "textbuf.h"

/** Most attributes of one element. */
#define MOST_ATTRIBUTES 1000

struct parsing
{
    struct diagnostics *d;
    bool reported;
};

/* --- lines ------------------------------------------------------------------------------------ */

/** A walk over the start tags of a well-formed document without DOCTYPE. */
struct tag_walk
{
    const char *at;
    int line;
};

/** False, and no step, if there is nothing to go to. */
static bool
step_to(struct tag_walk *w, const char *to)
{
    for (; to && w->at < to; w->at++)
    {
        w->line += *w->at == '\n';
    }
    return to != NULL;
}

/** Markup that begins with '<' and is no start tag, and its end: the first '>' that these stand
 * before. */
static const char *const other_markup[][2] = {
    {"<!--", "--"}, {"<![CDATA[", "]]"}, {"<?", "?"}, {"</", ""}};

/** The end of such markup. A search for a text of two letters would look at all that follows under
 * the address sanitizer. */
static const char *
markup_end(const char *begin, const char *last)
{
    const size_t n = strlen(last);
    const char *end = strchr(begin + 2, '>');
    while (end && ((size_t)(end - begin) < n + 2 || strncmp(end - n, last, n) != 0))
    {
        end = strchr(end + 1, '>');
    }
    return end;
}

/** Moves to the '<' of the next start tag. */
static bool
next_tag(struct tag_walk *w)
{
    while (step_to(w, strchr(w->at, '<')))
    {
        const size_t n = sizeof other_markup / sizeof *other_markup;
        size_t i = 0;
        while (i < n && strncmp(w->at, other_markup[i][0], strlen(other_markup[i][0])) != 0)
        {
            i++;
        }
        if (i == n || !step_to(w, markup_end(w->at, other_markup[i][1])))
        {
            return i == n;
        }
    }
    return false;
}

/** Gives the elements and their attributes their lines. */
static bool
lines_of_tree(struct tag_walk *w, struct element *e)
{
    bool found = next_tag(w);
    e->line = found ? w->line : e->line;
    for (size_t i = 0; found && i < e->nattributes; i++)
    {
        found = step_to(w, strpbrk(w->at, "\"'"));
        e->attributes[i].line = found ? w->line : e->line;
        const char *close = found ? strchr(w->at + 1, *w->at) : NULL;
        found = step_to(w, close ? close + 1 : NULL);
    }
    found = found && step_to(w, strchr(w->at, '>'));
    e->text_line = found ? w->line : e->line;
    for (size_t i = 0; found && i < e->nchildren; i++)
    {
        found = lines_of_tree(w, e->children[i]);
    }
    return found;
}

/** The line of a start tag with more attributes than MOST_ATTRIBUTES, or 0. libxml2 compares each
 * with each. */
static int
crowded_line(const char *bytes)
{
    struct tag_walk w = {bytes, 1};
    bool more = true;
    while (more && next_tag(&w))
    {
        const int line = w.line;
        size_t n = 0;
        while ((more = step_to(&w, strpbrk(w.at, "\"'>"))) && *w.at != '>')
        {
            const char *close = strchr(w.at + 1, *w.at);
            step_to(&w, close ? close + 1 : w.at + 1);
            if (++n > MOST_ATTRIBUTES)
            {
                return line;
            }
        }
    }
    return 0;
}

/* --- encoding --------------------------------------------------------------------------------- */

/** The line of the first byte that is not UTF-8, or 0. What looks at the bytes beside libxml2 would
 * see nothing in UTF-16. */
static int
foreign_line(const char *bytes, size_t size)
{
    int line = 1, n;
    for (size_t i = 0; i < size; i += (size_t)n)
    {
        n = size - i < 4 ? (int)(size - i) : 4;
        if (!bytes[i] || xmlGetUTF8Char((const unsigned char *)bytes + i, &n) < 0)
        {
            return line;
        }
        line += bytes[i] == '\n';
    }
    return 0;
}

/* --- parsing ---------------------------------------------------------------------------------- */

/* libxml2 2.12 made the error const; both kinds of library must accept this handler. */
#if LIBXML_VERSION >= 21200
static void
on_error(void *ctx, const xmlError *error)
#else
static void
on_error(void *ctx, xmlErrorPtr error)
#endif
{
    struct parsing *p = ((xmlParserCtxtPtr)ctx)->_private;
    if (p->reported || error->level < XML_ERR_ERROR)
    {
        return;
    }
    p->reported = true;
    OWNED char *message = xstrdup(error->message ? error->message : "not well-formed");
    message[strcspn(message, "\n")] = '\0';
    diag_error(p->d, error->line, "malformed XML: %s", message);
}

static void
on_doctype(void *ctx, const xmlChar *name, const xmlChar *external, const xmlChar *system)
{
    xmlParserCtxtPtr parser = ctx;
    struct parsing *p = parser->_private;
    (void)name;
    (void)external;
    (void)system;
    if (!p->reported)
    {
        p->reported = true;
        diag_error(p->d, xmlSAX2GetLineNumber(ctx),
                   "DOCTYPE and entities are not accepted in a scenario; expected the <scenario> "
                   "element right after the XML declaration");
    }
    xmlStopParser(parser);
}

static void *
xml_allocate(size_t n)
{
    return xcalloc(n, 1);
}

static void *
xml_reallocate(void *p, size_t n)
{
    return xrealloc(p, n, 1);
}

/** libxml2 has lines of its own for what does not reach on_error(), an encoding that ends in the
 * middle: the document's mistake is told as any other. */
static void
say_nothing(void *ctx, const char *format, ...)
{
    (void)ctx;
    (void)format;
}

/** Sets libxml2 up: where memory is out, it would say that the document is malformed. */
static void
set_up_library(void)
{
    static bool done;
    if (!done)
    {
        xmlMemSetup(free, xml_allocate, xml_reallocate, xstrdup);
        xmlSetGenericErrorFunc(NULL, say_nothing);
        done = true;
    }
}

static xmlDoc *
parse_bytes(const char *bytes, size_t size, struct parsing *parsing)
{
    set_up_library();
    xmlParserCtxtPtr parser = xmlNewParserCtxt();
    if (!parser)
    {
        return NULL;
    }
    parser->_private = parsing;
    parser->sax->serror = on_error;
    parser->sax->internalSubset = on_doctype;
    xmlDoc *doc = xmlCtxtReadMemory(parser, bytes, (int)size, NULL, "UTF-8",
                                    XML_PARSE_NONET | XML_PARSE_BIG_LINES | XML_PARSE_NOCDATA);
    xmlFreeParserCtxt(parser);
    if (parsing->reported)
    {
        xmlFreeDoc(doc);
        doc = NULL;
    }
    return doc;
}

/** A name as it is written: no name of ours has a prefix. The caller frees it. */
static char *
name_of(const xmlNs *ns, const xmlChar *name)
{
    const bool prefixed = ns && ns->prefix;
    return xformat("%s%s%s", prefixed ? (const char *)ns->prefix : "", prefixed ? ":" : "",
                   (const char *)name);
}

static void
convert_attributes(const xmlNode *node, struct element *e)
{
    for (const xmlAttr *a = node->properties; a; a = a->next)
    {
        OWNED char *name = name_of(a->ns, a->name);
        xmlChar *value = xmlNodeListGetString(node->doc, a->children, 1);
        element_add_attribute(e, name, value ? (const char *)value : "", e->line);
        xmlFree(value);
    }
    for (const xmlNs *ns = node->nsDef; ns; ns = ns->next)
    {
        if (!ns->prefix && ns->href && *ns->href) /* xmlns="" is no namespace, as all of ours */
        {
            element_set(e, "xmlns", (const char *)ns->href, e->line, false);
        }
    }
}

static struct element *
convert(const struct grammar *g, const xmlNode *node, const char *parent)
{
    OWNED char *name = name_of(node->ns, node->name);
    struct element *e = element_new(name, grammar_find(g, name, parent), (int)xmlGetLineNo(node));
    convert_attributes(node, e);
    struct text t = {0};
    for (const xmlNode *c = node->children; c; c = c->next)
    {
        if (c->type == XML_ELEMENT_NODE)
        {
            element_add(e, convert(g, c, name));
        }
        else if (c->type == XML_TEXT_NODE || c->type == XML_CDATA_SECTION_NODE)
        {
            text_add(&t, "%s", c->content ? (const char *)c->content : "");
        }
    }
    free(e->text);
    e->text = text_take(&t);
    return e;
}

struct document *
document_parse_as(const struct grammar *g, const char *path, const char *bytes, size_t size,
                  struct diagnostics *d)
{
    if (size > DOCUMENT_MOST_BYTES)
    {
        diag_error(d, LINE_NONE, "the file is larger than 16 MiB; expected a scenario");
        return NULL;
    }
    struct parsing parsing = {d, false};
    const int foreign = foreign_line(bytes, size);
    if (foreign)
    {
        diag_error(d, foreign, "bytes that are not UTF-8; expected a file in UTF-8 or ASCII");
        return NULL;
    }
    OWNED char *text = memcpy(xcalloc(size + 1, 1), bytes, size);
    const int crowded = crowded_line(text);
    if (crowded)
    {
        diag_error(d, crowded, "an element with more than %d attributes; expected fewer",
                   MOST_ATTRIBUTES);
        return NULL;
    }
    xmlDoc *xml = parse_bytes(bytes, size, &parsing);
    if (!xml)
    {
        if (!parsing.reported)
        {
            diag_error(d, 1, "malformed XML: the document is empty");
        }
        return NULL;
    }
    struct document *doc = xcalloc(1, sizeof *doc);
    doc->path = xstrdup(path);
    doc->grammar = g;
    doc->bytes = memcpy(xcalloc(size + 1, 1), bytes, size);
    doc->size = size;
    doc->root = convert(g, xmlDocGetRootElement(xml), "");
    xmlFreeDoc(xml);
    struct tag_walk walk = {doc->bytes, 1};
    lines_of_tree(&walk, doc->root);
    return doc;
}

struct document *
document_read_as(const struct grammar *g, const char *path, struct diagnostics *d)
{
    size_t size;
    char *why, *bytes = file_read_path(path, DOCUMENT_MOST_BYTES, &size, &why);
    if (!bytes)
    {
        diag_error(d, LINE_NONE, "%s; expected a file of XML", why);
        free(why);
        return NULL;
    }
    struct document *doc = document_parse_as(g, path, bytes, size, d);
    free(bytes);
    return doc;
}

struct document *
document_parse(const char *path, const char *bytes, size_t size, struct diagnostics *d)
{
    return document_parse_as(&vocabulary, path, bytes, size, d);
}

struct document *
document_read(const char *path, struct diagnostics *d)
{
    return document_read_as(&vocabulary, path, d);
}

const char *
document_option(const struct document *doc)
{
    return doc->quick ? " --quick" : "";
}

void
document_free(struct document *doc)
{
    if (doc)
    {
        element_free(doc->root);
        free(doc->bytes);
        free(doc->path);
        free(doc->quick);
        free(doc);
    }
}

void
document_drop(struct document **doc)
{
    document_free(*doc);
}

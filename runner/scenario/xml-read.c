/* SPDX-License-Identifier: GPL-2.0-only */
/* From a file to elements. libxml2 parses; a second look at the bytes finds each attribute's line,
 * which libxml2 does not keep. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>

#include "document.h"
#include "textbuf.h"

struct parsing
{
    struct diagnostics *d;
    bool reported;
};

/* --- lines ------------------------------------------------------------------------------------ */

/** A walk over the start tags of a well-formed document without DOCTYPE. */
struct tag_walk
{
    const char *at, *end;
    int line;
};

static void
step_to(struct tag_walk *w, const char *to)
{
    for (; w->at < to; w->at++)
    {
        w->line += *w->at == '\n';
    }
}

static bool
skip_past(struct tag_walk *w, const char *mark)
{
    size_t n = strlen(mark);
    for (const char *p = w->at; p + n <= w->end; p++)
    {
        if (memcmp(p, mark, n) == 0)
        {
            step_to(w, p + n);
            return true;
        }
    }
    return false;
}

static bool
starts(const struct tag_walk *w, const char *mark)
{
    size_t n = strlen(mark);
    return (size_t)(w->end - w->at) >= n && memcmp(w->at, mark, n) == 0;
}

/** Moves to the '<' of the next start tag. */
static bool
next_tag(struct tag_walk *w)
{
    for (;;)
    {
        const char *open = memchr(w->at, '<', (size_t)(w->end - w->at));
        if (!open)
        {
            return false;
        }
        step_to(w, open);
        const char *close = starts(w, "<!--")        ? "-->"
                            : starts(w, "<![CDATA[") ? "]]>"
                            : starts(w, "<?")        ? "?>"
                            : starts(w, "</")        ? ">"
                                                     : NULL;
        if (!close)
        {
            return true;
        }
        if (!skip_past(w, close))
        {
            return false;
        }
    }
}

/** Gives the element and its attributes their lines, and moves past the start tag. */
static bool
lines_of_tag(struct tag_walk *w, struct element *e)
{
    if (!next_tag(w))
    {
        return false;
    }
    e->line = w->line;
    for (size_t i = 0; i < e->nattributes; i++)
    {
        const char *p = w->at;
        while (p < w->end && *p != '"' && *p != '\'')
        {
            p++;
        }
        const char *close = p < w->end ? memchr(p + 1, *p, (size_t)(w->end - p - 1)) : NULL;
        if (!close)
        {
            return false;
        }
        step_to(w, p);
        e->attributes[i].line = w->line;
        step_to(w, close + 1);
    }
    const bool found = skip_past(w, ">");
    e->text_line = w->line;
    return found;
}

static bool
lines_of_tree(struct tag_walk *w, struct element *e)
{
    bool found = lines_of_tag(w, e);
    for (size_t i = 0; found && i < e->nchildren; i++)
    {
        found = lines_of_tree(w, e->children[i]);
    }
    return found;
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
    char *message = xstrdup(error->message ? error->message : "not well-formed");
    message[strcspn(message, "\n")] = '\0';
    diag_error(p->d, error->line, "malformed XML: %s", message);
    free(message);
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

/** Of memory that is out libxml2 would say that the document is malformed. */
static void
use_own_memory(void)
{
    static bool done;
    if (!done)
    {
        xmlMemSetup(free, xml_allocate, xml_reallocate, xstrdup);
        done = true;
    }
}

static xmlDoc *
parse_bytes(const char *bytes, size_t size, struct parsing *parsing)
{
    use_own_memory();
    xmlParserCtxtPtr parser = xmlNewParserCtxt();
    if (!parser)
    {
        return NULL;
    }
    parser->_private = parsing;
    parser->sax->serror = on_error;
    parser->sax->internalSubset = on_doctype;
    xmlDoc *doc = xmlCtxtReadMemory(parser, bytes, (int)size, NULL, NULL,
                                    XML_PARSE_NONET | XML_PARSE_BIG_LINES | XML_PARSE_NOCDATA);
    xmlFreeParserCtxt(parser);
    if (parsing->reported)
    {
        xmlFreeDoc(doc);
        doc = NULL;
    }
    return doc;
}

static struct element *
convert(const xmlNode *node, const char *parent)
{
    const char *name = (const char *)node->name;
    struct element *e = element_new(name, vocabulary_find(name, parent), (int)xmlGetLineNo(node));
    for (const xmlAttr *a = node->properties; a; a = a->next)
    {
        xmlChar *value = xmlNodeListGetString(node->doc, a->children, 1);
        element_set(e, (const char *)a->name, value ? (const char *)value : "", e->line, false);
        xmlFree(value);
    }
    struct text t = {0};
    for (const xmlNode *c = node->children; c; c = c->next)
    {
        if (c->type == XML_ELEMENT_NODE)
        {
            element_add(e, convert(c, name));
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
document_parse(const char *path, const char *bytes, size_t size, struct diagnostics *d)
{
    if (size > DOCUMENT_MOST_BYTES)
    {
        diag_error(d, LINE_NONE, "the file is larger than 16 MiB; expected a scenario");
        return NULL;
    }
    struct parsing parsing = {d, false};
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
    doc->bytes = memcpy(xcalloc(size + 1, 1), bytes, size);
    doc->size = size;
    doc->root = convert(xmlDocGetRootElement(xml), "");
    xmlFreeDoc(xml);
    /* In an encoding such as UTF-16 the walk finds nothing and libxml2's lines stay. */
    struct tag_walk walk = {doc->bytes, doc->bytes + size, 1};
    lines_of_tree(&walk, doc->root);
    return doc;
}

/* --- files ------------------------------------------------------------------------------------ */

static bool
is_readable_file(int fd, struct diagnostics *d)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
    {
        diag_error(d, LINE_NONE, "cannot read it: %s", strerror(errno));
        return false;
    }
    if (S_ISDIR(st.st_mode))
    {
        diag_error(d, LINE_NONE, "this is a directory; expected a scenario file (.xml)");
        return false;
    }
    if (S_ISREG(st.st_mode) && (uint64_t)st.st_size > DOCUMENT_MOST_BYTES)
    {
        diag_error(d, LINE_NONE, "the file is larger than 16 MiB; expected a scenario");
        return false;
    }
    return true;
}

/** Reads up to the limit and one byte more, so that a longer stream is noticed. */
static char *
read_all(int fd, size_t *size, struct diagnostics *d)
{
    char *bytes = NULL;
    size_t n = 0, cap = 0;
    while (n <= DOCUMENT_MOST_BYTES)
    {
        if (n == cap)
        {
            cap = cap ? 2 * cap : 65536;
            bytes = xrealloc(bytes, cap, 1);
        }
        ssize_t got = read(fd, bytes + n, cap - n);
        if (got < 0 && errno == EINTR)
        {
            continue;
        }
        if (got < 0)
        {
            diag_error(d, LINE_NONE, "cannot read it: %s", strerror(errno));
            free(bytes);
            return NULL;
        }
        if (got == 0)
        {
            break;
        }
        n += (size_t)got;
    }
    *size = n;
    return bytes;
}

struct document *
document_read(const char *path, struct diagnostics *d)
{
    /* Not blocking: a FIFO without a writer must not hang the command. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
    {
        diag_error(d, LINE_NONE, "cannot open it: %s", strerror(errno));
        return NULL;
    }
    struct document *doc = NULL;
    size_t size = 0;
    char *bytes = is_readable_file(fd, d) ? read_all(fd, &size, d) : NULL;
    close(fd);
    if (bytes)
    {
        doc = document_parse(path, bytes, size, d);
    }
    free(bytes);
    return doc;
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

/* SPDX-License-Identifier: GPL-2.0-only */
/* libxml2's RELAX NG validation of a document that the loader has accepted. */
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/relaxng.h>
#include <libxml/xmlerror.h>

#include "document.h"
#include "schema.h"
#include "textbuf.h"
#include "vocabulary.h"

/* libxml2 2.12 made the error const; both kinds of library must accept this handler. */
#if LIBXML_VERSION >= 21200
static void
on_error(void *user, const xmlError *error)
#else
static void
on_error(void *user, xmlErrorPtr error)
#endif
{
    char *message = xstrdup(error->message ? error->message : "not valid");
    message[strcspn(message, "\n")] = '\0';
    diag_error(user, error->line, "against the schema (scenarios/weft.rng): %s", message);
    free(message);
}

/* libxml2 takes twice the states, and four times as long, for each optional attribute that an
 * element has: a resolved <switch> would take minutes. So it sees each element several times, with
 * so many of them. */
#define AT_ONCE 8

static bool
is_optional(const xmlNode *e, const xmlAttr *a)
{
    const xmlNode *parent = e->parent;
    const bool is_root = !parent || parent->type != XML_ELEMENT_NODE;
    const struct element_spec *spec =
        vocabulary_find((const char *)e->name, is_root ? "" : (const char *)parent->name);
    const char *name = (const char *)a->name;
    const struct attribute_spec *known = spec ? vocabulary_attribute(spec, name) : NULL;
    const bool is_selector = spec && spec->selector && strcmp(spec->selector, name) == 0;
    return spec && !is_selector && !(known && vocabulary_requires(spec, known));
}

/** The element that comes after, children first; NULL: no more. */
static xmlNode *
next_element(xmlNode *e)
{
    xmlNode *next = xmlFirstElementChild(e);
    while (!next && e)
    {
        next = xmlNextElementSibling(e);
        e = e->parent && e->parent->type == XML_ELEMENT_NODE ? e->parent : NULL;
    }
    return next;
}

/** The most optional attributes of one element. */
static size_t
most_optional(xmlDoc *xml)
{
    size_t most = 0;
    for (xmlNode *e = xmlDocGetRootElement(xml); e; e = next_element(e))
    {
        size_t n = 0;
        for (const xmlAttr *a = e->properties; a; a = a->next)
        {
            n += is_optional(e, a);
        }
        most = n > most ? n : most;
    }
    return most;
}

/** Leaves each element the optional attributes from one on, AT_ONCE of them. */
static void
keep_from(xmlDoc *xml, size_t first)
{
    for (xmlNode *e = xmlDocGetRootElement(xml); e; e = next_element(e))
    {
        size_t n = 0;
        for (xmlAttr *a = e->properties, *next; a; a = next)
        {
            next = a->next;
            const bool optional = is_optional(e, a);
            if (optional && (n < first || n >= first + AT_ONCE))
            {
                xmlRemoveProp(a); /* which frees it */
            }
            n += optional;
        }
    }
}

static void
validate(xmlDoc *xml, xmlRelaxNG *schema, struct diagnostics *d)
{
    xmlRelaxNGValidCtxt *valid = xmlRelaxNGNewValidCtxt(schema);
    size_t before = d->n;
    xmlRelaxNGSetValidStructuredErrors(valid, on_error, d);
    if (xmlRelaxNGValidateDoc(valid, xml) != 0 && d->n == before)
    {
        diag_error(d, LINE_NONE, "not valid against the schema (scenarios/weft.rng)");
    }
    xmlRelaxNGFreeValidCtxt(valid);
}

void
document_check_schema(const struct document *doc, struct diagnostics *d)
{
    char *text = schema_text();
    xmlRelaxNGParserCtxt *parser = xmlRelaxNGNewMemParserCtxt(text, (int)strlen(text));
    xmlRelaxNGSetParserStructuredErrors(parser, on_error, d);
    xmlRelaxNG *schema = xmlRelaxNGParse(parser);
    xmlRelaxNGFreeParserCtxt(parser);
    xmlDoc *xml = xmlReadMemory(doc->bytes, (int)doc->size, NULL, NULL,
                                XML_PARSE_NONET | XML_PARSE_BIG_LINES);
    const size_t most = xml ? most_optional(xml) : 0;
    const size_t before = d->n;
    for (size_t first = 0; schema && xml && d->n == before && (first == 0 || first < most);
         first += AT_ONCE)
    {
        xmlDoc *part = xmlCopyDoc(xml, 1);
        keep_from(part, first);
        validate(part, schema, d);
        xmlFreeDoc(part);
    }
    xmlFreeDoc(xml);
    xmlRelaxNGFree(schema);
    free(text);
}

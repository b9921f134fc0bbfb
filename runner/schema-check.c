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
    if (schema && xml)
    {
        validate(xml, schema, d);
    }
    xmlFreeDoc(xml);
    xmlRelaxNGFree(schema);
    free(text);
}

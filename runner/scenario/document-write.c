/* SPDX-License-Identifier: GPL-2.0-only */
/* From elements to a file. */
#include <stdlib.h>
#include <string.h>

#include <libxml/xmlwriter.h>

#include "document.h"
#include "textbuf.h"

static const xmlChar *
xml(const char *s)
{
    return (const xmlChar *)s;
}

static void
write_element(xmlTextWriter *w, const struct element *e)
{
    xmlTextWriterStartElement(w, xml(e->name));
    for (size_t i = 0; i < e->nattributes; i++)
    {
        xmlTextWriterWriteAttribute(w, xml(e->attributes[i].name), xml(e->attributes[i].value));
    }
    if (!text_is_blank(e->text))
    {
        xmlTextWriterWriteString(w, xml(e->text));
    }
    for (size_t i = 0; i < e->nchildren; i++)
    {
        write_element(w, e->children[i]);
    }
    xmlTextWriterEndElement(w);
}

char *
document_write(const struct element *root)
{
    xmlBuffer *bytes = xmlBufferCreate();
    xmlTextWriter *w = xmlNewTextWriterMemory(bytes, 0);
    xmlTextWriterSetIndent(w, 1);
    xmlTextWriterSetIndentString(w, xml("  "));
    xmlTextWriterStartDocument(w, NULL, "UTF-8", NULL);
    write_element(w, root);
    xmlTextWriterEndDocument(w);
    xmlFreeTextWriter(w);
    char *text = xstrdup((const char *)xmlBufferContent(bytes));
    xmlBufferFree(bytes);
    return text;
}

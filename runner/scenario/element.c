/* SPDX-License-Identifier: GPL-2.0-only */
/* Elements of a document: made, copied, searched, changed, written. */
#include <stdlib.h>
#include <string.h>

#include <libxml/xmlwriter.h>

#include "document.h"
#include "textbuf.h"

struct element *
element_new(const char *name, const struct element_spec *spec, int line)
{
    struct element *e = xcalloc(1, sizeof *e);
    e->name = xstrdup(name);
    e->spec = spec;
    e->line = e->text_line = line;
    e->text = xstrdup("");
    return e;
}

void
element_add(struct element *parent, struct element *child)
{
    ARRAY_GROW(parent->children, parent->nchildren);
    parent->children[parent->nchildren++] = child;
}

struct element *
element_copy(const struct element *e)
{
    struct element *copy = element_new(e->name, e->spec, e->line);
    free(copy->text);
    copy->text = xstrdup(e->text);
    copy->text_line = e->text_line;
    for (size_t i = 0; i < e->nattributes; i++)
    {
        const struct attribute *a = &e->attributes[i];
        element_add_attribute(copy, a->name, a->value, a->line);
        copy->attributes[i].overridden = a->overridden;
    }
    for (size_t i = 0; i < e->nchildren; i++)
    {
        element_add(copy, element_copy(e->children[i]));
    }
    return copy;
}

void
element_free(struct element *e)
{
    if (!e)
    {
        return;
    }
    for (size_t i = 0; i < e->nattributes; i++)
    {
        free(e->attributes[i].name);
        free(e->attributes[i].value);
    }
    for (size_t i = 0; i < e->nchildren; i++)
    {
        element_free(e->children[i]);
    }
    free(e->attributes);
    free(e->children);
    free(e->text);
    free(e->name);
    free(e);
}

struct element *
element_child_after(const struct element *parent, const char *name, const struct element *after)
{
    size_t i = 0;
    while (after && parent->children[i++] != after)
    {
    }
    while (i < parent->nchildren && strcmp(parent->children[i]->name, name) != 0)
    {
        i++;
    }
    return i < parent->nchildren ? parent->children[i] : NULL;
}

struct element *
element_child(const struct element *e, const char *name)
{
    return element_child_after(e, name, NULL);
}

struct element *
element_named(const struct element *e, const char *kind, const char *name)
{
    struct element *child = NULL;
    const char *its = NULL;
    while ((child = element_child_after(e, kind, child)) != NULL &&
           (!(its = element_value(child, "name")) || strcmp(its, name) != 0))
    {
    }
    return child;
}

struct attribute *
element_attribute(const struct element *e, const char *name)
{
    for (size_t i = 0; i < e->nattributes; i++)
    {
        if (strcmp(e->attributes[i].name, name) == 0)
        {
            return &e->attributes[i];
        }
    }
    return NULL;
}

const char *
element_value(const struct element *e, const char *name)
{
    const struct attribute *a = element_attribute(e, name);
    return a ? a->value : NULL;
}

int
element_line(const struct element *e, const char *name)
{
    const struct attribute *a = element_attribute(e, name);
    return a ? a->line : e->line;
}

void
element_add_attribute(struct element *e, const char *name, const char *value, int line)
{
    ARRAY_GROW(e->attributes, e->nattributes);
    e->attributes[e->nattributes++] =
        (struct attribute){xstrdup(name), xstrdup(value), line, false};
}

void
element_set(struct element *e, const char *name, const char *value, int line, bool overridden)
{
    struct attribute *a = element_attribute(e, name);
    if (!a)
    {
        element_add_attribute(e, name, "", line);
        a = &e->attributes[e->nattributes - 1];
    }
    char *copy = xstrdup(value);
    free(a->value);
    a->value = copy;
    a->line = line;
    a->overridden = overridden;
}

void
element_remove(struct element *e, const char *name)
{
    struct attribute *a = element_attribute(e, name);
    if (!a)
    {
        return;
    }
    free(a->name);
    free(a->value);
    size_t after = e->nattributes - (size_t)(a - e->attributes) - 1;
    memmove(a, a + 1, after * sizeof *a);
    e->nattributes--;
}

/* --- writing ---------------------------------------------------------------------------------- */

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

void
element_remove_children(struct element *e, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < e->nchildren; i++)
    {
        struct element *c = e->children[i];
        if (strcmp(c->name, name) != 0)
        {
            e->children[kept++] = c;
        }
        else
        {
            element_free(c);
        }
    }
    e->nchildren = kept;
}

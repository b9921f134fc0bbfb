/* SPDX-License-Identifier: GPL-2.0-only */
#include "schema.h"

#include <stdlib.h>
#include <string.h>

#include "textbuf.h"
#include "vocabulary.h"

#define NUMBER "[+\\-]?[0-9]+(\\.[0-9]+)?"

/* What one word of each type looks like; bounds are the loader's business. */
static const char *const patterns[] = {
    [WEFT_TIME] = NUMBER "(ps|ns|us|ms|s)|inf",
    [WEFT_BYTES] = NUMBER "(B|KB|MB|GB|KiB|MiB|GiB)",
    [WEFT_RATE] = NUMBER "(bps|Kbps|Mbps|Gbps|Tbps)",
    [WEFT_COUNT] = NUMBER,
    [WEFT_REAL] = NUMBER "([eE][+\\-]?[0-9]+)?",
    [WEFT_BOOL] = "on|off|true|false|yes|no|1|0",
};

static void
add_choices(struct text *t, const char *choices, const char *indent)
{
    CLEANUP(words_free) struct words w = words_split(choices);
    text_add(t, "%s<choice>\n", indent);
    for (size_t i = 0; i < w.n; i++)
    {
        text_add(t, "%s  <value>%s</value>\n", indent, w.word[i]);
    }
    text_add(t, "%s</choice>\n", indent);
}

static void
add_pattern(struct text *t, const char *pattern, const char *indent)
{
    text_add(t, "%s<data type=\"string\"><param name=\"pattern\">%s</param></data>\n", indent,
             pattern);
}

static void
add_data(struct text *t, const struct weft_param *p, const char *indent)
{
    if (p->type == WEFT_CHOICE)
    {
        add_choices(t, p->choices, indent);
        return;
    }
    add_pattern(t, patterns[p->type], indent);
}

static void
add_doc(struct text *t, const char *doc, const char *indent)
{
    text_add(t, "%s<a:documentation>", indent);
    text_add_xml(t, doc);
    text_add(t, "</a:documentation>\n");
}

static void
add_param(struct text *t, const struct weft_param *p, const char *indent)
{
    OWNED char *inner = xformat("%s    ", indent);
    text_add(t, "%s<optional>\n%s  <attribute name=\"%s\">\n", indent, indent, p->name);
    add_doc(t, p->doc, inner);
    add_data(t, p, inner);
    text_add(t, "%s  </attribute>\n%s</optional>\n", indent, indent);
}

/* --- elements that choose an algorithm -------------------------------------------------------- */

static void
add_algorithm(struct text *t, const char *selector, const struct weft_algo *algo, bool is_default)
{
    text_add(t, "        <group>\n");
    add_doc(t, algo->doc, "          ");
    text_add(t, "%s          <attribute name=\"%s\"><value>%s</value></attribute>\n%s",
             is_default ? "          <optional>\n" : "", selector, algo->name,
             is_default ? "          </optional>\n" : "");
    if (algo->npresets)
    {
        text_add(t, "          <optional><attribute name=\"preset\"><choice>");
        for (size_t i = 0; i < algo->npresets; i++)
        {
            text_add(t, "<value>%s</value>", algo->presets[i].name);
        }
        text_add(t, "</choice></attribute></optional>\n");
    }
    for (size_t i = 0; i < algo->nparams; i++)
    {
        add_param(t, &algo->params[i], "          ");
    }
    text_add(t, "        </group>\n");
}

/** A sweep may choose the algorithm: then the element stands without its selector. */
static void
add_any_algorithm(struct text *t, const struct weft_registry *registry)
{
    text_add(t, "        <group>\n          <optional><attribute name=\"preset\"/></optional>\n");
    for (size_t i = 0; i < registry->count; i++)
    {
        for (size_t k = 0; k < registry->algos[i]->nparams; k++)
        {
            const struct weft_param *p = &registry->algos[i]->params[k];
            bool seen = false;
            for (size_t j = 0; j < i; j++)
            {
                seen = seen || weft_param_find(registry->algos[j], p->name);
            }
            if (!seen)
            {
                text_add(t, "          <optional><attribute name=\"%s\"/></optional>\n", p->name);
            }
        }
    }
    text_add(t, "        </group>\n");
}

static void
add_chosen(struct text *t, const struct element_spec *spec)
{
    const struct weft_registry *registry = weft_registry_find(spec->name);
    const char *def = default_algorithm(spec->name);
    text_add(t, "      <choice>\n");
    for (size_t i = 0; i < registry->count; i++)
    {
        bool is_default = def && strcmp(def, registry->algos[i]->name) == 0;
        add_algorithm(t, spec->selector, registry->algos[i], is_default);
    }
    if (!def)
    {
        add_any_algorithm(t, registry);
    }
    text_add(t, "      </choice>\n");
}

/* --- elements with fixed attributes ----------------------------------------------------------- */

static void
add_attribute(struct text *t, const struct element_spec *spec, const struct attribute_spec *a)
{
    const bool required = grammar_requires(spec, a);
    text_add(t, "%s      <attribute name=\"%s\">\n", required ? "" : "      <optional>\n",
             a->param.name);
    add_doc(t, a->param.doc, "        ");
    if (a->shape == SHAPE_VALUE)
    {
        add_data(t, &a->param, "        ");
    }
    else if (a->shape == SHAPE_LIST)
    {
        text_add(t, "        <list>\n          <%s>\n", a->required ? "oneOrMore" : "zeroOrMore");
        text_add(t, "            <choice>\n");
        add_data(t, &a->param, "              ");
        add_pattern(t, "[0-9]+-[0-9]+", "              ");
        text_add(t, "            </choice>\n");
        text_add(t, "          </%s>\n        </list>\n", a->required ? "oneOrMore" : "zeroOrMore");
    }
    else if (a->shape == SHAPE_LENGTH)
    {
        add_pattern(t, "[0-9]+(\\.[0-9]+)?mm", "        ");
    }
    else if (a->shape == SHAPE_LABEL)
    {
        text_add(t, "        <text/>\n");
    }
    else if (a->shape == SHAPE_TEMPLATE)
    {
        text_add(t, "        <choice>\n");
        add_data(t, &a->param, "          ");
        add_pattern(t, ".+\\" TEMPLATE_END, "          ");
        text_add(t, "        </choice>\n");
    }
    else
    {
        text_add(t, "        <data type=\"string\"><param name=\"minLength\">1</param></data>\n");
    }
    text_add(t, "      </attribute>\n%s", required ? "" : "      </optional>\n");
}

/** Tells the definitions of two elements of one name apart. */
static const char *
prefix_of(const struct element_spec *spec)
{
    return spec->flags & ELEMENT_CHANGES ? "changed-" : "";
}

static void
add_children(struct text *t, const struct element_spec *spec)
{
    CLEANUP(text_drop) struct text inner = {0};
    for (size_t i = 0; i < vocabulary.n; i++)
    {
        const struct element_spec *c = &vocabulary.elements[i];
        if (grammar_allows(c, spec->name))
        {
            const char *how = c->flags & ELEMENT_MANY ? "zeroOrMore" : "optional";
            text_add(&inner, "        <%s><ref name=\"%s%s\"/></%s>\n", how, prefix_of(c), c->name,
                     how);
        }
    }
    if (inner.len)
    {
        text_add(t, "      <interleave>\n%s      </interleave>\n", inner.s);
    }
}

static void
add_element(struct text *t, const struct element_spec *spec)
{
    text_add(t, "  <define name=\"%s%s\">\n    <element name=\"%s\">\n", prefix_of(spec),
             spec->name, spec->name);
    add_doc(t, spec->doc, "      ");
    size_t before = t->len;
    if (spec->selector)
    {
        add_chosen(t, spec);
    }
    for (size_t i = 0; i < spec->nattributes; i++)
    {
        add_attribute(t, spec, &spec->attributes[i]);
    }
    if (spec->flags & ELEMENT_TEXT)
    {
        text_add(t, "      <text/>\n");
    }
    add_children(t, spec);
    if (t->len == before)
    {
        text_add(t, "      <empty/>\n");
    }
    text_add(t, "    </element>\n  </define>\n");
}

char *
schema_text(void)
{
    struct text t = {0};
    text_add(&t,
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<!-- SPDX-License-Identifier: GPL-2.0-only -->\n"
             "<!-- Scenarios of Weft, for editors and validators. Made by 'weft schema' from the\n"
             "     parameter tables of the algorithms: do not edit. Bounds, and what depends on\n"
             "     other elements, are checked by 'weft validate'. -->\n"
             "<grammar xmlns=\"http://relaxng.org/ns/structure/1.0\"\n"
             "         xmlns:a=\"http://relaxng.org/ns/compatibility/annotations/1.0\"\n"
             "         datatypeLibrary=\"http://www.w3.org/2001/XMLSchema-datatypes\">\n"
             "  <start>\n    <ref name=\"scenario\"/>\n  </start>\n");
    for (size_t i = 0; i < vocabulary.n; i++)
    {
        add_element(&t, &vocabulary.elements[i]);
    }
    text_add(&t, "</grammar>\n");
    return text_take(&t);
}

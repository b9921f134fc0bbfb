/* SPDX-License-Identifier: GPL-2.0-only */
/* weft list and weft schema: what the tables hold, of algorithms, of elements of a scenario, of
 * results, as a tree for stylesheets. */
#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "columns.h"
#include "diagnostics.h"
#include "page.h"
#include "scenario.h"
#include "shown-text.h"
#include "stylesheets.h"
#include "textbuf.h"
#include "vocabulary.h"

static xmlNode *
add(xmlNode *parent, const char *what, const char *name, const char *doc)
{
    xmlNode *e = page_add(parent, what, NULL);
    page_set(e, "name", name);
    page_set(e, "doc", doc);
    return e;
}

static xmlNode *
add_param(xmlNode *parent, const struct weft_param *p, bool required)
{
    xmlNode *e = add(parent, "parameter", p->name, p->doc);
    page_set(e, "type", weft_type_name(p->type));
    page_set(e, p->type == WEFT_CHOICE ? "choices" : "word", p->choices);
    page_set(e, "default", p->def);
    page_set(e, "least", p->min);
    page_set(e, "greatest", p->max);
    page_set(e, "source", p->source);
    page_set(e, "required", required ? "yes" : NULL);
    return e;
}

/* --- algorithms ------------------------------------------------------------------------------- */

static void
add_algorithm(xmlNode *kind, const struct weft_algo *algo)
{
    xmlNode *e = add(kind, "algorithm", algo->name, algo->doc);
    page_set(e, "source", algo->source);
    for (size_t i = 0; i < algo->nparams; i++)
    {
        add_param(e, &algo->params[i], algo->params[i].def == NULL);
    }
    for (size_t i = 0; i < algo->npresets; i++)
    {
        xmlNode *preset = add(e, "preset", algo->presets[i].name, algo->presets[i].doc);
        page_set(preset, "sets", algo->presets[i].settings);
        page_set(preset, "source", algo->presets[i].source);
    }
}

/** All of a kind if it is asked for, or the algorithm of it that is. */
static void
add_kind(xmlNode *root, const struct weft_registry *registry, const char *what)
{
    const bool whole = !what || strcmp(registry->kind, what) == 0;
    xmlNode *kind = NULL;
    for (size_t i = 0; i < registry->count; i++)
    {
        if (whole || strcmp(registry->algos[i]->name, what) == 0)
        {
            kind = kind ? kind : add(root, "kind", registry->kind, registry->doc);
            add_algorithm(kind, registry->algos[i]);
        }
    }
    if (kind)
    {
        page_set(kind, "whole", whole ? "yes" : NULL);
        page_set(kind, "selector", vocabulary_find(registry->kind, "scenario")->selector);
    }
}

/* --- elements --------------------------------------------------------------------------------- */

/** Sets the value that holds where a scenario leaves out the element, if that is not just nothing.
 * */
static void
set_absent(xmlNode *e, const struct element_spec *spec)
{
    CLEANUP(text_drop) struct text t = {0};
    const char *name = spec->selector ? default_algorithm(spec->name) : NULL;
    if (name)
    {
        text_add(&t, " %s=\"%s\"", spec->selector, name);
    }
    const bool of_links = spec->size == sizeof(struct link_fault); /* if absent, nothing happens */
    for (size_t i = 0; spec->flags & ELEMENT_SETTABLE && !of_links && i < spec->nattributes; i++)
    {
        const struct weft_param *p = &spec->attributes[i].param;
        if (p->def)
        {
            text_add(&t, " %s=\"%s\"", p->name, p->def);
        }
    }
    if (t.len)
    {
        page_format(e, "absent", "If absent:%s.", t.s);
    }
}

static void
add_element(xmlNode *root, const struct element_spec *spec)
{
    static const char *const shapes[] = {
        [SHAPE_VALUE] = NULL,      [SHAPE_LIST] = "list",         [SHAPE_NAME] = "text",
        [SHAPE_TEXT] = "text",     [SHAPE_LABEL] = "label",       [SHAPE_WORDS] = "text",
        [SHAPE_LENGTH] = "length", [SHAPE_TEMPLATE] = "template", [SHAPE_FONT] = "text",
    };
    xmlNode *e = add(root, "element", spec->name, spec->doc);
    page_set(e, "parents", spec->parents);
    page_set(e, "selector", spec->selector);
    page_set(e, "algorithm", spec->selector ? default_algorithm(spec->name) : NULL);
    page_set(e, "many", spec->flags & ELEMENT_MANY ? "yes" : NULL);
    page_set(e, "text", spec->flags & ELEMENT_TEXT ? "yes" : NULL);
    page_set(e, "changes", spec->flags & ELEMENT_CHANGES ? "yes" : NULL);
    set_absent(e, spec);
    for (size_t i = 0; i < spec->nattributes; i++)
    {
        const struct attribute_spec *a = &spec->attributes[i];
        page_set(add_param(e, &a->param, grammar_requires(spec, a)), "shape", shapes[a->shape]);
    }
}

static void
add_elements(xmlNode *root, const char *what)
{
    const bool all = !what || strcmp(what, "elements") == 0;
    for (size_t i = 0; i < vocabulary.n; i++)
    {
        const struct element_spec *spec = &vocabulary.elements[i];
        if (all || (!spec->selector && strcmp(spec->name, what) == 0))
        {
            add_element(root, spec);
        }
    }
}

/* --- results ---------------------------------------------------------------------------------- */

static void
add_columns(xmlNode *root)
{
    size_t n;
    const struct column_table *const *tables = column_tables(&n);
    for (size_t i = 0; i < n; i++)
    {
        xmlNode *table = add(root, "table", tables[i]->file, tables[i]->doc);
        for (size_t c = 0; c < tables[i]->n; c++)
        {
            add(table, "column", tables[i]->columns[c].name, tables[i]->columns[c].doc);
        }
    }
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Needs of algorithms from the simulator that calls them, and members of packets that they read:
 * for who embeds the C core. */

/* "psn kind", or "-". */
static void
set_fields(xmlNode *call, const char *name, uint32_t fields)
{
    CLEANUP(text_drop) struct text t = {0};
    for (uint32_t i = 0; i < WEFT_NFIELDS; i++)
    {
        if (fields & (UINT32_C(1) << i))
        {
            text_add(&t, "%s%s", t.len ? " " : "", weft_field_name(i));
        }
    }
    page_set(call, name, t.len ? t.s : "-");
}

static void
add_call(xmlNode *calls, const char *name, const char *where, uint32_t needed,
         const struct weft_fields *fields)
{
    CLEANUP(text_drop) struct text t = {0};
    size_t count;
    const struct weft_need_text *needs = weft_needs(&count);
    for (size_t i = 0; i < count; i++)
    {
        if (needed & needs[i].need)
        {
            text_add(&t, "%s%s", t.len ? " " : "", needs[i].name);
        }
    }
    xmlNode *call = add(calls, "call", name, NULL);
    page_set(call, "where", where);
    page_set(call, "needs", t.s ? t.s : "");
    set_fields(call, "reads", fields->reads);
    set_fields(call, "writes", fields->writes);
}

static void
add_calls_of(xmlNode *calls, const char *kind, const char *name)
{
    const struct weft_lb_ops *lb = kind[0] == 'b' ? weft_lb_find(name) : NULL;
    if (!lb)
    {
        add_call(calls, name, "host", 0,
                 kind[0] == 't' ? &weft_transport_find(name)->fields : &weft_cc_find(name)->fields);
        return;
    }
    add_call(calls, name, "switch", weft_lb_needs(lb), &lb->fields);
    if (lb->path)
    {
        add_call(calls, name, "host", 0, &lb->path->fields);
    }
    if (lb->tor)
    {
        add_call(calls, name, "last ToR", 0, &lb->tor->fields);
    }
}

static void
add_calls(xmlNode *root)
{
    static const char *const kinds[] = {"balancer", "transport", "congestion-control"};
    size_t count;
    const struct weft_need_text *needs = weft_needs(&count);
    xmlNode *all = page_add(root, "needs", NULL);
    for (size_t i = 0; i < count; i++)
    {
        add(all, "need", needs[i].name, needs[i].doc);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    {
        const struct weft_registry *registry = weft_registry_find(kinds[i]);
        xmlNode *calls = add(root, "calls", kinds[i], NULL);
        for (size_t k = 0; k < registry->count; k++)
        {
            add_calls_of(calls, kinds[i], registry->algos[k]->name);
        }
    }
}

/* --- commands --------------------------------------------------------------------------------- */

/** Describes what there is of that name; NULL: everything. */
static xmlDoc *
describe(const char *root, const char *what)
{
    size_t n;
    const struct weft_registry *registries = weft_registries(&n);
    xmlDoc *page = page_new(root);
    xmlNode *list = xmlDocGetRootElement(page);
    for (size_t i = 0; i < n; i++)
    {
        add_kind(list, &registries[i], what);
    }
    add_elements(list, what);
    if (!what || strcmp(what, "columns") == 0)
    {
        add_columns(list);
    }
    if (!what || strcmp(what, "calls") == 0)
    {
        add_calls(list);
    }
    return page;
}

static int
print(xmlDoc *page, const char *sheet)
{
    OWNED char *text = page_write(page, sheet, NULL);
    xmlFreeDoc(page);
    fputs(text, stdout);
    return EXIT_GOOD;
}

static int
report_nothing(const char *what)
{
    size_t n;
    const struct weft_registry *registries = weft_registries(&n);
    struct nearest near = nearest_start(what);
    nearest_try(&near, "elements");
    nearest_try(&near, "columns");
    for (size_t i = 0; i < n; i++)
    {
        nearest_try(&near, registries[i].kind);
        for (size_t k = 0; k < registries[i].count; k++)
        {
            nearest_try(&near, registries[i].algos[k]->name);
        }
    }
    for (size_t i = 0; i < vocabulary.n; i++)
    {
        nearest_try(&near, vocabulary.elements[i].name);
    }
    print_shown(stderr, "weft: error: nothing is called '%s'; 'weft list' shows all names%s\n",
                what, did_you_mean(near.best));
    return EXIT_BAD_INPUT;
}

int
command_list(const struct arguments *a)
{
    const char *what = a->nfiles ? a->files[0] : NULL;
    xmlDoc *page = describe(what || a->markdown ? "list" : "overview", what);
    if (!xmlDocGetRootElement(page)->children)
    {
        xmlFreeDoc(page);
        return report_nothing(what);
    }
    return print(page, a->markdown ? list_markdown_stylesheet : list_stylesheet);
}

int
command_schema(const struct arguments *a)
{
    (void)a;
    return print(describe("list", NULL), schema_stylesheet);
}

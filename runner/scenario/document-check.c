/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of a scenario file as written, before any run is looked at. */
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "element-values.h"
#include "messages.h"
#include "scenario-load.h"
#include "textbuf.h"

/** Adds the elements in which those of that name may stand; whether there are any. */
static bool
list_parents(struct text *list, const struct grammar *g, const char *name)
{
    for (size_t i = 0; i < g->n; i++)
    {
        const char *parents = strcmp(g->elements[i].name, name) == 0 ? g->elements[i].parents : "";
        CLEANUP(words_free) struct words w = words_split(parents);
        for (size_t k = 0; k < w.n; k++)
        {
            text_add(list, "%s<%s>", list->len ? ", " : "", w.word[k]);
        }
    }
    return list->len > 0;
}

static void
report_unknown_element(const struct grammar *g, const struct element *e,
                       const struct element *parent, struct diagnostics *d)
{
    struct nearest near = nearest_start(e->name);
    CLEANUP(text_drop) struct text list = {0};
    for (size_t i = 0; i < g->n; i++)
    {
        const char *name = g->elements[i].name;
        if (grammar_allows(&g->elements[i], parent->name))
        {
            nearest_try(&near, name);
            text_add(&list, "%s<%s>", list.len ? ", " : "", name);
        }
    }
    CLEANUP(text_drop) struct text parents = {0};
    OWNED char *hint = list_parents(&parents, g, e->name)
                           ? xformat("; <%s> belongs in %s", e->name, parents.s)
                           : xstrdup(did_you_mean(near.best));
    diag_error(d, e->line, "unknown element <%s> in <%s>; expected %s%s", e->name, parent->name,
               list.len ? list.s : "no elements here", hint);
}

static void
check_fixed(const struct element *e, struct diagnostics *d)
{
    bool misspelt = false; /* then it may be what is lacking */
    for (size_t i = 0; i < e->nattributes; i++)
    {
        const struct attribute *a = &e->attributes[i];
        const struct attribute_spec *spec = grammar_attribute(e->spec, a->name);
        if (spec)
        {
            attribute_read(e, a, spec, NULL, d);
        }
        else
        {
            misspelt = true;
            report_unknown_attribute(d, a->line, e->spec, NULL, a->name);
        }
    }
    for (size_t i = 0; !misspelt && i < e->spec->nattributes; i++)
    {
        const struct attribute_spec *spec = &e->spec->attributes[i];
        if (grammar_requires(e->spec, spec) && !element_attribute(e, spec->param.name))
        {
            d->misnamed = true;
            diag_error(d, e->line, "<%s> lacks %s=\"...\"; expected %s", e->name, spec->param.name,
                       spec->param.doc);
        }
    }
}

/** Reports names of attributes that the element does not have, whatever algorithm it names; whether
 * there are some. */
static bool
has_strangers(const struct element *e, const struct weft_algo *algo, struct diagnostics *d)
{
    bool any = false;
    for (size_t i = 0; i < e->nattributes; i++)
    {
        const struct attribute *a = &e->attributes[i];
        if (!grammar_attribute(e->spec, a->name) && strcmp(a->name, e->spec->selector) != 0 &&
            strcmp(a->name, "preset") != 0 && !known_to_some(weft_registry_find(e->name), a->name))
        {
            any = true;
            report_unknown_attribute(d, a->line, e->spec, algo, a->name);
        }
    }
    return any;
}

/** An element that chooses an algorithm: checked against the one that it names itself. */
static void
check_chosen(const struct element *e, struct diagnostics *d)
{
    struct choice choice;
    const char *name = element_value(e, e->spec->selector);
    name = name ? name : default_algorithm(e->name);
    if (has_strangers(e, name ? weft_find(e->name, name) : NULL, d) ||
        (!read_choice(e, e->name, &choice, d) && !choice.algo))
    {
        return;
    }
    for (size_t i = 0; i < e->nattributes; i++)
    {
        const struct attribute *a = &e->attributes[i];
        const struct attribute_spec *fixed = grammar_attribute(e->spec, a->name);
        if (fixed && (!choice.algo || vocabulary_takes(e->spec, choice.algo, a->name)))
        {
            attribute_read(e, a, fixed, NULL, d);
        }
    }
    free(choice.config);
}

/** Returns the attribute that tells an element from others of its name; NULL: there is none. */
static const struct attribute *
key_of(const struct element *e)
{
    static const char *const keys[] = {"param", "name", "as"};
    const struct attribute *key = NULL;
    for (size_t i = 0; !key && i < sizeof keys / sizeof *keys; i++)
    {
        key = element_attribute(e, keys[i]);
    }
    return key;
}

/** Orders by name and key, then by line: what the command line has added is the last. */
static int
by_key(const void *a, const void *b)
{
    const struct element *x = *(struct element *const *)a, *y = *(struct element *const *)b;
    const int name = strcmp(x->name, y->name);
    const int order = name ? name : strcmp(key_of(x)->value, key_of(y)->value);
    const unsigned at = (unsigned)x->line, other = (unsigned)y->line;
    return order ? order : (at > other) - (at < other);
}

void
element_check_distinct(const struct element *parent, struct diagnostics *d)
{
    const struct element **sorted = xcalloc(parent->nchildren + 1, sizeof *sorted);
    size_t n = 0;
    for (size_t i = 0; i < parent->nchildren; i++)
    {
        const struct element *c = parent->children[i];
        sorted[n] = c;
        n += c->spec && (c->spec->flags & ELEMENT_DISTINCT) && key_of(c);
    }
    qsort(sorted, n, sizeof *sorted, by_key);
    for (size_t i = 1; i < n && !diag_is_full(d); i++)
    {
        const struct attribute *key = key_of(sorted[i]), *other = key_of(sorted[i - 1]);
        if (strcmp(sorted[i]->name, sorted[i - 1]->name) == 0 &&
            strcmp(key->value, other->value) == 0)
        {
            OWNED char *where = other->line > 0 ? xformat(", and it stands at line %d", other->line)
                                                : xstrdup(""); /* the command line says so */
            d->misnamed = true;
            diag_error(d, key->line, "a second <%s> '%s'; expected each once%s", sorted[i]->name,
                       key->value, where);
        }
    }
    free(sorted);
}

static void check_element(const struct grammar *g, const struct element *e, struct diagnostics *d);

static void
check_children(const struct grammar *g, const struct element *e, struct diagnostics *d)
{
    for (size_t i = 0; i < e->nchildren && !diag_is_full(d); i++)
    {
        const struct element *c = e->children[i];
        if (!c->spec)
        {
            d->misnamed = true;
            report_unknown_element(g, c, e, d);
            continue;
        }
        const struct element *first = element_child(e, c->name);
        if (first != c && !(c->spec->flags & ELEMENT_MANY))
        {
            d->misnamed = true;
            diag_error(d, c->line, "a second <%s>; expected one only, and it stands at line %d",
                       c->name, first->line);
        }
        check_element(g, c, d);
    }
    element_check_distinct(e, d);
}

static void
check_element(const struct grammar *g, const struct element *e, struct diagnostics *d)
{
    if (e->spec->selector)
    {
        check_chosen(e, d);
    }
    else
    {
        check_fixed(e, d);
    }
    const bool blank = text_is_blank(e->text);
    if ((e->spec->flags & ELEMENT_FILLED) && blank)
    {
        diag_error(d, e->line, "<%s> is empty; expected %s", e->name, e->spec->doc);
    }
    if (!(e->spec->flags & (ELEMENT_TEXT | ELEMENT_FILLED)) && !blank)
    {
        diag_error(d, e->line, "text inside <%s>; expected none", e->name);
    }
    check_children(g, e, d);
}

void
document_check(const struct document *doc, struct diagnostics *d)
{
    if (!doc->root->spec)
    {
        diag_error(d, doc->root->line, "the root element is <%s>; expected <%s>", doc->root->name,
                   doc->grammar->elements[0].name);
        return;
    }
    check_element(doc->grammar, doc->root, d);
}

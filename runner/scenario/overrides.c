/* SPDX-License-Identifier: GPL-2.0-only */
#include "overrides.h"

#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "textbuf.h"

static void
report_element(const char *name, int line, struct diagnostics *d)
{
    OWNED char *base = xformat("%.*s", (int)strcspn(name, ":"), name);
    struct nearest near = nearest_start(base);
    CLEANUP(text_drop) struct text list = {0};
    for (size_t i = 0; i < vocabulary.n; i++)
    {
        if (vocabulary.elements[i].flags & ELEMENT_SETTABLE)
        {
            try_name(&list, &near, vocabulary.elements[i].name);
        }
    }
    diag_error(d, line, "no element '%s' whose attributes can be set; expected %s%s", name, list.s,
               did_you_mean(near.best));
}

static bool
attribute_exists(const struct element_spec *spec, const char *name)
{
    if (!spec->selector)
    {
        return grammar_attribute(spec, name) != NULL;
    }
    const struct weft_registry *registry = weft_registry_find(spec->name);
    return strcmp(name, spec->selector) == 0 || strcmp(name, "preset") == 0 ||
           grammar_attribute(spec, name) || (registry && known_to_some(registry, name));
}

/** Whether "balancer:NAME" is the <balancer> of <class name="NAME">. */
static bool
is_of_class(const struct element_spec *spec)
{
    return !(spec->flags & ELEMENT_MANY) && grammar_allows(spec, "class");
}

/** Returns the element of an override by its name in the vocabulary; NULL: there is no such thing.
 * */
static const struct element_spec *
spec_of(const char *element)
{
    const char *colon = strchr(element, ':');
    OWNED char *base = xformat("%.*s", (int)strcspn(element, ":"), element);
    const struct element_spec *spec = vocabulary_find(base, "scenario");
    const bool named = spec && ((spec->flags & ELEMENT_MANY) || is_of_class(spec));
    return colon && !named ? NULL : spec;
}

bool
override_parse(const char *param, int line, struct override *out, struct diagnostics *d)
{
    const char *dot = strrchr(param, '.'); /* a name may have dots, an attribute has none */
    if (!dot || dot == param || !dot[1])
    {
        diag_error(d, line,
                   "'%s' names no parameter; expected element.attribute, such as balancer.name",
                   param);
        return false;
    }
    OWNED char *element = xformat("%.*s", (int)(dot - param), param);
    const struct element_spec *spec = spec_of(element);
    bool good = false;
    if (!spec || !(spec->flags & ELEMENT_SETTABLE))
    {
        report_element(element, line, d);
    }
    else if (!attribute_exists(spec, dot + 1))
    {
        report_unknown_attribute(d, line, spec, NULL, dot + 1);
    }
    else
    {
        *out = (struct override){spec, xstrdup(element), xstrdup(dot + 1), NULL, line};
        good = true;
    }
    return good;
}

void
override_free(struct override *o)
{
    free(o->element);
    free(o->attribute);
    free(o->value);
}

/** A parameter's text with the name of its element: "workload.bytes" is "workload:NAME.bytes" of
 * the first workload. The caller frees it. */
static char *
with_name(const struct element *scenario, const char *param)
{
    const size_t n = strcspn(param, ".:");
    OWNED char *base = xformat("%.*s", (int)n, param);
    const struct element_spec *spec = vocabulary_find(base, "scenario");
    const struct element *first = element_child(scenario, base);
    const char *name = first ? element_value(first, "name") : NULL;
    return name && param[n] != ':' && spec && (spec->flags & ELEMENT_MANY)
               ? xformat("%s:%s%s", base, name, param + n)
               : xstrdup(param);
}

bool
same_parameter(const struct element *scenario, const char *a, const char *b)
{
    OWNED char *x = with_name(scenario, a), *y = with_name(scenario, b);
    return strcmp(x, y) == 0;
}

static bool
has_attribute(const struct element_spec *spec, const struct weft_algo *algo,
              const struct attribute *a)
{
    if (strcmp(a->name, "preset") != 0)
    {
        return vocabulary_takes(spec, algo, a->name);
    }
    for (size_t i = 0; i < algo->npresets; i++)
    {
        if (strcmp(algo->presets[i].name, a->value) == 0)
        {
            return true;
        }
    }
    return false;
}

/** Whether the file's attribute made sense for what the file itself chose (or could choose). */
static bool
belongs_to_former(const struct element *e, const struct weft_algo *former,
                  const struct attribute *a)
{
    if (former)
    {
        return has_attribute(e->spec, former, a);
    }
    const struct weft_registry *registry = weft_registry_find(e->name);
    for (size_t i = 0; registry && i < registry->count; i++)
    {
        if (has_attribute(e->spec, registry->algos[i], a))
        {
            return true;
        }
    }
    return false;
}

static void
drop_stale_attributes(struct element *e, const struct weft_algo *former,
                      const struct weft_algo *chosen)
{
    for (size_t i = e->nattributes; i-- > 0;)
    {
        const struct attribute *a = &e->attributes[i];
        if (!a->overridden && strcmp(a->name, e->spec->selector) != 0 &&
            !has_attribute(e->spec, chosen, a) && belongs_to_former(e, former, a))
        {
            element_remove(e, a->name);
        }
    }
}

/** The child of that kind, made where there is none; @p name: what tells it from others, or NULL.
 */
static struct element *
find_or_make(struct element *parent, const struct element_spec *spec, const char *name, int line)
{
    struct element *e =
        name ? element_named(parent, spec->name, name) : element_child(parent, spec->name);
    if (!e)
    {
        e = element_new(spec->name, spec, line);
        element_add(parent, e);
        if (name)
        {
            element_set(e, "name", name, line, true);
        }
    }
    return e;
}

static struct element *
element_of(struct element *scenario, const struct override *o)
{
    const char *colon = strchr(o->element, ':'), *name = colon ? colon + 1 : NULL;
    if (!name || !is_of_class(o->spec))
    {
        return find_or_make(scenario, o->spec, name, o->line);
    }
    const struct element_spec *class = vocabulary_find("class", "scenario");
    return find_or_make(find_or_make(scenario, class, name, o->line), o->spec, NULL, o->line);
}

void
override_apply(struct element *scenario, const struct override *o)
{
    struct element *e = element_of(scenario, o);
    if (e->spec->selector && strcmp(o->attribute, e->spec->selector) == 0)
    {
        const char *name = element_value(e, e->spec->selector);
        const struct weft_algo *former = name ? weft_find(e->name, name) : NULL;
        const struct weft_algo *chosen = weft_find(e->name, o->value);
        if (chosen)
        {
            drop_stale_attributes(e, former, chosen);
        }
    }
    element_set(e, o->attribute, o->value, o->line, true);
}

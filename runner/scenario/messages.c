/* SPDX-License-Identifier: GPL-2.0-only */
#include "messages.h"

#include <stdlib.h>
#include <string.h>

#include "textbuf.h"

static const char *
what_is_wrong(const struct weft_param *param, int code)
{
    switch (code)
    {
    case WEFT_EUNIT:
        return "has no unit, or the wrong one";
    case WEFT_EOVERFLOW:
        return "is too large to be represented";
    case WEFT_ERANGE:
        return "is out of bounds";
    case WEFT_ENOTFOUND:
        return "is not one of the choices";
    default:
        return param->type == WEFT_CHOICE ? "is not one of the choices" : "is not a valid value";
    }
}

/** For the end of a message: the choice that may be meant, or nothing. */
static const char *
nearest_choice(const struct weft_param *param, const char *text)
{
    CLEANUP(words_free)
    struct words w = words_split(param->type == WEFT_CHOICE ? param->choices : "");
    struct nearest near = nearest_start(text);
    nearest_try_words(&near, &w);
    return did_you_mean(near.best);
}

/** For the end of a message: how such a value is written, or nothing. */
static const char *
how_to_write(const struct weft_param *param, const char *text)
{
    static char hint[100];
    char *end;
    const double percent = strtod(text, &end);
    hint[0] = '\0';
    if (strchr(text, ','))
    {
        snprintf(hint, sizeof hint, "; a list has spaces between its values");
    }
    else if (param && param->type == WEFT_REAL && end != text && strcmp(end, "%") == 0)
    {
        snprintf(hint, sizeof hint, "; did you mean '%g'?", percent / 100);
    }
    return hint;
}

void
report_bad_value(struct diagnostics *d, int line, const char *element,
                 const struct weft_param *param, const char *text, int code)
{
    if (code < 0)
    {
        d->misnamed = d->misnamed || param->type == WEFT_CHOICE;
        diag_error(d, line, "%s '%s' of <%s> %s; expected %s%s%s", param->name, text, element,
                   what_is_wrong(param, code), expected_value(param), nearest_choice(param, text),
                   how_to_write(param, text));
    }
}

char *
algorithm_names(const struct weft_registry *registry)
{
    struct text t = {0};
    for (size_t i = 0; i < registry->count; i++)
    {
        text_add(&t, "%s%s", i ? ", " : "", registry->algos[i]->name);
    }
    return text_take(&t);
}

/** For the end of a message: of which kind the algorithm of that name is; NULL: there is none. */
static char *
kind_of(const char *name)
{
    size_t n;
    const struct weft_registry *all = weft_registries(&n);
    for (size_t i = 0; i < n; i++)
    {
        if (weft_find(all[i].kind, name))
        {
            return xformat("; '%s' is a %s", name, all[i].kind);
        }
    }
    return NULL;
}

void
report_unknown_algorithm(struct diagnostics *d, int line, const struct weft_registry *registry,
                         const char *name)
{
    OWNED char *names = algorithm_names(registry), *other = kind_of(name);
    struct nearest near = nearest_start(name);
    for (size_t i = 0; i < registry->count; i++)
    {
        nearest_try(&near, registry->algos[i]->name);
    }
    diag_error(d, line, "unknown %s '%s'; expected %s%s%s", registry->kind, name, names,
               other ? other : did_you_mean(near.begins ? near.best : weft_nearest(registry, name)),
               how_to_write(NULL, name));
}

void
try_name(struct text *list, struct nearest *near, const char *name)
{
    nearest_try(near, name);
    text_add(list, "%s%s", list->len ? ", " : "", name);
}

/** The other element that has a parameter of that name; NULL: none, or several, or @p spec is not
 * of a scenario. */
static const char *
element_with(const struct element_spec *spec, const char *name)
{
    const char *found = NULL;
    bool ours = false;
    for (size_t i = 0; i < vocabulary.n; i++)
    {
        const struct element_spec *other = &vocabulary.elements[i];
        ours = ours || other == spec;
        const bool has =
            other != spec && (other->flags & ELEMENT_SETTABLE) &&
            (grammar_attribute(other, name) ||
             (other->selector && known_to_some(weft_registry_find(other->name), name)));
        if (has && found)
        {
            return NULL;
        }
        found = has ? other->name : found;
    }
    return ours ? found : NULL;
}

/** For the end of a message: the algorithms of an element that take an attribute; NULL: none
 * does. */
static char *
takers_of(const struct element_spec *spec, const char *name)
{
    const struct weft_registry *registry = weft_registry_find(spec->name);
    CLEANUP(text_drop) struct text list = {0};
    size_t n = 0;
    for (size_t i = 0; i < registry->count; i++)
    {
        if (vocabulary_takes(spec, registry->algos[i], name))
        {
            text_add(&list, "%s%s", n++ ? ", " : "; ", registry->algos[i]->name);
        }
    }
    return n ? xformat("%s %s it", list.s, n > 1 ? "have" : "has") : NULL;
}

/** For the end of a message: where an attribute belongs that an element does not have, or the one
 * that may be meant; @p algo: what the element has chosen, or NULL. */
static char *
attribute_hint(const struct element_spec *spec, const struct weft_algo *algo, const char *name,
               const char *nearest)
{
    char *takers = algo ? takers_of(spec, name) : NULL;
    const char *other = element_with(spec, name);
    return takers                    ? takers
           : !other                  ? xstrdup(did_you_mean(nearest))
           : spec->selector && !algo ? xformat("; did you mean %s.%s?", other, name)
                                     : xformat("; did you mean %s of <%s>?", name, other);
}

void
report_no_element(struct diagnostics *d, int line, const struct element *parent, const char *kind,
                  const char *name)
{
    struct nearest near = nearest_start(name);
    for (size_t i = 0; i < parent->nchildren; i++)
    {
        const struct element *e = parent->children[i];
        const struct attribute *a = element_attribute(e, "name");
        if (strcmp(e->name, kind) == 0 && a && !a->overridden)
        {
            nearest_try(&near, a->value);
        }
    }
    OWNED char *hint = near.best ? xstrdup(did_you_mean(near.best))
                                 : xformat("; expected the name of a <%s>", kind);
    diag_error(d, line, "no <%s name=\"%s\">%s", kind, name, hint);
}

void
report_unknown_attribute(struct diagnostics *d, int line, const struct element_spec *spec,
                         const struct weft_algo *algo, const char *name)
{
    const bool any = spec->selector && !algo; /* then the parameters of all are too many to name */
    const struct weft_registry *registry = any ? weft_registry_find(spec->name) : NULL;
    struct nearest near = nearest_start(name);
    CLEANUP(text_drop) struct text list = {0};
    for (size_t i = 0; i < spec->nattributes; i++)
    {
        const char *fixed = spec->attributes[i].param.name;
        if (!algo || vocabulary_takes(spec, algo, fixed))
        {
            try_name(&list, &near, fixed);
        }
    }
    if (spec->selector)
    {
        try_name(&list, &near, spec->selector);
        try_name(&list, &near, "preset");
    }
    for (size_t i = 0; algo && i < algo->nparams; i++)
    {
        try_name(&list, &near, algo->params[i].name);
    }
    for (size_t i = 0; any && i < registry->count; i++)
    {
        for (size_t k = 0; k < registry->algos[i]->nparams; k++)
        {
            nearest_try(&near, registry->algos[i]->params[k].name);
        }
    }
    d->misnamed = true;
    OWNED char *hint = attribute_hint(spec, algo, name, near.best);
    if (any)
    {
        diag_error(d, line,
                   "no %s has a parameter '%s'; expected %s or one that 'weft list %s' shows%s",
                   spec->name, name, list.s, spec->name, hint);
    }
    else
    {
        diag_error(d, line, "unknown attribute %s of <%s%s%s>; expected %s%s", name, spec->name,
                   algo ? " " : "", algo ? algo->name : "", list.len ? list.s : "none", hint);
    }
}

bool
known_to_some(const struct weft_registry *registry, const char *parameter)
{
    for (size_t i = 0; i < registry->count; i++)
    {
        if (weft_param_find(registry->algos[i], parameter))
        {
            return true;
        }
    }
    return false;
}

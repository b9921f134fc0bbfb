/* SPDX-License-Identifier: GPL-2.0-only */
#include "grammar.h"

#include <stdlib.h>
#include <string.h>

bool
grammar_allows(const struct element_spec *spec, const char *parent)
{
    size_t n = strlen(parent);
    if (n == 0)
    {
        return spec->parents[0] == '\0';
    }
    for (const char *p = spec->parents; (p = strstr(p, parent)) != NULL; p += n)
    {
        if ((p == spec->parents || p[-1] == ' ') && (p[n] == '\0' || p[n] == ' '))
        {
            return true;
        }
    }
    return false;
}

const struct element_spec *
grammar_find(const struct grammar *g, const char *name, const char *parent)
{
    for (size_t i = 0; i < g->n; i++)
    {
        if (strcmp(g->elements[i].name, name) == 0 && grammar_allows(&g->elements[i], parent))
        {
            return &g->elements[i];
        }
    }
    return NULL;
}

bool
grammar_requires(const struct element_spec *spec, const struct attribute_spec *attribute)
{
    const bool changes = spec->flags & ELEMENT_CHANGES;
    return attribute->required && (!changes || strcmp(attribute->param.name, "name") == 0);
}

const struct attribute_spec *
grammar_attribute(const struct element_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->nattributes; i++)
    {
        if (strcmp(spec->attributes[i].param.name, name) == 0)
        {
            return &spec->attributes[i];
        }
    }
    return NULL;
}

int
attribute_parse(const struct attribute_spec *spec, const char *text, union attribute_value *value)
{
    struct weft_param alone = spec->param;
    alone.offset = 0;
    return weft_param_parse(&alone, text, value);
}

bool
template_is_file(const char *name)
{
    const size_t n = strlen(name), end = strlen(TEMPLATE_END);
    return n > end && strcmp(name + n - end, TEMPLATE_END) == 0;
}

bool
length_parse(const char *text, double *mm)
{
    const size_t n = strspn(text, "0123456789.");
    char *end;
    *mm = strtod(text, &end);
    return n > 0 && end == text + n && strcmp(end, "mm") == 0 && *mm >= LENGTH_LEAST &&
           *mm <= LENGTH_MOST;
}

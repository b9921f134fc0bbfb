/* SPDX-License-Identifier: GPL-2.0-only */
#include "element-values.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"

bool
read_range(const char **s, char end, struct range *r)
{
    char *rest;
    if (!isdigit((unsigned char)**s))
    {
        return false;
    }
    r->first = r->last = strtoull(*s, &rest, 10);
    if (*rest == '-' && isdigit((unsigned char)rest[1]))
    {
        r->last = strtoull(rest + 1, &rest, 10);
    }
    *s = rest + 1;
    return *rest == end && r->first <= r->last;
}

/** Whether the attribute lies in its struct as a number, and not as a text or list. */
static bool
is_number(const struct attribute_spec *spec)
{
    return spec->shape == SHAPE_VALUE;
}

/** The text or list in the struct. */
static const void *
pointer_in(const struct attribute_spec *spec, const void *of)
{
    const void *pointer;
    memcpy(&pointer, (const char *)of + spec->param.offset, sizeof pointer);
    return pointer;
}

/* --- reading ---------------------------------------------------------------------------------- */

static void
report_empty(const struct element *e, const struct attribute *a, const struct attribute_spec *spec,
             struct diagnostics *d)
{
    d->misnamed = true;
    diag_error(d, a->line, "%s of <%s> is empty; expected text: %s", a->name, e->name,
               spec->param.doc);
}

/** A word of a list, "3" or "3-7"; 0, or an error of weft_param_parse(). */
static int
read_numbers(const struct attribute_spec *spec, const char *word, struct range *r)
{
    const char *dash = strchr(word, '-'), *at = word;
    union attribute_value value = {0};
    if (!dash)
    {
        const int code = attribute_parse(spec, word, &value);
        *r = (struct range){(uint64_t)value.integer, (uint64_t)value.integer};
        return code;
    }
    const int code =
        read_range(&at, '\0', r) ? attribute_parse(spec, dash + 1, &value) : WEFT_EINVAL;
    return code < 0 || r->last - r->first < LIST_MOST_NUMBERS ? code : WEFT_ERANGE;
}

/** The numbers of a list; bad ones are reported and left out. */
static void
read_list(const struct element *e, const struct attribute *a, const struct attribute_spec *spec,
          void *to, struct diagnostics *d)
{
    CLEANUP(words_free) struct words w = words_split(a->value);
    uint32_t *numbers = NULL;
    size_t n = 0;
    for (size_t i = 0; i < w.n; i++)
    {
        struct range r;
        const int code = read_numbers(spec, w.word[i], &r);
        if (code == WEFT_EINVAL && strchr(w.word[i], '-') > w.word[i])
        {
            diag_error(d, a->line, "%s '%s' of <%s> is no range; expected one such as 0-15",
                       a->name, w.word[i], e->name);
        }
        else
        {
            report_bad_value(d, a->line, e->name, &spec->param, w.word[i], code);
        }
        for (uint64_t k = r.first; to && code >= 0 && k <= r.last && n < LIST_MOST_NUMBERS; k++)
        {
            ARRAY_GROW(numbers, n);
            numbers[n++] = (uint32_t)k;
        }
    }
    if (w.n == 0 && spec->required)
    {
        report_empty(e, a, spec, d);
    }
    if (to)
    {
        memcpy((char *)to + spec->param.offset, &numbers, sizeof numbers);
        memcpy((char *)to + spec->count, &n, sizeof n);
    }
}

/** A font's name goes into SVG and into what gnuplot reads. */
#define FONT_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -"

static void
check_text(const struct element *e, const struct attribute *a, const struct attribute_spec *spec,
           struct diagnostics *d)
{
    double mm;
    if (spec->shape == SHAPE_TEMPLATE)
    {
        union attribute_value value;
        report_bad_value(d, a->line, e->name, &spec->param, a->value,
                         template_is_file(a->value) ? 0 : attribute_parse(spec, a->value, &value));
    }
    else if (spec->shape != SHAPE_LABEL && text_is_blank(a->value))
    {
        report_empty(e, a, spec, d);
    }
    else if (spec->shape == SHAPE_NAME && !name_is_safe(a->value))
    {
        d->misnamed = true;
        diag_error(d, a->line,
                   "%s '%s' of <%s> cannot name a file; expected 1 to 150 letters, digits, '.', "
                   "'_', '+', '=' or '-', not starting with '.' or '-'",
                   a->name, a->value, e->name);
    }
    else if (spec->shape == SHAPE_LENGTH && !length_parse(a->value, &mm))
    {
        diag_error(d, a->line, "%s '%s' of <%s> is no length; expected %d to %d mm, such as 84mm",
                   a->name, a->value, e->name, LENGTH_LEAST, LENGTH_MOST);
    }
    else if (spec->shape == SHAPE_FONT && a->value[strspn(a->value, FONT_LETTERS)])
    {
        diag_error(d, a->line, "%s '%s' of <%s>; expected letters, digits, spaces and '-'", a->name,
                   a->value, e->name);
    }
}

void
attribute_read(const struct element *e, const struct attribute *a,
               const struct attribute_spec *spec, void *to, struct diagnostics *d)
{
    if (spec->shape == SHAPE_LIST)
    {
        read_list(e, a, spec, to, d);
    }
    else if (is_number(spec))
    {
        union attribute_value value;
        const int code = to ? weft_param_parse(&spec->param, a->value, to)
                            : attribute_parse(spec, a->value, &value);
        report_bad_value(d, a->line, e->name, &spec->param, a->value, code);
        if (to && code < 0 && !spec->param.def)
        {
            memset((char *)to + spec->param.offset, 0, sizeof value);
        }
    }
    else
    {
        check_text(e, a, spec, d);
        if (to)
        {
            memcpy((char *)to + spec->param.offset, &a->value, sizeof a->value);
        }
    }
}

void
param_set_absent(const struct weft_param *p, void *to)
{
    const union attribute_value real = {.real = NAN}, integer = {.integer = ATTRIBUTE_ABSENT};
    memcpy((char *)to + p->offset, p->type == WEFT_REAL ? &real : &integer, sizeof integer);
}

bool
param_is_absent(const struct weft_param *p, const void *from)
{
    union attribute_value value;
    memcpy(&value, (const char *)from + p->offset, sizeof value);
    return p->type == WEFT_REAL ? isnan(value.real) : value.integer == ATTRIBUTE_ABSENT;
}

void
attribute_set_default(const struct attribute_spec *spec, void *to)
{
    const struct weft_param *p = &spec->param;
    const char *none = NULL;
    if (spec->shape != SHAPE_VALUE && spec->shape != SHAPE_LIST)
    {
        memcpy((char *)to + p->offset, &none, sizeof none);
    }
    else if (is_number(spec) && p->def)
    {
        weft_param_parse(p, p->def, to);
    }
    else if (is_number(spec) && !spec->required)
    {
        param_set_absent(p, to);
    }
}

void
element_read(const struct element *e, const struct element_spec *spec, void *to,
             struct diagnostics *d)
{
    for (size_t i = 0; i < spec->nattributes; i++)
    {
        const struct attribute_spec *its = &spec->attributes[i];
        const struct attribute *a = e ? element_attribute(e, its->param.name) : NULL;
        attribute_set_default(its, to);
        if (a)
        {
            attribute_read(e, a, its, to, d);
        }
    }
}

void *
element_next(const struct element_spec *spec, void *parent)
{
    void *items;
    size_t n;
    memcpy(&items, (char *)parent + spec->items, sizeof items);
    memcpy(&n, (char *)parent + spec->count, sizeof n);
    if ((n & (n - 1)) == 0)
    {
        items = xrealloc(items, n ? 2 * n : 1, spec->size);
        memcpy((char *)parent + spec->items, &items, sizeof items);
    }
    n++;
    memcpy((char *)parent + spec->count, &n, sizeof n);
    return memset(element_at(spec, parent, n - 1), 0, spec->size);
}

void *
element_at(const struct element_spec *spec, const void *parent, size_t i)
{
    char *items;
    size_t n;
    memcpy(&items, (const char *)parent + spec->items, sizeof items);
    memcpy(&n, (const char *)parent + spec->count, sizeof n);
    return i < n ? items + i * spec->size : NULL;
}

union attribute_value
element_number(const struct element *e, const char *name)
{
    const struct attribute_spec *spec = grammar_attribute(e->spec, name);
    const char *text = element_value(e, name);
    union attribute_value value = {0};
    if ((!text || attribute_parse(spec, text, &value) < 0) && spec->param.def)
    {
        attribute_parse(spec, spec->param.def, &value);
    }
    return value;
}

/* --- writing ---------------------------------------------------------------------------------- */

void
param_write(struct text *t, const struct weft_param *param, const void *from)
{
    char value[128];
    if (weft_param_format(param, from, value, sizeof value) >= 0)
    {
        text_add(t, " %s=\"", param->name);
        text_add_xml(t, value);
        text_add(t, "\"");
    }
}

/** Whether a number is to be written. */
static bool
is_told(const struct attribute_spec *spec, const void *from)
{
    union attribute_value otherwise;
    if (spec->later)
    {
        attribute_parse(spec, spec->param.def, &otherwise);
    }
    return !param_is_absent(&spec->param, from) &&
           (!spec->later ||
            memcmp((const char *)from + spec->param.offset, &otherwise, sizeof otherwise) != 0);
}

static void
write_list(struct text *t, const struct attribute_spec *spec, const void *from)
{
    const uint32_t *numbers = pointer_in(spec, from);
    size_t n;
    memcpy(&n, (const char *)from + spec->count, sizeof n);
    for (size_t i = 0; i < n; i++)
    {
        text_add(t, " %s%s%u", i ? "" : spec->param.name, i ? "" : "=\"", numbers[i]);
    }
    text_add(t, "%s", n ? "\"" : "");
}

static void
write_text(struct text *t, const struct attribute_spec *spec, const void *from)
{
    const char *value = pointer_in(spec, from);
    CLEANUP(words_free)
    struct words w = words_split(value && spec->shape == SHAPE_WORDS ? value : "");
    if (value)
    {
        text_add(t, " %s=\"", spec->param.name);
        text_add_xml(t, spec->shape == SHAPE_WORDS ? "" : value);
    }
    for (size_t i = 0; i < w.n; i++)
    {
        text_add(t, i ? " " : "");
        text_add_xml(t, w.word[i]);
    }
    text_add(t, value ? "\"" : "");
}

void
element_write(struct text *t, const struct element_spec *spec, const void *from)
{
    for (size_t i = 0; i < spec->nattributes; i++)
    {
        const struct attribute_spec *its = &spec->attributes[i];
        if (its->shape == SHAPE_LIST)
        {
            write_list(t, its, from);
        }
        else if (!is_number(its))
        {
            write_text(t, its, from);
        }
        else if (is_told(its, from))
        {
            param_write(t, &its->param, from);
        }
    }
}

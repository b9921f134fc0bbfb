/* SPDX-License-Identifier: GPL-2.0-only */
/* What can be wrong with a scenario file as written, before any run is looked at. */
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "document.h"
#include "messages.h"
#include "scenario-load.h"
#include "textbuf.h"

static void
report_unknown_element(const struct element *e, const struct element *parent, struct diagnostics *d)
{
    struct nearest near = nearest_start(e->name);
    struct text list = {0};
    for (size_t i = 0; i < vocabulary_size; i++)
    {
        if (vocabulary_allows(&vocabulary[i], parent->name))
        {
            nearest_try(&near, vocabulary[i].name);
            text_add(&list, "%s<%s>", list.len ? ", " : "", vocabulary[i].name);
        }
    }
    diag_error(d, e->line, "unknown element <%s> in <%s>; expected %s%s", e->name, parent->name,
               list.len ? list.s : "no elements here", did_you_mean(near.best));
    free(list.s);
}

/** Words of a figure's "where" hold '='; everything else is free text that must not be blank. */
static void
check_text(const struct element *e, const struct attribute *a, const struct attribute_spec *spec,
           struct diagnostics *d)
{
    double mm;
    if (spec->shape == SHAPE_LABEL)
    {
        return;
    }
    if (text_is_blank(a->value))
    {
        diag_error(d, a->line, "%s of <%s> is empty; expected %s", a->name, e->name,
                   spec->param.doc);
    }
    else if (spec->shape == SHAPE_NAME && !name_is_safe(a->value))
    {
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
}

static void
check_values(const struct element *e, const struct attribute *a, const struct attribute_spec *spec,
             struct diagnostics *d)
{
    struct words w = words_split(a->value);
    if (w.n == 0 && spec->required)
    {
        diag_error(d, a->line, "%s of <%s> is empty; expected %s", a->name, e->name,
                   spec->param.doc);
    }
    for (size_t i = 0; i < w.n; i++)
    {
        struct range r;
        const int code = read_numbers(spec, w.word[i], &r);
        report_bad_value(d, a->line, e->name, &spec->param, w.word[i], code);
    }
    words_free(&w);
}

static void
check_fixed(const struct element *e, struct diagnostics *d)
{
    for (size_t i = 0; i < e->nattributes; i++)
    {
        const struct attribute *a = &e->attributes[i];
        const struct attribute_spec *spec = vocabulary_attribute(e->spec, a->name);
        if (!spec)
        {
            report_unknown_attribute(d, a->line, e->spec, NULL, a->name);
        }
        else if (spec->shape == SHAPE_VALUE ||
                 (spec->shape == SHAPE_TEMPLATE && !template_is_file(a->value)))
        {
            union attribute_value value;
            int code = attribute_parse(spec, a->value, &value);
            report_bad_value(d, a->line, e->name, &spec->param, a->value, code);
        }
        else if (spec->shape == SHAPE_LIST)
        {
            check_values(e, a, spec, d);
        }
        else
        {
            check_text(e, a, spec, d);
        }
    }
    for (size_t i = 0; i < e->spec->nattributes; i++)
    {
        const struct attribute_spec *spec = &e->spec->attributes[i];
        if (vocabulary_requires(e->spec, spec) && !element_attribute(e, spec->param.name))
        {
            diag_error(d, e->line, "<%s> lacks %s=\"...\"; expected %s", e->name, spec->param.name,
                       spec->param.doc);
        }
    }
}

/** An element that chooses an algorithm: checked against the one that it names itself. */
static void
check_chosen(const struct element *e, struct diagnostics *d)
{
    struct choice choice;
    if (!read_choice(e, e->name, &choice, d) && !choice.algo)
    {
        return;
    }
    for (size_t i = 0; i < e->nattributes; i++)
    {
        const struct attribute *a = &e->attributes[i];
        const struct attribute_spec *fixed = vocabulary_attribute(e->spec, a->name);
        if (fixed && (!choice.algo || vocabulary_takes(e->spec, choice.algo, a->name)))
        {
            check_text(e, a, fixed, d);
        }
        else if (!choice.algo && strcmp(a->name, e->spec->selector) != 0 &&
                 strcmp(a->name, "preset") != 0 &&
                 !known_to_some(weft_registry_find(e->name), a->name))
        {
            report_unknown_attribute(d, a->line, e->spec, NULL, a->name);
        }
    }
    free(choice.config);
}

static void check_element(const struct element *e, struct diagnostics *d);

static void
check_children(const struct element *e, struct diagnostics *d)
{
    for (size_t i = 0; i < e->nchildren && !diag_is_full(d); i++)
    {
        const struct element *c = e->children[i];
        if (!c->spec)
        {
            report_unknown_element(c, e, d);
            continue;
        }
        const struct element *first = element_child(e, c->name);
        if (first != c && !(c->spec->flags & ELEMENT_MANY))
        {
            diag_error(d, c->line, "a second <%s>; expected one only, and it stands at line %d",
                       c->name, first->line);
        }
        check_element(c, d);
    }
}

static void
check_element(const struct element *e, struct diagnostics *d)
{
    if (e->spec->selector)
    {
        check_chosen(e, d);
    }
    else
    {
        check_fixed(e, d);
    }
    if (!(e->spec->flags & ELEMENT_TEXT) && !text_is_blank(e->text))
    {
        diag_error(d, e->line, "text inside <%s>; expected none (all values are attributes)",
                   e->name);
    }
    check_children(e, d);
}

void
document_check(const struct document *doc, struct diagnostics *d)
{
    if (strcmp(doc->root->name, "scenario") != 0)
    {
        diag_error(d, doc->root->line, "the root element is <%s>; expected <scenario>",
                   doc->root->name);
        return;
    }
    check_element(doc->root, d);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The resolved scenario, written from its struct. */
#include <string.h>

#include "element-values.h"
#include "link-failures.h"
#include "scenario-load.h"

/** The start of an element whose struct is @p from. */
static void
write_start(struct text *t, const struct element_spec *spec, const void *from)
{
    text_add(t, "  <%s", spec->name);
    if (!spec->selector)
    {
        element_write(t, spec, from);
        return;
    }
    const struct choice *choice = (const void *)((const char *)from + spec->choice);
    text_add(t, " %s=\"%s\"", spec->selector, choice->algo->name);
    element_write(t, spec, from);
    for (size_t i = 0; i < choice->algo->nparams; i++)
    {
        param_write(t, &choice->algo->params[i], choice->config);
    }
}

static void
write_class(struct text *t, const struct element_spec *spec, const struct qp_class *c)
{
    static const char *const kinds[] = {"transport", "congestion-control", "balancer"};
    const struct choice *const choices[] = {&c->transport, &c->cc, &c->balancer};
    write_start(t, spec, c);
    text_add(t, ">\n");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    {
        struct element_spec own = *vocabulary_find(kinds[i], "class");
        own.choice = 0;
        write_start(t, &own, choices[i]);
        text_add(t, "/>\n");
    }
    text_add(t, "  </class>\n");
}

static void
write_drop(struct text *t, const struct element_spec *spec, const struct drop_rule *rule)
{
    struct drop_rule one = *rule;
    one.packets = &one.psn_offset;
    one.npackets = 1;
    write_start(t, spec, &one);
    text_add(t, "/>\n");
}

/** Results of before there was <random-degrade> lack it, and stay good where it says nothing. */
static bool
is_told(const struct link_fault *f)
{
    return f->ordinal > 0 || f->name || fault_happens(f) ||
           strcmp(f->of->name, "random-degrade") != 0;
}

/** A fault, if it is of that element. */
static void
write_fault(struct text *t, const struct element_spec *spec, const struct link_fault *f)
{
    if (f->of != spec || f->of_file || !is_told(f))
    {
        return;
    }
    write_start(t, spec, f);
    text_add(t, f->nothers ? ">\n" : "/>\n");
    for (size_t i = 0; i < f->nothers; i++)
    {
        write_start(t, vocabulary_find("link", spec->name), &f->others[i]);
        text_add(t, "/>\n");
    }
    text_add(t, f->nothers ? "  </%s>\n" : "", spec->name);
}

static void
write_many(struct text *t, const struct element_spec *spec, const struct scenario *s)
{
    const void *one;
    for (size_t i = 0; spec->size && (one = element_at(spec, s, i)) != NULL; i++)
    {
        if (spec->items == offsetof(struct scenario, classes))
        {
            write_class(t, spec, one);
        }
        else if (spec->items == offsetof(struct scenario, drops))
        {
            write_drop(t, spec, one);
        }
        else if (spec->items == offsetof(struct scenario, faults))
        {
            write_fault(t, spec, one);
        }
        else
        {
            write_start(t, spec, one);
            text_add(t, "/>\n");
        }
    }
}

char *
scenario_write(const struct scenario *s, const char *name)
{
    struct text t = {0};
    text_add(&t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<scenario name=\"%s\">\n", name);
    for (size_t i = 0; i < vocabulary.n; i++)
    {
        const struct element_spec *spec = &vocabulary.elements[i];
        if (!grammar_allows(spec, "scenario"))
        {
            continue;
        }
        if (spec->flags & ELEMENT_MANY)
        {
            write_many(&t, spec, s);
        }
        else if ((spec->selector || spec->nattributes) && !(spec->flags & ELEMENT_SHORT))
        {
            write_start(&t, spec, s);
            text_add(&t, "/>\n");
        }
    }
    text_add(&t, "</scenario>\n");
    return text_take(&t);
}

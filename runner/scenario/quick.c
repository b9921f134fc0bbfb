/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes that <quick> makes to a scenario and its sweep. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "overrides.h"
#include "textbuf.h"

#define SUFFIX " (quick version)"

/** In a <quick>, at most: each is looked for in all of the scenario. */
#define MOST_CHANGES 4096

/** Returns what tells an element of <quick> or <sweep> from others of its name; NULL: nothing does.
 * */
static const char *
key_of(const struct element *e)
{
    const char *param = element_value(e, "param");
    return param ? param : element_value(e, "name");
}

/* --- what there is to change ------------------------------------------------------------------ */

/** Elements of one name and key. */
struct search
{
    const struct element *root;
    const char *name, *key;
    struct nearest near; /**< to the key */
    struct element *found;
    size_t n;
};

static void
search_below(struct search *s, struct element *parent)
{
    for (size_t i = 0; parent && i < parent->nchildren; i++)
    {
        struct element *e = parent->children[i];
        const char *key = strcmp(e->name, s->name) == 0 ? key_of(e) : NULL;
        if (key)
        {
            nearest_try(&s->near, key);
        }
        if (key && same_parameter(s->root, key, s->key))
        {
            s->found = s->found ? s->found : e;
            s->n++;
        }
        search_below(s, e);
    }
}

/** Finds what there is below @p parent (NULL: nothing). */
static struct search
search(const struct element *root, struct element *parent, const char *name, const char *key)
{
    struct search s = {.root = root, .name = name, .key = key, .near = nearest_start(key)};
    search_below(&s, parent);
    return s;
}

/** The element of @p parent that @p e of <quick> is to change; NULL after an error. */
static struct element *
changed_by(const struct element *root, const struct element *e, struct element *parent,
           struct diagnostics *d)
{
    const char *key = key_of(e);
    const bool seeds = strcmp(e->name, "seeds") == 0;
    struct element *only = seeds && parent ? element_child(parent, "seeds") : NULL;
    if (seeds && !only)
    {
        diag_error(d, e->line,
                   "<quick> changes <seeds>, which the scenario does not have; expected them in "
                   "its <sweep> as well");
    }
    if (!key || seeds)
    {
        return only; /* document_check() has reported a key that is missing */
    }
    const struct search s = search(root, parent, e->name, key);
    const char *what = element_attribute(e, "param") ? "param" : "name";
    if (s.n == 1)
    {
        return s.found;
    }
    if (s.n == 0)
    {
        diag_error(d, element_line(e, what),
                   "<quick> changes <%s %s=\"%s\">, which the scenario does not have; expected one "
                   "that it has%s",
                   e->name, what, key, did_you_mean(s.near.best));
    }
    else
    {
        diag_error(d, element_line(e, what),
                   "<quick> changes <%s %s=\"%s\">, and the scenario has %zu of them; expected a "
                   "name that tells them apart",
                   e->name, what, key, s.n);
    }
    return NULL;
}

static bool
every_child_sets(const struct element *root, const struct element *cases, const char *param)
{
    size_t n = 0;
    for (size_t i = 0; i < cases->nchildren; i++)
    {
        n += search(root, cases->children[i], "set", param).n > 0;
    }
    return n > 0 && n == cases->nchildren;
}

/** Returns the element of a sweep that sets a parameter in every run, or NULL. */
static const struct element *
setter_of(const struct element *root, const char *param)
{
    struct element *sweep = element_child(root, "sweep");
    const struct element *found = search(root, sweep, "vary", param).found;
    for (size_t i = 0; sweep && !found && i < sweep->nchildren; i++)
    {
        const struct element *e = sweep->children[i];
        const bool seeds = strcmp(e->name, "seeds") == 0 && strcmp(param, "seed.value") == 0;
        found = seeds || every_child_sets(root, e, param) ? e : NULL;
    }
    return found;
}

/* --- changes ---------------------------------------------------------------------------------- */

/** A parameter may have two names: it keeps the former one, which may be that of a column. */
static void
copy_attributes(struct element *to, const struct element *from)
{
    for (size_t i = 0; i < from->nattributes; i++)
    {
        const struct attribute *a = &from->attributes[i];
        if (strcmp(a->name, "param") != 0)
        {
            element_set(to, a->name, a->value, a->line, false);
        }
    }
}

/** Whether there is the parameter that an element names, if it must name one. */
static bool
knows_param(const struct element *e, struct diagnostics *d)
{
    struct override o;
    const char *param = element_value(e, "param");
    const bool good = param && override_parse(param, element_line(e, "param"), &o, d);
    if (good)
    {
        override_free(&o);
    }
    return good || (!param && !grammar_attribute(e->spec, "param"));
}

static void
apply_set(struct element *root, const struct element *set, struct diagnostics *d)
{
    const char *param = element_value(set, "param"), *value = element_value(set, "value");
    struct override o;
    if (!param || !value || !override_parse(param, element_line(set, "param"), &o, d))
    {
        return;
    }
    const struct element *setter = setter_of(root, param);
    if (setter)
    {
        diag_error(d, element_line(set, "param"),
                   "the sweep sets %s in every run, by <%s> at line %d, so that this changes "
                   "nothing; expected a <%s> in <quick>",
                   param, setter->name, setter->line,
                   strcmp(setter->name, "cases") == 0 ? "case" : setter->name);
    }
    else
    {
        o.value = xstrdup(value);
        o.line = element_line(set, "value");
        override_apply(root, &o);
    }
    override_free(&o);
}

/** A <set> of a <case> in the place of the one that the scenario has, or any other child. */
static void
add_change(struct element *root, struct element *changed, const struct element *e,
           struct diagnostics *d)
{
    const bool set = e->spec && strcmp(e->name, "set") == 0;
    if (set && !knows_param(e, d))
    {
        return;
    }
    struct element *former = set ? search(root, changed, "set", key_of(e)).found : NULL;
    if (former)
    {
        copy_attributes(former, e);
    }
    else
    {
        element_add(changed, element_copy(e));
    }
}

/** Whether those of that kind in <quick> take the places of all of the scenario's: their numbers
 * mean a smaller fabric. */
static bool
is_condition(const struct element *e)
{
    return e->spec && grammar_allows(e->spec, "scenario");
}

static void
remove_conditions(struct element *from, const struct element *by)
{
    for (size_t i = 0; i < by->nchildren; i++)
    {
        if (is_condition(by->children[i]))
        {
            element_remove_children(from, by->children[i]->name);
        }
    }
}

/** Applies what a <vary>, <seeds>, <case> or <figure> changes: its attributes and what stands in
 * it. */
static void
apply_change(struct element *root, const struct element *e, struct diagnostics *d)
{
    static const char *const of_values[] = {"labels", "colours", "styles"};
    const bool figure = strcmp(e->name, "figure") == 0, vary = strcmp(e->name, "vary") == 0;
    struct element *changed =
        knows_param(e, d) ? changed_by(root, e, figure ? root : element_child(root, "sweep"), d)
                          : NULL;
    if (!changed)
    {
        return;
    }
    for (size_t i = 0; vary && i < sizeof of_values / sizeof *of_values; i++)
    {
        element_remove(changed, of_values[i]); /* of the former values, as the others are */
    }
    if (figure)
    {
        element_remove_children(changed, "level");
        element_remove_children(changed, "mark");
        element_remove_children(changed, element_child(e, "query") ? "query" : "");
    }
    copy_attributes(changed, e);
    remove_conditions(changed, e);
    for (size_t i = 0; i < e->nchildren; i++)
    {
        add_change(root, changed, e->children[i], d);
    }
}

static void
apply_all(struct element *root, const struct element *quick, struct diagnostics *d)
{
    remove_conditions(root, quick);
    for (size_t i = 0; i < quick->nchildren; i++)
    {
        const struct element *e = quick->children[i];
        if (strcmp(e->name, "set") == 0)
        {
            apply_set(root, e, d);
        }
        else if (is_condition(e))
        {
            element_add(root, element_copy(e));
        }
        else if (e->spec)
        {
            apply_change(root, e, d);
        }
    }
}

/* --- the version ------------------------------------------------------------------------------ */

static void
set_name(struct element *root, struct diagnostics *d)
{
    const char *name = element_value(root, "name");
    OWNED char *quick = xformat("%s-quick", name ? name : "");
    if (name && name_is_safe(name) && !name_is_safe(quick))
    {
        diag_error(d, element_line(root, "name"),
                   "'%s' is too long for the name of the quick version; expected 144 characters or "
                   "fewer in a scenario with <quick>",
                   name);
    }
    element_set(root, "name", quick, element_line(root, "name"), false);
}

static void
set_title(const struct element *root)
{
    struct element *title = element_child(root, "title");
    if (title)
    {
        size_t n = strlen(title->text);
        while (n > 0 && isspace((unsigned char)title->text[n - 1]))
        {
            n--;
        }
        char *text = xformat("%.*s" SUFFIX, (int)n, title->text);
        free(title->text);
        title->text = text;
    }
}

/** As if the file had the values: what a sweep chooses makes them go as it does those. */
static void
settle(struct element *e)
{
    for (size_t i = 0; i < e->nattributes; i++)
    {
        e->attributes[i].overridden = false;
    }
    for (size_t i = 0; i < e->nchildren; i++)
    {
        settle(e->children[i]);
    }
}

/** Takes <quick> out of the tree and applies it; without one nothing happens. */
static bool
apply(struct element *root, struct diagnostics *d)
{
    const size_t before = d->reported;
    struct element *quick = element_child(root, "quick");
    if (!quick)
    {
        return true;
    }
    quick = element_copy(quick);
    element_remove_children(root, "quick");
    if (quick->nchildren == 0)
    {
        diag_error(d, quick->line, "<quick> is empty; expected what is smaller in it");
    }
    if (quick->nchildren > MOST_CHANGES)
    {
        diag_error(d, quick->line, "<quick> has more than %d elements; expected fewer",
                   MOST_CHANGES);
        element_free(quick);
        return false;
    }
    apply_all(root, quick, d);
    set_name(root, d);
    set_title(root);
    settle(root);
    element_free(quick);
    return d->reported == before;
}

void
quick_check(const struct document *doc, struct diagnostics *d)
{
    if (element_child(doc->root, "quick"))
    {
        struct element *copy = element_copy(doc->root);
        apply(copy, d);
        element_free(copy);
    }
}

bool
quick_apply(struct document *doc, struct diagnostics *d)
{
    if (!apply(doc->root, d))
    {
        return false;
    }
    doc->quick = document_write(doc->root);
    return true;
}

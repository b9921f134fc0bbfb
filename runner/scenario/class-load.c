/* SPDX-License-Identifier: GPL-2.0-only */
/* <class>: sets of QPs with algorithms and a queue of their own, and which workload is of which. */
#include <stdlib.h>
#include <string.h>

#include "element-values.h"
#include "messages.h"
#include "scenario-load.h"
#include "textbuf.h"

/** As the scenario's own. */
static struct choice
copy_of(const struct choice *choice)
{
    struct choice copy = {.algo = choice->algo};
    if (choice->config)
    {
        copy.config = xcalloc(1, choice->algo->config_size);
        memcpy(copy.config, choice->config, choice->algo->config_size);
    }
    return copy;
}

static struct choice
choice_of(const struct element *e, const char *kind, const struct choice *own,
          struct diagnostics *d)
{
    const struct element *child = element_child(e, kind);
    struct choice choice = {.algo = NULL};
    if (!child)
    {
        return copy_of(own);
    }
    load_choice_of(e, child, kind, &choice, d);
    return choice;
}

static const struct qp_class *
find_class(const struct scenario *s, const char *name)
{
    for (size_t i = 0; i < s->nclasses; i++)
    {
        if (strcmp(s->classes[i].name, name) == 0)
        {
            return &s->classes[i];
        }
    }
    return NULL;
}

/** Whether some <workload> uses that class. A class that no workload uses is reported as an error,
 * unless a sweep or the command line chooses the classes of workloads, because other runs may then
 * use it. If a workload names a class that does not exist, load_level() reports that, and this
 * class counts as used. A class that overrides alone make, and no workload uses, is a wrong name.
 */
static bool
is_used(const struct element *root, const struct element *class, struct diagnostics *d)
{
    const struct attribute *name = element_attribute(class, "name");
    struct nearest near = nearest_start(name->value);
    bool used = false, chosen = false;
    for (size_t i = 0; i < root->nchildren; i++)
    {
        const struct element *e = root->children[i];
        const struct attribute *a =
            strcmp(e->name, "workload") == 0 ? element_attribute(e, "class") : NULL;
        if (a)
        {
            nearest_try(&near, a->value);
            chosen = chosen || a->overridden;
            used = used || strcmp(a->value, name->value) == 0 ||
                   !element_named(root, "class", a->value);
        }
    }
    if (!used && name->overridden)
    {
        report_no_element(d, name->line, root, "class", name->value);
    }
    else if (!used && !chosen)
    {
        diag_error(d, name->line,
                   "no <workload> is of the class '%s'; expected one with class=\"%s\", or no such "
                   "<class>%s",
                   name->value, name->value, did_you_mean(near.best));
    }
    return used;
}

static void
load_class(const struct element *e, struct scenario *s, char *of, struct diagnostics *d)
{
    struct qp_class *c = element_next(e->spec, s);
    element_read(e, e->spec, c, d);
    c->e = e;
    c->of = of;
    c->transport = choice_of(e, "transport", &s->transport, d);
    c->cc = choice_of(e, "congestion-control", &s->cc, d);
    c->balancer = choice_of(e, "balancer", &s->balancer, d);
}

/** <workload balancer="rsq"> is of <class name="balancer-rsq"> with that balancer, which is made
 * unless an earlier workload has made it. @p declared: classes that have elements of the file's. */
static void
make_class(struct element *root, struct element *workload, struct scenario *s, size_t declared,
           struct diagnostics *d)
{
    const char *balancer = element_value(workload, "balancer");
    const int line = element_line(workload, "balancer");
    if (!weft_find("balancer", balancer))
    {
        report_unknown_algorithm(d, line, weft_registry_find("balancer"), balancer);
        return;
    }
    if (element_value(workload, "class"))
    {
        diag_error(d, line,
                   "a <workload> with class and balancer; expected one of them: a class "
                   "has its own <balancer>");
    }
    OWNED char *name = xformat("balancer-%s", balancer);
    const struct qp_class *former = find_class(s, name);
    if (former && former < s->classes + declared)
    {
        diag_error(
            d, line,
            "a <workload> with balancer=\"%s\" makes a class '%s', and there is a <class> of "
            "that name; expected another name, or class=\"%s\"",
            balancer, name, name);
    }
    element_set(workload, "class", name, line, false);
    if (!former)
    {
        struct element *class = element_new("class", vocabulary_find("class", "scenario"), line);
        struct element *own = element_new("balancer", vocabulary_find("balancer", "class"), line);
        element_set(class, "name", name, line, false);
        element_set(own, "name", balancer, line, false);
        element_add(class, own);
        element_add(root, class);
        load_class(class, s, xformat(" of <workload balancer=\"%s\">", balancer), d);
    }
}

void
load_classes(struct element *root, struct scenario *s, struct diagnostics *d)
{
    const size_t n = root->nchildren;
    for (size_t i = 0; i < n; i++)
    {
        const struct element *e = root->children[i];
        const char *name = element_value(e, "name");
        if (strcmp(e->name, "class") == 0 && name && is_used(root, e, d))
        {
            load_class(e, s, xformat(" of <class name=\"%s\">", name), d);
        }
    }
    const size_t declared = s->nclasses;
    for (size_t i = 0; i < n; i++)
    {
        struct element *e = root->children[i];
        if (strcmp(e->name, "workload") == 0 && element_value(e, "balancer"))
        {
            make_class(root, e, s, declared, d);
        }
    }
    if (s->nclasses >= WEFT_LEVELS)
    {
        diag_error(d, s->classes[WEFT_LEVELS - 1].e->line,
                   "%zu classes besides the scenario's own algorithms; expected at most %d",
                   s->nclasses, WEFT_LEVELS - 1);
    }
}

uint32_t
load_level(const struct element *workload, const struct scenario *s, struct diagnostics *d)
{
    const char *name = element_value(workload, "class");
    const struct qp_class *c = name ? find_class(s, name) : NULL;
    if (name && !c)
    {
        report_no_element(d, element_line(workload, "class"), s->root, "class", name);
    }
    return c ? (uint32_t)(c - s->classes) + 1 : 0;
}

void
free_classes(struct scenario *s)
{
    for (size_t i = 0; i < s->nclasses; i++)
    {
        free(s->classes[i].of);
        free(s->classes[i].balancer.config);
        free(s->classes[i].cc.config);
        free(s->classes[i].transport.config);
    }
    free(s->classes);
}

/* --- service levels, as checks look at them --------------------------------------------------- */

int64_t
choice_value(const struct choice *choice, const char *name, int64_t otherwise)
{
    return weft_config_get_int(choice->algo, choice->config, name, otherwise);
}

struct level
level_at(const struct scenario *s, uint32_t number, struct diagnostics *d)
{
    struct level l = {.s = s, .d = d, .number = number, .of = ""};
    const struct qp_class *c = number ? &s->classes[number - 1] : NULL;
    l.balancer = c ? &c->balancer : &s->balancer;
    l.transport = c ? &c->transport : &s->transport;
    l.cc = c ? &c->cc : &s->cc;
    if (c)
    {
        l.class = c;
        l.of = c->of;
        l.e = c->e;
    }
    return l;
}

bool
level_owns(const struct level *l, const char *kind)
{
    return l->e && element_child(l->e, kind);
}

int
level_line(const struct level *l, const char *kind, const char *attribute)
{
    const struct element *e = element_child(level_owns(l, kind) ? l->e : l->s->root, kind);
    if (!e)
    {
        return l->s->root->line;
    }
    return attribute ? element_line(e, attribute) : line_of_element(e);
}

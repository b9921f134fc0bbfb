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
 * class counts as used. */
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
    if (!used && (!chosen || name->overridden))
    {
        diag_error(d, name->line,
                   "no <workload> is of the class '%s'; expected one with class=\"%s\", or no such "
                   "<class>%s",
                   name->value, name->value, did_you_mean(near.best));
    }
    return used;
}

static void
load_class(const struct element *root, const struct element *e, struct scenario *s,
           struct diagnostics *d)
{
    const char *name = element_value(e, "name");
    if (!is_used(root, e, d))
    {
        return;
    }
    struct qp_class *c = element_next(e->spec, s);
    element_read(e, e->spec, c, d);
    c->line = e->line;
    c->of = xformat(" of <class name=\"%s\">", name);
    c->transport = choice_of(e, "transport", &s->transport, d);
    c->cc = choice_of(e, "congestion-control", &s->cc, d);
    c->balancer = choice_of(e, "balancer", &s->balancer, d);
}

/** The class that <workload balancer="rsq"> makes: "balancer-rsq". */
static char *
name_by_balancer(const char *balancer)
{
    return xformat("balancer-%s", balancer);
}

static void
make_class(const struct element *workload, struct scenario *s, struct diagnostics *d)
{
    const char *balancer = element_value(workload, "balancer");
    const struct weft_algo *algo = weft_find("balancer", balancer);
    const int line = element_line(workload, "balancer");
    if (!algo)
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
    OWNED char *name = name_by_balancer(balancer);
    const struct qp_class *former = find_class(s, name);
    if (former && !former->made)
    {
        diag_error(
            d, line,
            "a <workload> with balancer=\"%s\" makes a class '%s', and there is a <class> of "
            "that name; expected another name, or class=\"%s\"",
            balancer, name, name);
    }
    if (!former)
    {
        struct qp_class *c = element_next(vocabulary_find("class", "scenario"), s);
        c->name = c->made = xstrdup(name);
        c->queue = 1;
        c->of = xformat(" of <workload balancer=\"%s\">", balancer);
        c->line = line;
        c->transport = copy_of(&s->transport);
        c->cc = copy_of(&s->cc);
        c->balancer = (struct choice){algo, xcalloc(1, algo->config_size)};
        weft_config_default(algo, c->balancer.config);
    }
}

void
load_classes(const struct element *root, struct scenario *s, struct diagnostics *d)
{
    for (size_t i = 0; i < root->nchildren; i++)
    {
        const struct element *e = root->children[i];
        if (strcmp(e->name, "class") == 0 && element_value(e, "name"))
        {
            load_class(root, e, s, d);
        }
    }
    for (size_t i = 0; i < root->nchildren; i++)
    {
        const struct element *e = root->children[i];
        if (strcmp(e->name, "workload") == 0 && element_value(e, "balancer"))
        {
            make_class(e, s, d);
        }
    }
    if (s->nclasses >= WEFT_LEVELS)
    {
        diag_error(d, s->classes[WEFT_LEVELS - 1].line,
                   "%zu classes besides the scenario's own algorithms; expected at most %d",
                   s->nclasses, WEFT_LEVELS - 1);
    }
}

uint32_t
load_level(const struct element *workload, const struct scenario *s, struct diagnostics *d)
{
    const char *name = element_value(workload, "class");
    const char *balancer = element_value(workload, "balancer");
    OWNED char *made = balancer ? name_by_balancer(balancer) : NULL;
    const struct qp_class *c = name || made ? find_class(s, name ? name : made) : NULL;
    if (name && !c)
    {
        struct nearest nearest = nearest_start(name);
        for (size_t i = 0; i < s->nclasses; i++)
        {
            nearest_try(&nearest, s->classes[i].name);
        }
        diag_error(d, element_line(workload, "class"), "no <class name=\"%s\">%s", name,
                   nearest.best ? did_you_mean(nearest.best) : "; expected the name of a <class>");
    }
    return c ? (uint32_t)(c - s->classes) + 1 : 0;
}

void
free_classes(struct scenario *s)
{
    for (size_t i = 0; i < s->nclasses; i++)
    {
        free(s->classes[i].made);
        free(s->classes[i].of);
        free(s->classes[i].balancer.config);
        free(s->classes[i].cc.config);
        free(s->classes[i].transport.config);
    }
    free(s->classes);
}

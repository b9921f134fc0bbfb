/* SPDX-License-Identifier: GPL-2.0-only */
/* Service levels, as checks look at them. */
#include "scenario-load.h"

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

/* SPDX-License-Identifier: GPL-2.0-only */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/** Deepest nesting of parentheses and signs. */
#define MOST_DEPTH 50

struct expression
{
    const char *at;
    lookup_fn lookup;
    void *user;
    char *why; /**< first mistake */
    int depth;
};

static double sum(struct expression *e);

static double
mistake(struct expression *e, const char *what)
{
    if (!e->why)
    {
        e->why = *e->at ? xformat("%s at '%s'", what, e->at) : xformat("%s at its end", what);
    }
    return 0;
}

static void
skip_space(struct expression *e)
{
    while (isspace((unsigned char)*e->at))
    {
        e->at++;
    }
}

static bool
accept(struct expression *e, char c)
{
    skip_space(e);
    if (*e->at != c)
    {
        return false;
    }
    e->at++;
    return true;
}

static double
named(struct expression *e)
{
    size_t n = 0;
    while (isalnum((unsigned char)e->at[n]) || e->at[n] == '_')
    {
        n++;
    }
    char *name = xformat("%.*s", (int)n, e->at);
    double value = 0;
    if (!e->lookup(e->user, name, &value) && !e->why)
    {
        e->why = xformat("there is no <value> of the name '%s'", name);
    }
    free(name);
    e->at += n;
    return value;
}

static double
factor(struct expression *e)
{
    skip_space(e);
    if (e->why || ++e->depth > MOST_DEPTH)
    {
        return mistake(e, "too many parentheses");
    }
    double value = 0;
    if (accept(e, '-'))
    {
        value = -factor(e);
    }
    else if (accept(e, '('))
    {
        value = sum(e);
        value = accept(e, ')') ? value : mistake(e, "expected ')'");
    }
    else if (isdigit((unsigned char)*e->at))
    {
        char *end;
        value = strtod(e->at, &end);
        e->at = end;
    }
    else
    {
        value =
            isalpha((unsigned char)*e->at) ? named(e) : mistake(e, "expected a number or a name");
    }
    e->depth--;
    return value;
}

static double
product(struct expression *e)
{
    double value = factor(e);
    while (!e->why)
    {
        if (accept(e, '*'))
        {
            value *= factor(e);
        }
        else if (accept(e, '/'))
        {
            value /= factor(e);
        }
        else
        {
            break;
        }
    }
    return value;
}

static double
sum(struct expression *e)
{
    double value = product(e);
    while (!e->why)
    {
        if (accept(e, '+'))
        {
            value += product(e);
        }
        else if (accept(e, '-'))
        {
            value -= product(e);
        }
        else
        {
            break;
        }
    }
    return value;
}

bool
expression_value(const char *text, lookup_fn lookup, void *user, double *value, char **why)
{
    struct expression e = {text, lookup, user, NULL, 0};
    *value = sum(&e);
    skip_space(&e);
    if (!e.why && *e.at)
    {
        mistake(&e, "expected + - * / or the end");
    }
    *why = e.why;
    return e.why == NULL;
}

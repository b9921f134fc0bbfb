/* SPDX-License-Identifier: GPL-2.0-only */
#include "figure-style.h"

#include <string.h>

#include <weft/registry.h>

#define NO_STYLE SIZE_MAX

const unsigned figure_colours[FIGURE_COLOURS] = {0x0072B2, 0xE69F00, 0x009E73, 0xD55E00,
                                                 0xCC79A7, 0x56B4E9, 0x000000};
const unsigned figure_dashes[FIGURE_DASHES] = {1, 2, 4, 3, 5};
const unsigned figure_markers[FIGURE_MARKERS] = {7, 5, 9, 13, 6, 4, 8, 11};
const unsigned figure_patterns[FIGURE_PATTERNS] = {3, 4, 1, 5, 2, 7};

/* A balancer's place is its style, in every figure: add new ones at the end. Those that papers
 * compare most stand within FIGURE_COLOURS of each other. */
static const char *const styled[] = {
    "ecmp",      "ar",        "themis", "rsq",   "reps",     "ops",      "ofan",  "host-dr",
    "simple-rr", "switch-rr", "plb",    "conga", "jsq",      "subflow",  "drill", "ar-quality",
    "letflow",   "conweave",  "pro",    "prime", "co-prime", "ethereal",
};

#define STYLED (sizeof styled / sizeof *styled)

/** Its place in the table, or NO_STYLE. */
static size_t
place_in_table(const char *name)
{
    for (size_t i = 0; i < STYLED; i++)
    {
        if (strcmp(styled[i], name) == 0)
        {
            return i;
        }
    }
    return NO_STYLE;
}

size_t
figure_balancer_style(const char *name)
{
    const struct weft_registry *balancers = weft_registry_find("balancer");
    size_t place = place_in_table(name);
    if (place != NO_STYLE)
    {
        return place;
    }
    place = STYLED;
    for (size_t i = 0; i < balancers->count && strcmp(balancers->algos[i]->name, name) != 0; i++)
    {
        place += place_in_table(balancers->algos[i]->name) == NO_STYLE;
    }
    return place;
}

/* --- what stands for a balancer --------------------------------------------------------------- */

/** The name of a balancer that an override sets, or NULL. */
static const char *
balancer_set(const struct override *o)
{
    const bool chosen =
        strncmp(o->element, "balancer", 8) == 0 && strcmp(o->attribute, "name") == 0;
    const bool own =
        strncmp(o->element, "workload", 8) == 0 && strcmp(o->attribute, "balancer") == 0;
    return chosen || own ? o->value : NULL;
}

static const char *
balancer_of_point(const struct plan_point *point)
{
    const char *name = NULL;
    for (size_t i = 0; !name && i < point->nsets; i++)
    {
        name = balancer_set(&point->sets[i]);
    }
    return name;
}

/** The balancer of the runs at the point of @p dim that has @p key there; NULL: the dimension is
 * not about balancers. */
static const char *
balancer_of(const struct plan *plan, const struct plan_dimension *dim, size_t cell, const char *key)
{
    const struct element *own = element_child(plan->doc->root, "balancer");
    const char *found = NULL;
    bool any = false, at = false;
    for (size_t p = 0; p < dim->npoints; p++)
    {
        const char *name = balancer_of_point(&dim->points[p]);
        any = any || name;
        if (!at && strcmp(dim->points[p].cells[cell], key) == 0)
        {
            at = true;
            found = name;
        }
    }
    const char *name = found ? found : any && at && own ? element_value(own, "name") : NULL;
    return name && weft_find("balancer", name) ? name : NULL;
}

/* --- styles ----------------------------------------------------------------------------------- */

static bool
is_taken(const size_t *styles, size_t n, size_t style)
{
    for (size_t i = 0; i < n; i++)
    {
        if (styles[i] == style)
        {
            return true;
        }
    }
    return false;
}

/** Whether two styles of one colour differ in dashes and patterns, as far as these go. */
static bool
differ(size_t a, size_t b)
{
    return a % FIGURE_DASHES != b % FIGURE_DASHES && a % FIGURE_PATTERNS != b % FIGURE_PATTERNS;
}

/** A style of the colour of @p style, behind those of all balancers, that can be told from those of
 * this colour that are taken. */
static size_t
variant_of(const size_t *styles, size_t n, size_t style)
{
    const size_t behind = STYLED + weft_registry_find("balancer")->count;
    const size_t last = behind + FIGURE_LINE_STYLES;
    size_t otherwise = NO_STYLE;
    for (size_t s = style; s < last || otherwise == NO_STYLE; s += FIGURE_COLOURS)
    {
        bool apart = s >= behind && !is_taken(styles, n, s);
        otherwise = otherwise == NO_STYLE && apart ? s : otherwise;
        for (size_t i = 0; apart && i < n; i++)
        {
            apart = styles[i] == NO_STYLE || styles[i] % FIGURE_COLOURS != s % FIGURE_COLOURS ||
                    differ(styles[i], s);
        }
        if (apart)
        {
            return s;
        }
    }
    return otherwise;
}

bool
figure_styles(const struct plan *plan, const struct figure_names *names, size_t *styles)
{
    size_t cell = 0;
    const struct plan_dimension *dim =
        names->column ? plan_column(plan, names->column, &cell) : NULL;
    bool any = false;
    for (size_t i = 0; i < names->n; i++)
    {
        const char *name = dim ? balancer_of(plan, dim, cell, names->keys[i * names->parts]) : NULL;
        styles[i] = NO_STYLE;
        if (name)
        {
            const size_t style = figure_balancer_style(name);
            styles[i] = is_taken(styles, i, style) ? variant_of(styles, i, style) : style;
            any = true;
        }
    }
    for (size_t i = 0, style = 0; i < names->n; i++)
    {
        while (styles[i] == NO_STYLE && is_taken(styles, names->n, style))
        {
            style++;
        }
        styles[i] = styles[i] == NO_STYLE ? style : styles[i];
    }
    return any;
}
